"""Heads leave, at the end of a cycle (`fabric.reference.router`): into queues, and what their commands do then.

What a neighbour takes lies in an outbox by then (`router.fill_outboxes`).
"""

from __future__ import annotations

from fabric.arch import (
    CMD_ADVANCE,
    CMD_RESET,
    CMD_TEARDOWN,
    FILTER_COUNTER,
    FILTER_LIMIT,
    QUEUES,
    ROUTER_DEPTH,
    C,
)
from fabric.engine.access import const, ctz, ld8, ld16, ld32, ld64, st8, st16, st32, st64
from fabric.engine.channels import (
    apply_positions,
    bank_of,
    channel,
    code_of,
    next_position,
    publish_count,
    switches,
)
from fabric.engine.jit import inline, jit
from fabric.engine.layout import (
    C_EXT,
    C_MOVED,
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
    F_POPPED,
    H_COUNT,
    H_FLAGS,
    H_HEAD,
    H_INPUT,
    H_OUT_POS,
    H_PORT,
    H_REMAINING,
    H_TAIL,
    H_TAKEN,
    R_ADDER_HEAD,
    R_ADDER_TAIL,
    R_BUSY,
    R_DECISIONS,
    R_DEPARTURES,
    R_DIRTY,
    R_FILTERED,
    R_FLAGS,
    R_HALF,
    R_LAST,
    R_OPERANDS,
    R_OWNERS,
    RF_CORE,
    S_DATA,
    S_FLAGS,
    TIMINGS,
    X_FILTER_OF,
    X_FILTERS,
)
from fabric.engine.queues import deliver
from fabric.engine.registers import enter_teardown, wake_tile
from fabric.engine.router import adder_sum, command, core_color, neighbour, popped
from fabric.engine.slots import copy_slot, remove, slot, wake_core, wake_router
from fabric.engine.watch import (
    ADVANCE,
    RESET,
    W_SWITCH,
    W_TO_CORE,
    W_WAVELET,
    tell_switch,
    tell_to_core,
    tell_wavelet,
    told,
)
from fabric.reference.messages import BY_CONTROL, COUNT
from fabric.reference.wavelet import NOCE

HOP = C_TIMING + 8 * TIMINGS.index("hop")
TO_QUEUE = C_TIMING + 8 * TIMINGS.index("router_to_input_queue")
TO_WAKE = C_TIMING + 8 * TIMINGS.index("input_queue_to_wake")
UNTIL_CONTROL = 0xFFFF


@jit
def count_filter(s: int, r: int, color: int, flags: int) -> None:
    """A wavelet went by a color's filter, passed or dropped."""
    if ld8(r + R_FILTERED) == 0:
        return
    x = ld64(s + C_EXT)
    at = ld16(x + X_FILTER_OF + 2 * color)
    if at == 0 or flags & F_CTRL:
        return
    a = x + X_FILTERS + 2 * (at - 1 + FILTER_COUNTER)
    limit = ld16(x + X_FILTERS + 2 * (at - 1 + FILTER_LIMIT))
    st16(a, 0 if ld16(a) >= limit else ld16(a) + 1)


@inline
def _to_core(s: int, r: int, h: int, color: int, queue: int, a: int, now: int) -> None:
    """The core's port takes a head: as it came in, a message on the bank's core color, a sum."""
    flags = ld32(a + S_FLAGS)
    data = ld32(a + S_DATA)
    if bank_of(h) < 0 and ld8(h + H_FLAGS) & CH_ADDER and not flags & F_CTRL:
        data = adder_sum(s, r, h, data)
        flags &= ~F_HALF
    own, color = color, core_color(h, color)
    count_filter(s, r, color, flags)
    if told(s) & W_TO_CORE:
        tell_to_core(s, own, 0 if queue > QUEUES else queue, a, data, flags & (F_CTRL | F_HALF | F_LF) | color << F_COLOR)
    if queue == 0 or queue > QUEUES:
        return
    w = s + C_WAVELET
    copy_slot(w, a)
    st32(w + S_DATA, data)
    st32(w + S_FLAGS, flags & (F_CTRL | F_HALF | F_LF) | color << F_COLOR)
    ready = now - (ld64(s + HOP) - 1) + ld64(s + TO_QUEUE) + ld64(s + TO_WAKE)
    deliver(s, r, queue - 1, w, ready)
    if ld8(r + R_FLAGS) & RF_CORE:
        wake_core(s, ready)


@jit
def _message_went(s: int, r: int, h: int, color: int, bank: int, a: int, ports: int) -> None:
    """A wavelet of a message left: its output is held from the header to the last one."""
    header = ld32(a + S_DATA)
    if ld8(h + H_PORT) == 0:
        port = ctz(ports)
        remaining = UNTIL_CONTROL if header & BY_CONTROL else header & COUNT
        if remaining:
            st8(h + H_PORT, port + 1)
            st16(h + H_REMAINING, remaining)
            st8(r + R_OWNERS + 5 * bank + port, color + 1)
        return
    remaining = ld16(h + H_REMAINING)
    if remaining == UNTIL_CONTROL:
        last = ld32(a + S_FLAGS) & F_CTRL
    else:
        remaining -= 1
        st16(h + H_REMAINING, remaining)
        last = 1 if remaining == 0 else 0
    if last:
        st8(r + R_OWNERS + 5 * bank + ld8(h + H_PORT) - 1, const(0))
        st8(h + H_PORT, const(0))
        st16(h + H_REMAINING, const(0))


