"""The router's decisions: what leaves by each port in a cycle (`fabric.reference.router`), and the outboxes.

`decide` reads the state at the start of the cycle and changes nothing. `fill_outboxes`, after the core's step, copies
what leaves to where the neighbours look for it.
"""

from __future__ import annotations

from fabric.arch import (
    BANK_CORE_COLOR,
    COLORS,
    COLUMN_ID,
    FILTER_COUNTER,
    FILTER_MAXPASS,
    LINK_LETTER,
    OPPOSITE,
    OURS_FP16_SHIFT,
    QUEUES,
    ROW_ID,
    C,
    D,
    L,
    R,
    U,
)
from fabric.engine.access import const, ctz, ld8, ld16, ld32, ld64, st8, st32, st64, udiv
from fabric.engine.arith import fabric_sum
from fabric.engine.channels import all_take, bank_color, bank_of, channel, reading
from fabric.engine.jit import inline, jit
from fabric.engine.layout import (
    BLOCK_SHIFT,
    C_BLOCK_VISIT,
    C_BLOCKS,
    C_DEAD,
    C_EXISTS,
    C_EXT,
    C_GRANTED,
    C_NOW,
    C_OPEN,
    C_P,
    C_RANK,
    C_RECORDS,
    C_REQUEST,
    C_ROW_VISIT,
    C_STRIDE,
    C_VISIT,
    CH_ADDER,
    CH_BANK0,
    CH_BANK1,
    CH_DOWN,
    F_COLOR,
    F_CTRL,
    F_HALF,
    F_LF,
    F_LF_ON,
    F_OWN,
    F_POPPED,
    H_FLAGS,
    H_HEAD,
    H_OURS,
    H_OUTPUTS,
    H_PORT,
    H_TAKEN,
    L_COUNT,
    L_CYCLE,
    L_SLOT,
    LOST,
    Q_COUNT,
    Q_FLAG,
    Q_HEAD,
    R_ADDER_HEAD,
    R_BUSY,
    R_DECISIONS,
    R_DEPARTURES,
    R_FILTERED,
    R_FLAGS,
    R_HALF,
    R_LAST,
    R_LAST_QUEUE,
    R_LINK,
    R_LOADED,
    R_OPERANDS,
    R_OUT,
    R_OWNERS,
    R_QUEUE_OF,
    RECORD,
    RF_LOST,
    S_DATA,
    S_FLAGS,
    S_READY,
    SLOT,
    X_FILTER_OF,
    X_FILTERS,
    X_LOST,
)
from fabric.engine.queues import depth, input_queue, leaving, output_queue
from fabric.engine.registers import read_register
from fabric.engine.slots import copy_slot, fail_with, slot
from fabric.engine.watch import W_BACKPRESSURE, tell_backpressure, told
from fabric.reference.messages import NORTH, SOUTH
from fabric.reference.wavelet import NOCE, VACATED

assert (L, R, U, D, C) == (0, 1, 2, 3, 4) and OPPOSITE[:4] == (1, 0, 3, 2) and LINK_LETTER[C] == "R"
TOP_COMMAND = VACATED << 21
NOT_DROPPED = 0x80  # in a decision's queue byte: the core takes it, into no queue (a filter drops it)
BANK_CORES = BANK_CORE_COLOR[0] | BANK_CORE_COLOR[1] << 8


@inline
def opposite(port: int) -> int:
    return port ^ 1


@inline
def neighbour(s: int, port: int) -> int:
    """The place of the tile beyond a port."""
    p = ld64(s + C_P)
    if port == L:
        return p - 1
    if port == R:
        return p + 1
    return p + ld64(s + C_STRIDE) if port == U else p - ld64(s + C_STRIDE)


@inline
def command(data: int) -> int:
    """Command 0 of a control payload: {noce, op}."""
    return data >> 22 & 7


@jit
def popped(data: int) -> int:
    """A control payload without command 0; the vacated slot reads NOP with noce."""
    text = ((data & 0xFFFF) << 8 | data >> 22 & 0xFF) >> 3 | TOP_COMMAND
    return data & 0xC03F0000 | (text & 0xFF) << 22 | text >> 8 & 0xFFFF


@jit
def filter_drops(s: int, r: int, color: int, flags: int) -> int:
    """Whether the color's filter would drop a wavelet now."""
    if ld8(r + R_FILTERED) == 0:
        return 0
    x = ld64(s + C_EXT)
    at = ld16(x + X_FILTER_OF + 2 * color)
    if at == 0 or flags & F_CTRL:
        return 0
    words = x + X_FILTERS + 2 * (at - 1)
    return 1 if ld16(words + 2 * FILTER_COUNTER) > ld16(words + 2 * FILTER_MAXPASS) else 0


@inline
def core_color(h: int, color: int) -> int:
    """The color on which the core gets what is on a color."""
    bank = bank_of(h)
    return color if bank < 0 else BANK_CORES >> 8 * bank & 0xFF


