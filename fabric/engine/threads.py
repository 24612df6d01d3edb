"""Vector instructions in the issue slot: those of the main thread, and microthreads."""

from __future__ import annotations

from fabric.engine.access import const, ctz, ld8, ld32, ld64, st8, st32, watching
from fabric.engine.events import later
from fabric.engine.fetch import executes, keep, set_usable, timing
from fabric.engine.jit import inline, jit
from fabric.engine.layout import (
    C_FAULT,
    E_BUSY,
    E_COMPLETION,
    E_KIND,
    E_LATENCY,
    E_LENGTH,
    E_TASK,
    E_TERMINATE,
    E_UT,
    K_DOT,
    MAIN,
    O_DONE,
    O_ENTRY,
    O_PC,
    O_START,
    R_DRAINING,
    R_FAULT_PC,
    R_FLAGS,
    R_LIVE,
    R_NEXT_ISSUE,
    R_PC,
    R_PIPE_FREE,
    R_TASK,
    RF_AFTER_VECTOR,
    RF_VECTOR,
)
from fabric.engine.scalars import end_task, set_flag
from fabric.engine.slots import fail
from fabric.engine.tasks import ARRIVE
from fabric.engine.vectors import (
    blocker,
    conflict,
    enter,
    finished,
    group,
    leave,
    may_run,
    op_of,
    start_op,
    step_op,
    write_dot,
)
from fabric.engine.watch import (
    W_FINISHED,
    W_GROUP,
    W_STARTED,
    W_WAITING,
    note_started,
    note_waiting,
    tell_finished,
    tell_group,
    tell_started,
    tell_waiting,
    told,
)

ISSUE = timing("issue")
EXECUTE = timing("decode_to_execute")
VECTOR_SETUP = timing("vector_setup")
START = timing("microthread_start")
DONE = timing("microthread_done")
JOIN = timing("join")
TASK_START = timing("task_start")
BANK = timing("bank_conflict")


# --- vector instructions --------------------------------------------------------------------------------------------


@jit
def _complete(s: int, r: int, e: int, done: int) -> None:
    action, task = ld8(e + E_COMPLETION), ld8(e + E_TASK)
    if action == ARRIVE:
        later(s, r, done, action, task)
    elif action:
        later(s, r, done + ld64(s + JOIN) - ld64(s + TASK_START), action, task)


@jit
def _finish_microthread(s: int, r: int, thread: int, now: int) -> None:
    """Its last group has issued: its completion acts when that has executed, and a cycle more."""
    e = ld64(op_of(r, thread) + O_ENTRY)
    st8(r + R_LIVE, ld8(r + R_LIVE) & ~(1 << thread))
    done = now + ld32(e + E_BUSY) - 1 + ld64(s + EXECUTE) + ld64(s + DONE)
    st32(r + R_DRAINING + 4 * thread, done)
    _complete(s, r, e, done)


@jit
def _end_vector(s: int, r: int, thread: int, now: int) -> None:
    o = op_of(r, thread)
    e = ld64(o + O_ENTRY)
    if ld32(o + O_DONE) == 0 and ld8(e + E_KIND) == K_DOT:
        write_dot(s, r, thread)
    leave(r, thread)
    if told(s) & W_FINISHED:
        tell_finished(s, r, thread)
    set_usable(r, e, now + ld32(e + E_BUSY) - 1 + ld32(e + E_LATENCY))


@jit
def _issue_group(s: int, r: int, thread: int, n: int, now: int) -> None:
    o = op_of(r, thread)
    collides = conflict(s, r, o)
    step_op(s, r, thread, n)
    busy = ld32(ld64(o + O_ENTRY) + E_BUSY)
    if collides:
        extra = 1 + ld64(s + BANK)
        st32(r + R_PIPE_FREE, now + extra)
        busy = extra if extra > busy else busy
    st32(o + O_START, now + busy)
    executes(s, r, now)
    if told(s) & W_GROUP:
        tell_group(s, r, thread, n, collides)
    if finished(o):
        _end_vector(s, r, thread, now)


@jit
def _waits(s: int, r: int, thread: int) -> None:
    """A thread can't go on, and somebody watches."""
    said = note_waiting(s, r, thread)
    if told(s) & W_WAITING:
        tell_waiting(s, r, thread, blocker(s, r, thread), said)


