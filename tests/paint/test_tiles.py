"""Tile sets against sets of coordinates."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from paint.tiles import EMPTY, TileSet, repeat, reverse, runs, strides, union

BOX = st.builds(TileSet.box, st.integers(-3, 6), st.integers(-3, 6), st.integers(0, 5), st.integers(0, 5))
SETS = st.lists(BOX, max_size=6).map(union)
STEP = {"L": (-1, 0), "R": (1, 0), "U": (0, 1), "D": (0, -1)}


def points(tiles: TileSet) -> set[tuple[int, int]]:
    found = [(x, y) for b in tiles.boxes() for x in range(b.x, b.x + b.w) for y in range(b.y, b.y + b.h)]
    assert len(found) == len(set(found)) == tiles.count()
    return set(found)


@given(SETS, SETS)
def test_algebra(a: TileSet, b: TileSet) -> None:
    assert points(a | b) == points(a) | points(b)
    assert points(a & b) == points(a) & points(b)
    assert points(a - b) == points(a) - points(b)


@given(SETS, SETS)
def test_equal_sets_compare_equal(a: TileSet, b: TileSet) -> None:
    assert (a == b) == (points(a) == points(b))
    assert (a | b) == (b | a)
    assert (a - a) == EMPTY


@given(SETS)
def test_edges(a: TileSet) -> None:
    inside = points(a)
    for direction, (dx, dy) in STEP.items():
        assert points(a.edge(direction)) == {(x, y) for x, y in inside if (x + dx, y + dy) not in inside}


@given(SETS, st.integers(0, 2), st.integers(0, 2), st.integers(0, 4), st.integers(0, 4))
def test_copies(a: TileSet, gx: int, gy: int, nx: int, ny: int) -> None:
    dx, dy = a.w + gx, a.h + gy
    expected = {(x + i * dx, y + j * dy) for x, y in points(a) for i in range(nx) for j in range(ny)}
    assert points(a.repeated(dx, nx, dy, ny)) == expected


@given(SETS, st.integers(0, 3), st.integers(0, 3))
def test_mirrors(a: TileSet, before: int, after: int) -> None:
    low, high = a.x - before, a.x + a.w + after
    assert points(a.mirrored("x", low, high)) == {(low + high - 1 - x, y) for x, y in points(a)}
    low, high = a.y - before, a.y + a.h + after
    assert points(a.mirrored("y", low, high)) == {(x, low + high - 1 - y) for x, y in points(a)}


@given(SETS)
def test_rects_cover_each_tile_once(a: TileSet) -> None:
    found = [p for r in a.rects() for p in r.points()]
    assert len(found) == len(set(found))
    assert set(found) == points(a)
    if a:
        assert a.first() == min(points(a), key=lambda p: (p[1], p[0]))


def test_a_checkerboard_of_the_wafer_is_two_groups() -> None:
    one = TileSet.box(0, 0, 1, 1) | TileSet.box(1, 1, 1, 1)
    wafer = one.repeated(2, 381, 2, 586)
    assert wafer.count() == 762 * 1172 // 2
    assert len(wafer.groups) == 2
    assert len(wafer.rects()) == 2
    assert wafer.rects()[0][4:] == (2, 2)
    # Every tile of a checkerboard is an edge in every direction.
    assert wafer.edge("L") == wafer


def test_masks() -> None:
    assert list(runs(0b1100111)) == [(0, 3), (5, 2)]
    assert repeat(0b11, 3, 3) == 0b011011011
    assert repeat(0b1, 1, 0) == 0
    assert reverse(0b0011, 4) == 0b1100
    assert reverse(0b1, 5) == 0b10000
    assert strides(0b1001001) == [(0, 3, 3)]
    # Wide runs far apart are cheaper as runs than as many progressions.
    assert strides(0b11_1000_0111) == [(0, 3, 1), (7, 3, 1)]
