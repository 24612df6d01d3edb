"""One cycle of a core (`fabric.reference.core`): events, the picker, and the one issue slot."""

from __future__ import annotations

from fabric.arch import MAIN_WORDS
from fabric.descriptor import MEM4D
from fabric.engine.access import const, ctz, ld8, ld16, ld32, ld64, st8, st16, st32, st64, watching
from fabric.engine.arith import alu
from fabric.engine.decode import decode_at
from fabric.engine.events import first_event, later, next_event, place, take_event
from fabric.engine.jit import inline, jit
from fabric.engine.layout import (
    B_ENTRIES,
    C_EXT,
    C_FAULT,
    C_TIMING,
    E_ARG0,
    E_ARG1,
    E_BITS,
    E_BUSY,
    E_COMPLETION,
    E_COUNT,
    E_DEST,
    E_DEST_MODE,
    E_DEST_WORDS,
    E_KIND,
    E_LATENCY,
    E_LENGTH,
    E_NEEDS,
    E_NEEDS_COUNT,
    E_NEGATED,
    E_NUMBER,
    E_PRED,
    E_SETS,
    E_SETS_COUNT,
    E_SOURCE_WORDS,
    E_SOURCES,
    E_TASK,
    E_TERMINATE,
    E_UT,
    E_VECTOR,
    EB_CARRY,
    EB_KEEP,
    ENTRY,
    K_ALU,
    K_CONTROL,
    K_DOT,
    K_DSR,
    K_LOAD,
    K_RMW,
    K_STORE,
    K_TASK,
    MAIN,
    NEVER,
    O_DONE,
    O_ENTRY,
    O_PC,
    O_START,
    R_ACC,
    R_DRAINING,
    R_EVENTS,
    R_FAULT_PC,
    R_FILLED,
    R_FLAGS,
    R_LAST_EXECUTE,
    R_LATEST,
    R_LIVE,
    R_NEXT_ISSUE,
    R_PC,
    R_PIPE_FREE,
    R_PREDS,
    R_PROGRAM,
    R_REGS,
    R_TASK,
    R_USABLE,
    R_USERS,
    RF_AFTER_VECTOR,
    RF_HALTED,
    RF_PRIVATE,
    RF_VECTOR,
    TIMINGS,
    V_CYCLE,
    X_SCRATCH,
)
from fabric.engine.operands import dsr_words
from fabric.engine.registers import load, load_wide, store, store_wide, write_table
from fabric.engine.slots import fail
from fabric.engine.tasks import ARRIVE, act, activate, arrive, block, discard_control, expect, pick, unblock
from fabric.engine.vectors import (
    blocker,
    carry,
    conflict,
    enter,
    finished,
    group,
    leave,
    may_run,
    op_of,
    register,
    scalar_source,
    set_carry,
    set_register,
    start_op,
    step_op,
    write_dot,
)
from fabric.engine.watch import (
    W_FINISHED,
    W_GROUP,
    W_SCALAR,
    W_STALL,
    W_STARTED,
    W_TASK,
    W_WAITING,
    count_issue,
    note_started,
    note_waiting,
    see_sources,
    tell_finished,
    tell_group,
    tell_scalar,
    tell_stall,
    tell_started,
    tell_task,
    tell_waiting,
    told,
)


def _timing(name: str) -> int:
    return C_TIMING + 8 * TIMINGS.index(name)


ISSUE = _timing("issue")
EXECUTE = _timing("decode_to_execute")
VECTOR_SETUP = _timing("vector_setup")
TAKEN = _timing("branch_taken")
CALL = _timing("call")
DSR_4D = _timing("dsr_load_4d")
START = _timing("microthread_start")
DONE = _timing("microthread_done")
JOIN = _timing("join")
TASK_START = _timing("task_start")
TERMINATE = _timing("terminate")
BANK = _timing("bank_conflict")


# --- fetching -------------------------------------------------------------------------------------------------------


@jit
def _fetch_own(s: int, r: int, pc: int) -> int:
    """Decodes an instruction that the shared program does not have; 0 after a fault."""
    e = ld64(s + C_EXT) + X_SCRATCH
    if decode_at(s, r, pc, e):
        return e
    st32(r + R_FAULT_PC, pc)
    fail(s, r, const(506), pc, const(0), const(0))
    return 0


