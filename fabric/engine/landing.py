"""The second phase of a cycle: after the departures, wavelets land (`fabric.reference.router`,
`fabric.reference.channel`).

Everything here changes the tile's own state only. What comes from a neighbour lies in the neighbour's outbox.
"""

from __future__ import annotations

from fabric.arch import (
    CMD_ADVANCE,
    CMD_NOP,
    CMD_RESET,
    ROUTER_DEPTH,
    C,
)
from fabric.engine.access import const, ctz, ld8, ld16, ld32, ld64, st8, st16, st32, st64
from fabric.engine.channels import (
    apply_positions,
    channel,
    code_of,
    next_position,
    pop_advance,
    pop_always,
    pop_nop,
    publish,
    publish_count,
    switches,
)
from fabric.engine.departures import apply_departures, moved_in
from fabric.engine.jit import inline, jit
from fabric.engine.layout import (
    C_NOW,
    C_P,
    C_RANK,
    C_RECORDS,
    C_TIMING,
    C_WAVELET,
    CH_ADDER,
    CH_BANK0,
    CH_BANK1,
    F_COLOR,
    F_CTRL,
    F_HALF,
    F_LF,
    F_LF_ON,
    F_OWN,
    F_PARTNER,
    F_POPPED,
    F_SIDE,
    H_COUNT,
    H_FLAGS,
    H_HEAD,
    H_IN_POS,
    H_INPUT,
    H_TAIL,
    Q_COUNT,
    Q_FLAG,
    Q_HEAD,
    Q_TAIL,
    R_ADDER_HEAD,
    R_ADDER_TAIL,
    R_BUSY,
    R_DIRTY,
    R_FLAGS,
    R_LAST_QUEUE,
    R_LINK,
    R_LOADED,
    R_OPERANDS,
    R_OUT,
    R_SEQUENCE,
    RECORD,
    RF_CORE,
    S_BORN,
    S_DATA,
    S_FLAGS,
    S_IDENT,
    S_PC,
    S_READY,
    S_SEQ,
    SLOT,
    TIMINGS,
)
from fabric.engine.queues import output_queue
from fabric.engine.registers import wake_around
from fabric.engine.router import command, neighbour, opposite
from fabric.engine.slots import append, copy_slot, fail_with, remove, slot, take_slot, wake_core, wake_router
from fabric.engine.watch import (
    ADVANCE,
    FLIP,
    RESET,
    W_LANDING,
    W_SENDING,
    W_SWITCH,
    tell_landing,
    tell_sending,
    tell_switch,
    told,
)
from fabric.reference.wavelet import NOCE

HOP = C_TIMING + 8 * TIMINGS.index("hop")
ADDER = C_TIMING + 8 * TIMINGS.index("fabric_adder")


# --- landings -------------------------------------------------------------------------------------------------------


@jit
def _move_input(s: int, r: int, color: int, position: int, now: int, why: int, w: int) -> None:
    h = channel(r, color)
    old = ld8(h + H_IN_POS)
    if position == old:
        return
    before = ld8(h + H_INPUT)
    st8(h + H_IN_POS, position)
    apply_positions(r, color)
    if ld8(h + H_INPUT) != before:
        wake_around(s, now)
    if told(s) & W_SWITCH:
        codes = code_of(h, old) | code_of(h, position) << 8
        tell_switch(s, color, const(0), old | position << 8, codes, why, w)


@jit
def _obey_in(s: int, r: int, color: int, w: int, now: int) -> int:
    """Command 0 moves the input switch; F_POPPED when the wavelet goes on without it."""
    h = channel(r, color)
    op = command(ld32(w + S_DATA)) & ~NOCE
    before = ld8(h + H_IN_POS)
    if op == CMD_ADVANCE:
        _move_input(s, r, color, next_position(h, color, before), now, const(ADVANCE), w)
    elif op == CMD_RESET and switches(color):
        _move_input(s, r, color, const(0), now, const(RESET), w)
    stepped = op == CMD_ADVANCE and ld8(h + H_IN_POS) != before
    if pop_always(h) or (pop_advance(h) and stepped) or (pop_nop(h) and op == CMD_NOP):
        return F_POPPED
    return 0


@jit
def _operand_lands(s: int, r: int, color: int, w: int, ready: int) -> None:
    """A wavelet from the core lands in the fabric adder."""
    if ld32(w + S_FLAGS) & F_CTRL:
        fail_with(s, r, const(403), color, const(C), const(0), w)
        return
    new = take_slot(s, r)
    a = slot(s, r, new)
    copy_slot(a, w)
    st32(a + S_FLAGS, ld32(w + S_FLAGS) & (F_HALF | F_LF) | color << F_COLOR)
    st32(a + S_READY, ready)
    append(s, r, r + R_ADDER_HEAD, r + R_ADDER_TAIL, new)
    st8(r + R_OPERANDS, ld8(r + R_OPERANDS) + 1)
    st32(r + R_DIRTY, ld32(r + R_DIRTY) | 1 << color)
    wake_router(s, ready)


