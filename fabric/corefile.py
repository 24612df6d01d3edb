"""The core: what is left in every tile when a run ends, as an image (S0:262-268, tools.md).

It is the image that ran, with the words that changed: main memory and cache where the program lies or something was
written, and registers. A run that was stopped can go on: then a checkpoint of all that no word shows lies beside.
"""

from __future__ import annotations

import json
import zlib
from typing import TYPE_CHECKING, Any

from diag.report import fail
from diag.spans import nowhere
from fabric.arch import (
    CACHE_START,
    COLORS,
    COLUMN_ID,
    CONFIG_START,
    CYCLE_COUNTER,
    FILTER_COUNT,
    FILTER_WORDS,
    FILTERS,
    INPUT_QUEUE,
    MAIN_WORDS,
    MEMORY_WORDS,
    OUTPUT_QUEUE,
    QUEUES,
    ROUTE,
    ROW_ID,
    SWITCH,
    SWITCH_WORDS,
    TEARDOWN_PENDING,
    TIMER_CONTROL,
)
from fabric.image import Fill, Group, Image, pack, unpack
from fabric.rects import Rect
from fabric.reference.core import OWN_REGISTERS
from fabric.reference.fabric import Fabric
from fabric.reference.registers import RESET
from fabric.reference.tile import Tile

if TYPE_CHECKING:
    from fabric.engine.machine import Machine

CHECKPOINT = "checkpoint"
RAW = b"engine state\0"  # how the checkpoint of a large fabric begins (fabric.engine.rawstate)
FEW = 256  # segments
GAP = 64  # words that no segment gives are stored together when they are no further apart

# The registers that something other than a program's own write can change.
LIVE_REGISTERS = (
    *range(ROUTE, ROUTE + COLORS),
    *range(SWITCH, SWITCH + SWITCH_WORDS * COLORS),
    *range(INPUT_QUEUE, INPUT_QUEUE + 2 * QUEUES),
    *range(OUTPUT_QUEUE, OUTPUT_QUEUE + QUEUES),
    *range(CYCLE_COUNTER, CYCLE_COUNTER + 3),
    TIMER_CONTROL,
    *range(TEARDOWN_PENDING, TEARDOWN_PENDING + 2),
    *range(FILTERS, FILTERS + FILTER_COUNT * FILTER_WORDS),
    *OWN_REGISTERS,
)


def core_image(fabric: Fabric, image: Image, cycles: int, status: str, checkpoint: bool = False) -> Image:
    """The final state of a run of `image`. With `checkpoint` a run can go on from it (`restore`)."""
    from fabric.engine.fast import FastFabric

    if isinstance(fabric, FastFabric) and fabric.machine is not None:
        from fabric.engine.cores import core_image as of_machine

        return of_machine(fabric.machine, fabric.loaded, cycles, status, checkpoint)
    core = image.copy()
    core.meta = {**image.meta, "core": {"cycles": cycles, "status": status}}
    core.extra.pop(CHECKPOINT, None)
    for group in image.groups():
        _memory_of_group(fabric, core, group)
    _registers(fabric, core, image)
    if checkpoint:
        from fabric.reference.snapshot import take

        core.extra[CHECKPOINT] = packed(take(fabric))
    return core


def packed(state: dict[str, Any]) -> bytes:
    """A snapshot as a core file holds it."""
    return zlib.compress(json.dumps(state, separators=(",", ":")).encode(), 6)


def restore(fabric: Fabric | Machine, image: Image, path: str) -> None:
    """Takes the checkpoint of a core back into a fabric, or a machine of the fast engine, loaded from it. Raises
    UserError (FB509)."""
    packed = image.extra.get(CHECKPOINT)
    if packed is None:
        raise fail("FB509", nowhere(path), path=path, why="its run had ended, or it is no core")
    try:
        _take_back(fabric, image, packed)
    except (zlib.error, ValueError, KeyError, TypeError, IndexError, OverflowError) as e:
        raise fail("FB509", nowhere(path), path=path, why=f"it is damaged ({e})") from None


def _take_back(fabric: Fabric | Machine, image: Image, packed: bytes) -> None:
    """Either form of a checkpoint into either simulator."""
    raw = packed.startswith(RAW)
    if not isinstance(fabric, Fabric):
        from fabric.engine.rawstate import restore as from_raw
        from fabric.engine.restore import restore as into_engine

        if raw:
            from_raw(fabric, packed)
        else:
            into_engine(fabric, json.loads(zlib.decompress(packed)))
        return
    from fabric.reference.snapshot import restore as into_reference

    if raw:  # by way of the engine, which wrote it
        from fabric.engine.convert import take
        from fabric.engine.machine import Machine as Engine
        from fabric.engine.rawstate import restore as from_raw

        machine = Engine.load(image, fabric.timing)
        from_raw(machine, packed)
        into_reference(fabric, take(machine))
    else:
        into_reference(fabric, json.loads(zlib.decompress(packed)))