@inline
def _fetch(s: int, r: int, pc: int) -> int:
    """The entry of the instruction at an address; 0 after a fault."""
    if pc < MAIN_WORDS and not ld8(r + R_FLAGS) & RF_PRIVATE:
        program = ld64(r + R_PROGRAM)
        number = ld16(program + 2 * pc)
        if number:
            return program + B_ENTRIES + number * ENTRY
    return _fetch_own(s, r, pc)


@jit
def _keep(s: int, e: int, thread: int) -> int:
    """An entry that stays while an operation lives: a scratch entry is copied."""
    scratch = ld64(s + C_EXT) + X_SCRATCH
    if e != scratch:
        return e
    to = scratch + (thread + 1) * ENTRY
    for k in range(ENTRY // 8):
        st64(to + 8 * k, ld64(scratch + 8 * k))
    return to


# --- scoreboard -----------------------------------------------------------------------------------------------------


@inline
def _wait_for(r: int, e: int) -> int:
    """The cycle from which all that an instruction needs may be used."""
    latest = 0
    for k in range(ld8(e + E_NEEDS_COUNT)):
        at = ld32(r + R_USABLE + 4 * ld8(e + E_NEEDS + k))
        latest = at if at > latest else latest
    return latest


@inline
def _set_usable(r: int, e: int, ready: int) -> None:
    n = ld8(e + E_SETS_COUNT)
    for k in range(n):
        st32(r + R_USABLE + 4 * ld8(e + E_SETS + k), ready)
    if n and ready > ld32(r + R_LATEST):
        st32(r + R_LATEST, ready)


@inline
def _executes(s: int, r: int, now: int) -> None:
    executed = now + ld64(s + EXECUTE) + 1
    if executed > ld32(r + R_LAST_EXECUTE):
        st32(r + R_LAST_EXECUTE, executed)


@inline
def _flag(r: int, bit: int, on: int) -> None:
    flags = ld8(r + R_FLAGS)
    st8(r + R_FLAGS, flags | bit if on else flags & ~bit)


@inline
def _end_task(s: int, r: int, now: int) -> None:
    st32(r + R_TASK, const(0))
    st32(r + R_NEXT_ISSUE, now + ld64(s + TERMINATE))


@jit
def halt(r: int) -> None:
    """The core stops for good, its microthreads too."""
    _flag(r, const(RF_HALTED), const(1))
    st32(r + R_TASK, const(0))
    st8(r + R_LIVE, const(0))
    st8(r + R_EVENTS, const(0))
    for q in range(16):
        st64(r + R_USERS + 8 * q, const(0))


# --- scalar instructions --------------------------------------------------------------------------------------------


@jit
def _compute(s: int, r: int, e: int) -> None:
    """alu, rmw and dot on registers."""
    kind, count, bits = ld8(e + E_KIND), ld8(e + E_COUNT), ld8(e + E_BITS)
    mode, dest = ld8(e + E_DEST_MODE), ld8(e + E_DEST)
    a = scalar_source(r, e, const(0))
    b = scalar_source(r, e, const(1)) if count > 1 else 0
    c = scalar_source(r, e, const(2)) if count > 2 else 0
    if kind == K_ALU:
        if bits & EB_CARRY:
            result = alu(ld8(e + E_NUMBER), a, b, carry(r))
            set_carry(r, result >> 16 & 1)
            set_register(r, mode, dest, result & 0xFFFF)
            return
        set_register(r, mode, dest, alu(ld8(e + E_NUMBER), a, b, c))
        return
    if kind == K_RMW:
        set_register(r, mode, dest, alu(ld8(e + E_NUMBER), register(r, mode, dest), a, b))
        return
    total = alu(ld8(e + E_NUMBER), ld32(r + R_ACC) if bits & EB_KEEP else 0, a, b)
    st32(r + R_ACC, total)
    set_register(r, mode, dest, total)


@inline
def _go(r: int, target: int, cycle: int) -> None:
    st32(r + R_PC, target)
    st32(r + R_NEXT_ISSUE, cycle)


@jit
def _control(s: int, r: int, e: int, now: int) -> None:
    """Jumps, calls, ends. R_PC already points behind the instruction."""
    n = ld8(e + E_NUMBER)
    target = ld32(e + E_ARG0)
    if n == 0xD1:
        _go(r, target, now + ld64(s + TAKEN))
    elif n == 0xD2:
        _go(r, ld16(r + R_REGS + 2 * ld8(e + E_SOURCES)), now + ld64(s + TAKEN))
    elif n == 0xD3:
        st16(r + R_REGS + 30, ld32(r + R_PC))
        _go(r, target, now + ld64(s + CALL))
    elif n == 0xD4:
        at = r + R_REGS + 2 * ld8(e + E_DEST)
        left = (ld16(at) - 1) & 0xFFFF
        st16(at, left)
        if left:
            _go(r, target, now + ld64(s + TAKEN))
    elif n == 0xD5:
        _end_task(s, r, now)
    elif n == 0xD6:
        fail(s, r, const(510), target, const(0), const(0))
    elif n == 0xD7:
        halt(r)


@jit
def _task(s: int, r: int, e: int, now: int) -> None:
    n = ld8(e + E_NUMBER)
    task, more = ld32(e + E_ARG0), ld32(e + E_ARG1)
    if n == 0xD8:
        activate(r, task)
    elif n == 0xD9:
        block(r, task)
    elif n == 0xDA:
        unblock(r, task)
    elif n == 0xDB:
        write_table(s, r, task, more)
    elif n == 0xDC:
        expect(r, task, more)
    elif n == 0xDD:
        arrive(s, r, task, now)
    else:
        set_carry(r, task)


@jit
def _dsr(s: int, r: int, e: int, now: int) -> None:
    """Loads, setters and stores of descriptors."""
    k = ld8(e + E_NUMBER) - 0xE0
    file, what = k % 3, k // 3
    if what == 5:
        dsr = dsr_words(r, file, ld8(e + E_SOURCES))
        for i in range(4):
            store(s, r, ld32(e + E_ARG0) + i, ld16(dsr + 2 * i))
        return
    dsr = dsr_words(r, file, ld8(e + E_DEST))
    if what < 2:
        at = ld32(e + E_ARG0) if what == 0 else scalar_source(r, e, const(0))
        for i in range(4):
            st16(dsr + 2 * i, load(s, r, (at + i) & 0xFFFF))
        if ld16(dsr) & 15 == MEM4D and now + ld64(s + DSR_4D) > ld32(r + R_NEXT_ISSUE):
            st32(r + R_NEXT_ISSUE, now + ld64(s + DSR_4D))
        return
    st16(dsr + 2 * (what - 1), scalar_source(r, e, const(0)))


@jit
def _memory(s: int, r: int, e: int) -> None:
    """Scalar loads and stores."""
    at, count = ld32(e + E_ARG0), ld8(e + E_COUNT)
    if ld8(e + E_KIND) == K_LOAD:
        if count:
            at = (scalar_source(r, e, const(0)) + at) & 0xFFFF
        value = load_wide(s, r, at, ld8(e + E_DEST_WORDS))
        set_register(r, ld8(e + E_DEST_MODE), ld8(e + E_DEST), value)
        return
    last = count - 1
    if last:
        at = (scalar_source(r, e, const(0)) + at) & 0xFFFF
    store_wide(s, r, at, scalar_source(r, e, last), ld8(e + E_SOURCE_WORDS + last))


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
    _set_usable(r, e, now + ld32(e + E_BUSY) - 1 + ld32(e + E_LATENCY))


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
    _executes(s, r, now)
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
def _issue_microthread(s: int, r: int, now: int) -> int:
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
        _end_task(s, r, now)


@jit
def _begins(s: int, r: int, thread: int, slot: int) -> None:
    """A vector instruction was set up, and somebody watches."""
    number = note_started(s, thread)
    if told(s) & W_STARTED:
        tell_started(s, r, thread, slot, number)


@jit
def _start_microthread(s: int, r: int, e: int, pc: int, now: int) -> int:
    """The main thread's slot that starts a microthread; 0 when the microthread's last group is under way."""
    thread = ld8(e + E_UT) - 1
    if ld32(r + R_DRAINING + 4 * thread) > now:
        st32(r + R_NEXT_ISSUE, ld32(r + R_DRAINING + 4 * thread))
        return 0
    if ld8(r + R_LIVE) >> thread & 1:
        fail(s, r, const(505), ld32(op_of(r, thread) + O_PC), thread, const(0))
        return 1
    e = _keep(s, e, thread)
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
    _executes(s, r, now)
    _flag(r, const(RF_AFTER_VECTOR), const(0))
    _after_vector(s, r, e, pc, now)
    return 1


@jit
def _continue_vector(s: int, r: int, now: int) -> int:
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
        _flag(r, const(RF_VECTOR), const(0))
        _after_vector(s, r, ld64(o + O_ENTRY), pc, now)
        if next_issue > ld32(r + R_NEXT_ISSUE):
            st32(r + R_NEXT_ISSUE, next_issue)
    return 1


@jit
def _begin_vector(s: int, r: int, e: int, pc: int, now: int) -> int:
    """The set-up of a vector instruction on the main thread; 1 when the slot is used."""
    hidden = ld8(r + R_FLAGS) & RF_AFTER_VECTOR
    first = now if hidden else now + ld64(s + VECTOR_SETUP)
    e = _keep(s, e, const(MAIN))
    start_op(s, r, const(MAIN), e, pc, ld32(r + R_TASK), first)
    if ld64(s + C_FAULT):
        return 1
    enter(s, r, const(MAIN))
    if ld64(s + C_FAULT):
        return 1
    _flag(r, const(RF_AFTER_VECTOR | RF_VECTOR), const(1))
    if watching(s):
        _begins(s, r, const(MAIN), 0 if hidden else 1)
    if finished(op_of(r, const(MAIN))):
        _end_vector(s, r, const(MAIN), now)
        _flag(r, const(RF_VECTOR), const(0))
        _after_vector(s, r, e, pc, now)
        return 1
    if hidden:
        return _continue_vector(s, r, now)
    st32(r + R_NEXT_ISSUE, first)
    _executes(s, r, now)
    return 1


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
        return _continue_vector(s, r, now)
    pc = ld32(r + R_PC)
    st32(r + R_FAULT_PC, pc)
    e = _fetch(s, r, pc)
    if e == 0:
        return 1
    if ld32(r + R_LATEST) > now:
        ready = _wait_for(r, e)
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
        _flag(r, const(RF_AFTER_VECTOR), const(0))
        _executes(s, r, now)
        if watching(s):
            _issued(s, r, e, pc, const(1))
        return 1
    if ld8(e + E_VECTOR):
        return _start_microthread(s, r, e, pc, now) if ld8(e + E_UT) else _begin_vector(s, r, e, pc, now)
    _executes(s, r, now)
    st32(r + R_PC, pc + ld8(e + E_LENGTH))
    st32(r + R_NEXT_ISSUE, now + ld32(e + E_BUSY))
    _flag(r, const(RF_AFTER_VECTOR), const(0))
    kind = ld8(e + E_KIND)
    if kind <= K_DOT:
        _compute(s, r, e)
    elif kind <= K_STORE:
        _memory(s, r, e)
    elif kind == K_CONTROL:
        _control(s, r, e, now)
    elif kind == K_TASK:
        _task(s, r, e, now)
    elif kind == K_DSR:
        _dsr(s, r, e, now)
    _set_usable(r, e, now + ld32(e + E_LATENCY))
    if ld8(e + E_TERMINATE):
        _end_task(s, r, now)
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
            _flag(r, const(RF_AFTER_VECTOR), const(0))
            if told(s) & W_TASK:
                tell_task(s, r)
    free = ld32(r + R_PIPE_FREE)
    if now < free:
        return free
    issued = _issue_microthread(s, r, now) if ld8(r + R_LIVE) else 0
    if not issued:
        issued = _issue_main(s, r, now)
    if issued or dropped:
        free = ld32(r + R_PIPE_FREE)
        return free if free > now + 1 else now + 1
    return _next_cycle(s, r, now)
