"""Tasks: table, masks, join counters, and the picker (S0:69-74, hardware.md 2).

Ids 0-7 are the data tasks of the input queues, 8-30 local tasks; control tasks have a table of their own. A local
task is ready when it is active, not blocked, and has code. A queue is ready when its head wavelet can be read and
its data task's id is not blocked: a data wavelet starts the queue's data task, if that has code, a control wavelet
the task it names, or the queue's catch-all. Blocking a queue's id holds its control wavelets too.

The masks and tables are configuration words (fabric.arch, *ours*), which programs may read and write.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from fabric.arch import (
    CONTROL_TABLE,
    INPUT_CONTROL,
    LOCAL_TASKS,
    QUEUES,
    TASK_ACTIVE,
    TASK_BLOCKED,
    TASK_HIGH,
    TASK_NONE,
    TASK_TABLE,
    TASKS,
)
from fabric.reference.wavelet import Wavelet

if TYPE_CHECKING:
    from fabric.reference.core import Core

MASK_WORDS = 4
LOCAL_MASK = sum(1 << t for t in LOCAL_TASKS)
PICKABLE = LOCAL_TASKS.stop  # ids below it take part in the round robin


class Trigger(NamedTuple):
    """The control wavelet that started a task last, for the message when no handler knows it: the color it came on,
    the sender's tile and instruction."""

    color: int
    tile: int
    pc: int


class Start(NamedTuple):
    """A task that the picker starts: its id, its entry, and the wavelet (or 16-bit half) that goes into R0 and R1."""

    task: int
    entry: int
    value: int | None = None
    bits: int = 32