@jit
def issue_microthread(s: int, r: int, now: int) -> int:
    live = ld8(r + R_LIVE)
    while live:
        thread = ctz(live)
        live &= live - 1
        o = op_of(r, thread)
        if ld32(o + O_START) > now or not may_run(r, thread):
            continue
        n = group(s, r, thread)
        if n > 0:
            st32(r + R_FAULT_PC, ld32(o + O_PC))
            _issue_group(s, r, thread, n, now)
            if finished(o):
                _finish_microthread(s, r, thread, now)
            return 1
        if watching(s):
            _waits(s, r, thread)
    return 0


@inline
def _after_vector(s: int, r: int, e: int, pc: int, now: int) -> None:
    st32(r + R_PC, pc + ld8(e + E_LENGTH))
    st32(r + R_NEXT_ISSUE, now + ld64(s + ISSUE))
    if ld8(e + E_TERMINATE):
        end_task(s, r, now)


@jit
def _begins(s: int, r: int, thread: int, slot: int) -> None:
    """A vector instruction was set up, and somebody watches."""
    number = note_started(s, thread)
    if told(s) & W_STARTED:
        tell_started(s, r, thread, slot, number)


@jit
def start_microthread(s: int, r: int, e: int, pc: int, now: int) -> int:
    """The main thread's slot that starts a microthread; 0 when the microthread's last group is under way."""
    thread = ld8(e + E_UT) - 1
    if ld32(r + R_DRAINING + 4 * thread) > now:
        st32(r + R_NEXT_ISSUE, ld32(r + R_DRAINING + 4 * thread))
        return 0
    if ld8(r + R_LIVE) >> thread & 1:
        fail(s, r, const(505), ld32(op_of(r, thread) + O_PC), thread, const(0))
        return 1
    e = keep(s, e, thread)
    start_op(s, r, thread, e, pc, ld32(r + R_TASK), now + ld64(s + START))
    if ld64(s + C_FAULT):
        return 1
    enter(s, r, thread)
    st8(r + R_LIVE, ld8(r + R_LIVE) | 1 << thread)
    if watching(s):
        _begins(s, r, thread, const(1))
    if finished(op_of(r, thread)):
        _end_vector(s, r, thread, now)
        _finish_microthread(s, r, thread, now)
    executes(s, r, now)
    set_flag(r, const(RF_AFTER_VECTOR), const(0))
    _after_vector(s, r, e, pc, now)
    return 1


@jit
def continue_vector(s: int, r: int, now: int) -> int:
    """The main thread's next group; while it waits for a queue the thread is suspended and no task starts."""
    o = op_of(r, const(MAIN))
    if ld32(o + O_START) > now:
        st32(r + R_NEXT_ISSUE, ld32(o + O_START))
        return 0
    n = group(s, r, const(MAIN))
    if n <= 0:
        if watching(s):
            _waits(s, r, const(MAIN))
        return 0
    pc = ld32(o + O_PC)
    st32(r + R_FAULT_PC, pc)
    _issue_group(s, r, const(MAIN), n, now)
    next_issue = ld32(o + O_START)
    st32(r + R_NEXT_ISSUE, next_issue)
    if finished(o):
        set_flag(r, const(RF_VECTOR), const(0))
        _after_vector(s, r, ld64(o + O_ENTRY), pc, now)
        if next_issue > ld32(r + R_NEXT_ISSUE):
            st32(r + R_NEXT_ISSUE, next_issue)
    return 1


@jit
def begin_vector(s: int, r: int, e: int, pc: int, now: int) -> int:
    """The set-up of a vector instruction on the main thread; 1 when the slot is used."""
    hidden = ld8(r + R_FLAGS) & RF_AFTER_VECTOR
    first = now if hidden else now + ld64(s + VECTOR_SETUP)
    e = keep(s, e, const(MAIN))
    start_op(s, r, const(MAIN), e, pc, ld32(r + R_TASK), first)
    if ld64(s + C_FAULT):
        return 1
    enter(s, r, const(MAIN))
    if ld64(s + C_FAULT):
        return 1
    set_flag(r, const(RF_AFTER_VECTOR | RF_VECTOR), const(1))
    if watching(s):
        _begins(s, r, const(MAIN), 0 if hidden else 1)
    if finished(op_of(r, const(MAIN))):
        _end_vector(s, r, const(MAIN), now)
        set_flag(r, const(RF_VECTOR), const(0))
        _after_vector(s, r, e, pc, now)
        return 1
    if hidden:
        return continue_vector(s, r, now)
    st32(r + R_NEXT_ISSUE, first)
    executes(s, r, now)
    return 1
