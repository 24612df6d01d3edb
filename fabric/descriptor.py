"""Descriptors in memory: the 4 words of a DSD and the blocks that some kinds point to.

- word 0: bits 3:0 kind; bit 8 control (every wavelet of a fabric output has the control bit); bit 9 advance_switch
  (the last wavelet moves this tile's input switch: a local flip); bit 11 endless;
- word 1: base address (mem1d, mem4d, iterator), queue number (fabric), address of the block (fifo);
- word 2: extent in elements;
- word 3: stride in elements, signed (mem1d); address of the X block (mem4d) or of the I block (iterator).

X block, 9 words: number of dimensions, then (extent, stride) four times, innermost first; strides in elements, each
the step of its own index (an element is at base + sum of index * stride).
I block, 14 words: as an X block, then endless 0 or 1, then the four positions, which the machine advances.
FIFO block, 4 words: buffer address, capacity in elements, head, count.

The element size of a descriptor is that of the operation's operand (hardware.md 5; the encoding is ours).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

WORDS = 4
NULL, MEM1D, MEM4D, FABIN, FABOUT, FIFO, ITERATOR = range(7)
KINDS = ("null", "mem1d", "mem4d", "fabin", "fabout", "fifo", "iterator")
CONTROL, ADVANCE_SWITCH, ENDLESS = 1 << 8, 1 << 9, 1 << 11
MAX_DIMENSIONS = 4
XBLOCK_WORDS, IBLOCK_WORDS, FIFO_WORDS = 9, 14, 4
IBLOCK_ENDLESS, IBLOCK_POSITION = 9, 10
FIFO_BUFFER, FIFO_CAPACITY, FIFO_HEAD, FIFO_COUNT = range(4)


@dataclass(frozen=True)
class Descriptor:
    """The fields of a DSD; `where` is word 1, `last` word 3 (a stride as a signed number for mem1d)."""

    kind: int
    where: int = 0
    extent: int = 0
    last: int = 0
    control: bool = False
    advance_switch: bool = False
    endless: bool = False

    def words(self) -> list[int]:
        """The four words. Raises ValueError when a field does not fit."""
        flags = self.control * CONTROL | self.advance_switch * ADVANCE_SWITCH | self.endless * ENDLESS
        if not (0 <= self.kind < len(KINDS) and 0 <= self.where <= 0xFFFF and 0 <= self.extent <= 0xFFFF):
            raise ValueError(f"no such descriptor: {self}")
        if not -0x8000 <= self.last <= 0xFFFF:
            raise ValueError(f"no such descriptor: {self}")
        return [self.kind | flags, self.where, self.extent, self.last & 0xFFFF]

    @staticmethod
    def of(words: Sequence[int]) -> Descriptor:
        """The fields of four words. Raises ValueError for an unknown kind or unused bits that are set."""
        w0, where, extent, last = (int(w) for w in words[:WORDS])
        kind = w0 & 15
        if kind >= len(KINDS) or w0 & ~(15 | CONTROL | ADVANCE_SWITCH | ENDLESS):
            raise ValueError(f"0x{w0:04x} is no first word of a descriptor")
        if kind == MEM1D and last & 0x8000:
            last -= 0x10000
        return Descriptor(kind, where, extent, last, bool(w0 & CONTROL), bool(w0 & ADVANCE_SWITCH), bool(w0 & ENDLESS))


def x_block(dims: Sequence[tuple[int, int]]) -> list[int]:
    """The X block of (extent, stride) pairs, innermost first; unused pairs are (1, 0). Raises ValueError."""
    if not 1 <= len(dims) <= MAX_DIMENSIONS:
        raise ValueError(f"a descriptor has 1 to {MAX_DIMENSIONS} dimensions, not {len(dims)}")
    out = [len(dims)]
    for extent, stride in [*dims, *[(1, 0)] * (MAX_DIMENSIONS - len(dims))]:
        if not (0 <= extent <= 0xFFFF and -0x8000 <= stride <= 0xFFFF):
            raise ValueError(f"extent {extent} or stride {stride} is out of range")
        out += [extent, stride & 0xFFFF]
    return out


def i_block(dims: Sequence[tuple[int, int]], endless: bool = False) -> list[int]:
    """The I block of an iterator at its start. Raises ValueError."""
    return [*x_block(dims), int(endless), 0, 0, 0, 0]


def fifo_block(buffer: int, capacity: int) -> list[int]:
    """The block of an empty FIFO."""
    return [buffer, capacity, 0, 0]
