"""Linking: color numbers into register words (hardware.md 16 and docs/registers.md).

An object image holds code and data; what depends on color numbers stands in `meta["link"]` by color key, so that
`paint nolink` and `milink` are the two halves of what paint does at once. The link section is JSON:

    version   1
    numbers   {color key: number}
    fp16      float16_dtype= of the layout, 0 when not given
    rules     [{"tiles", "color", "words": [route, switch 0, switch 1, ours]}]
    queues    [{"tiles", "dir": "in"|"out", "queue", "color"}]
    filters   [{"tiles", "filter", "color"}]
    banks     [{"tiles", "bank"}]

A set of tiles is [x, y, [[rows, columns], …]] with masks as hexadecimal text (paint/tiles.py).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from diag.report import UserError, fail
from diag.spans import nowhere
from fabric import arch
from fabric.image import Image
from fabric.map import Entry, entries_of
from fabric.program import Program
from fabric.rects import Rect
from fabric.weight import describe
from paint.flatten import Layout, TileClass
from paint.regions import Code
from paint.tiles import TileSet, union

VERSION = 1


@dataclass
class Placed:
    """One compiled kernel with its bindings and all tiles that run it."""

    program: Program
    code: Code
    tiles: TileSet

    @property
    def region(self) -> str:
        return self.code.name


def placements(layout: Layout, programs: Mapping[int, Program]) -> list[Placed]:
    """The kernels of a layout: classes with the same program, bindings and name together. `programs` gives the
    program of each class that has code, by the class's index."""
    found: dict[object, tuple[Program, Code, list[TileSet]]] = {}
    for c in layout.classes:
        if c.code is not None:
            program = programs[c.index]
            key = id(program), tuple(sorted((n, x.key) for n, x in c.code.sockets)), c.code.name
            found.setdefault(key, (program, c.code, []))[2].append(c.tiles)
    return [Placed(program, code, union(sets)) for program, code, sets in found.values()]


# -- the object image -------------------------------------------------------------------------------------------


def object_image(
    layout: Layout, placed: Sequence[Placed], numbers: Mapping[str, int], fp16: int = 0, machine: str = "sdr"
) -> Image:
    """Code, data and the link section; `linked` is False."""
    image = Image(layout.width, layout.height, machine)
    by_program: dict[int, tuple[Program, list[TileSet]]] = {}
    for p in placed:
        by_program.setdefault(id(p.program), (p.program, []))[1].append(p.tiles)
    for program, sets in by_program.values():
        rects = union(sets).rects()
        for address, words in program.sections:
            image.add_fill(rects, address, words)
        for address, words in _runs(program.registers):
            image.add_fill(rects, address, words)
    image.meta["link"] = _section(layout, placed, numbers, fp16)
    image.meta["programs"] = [_program_meta(p, numbers) for p in placed]
    image.meta["colors"] = _colors_meta(layout, numbers)
    return image


def _runs(registers: Mapping[int, int]) -> Iterable[tuple[int, list[int]]]:
    """Register words as runs of neighbouring addresses."""
    start, words = 0, list[int]()
    for address in sorted(registers):
        if words and address == start + len(words):
            words.append(registers[address])
            continue
        if words:
            yield start, words
        start, words = address, [registers[address]]
    if words:
        yield start, words


def _section(
    layout: Layout, placed: Sequence[Placed], numbers: Mapping[str, int], fp16: int
) -> dict[str, Any]:
    rules: dict[tuple[str, tuple[int, ...]], list[TileSet]] = {}
    banks: dict[int, list[TileSet]] = {}
    for c in layout.classes:
        for color, painted in c.rules.items():
            rules.setdefault((color.key, painted.rule.words(fp16)), []).append(c.tiles)
        for bank in c.banks:
            banks.setdefault(bank, []).append(c.tiles)
    queues: list[dict[str, Any]] = []
    filters: list[dict[str, Any]] = []
    for p in placed:
        tiles = _to_json(p.tiles)
        bound = {name: color.key for name, color in p.code.sockets}
        for s in p.program.sockets:
            queues.append({"tiles": tiles, "dir": s.dir, "queue": s.queue, "color": bound[s.socket]})
        for number, socket in p.program.filters:
            filters.append({"tiles": tiles, "filter": number, "color": bound[socket]})
    return {
        "version": VERSION,
        "numbers": dict(numbers),
        "fp16": fp16,
        "rules": [
            {"tiles": _to_json(union(sets)), "color": key, "words": list(words)}
            for (key, words), sets in rules.items()
        ],
        "queues": queues,
        "filters": filters,
        "banks": [{"tiles": _to_json(union(sets)), "bank": bank} for bank, sets in banks.items()],
    }


def _program_meta(p: Placed, numbers: Mapping[str, int]) -> dict[str, Any]:
    bound = dict(p.code.sockets)
    return {
        "name": p.program.name,
        "source": p.program.source,
        "region": p.region,
        "params": dict(p.program.params),
        "rects": [list(r) for r in p.tiles.rects()],
        "lines": [[x.address, x.words, x.file, x.line, x.col, x.function, x.text] for x in p.program.lines],
        "sockets": [
            {
                "name": s.socket,
                "dir": s.dir,
                "queue": s.queue,
                "color": numbers[bound[s.socket].key],
                "color_name": bound[s.socket].name,
                "span": s.span,
                "uses": list(s.uses),
            }
            for s in p.program.sockets
        ],
        "tasks": {str(k): v for k, v in p.program.tasks.items()},
        **describe(p.program),
    }


