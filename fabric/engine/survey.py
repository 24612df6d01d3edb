"""The tiles of a fabric at once: which of them an outcome looks at, and in which state the others are."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

import numpy as np
from numpy.typing import NDArray

from fabric import arch
from fabric.engine import layout as y
from fabric.engine.machine import Machine
from fabric.engine.storage import field


def switching(m: Machine) -> Iterator[tuple[int, int]]:
    """The tiles where a color has a position to switch to."""
    found = np.zeros((m.height, m.width), bool)
    r = m.inside(m.records, y.RECORD)
    for color in range(arch.COLORS):
        at = y.R_CHANNELS + color * y.CHANNEL
        found |= (field(r, at + y.H_WORD0, "<u2") & 0xFF) != 0
        found |= field(r, at + y.H_WORD1, "<u2") != 0
    for row, x in np.argwhere(found):
        yield int(x), int(row)


def _handlers(m: Machine) -> NDArray[np.bool_]:
    """[y, x]: wavelets may start a task there."""
    found: NDArray[np.bool_] = (m.inside(m.records, y.RECORD)[..., y.R_FLAGS] & y.RF_MORE) != 0
    for area in m.areas:
        if any(area.config.get(base + q) for base in (arch.TASK_TABLE, arch.INPUT_CONTROL) for q in range(arch.QUEUES)):
            found[area.rect.slices()] = True
    return found


def _holds(m: Machine) -> NDArray[np.bool_]:
    """[y, x]: wavelets are there."""
    r = m.inside(m.records, y.RECORD)
    held = field(r, y.R_BUSY, "<u4") | r[..., y.R_LOADED] | r[..., y.R_FILLED] | r[..., y.R_OPERANDS]
    return np.asarray(held != 0)


def holding(m: Machine, seen: Iterable[tuple[int, int]]) -> int:
    """How many tiles that are not `seen` hold wavelets."""
    holds = _holds(m)
    for x, row in seen:
        holds[row, x] = False
    return int(np.count_nonzero(holds))


def _busy(m: Machine) -> NDArray[np.bool_]:
    """[y, x]: something is left to do or to take there."""
    r = m.inside(m.records, y.RECORD)
    works = field(r, y.R_TASK, "<u4") | r[..., y.R_LIVE] | r[..., y.R_EVENTS]
    busy: NDArray[np.bool_] = _holds(m) | (works != 0) | ((r[..., y.R_FLAGS] & y.RF_LOST) != 0)
    return busy


def worth_seeing(m: Machine, most: int) -> list[tuple[int, int]] | None:
    """The tiles at which an outcome looks, None for all: those where something is left, and what stands around
    them; all of a fabric of no more than `most` where something is left. Where there are more, some of those that
    are in the same state stand for the others."""
    busy = _busy(m)
    if busy.any() and m.existing() <= most:
        return None
    near = busy | _handlers(m)
    near[1:] |= busy[:-1]
    near[:-1] |= busy[1:]
    near[:, 1:] |= busy[:, :-1]
    near[:, :-1] |= busy[:, 1:]
    near &= m.grid(m.exists)[1:-1, 1:-1] != 0
    points = np.argwhere(near)
    if len(points) > most:
        points = points[_samples(m, points, most)]
    return [(int(x), int(row)) for row, x in points]


def _samples(m: Machine, points: NDArray[np.int64], most: int) -> NDArray[np.int64]:
    """Indices of `most` of the points [row, x], ascending: as many as can be of each state of a core."""
    state = _states(m, points)
    order = np.argsort(state, kind="stable")
    first = np.searchsorted(state[order], state[order])
    rank = np.empty(len(points), np.int64)
    rank[order] = np.arange(len(points)) - first  # the how-manieth of its state a point is
    chosen: NDArray[np.int64] = np.sort(np.argsort(rank, kind="stable")[:most])
    return chosen


def _states(m: Machine, points: NDArray[np.int64]) -> NDArray[np.int64]:
    """For each point [row, x] a number of the state that its tile is in: what it runs, where it stands and waits, and
    what it holds, but for values."""
    r = m.inside(m.records, y.RECORD)[points[:, 0], points[:, 1]]
    fields = (
        (y.R_PROGRAM, 8), (y.R_TABLES, 8), (y.R_TASK, 4), (y.R_PC, 4), (y.R_LIVE, 1), (y.R_LOADED, 1), (y.R_FILLED, 1),
        (y.R_BLOCKED, 1), (y.R_EVENTS, 1), (y.R_OPERANDS, 1), *((y.R_OPS + t * y.OP + y.O_PC, 4) for t in range(9)),
    )  # fmt: skip
    columns = [r[:, at : at + size] for at, size in fields]
    columns.append(r[:, y.R_FLAGS : y.R_FLAGS + 1] & np.uint8(y.RF_CORE | y.RF_VECTOR | y.RF_HALTED))
    columns.append(np.asarray(field(r, y.R_BUSY, "<u4") != 0, np.uint8)[:, None])
    rows = np.ascontiguousarray(np.concatenate(columns, axis=1))
    _, state = np.unique(rows.view(f"V{rows.shape[1]}").ravel(), return_inverse=True)
    return np.asarray(state.reshape(-1), np.int64)


def unseen(m: Machine, seen: Mapping[tuple[int, int], str]) -> dict[str, int]:
    """How many cores that are not `seen` do what: what one that is seen does whose state is the same. One of which
    none is seen has ended, or runs where something is left."""
    core = (m.inside(m.records, y.RECORD)[..., y.R_FLAGS] & y.RF_CORE) != 0
    points = np.argwhere(core)
    there = np.zeros((m.height, m.width), bool)
    for x, row in seen:
        there[row, x] = True
    out = ~there[points[:, 0], points[:, 1]]
    if not out.any():
        return {}
    state = _states(m, points)
    names = ["ended", "running", *sorted({*seen.values()} - {"ended", "running"})]
    of_state = np.full(int(state.max()) + 1, -1)
    for k in np.flatnonzero(~out):
        row, x = points[k]
        of_state[state[k]] = names.index(seen[int(x), int(row)])
    which = of_state[state[out]]
    busy = _busy(m)[points[out, 0], points[out, 1]]
    counts = np.bincount(np.where(which < 0, busy, which), minlength=len(names))
    return {name: int(n) for name, n in zip(names, counts, strict=True) if n}