def _segments(group: Group) -> list[tuple[int, int]]:
    """(address, words) of the memory that the group's segments give, ascending and disjoint."""
    runs: list[tuple[int, int]] = []
    for start, end in sorted((s.addr, s.addr + s.n) for s in group.segments):
        for low, high in ((0, MAIN_WORDS), (CACHE_START, MEMORY_WORDS)):
            a, b = max(start, low), min(end, high)
            if a >= b:
                continue
            if runs and a <= runs[-1][1]:
                runs[-1] = (runs[-1][0], max(runs[-1][1], b))
            else:
                runs.append((a, b))
    return [(a, b - a) for a, b in runs]


def _bytes(tile: Tile, address: int, n: int) -> bytes:
    """Words of main memory or cache as little-endian bytes."""
    if address >= CACHE_START:
        return pack(tile.cache[address - CACHE_START : address - CACHE_START + n])
    return pack(tile.memory[address : address + n])


def _memory_of_group(fabric: Fabric, core: Image, group: Group) -> None:
    runs = _segments(group)
    spare = [(a, b) for a, b in _gaps(runs)]
    for rect in group.rects:
        found = [fabric.tiles.get(point) for point in rect.points()]
        tiles = [t for t in found if t is not None]
        if len(tiles) != len(found):  # only tiles without any word of their own are left out
            continue
        for address, n in runs:
            parts = [_bytes(t, address, n) for t in tiles]
            if any(p != _initial(group, t, address, n) for p, t in zip(parts, tiles, strict=True)):
                _put(core, address, rect, b"".join(parts))
        for tile in tiles:
            for low, high in spare:
                for address, n in _written(tile, low, high):
                    _put(core, address, Rect(tile.x, tile.y, 1, 1), _bytes(tile, address, n))


def _put(core: Image, address: int, rect: Rect, data: bytes) -> None:
    """Adds words to the core. Looking for data that they hide for good pays only while there are few segments."""
    if len(core.segments) < FEW:
        core.write(address, rect, data)
    else:
        core.add_data(rect, address, data)


def _initial(group: Group, tile: Tile, address: int, n: int) -> bytes:
    """What the image gives for a run of words of one tile."""
    out = bytearray(2 * n)
    for s in group.segments:
        low, high = max(address, s.addr), min(address + n, s.addr + s.n)
        if low < high:
            data = s.data if isinstance(s, Fill) else s.tile(tile.x, tile.y)
            out[2 * (low - address) : 2 * (high - address)] = data[2 * (low - s.addr) : 2 * (high - s.addr)]
    return bytes(out)


def _gaps(runs: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """The memory between the runs: (first, end)."""
    out: list[tuple[int, int]] = []
    for low, high in ((0, MAIN_WORDS), (CACHE_START, MEMORY_WORDS)):
        at = low
        for address, n in runs:
            if low <= address < high:
                out.append((at, address))
                at = address + n
        out.append((at, high))
    return [(a, b) for a, b in out if a < b]


def _written(tile: Tile, low: int, high: int) -> list[tuple[int, int]]:
    """Runs (address, words) in [low, high) that hold words other than 0."""
    raw = _bytes(tile, low, high - low)
    if not any(raw):
        return []
    words = unpack(raw)
    runs: list[tuple[int, int]] = []
    for k, word in enumerate(words):
        if word:
            if runs and low + k - (runs[-1][0] + runs[-1][1]) <= GAP:
                runs[-1] = (runs[-1][0], low + k + 1 - runs[-1][0])
            else:
                runs.append((low + k, 1))
    return runs


def _registers(fabric: Fabric, core: Image, image: Image) -> None:
    """The registers that differ from what the image gave."""
    given: dict[tuple[int, int], dict[int, int]] = {}
    for group in image.groups():
        segments = [s for s in group.segments if s.addr + s.n > CONFIG_START and s.addr < CACHE_START]
        shared = all(isinstance(s, Fill) for s in segments)
        words: dict[int, int] | None = None
        for rect in group.rects:
            for x, y in rect.points():
                if words is None or not shared:
                    words = {}
                    for s in segments:
                        words.update(_config_words(s.addr, s.words if isinstance(s, Fill) else unpack(s.tile(x, y))))
                given[x, y] = words
    changed: dict[tuple[int, int], list[tuple[int, int]]] = {}
    for point, tile in fabric.tiles.items():
        before = given.get(point, {})
        registers = tile.registers
        for address in {*LIVE_REGISTERS, *registers.plain}:
            value = registers.read(address)
            if value != before.get(address, RESET.get(address, 0)):
                changed.setdefault((address, value), []).append(point)
        for address, value in ((COLUMN_ID, tile.x), (ROW_ID, tile.y)):
            if registers.read(address) != before.get(address, value):
                changed.setdefault((address, registers.read(address)), []).append(point)
    for (address, value), points in sorted(changed.items()):
        core.add_fill([Rect(x, y, 1, 1) for x, y in points], address, [value])


def _config_words(address: int, words: Any) -> dict[int, int]:
    return {a: int(w) for a, w in enumerate(words, address) if CONFIG_START <= a < CACHE_START}
