"""Sets of tiles without a loop over tiles: rectangles, grids with strides, and how they meet.

Coordinates are the fabric's: x the column, y the row ID (S0:26-35). All functions here are free of numpy unless
they say otherwise.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from math import gcd
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class Rect(NamedTuple):
    """w x h tiles, the first at (x, y), dx and dy apart. `Rect(x, y, w, h)` is a plain rectangle."""

    x: int
    y: int
    w: int
    h: int
    dx: int = 1
    dy: int = 1

    @property
    def tiles(self) -> int:
        """How many tiles."""
        return self.w * self.h

    @property
    def x_end(self) -> int:
        """One past the last column."""
        return self.x + (self.w - 1) * self.dx + 1

    @property
    def y_end(self) -> int:
        """One past the last row."""
        return self.y + (self.h - 1) * self.dy + 1

    @property
    def dense(self) -> bool:
        """True when no tile between two of its tiles is left out."""
        return (self.dx == 1 or self.w == 1) and (self.dy == 1 or self.h == 1)

    def at(self, x: int, y: int) -> tuple[int, int] | None:
        """(column index, row index) of a tile within the grid, or None when it is not in it."""
        i, rest_x = divmod(x - self.x, self.dx)
        j, rest_y = divmod(y - self.y, self.dy)
        return (i, j) if rest_x == 0 and rest_y == 0 and 0 <= i < self.w and 0 <= j < self.h else None

    def points(self) -> Iterator[tuple[int, int]]:
        """Each tile (x, y), row by row."""
        for j in range(self.h):
            for i in range(self.w):
                yield self.x + i * self.dx, self.y + j * self.dy

    def slices(self) -> tuple[slice, slice]:
        """(rows, columns): where the grid lies in an array [height, width] of the whole fabric."""
        return slice(self.y, self.y_end, self.dy), slice(self.x, self.x_end, self.dx)

    def normal(self) -> Rect:
        """The same tiles with strides of 1 along axes of one tile."""
        return self._replace(dx=self.dx if self.w > 1 else 1, dy=self.dy if self.h > 1 else 1)

    def meet(self, other: Rect) -> Meet | None:
        """The tiles in both, or None."""
        columns = _progressions(self.x, self.w, self.dx, other.x, other.w, other.dx)
        if columns is None:
            return None
        rows = _progressions(self.y, self.h, self.dy, other.y, other.h, other.dy)
        if rows is None:
            return None
        return Meet(*rows, *columns)

    def covers(self, other: Rect) -> bool:
        """True when each tile of `other` is a tile of this grid."""
        m = self.meet(other)
        return m is not None and m.tiles == other.tiles


class Meet(NamedTuple):
    """Where two grids a and b meet, as slices into arrays of a's and of b's tiles."""

    a_rows: slice
    b_rows: slice
    row_count: int
    a_columns: slice
    b_columns: slice
    column_count: int

    @property
    def tiles(self) -> int:
        return self.row_count * self.column_count


def _progressions(a: int, a_n: int, a_d: int, b: int, b_n: int, b_d: int) -> tuple[slice, slice, int] | None:
    """Common members of a, a+a_d, … (a_n of them) and b, b+b_d, …: index slices into both, and their number."""
    low = max(a, b)
    high = min(a + (a_n - 1) * a_d, b + (b_n - 1) * b_d)
    if a_d == b_d == 1:
        first = low
    else:
        # The first member of a at or after low; then at most b_d/gcd steps until b agrees.
        first = a + -(-(low - a) // a_d) * a_d
        for _ in range(b_d // gcd(a_d, b_d)):
            if (first - b) % b_d == 0:
                break
            first += a_d
        else:
            return None
    step = a_d * b_d // gcd(a_d, b_d)
    if first > high:
        return None
    n = (high - first) // step + 1
    i, j = (first - a) // a_d, (first - b) // b_d
    return (
        slice(i, i + (n - 1) * (step // a_d) + 1, step // a_d),
        slice(j, j + (n - 1) * (step // b_d) + 1, step // b_d),
        n,
    )


def bounds(rects: Iterable[Rect]) -> Rect | None:
    """The smallest plain rectangle around all, or None when there is none."""
    some = [r for r in rects if r.tiles]
    if not some:
        return None
    x, y = min(r.x for r in some), min(r.y for r in some)
    return Rect(x, y, max(r.x_end for r in some) - x, max(r.y_end for r in some) - y)


def merge(rects: Iterable[Rect]) -> list[Rect]:
    """Disjoint rectangles joined where two of them make one: along x, then y, then into grids with strides.

    The result covers the same tiles; it is small for regions that are few grids, not the smallest possible.
    """
    out = merge_plain(rects)
    if len(out) > 1:
        out = sorted(_stride(_stride(out, 0), 1), key=lambda r: (r.y, r.x))
    return out


def merge_plain(rects: Iterable[Rect]) -> list[Rect]:
    """As `merge`, without making grids with strides."""
    return sorted(_join(_join([r.normal() for r in rects if r.tiles], 0), 1), key=lambda r: (r.y, r.x))


def _join(rects: Sequence[Rect], axis: int) -> list[Rect]:
    """Joins plain rectangles that touch along one axis and have the same extent on the other."""
    rows: dict[tuple[int, ...], list[Rect]] = {}
    out: list[Rect] = []
    for r in rects:
        if not r.dense:
            out.append(r)
        else:
            rows.setdefault((r.y, r.h) if axis == 0 else (r.x, r.w), []).append(r)
    for row in rows.values():
        row.sort()
        row.sort(key=lambda r: r[axis])
        last: Rect | None = None
        for r in row:
            if last is not None and last[axis] + last[axis + 2] == r[axis]:
                last = last._replace(w=last.w + r.w) if axis == 0 else last._replace(h=last.h + r.h)
                continue
            if last is not None:
                out.append(last)
            last = r
        if last is not None:
            out.append(last)
    return out


def _stride(rects: Sequence[Rect], axis: int) -> list[Rect]:
    """Joins grids one tile thick along an axis, with the same tiles on the other, into runs of one stride."""
    rows: dict[tuple[int, ...], list[Rect]] = {}
    out: list[Rect] = []
    for r in rects:
        if r[axis + 2] != 1:
            out.append(r)
        else:
            rows.setdefault((r.y, r.h, r.dy) if axis == 0 else (r.x, r.w, r.dx), []).append(r)
    for row in rows.values():
        row.sort(key=lambda r: r[axis])
        i = 0
        while i < len(row):
            step = row[i + 1][axis] - row[i][axis] if i + 1 < len(row) else 0
            n = 1
            while step > 0 and i + n < len(row) and row[i + n][axis] - row[i + n - 1][axis] == step:
                n += 1
            # Two members alone may be the end of one run and the start of the next: take three or the rest.
            if n == 2 and len(row) > 2:
                n = 1
            r = row[i]
            if n > 1:
                r = r._replace(w=n, dx=step) if axis == 0 else r._replace(h=n, dy=step)
            out.append(r)
            i += n
    return out


def from_mask(mask: NDArray[np.bool_], x: int = 0, y: int = 0) -> list[Rect]:
    """The true tiles of an array [rows, columns], whose first is tile (x, y), as plain rectangles. Uses numpy."""
    import numpy as np

    height, width = mask.shape
    padded = np.zeros((height, width + 2), dtype=np.int8)
    padded[:, 1:-1] = mask
    edges = np.diff(padded, axis=1)
    rows, starts = np.nonzero(edges == 1)
    _, ends = np.nonzero(edges == -1)
    open_runs: dict[tuple[int, int], int] = {}
    out: list[Rect] = []
    bounds_of_rows = np.searchsorted(rows, np.arange(height + 1))
    for j in range(height):
        a, b = int(bounds_of_rows[j]), int(bounds_of_rows[j + 1])
        runs = set(zip(starts[a:b].tolist(), ends[a:b].tolist(), strict=True))
        for run in [run for run in open_runs if run not in runs]:
            top = open_runs.pop(run)
            out.append(Rect(x + run[0], y + top, run[1] - run[0], j - top))
        for run in runs:
            open_runs.setdefault(run, j)
    for run, top in open_runs.items():
        out.append(Rect(x + run[0], y + top, run[1] - run[0], height - top))
    return sorted(out, key=lambda r: (r.y, r.x))