@jit
def land(s: int, r: int, color: int, w: int, side: int, now: int) -> None:
    """A wavelet (a slot's address) lands on a color in cycle `now`, the next one."""
    if told(s) & W_LANDING:
        tell_landing(s, color, side, w)
    h = channel(r, color)
    kind = ld8(h + H_FLAGS)
    flags = ld32(w + S_FLAGS) & (F_CTRL | F_HALF | F_LF)
    ready = now + ld64(s + HOP) - 1
    if kind & CH_ADDER:
        ready += ld64(s + ADDER)
        if side == C:
            _operand_lands(s, r, color, w, ready)
            return
    if kind & (CH_BANK0 | CH_BANK1):
        if flags & F_HALF:
            fail_with(s, r, const(402), color, side, const(0), w)
            return
        if flags & F_LF:
            flags |= F_LF_ON
    else:
        if flags & F_CTRL:
            flags |= _obey_in(s, r, color, w, now)
        if flags & F_LF and side == C:
            _move_input(s, r, color, next_position(h, color, ld8(h + H_IN_POS)), now, const(FLIP), w)
    new = take_slot(s, r)
    a = slot(s, r, new)
    copy_slot(a, w)
    st32(a + S_FLAGS, flags | color << F_COLOR | side << F_SIDE)
    st32(a + S_READY, ready)
    append(s, r, h + H_HEAD, h + H_TAIL, new)
    count = ld8(h + H_COUNT) + 1
    st8(h + H_COUNT, count)
    st32(r + R_BUSY, ld32(r + R_BUSY) | 1 << color)
    if count >= ROUTER_DEPTH:
        publish_count(r, color)
    wake_router(s, ready)


@inline
def land_all(s: int, r: int, wire: int, readers: int, w: int, side: int, now: int) -> None:
    """A wavelet lands on all colors that read it."""
    if readers & 1:
        land(s, r, wire, w, side, now)
    if readers & 2:
        land(s, r, wire ^ 1, w, side, now)
    moved_in(s, now)


@inline
def land_from(s: int, r: int, side: int, now: int) -> None:
    """Takes what a neighbour sends by a side."""
    other = ld64(s + C_RECORDS) + neighbour(s, side) * RECORD
    out = other + R_OUT + opposite(side) * SLOT
    flags = ld32(out + S_FLAGS)
    readers = (1 if flags & F_OWN else 0) | (2 if flags & F_PARTNER else 0)
    land_all(s, r, flags >> F_COLOR & 31, readers, out, side, now)


# --- link R ---------------------------------------------------------------------------------------------------------


@jit
def take_link(s: int, r: int, now: int) -> int:
    """The wavelet that link R carries leaves its output queue, into the context's slot; its readers."""
    choice = ld32(r + R_LINK)
    st32(r + R_LINK, const(0))
    number = (choice & 0xFF) - 1
    q = output_queue(r, number)
    a = slot(s, r, ld16(q + Q_HEAD))
    w = s + C_WAVELET
    flags = ld32(a + S_FLAGS)
    color = flags >> F_COLOR & 31
    data = ld32(a + S_DATA)
    born, pc = ld32(a + S_BORN), ld16(a + S_PC)
    remove(s, r, q + Q_HEAD, q + Q_TAIL)
    count = ld8(q + Q_COUNT) - 1
    if choice >> 8 & 0xFF == 2:
        second = slot(s, r, ld16(q + Q_HEAD))
        data |= ld32(second + S_DATA) << 16
        flags = ld32(second + S_FLAGS) & F_LF
        remove(s, r, q + Q_HEAD, q + Q_TAIL)
        count -= 1
    elif flags & F_CTRL:
        flags &= ~F_HALF
    st8(q + Q_COUNT, count)
    st8(q + Q_FLAG, const(0))
    if count == 0:
        st8(r + R_LOADED, ld8(r + R_LOADED) & ~(1 << number))
    st32(w + S_DATA, data)
    st32(w + S_FLAGS, flags & (F_CTRL | F_HALF | F_LF) | color << F_COLOR)
    st32(w + S_IDENT, ld64(s + C_P) << 5 | color)
    sequence = ld32(r + R_SEQUENCE + 4 * color)
    st32(w + S_SEQ, sequence)
    st32(r + R_SEQUENCE + 4 * color, sequence + 1)
    st32(w + S_BORN, born)
    st16(w + S_PC, pc)
    st8(r + R_LAST_QUEUE, number + 1)
    if told(s) & W_SENDING:
        tell_sending(s, number, w)
    return choice >> 16 & 3


@inline
def apply_link(s: int, r: int, now: int) -> int:
    """Link R: what leaves an output queue; 1 when something lands."""
    readers = take_link(s, r, now)
    wake_router(s, now + 1)
    if ld8(r + R_FLAGS) & RF_CORE:
        wake_core(s, now + 1)
    if readers == 0:
        color = ld32(s + C_WAVELET + S_FLAGS) >> F_COLOR & 31
        fail_with(s, r, const(401), color, const(C), ld64(s + C_P), s + C_WAVELET)
    return readers


@jit
def publish_dirty(r: int) -> None:
    """What neighbours see of the colors that changed."""
    dirty = ld32(r + R_DIRTY)
    if dirty:
        st32(r + R_DIRTY, const(0))
        while dirty:
            color = ctz(dirty)
            dirty &= dirty - 1
            publish(r, color)


@jit
def second_phase(s: int, r: int, sides: int) -> None:
    """All that happens at the end of a cycle on one tile; `sides`: a byte a side from which something comes."""
    now = ld64(s + C_NOW)
    apply_departures(s, r, now)
    readers = 0
    if ld32(r + R_LINK):
        st64(s + C_RANK, const(2))
        readers = apply_link(s, r, now)
    st64(s + C_RANK, const(3))
    if sides >> 24 & 0xFF:
        land_from(s, r, const(3), now + 1)
    if sides & 0xFF:
        land_from(s, r, const(0), now + 1)
    if sides >> 8 & 0xFF:
        land_from(s, r, const(1), now + 1)
    if sides >> 16 & 0xFF:
        land_from(s, r, const(2), now + 1)
    if readers:
        w = s + C_WAVELET
        land_all(s, r, ld32(w + S_FLAGS) >> F_COLOR & 31, readers, w, const(C), now + 1)
    publish_dirty(r)
    st64(s + C_RANK, const(0))