def _colors_meta(layout: Layout, numbers: Mapping[str, int]) -> list[dict[str, Any]]:
    """Which name a number has on which tiles, and the rules there, for tools that explain."""
    tiles: dict[str, list[TileSet]] = {}
    rules: dict[str, dict[str, tuple[str, list[TileSet]]]] = {}
    for c in layout.classes:
        for key in _held(c):
            tiles.setdefault(key, []).append(c.tiles)
        for color, painted in c.rules.items():
            of_color = rules.setdefault(color.key, {})
            of_color.setdefault(str(painted.rule), (painted.span.label(), []))[1].append(c.tiles)
    found = []
    for color in layout.colors:
        if color.key in tiles:
            found.append(
                {
                    "number": numbers[color.key],
                    "name": color.name,
                    "rects": [list(r) for r in union(tiles[color.key]).rects()],
                    "rules": [
                        {"rule": text, "span": span, "rects": [list(r) for r in union(sets).rects()]}
                        for text, (span, sets) in rules.get(color.key, {}).items()
                    ],
                }
            )
    return found


def _held(c: TileClass) -> list[str]:
    keys = [color.key for color in c.rules]
    if c.code is not None:
        keys += [color.key for _, color in c.code.sockets]
    return list(dict.fromkeys(keys))


def map_entries(placed: Sequence[Placed]) -> list[Entry]:
    """The lines of the map: the symbols of each region, in the order of the regions in the layout."""
    by_symbol: dict[tuple[str, int, int], tuple[Placed, list[TileSet]]] = {}
    for i, p in enumerate(placed):
        for k in range(len(p.program.symbols)):
            # Regions of one name and program (its sockets bound to different colors) share their lines.
            first = next(j for j, q in enumerate(placed) if q.program is p.program and q.region == p.region)
            by_symbol.setdefault((p.region, first, k), (p, []))[1].append(placed[i].tiles)
    entries: list[Entry] = []
    for (region, _, k), (p, sets) in by_symbol.items():
        entries += entries_of(region, p.program.symbols[k], union(sets).rects())
    return entries


# -- from object to linked image --------------------------------------------------------------------------------


def link(image: Image, path: str = "image") -> Image:
    """The linked image of an object image. Raises UserError (PT130 linked already, PT131 no valid section)."""
    if image.linked:
        raise fail("PT130", nowhere(path), path=path)
    section = image.meta.get("link")
    if not isinstance(section, dict):
        raise fail("PT131", nowhere(path), path=path, why="it has no link section")
    if section.get("version") != VERSION:
        raise fail("PT131", nowhere(path), path=path, why=f"its link section has version {section.get('version')}, not {VERSION}")
    linked = image.copy()
    try:
        _apply(linked, section)
    except (KeyError, TypeError, ValueError, IndexError, AttributeError) as e:
        raise fail("PT131", nowhere(path), path=path, why=f"its link section is damaged ({e})") from None
    linked.linked = True
    linked.meta = {k: v for k, v in image.meta.items() if k != "link"}
    return linked


def _apply(image: Image, section: Mapping[str, Any]) -> None:
    numbers = {str(k): int(v) for k, v in section["numbers"].items()}
    if any(not 0 <= n < arch.COLORS for n in numbers.values()):
        raise ValueError("a color number out of range")
    for rule in section["rules"]:
        n = numbers[rule["color"]]
        rects = _from_json(rule["tiles"])
        route, word0, word1, ours = rule["words"]
        # Writing a route sets the positions to 0, so the switch words, with the start position, come after it.
        image.add_fill(rects, arch.ROUTE + n, [route])
        image.add_fill(rects, arch.SWITCH + arch.SWITCH_WORDS * n, [word0, word1, ours])
    for bank in section["banks"]:
        rects = _from_json(bank["tiles"])
        for n in arch.BANK_COLORS[bank["bank"]]:
            words = [*arch.SWITCH_RESET[:2], bank["bank"] + 1 << arch.OURS_BANK_SHIFT]
            image.add_fill(rects, arch.SWITCH + arch.SWITCH_WORDS * n, words)
    for queue in section["queues"]:
        n, q = numbers[queue["color"]], int(queue["queue"])
        if not 0 <= q < arch.QUEUES:
            raise ValueError("a queue out of range")
        if queue["dir"] == "in":
            image.add_fill(_from_json(queue["tiles"]), arch.INPUT_QUEUE + 2 * q, [n])
        else:
            image.add_fill(_from_json(queue["tiles"]), arch.OUTPUT_QUEUE + q, [n << 4])
    for f in section["filters"]:
        n, number = numbers[f["color"]], int(f["filter"])
        if not 0 <= number < arch.FILTER_COUNT:
            raise ValueError("a filter out of range")
        at = arch.FILTERS + arch.FILTER_WORDS * number
        image.add_fill(_from_json(f["tiles"]), at + arch.FILTER_ENABLE, [1, n])
    image.add_ids(Rect(0, 0, image.width, image.height))


def _to_json(tiles: TileSet) -> list[Any]:
    return [tiles.x, tiles.y, [[f"{r:x}", f"{c:x}"] for r, c in tiles.groups]]


def _from_json(value: Sequence[Any]) -> list[Rect]:
    x, y, groups = value
    return TileSet.make(int(x), int(y), [(int(r, 16), int(c, 16)) for r, c in groups]).rects()


__all__ = ["Placed", "UserError", "link", "map_entries", "object_image", "placements"]