@jit
def core_takes(s: int, r: int, color: int, flags: int) -> int:
    """The input queue of a color has room, or the color's filter drops the wavelet."""
    number = ld8(r + R_QUEUE_OF + color)
    if number == 0:
        return 0
    if ld8(input_queue(r, number - 1) + Q_COUNT) < depth(number - 1):
        return 1
    return filter_drops(s, r, color, flags)


@jit
def message_outputs(s: int, r: int, h: int, bank: int, header: int) -> int:
    """The port mask of a wavelet on a message-passing color, 0 while it has to wait."""
    if ld8(h + H_PORT):
        return 1 << (ld8(h + H_PORT) - 1)
    column, row = header >> 20, header >> 8 & 0xFFF
    here = read_register(s, r, const(COLUMN_ID))
    port = -1
    if column != here:
        port = R if column > here else L
    elif row == read_register(s, r, const(ROW_ID)):
        port = C
    elif header & (NORTH | SOUTH) == NORTH:
        port = D
    elif header & (NORTH | SOUTH) == SOUTH:
        port = U
    if port < 0 or ld8(r + R_OWNERS + 5 * bank + port):
        return 0
    return 1 << port


@inline
def _outputs(s: int, r: int, h: int, a: int, now: int) -> int:
    """The ports that must take a head (its slot), -1 while something other than a port holds it."""
    flags = ld8(h + H_FLAGS)
    if ld32(a + S_READY) > now or flags & CH_DOWN:
        return -1
    wavelet = ld32(a + S_FLAGS)
    if flags & (CH_BANK0 | CH_BANK1):
        ports = message_outputs(s, r, h, 0 if flags & CH_BANK0 else 1, ld32(a + S_DATA))
        return ports if ports else -1
    if flags & CH_ADDER and not wavelet & F_CTRL:
        if ld8(r + R_OPERANDS) == 0 or ld32(slot(s, r, ld16(r + R_ADDER_HEAD)) + S_READY) > now:
            return -1
    ports = ld8(h + H_OUTPUTS)
    if wavelet & F_CTRL and ports & 1 << C and command(ld32(a + S_DATA)) & NOCE:
        ports &= ~(1 << C)
    return ports


@inline
def _request(s: int, r: int, port: int, color: int, readers: int) -> None:
    """A color could use a port: the turn decides. A request is turn << 16 | readers << 8 | color + 1."""
    last = ld8(r + R_LAST + port)
    after = last if last else COLORS
    behind = color - after
    behind += COLORS if behind < 0 else 0
    turn = COLORS - behind
    if turn << 16 > ld32(s + C_REQUEST + 4 * port):
        st32(s + C_REQUEST + 4 * port, turn << 16 | readers << 8 | color + 1)


@inline
def _decision(r: int, color: int, ports: int, complete: int, queue: int) -> None:
    n = ld8(r + R_DEPARTURES)
    st32(r + R_DECISIONS + 4 * n, color | ports << 8 | complete << 16 | queue << 24)
    st8(r + R_DEPARTURES, n + 1)


@jit
def decide(s: int, r: int, now: int) -> None:
    """What leaves this router's buffers in this cycle."""
    busy = ld32(r + R_BUSY)
    wanted = 0
    while busy:
        color = ctz(busy)
        busy &= busy - 1
        h = channel(r, color)
        a = slot(s, r, ld16(h + H_HEAD))
        ports = _outputs(s, r, h, a, now)
        if ports < 0:
            continue
        ports &= ~ld8(h + H_TAKEN)
        if ports == 0:
            _decision(r, color, const(0), const(1), const(0))
            continue
        st32(s + C_OPEN + 4 * color, ports)
        st32(s + C_GRANTED + 4 * color, const(0))
        bank = bank_of(h)
        rest = ports & 15
        while rest:
            port = ctz(rest)
            rest &= rest - 1
            p = neighbour(s, port)
            if ld8(ld64(s + C_DEAD) + p):
                _request(s, r, port, color, const(0))
                wanted |= 1 << port
                continue
            st8(ld64(s + C_EXISTS) + p, const(1))
            side = opposite(port)
            other = ld64(s + C_RECORDS) + p * RECORD
            wire = color if bank < 0 else bank_color(bank, side)
            readers = reading(other, side, wire)
            if all_take(other, side, wire, readers):
                _request(s, r, port, color, readers)
                wanted |= 1 << port
        if ports & 1 << C and core_takes(s, r, core_color(h, color), ld32(a + S_FLAGS)):
            _request(s, r, const(C), color, const(0))
            wanted |= 1 << C
    if wanted:
        _grant(s, r, wanted)


@jit
def _grant(s: int, r: int, wanted: int) -> None:
    """Each port serves the color whose turn it is."""
    rest = wanted
    colors = 0
    while rest:
        port = ctz(rest)
        rest &= rest - 1
        color = (ld32(s + C_REQUEST + 4 * port) & 0xFF) - 1
        st32(s + C_GRANTED + 4 * color, ld32(s + C_GRANTED + 4 * color) | 1 << port)
        colors |= 1 << color
    while colors:
        color = ctz(colors)
        colors &= colors - 1
        ports = ld32(s + C_GRANTED + 4 * color)
        queue = 0
        if ports & 1 << C:
            h = channel(r, color)
            a = slot(s, r, ld16(h + H_HEAD))
            wire = core_color(h, color)
            queue = NOT_DROPPED if filter_drops(s, r, wire, ld32(a + S_FLAGS)) else ld8(r + R_QUEUE_OF + wire)
        complete = 1 if ports == ld32(s + C_OPEN + 4 * color) else 0
        _decision(r, color, ports, complete, queue)


