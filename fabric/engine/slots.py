"""Slots: where a tile keeps its wavelets; lists of them; due cycles; faults.

A few slots lie in the record, the others in the extension, which comes into being when it is first used. A list has
a head and a tail, each slot + 1; 0 is none.
"""

from __future__ import annotations

from fabric.engine.access import const, ctz, ld16, ld32, ld64, shl, st16, st64
from fabric.engine.jit import inline, jit
from fabric.engine.layout import (
    C_DUE_C,
    C_DUE_R,
    C_EXT,
    C_FAULT,
    C_FAULT_ARGS,
    C_FAULT_CODE,
    C_FAULT_CYCLE,
    C_FAULT_KEY,
    C_FAULT_PC_OF,
    C_FAULT_TILE,
    C_NOW,
    C_P,
    C_RANK,
    HOT_SLOTS,
    MORE_WORDS,
    R_FAULT_PC,
    R_SLOTS,
    R_USED,
    S_BORN,
    S_IDENT,
    S_NEXT,
    S_PC,
    SLOT,
    X_SLOTS,
    X_USED,
)

RANK_SHIFT = 40


@inline
def slot(s: int, r: int, number: int) -> int:
    """The address of a slot (number - 1)."""
    if number <= HOT_SLOTS:
        return r + R_SLOTS + (number - 1) * SLOT
    return ld64(s + C_EXT) + X_SLOTS + (number - 1 - HOT_SLOTS) * SLOT


@jit
def _more(s: int, r: int) -> int:
    x = ld64(s + C_EXT) + X_USED
    for w in range(MORE_WORDS):
        used = ld64(x + 8 * w)
        if used != -1:
            free = ctz(~used)
            st64(x + 8 * w, used | shl(const(1), free))
            return HOT_SLOTS + 64 * w + free + 1
    fail(s, r, const(-1), const(0), const(0), const(0))
    return 1


@inline
def take_slot(s: int, r: int) -> int:
    """A free slot, + 1."""
    used = ld64(r + R_USED)
    free = ctz(~used)
    if free < HOT_SLOTS:
        st64(r + R_USED, used | shl(const(1), free))
        return free + 1
    return _more(s, r)


@inline
def free_slot(s: int, r: int, number: int) -> None:
    k = number - 1
    if k < HOT_SLOTS:
        st64(r + R_USED, ld64(r + R_USED) & ~shl(const(1), k))
    else:
        k -= HOT_SLOTS
        x = ld64(s + C_EXT) + X_USED + 8 * (k >> 6)
        st64(x, ld64(x) & ~shl(const(1), k & 63))


@inline
def append(s: int, r: int, head: int, tail: int, number: int) -> None:
    """Puts a slot at the end of the list whose head and tail stand at these addresses."""
    st16(slot(s, r, number) + S_NEXT, const(0))
    last = ld16(tail)
    if last == 0:
        st16(head, number)
    else:
        st16(slot(s, r, last) + S_NEXT, number)
    st16(tail, number)


@inline
def remove(s: int, r: int, head: int, tail: int) -> None:
    """Takes the first slot of a list out and frees it."""
    first = ld16(head)
    after = ld16(slot(s, r, first) + S_NEXT)
    st16(head, after)
    if after == 0:
        st16(tail, const(0))
    free_slot(s, r, first)


@inline
def copy_slot(to: int, source: int) -> None:
    """All but the link."""
    st64(to, ld64(source))
    st64(to + 8, ld64(source + 8))
    st64(to + 16, ld64(source + 16))
    st16(to + 24, ld16(source + 24))


@inline
def wake_router(s: int, cycle: int) -> None:
    """The router must look in this cycle, or in the next one if that is past."""
    now = ld64(s + C_NOW)
    if cycle <= now:
        cycle = now + 1
    a = ld64(s + C_DUE_R)
    st64(a, ld64(a) | shl(const(1), cycle & 63))


@inline
def wake_core(s: int, cycle: int) -> None:
    """The core must be stepped in this cycle, or in the next one if that is past."""
    now = ld64(s + C_NOW)
    if cycle <= now:
        cycle = now + 1
    a = ld64(s + C_DUE_C)
    st64(a, ld64(a) | shl(const(1), cycle & 63))


@jit
def fail(s: int, r: int, code: int, a0: int, a1: int, a2: int) -> None:
    """A fault of the tile that is being worked on: the first of its cycle counts. `code` as in FB5xx."""
    if ld64(s + C_FAULT):
        return
    st64(s + C_FAULT, const(1))
    key = (ld64(s + C_RANK) << RANK_SHIFT | ld64(s + C_P)) + 1
    if ld64(s + C_FAULT_KEY) and ld64(s + C_FAULT_KEY) <= key:
        return
    st64(s + C_FAULT_KEY, key)
    st64(s + C_FAULT_CODE, code)
    st64(s + C_FAULT_TILE, ld64(s + C_P))
    st64(s + C_FAULT_PC_OF, ld32(r + R_FAULT_PC))
    st64(s + C_FAULT_CYCLE, ld64(s + C_NOW))
    st64(s + C_FAULT_ARGS, a0)
    st64(s + C_FAULT_ARGS + 8, a1)
    st64(s + C_FAULT_ARGS + 16, a2)


@jit
def fail_with(s: int, r: int, code: int, a0: int, a1: int, a2: int, w: int) -> None:
    """A fault about a wavelet (its slot), of which it keeps who sent it."""
    before = ld64(s + C_FAULT_KEY)
    fail(s, r, code, a0, a1, a2)
    if ld64(s + C_FAULT_KEY) != before:
        st64(s + C_FAULT_ARGS + 24, ld32(w + S_IDENT))
        st64(s + C_FAULT_ARGS + 32, ld32(w + S_BORN))
        st64(s + C_FAULT_ARGS + 40, ld16(w + S_PC))
