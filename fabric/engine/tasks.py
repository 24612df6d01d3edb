"""Tasks: activation, joins, and the picker (`fabric.reference.tasks`)."""

from __future__ import annotations

from fabric.arch import QUEUES, TASK_NONE, TASKS
from fabric.engine.access import const, ctz, ld8, ld16, ld32, ld64, shl, st8, st16, st32, st64
from fabric.engine.events import later
from fabric.engine.jit import inline, jit
from fabric.engine.layout import (
    C_NOW,
    C_TIMING,
    F_COLOR,
    F_CTRL,
    Q_FLAG,
    Q_MODE,
    R_ACTIVE,
    R_BLOCKED,
    R_CODED,
    R_FILLED,
    R_FILTERING,
    R_HELD,
    R_HIGH,
    R_JOINS,
    R_LAST_TASK,
    R_NEXT_ISSUE,
    R_PC,
    R_REGS,
    R_TABLES,
    R_TASK,
    R_TRIGGER,
    R_TRIGGER_PC,
    R_USABLE,
    S_DATA,
    S_FLAGS,
    S_IDENT,
    S_PC,
    TIMINGS,
)
from fabric.engine.queues import drop, input_queue, peek, take16
from fabric.engine.slots import fail

ACTIVATE, UNBLOCK, ARRIVE = 1, 2, 3  # fabric.encode.COMPLETIONS
JOIN = C_TIMING + 8 * TIMINGS.index("join")
TASK_START = C_TIMING + 8 * TIMINGS.index("task_start")
IDS = 31  # that take part in the round robin


@inline
def activate(r: int, task: int) -> None:
    st64(r + R_ACTIVE, ld64(r + R_ACTIVE) | shl(const(1), task))


@inline
def block(r: int, task: int) -> None:
    st64(r + R_BLOCKED, ld64(r + R_BLOCKED) | shl(const(1), task))


@inline
def unblock(r: int, task: int) -> None:
    st64(r + R_BLOCKED, ld64(r + R_BLOCKED) & ~shl(const(1), task))


@jit
def expect(r: int, task: int, arrivals: int) -> None:
    """Adds to the arrivals that a task waits for."""
    st16(r + R_JOINS + 2 * task, (ld16(r + R_JOINS + 2 * task) + arrivals) & 0xFFFF)


@jit
def arrive(s: int, r: int, task: int, now: int) -> None:
    """An arrival; the last one activates the task, so that its first slot comes `join` cycles later."""
    left = ld16(r + R_JOINS + 2 * task)
    if left == 0:
        fail(s, r, const(517), task, const(0), const(0))
        return
    st16(r + R_JOINS + 2 * task, left - 1)
    if left == 1:
        later(s, r, now + ld64(s + JOIN) - ld64(s + TASK_START), const(ACTIVATE), task)


@jit
def act(s: int, r: int, action: int, task: int, now: int) -> None:
    """What a completion, or a delayed activation, does."""
    if action == ACTIVATE:
        activate(r, task)
    elif action == UNBLOCK:
        unblock(r, task)
    elif action == ARRIVE:
        arrive(s, r, task, now)


@jit
def control_entry(r: int, queue: int, task: int) -> int:
    """Where the task that a control wavelet starts begins; 0 when nothing takes it."""
    catch_all = ld16(ld64(r + R_TABLES) + 2 * (2 * TASKS + queue))
    if catch_all:
        return catch_all
    return ld16(ld64(r + R_TABLES) + 2 * (TASKS + task))


@inline
def task_of(a: int) -> int:
    """The task that a control wavelet (its slot) names."""
    return ld32(a + S_DATA) >> 16 & 63


@jit
def discard_control(s: int, r: int) -> int:
    """Drops control wavelets at the heads of queues that name no task; 1 when one was dropped."""
    dropped = 0
    filled = ld8(r + R_FILLED)
    while filled:
        number = ctz(filled)
        filled &= filled - 1
        a = peek(s, r, input_queue(r, number))
        if a == 0 or not ld32(a + S_FLAGS) & F_CTRL or ld8(r + R_FILTERING + number):
            continue
        if control_entry(r, number, task_of(a)):
            continue
        if task_of(a) != TASK_NONE:
            fail(s, r, const(503), number, a, const(0))
            return dropped
        drop(s, r, number)
        dropped = 1
    return dropped


@jit
def _ready(s: int, r: int) -> int:
    """Mask of the ids that could start now."""
    blocked = ld64(r + R_BLOCKED)
    mask = ld64(r + R_ACTIVE) & ~blocked & ld32(r + R_CODED)
    filled = ld8(r + R_FILLED) & ~blocked
    while filled:
        number = ctz(filled)
        filled &= filled - 1
        if ld8(r + R_FILTERING + number):
            continue
        a = peek(s, r, input_queue(r, number))
        if a == 0:
            continue
        if ld32(a + S_FLAGS) & F_CTRL:
            mask |= 1 << number
        elif ld8(r + R_HELD + number) == 0 and ld16(ld64(r + R_TABLES) + 2 * number):
            mask |= 1 << number
    return mask


@jit
def _start_from_queue(s: int, r: int, number: int, now: int) -> int:
    """Takes the wavelet that starts a task into R0 and R1; the task's entry."""
    q = input_queue(r, number)
    a = peek(s, r, q)
    bits = 32
    if ld32(a + S_FLAGS) & F_CTRL:
        task = task_of(a)
        entry = control_entry(r, number, task)
        data = ld32(a + S_DATA)
        st32(r + R_TRIGGER, ld32(a + S_IDENT) >> 5 << 5 | ld32(a + S_FLAGS) >> F_COLOR & 31)
        st16(r + R_TRIGGER_PC, ld16(a + S_PC))
        drop(s, r, number)
    else:
        task = number
        entry = ld16(ld64(r + R_TABLES) + 2 * number)
        if ld16(q + Q_MODE) & 1:
            data = take16(s, r, number)
            bits = 16
        elif ld8(q + Q_FLAG):
            data = take16(s, r, number)
        else:
            data = ld32(a + S_DATA)
            drop(s, r, number)
    st16(r + R_REGS, data & 0xFFFF)
    st32(r + R_USABLE, now)
    if bits == 32:
        st16(r + R_REGS + 2, data >> 16)
        st32(r + R_USABLE + 4, now)
    st32(r + R_TASK, task + 1)
    return entry


@jit
def pick(s: int, r: int) -> int:
    """Starts the next task, round robin from the one picked last, those of high priority first; 1 when one starts."""
    mask = _ready(s, r)
    if mask == 0:
        return 0
    now = ld64(s + C_NOW)
    if mask & ld64(r + R_HIGH):
        mask &= ld64(r + R_HIGH)
    after = ld8(r + R_LAST_TASK)  # the last one and one up; 0 at the start, as after id 30
    behind = mask >> after << after if after < IDS else 0
    task = ctz(behind if behind else mask)
    st8(r + R_LAST_TASK, task + 1)
    if task < QUEUES:
        entry = _start_from_queue(s, r, task, now)
    else:
        st64(r + R_ACTIVE, ld64(r + R_ACTIVE) & ~shl(const(1), task))
        entry = ld16(ld64(r + R_TABLES) + 2 * task)
        st32(r + R_TASK, task + 1)
    st32(r + R_PC, entry)
    st32(r + R_NEXT_ISSUE, now + ld64(s + TASK_START))
    return 1
