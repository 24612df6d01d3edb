"""A live vector instruction: on the main thread or as a microthread, group by group (`fabric.reference.vectors`)."""

from __future__ import annotations

from fabric.descriptor import FABIN, FABOUT, FIFO
from fabric.engine.access import const, ld8, ld16, ld32, ld32s, ld64, shl, st8, st16, st32, st64
from fabric.engine.arith import alu
from fabric.engine.jit import inline, jit
from fabric.engine.layout import (
    C_VALUES,
    E_BITS,
    E_COUNT,
    E_DEST,
    E_DEST_MODE,
    E_DEST_WORDS,
    E_FORM,
    E_GROUP,
    E_IMM,
    E_KIND,
    E_LENGTH_FROM,
    E_MODES,
    E_NUMBER,
    E_RUNNING,
    E_SOURCE_WORDS,
    E_SOURCES,
    EB_CARRY,
    EB_KEEP,
    F_CTRL,
    K_ALU,
    K_DOT,
    K_FILTER,
    K_RMW,
    KIND_CONSTANT,
    M_D,
    M_DSR,
    M_IMM,
    M_P,
    M_Q,
    M_R,
    MAIN,
    O_DONE,
    O_ENTRY,
    O_PC,
    O_START,
    O_TARGET,
    O_TASK,
    O_TOTAL,
    O_WIDTH,
    OP,
    P_AT,
    P_EXTENT,
    P_FLAGS,
    P_KIND,
    P_QUEUE,
    PF_BANK,
    PF_ENDLESS,
    R_ACC,
    R_FILTERING,
    R_FLAGS,
    R_HELD,
    R_OPS,
    R_PREDS,
    R_REGS,
    R_USERS,
    RF_CARRY,
    S_DATA,
    S_FLAGS,
)
from fabric.engine.operands import (
    MANY,
    address,
    dsr_words,
    grid_of,
    operand,
    peek_elements,
    read_elements,
    ready,
    start_operand,
    write_elements,
)
from fabric.engine.queues import drop, head, input_queue, peek
from fabric.engine.slots import fail

ENDLESS = -1
TARGET = 3


# --- registers ------------------------------------------------------------------------------------------------------


@inline
def register(r: int, mode: int, number: int) -> int:
    """The value of a scalar register."""
    if mode == M_D:
        return ld32(r + R_REGS + 2 * number)
    if mode == M_R:
        return ld16(r + R_REGS + 2 * number)
    if mode == M_P:
        return ld8(r + R_PREDS) >> number & 1
    return ld64(r + R_REGS + 2 * number)


@inline
def set_register(r: int, mode: int, number: int, value: int) -> None:
    """Sets a scalar register."""
    if mode == M_D:
        st32(r + R_REGS + 2 * number, value)
    elif mode == M_R:
        st16(r + R_REGS + 2 * number, value)
    elif mode == M_P:
        st8(r + R_PREDS, (ld8(r + R_PREDS) & ~(1 << number)) | value << number)
    elif mode == M_Q:
        st64(r + R_REGS + 2 * number, value)


@inline
def scalar_source(r: int, e: int, k: int) -> int:
    """Scalar source k of an instruction: a register or the immediate."""
    mode = ld8(e + E_MODES + k)
    if mode == M_IMM:
        return ld64(e + E_IMM)
    return register(r, mode, ld8(e + E_SOURCES + k))


@inline
def carry(r: int) -> int:
    return 1 if ld8(r + R_FLAGS) & RF_CARRY else 0


@inline
def set_carry(r: int, value: int) -> None:
    st8(r + R_FLAGS, (ld8(r + R_FLAGS) & ~RF_CARRY) | (RF_CARRY if value else 0))


# --- start ----------------------------------------------------------------------------------------------------------


@inline
def op_of(r: int, thread: int) -> int:
    """A thread's operation."""
    return r + R_OPS + thread * OP


