"""One cycle of a core (`fabric.reference.core`): events, the picker, and the one issue slot."""

from __future__ import annotations

from fabric.engine.access import const, ctz, ld8, ld32, ld64, st32, watching
from fabric.engine.events import first_event, next_event, place, take_event
from fabric.engine.fetch import executes, fetch, set_usable, timing, wait_for
from fabric.engine.jit import inline, jit
from fabric.engine.layout import (
    E_BUSY,
    E_LATENCY,
    E_LENGTH,
    E_NEGATED,
    E_PRED,
    E_TERMINATE,
    E_UT,
    E_VECTOR,
    NEVER,
    O_START,
    R_EVENTS,
    R_FAULT_PC,
    R_FILLED,
    R_FLAGS,
    R_LATEST,
    R_LIVE,
    R_NEXT_ISSUE,
    R_PC,
    R_PIPE_FREE,
    R_PREDS,
    R_TASK,
    RF_AFTER_VECTOR,
    RF_HALTED,
    RF_VECTOR,
    V_CYCLE,
)
from fabric.engine.scalars import end_task, run_scalar, set_flag
from fabric.engine.tasks import act, discard_control, pick
from fabric.engine.threads import begin_vector, continue_vector, issue_microthread, start_microthread
from fabric.engine.vectors import (
    op_of,
)
from fabric.engine.watch import (
    W_SCALAR,
    W_STALL,
    W_TASK,
    count_issue,
    see_sources,
    tell_scalar,
    tell_stall,
    tell_task,
    told,
)

ISSUE = timing("issue")


# --- the main thread ------------------------------------------------------------------------------------------------


@inline
def _skips(r: int, e: int) -> int:
    """The predicate says that the instruction is skipped."""
    pred = ld8(e + E_PRED)
    return 1 if pred and (ld8(r + R_PREDS) >> (pred - 1) & 1) == ld8(e + E_NEGATED) else 0


@jit
def _issued(s: int, r: int, e: int, pc: int, skipped: int) -> None:
    """A scalar instruction has issued, and somebody watches."""
    number = count_issue(s)
    if told(s) & W_SCALAR:
        tell_scalar(s, r, e, pc, number, skipped)


@jit
def _issue_main(s: int, r: int, now: int) -> int:
    if ld32(r + R_TASK) == 0 or now < ld32(r + R_NEXT_ISSUE):
        return 0
    if ld8(r + R_FLAGS) & RF_VECTOR:
        return continue_vector(s, r, now)
    pc = ld32(r + R_PC)
    st32(r + R_FAULT_PC, pc)
    e = fetch(s, r, pc)
    if e == 0:
        return 1
    if ld32(r + R_LATEST) > now:
        ready = wait_for(r, e)
        if ready > now:
            st32(r + R_NEXT_ISSUE, ready)
            if told(s) & W_STALL:
                tell_stall(s, pc, ready)
            return 0
    if watching(s):
        see_sources(s, r, e)
    if _skips(r, e):
        st32(r + R_PC, pc + ld8(e + E_LENGTH))
        st32(r + R_NEXT_ISSUE, now + ld64(s + ISSUE))
        set_flag(r, const(RF_AFTER_VECTOR), const(0))
        executes(s, r, now)
        if watching(s):
            _issued(s, r, e, pc, const(1))
        return 1
    if ld8(e + E_VECTOR):
        return start_microthread(s, r, e, pc, now) if ld8(e + E_UT) else begin_vector(s, r, e, pc, now)
    executes(s, r, now)
    st32(r + R_PC, pc + ld8(e + E_LENGTH))
    st32(r + R_NEXT_ISSUE, now + ld32(e + E_BUSY))
    set_flag(r, const(RF_AFTER_VECTOR), const(0))
    run_scalar(s, r, e, now)
    set_usable(r, e, now + ld32(e + E_LATENCY))
    if ld8(e + E_TERMINATE):
        end_task(s, r, now)
    if watching(s):
        _issued(s, r, e, pc, const(0))
    return 1


# --- the cycle ------------------------------------------------------------------------------------------------------


@jit
def _next_cycle(s: int, r: int, now: int) -> int:
    """Nothing could issue: the next cycle that is known to change that, NEVER for none."""
    due = NEVER
    live = ld8(r + R_LIVE)
    while live:
        thread = ctz(live)
        live &= live - 1
        start = ld32(op_of(r, thread) + O_START)
        if now < start < due:
            due = start
    if now < ld32(r + R_NEXT_ISSUE) < due:
        due = ld32(r + R_NEXT_ISSUE)
    if ld8(r + R_EVENTS):
        at = next_event(s, r)
        due = at if at < due else due
    return due


@jit
def _run_events(s: int, r: int, now: int) -> None:
    k = first_event(s, r)
    while k >= 0 and ld32(place(s, r, k) + V_CYCLE) <= now:
        what = take_event(s, r, k)
        act(s, r, what >> 8, what & 0xFF, now)
        k = first_event(s, r)


@jit
def step_core(s: int, r: int, now: int) -> int:
    """Runs a cycle; the next cycle in which something can happen by itself, NEVER for none."""
    if ld8(r + R_FLAGS) & RF_HALTED:
        return NEVER
    if ld8(r + R_EVENTS):
        _run_events(s, r, now)
    dropped = discard_control(s, r) if ld8(r + R_FILLED) else 0
    if ld32(r + R_TASK) == 0 and now >= ld32(r + R_NEXT_ISSUE):
        if pick(s, r):
            set_flag(r, const(RF_AFTER_VECTOR), const(0))
            if told(s) & W_TASK:
                tell_task(s, r)
    free = ld32(r + R_PIPE_FREE)
    if now < free:
        return free
    issued = issue_microthread(s, r, now) if ld8(r + R_LIVE) else 0
    if not issued:
        issued = _issue_main(s, r, now)
    if issued or dropped:
        free = ld32(r + R_PIPE_FREE)
        return free if free > now + 1 else now + 1
    return _next_cycle(s, r, now)
