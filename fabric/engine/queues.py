"""The queues between core and router: `fabric.reference.queues` on lists of slots.

An input queue is read as a queue of halves; an output queue packs two 16-bit sends that are in it together.
"""

from __future__ import annotations

from fabric.arch import COLORS, INPUT_DEPTH, NO_COLOR, OUTPUT_DEPTH
from fabric.engine.access import const, ld8, ld16, ld32, ld64, st8, st16, st32
from fabric.engine.jit import inline, jit
from fabric.engine.layout import (
    C_NOW,
    F_COLOR,
    F_CTRL,
    F_HALF,
    F_LF,
    Q_COLOR,
    Q_COUNT,
    Q_FLAG,
    Q_HEAD,
    Q_TAIL,
    QUEUE,
    R_FILLED,
    R_INPUT,
    R_LOADED,
    R_OUTPUT,
    S_BORN,
    S_DATA,
    S_FLAGS,
    S_NEXT,
    S_PC,
    S_READY,
)
from fabric.engine.slots import append, remove, slot, take_slot, wake_router

DEEP, SHALLOW = INPUT_DEPTH[0], INPUT_DEPTH[7]
assert INPUT_DEPTH == (DEEP, DEEP, *[SHALLOW] * 6) and len(set(OUTPUT_DEPTH)) == 1
OUT = OUTPUT_DEPTH[0]


@inline
def depth(number: int) -> int:
    """Wavelets that input queue `number` holds."""
    return DEEP if number < 2 else SHALLOW


@inline
def input_queue(r: int, number: int) -> int:
    return r + R_INPUT + number * QUEUE


@inline
def output_queue(r: int, number: int) -> int:
    return r + R_OUTPUT + number * QUEUE


@inline
def head(s: int, r: int, q: int) -> int:
    """The slot at a queue's head; the queue must not be empty."""
    return slot(s, r, ld16(q + Q_HEAD))


@inline
def peek(s: int, r: int, q: int) -> int:
    """The slot of an input queue's head when an issue now can read it, else 0."""
    if ld8(q + Q_COUNT) == 0:
        return 0
    a = slot(s, r, ld16(q + Q_HEAD))
    return a if ld32(a + S_READY) <= ld64(s + C_NOW) else 0


@jit
def available(s: int, r: int, q: int) -> int:
    """Halves that an issue now can read, up to the first control wavelet; bit 16: the last wavelet is a half."""
    n = -ld8(q + Q_FLAG)
    last = 0
    number = ld16(q + Q_HEAD)
    while number:
        a = slot(s, r, number)
        flags = ld32(a + S_FLAGS)
        if ld32(a + S_READY) > ld64(s + C_NOW) or flags & F_CTRL:
            break
        last = flags & F_HALF
        n += 1 if last else 2
        number = ld16(a + S_NEXT)
    return (n if n > 0 else 0) | (1 << 16 if last else 0)


@jit
def words_ready(s: int, r: int, q: int) -> int:
    """Whether a 32-bit read can be done now. A half left over with nothing behind it is read alone."""
    a = peek(s, r, q)
    if a == 0:
        return 0
    flags = ld32(a + S_FLAGS)
    if flags & F_CTRL:
        return 0
    if not flags & F_HALF and not ld8(q + Q_FLAG):
        return 1
    found = available(s, r, q)
    n = found & 0xFFFF
    return 1 if n >= 2 or (n == 1 and found >> 16) else 0


@inline
def drop(s: int, r: int, number: int) -> None:
    """The head of an input queue goes."""
    q = input_queue(r, number)
    count = ld8(q + Q_COUNT)
    if count >= depth(number):
        wake_router(s, ld64(s + C_NOW) + 1)
    remove(s, r, q + Q_HEAD, q + Q_TAIL)
    st8(q + Q_COUNT, count - 1)
    st8(q + Q_FLAG, const(0))
    if count == 1:
        st8(r + R_FILLED, ld8(r + R_FILLED) & ~(1 << number))


@jit
def take16(s: int, r: int, number: int) -> int:
    """Reads one half; there must be one."""
    q = input_queue(r, number)
    a = head(s, r, q)
    data = ld32(a + S_DATA)
    if ld8(q + Q_FLAG):
        data >>= 16
    else:
        data &= 0xFFFF
        if not ld32(a + S_FLAGS) & F_HALF:
            st8(q + Q_FLAG, const(1))
            return data
    drop(s, r, number)
    return data


