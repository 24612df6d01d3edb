"""What scalar instructions do (`fabric.reference.prepared`)."""

from __future__ import annotations

from fabric.descriptor import MEM4D
from fabric.engine.access import const, ld8, ld16, ld32, ld64, st8, st16, st32, st64
from fabric.engine.arith import alu
from fabric.engine.fetch import timing
from fabric.engine.jit import inline, jit
from fabric.engine.layout import (
    E_ARG0,
    E_ARG1,
    E_BITS,
    E_COUNT,
    E_DEST,
    E_DEST_MODE,
    E_DEST_WORDS,
    E_KIND,
    E_NUMBER,
    E_SOURCE_WORDS,
    E_SOURCES,
    EB_CARRY,
    EB_KEEP,
    K_ALU,
    K_CONTROL,
    K_DOT,
    K_DSR,
    K_LOAD,
    K_RMW,
    K_STORE,
    K_TASK,
    R_ACC,
    R_EVENTS,
    R_FLAGS,
    R_LIVE,
    R_NEXT_ISSUE,
    R_PC,
    R_REGS,
    R_TASK,
    R_USERS,
    RF_HALTED,
)
from fabric.engine.memory import load, load_wide, store, store_wide
from fabric.engine.operands import dsr_words
from fabric.engine.registers import write_table
from fabric.engine.slots import fail
from fabric.engine.tasks import activate, arrive, block, expect, unblock
from fabric.engine.vectors import (
    carry,
    register,
    scalar_source,
    set_carry,
    set_register,
)

TAKEN = timing("branch_taken")
CALL = timing("call")
DSR_4D = timing("dsr_load_4d")
TERMINATE = timing("terminate")


@inline
def set_flag(r: int, bit: int, on: int) -> None:
    flags = ld8(r + R_FLAGS)
    st8(r + R_FLAGS, flags | bit if on else flags & ~bit)


@inline
def end_task(s: int, r: int, now: int) -> None:
    st32(r + R_TASK, const(0))
    st32(r + R_NEXT_ISSUE, now + ld64(s + TERMINATE))


@jit
def halt(r: int) -> None:
    """The core stops for good, its microthreads too."""
    set_flag(r, const(RF_HALTED), const(1))
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
        end_task(s, r, now)
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

@inline
def run_scalar(s: int, r: int, e: int, now: int) -> None:
    """What a scalar instruction does at its issue. R_PC already points behind it."""
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
