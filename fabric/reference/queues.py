"""The queues between a core and its router (S0:53-68, hardware.md 3 and 14.1).

An input queue is read as a queue of halves: a 16-bit read takes the low half of a wavelet first and leaves the
high one for the next read; a half-wavelet is one half. An output queue packs two 16-bit sends into one wavelet
when the second is in the queue as the first leaves (S0:46, tungsten.md 5). Depths are in wavelets.
"""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, NamedTuple

from fabric.arch import COLORS, INPUT_DEPTH, NO_COLOR, OUTPUT_DEPTH
from fabric.reference.wavelet import Born, Wavelet

if TYPE_CHECKING:
    from fabric.reference.tile import Tile


class Arrived(NamedTuple):
    """A wavelet in an input queue; an issue can read it from cycle `ready` on."""

    ready: int
    wavelet: Wavelet


class InputQueue:
    """One input queue. `color` 31 = none; `mode` is the word at INPUT_MODE (bit 0: a data task runs once a half).

    A control wavelet keeps its place: data behind it can't be read before it is taken.
    """

    def __init__(self, tile: Tile, number: int) -> None:
        self.tile = tile
        self.number = number
        self.depth = INPUT_DEPTH[number]
        self.color = NO_COLOR
        self.mode = 0
        self.entries: deque[Arrived] = deque()
        self.half_taken = False  # the low half of the head wavelet has been read

    @property
    def full(self) -> bool:
        return len(self.entries) >= self.depth

    def deliver(self, wavelet: Wavelet, ready: int) -> None:
        """The router puts a wavelet in; there must be room."""
        self.entries.append(Arrived(ready, wavelet))

    def peek(self, now: int) -> Wavelet | None:
        """The head wavelet when an issue at `now` can read it, data or control; the rest of a half-read one too."""
        if self.entries and self.entries[0].ready <= now:
            return self.entries[0].wavelet
        return None

    def available_halves(self, now: int) -> int:
        """How many 16-bit reads an issue at `now` can do, up to the first control wavelet."""
        n = -1 if self.half_taken else 0
        for ready, wavelet in self.entries:
            if ready > now or wavelet.ctrl:
                break
            n += wavelet.halves
        return n

    def available_words(self, now: int) -> int:
        """How many 32-bit reads an issue at `now` can do.

        A half-wavelet that is left over with no half behind it is read alone, zero-extended; the left-over high
        half of a 32-bit wavelet waits for its other half.
        """
        n = -1 if self.half_taken else 0
        last: Wavelet | None = None
        for ready, wavelet in self.entries:
            if ready > now or wavelet.ctrl:
                break
            n += wavelet.halves
            last = wavelet
        return n // 2 + (1 if n % 2 and last is not None and last.half else 0)

    def next_ready(self, now: int) -> int | None:
        """The next cycle after `now` in which a further wavelet becomes readable, or None when none is on its way."""
        return next((ready for ready, _ in self.entries if ready > now), None)

    def take16(self, now: int) -> int:
        """Reads one half. There must be one: `available_halves(now) >= 1`."""
        wavelet = self.entries[0].wavelet
        if self.half_taken:
            value = wavelet.data >> 16
        else:
            value = wavelet.data & 0xFFFF
            if not wavelet.half:
                self.half_taken = True
                return value
        self._drop(now)
        return value

    def take32(self, now: int) -> int:
        """Reads two halves, the first one as the low half. There must be a word: `available_words(now) >= 1`."""
        wavelet = self.entries[0].wavelet
        if not self.half_taken and not wavelet.half:
            self._drop(now)
            return wavelet.data
        low = self.take16(now)
        if self.available_halves(now) < 1:
            return low
        return self.take16(now) << 16 | low

    def take_wavelet(self, now: int) -> Wavelet:
        """Takes the head wavelet, data or control, as a whole (what is left of a half-read one is lost)."""
        wavelet = self.entries[0].wavelet
        self._drop(now)
        return wavelet

    def _drop(self, now: int) -> None:
        if self.full:
            self.tile.wake_router(now + 1)
        self.entries.popleft()
        self.half_taken = False


class Sent(NamedTuple):
    """One send in an output queue: it can leave from cycle `ready` on. `bits` is 16 or 32."""

    ready: int
    value: int
    bits: int
    color: int
    ctrl: bool
    flip: bool
    born: Born

    @property
    def packs(self) -> bool:
        """It may share a wavelet with the 16-bit send before it."""
        return self.bits == 16 and not self.ctrl


class OutputQueue:
    """One output queue. A send takes its place when it issues and can leave from its `ready` cycle on."""

    def __init__(self, tile: Tile, number: int) -> None:
        self.tile = tile
        self.number = number
        self.depth = OUTPUT_DEPTH[number]
        self.color = NO_COLOR
        self.entries: deque[Sent] = deque()
        self.blocked = False  # the head has been reported as held back

    def _fill(self) -> tuple[int, bool]:
        """Places taken, two packed 16-bit sends as one; and whether a further 16-bit send would join the last."""
        places = 0
        alone: Sent | None = None  # the last send, if it has a place of its own
        for sent in self.entries:
            if alone is not None and _pair(alone, sent):
                alone = None
            else:
                places += 1
                alone = sent
        joins = alone is not None and alone.packs and not alone.flip and alone.color == self.color
        return places, joins

    @property
    def wavelets(self) -> int:
        """Places taken."""
        return self._fill()[0]

    def room(self, bits: int) -> int:
        """How many data sends of 16 or 32 bits can issue now before the queue is full."""
        places, joins = self._fill()
        free = self.depth - places
        return free if bits == 32 else 2 * free + joins

    def push(self, value: int, bits: int, ctrl: bool, flip: bool, ready: int, pc: int = 0) -> None:
        """An instruction that issues now sends a value; it enters the queue in cycle `ready`. There must be room."""
        ready += self.tile.fabric.timing.output_queue_to_router - 1  # the first cycle in which it can leave
        born = Born(self.tile.now, self.tile.index, pc)
        self.entries.append(Sent(ready, value, bits, self.color, ctrl, flip, born))
        self.tile.router.loaded.add(self.number)
        self.tile.wake_router(ready)

    def leaving(self, now: int) -> int:
        """How many of the sends at the head would leave as one wavelet in this cycle: 0, 1, or 2 packed ones."""
        entries = self.entries
        if not entries or entries[0].ready > now or entries[0].color >= COLORS:
            return 0
        if len(entries) > 1 and entries[1].ready <= now and _pair(entries[0], entries[1]):
            return 2
        return 1

    def pop(self, sends: int) -> Wavelet:
        """Takes the wavelet of the first one or two sends out; the router gives it its ident."""
        first = self.entries.popleft()
        self.blocked = False
        if sends == 1:
            half = first.bits == 16
            return Wavelet(
                first.value, first.color, first.ctrl, half and not first.ctrl, 0, first.flip, first.born
            )
        second = self.entries.popleft()
        return Wavelet(
            second.value << 16 | first.value, first.color, False, False, 0, second.flip, first.born
        )


def _pair(first: Sent, second: Sent) -> bool:
    """Two neighbouring sends share a wavelet. A flip belongs to the last word, so nothing joins behind it."""
    return first.packs and second.packs and not first.flip and first.color == second.color