@jit
def start_op(s: int, r: int, thread: int, e: int, pc: int, task: int, first: int) -> None:
    """Sets an operation up from an instruction; descriptors and scalar sources are captured."""
    o = op_of(r, thread)
    form = ld8(e + E_FORM)
    kind = ld8(e + E_KIND)
    width = ld32(e + E_GROUP)
    st64(o + O_ENTRY, e)
    st32(o + O_PC, pc)
    st32(o + O_TASK, task)
    st32(o + O_START, first)
    st32(o + O_DONE, const(0))
    target = o + O_TARGET
    st8(target + P_KIND, const(0))
    if form & 1:
        number = ld8(e + E_DEST)
        dsr = dsr_words(r, const(0), number)
        limit = start_operand(s, r, target, grid_of(s, thread, TARGET), dsr, ld8(e + E_DEST_WORDS), const(1), number)
        width = limit if limit < width else width
        what = ld8(target + P_KIND)
        if kind == K_RMW and (what == FABOUT or what == FIFO):
            fail(s, r, const(512), number, what, const(2))
    for k in range(ld8(e + E_COUNT)):
        a = operand(o, k)
        if ld8(e + E_MODES + k) == M_DSR:
            number = ld8(e + E_SOURCES + k)
            dsr = dsr_words(r, k + 1, number)
            words = ld8(e + E_SOURCE_WORDS + k)
            limit = start_operand(s, r, a, grid_of(s, thread, k), dsr, words, const(0), (k + 1) << 4 | number)
            width = limit if limit < width else width
        else:
            st64(a, const(0))
            st64(a + 8, const(0))
            st8(a + P_KIND, const(KIND_CONSTANT))
            st32(a + P_AT, scalar_source(r, e, k))
    st32(o + O_WIDTH, MANY if kind == K_FILTER else width)
    which = ld8(e + E_LENGTH_FROM)
    a = target if which == 1 else operand(o, 0 if which == 2 else 1)
    st32(o + O_TOTAL, ENDLESS if ld8(a + P_FLAGS) & PF_ENDLESS else ld16(a + P_EXTENT))
    if kind == K_DOT and not ld8(e + E_BITS) & EB_KEEP:
        st32(r + R_ACC, const(0))


@inline
def finished(o: int) -> int:
    return 1 if ld32s(o + O_DONE) == ld32s(o + O_TOTAL) else 0


# --- queues of an operation -----------------------------------------------------------------------------------------


@inline
def users_of(r: int, a: int) -> int:
    """Where the users of an operand's queue are listed; 0 for an operand without a queue."""
    kind = ld8(a + P_KIND)
    if kind == FABIN:
        return r + R_USERS + 8 * ld8(a + P_QUEUE)
    if kind == FABOUT:
        return r + R_USERS + 64 + 8 * ld8(a + P_QUEUE)
    return 0


@jit
def _enter_one(s: int, r: int, thread: int, o: int, a: int) -> None:
    at = users_of(r, a)
    if at == 0:
        return
    users = ld64(at)
    n = 0
    while n < 15 and users >> 4 * n & 15:
        n += 1
    if n:
        last = (users >> 4 * (n - 1) & 15) - 1
        if thread == MAIN or last == MAIN:
            other = ld32(op_of(r, last) + O_PC)
            fail(s, r, const(504), other, ld8(a + P_KIND), ld8(a + P_QUEUE))
            return
    st64(at, users | shl(thread + 1, 4 * n))
    if ld8(a + P_KIND) == FABIN:
        q = ld8(a + P_QUEUE)
        st8(r + R_HELD + q, ld8(r + R_HELD + q) + 1)
        if ld8(ld64(o + O_ENTRY) + E_KIND) == K_FILTER:
            st8(r + R_FILTERING + q, ld8(r + R_FILTERING + q) + 1)


@jit
def enter(s: int, r: int, thread: int) -> None:
    """The operation takes its queues; two microthreads may follow each other on one."""
    o = op_of(r, thread)
    for k in range(ld8(ld64(o + O_ENTRY) + E_COUNT)):
        _enter_one(s, r, thread, o, operand(o, k))
    _enter_one(s, r, thread, o, o + O_TARGET)


@jit
def _leave_one(r: int, thread: int, o: int, a: int) -> None:
    at = users_of(r, a)
    if at == 0:
        return
    users = ld64(at)
    n = 0
    while n < 15 and users >> 4 * n & 15 != thread + 1:
        n += 1
    low = users & (shl(const(1), 4 * n) - 1)
    st64(at, low | shl(users >> 4 * (n + 1), 4 * n))
    if ld8(a + P_KIND) == FABIN:
        q = ld8(a + P_QUEUE)
        st8(r + R_HELD + q, ld8(r + R_HELD + q) - 1)
        if ld8(ld64(o + O_ENTRY) + E_KIND) == K_FILTER:
            st8(r + R_FILTERING + q, ld8(r + R_FILTERING + q) - 1)


