"""What crosses a kernel's border, and the hardware objects with a memory of their own (tungsten.md 5, 6).

A socket's input is a row of wavelets. 16-bit sends stay separate here: whether two of them shared a wavelet on the
way makes no difference to reads of 16 bits, and a 32-bit read takes two.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import NamedTuple

from tungsten import tree as t

CONTROL_NOBODY = 31  # the task id of a control wavelet that no task takes


class Wave(NamedTuple):
    """One send: `bits` 16 or 32, its pattern, whether it has the control bit, whether it flips the input switch."""

    bits: int
    value: int
    control: bool = False
    flip: bool = False

    @property
    def task(self) -> int:
        """The task id that a control wavelet names."""
        return self.value >> 16 & 0x3F

    @property
    def reaches_core(self) -> bool:
        """Not kept from the core by the noce bit of its first command (hardware.md 15)."""
        return not (self.control and (self.value >> 24) & 1)


@dataclass
class Counter:
    """A counter filter: P+1 data wavelets pass, then L-P are dropped; `state` 64 starts with the dropped ones."""

    filter: t.Filter
    seen: int = 0

    def __post_init__(self) -> None:
        if self.filter.state & 64:
            self.seen = self.filter.maxpass + 1

    def passes(self, wave: Wave) -> bool:
        if wave.control:
            return True
        now = self.seen % (self.filter.limit + 1)
        self.seen += 1
        return now <= self.filter.maxpass


class Channel:
    """The wavelets that wait for a kernel on one socket."""

    def __init__(self, counters: Iterable[Counter] = ()) -> None:
        self.waves: deque[Wave] = deque()
        self.counters = list(counters)
        self.high: int | None = None  # the other half of a wavelet of which the low one was read

    def put(self, wave: Wave) -> None:
        if wave.reaches_core and all(c.passes(wave) for c in self.counters):
            self.waves.append(wave)

    def _halves(self) -> int:
        """16-bit reads that are possible, up to a control wavelet; counting stops at two."""
        n = 0 if self.high is None else 1
        for wave in self.waves:
            if wave.control or n >= 2:
                break
            n += wave.bits // 16
        return n

    def ready(self, bits: int) -> bool:
        """A read of this many bits can be done now."""
        return self._halves() >= bits // 16

    def read(self, bits: int) -> int:
        """Reads 16 or 32 bits: of two halves the first one is the low one."""
        if bits == 32:
            if self.high is None and self.waves[0].bits == 32:
                return self.waves.popleft().value
            low = self.read(16)
            return self.read(16) << 16 | low
        if self.high is not None:
            value, self.high = self.high, None
            return value
        wave = self.waves.popleft()
        if wave.bits == 32:
            self.high = wave.value >> 16
        return wave.value & 0xFFFF

    def next(self) -> Wave | None:
        """The wavelet at the head, for a handler; what is left of a half-read one comes first."""
        if self.high is not None:
            return Wave(16, self.high)
        return self.waves[0] if self.waves else None

    def take(self) -> Wave:
        """Takes the wavelet at the head as a whole."""
        wave = self.next()
        assert wave is not None
        if self.high is not None:
            self.high = None
        else:
            self.waves.popleft()
        return wave


@dataclass
class Ring:
    """A FIFO's state; its elements lie in its array, round and round."""

    capacity: int
    head: int = 0
    count: int = 0

    def push(self) -> int:
        """The element to write."""
        self.count += 1
        return (self.head + self.count - 1) % self.capacity

    def pop(self) -> int:
        """The element to read."""
        at = self.head
        self.head = (self.head + 1) % self.capacity
        self.count -= 1
        return at


@dataclass
class Walk:
    """The position of an iterator: how far each level is, outermost first. The innermost moves first, each inner
    level starts over when it is done, and the outermost one goes on counting."""

    iterator: t.Iterator
    position: list[int] = field(default_factory=list)

    def __post_init__(self) -> None:
        if not self.position:
            self.reset()

    def reset(self) -> None:
        self.position = [0] * len(self.iterator.levels)

    def copy(self) -> Walk:
        return Walk(self.iterator, list(self.position))

    def step(self, counts: list[int]) -> None:
        """One element on; `counts` are the sizes of the levels."""
        for k in reversed(range(len(self.position))):
            self.position[k] += 1
            if k == 0 or self.position[k] < counts[k]:
                return
            self.position[k] = 0