class Tasks:
    """The task state of one core. Masks are integers, bit t for task t."""

    def __init__(self, core: Core) -> None:
        self.core = core
        self.entries = [0] * TASKS
        self.control_entries = [0] * TASKS
        self.catch_all = [0] * QUEUES
        self.blocked = 0
        self.active = 0
        self.high = 0
        self.joins = [0] * TASKS
        self.coded = 0  # local tasks with code
        self.last = PICKABLE - 1  # the task picked last, where the round robin goes on
        self.held = [0] * QUEUES  # live receives of each input queue: they come before its data task
        self.controls = 0  # mask of the input queues that may hold control wavelets
        self.filtering = [0] * QUEUES  # live dfilt instructions of each input queue: they take control wavelets too

    # --- what instructions and completions do -------------------------------------------------------------------

    def activate(self, task: int) -> None:
        """Activation is a flag; while the task is blocked it is kept (S4:3146)."""
        self.active |= 1 << task

    def block(self, task: int) -> None:
        self.blocked |= 1 << task

    def unblock(self, task: int) -> None:
        self.blocked &= ~(1 << task)

    def set_entry(self, task: int, entry: int) -> None:
        self.entries[task] = entry
        if LOCAL_MASK >> task & 1:
            self.coded = self.coded & ~(1 << task) | (1 << task if entry else 0)

    def expect(self, task: int, arrivals: int) -> None:
        """Adds to the arrivals that a task waits for."""
        self.joins[task] = (self.joins[task] + arrivals) & 0xFFFF

    def arrived(self, task: int) -> bool:
        """One arrival less to wait for; True when it was the last."""
        if not self.joins[task]:
            raise self.core.fault("FB517", task=task)
        self.joins[task] -= 1
        return not self.joins[task]

    # --- the picker ---------------------------------------------------------------------------------------------

    def _ready(self, now: int) -> int:
        """Mask of the ids 0-30 that could start now."""
        ready = self.active & ~self.blocked & self.coded
        for queue in self.core.tile.input_queues:
            number = queue.number
            if not queue.entries or self.blocked >> number & 1 or self.filtering[number]:
                continue
            wavelet = queue.peek(now)
            if wavelet is not None and (wavelet.ctrl or (self.entries[number] and not self.held[number])):
                ready |= 1 << number
        return ready

    def pick(self, now: int) -> Start | None:
        """The next task to start, round robin from the one picked last, those of high priority first; takes its
        wavelet out of the queue, or its activation."""
        ready = self._ready(now)
        if not ready:
            return None
        ready = ready & self.high or ready
        behind = ready >> (self.last + 1) << (self.last + 1)
        chosen = behind or ready
        task = (chosen & -chosen).bit_length() - 1
        self.last = task
        if task in LOCAL_TASKS:
            self.active &= ~(1 << task)
            return Start(task, self.entries[task])
        return self._start_from_queue(task, now)

    def _start_from_queue(self, number: int, now: int) -> Start:
        queue = self.core.tile.input_queues[number]
        wavelet = queue.peek(now)
        assert wavelet is not None
        if wavelet.ctrl:
            entry = self.control_entry(number, wavelet)
            self.core.trigger = Trigger(wavelet.color, wavelet.born.tile, wavelet.born.pc)
            queue.take_wavelet(now)
            return Start(wavelet.task, entry, wavelet.data)
        if queue.mode & 1:
            return Start(number, self.entries[number], queue.take16(now), 16)
        if queue.half_taken:  # what is left of a wavelet whose first half was received
            return Start(number, self.entries[number], queue.take16(now))
        return Start(number, self.entries[number], queue.take_wavelet(now).data)

    def control_entry(self, queue: int, wavelet: Wavelet) -> int:
        """Where the task that a control wavelet starts begins; 0 when nothing takes it."""
        return self.catch_all[queue] or self.control_entries[wavelet.task]

    def discard_control(self, now: int) -> bool:
        """Drops control wavelets at the heads of the queues that name no task (id 31 without code); True when one
        was dropped.

        Raises CoreFault (FB503) for one that names a task without code (hardware.md 14.8).
        """
        dropped = False
        for queue in self.core.tile.input_queues:
            if not self.controls >> queue.number & 1:
                continue
            if not any(arrived.wavelet.ctrl for arrived in queue.entries):
                self.controls &= ~(1 << queue.number)
                continue
            wavelet = queue.peek(now)
            if wavelet is None or not wavelet.ctrl or self.filtering[queue.number]:
                continue
            if self.control_entry(queue.number, wavelet):
                continue
            if wavelet.task != TASK_NONE:
                raise self.core.control_fault(queue.number, wavelet)
            queue.take_wavelet(now)
            dropped = True
        return dropped

    # --- registers ----------------------------------------------------------------------------------------------

    def read(self, address: int) -> int | None:
        """A configuration word of the tasks, or None."""
        if TASK_TABLE <= address < TASK_TABLE + TASKS:
            return self.entries[address - TASK_TABLE]
        if CONTROL_TABLE <= address < CONTROL_TABLE + TASKS:
            return self.control_entries[address - CONTROL_TABLE]
        if INPUT_CONTROL <= address < INPUT_CONTROL + QUEUES:
            return self.catch_all[address - INPUT_CONTROL]
        for base, mask in ((TASK_BLOCKED, self.blocked), (TASK_ACTIVE, self.active), (TASK_HIGH, self.high)):
            if base <= address < base + MASK_WORDS:
                return mask >> 16 * (address - base) & 0xFFFF
        return None

    def write(self, address: int, value: int) -> bool:
        """Writes a configuration word of the tasks; False when it is none."""
        if TASK_TABLE <= address < TASK_TABLE + TASKS:
            self.set_entry(address - TASK_TABLE, value)
        elif CONTROL_TABLE <= address < CONTROL_TABLE + TASKS:
            self.control_entries[address - CONTROL_TABLE] = value
        elif INPUT_CONTROL <= address < INPUT_CONTROL + QUEUES:
            self.catch_all[address - INPUT_CONTROL] = value
        elif TASK_BLOCKED <= address < TASK_BLOCKED + MASK_WORDS:
            self.blocked = _with_word(self.blocked, address - TASK_BLOCKED, value)
        elif TASK_ACTIVE <= address < TASK_ACTIVE + MASK_WORDS:
            self.active = _with_word(self.active, address - TASK_ACTIVE, value)
        elif TASK_HIGH <= address < TASK_HIGH + MASK_WORDS:
            self.high = _with_word(self.high, address - TASK_HIGH, value)
        else:
            return False
        return True

    def snapshot(self) -> dict[str, Any]:
        """Plain data; the tables too, though the image has them."""
        return {
            "entries": list(self.entries),
            "control_entries": list(self.control_entries),
            "catch_all": list(self.catch_all),
            "masks": [self.blocked, self.active, self.high],
            "joins": list(self.joins),
            "last": self.last,
        }

    def restore(self, state: dict[str, Any]) -> None:
        for task, entry in enumerate(state["entries"]):
            self.set_entry(task, entry)
        self.control_entries = list(state["control_entries"])
        self.catch_all = list(state["catch_all"])
        self.blocked, self.active, self.high = state["masks"]
        self.joins = list(state["joins"])
        self.last = state["last"]
        self.controls = (1 << QUEUES) - 1


def _with_word(mask: int, word: int, value: int) -> int:
    return mask & ~(0xFFFF << 16 * word) | value << 16 * word
