"""Masks over a fabric drawn together: sets of tiles as single integers, for walks along routes.

Columns that look alike in all sets of interest are drawn together to three (first, middle, last), rows too. Every
tile of the plane then has the same neighbours as the tiles that it stands for, and a route crosses a wide field
in three steps. A set is one integer, a bit for each column of each row, so set operations on a whole wafer are
single operations of Python.
"""

from __future__ import annotations

from collections.abc import Iterable

from fabric import arch
from paint.tiles import Box, TileSet, bits, ones

Mask = int


def _ends(mask: int, at: int) -> int:
    """Bits, counted from 0, at which the runs of a mask that starts at bit `at` begin or end."""
    mask <<= at
    return mask ^ mask << 1


def _cuts(changes: int, low: int, high: int) -> list[int]:
    """Where drawn-together columns begin: at each change and one beside it on both sides, within [low, high)."""
    near = changes | changes << 1 | changes >> 1 | 1 << low
    return [c for c in bits(near & ones(high)) if c >= low]


class Plane:
    """The plane of a layout for some sets of tiles. `xs` and `ys` are the first columns and rows of the parts,
    with the end as last element. Coordinates are not negative."""

    def __init__(self, layout: TileSet, sets: Iterable[TileSet]) -> None:
        columns = rows = 0
        for s in (layout, *sets):
            for r, c in s.groups:
                columns |= _ends(c, s.x)
                rows |= _ends(r, s.y)
        self.xs = [*_cuts(columns, layout.x, layout.x + layout.w), layout.x + layout.w]
        self.ys = [*_cuts(rows, layout.y, layout.y + layout.h), layout.y + layout.h]
        # A free column at the end of each row keeps shifts within the rows; whole bytes make rows cheap to join.
        self.row_bytes = len(self.xs) // 8 + 1
        self.stride = 8 * self.row_bytes
        line = ones(len(self.xs) - 1).to_bytes(self.row_bytes, "little")
        self.full: Mask = int.from_bytes(line * (len(self.ys) - 1), "little")
        self._step = (-1, 1, self.stride, -self.stride)

    def mask(self, tiles: TileSet) -> Mask:
        """The mask of a set that was among the sets of the plane, or is made of them."""
        lines = [0] * (len(self.ys) - 1)
        for r, c in tiles.groups:
            line = 0
            for i, x in enumerate(self.xs[:-1]):
                if x >= tiles.x and c >> x - tiles.x & 1:
                    line |= 1 << i
            if line:
                for j, y in enumerate(self.ys[:-1]):
                    if y >= tiles.y and r >> y - tiles.y & 1:
                        lines[j] = line
        return int.from_bytes(b"".join(line.to_bytes(self.row_bytes, "little") for line in lines), "little")

    def tiles(self, mask: Mask) -> TileSet:
        """The set of tiles that a mask stands for."""
        data = mask.to_bytes(self.row_bytes * len(self.ys), "little")
        groups: dict[int, int] = {}
        for j in range(len(self.ys) - 1):
            line = int.from_bytes(data[j * self.row_bytes : (j + 1) * self.row_bytes], "little")
            if line:
                groups[line] = groups.get(line, 0) | ones(self.ys[j + 1] - self.ys[j]) << self.ys[j]
        whole = []
        for line, rows in groups.items():
            columns = 0
            for i in bits(line):
                columns |= ones(self.xs[i + 1] - self.xs[i]) << self.xs[i]
            whole.append((rows, columns))
        return TileSet.make(0, 0, whole)

    def box(self, bit: int) -> Box:
        """The tiles that one bit of a mask stands for."""
        j, i = divmod(bit, self.stride)
        return Box(self.xs[i], self.ys[j], self.xs[i + 1] - self.xs[i], self.ys[j + 1] - self.ys[j])

    def step(self, bit: int, port: int) -> int:
        """The bit of the neighbour at a port (L, R, U, D)."""
        return bit + self._step[port]

    def shift(self, mask: Mask, port: int) -> Mask:
        """The tiles that a step out of a port (L, R, U, D, or C, which stays) leads to."""
        if port == arch.C:
            return mask
        step = self._step[port]
        return (mask << step if step > 0 else mask >> -step) & self.full

    def flood(self, start: Mask, through: Mask, port: int) -> Mask:
        """`start` and all tiles reached from it by steps out of a port, each from a tile of `through`.

        Doubling: `open_` are tiles that the last `step` steps all may enter, so a pass doubles the reach."""
        step = self._step[port]
        open_ = self.shift(through, port)
        reached = start
        while open_:
            before = reached
            reached |= open_ & (reached << step if step > 0 else reached >> -step)
            open_ &= open_ << step if step > 0 else open_ >> -step
            step *= 2
            if reached == before and not open_:
                break
        return reached
