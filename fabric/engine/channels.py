"""One color of one router: what its registers mean (`fabric.reference.channel`), and what neighbours see of it.

A neighbour sees masks of colors in the record: which take a wavelet from each side in the next cycle, and which are
swapped there. They are brought up to date at the end of a cycle, when no neighbour reads them.
"""

from __future__ import annotations

from fabric.arch import (
    BANK_COLORS,
    OURS_ADDER,
    OURS_BANK_SHIFT,
    OURS_IN_POS_SHIFT,
    OURS_OUT_POS_SHIFT,
    OURS_POP_ADVNOP,
    OURS_POP_ALWAYS,
    OURS_SWAP_CORE,
    OURS_SWAP_H,
    OURS_SWAP_V,
    POSITION_UNUSED,
    ROUTE_NONE,
    ROUTE_TEARDOWN,
    ROUTER_DEPTH,
    SWITCH_POP_ADV,
    SWITCH_RESET,
    SWITCH_RING,
    SWITCHABLE,
    C,
)
from fabric.arch import R as PORT_R
from fabric.engine.access import const, ld8, ld16, ld32, ld64, st8, st16, st32
from fabric.engine.jit import inline, jit
from fabric.engine.layout import (
    C_LOADING,
    CH_ADDER,
    CH_BANK0,
    CH_BANK1,
    CH_DOWN,
    CHANNEL,
    H_COUNT,
    H_FLAGS,
    H_IN_POS,
    H_INPUT,
    H_OURS,
    H_OUT_POS,
    H_OUTPUTS,
    H_ROUTE,
    H_WORD0,
    H_WORD1,
    H_WORD3,
    R_ADDER_HEAD,
    R_ADDER_TAIL,
    R_CHANNELS,
    R_DIRTY,
    R_HALF,
    R_OPERANDS,
    R_SWAP_C,
    R_SWAP_H,
    R_SWAP_V,
    R_TAKES,
)
from fabric.engine.slots import remove
from fabric.reference.messages import SIDES

RESET0, RESET1 = SWITCH_RESET[0], SWITCH_RESET[1]
assert SWITCH_RESET[2:] == (0, 0)
SWITCHING: int = sum(1 << c for c in SWITCHABLE)
POSITIONS = 3 << OURS_IN_POS_SHIFT | 3 << OURS_OUT_POS_SHIFT
BANK0, BANK1 = BANK_COLORS[0][0], BANK_COLORS[1][0]
BANK_SIDES: int = sum(side << 4 * k for k, side in enumerate(SIDES))
assert all(colors == tuple(range(colors[0], colors[0] + 5)) for colors in BANK_COLORS)
assert PORT_R == 1


@inline
def channel(r: int, color: int) -> int:
    return r + R_CHANNELS + color * CHANNEL


@inline
def route_of(h: int) -> int:
    return ld16(h + H_ROUTE) ^ ROUTE_NONE


@inline
def word0_of(h: int) -> int:
    return ld16(h + H_WORD0) ^ RESET0


@inline
def word1_of(h: int) -> int:
    return ld16(h + H_WORD1) ^ RESET1


@inline
def code_of(h: int, position: int) -> int:
    """The 8-bit code of a switch position."""
    if position == 0:
        return route_of(h) & 0xFF
    if position == 1:
        return word0_of(h) & 0xFF
    if position == 2:
        return word1_of(h) & 0xFF
    return word1_of(h) >> 8


@inline
def switches(color: int) -> int:
    return SWITCHING >> color & 1


@inline
def pop_always(h: int) -> int:
    return 1 if ld16(h + H_OURS) & OURS_POP_ALWAYS else 0


@inline
def pop_nop(h: int) -> int:
    return 1 if ld16(h + H_OURS) & OURS_POP_ADVNOP else 0


@inline
def pop_advance(h: int) -> int:
    return 1 if ld16(h + H_OURS) & OURS_POP_ADVNOP or word0_of(h) & SWITCH_POP_ADV else 0


@jit
def next_position(h: int, color: int, position: int) -> int:
    """Where an advance leads; the same position where it has no effect."""
    if not switches(color):
        return position
    if position < 3 and code_of(h, position + 1) != POSITION_UNUSED:
        return position + 1
    return 0 if word0_of(h) & SWITCH_RING else position


@inline
def bank_of(h: int) -> int:
    """The message-passing bank of a color, -1 for none."""
    flags = ld8(h + H_FLAGS)
    return 0 if flags & CH_BANK0 else 1 if flags & CH_BANK1 else -1


@inline
def bank_color(bank: int, side: int) -> int:
    """The color on which a message of a bank enters a router by a side."""
    first = BANK0 if bank == 0 else BANK1
    k = 0
    while (BANK_SIDES >> 4 * k & 15) != side:
        k += 1
    return first + k


@jit
def bank_side(bank: int, color: int) -> int:
    """The side by which messages enter on a color of the bank, -1 for a color of no bank."""
    k = color - (BANK0 if bank == 0 else BANK1)
    if k < 0 or k > 4:
        return -1
    return BANK_SIDES >> 4 * k & 15


@jit
def apply_positions(r: int, color: int) -> None:
    """Derives input, outputs and teardown from the positions."""
    h = channel(r, color)
    flags = ld8(h + H_FLAGS) & ~CH_DOWN
    side = code_of(h, ld8(h + H_IN_POS)) >> 5
    inward = side + 1 if side <= C else 0
    if flags & (CH_BANK0 | CH_BANK1):
        inward = bank_side(0 if flags & CH_BANK0 else 1, color) + 1
    elif route_of(h) & ROUTE_TEARDOWN:
        flags |= CH_DOWN
        inward = 0
    st8(h + H_FLAGS, flags)
    st8(h + H_INPUT, inward)
    st8(h + H_OUTPUTS, code_of(h, ld8(h + H_OUT_POS)) & 31)
    st32(r + R_DIRTY, ld32(r + R_DIRTY) | 1 << color)