@jit
def _obey_out(s: int, r: int, h: int, color: int, data: int, a: int) -> None:
    """A control wavelet has left: its command moves the output switch, or takes the color down."""
    op = command(data) & ~NOCE
    before = ld8(h + H_OUT_POS)
    position = before
    if op == CMD_ADVANCE:
        position = next_position(h, color, before)
    elif op == CMD_RESET and switches(color):
        position = 0
    elif op == CMD_TEARDOWN:
        enter_teardown(s, r, color)
    if position != before:
        st8(h + H_OUT_POS, position)
        apply_positions(r, color)
        if told(s) & W_SWITCH:
            codes = code_of(h, before) | code_of(h, position) << 8
            tell_switch(s, color, const(1), before | position << 8, codes, ADVANCE if op == CMD_ADVANCE else RESET, a)


@inline
def _pop(s: int, r: int, h: int, color: int, ports: int, now: int) -> None:
    """The head has been taken by all its outputs."""
    count = ld8(h + H_COUNT)
    side = ld8(h + H_INPUT)
    if count == ROUTER_DEPTH and 0 < side <= C:
        wake_tile(s, neighbour(s, side - 1), now + 1)
    a = slot(s, r, ld16(h + H_HEAD))
    flags = ld32(a + S_FLAGS)
    data = ld32(a + S_DATA)
    remove(s, r, h + H_HEAD, h + H_TAIL)
    st8(h + H_COUNT, count - 1)
    if count == 1:
        st32(r + R_BUSY, ld32(r + R_BUSY) & ~(1 << color))
    elif count == ROUTER_DEPTH:
        publish_count(r, color)
    kind = ld8(h + H_FLAGS)
    if kind & CH_ADDER and not flags & F_CTRL:
        operand = ld32(slot(s, r, ld16(r + R_ADDER_HEAD)) + S_FLAGS)
        if ld8(r + R_HALF) or operand & F_HALF:
            remove(s, r, r + R_ADDER_HEAD, r + R_ADDER_TAIL)
            st8(r + R_OPERANDS, ld8(r + R_OPERANDS) - 1)
            st8(r + R_HALF, const(0))
        else:
            st8(r + R_HALF, const(1))
        st32(r + R_DIRTY, ld32(r + R_DIRTY) | 1 << color)
    st8(h + H_TAKEN, const(0))
    if kind & (CH_BANK0 | CH_BANK1):
        _message_went(s, r, h, color, 0 if kind & CH_BANK0 else 1, a, ports)
    elif flags & F_CTRL:
        _obey_out(s, r, h, color, data, a)


@jit
def _tell_departure(s: int, r: int, h: int, color: int, ports: int) -> None:
    """A head leaves, as it goes on to neighbours."""
    a = slot(s, r, ld16(h + H_HEAD))
    flags = ld32(a + S_FLAGS)
    data = ld32(a + S_DATA)
    onward = flags & (F_CTRL | F_HALF) | color << F_COLOR | (F_LF if flags & F_LF_ON else 0)
    if flags & F_POPPED:
        data = popped(data)
    if ld8(h + H_FLAGS) & CH_ADDER and not flags & F_CTRL:
        data = adder_sum(s, r, h, data)
        onward &= ~F_HALF
    tell_wavelet(s, color, ports, a, data, onward)


@jit
def apply_departures(s: int, r: int, now: int) -> None:
    """The heads leave by the ports they were granted."""
    n = ld8(r + R_DEPARTURES)
    for k in range(n):
        decision = ld32(r + R_DECISIONS + 4 * k)
        color = decision & 0xFF
        ports = decision >> 8 & 0xFF
        h = channel(r, color)
        if told(s) & W_WAVELET:
            _tell_departure(s, r, h, color, ports)
        st8(h + H_TAKEN, ld8(h + H_TAKEN) | ports)
        rest = ports
        while rest:
            port = ctz(rest)
            rest &= rest - 1
            st8(r + R_LAST + port, color + 1)
        if ports & 1 << C:
            _to_core(s, r, h, color, decision >> 24, slot(s, r, ld16(h + H_HEAD)), now)
        if decision >> 16 & 1:
            _pop(s, r, h, color, ports, now)
    if n:
        wake_router(s, now + 1)
        moved_in(s, now)
        st8(r + R_DEPARTURES, const(0))


@inline
def moved_in(s: int, cycle: int) -> None:
    """A wavelet moved in a cycle."""
    if cycle + 1 > ld64(s + C_MOVED):
        st64(s + C_MOVED, cycle + 1)