@jit
def take32(s: int, r: int, number: int) -> int:
    """Reads two halves, the first one as the low half."""
    q = input_queue(r, number)
    a = head(s, r, q)
    if not ld8(q + Q_FLAG) and not ld32(a + S_FLAGS) & F_HALF:
        data = ld32(a + S_DATA)
        drop(s, r, number)
        return data
    low = take16(s, r, number)
    if (available(s, r, q) & 0xFFFF) < 1:
        return low
    return take16(s, r, number) << 16 | low


@jit
def deliver(s: int, r: int, number: int, wavelet: int, ready: int) -> None:
    """The router puts a wavelet (its slot's address) in; there must be room."""
    q = input_queue(r, number)
    new = take_slot(s, r)
    a = slot(s, r, new)
    st32(a, ld32(wavelet))
    st32(a + 4, ld32(wavelet + 4))
    st32(a + 8, ld32(wavelet + 8))
    st32(a + 12, ld32(wavelet + 12))
    st32(a + 16, ld32(wavelet + 16))
    st32(a + S_READY, ready)
    st16(a + S_PC, ld16(wavelet + S_PC))
    append(s, r, q + Q_HEAD, q + Q_TAIL, new)
    st8(q + Q_COUNT, ld8(q + Q_COUNT) + 1)
    st8(r + R_FILLED, ld8(r + R_FILLED) | 1 << number)


@inline
def output_color(q: int) -> int:
    return ld8(q + Q_COLOR) ^ NO_COLOR


@inline
def packs(flags: int) -> int:
    """The send may share a wavelet with the 16-bit send before it."""
    return 1 if flags & (F_HALF | F_CTRL) == F_HALF else 0


@inline
def pair(first: int, second: int) -> int:
    """Two neighbouring sends (their flags) share a wavelet."""
    if packs(first) and packs(second) and not first & F_LF and (first ^ second) >> F_COLOR & 31 == 0:
        return 1
    return 0


@jit
def room(s: int, r: int, number: int, bits: int) -> int:
    """How many data sends of 16 or 32 bits can issue now."""
    q = output_queue(r, number)
    if ld8(q + Q_COUNT) == 0:
        return OUT if bits == 32 else 2 * OUT
    places = 0
    alone = -1  # flags of the last send, if it has a place of its own
    k = ld16(q + Q_HEAD)
    while k:
        a = slot(s, r, k)
        flags = ld32(a + S_FLAGS)
        if alone >= 0 and pair(alone, flags):
            alone = -1
        else:
            places += 1
            alone = flags
        k = ld16(a + S_NEXT)
    free = OUT - places
    if bits == 32:
        return free
    joins = alone >= 0 and packs(alone) and not alone & F_LF and (alone >> F_COLOR & 31) == output_color(q)
    return 2 * free + (1 if joins else 0)


@jit
def push(s: int, r: int, number: int, value: int, flags: int, ready: int, pc: int) -> None:
    """A send that issues now and can leave from cycle `ready` on. `flags`: F_HALF (16 bits), F_CTRL, F_LF (flip)."""
    q = output_queue(r, number)
    new = take_slot(s, r)
    a = slot(s, r, new)
    st32(a + S_DATA, value)
    st32(a + S_FLAGS, flags | output_color(q) << F_COLOR)
    st32(a + S_BORN, ld64(s + C_NOW))
    st32(a + S_READY, ready)
    st16(a + S_PC, pc)
    append(s, r, q + Q_HEAD, q + Q_TAIL, new)
    st8(q + Q_COUNT, ld8(q + Q_COUNT) + 1)
    st8(r + R_LOADED, ld8(r + R_LOADED) | 1 << number)
    wake_router(s, ready)


@inline
def leaving(s: int, r: int, q: int, now: int) -> int:
    """How many sends at the head would leave as one wavelet now: 0, 1, or 2 packed ones."""
    k = ld16(q + Q_HEAD)
    if k == 0:
        return 0
    a = slot(s, r, k)
    first = ld32(a + S_FLAGS)
    if ld32(a + S_READY) > now or (first >> F_COLOR & 31) >= COLORS:
        return 0
    k = ld16(a + S_NEXT)
    if k:
        a = slot(s, r, k)
        if ld32(a + S_READY) <= now and pair(first, ld32(a + S_FLAGS)):
            return 2
    return 1