@jit
def configure(s: int, r: int, color: int) -> None:
    """Derives what the registers of a color mean."""
    h = channel(r, color)
    ours = ld16(h + H_OURS)
    flags = ld8(h + H_FLAGS)
    before = flags & CH_ADDER
    flags &= ~(CH_BANK0 | CH_BANK1 | CH_ADDER)
    bank = ours >> OURS_BANK_SHIFT & 3
    if bank == 1:
        flags |= CH_BANK0
    elif bank == 2:
        flags |= CH_BANK1
    if ours & OURS_ADDER:
        flags |= CH_ADDER
    elif before:  # the adder goes, with what waited in it
        while ld8(r + R_OPERANDS):
            remove(s, r, r + R_ADDER_HEAD, r + R_ADDER_TAIL)
            st8(r + R_OPERANDS, ld8(r + R_OPERANDS) - 1)
        st8(r + R_HALF, const(0))
    st8(h + H_FLAGS, flags)
    apply_positions(r, color)


@inline
def _bit(a: int, color: int, on: int) -> None:
    mask = ld32(a)
    st32(a, (mask & ~(1 << color)) | on << color)


@inline
def publish_count(r: int, color: int) -> None:
    """The number of wavelets in the buffer passed the limit."""
    h = channel(r, color)
    side = ld8(h + H_INPUT)
    if side:
        _bit(r + R_TAKES + 4 * (side - 1), color, 1 if ld8(h + H_COUNT) < ROUTER_DEPTH else 0)


@jit
def publish(r: int, color: int) -> None:
    """Brings all that neighbours see of a color up to date."""
    h = channel(r, color)
    flags = ld8(h + H_FLAGS)
    swaps = 0 if flags & (CH_BANK0 | CH_BANK1) else ld16(h + H_OURS)
    _bit(r + R_SWAP_H, color, 1 if swaps & OURS_SWAP_H else 0)
    _bit(r + R_SWAP_V, color, 1 if swaps & OURS_SWAP_V else 0)
    _bit(r + R_SWAP_C, color, 1 if swaps & OURS_SWAP_CORE else 0)
    side = ld8(h + H_INPUT)
    for k in range(5):
        takes = 0
        if k + 1 == side:
            takes = 1 if ld8(h + H_COUNT) < ROUTER_DEPTH else 0
        elif k == C and flags & CH_ADDER and not flags & CH_DOWN and ld8(r + R_OPERANDS) < ROUTER_DEPTH:
            takes = 1
        _bit(r + R_TAKES + 4 * k, color, takes)


@inline
def swapped(r: int, side: int) -> int:
    """The mask of colors that are swapped on a side."""
    if side < 2:
        return ld32(r + R_SWAP_H)
    return ld32(r + R_SWAP_V) if side < 4 else ld32(r + R_SWAP_C)


@inline
def reading(r: int, side: int, wire: int) -> int:
    """Who reads a wavelet that comes on color `wire` from a side: bit 0 that color, bit 1 its partner."""
    swap = swapped(r, side)
    own = 1 - (swap >> wire & 1)
    partner = swap >> (wire ^ 1) & 1
    return own | partner << 1


@inline
def all_take(r: int, side: int, wire: int, readers: int) -> int:
    """All those readers take from the side in the next cycle."""
    takes = ld32(r + R_TAKES + 4 * side)
    own = takes >> wire & 1 or not readers & 1
    partner = takes >> (wire ^ 1) & 1 or not readers & 2
    return 1 if own and partner else 0


@jit
def read_switch(h: int, word: int) -> int:
    """A word of the switch; word 2 shows the positions."""
    if word == 0:
        return word0_of(h)
    if word == 1:
        return word1_of(h)
    if word == 2:
        return ld16(h + H_OURS) | ld8(h + H_IN_POS) << OURS_IN_POS_SHIFT | ld8(h + H_OUT_POS) << OURS_OUT_POS_SHIFT
    return ld16(h + H_WORD3)


@jit
def write_switch(s: int, r: int, color: int, word: int, value: int) -> None:
    """Writes a word of the switch; word 2 sets the positions too."""
    h = channel(r, color)
    if word == 0:
        st16(h + H_WORD0, value ^ RESET0)
    elif word == 1:
        st16(h + H_WORD1, value ^ RESET1)
    elif word == 2:
        st8(h + H_IN_POS, value >> OURS_IN_POS_SHIFT & 3)
        st8(h + H_OUT_POS, value >> OURS_OUT_POS_SHIFT & 3)
        st16(h + H_OURS, value & ~POSITIONS)
    else:
        st16(h + H_WORD3, value)
    configure(s, r, color)


@jit
def write_route(s: int, r: int, color: int, value: int) -> None:
    """Writes the route: position 0, the teardown bit, and both positions back to 0."""
    h = channel(r, color)
    st16(h + H_ROUTE, value ^ ROUTE_NONE)
    st8(h + H_IN_POS, const(0))
    st8(h + H_OUT_POS, const(0))
    configure(s, r, color)


@jit
def has_positions(h: int) -> int:
    """There is a position to switch to."""
    for k in range(1, 4):
        if code_of(h, k) != POSITION_UNUSED:
            return 1
    return 0


@inline
def loading(s: int) -> int:
    return ld64(s + C_LOADING)
