"""Vector operands: what a DSR's descriptor means, element by element (S0:81-85, hardware.md 5).

The words of descriptors and of their blocks are those of `fabric.descriptor`. An operand says how many elements can
go in one cycle (`ready`), where its next group starts (`address`, for bank conflicts), and reads or writes a group.
A descriptor is captured when its instruction starts.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fabric.descriptor import (
    ADVANCE_SWITCH,
    CONTROL,
    ENDLESS,
    FABIN,
    FABOUT,
    FIFO,
    FIFO_BUFFER,
    FIFO_CAPACITY,
    FIFO_COUNT,
    FIFO_HEAD,
    IBLOCK_ENDLESS,
    IBLOCK_POSITION,
    ITERATOR,
    KINDS,
    MAX_DIMENSIONS,
    MEM1D,
    MEM4D,
    NULL,
)
from fabric.reference.core_fault import CoreFault

if TYPE_CHECKING:
    from fabric.reference.core import Core

MANY = 1 << 30  # more than any group


def stride_limit(stride: int) -> int:
    """Elements a cycle that a stride allows (hardware.md 6 and 14.4): full for 0, 1 and 2, 3, 5, 6 modulo 8; two for
    other 1 and 7 and for 4; one for other multiples of 8."""
    if stride in (0, 1):
        return MANY
    rest = stride % 8
    if rest == 0:
        return 1
    return 2 if rest in (1, 4, 7) else MANY


class Operand:
    """What all operands share. `words` is the size of one element, 1 or 2."""

    kind = NULL
    queue: int | None = None  # the queue that the operand holds while its instruction is live
    bank = False  # a memory source that can collide with another
    extent = 0
    endless = False

    def ready(self, now: int) -> int:
        """Elements that can go in cycle `now`; 0: the thread waits."""
        return MANY

    def limit(self) -> int:
        """Elements a cycle that the addresses allow."""
        return MANY

    def address(self) -> int:
        """Where the next group starts (memory operands)."""
        return 0

    def read(self, n: int, now: int) -> list[int]:
        """The next n elements, in order, and steps past them."""
        raise AssertionError("not a source")

    def peek(self, n: int, now: int) -> list[int]:
        """The next n elements without stepping: the destination of a multiply-add is read first."""
        raise AssertionError("not a memory operand")

    def write(self, values: list[int], now: int) -> None:
        """Writes the next elements in order, and steps past them."""
        raise AssertionError("not a destination")

    def descriptor(self) -> list[int]:
        """The words of the descriptor that it was captured from, as far as `position` does not replace them: the DSR
        may hold another by now."""
        return [self.kind | (ENDLESS if self.endless else 0), 0, self.extent, 0]

    def position(self) -> list[int]:
        """What an operand has to remember besides its descriptor, for a checkpoint."""
        return []

    def resume(self, position: list[int]) -> None:
        """Takes `position` back."""


class Constant(Operand):
    """A scalar source of a vector instruction, captured at its start."""

    def __init__(self, value: int) -> None:
        self.value = value

    def read(self, n: int, now: int) -> list[int]:
        return [self.value] * n

    def position(self) -> list[int]:
        return [self.value]

    def resume(self, position: list[int]) -> None:
        (self.value,) = position


class Array(Operand):
    """mem1d: base, extent, stride."""

    kind = MEM1D

    def __init__(self, core: Core, dsd: list[int], words: int) -> None:
        stride = dsd[3] - 0x10000 if dsd[3] & 0x8000 else dsd[3]
        self.core = core
        self.words = words
        self.at = dsd[1]
        self.step = stride * words
        self.extent = dsd[2]
        self.endless = bool(dsd[0] & ENDLESS)
        self.bank = stride != 0
        self._limit = stride_limit(stride)

    def descriptor(self) -> list[int]:
        word, _, extent, _ = super().descriptor()
        return [word, 0, extent, self.step // self.words & 0xFFFF]

    def limit(self) -> int:
        return self._limit

    def address(self) -> int:
        return self.at

    def _addresses(self, n: int) -> list[int]:
        at, step = self.at, self.step
        return [(at + k * step) & 0xFFFF for k in range(n)]

    def _advance(self, n: int) -> None:
        self.at = (self.at + n * self.step) & 0xFFFF

    def peek(self, n: int, now: int) -> list[int]:
        load = self.core.load if self.words == 1 else self.core.load32
        return [load(a) for a in self._addresses(n)]

    def read(self, n: int, now: int) -> list[int]:
        values = self.peek(n, now)
        self._advance(n)
        return values

    def write(self, values: list[int], now: int) -> None:
        store = self.core.store if self.words == 1 else self.core.store32
        for address, value in zip(self._addresses(len(values)), values, strict=True):
            store(address, value)
        self._advance(len(values))

    def position(self) -> list[int]:
        return [self.at]

    def resume(self, position: list[int]) -> None:
        (self.at,) = position


class Grid(Array):
    """mem4d: up to four dimensions, innermost first. A group ends where the innermost dimension ends; past the last
    element the walk starts over."""

    kind = MEM4D

    def __init__(self, core: Core, dsd: list[int], words: int) -> None:
        block = dsd[3]
        dims = core.load(block)
        if not 1 <= dims <= MAX_DIMENSIONS:
            raise core.fault("FB513", address=block, dims=dims, what=KINDS[self.kind])
        self.core = core
        self.words = words
        self.base = dsd[1]
        self.block = block
        self.extent = dsd[2]
        self.endless = bool(dsd[0] & ENDLESS)
        raw = [core.load(block + 1 + k) for k in range(2 * dims)]
        self.extents = [max(e, 1) for e in raw[0::2]]
        strides = [s - 0x10000 if s & 0x8000 else s for s in raw[1::2]]
        self.steps = [s * words for s in strides]
        self.index = [0] * dims
        self.bank = any(strides)
        self._limit = stride_limit(strides[0])
        self._place()

    def descriptor(self) -> list[int]:
        return [self.kind | (ENDLESS if self.endless else 0), self.base, self.extent, self.block]

    def _place(self) -> None:
        self.at = (self.base + sum(i * s for i, s in zip(self.index, self.steps, strict=True))) & 0xFFFF
        self.step = self.steps[0]

    def ready(self, now: int) -> int:
        return self.extents[0] - self.index[0]

    def _advance(self, n: int) -> None:
        self.index[0] += n
        for k in range(len(self.index)):
            if self.index[k] < self.extents[k]:
                break
            self.index[k] = 0
            if k + 1 < len(self.index):
                self.index[k + 1] += 1
        self._place()

    def position(self) -> list[int]:
        return [*self.index, *self.extents, *self.steps]

    def resume(self, position: list[int]) -> None:
        n = len(position) // 3
        self.index, self.extents, self.steps = position[:n], position[n : 2 * n], position[2 * n :]
        self._place()


class Iterator(Grid):
    """A walk whose position stays in its I block from statement to statement. An endless one starts over when its
    levels are done; else the outermost level goes on counting past its extent."""

    kind = ITERATOR

    def __init__(self, core: Core, dsd: list[int], words: int) -> None:
        super().__init__(core, dsd, words)
        if not core.load(self.block + IBLOCK_ENDLESS):
            self.extents[-1] = MANY
        self.index = [core.load(self.block + IBLOCK_POSITION + k) for k in range(len(self.index))]
        self._place()

    def _advance(self, n: int) -> None:
        super()._advance(n)
        for k, i in enumerate(self.index):
            self.core.store(self.block + IBLOCK_POSITION + k, i & 0xFFFF)


class Fifo(Operand):
    """A ring of elements in memory: pushing waits while it is full, popping while it is empty."""

    kind = FIFO

    def __init__(self, core: Core, dsd: list[int], words: int, pushes: bool) -> None:
        self.core = core
        self.words = words
        self.block = dsd[1]
        self.extent = dsd[2]
        self.endless = bool(dsd[0] & ENDLESS)
        self.pushes = pushes
        self.bank = not pushes
        self.buffer = core.load(self.block + FIFO_BUFFER)
        self.capacity = core.load(self.block + FIFO_CAPACITY)
        if not self.capacity:
            raise core.fault("FB514", address=self.block)

    def descriptor(self) -> list[int]:
        word, _, extent, _ = super().descriptor()
        return [word, self.block, extent, 0]

    def count(self) -> int:
        """Elements in it."""
        return self.core.load(self.block + FIFO_COUNT)

    def ready(self, now: int) -> int:
        n = self.count()
        return max(self.capacity - n, 0) if self.pushes else n

    def address(self) -> int:
        return (self.buffer + self.core.load(self.block + FIFO_HEAD) * self.words) & 0xFFFF

    def read(self, n: int, now: int) -> list[int]:
        core = self.core
        load = core.load if self.words == 1 else core.load32
        head = core.load(self.block + FIFO_HEAD)
        places = [(head + k) % self.capacity for k in range(n)]
        values = [load((self.buffer + p * self.words) & 0xFFFF) for p in places]
        core.store(self.block + FIFO_HEAD, (head + n) % self.capacity)
        core.store(self.block + FIFO_COUNT, (self.count() - n) & 0xFFFF)
        return values

    def write(self, values: list[int], now: int) -> None:
        core = self.core
        store = core.store if self.words == 1 else core.store32
        head, count = core.load(self.block + FIFO_HEAD), self.count()
        for k, value in enumerate(values):
            store((self.buffer + (head + count + k) % self.capacity * self.words) & 0xFFFF, value)
        core.store(self.block + FIFO_COUNT, count + len(values))

    def position(self) -> list[int]:
        return [self.buffer, self.capacity]

    def resume(self, position: list[int]) -> None:
        self.buffer, self.capacity = position


class Receive(Operand):
    """fabin: at most one wavelet a cycle; a 16-bit read takes the low half first, then the high one."""

    kind = FABIN

    def __init__(self, core: Core, dsd: list[int], words: int) -> None:
        self.words = words
        self.queue = _queue(core, dsd)
        self.input = core.tile.input_queues[self.queue]
        self.extent = dsd[2]
        self.endless = bool(dsd[0] & ENDLESS)

    def descriptor(self) -> list[int]:
        word, _, extent, _ = super().descriptor()
        return [word, self.queue or 0, extent, 0]

    def ready(self, now: int) -> int:
        wavelet = self.input.peek(now)
        if wavelet is None or wavelet.ctrl:
            return 0
        if self.words == 2:
            return min(self.input.available_words(now), 1)
        return 1 if wavelet.half or self.input.half_taken else 2

    def read(self, n: int, now: int) -> list[int]:
        take = self.input.take16 if self.words == 1 else self.input.take32
        return [take(now) for _ in range(n)]


class Send(Operand):
    """fabout: at most one wavelet a cycle. `left` counts down to the last word, which may flip the input switch."""

    kind = FABOUT

    def __init__(self, core: Core, dsd: list[int], words: int) -> None:
        self.core = core
        self.words = words
        self.queue = _queue(core, dsd)
        self.output = core.tile.output_queues[self.queue]
        self.control = bool(dsd[0] & CONTROL)
        self.flip = bool(dsd[0] & ADVANCE_SWITCH)
        self.extent = dsd[2]
        self.endless = bool(dsd[0] & ENDLESS)
        self.left = -1 if self.endless else self.extent
        self.pc = core.fault_pc
        timing = core.timing
        self.delay = timing.decode_to_execute + timing.execute_to_output_queue

    def descriptor(self) -> list[int]:
        word, _, extent, _ = super().descriptor()
        word |= (CONTROL if self.control else 0) | (ADVANCE_SWITCH if self.flip else 0)
        return [word, self.queue or 0, extent, 0]

    def ready(self, now: int) -> int:
        if self.words == 2 or self.control:
            return min(self.output.room(32), 1)
        return min(self.output.room(16), 2)

    def write(self, values: list[int], now: int) -> None:
        for value in values:
            self.left -= 1
            flip = self.flip and self.left == 0
            self.output.push(value, 16 * self.words, self.control, flip, now + self.delay, self.pc)

    def position(self) -> list[int]:
        return [self.left]

    def resume(self, position: list[int]) -> None:
        (self.left,) = position


def _queue(core: Core, dsd: list[int]) -> int:
    if dsd[1] >= len(core.tile.input_queues):
        raise core.fault("FB515", queue=dsd[1], what=KINDS[dsd[0] & 15])
    return dsd[1]


def source(core: Core, dsd: list[int], words: int, name: str) -> Operand:
    """The operand of a source DSR (`name` for messages). Raises CoreFault (FB512 to FB515)."""
    kind = dsd[0] & 15
    if kind == MEM1D:
        return Array(core, dsd, words)
    if kind == FABIN:
        return Receive(core, dsd, words)
    if kind == MEM4D:
        return Grid(core, dsd, words)
    if kind == FIFO:
        return Fifo(core, dsd, words, False)
    if kind == ITERATOR:
        return Iterator(core, dsd, words)
    raise _wrong(core, dsd, name, "a source")


def destination(core: Core, dsd: list[int], words: int, name: str) -> Operand:
    """The operand of a destination DSR. Raises CoreFault (FB512 to FB515)."""
    kind = dsd[0] & 15
    if kind == FABOUT:
        return Send(core, dsd, words)
    if kind == FIFO:
        return Fifo(core, dsd, words, True)
    if kind in (MEM1D, MEM4D, ITERATOR):
        return source(core, dsd, words, name)
    raise _wrong(core, dsd, name, "a destination")


def _wrong(core: Core, dsd: list[int], name: str, role: str) -> CoreFault:
    kind = dsd[0] & 15
    what = KINDS[kind] if kind < len(KINDS) else f"unknown kind {kind}"
    return core.fault("FB512", dsr=name, kind=what, role=role)


def snapshot(operand: Operand | None) -> Any:
    """The operand's position as plain data."""
    return None if operand is None else operand.position()
