"""The core file of the engine's run: as `fabric.corefile`, on whole arrays of tiles instead of reference tiles."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fabric import arch
from fabric.corefile import CHECKPOINT, GAP, LIVE_REGISTERS, packed
from fabric.engine import layout as y
from fabric.engine import rawstate
from fabric.engine.convert import TileState, take
from fabric.engine.machine import Area, Machine
from fabric.engine.storage import field
from fabric.image import Image
from fabric.rects import Rect, merge_plain
from fabric.reference.core import OWN_REGISTERS
from fabric.reference.registers import RESET

PLAIN = 4_000  # tiles whose checkpoint is plain data, a millisecond each, which other versions can read
ROWS = 64  # rows of tiles that are compared at once
_COUNTER = range(arch.CYCLE_COUNTER, arch.CYCLE_COUNTER + 3)


def core_image(m: Machine, image: Image, cycles: int, status: str, checkpoint: bool) -> Image:
    """The final state of a run of `image`. With `checkpoint` a run can go on from it; that of a large fabric has a form
    of its own."""
    core = image.copy()
    core.meta = {**image.meta, "core": {"cycles": cycles, "status": status}}
    core.extra.pop(CHECKPOINT, None)
    records = m.inside(m.records, y.RECORD)
    for area in m.areas:
        _memory(image, core, area)
        part = records[area.rect.slices()]
        for address in LIVE_REGISTERS:
            values = _register(m, part, address)
            if values is not None and (values != area.config.get(address, RESET.get(address, 0))).any():
                core.write(address, area.rect, np.ascontiguousarray(values[..., None].astype("<u2")))
    _rare(m, image, core, np.argwhere(records[:, :, y.R_FLAGS] & y.RF_MORE))
    if checkpoint:
        core.extra[CHECKPOINT] = packed(take(m)) if m.existing() <= PLAIN else rawstate.take(m)
    return core


def _memory(image: Image, core: Image, area: Area) -> None:
    """Main memory where a word of some tile differs from what the image gives."""
    n = area.words.shape[2]
    if n == 0:
        return
    changed = np.zeros(n, bool)
    rect = area.rect
    for top in range(0, rect.h, ROWS):
        h = min(ROWS, rect.h - top)
        band = Rect(rect.x, rect.y + top * rect.dy, rect.w, h, rect.dx, rect.dy)
        changed |= (area.words[top : top + h] != image.read(0, n, band)).any(axis=(0, 1))
    for start, end in _runs(np.flatnonzero(changed)):
        core.write(start, rect, np.ascontiguousarray(area.words[..., start:end]))


def _runs(places: NDArray[Any]) -> Iterator[tuple[int, int]]:
    """(first, end) of places that are no further apart than GAP."""
    if not len(places):
        return
    breaks = np.flatnonzero(np.diff(places) > GAP) + 1
    for run in np.split(places, breaks):
        yield int(run[0]), int(run[-1]) + 1


def _register(m: Machine, part: NDArray[np.uint8], address: int) -> NDArray[Any] | None:
    """A register word of all tiles of a part; None where its record does not hold it (filters, task tables)."""
    if arch.ROUTE <= address < arch.ROUTE + arch.COLORS:
        return _channel(part, address - arch.ROUTE, y.H_ROUTE) ^ arch.ROUTE_NONE
    if arch.SWITCH <= address < arch.SWITCH + arch.SWITCH_WORDS * arch.COLORS:
        color, word = divmod(address - arch.SWITCH, arch.SWITCH_WORDS)
        value = _channel(part, color, (y.H_WORD0, y.H_WORD1, y.H_OURS, y.H_WORD3)[word]) ^ arch.SWITCH_RESET[word]
        if word == 2:
            value = value | _channel(part, color, y.H_IN_POS, "u1") << arch.OURS_IN_POS_SHIFT
            value = value | _channel(part, color, y.H_OUT_POS, "u1") << arch.OURS_OUT_POS_SHIFT
        return value
    if arch.INPUT_QUEUE <= address < arch.INPUT_QUEUE + 2 * arch.QUEUES:
        number, odd = divmod(address - arch.INPUT_QUEUE, 2)
        at = y.R_INPUT + number * y.QUEUE + (y.Q_MODE if odd else y.Q_WORD)
        return _wide(part, at) ^ (0 if odd else arch.NO_COLOR)
    if arch.OUTPUT_QUEUE <= address < arch.OUTPUT_QUEUE + arch.QUEUES:
        return _wide(part, y.R_OUTPUT + (address - arch.OUTPUT_QUEUE) * y.QUEUE + y.Q_WORD) ^ (arch.NO_COLOR << 4)
    if address in _COUNTER:
        counts = field(part, y.R_COUNT, "<i8") + np.where(
            _wide(part, y.R_TIMER) & arch.TIMER_COUNT, m.now - field(part, y.R_COUNT_FROM, "<u4").astype(np.int64), 0
        )
        return counts >> 16 * (address - arch.CYCLE_COUNTER) & 0xFFFF
    if address == arch.TIMER_CONTROL:
        return _wide(part, y.R_TIMER)
    if arch.TEARDOWN_PENDING <= address < arch.TEARDOWN_PENDING + 2:
        return field(part, y.R_PENDING, "<u4") >> 16 * (address - arch.TEARDOWN_PENDING) & 0xFFFF
    for base, at in ((arch.TASK_BLOCKED, y.R_BLOCKED), (arch.TASK_ACTIVE, y.R_ACTIVE), (arch.TASK_HIGH, y.R_HIGH)):
        if base <= address < base + 4:
            return field(part, at, "<u8") >> np.uint64(16 * (address - base)) & np.uint64(0xFFFF)
    return None


def _wide(part: NDArray[np.uint8], at: int) -> NDArray[Any]:
    return field(part, at, "<u2").astype(np.int64)


def _channel(part: NDArray[np.uint8], color: int, at: int, kind: str = "<u2") -> NDArray[Any]:
    return field(part, y.R_CHANNELS + color * y.CHANNEL + at, kind).astype(np.int64)


def _rare(m: Machine, image: Image, core: Image, places: NDArray[Any]) -> None:
    """Tiles (row, x) with words in their extensions: memory beyond the program, cache, filters, own task tables.

    Registers are collected over all tiles, so that what many tiles hold alike is one segment.
    """
    registers: dict[tuple[int, int], list[Rect]] = {}
    rare = [a for a in LIVE_REGISTERS if a in _RARE]
    for row, x in places.tolist():
        tile = TileState(m, x, row)
        here = Rect(x, row, 1, 1)
        memory = m.main_words(x, row)
        length = tile.r.u(y.R_LENGTH)
        for start, end in _runs(np.flatnonzero(memory[length:]) + length):
            core.write(start, here, memory[start:end].tobytes())
        given = image.tile_words(x, row)
        cache = tile.cache()
        for start, end in _runs(np.flatnonzero(cache != _from(given, arch.CACHE_START, len(cache)))):
            core.write(arch.CACHE_START + start, here, cache[start:end].tobytes())
        for address in sorted({*rare, *tile.plain()}):
            value = tile.register(address)
            if value != given.get(address, 0):
                registers.setdefault((address, value), []).append(here)
    for (address, value), rects in sorted(registers.items()):
        core.add_fill(merge_plain(rects), address, [value])


_RARE = frozenset(
    {*range(arch.FILTERS, arch.FILTERS + arch.FILTER_COUNT * arch.FILTER_WORDS)}
    | {a for a in OWN_REGISTERS if not arch.TASK_BLOCKED <= a < arch.TASK_HIGH + 4}
)


def _from(given: dict[int, int], address: int, n: int) -> NDArray[np.uint16]:
    """n words from an address on, of what the image gives a tile."""
    return np.array([given.get(a, 0) for a in range(address, address + n)], np.uint16)
