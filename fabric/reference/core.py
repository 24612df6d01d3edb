"""The core: one pipeline shared by the main thread and eight microthreads (S0:53-85, hardware.md 2, 4, 17).

One issue slot a cycle goes to the first thread that can use it: the microthreads in the order of their ids, then the
main thread. All that an instruction does happens when it issues; a scoreboard holds the cycle from which a register
may be used, so that results seem to come as late as they do. Every latency is a field of `fabric.timing.Timing`.

    scalar instruction    its slot; the thread goes on `busy` cycles later (branches, calls, divisions)
    vector instruction    a set-up slot, hidden when the thread's previous instruction was one too; a slot a group
    microthread           its start takes one slot of the main thread; its groups can go from the next cycle
    end of a microthread  decode to execute, and one cycle, after its last group; then its completion acts
    join, task start      the picker takes a task when the main thread is free; its first slot is `task_start` later

`step` runs one cycle and says when it wants to run again; what wakes it in between is told by the fabric.
"""

from __future__ import annotations

import heapq
from typing import TYPE_CHECKING, Any

from fabric.arch import (
    CONTROL_TABLE,
    INPUT_CONTROL,
    MICROTHREADS,
    QUEUES,
    TASK_ACTIVE,
    TASK_BLOCKED,
    TASK_HIGH,
    TASK_TABLE,
    TASK_TEARDOWN,
    TASKS,
)
from fabric.descriptor import FABIN
from fabric.encode import COMPLETIONS, SLOT_DD, SLOTS, Async
from fabric.reference.prepared import Prepared
from fabric.reference.storage import Cache, Storage
from fabric.reference.tasks import MASK_WORDS, Tasks, Trigger
from fabric.reference.vectors import VectorOp

if TYPE_CHECKING:
    from fabric.reference.probe import Probe
    from fabric.reference.tile import Tile

OWN_REGISTERS = (
    *range(TASK_TABLE, TASK_TABLE + TASKS),
    *range(CONTROL_TABLE, CONTROL_TABLE + TASKS),
    *range(INPUT_CONTROL, INPUT_CONTROL + QUEUES),
    *(base + k for base in (TASK_BLOCKED, TASK_ACTIVE, TASK_HIGH) for k in range(MASK_WORDS)),
)
IDLE = -1  # `task` when no task runs

