"""Sets of tiles, symbolic at wafer scale.

A set is kept as groups of rows that look alike: a pair of integers used as bit masks, the rows of the group and
the columns that each of these rows holds. A rectangle is one group whatever its size, a checkerboard two, and
union, difference, shift and mirror are a few operations on integers of some hundred bits. Groups have disjoint
rows, different columns, none empty; they are sorted, so equal sets compare equal.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from typing import NamedTuple

from fabric.rects import Rect


class Box(NamedTuple):
    """A rectangle of tiles: columns x..x+w-1, rows y..y+h-1."""

    x: int
    y: int
    w: int
    h: int


def ones(n: int) -> int:
    """A mask with the n lowest bits set."""
    return (1 << n) - 1


def low_bit(mask: int) -> int:
    """The number of the lowest bit set; the mask is not 0."""
    return (mask & -mask).bit_length() - 1


def runs(mask: int) -> Iterator[tuple[int, int]]:
    """Maximal runs (start, length) of set bits, lowest first."""
    at = 0
    while mask:
        skip = low_bit(mask)
        mask >>= skip
        length = low_bit(~mask)
        yield at + skip, length
        mask >>= length
        at += skip + length


def bits(mask: int) -> Iterator[int]:
    """The numbers of the set bits, lowest first."""
    for start, length in runs(mask):
        yield from range(start, start + length)


def repeat(mask: int, step: int, n: int) -> int:
    """The union of n copies of a mask, each `step` bits above the one before."""
    result, block, at = 0, mask, step
    # Doubling: `block` is the union of a power of two of copies, `at` the shift of as many.
    while n:
        if n & 1:
            result = result << at | block
        block |= block << at
        at *= 2
        n >>= 1
    return result


def reverse(mask: int, width: int) -> int:
    """The mask mirrored within `width` bits."""
    return int(bin(mask | 1 << width)[:2:-1], 2) if width else 0


def strides(mask: int) -> list[tuple[int, int, int]]:
    """(start, count, step) progressions that make up the set bits, as few as an evenly spaced pattern allows."""
    found = list(runs(mask))
    if len(found) > 1:
        start, length = found[0]
        step = found[1][0] - start
        if length <= len(found) and all(r == (start + i * step, length) for i, r in enumerate(found)):
            return [(start + i, len(found), step) for i in range(length)]
    return [(start, length, 1) for start, length in found]


@dataclass(frozen=True)
class TileSet:
    """A set of tiles. Bit i of a row mask is row y+i, bit j of a column mask is column x+j; both masks of the
    whole set start at bit 0, so (x, y) is the corner of the bounding box."""

    x: int
    y: int
    groups: tuple[tuple[int, int], ...]

    # -- making ---------------------------------------------------------------------------------------------

    @staticmethod
    def box(x: int, y: int, w: int, h: int) -> TileSet:
        """A rectangle; empty when w or h is 0."""
        return TileSet(x, y, ((ones(h), ones(w)),)) if w > 0 and h > 0 else EMPTY

    @staticmethod
    def make(x: int, y: int, groups: Iterable[tuple[int, int]]) -> TileSet:
        """The set of groups with disjoint rows, brought to its one form."""
        by_columns: dict[int, int] = {}
        for rows, columns in groups:
            if rows and columns:
                by_columns[columns] = by_columns.get(columns, 0) | rows
        if not by_columns:
            return EMPTY
        all_rows = all_columns = 0
        for columns, rows in by_columns.items():
            all_rows |= rows
            all_columns |= columns
        sx, sy = low_bit(all_columns), low_bit(all_rows)
        return TileSet(
            x + sx, y + sy, tuple(sorted((rows >> sy, columns >> sx) for columns, rows in by_columns.items()))
        )

    # -- asking ---------------------------------------------------------------------------------------------

    def __bool__(self) -> bool:
        return bool(self.groups)

    @cached_property
    def columns(self) -> int:
        """Mask of the columns that hold a tile, from x."""
        mask = 0
        for _, c in self.groups:
            mask |= c
        return mask

    @cached_property
    def rows(self) -> int:
        """Mask of the rows that hold a tile, from y."""
        mask = 0
        for r, _ in self.groups:
            mask |= r
        return mask

    @property
    def w(self) -> int:
        return self.columns.bit_length()

    @property
    def h(self) -> int:
        return self.rows.bit_length()

    def count(self) -> int:
        """The number of tiles."""
        return sum(r.bit_count() * c.bit_count() for r, c in self.groups)

    @cached_property
    def total(self) -> int:
        """`count()`, kept."""
        return self.count()

    @cached_property
    def first_box(self) -> Box:
        """A rectangle of the set, which is not empty."""
        return next(self.boxes())

    def has(self, x: int, y: int) -> bool:
        i, j = x - self.x, y - self.y
        return i >= 0 and j >= 0 and any(r >> j & 1 and c >> i & 1 for r, c in self.groups)

    def first(self) -> tuple[int, int]:
        """The tile with the smallest y, then x; the set is not empty."""
        row = min(self.groups, key=lambda g: low_bit(g[0]))
        return self.x + low_bit(row[1]), self.y + low_bit(row[0])

    def boxes(self) -> Iterator[Box]:
        """Disjoint rectangles that make up the set, lowest rows first."""
        for rows, columns in self.groups:
            for y, h in runs(rows):
                for x, w in runs(columns):
                    yield Box(self.x + x, self.y + y, w, h)

    def sample(self, n: int) -> list[Box]:
        """The first n of `boxes` or fewer, by row and column, without going over all of a large pattern."""
        found: list[Box] = []
        for rows, columns in self.groups:
            for y, h in islice(runs(rows), n):
                found += [Box(self.x + x, self.y + y, w, h) for x, w in islice(runs(columns), n)]
        return sorted(found, key=lambda b: (b.y, b.x))[:n]

    def rects(self) -> list[Rect]:
        """Disjoint rectangles and grids with strides that make up the set, fewer than `boxes` in a pattern."""
        return [
            Rect(self.x + x, self.y + y, w, h, dx, dy)
            for rows, columns in self.groups
            for y, h, dy in strides(rows)
            for x, w, dx in strides(columns)
        ]

    # -- moving ---------------------------------------------------------------------------------------------

    def moved(self, dx: int, dy: int) -> TileSet:
        return TileSet(self.x + dx, self.y + dy, self.groups) if self.groups else self

    def repeated(self, dx: int, nx: int, dy: int, ny: int) -> TileSet:
        """nx x ny copies, dx columns and dy rows apart; copies do not overlap."""
        if nx <= 0 or ny <= 0:
            return EMPTY
        return TileSet.make(self.x, self.y, ((repeat(r, dy, ny), repeat(c, dx, nx)) for r, c in self.groups))

    def mirrored(self, axis: str, low: int, high: int) -> TileSet:
        """Mirrored along "x" or "y" within the columns (or rows) low..high-1."""
        if not self.groups:
            return self
        if axis == "x":
            w = self.w
            return TileSet.make(low + high - self.x - w, self.y, ((r, reverse(c, w)) for r, c in self.groups))
        h = self.h
        return TileSet.make(self.x, low + high - self.y - h, ((reverse(r, h), c) for r, c in self.groups))

    # -- algebra --------------------------------------------------------------------------------------------

    def _aligned(self, x: int, y: int) -> list[tuple[int, int]]:
        dx, dy = self.x - x, self.y - y
        return [(r << dy, c << dx) for r, c in self.groups]

    def __or__(self, other: TileSet) -> TileSet:
        if not self.groups:
            return other
        if not other.groups or self == other:
            return self
        x, y = min(self.x, other.x), min(self.y, other.y)
        result: list[tuple[int, int]] = []
        rest = self._aligned(x, y)
        for r2, c2 in other._aligned(x, y):
            after: list[tuple[int, int]] = []
            for r1, c1 in rest:
                both = r1 & r2
                if both:
                    result.append((both, c1 | c2))
                    r1 &= ~both
                    r2 &= ~both
                if r1:
                    after.append((r1, c1))
            rest = after
            if r2:
                result.append((r2, c2))
        return TileSet.make(x, y, result + rest)

    def __and__(self, other: TileSet) -> TileSet:
        if not self.meets_box_of(other):
            return EMPTY
        x, y = min(self.x, other.x), min(self.y, other.y)
        theirs = other._aligned(x, y)
        return TileSet.make(x, y, [(r1 & r2, c1 & c2) for r1, c1 in self._aligned(x, y) for r2, c2 in theirs])

    def __sub__(self, other: TileSet) -> TileSet:
        if not self.meets_box_of(other):
            return self
        x, y = min(self.x, other.x), min(self.y, other.y)
        theirs = other._aligned(x, y)
        result: list[tuple[int, int]] = []
        for r1, c1 in self._aligned(x, y):
            for r2, c2 in theirs:
                if r1 & r2:
                    result.append((r1 & r2, c1 & ~c2))
                    r1 &= ~r2
            result.append((r1, c1))
        return TileSet.make(x, y, result)

    def meets_box_of(self, other: TileSet) -> bool:
        """Whether the bounding boxes overlap."""
        return (
            bool(self.groups and other.groups)
            and self.x < other.x + other.w
            and other.x < self.x + self.w
            and self.y < other.y + other.h
            and other.y < self.y + self.h
        )

    def edge(self, direction: str) -> TileSet:
        """The tiles of the set whose neighbour in direction L, R, U or D is not in the set (paint.md 5)."""
        dx, dy = {"L": (1, 0), "R": (-1, 0), "U": (0, -1), "D": (0, 1)}[direction]
        return self - self.moved(dx, dy)


EMPTY = TileSet(0, 0, ())


def union(sets: Iterable[TileSet]) -> TileSet:
    """The union of many sets, by halves so that long lists of single tiles stay cheap."""
    work = [s for s in sets if s]
    while len(work) > 1:
        work = [work[i] | work[i + 1] if i + 1 < len(work) else work[i] for i in range(0, len(work), 2)]
    return work[0] if work else EMPTY