@jit
def leave(r: int, thread: int) -> None:
    """The operation gives its queues back."""
    o = op_of(r, thread)
    for k in range(ld8(ld64(o + O_ENTRY) + E_COUNT)):
        _leave_one(r, thread, o, operand(o, k))
    _leave_one(r, thread, o, o + O_TARGET)


@jit
def may_run(r: int, thread: int) -> int:
    """It is the first user of all its queues."""
    o = op_of(r, thread)
    for k in range(ld8(ld64(o + O_ENTRY) + E_COUNT)):
        at = users_of(r, operand(o, k))
        if at and ld64(at) & 15 != thread + 1:
            return 0
    at = users_of(r, o + O_TARGET)
    if at and ld64(at) & 15 != thread + 1:
        return 0
    return 1


# --- groups ---------------------------------------------------------------------------------------------------------


@jit
def group(s: int, r: int, thread: int) -> int:
    """How many elements can go in this cycle; 0 when a queue or FIFO makes it wait."""
    o = op_of(r, thread)
    e = ld64(o + O_ENTRY)
    kind = ld8(e + E_KIND)
    if kind == K_FILTER:
        a = operand(o, 0)
        if ld8(a + P_KIND) != FABIN:
            fail(s, r, const(516), const(0), const(0), const(0))
            return 0
        return 1 if peek(s, r, input_queue(r, ld8(a + P_QUEUE))) else 0
    n = ld32(o + O_WIDTH)
    done, total = ld32s(o + O_DONE), ld32s(o + O_TOTAL)
    left = total - done
    if 0 <= left < n:
        n = left
    for k in range(ld8(e + E_COUNT)):
        a = operand(o, k)
        what = ld8(a + P_KIND)
        if what > 1 and what != KIND_CONSTANT:
            m = ready(s, r, a, grid_of(s, thread, k))
            n = m if m < n else n
    if ld8(e + E_FORM) & 1 and (kind != K_DOT or done + 1 == total):
        a = o + O_TARGET
        if ld8(a + P_KIND) > 1:
            m = ready(s, r, a, grid_of(s, thread, TARGET))
            n = m if m < n else n
    return n


@jit
def blocker(s: int, r: int, thread: int) -> int:
    """The first operand that has nothing ready, sources first; -1 for none."""
    o = op_of(r, thread)
    e = ld64(o + O_ENTRY)
    if ld8(e + E_KIND) == K_FILTER:
        return 0
    for k in range(4):
        if k < ld8(e + E_COUNT) or (k == TARGET and ld8(e + E_FORM) & 1):
            a = operand(o, k)
            what = ld8(a + P_KIND)
            if what > 1 and what != KIND_CONSTANT and ready(s, r, a, grid_of(s, thread, k)) == 0:
                return k
    return -1


@jit
def conflict(s: int, r: int, o: int) -> int:
    """The next group of two memory sources starts in banks that collide."""
    a = operand(o, 0)
    b = operand(o, 1)
    if ld8(ld64(o + O_ENTRY) + E_COUNT) < 2 or not ld8(a + P_FLAGS) & ld8(b + P_FLAGS) & PF_BANK:
        return 0
    return 1 if (address(s, r, a) ^ address(s, r, b)) & 3 == 0 else 0


@inline
def value(s: int, k: int, i: int) -> int:
    """Where element i of source k (3: the results) stands."""
    return s + C_VALUES + 64 * k + 8 * i


@inline
def _read_all(s: int, r: int, thread: int, o: int, count: int, n: int) -> None:
    for k in range(count):
        read_elements(s, r, operand(o, k), grid_of(s, thread, k), n, value(s, k, const(0)))


@jit
def _reduce(s: int, r: int, e: int, n: int) -> None:
    """The running value stands in the destination register."""
    number, mode, dest = ld8(e + E_NUMBER), ld8(e + E_DEST_MODE), ld8(e + E_DEST)
    running = ld8(e + E_RUNNING) - 1
    adds_carry = ld8(e + E_BITS) & EB_CARRY
    for i in range(n):
        st64(value(s, running, i), register(r, mode, dest))
        c = carry(r) if adds_carry else ld64(value(s, const(2), i))
        result = alu(number, ld64(value(s, const(0), i)), ld64(value(s, const(1), i)), c)
        if adds_carry:
            set_carry(r, result >> 16 & 1)
            result &= 0xFFFF
        set_register(r, mode, dest, result)