class Core(Storage):
    """One core. `pc` is the main thread's next instruction, `next_issue` the first cycle in which it may go,
    `task` the id of the running task or IDLE, `vector` its live vector instruction."""

    def __init__(self, tile: Tile, cache: Cache | None = None, probe: Probe | None = None) -> None:
        super().__init__(tile, cache)
        self.probe = probe
        self.regs = [0] * 16
        self.preds = [0] * 8
        self.dsrs: list[list[int]] = [[0, 0, 0, 0] for _ in range(SLOTS - SLOT_DD)]
        self.acc = 0
        self.carry = 0
        self.usable = [0] * SLOTS  # the scoreboard: the first cycle in which an issue may use each slot
        self.tasks = Tasks(self)
        self.task = IDLE
        self.traced_task = IDLE  # the task of the instruction that a probe is told of
        self.number = -1  # and its number, counted while there is a probe
        self.pc = 0
        self.next_issue = 0
        self.after_vector = False  # the main thread's previous instruction was a vector
        self.vector: VectorOp | None = None
        self.threads: list[VectorOp | None] = [None] * MICROTHREADS
        self.live: list[VectorOp] = []  # the microthreads that still have elements to do, by id
        self.draining = [0] * MICROTHREADS  # until when a microthread's last group is under way
        self.users: dict[tuple[int, int], list[VectorOp]] = {}  # (kind, queue) -> its live operations, in order
        self.events: list[tuple[int, int, int, int]] = []  # heap of (cycle, order, action, task)
        self.event_count = 0
        self.pipe_free = 0  # the pipeline is held up to here by a bank conflict
        self.halted = False
        self.trigger: Trigger | None = None
        self.last_execute = -1  # the last cycle in which an instruction executes, so far
        plain = tile.registers.plain
        for address in OWN_REGISTERS:
            if address in plain:
                self.tasks.write(address, plain.pop(address))

    # --- what instructions call ----------------------------------------------------------------------------------

    def go(self, target: int, cost: int) -> None:
        """A jump."""
        self.pc = target
        self.next_issue = self.now + cost

    def end_task(self) -> None:
        """The running task ends; the picker may start the next one `terminate` cycles later."""
        self.task = IDLE
        self.next_issue = self.now + self.timing.terminate

    def halt(self) -> None:
        """The core stops for good, its microthreads too."""
        self.halted = True
        self.task = IDLE
        self.live = []
        self.threads = [None] * MICROTHREADS
        self.users = {}
        self.events = []

    def arrive(self, task: int, now: int) -> None:
        """An arrival; the last one activates the task, so that its first slot comes `join` cycles later."""
        if self.tasks.arrived(task):
            self._later(now + self.timing.join - self.timing.task_start, "activate", task)

    def _later(self, cycle: int, action: str, task: int) -> None:
        self.event_count += 1
        heapq.heappush(self.events, (cycle, self.event_count, COMPLETIONS.index(action), task))

    def _act(self, action: str, task: int, now: int) -> None:
        """What a microthread's completion, or a delayed activation, does."""
        if action == "activate":
            self.tasks.activate(task)
        elif action == "unblock":
            self.tasks.unblock(task)
        elif action == "arrive":
            self.arrive(task, now)

    # --- the cycle -----------------------------------------------------------------------------------------------

    def step(self, now: int) -> int | None:
        """Runs cycle `now`; returns the next cycle in which something can happen by itself, or None."""
        if self.halted:
            return None
        self.now = now
        events = self.events
        while events and events[0][0] <= now:
            _, _, action, task = heapq.heappop(events)
            self._act(COMPLETIONS[action], task, now)
        dropped = self.tasks.controls != 0 and self.tasks.discard_control(now)
        if self.task == IDLE and now >= self.next_issue:
            self._pick(now)
        if now < self.pipe_free:
            return self.pipe_free
        if self._issue_microthread(now) or self._issue_main(now) or dropped:
            return max(now + 1, self.pipe_free)
        return self._next_cycle(now)

    def _next_cycle(self, now: int) -> int | None:
        """Nothing could issue: the next cycle that is known to change that."""
        due = [op.not_before for op in self.live if op.not_before > now]
        if self.next_issue > now:
            due.append(self.next_issue)
        if self.events:
            due.append(self.events[0][0])
        return min(due, default=None)

    def _pick(self, now: int) -> None:
        start = self.tasks.pick(now)
        if start is None:
            return
        self.task = self.traced_task = start.task
        self.pc = start.entry
        self.next_issue = now + self.timing.task_start
        self.after_vector = False
        if start.value is not None:
            self.regs[0] = start.value & 0xFFFF
            self.usable[0] = now
            if start.bits == 32:
                self.regs[1] = start.value >> 16
                self.usable[1] = now
        if self.probe is not None:
            self.probe.task_started(now, self, start.task)

    # --- microthreads ----------------------------------------------------------------------------------------------

    def _issue_microthread(self, now: int) -> bool:
        for op in self.live:
            if op.not_before > now or not self._may_run(op):
                continue
            n = op.group(now)
            if n:
                self.fault_pc = op.pc
                self._issue_group(op, n, now)
                if op.finished:
                    self._finish_microthread(op, now)
                return True
            if self.probe is not None:
                self.probe.waiting(now, self, op)
        return False

    def _may_run(self, op: VectorOp) -> bool:
        """It has its queues: of two microthreads on one queue the later one follows the earlier (hardware.md 14.2)."""
        return all(self.users[queue][0] is op for queue in op.queues)

    def _start_microthread(self, prepared: Prepared, pc: int, now: int) -> None:
        """The main thread's slot that starts a microthread; sources in registers are captured now."""
        background = prepared.instr.background
        assert background is not None
        other = self.threads[background.ut]
        if other is not None and other in self.live:
            raise self.fault("FB505", ((other.pc, "the instruction that runs on it"),), ut=background.ut)
        op = VectorOp(self, prepared, pc, self.task, now + self.timing.microthread_start)
        self._enter(op)
        self.threads[background.ut] = op
        self.live = [o for o in self.threads if o is not None and (o in self.live or o is op)]
        if self.probe is not None:
            self.number += 1
            self.probe.vector_started(now, self, op, True)
        if op.finished:
            self._end_vector(op, now)
            self._finish_microthread(op, now)

    def _finish_microthread(self, op: VectorOp, now: int) -> None:
        """Its last group has issued: its completion acts when that has executed, and a cycle more."""
        background = op.background
        assert background is not None
        self.live.remove(op)
        done = now + op.busy - 1 + self.timing.decode_to_execute + self.timing.microthread_done
        self.draining[background.ut] = done
        self._complete(background, done)

    def _complete(self, background: Async, done: int) -> None:
        action = COMPLETIONS[background.completion]
        if action == "arrive":
            self._later(done, action, background.task)
        elif action:
            self._later(done + self.timing.join - self.timing.task_start, action, background.task)

    # --- vector instructions of both kinds ---------------------------------------------------------------------------

    def _enter(self, op: VectorOp) -> None:
        """The operation takes its queues. Raises CoreFault (FB504) for a second live one, unless two microthreads
        follow each other."""
        for queue in op.queues:
            users = self.users.setdefault(queue, [])
            if users and (op.background is None or users[-1].background is None):
                kind = "input" if queue[0] == FABIN else "output"
                raise self.fault(
                    "FB504", ((users[-1].pc, "the operation that holds the queue"),), kind=kind, queue=queue[1]
                )
            users.append(op)
            if queue[0] == FABIN:
                self.tasks.held[queue[1]] += 1
                self.tasks.filtering[queue[1]] += op.kind == "filter"

    def _leave(self, op: VectorOp) -> None:
        for queue in op.queues:
            users = self.users[queue]
            users.remove(op)
            if not users:
                del self.users[queue]
            if queue[0] == FABIN:
                self.tasks.held[queue[1]] -= 1
                self.tasks.filtering[queue[1]] -= op.kind == "filter"

    def _issue_group(self, op: VectorOp, n: int, now: int) -> None:
        conflict = op.conflict()
        op.step(n, now)
        busy = op.busy
        if conflict:
            self.pipe_free = now + 1 + self.timing.bank_conflict
            busy = max(busy, 1 + self.timing.bank_conflict)
        op.not_before = now + busy
        self._executes(now)
        if self.probe is not None:
            self.probe.group(now, self, op, n, conflict)
        if op.finished:
            self._end_vector(op, now)

    def _end_vector(self, op: VectorOp, now: int) -> None:
        if not op.done and op.kind == "dot":  # a sum of nothing
            op.write_dot(now)
        self._leave(op)
        if self.probe is not None:
            self.probe.finished(now, self, op)
        for slot in op.prepared.sets:
            self.usable[slot] = now + (op.busy - 1) + op.prepared.latency

    # --- the main thread ---------------------------------------------------------------------------------------------

    def _issue_main(self, now: int) -> bool:
        if self.task == IDLE or now < self.next_issue:
            return False
        if self.vector is not None:
            return self._continue_vector(self.vector, now)
        pc = self.fault_pc = self.pc
        prepared = self.code.get(pc) or self.fetch(pc)
        usable = self.usable
        for slot in prepared.needs:
            if usable[slot] > now:
                self.next_issue = max(usable[s] for s in prepared.needs)
                if self.probe is not None:
                    self.probe.operand_stall(now, self, pc, self.next_issue)
                return False
        if prepared.pred >= 0 and bool(self.preds[prepared.pred]) == prepared.negated:
            self.pc = pc + len(prepared.words)
            self.next_issue = now + self.timing.issue
            self.after_vector = False
            self._executes(now)
            if self.probe is not None:
                self.number += 1
                self.probe.scalar(now, self, prepared, pc, None)
            return True
        if prepared.vector:
            return self._begin_vector(prepared, pc, now)
        self._executes(now)
        self.pc = pc + len(prepared.words)
        self.next_issue = now + prepared.busy
        self.after_vector = False
        sources = None if self.probe is None else prepared.values(self)
        prepared.run(self)
        ready = now + prepared.latency
        for slot in prepared.sets:
            usable[slot] = ready
        if prepared.terminate:
            self.end_task()
        if self.probe is not None:
            self.number += 1
            self.probe.scalar(now, self, prepared, pc, sources)
        return True

    def _executes(self, now: int) -> None:
        executed = now + self.timing.decode_to_execute
        if executed > self.last_execute:
            self.last_execute = executed

    def _begin_vector(self, prepared: Prepared, pc: int, now: int) -> bool:
        """The set-up of a vector instruction. True when the slot is used."""
        if prepared.instr.background is not None:
            ut = prepared.instr.background.ut
            if self.draining[ut] > now:
                self.next_issue = self.draining[ut]
                return False
            self._start_microthread(prepared, pc, now)
            self._executes(now)
            self.after_vector = False
            self._after_vector_instruction(prepared, pc, now)
            return True
        hidden = self.after_vector
        first = now if hidden else now + self.timing.vector_setup
        op = VectorOp(self, prepared, pc, self.task, first)
        self._enter(op)
        self.vector = op
        self.after_vector = True
        if self.probe is not None:
            self.number += 1
            self.probe.vector_started(now, self, op, not hidden)
        if op.finished:  # of length 0: the slot, and no element
            self._end_vector(op, now)
            self.vector = None
            self._after_vector_instruction(prepared, pc, now)
            self.after_vector = True
            return True
        if hidden:
            return self._continue_vector(op, now)
        self.next_issue = first
        self._executes(now)
        return True

    def _continue_vector(self, op: VectorOp, now: int) -> bool:
        """The main thread's next group; while it waits for a queue the thread is suspended and no task starts."""
        if op.not_before > now:
            self.next_issue = op.not_before
            return False
        n = op.group(now)
        if not n:
            if self.probe is not None:
                self.probe.waiting(now, self, op)
            return False
        self.fault_pc = op.pc
        self._issue_group(op, n, now)
        self.next_issue = op.not_before
        if op.finished:
            self.vector = None
            self._after_vector_instruction(op.prepared, op.pc, now)
            self.next_issue = max(self.next_issue, op.not_before)
        return True

    def _after_vector_instruction(self, prepared: Prepared, pc: int, now: int) -> None:
        self.pc = pc + len(prepared.words)
        self.next_issue = now + self.timing.issue
        if prepared.terminate:
            self.end_task()

    # --- what the fabric tells ---------------------------------------------------------------------------------------

    def on_wavelet(self, queue: int, ready: int) -> None:
        """A wavelet can be read from `ready` on; the fabric steps the core then, and `step` looks at the queues."""
        if self.tile.input_queues[queue].entries[-1].wavelet.ctrl:
            self.tasks.controls |= 1 << queue

    def on_space(self, queue: int, now: int) -> None:
        """An output queue has room again; the fabric steps the core, and `step` looks at all threads."""

    def on_teardown(self, color: int, now: int) -> None:
        """A color entered teardown: task 29 becomes ready in cycle `now`."""
        self._later(now, "activate", TASK_TEARDOWN)

    def read_register(self, address: int) -> int | None:
        return self.tasks.read(address)

    def write_register(self, address: int, value: int) -> bool:
        return self.tasks.write(address, value)

    # --- checkpoints -------------------------------------------------------------------------------------------------

    def snapshot(self) -> dict[str, Any]:
        """All of the state as plain data; `restore` takes it back into a core of the same program."""
        from fabric.reference.core_state import take

        return take(self)

    def restore(self, state: Any) -> None:
        from fabric.reference.core_state import restore

        restore(self, state)
