"""One color of one router: its rule, its two switch positions, its buffer (hardware.md 1, 9, 15, 16)."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, NamedTuple

from fabric.arch import (
    CMD_ADVANCE,
    CMD_NOP,
    CMD_RESET,
    CMD_TEARDOWN,
    LINK_LETTER,
    OURS_ADDER,
    OURS_BANK_SHIFT,
    OURS_FP16_SHIFT,
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
from fabric.reference import messages
from fabric.reference.adder import Adder
from fabric.reference.fault import FabricFault
from fabric.reference.wavelet import COMMAND_NAMES, NOCE, Wavelet, command, popped

if TYPE_CHECKING:
    from fabric.reference.tile import Tile

NOWHERE = -1  # the input side of a color that takes nothing in
SWAP_OF_SIDE = (OURS_SWAP_H, OURS_SWAP_H, OURS_SWAP_V, OURS_SWAP_V, OURS_SWAP_CORE)


class Held(NamedTuple):
    """A wavelet in a color's buffer: as it came in, from which side, and as it goes on to the next router."""

    ready: int  # the first cycle in which it can leave
    wavelet: Wavelet
    side: int
    onward: Wavelet


class Channel:
    """A color of a router. Registers are kept as their words; what they mean is derived in `configure`.

    `input` is the side named by the input position, `outputs` the port mask of the output position: the two
    positions are two counters, the input one moves when a control wavelet enters, the output one when it has left.
    """

    def __init__(self, tile: Tile, color: int) -> None:
        self.tile = tile
        self.color = color
        self.route = ROUTE_NONE
        self.switch = list(SWITCH_RESET)  # words 0 and 1 as written, word 2 without the positions, word 3
        self.in_pos = 0
        self.out_pos = 0
        self.buffer: deque[Held] = deque()
        self.taken = 0  # ports that have taken the head
        self.adder: Adder | None = None
        self.message: messages.Message | None = (
            None  # the message that is passing, on a message-passing color
        )
        self.configure()

    def configure(self) -> None:
        """Derives what the registers mean."""
        word0, word1, ours, _ = self.switch
        self.codes = (self.route & 0xFF, word0 & 0xFF, word1 & 0xFF, word1 >> 8)
        self.switches = self.color in SWITCHABLE
        self.ring = bool(word0 & SWITCH_RING)
        self.pop_always = bool(ours & OURS_POP_ALWAYS)
        self.pop_nop = bool(ours & OURS_POP_ADVNOP)
        self.pop_advance = self.pop_nop or bool(word0 & SWITCH_POP_ADV)
        self.swaps = ours & (OURS_SWAP_H | OURS_SWAP_V | OURS_SWAP_CORE)
        bank = (ours >> OURS_BANK_SHIFT & 3) - 1
        self.bank = bank if bank in (0, 1) else None
        if ours & OURS_ADDER:
            if self.adder is None:
                self.adder = Adder()
            self.adder.format = ours >> OURS_FP16_SHIFT & 3
        else:
            self.adder = None
        self.apply_positions()

    def apply_positions(self) -> None:
        """Sets `down`, `input` and `outputs` from the positions. In teardown the color neither takes nor forwards."""
        self.down = bool(self.route & ROUTE_TEARDOWN)
        side = self.codes[self.in_pos] >> 5
        self.input = side if side <= C and not self.down else NOWHERE
        self.outputs = self.codes[self.out_pos] & 31
        if self.bank is not None:
            # Message-passing colors have no switches and no teardown (S3:179-182); one color an input side.
            self.down = False
            self.swaps = 0
            self.input = messages.side_of(self.bank, self.color)

    # --- registers -------------------------------------------------------------------------------------------

    def read_switch(self, word: int) -> int:
        """A word of the color's switch; word 2 shows the current positions."""
        if word == 2:
            return self.switch[2] | self.in_pos << OURS_IN_POS_SHIFT | self.out_pos << OURS_OUT_POS_SHIFT
        return self.switch[word]

    def write_switch(self, word: int, value: int) -> None:
        """Writes a word of the switch; word 2 sets the positions too."""
        if word == 2:
            self.in_pos = value >> OURS_IN_POS_SHIFT & 3
            self.out_pos = value >> OURS_OUT_POS_SHIFT & 3
            value &= ~(3 << OURS_IN_POS_SHIFT | 3 << OURS_OUT_POS_SHIFT)
        self.switch[word] = value
        self.configure()

    def write_route(self, value: int) -> None:
        """Writes the route: position 0, the teardown bit, and both positions back to 0."""
        self.route = value
        self.in_pos = self.out_pos = 0
        self.configure()

    def has_positions(self) -> bool:
        """There is a position to switch to."""
        return any(code != POSITION_UNUSED for code in self.codes[1:])

    # --- intake ----------------------------------------------------------------------------------------------

    def reads(self, side: int, color: int) -> bool:
        """Whether this color looks at wavelets that arrive on `color` from a side: the partner's where the side
        is swapped, else its own (S0:115-134)."""
        return color == (self.color ^ 1 if self.swaps & SWAP_OF_SIDE[side] else self.color)

    def takes(self, side: int) -> bool:
        """Whether a wavelet from this side can land next cycle: the input position names the side and there is
        room. The fabric adder takes its core operand besides."""
        if side == self.input:
            return len(self.buffer) < ROUTER_DEPTH
        return self.adder is not None and side == C and not self.down and self.adder.has_room()

    def land(self, wavelet: Wavelet, side: int, now: int) -> None:
        """A wavelet lands in cycle `now`; a control wavelet, or a flip from the own core, moves the input switch."""
        if wavelet.color != self.color:
            wavelet = wavelet._replace(color=self.color)
        timing = self.tile.fabric.timing
        ready = now + timing.hop - 1
        if self.adder is not None:
            ready += timing.fabric_adder
            if side == C:
                self.adder.operand(wavelet, ready, self.tile)
                self.tile.wake_router(ready)
                return
        onward = wavelet
        if self.bank is None:
            if wavelet.ctrl:
                onward = self._obey_in(wavelet, now)
            if wavelet.lf:
                if side == C:
                    self._move_input(self._next(self.in_pos), "flip", wavelet, now)
                onward = onward._replace(lf=False)
        elif wavelet.half:
            raise FabricFault(
                "FB402", now, self.tile.x, self.tile.y, self.color, LINK_LETTER[side], born=wavelet.born
            )
        self.buffer.append(Held(ready, wavelet, side, onward))
        self.tile.router.busy[self.color] = self
        self.tile.wake_router(ready)

    # --- switches --------------------------------------------------------------------------------------------

    def _next(self, position: int) -> int:
        """Where an advance leads from a position; the same position where it has no effect."""
        if not self.switches:
            return position
        if position < 3 and self.codes[position + 1] != POSITION_UNUSED:
            return position + 1
        return 0 if self.ring else position

    def _obey_in(self, wavelet: Wavelet, now: int) -> Wavelet:
        """Command 0 moves the input switch; returns the wavelet for the next router, popped as the rule says."""
        op = command(wavelet.data) & ~NOCE
        before = self.in_pos
        if op == CMD_ADVANCE:
            self._move_input(self._next(before), "advance", wavelet, now)
        elif op == CMD_RESET and self.switches:
            self._move_input(0, "reset", wavelet, now)
        moved = op == CMD_ADVANCE and self.in_pos != before
        if self.pop_always or (self.pop_advance and moved) or (self.pop_nop and op == CMD_NOP):
            return wavelet._replace(data=popped(wavelet.data))
        return wavelet

    def _move_input(self, position: int, why: str, wavelet: Wavelet, now: int) -> None:
        if position == self.in_pos:
            return
        old, self.in_pos = self.in_pos, position
        before = self.input
        self.apply_positions()
        if self.input != before:
            self.tile.wake_around(now)
        observer = self.tile.fabric.observer
        if observer is not None:
            observer.switch_change(now, self.tile, self.color, "input", old, position, why, wavelet)

    def left(self, wavelet: Wavelet, now: int) -> None:
        """A wavelet has been taken by all its outputs in cycle `now`: its command moves the output switch, or
        takes the color down (hardware.md 1, 18)."""
        self.taken = 0
        if not wavelet.ctrl or self.bank is not None:
            return
        op = command(wavelet.data) & ~NOCE
        position = self.out_pos
        if op == CMD_ADVANCE:
            position = self._next(position)
        elif op == CMD_RESET and self.switches:
            position = 0
        elif op == CMD_TEARDOWN:
            self.tile.registers.enter_teardown(self.color, now)
        if position != self.out_pos:
            old, self.out_pos = self.out_pos, position
            self.apply_positions()
            observer = self.tile.fabric.observer
            if observer is not None:
                why = COMMAND_NAMES[op]
                observer.switch_change(now, self.tile, self.color, "output", old, position, why, wavelet)

    # --- departure -------------------------------------------------------------------------------------------

    def needed(self, held: Held) -> int:
        """The ports that have to take the head: those of the output position, without the core for a control
        wavelet whose command has noce set (hardware.md 9 and 15)."""
        if held.wavelet.ctrl and self.outputs & 1 << C and command(held.wavelet.data) & NOCE:
            return self.outputs & ~(1 << C)
        return self.outputs

    def describe(self, side: str, position: int) -> str:
        """The columns E N W S R of a position, as router logs show them (S4:18724)."""
        code = self.codes[position]
        mask = code & 31 if side == "output" else 1 << (code >> 5) if code >> 5 <= C else 0
        return "".join(letter if mask >> LINK_LETTER.index(letter) & 1 else " " for letter in "ENWSR")