@jit
def _alu(s: int, r: int, thread: int, o: int, e: int, n: int) -> None:
    count = ld8(e + E_COUNT)
    _read_all(s, r, thread, o, count, n)
    if ld8(e + E_RUNNING):
        _reduce(s, r, e, n)
        return
    number = ld8(e + E_NUMBER)
    adds_carry = ld8(e + E_BITS) & EB_CARRY
    results = value(s, const(3), const(0))
    for i in range(n):
        c = carry(r) if adds_carry else ld64(value(s, const(2), i))
        result = alu(number, ld64(value(s, const(0), i)), ld64(value(s, const(1), i)), c)
        if adds_carry:
            set_carry(r, result >> 16 & 1)
            result &= 0xFFFF
        st64(results + 8 * i, result)
    if ld8(e + E_FORM) & 1:
        write_elements(s, r, o + O_TARGET, grid_of(s, thread, TARGET), n, results, ld32(o + O_PC))
    else:
        set_register(r, ld8(e + E_DEST_MODE), ld8(e + E_DEST), ld64(results + 8 * (n - 1)))


@jit
def _multiply_add(s: int, r: int, thread: int, o: int, e: int, n: int) -> None:
    _read_all(s, r, thread, o, const(2), n)
    number = ld8(e + E_NUMBER)
    results = value(s, const(3), const(0))
    if ld8(e + E_FORM) & 1:
        a = o + O_TARGET
        peek_elements(s, r, a, n, results)
        for i in range(n):
            x, y = ld64(value(s, const(0), i)), ld64(value(s, const(1), i))
            st64(results + 8 * i, alu(number, ld64(results + 8 * i), x, y))
        write_elements(s, r, a, grid_of(s, thread, TARGET), n, results, ld32(o + O_PC))
        return
    mode, dest = ld8(e + E_DEST_MODE), ld8(e + E_DEST)
    total = register(r, mode, dest)
    for i in range(n):
        total = alu(number, total, ld64(value(s, const(0), i)), ld64(value(s, const(1), i)))
    set_register(r, mode, dest, total)


@jit
def write_dot(s: int, r: int, thread: int) -> None:
    """The end of a dot product: the accumulator goes to its destination, if it has one."""
    o = op_of(r, thread)
    e = ld64(o + O_ENTRY)
    if ld8(e + E_FORM) & 1:
        results = value(s, const(3), const(0))
        st64(results, ld32(r + R_ACC))
        write_elements(s, r, o + O_TARGET, grid_of(s, thread, TARGET), const(1), results, ld32(o + O_PC))
    else:
        set_register(r, ld8(e + E_DEST_MODE), ld8(e + E_DEST), ld32(r + R_ACC))


@jit
def _dot(s: int, r: int, thread: int, o: int, e: int, n: int) -> None:
    _read_all(s, r, thread, o, const(2), n)
    number = ld8(e + E_NUMBER)
    total = ld32(r + R_ACC)
    for i in range(n):
        total = alu(number, total, ld64(value(s, const(0), i)), ld64(value(s, const(1), i)))
    st32(r + R_ACC, total)
    if ld32s(o + O_DONE) + n == ld32s(o + O_TOTAL):
        write_dot(s, r, thread)


@jit
def step_op(s: int, r: int, thread: int, n: int) -> None:
    """Does n elements."""
    o = op_of(r, thread)
    e = ld64(o + O_ENTRY)
    kind = ld8(e + E_KIND)
    if kind == K_FILTER:
        number = ld8(operand(o, 0) + P_QUEUE)
        first = head(s, r, input_queue(r, number))
        flags = ld32(first + S_FLAGS)
        st64(value(s, const(0), const(0)), ld32(first + S_DATA))
        drop(s, r, number)
        if flags & F_CTRL:
            st32(o + O_DONE, ld32s(o + O_DONE) + 1)
        return
    if kind == K_ALU:
        _alu(s, r, thread, o, e, n)
    elif kind == K_RMW:
        _multiply_add(s, r, thread, o, e, n)
    else:
        _dot(s, r, thread, o, e, n)
    if ld32s(o + O_TOTAL) != ENDLESS:
        st32(o + O_DONE, ld32s(o + O_DONE) + n)