@jit
def decide_link(s: int, r: int, now: int) -> None:
    """Which output queue sends on link R in this cycle."""
    last = ld8(r + R_LAST_QUEUE)
    after = last if last else QUEUES
    loaded = ld8(r + R_LOADED)
    best = 0
    after &= QUEUES - 1
    # The queues in the order of their turn: those from `after` on come first.
    rest = (loaded >> after | loaded << (QUEUES - after)) & ((1 << QUEUES) - 1)
    while rest:
        number = (ctz(rest) + after) & (QUEUES - 1)
        rest &= rest - 1
        q = output_queue(r, number)
        sends = leaving(s, r, q, now)
        if sends == 0:
            continue
        color = ld32(slot(s, r, ld16(q + Q_HEAD)) + S_FLAGS) >> F_COLOR & 31
        readers = reading(r, const(C), color)
        if all_take(r, const(C), color, readers):
            if best == 0:
                best = number + 1 | sends << 8 | readers << 16
        else:
            if told(s) & W_BACKPRESSURE and ld8(q + Q_FLAG) == 0:
                tell_backpressure(s, number, color)
            st8(q + Q_FLAG, const(1))
    st32(r + R_LINK, best)


# --- what leaves ----------------------------------------------------------------------------------------------------


@jit
def adder_sum(s: int, r: int, h: int, data: int) -> int:
    """fp32 data plus the operand that waits."""
    a = slot(s, r, ld16(r + R_ADDER_HEAD))
    half = ld32(a + S_DATA)
    half = half >> 16 if ld8(r + R_HALF) else half & 0xFFFF
    return fabric_sum(data, half, ld16(h + H_OURS) >> OURS_FP16_SHIFT & 3)


@jit
def visit(s: int, p: int, side: int) -> None:
    """A tile has something to do in the second phase: by a side, or VISIT_SELF."""
    row = udiv(p, ld64(s + C_STRIDE))
    block = row * ld64(s + C_BLOCKS) + ((p - row * ld64(s + C_STRIDE)) >> BLOCK_SHIFT)
    st8(ld64(s + C_VISIT) + 8 * p + side, const(1))
    st8(ld64(s + C_BLOCK_VISIT) + block, const(1))
    st8(ld64(s + C_ROW_VISIT) + row, const(1))


@jit
def _left_layout(s: int, r: int, color: int, port: int, out: int) -> None:
    """A wavelet left the layout: it is counted, and the first one kept."""
    a = ld64(s + C_EXT) + X_LOST + (4 * color + port) * LOST
    st8(r + R_FLAGS, ld8(r + R_FLAGS) | RF_LOST)
    if ld32(a + L_COUNT) == 0:
        st32(a + L_CYCLE, ld64(s + C_NOW))
        copy_slot(a + L_SLOT, out)
    st32(a + L_COUNT, ld32(a + L_COUNT) + 1)


@jit
def fill_outboxes(s: int, r: int) -> None:
    """Copies what leaves to neighbours into the outboxes; a wavelet that nobody reads could not land."""
    for n in range(ld8(r + R_DEPARTURES)):
        decision = ld32(r + R_DECISIONS + 4 * n)
        color = decision & 0xFF
        ports = decision >> 8 & 15
        if ports == 0:
            continue
        h = channel(r, color)
        a = slot(s, r, ld16(h + H_HEAD))
        flags = ld32(a + S_FLAGS)
        data = ld32(a + S_DATA)
        if flags & F_POPPED:
            data = popped(data)
        half = flags & F_HALF
        if ld8(h + H_FLAGS) & CH_ADDER and not flags & F_CTRL:
            data = adder_sum(s, r, h, data)
            half = 0
        bank = bank_of(h)
        flags = flags & F_CTRL | half | (F_LF if flags & F_LF_ON else 0)
        while ports:
            port = ctz(ports)
            ports &= ports - 1
            side = opposite(port)
            out = r + R_OUT + port * SLOT
            wire = color if bank < 0 else bank_color(bank, side)
            readers = ld32(s + C_REQUEST + 4 * port) >> 8 & 3
            copy_slot(out, a)
            st32(out + S_DATA, data)
            st32(out + S_FLAGS, flags | wire << F_COLOR | readers * F_OWN)
            p = neighbour(s, port)
            if ld8(ld64(s + C_DEAD) + p):
                _left_layout(s, r, color, port, out)
            elif readers == 0:
                st64(s + C_RANK, const(1))
                fail_with(s, r, const(401), wire, side, p, a)
                st64(s + C_RANK, const(0))
            else:
                visit(s, p, side)


@inline
def clear_requests(s: int) -> None:
    st64(s + C_REQUEST, const(0))
    st64(s + C_REQUEST + 8, const(0))
    st32(s + C_REQUEST + 16, const(0))

