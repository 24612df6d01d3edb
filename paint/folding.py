"""What of a fabric a picture shows: columns and rows that repeat are left out between their first and last copy.

A halo exchange on the whole wafer has five kinds of columns: the border, the first, the last and all between. A
picture of these says what one of 762 columns does, and its rules can be read.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from paint.tiles import TileSet, bits, ones

SHOWN_WHOLE = 12  # columns of a fabric of which none is left out
LONGEST_PATTERN = 16  # columns of a pattern that is looked for

Run = tuple[int, int]  # (first, count) of columns or rows that are shown


def shown(sets: Iterable[TileSet], width: int, height: int) -> tuple[list[Run], list[Run]]:
    """The columns and the rows of a fabric to show, as runs; what lies between two runs repeats the one before.

    Columns are alike when each of the sets holds the same rows in them."""
    columns: dict[int, None] = {}
    rows: dict[int, None] = {}
    for s in sets:
        for r, c in s.groups:
            columns[c << s.x] = rows[r << s.y] = None
    return _fold_large(columns, width), _fold_large(rows, height)


def _fold_large(masks: Iterable[int], n: int) -> list[Run]:
    return fold(_kinds(masks, n)) if n > SHOWN_WHOLE else [(0, n)]


def _kinds(masks: Iterable[int], n: int) -> list[int]:
    """A number for each of n columns, the same for those that no mask tells apart."""
    parts = [ones(n)]
    for mask in masks:
        parts = [piece for part in parts for piece in (part & mask, part & ~mask) if piece]
    kinds = [0] * n
    for kind, part in enumerate(parts):
        for i in bits(part):
            kinds[i] = kind
    return kinds


def fold(kinds: Sequence[int]) -> list[Run]:
    """Of each pattern that comes four times or more in a row, the first copy and the last; everything else.

    At each place the pattern that leaves out most is taken, the shorter one of two."""
    found: list[Run] = []
    at, n = 0, len(kinds)
    while at < n:
        best, copies = 1, 1
        for length in range(1, min(LONGEST_PATTERN, n - at) + 1):
            end = at + length
            while end < n and kinds[end] == kinds[end - length]:
                end += 1
            times = (end - at) // length
            if times >= 4 and (times - 2) * length > (copies - 2) * best:
                best, copies = length, times
        for start in (at, at + (copies - 1) * best) if copies > 1 else (at,):
            if found and sum(found[-1]) == start:
                found[-1] = found[-1][0], found[-1][1] + best
            else:
                found.append((start, best))
        at += copies * best
    return found
