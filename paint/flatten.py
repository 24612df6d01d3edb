"""From a region with layers to classes of tiles: what lies on one tile is merged, what contradicts is reported.

The layout is cut by rows: rows that the same layers cross at the same columns are one row class, and each row
class is cut into cells of columns under the same layers. Cells with equal settings make a `TileClass`, a set of
tiles that are all alike. The number of classes follows from what the user wrote, not from the size of the fabric,
and everything after this (colors, checks, linking) goes over classes and pairs of neighbouring classes.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property

from diag.report import Reporter, fail
from diag.spans import Span
from fabric import arch
from paint.evaluate import Result
from paint.functions import PairDemand
from paint.regions import Code, Label, Layer, Painted, Passing, Region, Setting
from paint.rules import Rule
from paint.tiles import TileSet, bits, union
from paint.values import Color


@dataclass(frozen=True, eq=False)
class TileClass:
    """Tiles with the same settings. `rules` has one merged rule a color, with the directive it came from."""

    index: int
    tiles: TileSet
    code: Code | None
    rules: Mapping[Color, Painted]
    banks: Mapping[int, Passing]

    def at(self) -> str:
        """`tile (x, y)` or `n tiles from (x, y)`, for messages."""
        return where(self.tiles)


@dataclass(frozen=True)
class RowClass:
    """Rows that are alike (a mask from row 0) and their cells: (mask of columns from column 0, class)."""

    rows: int
    cells: tuple[tuple[int, int], ...]


@dataclass
class Layout:
    """A flattened layout. Tiles in no class have no settings; all tiles lie in 0..width-1, 0..height-1. `extent` is
    width and height of what the layout itself reaches, which fabric= may exceed."""

    width: int
    height: int
    classes: list[TileClass]
    row_classes: list[RowClass]
    colors: list[Color]
    pairs: list[PairDemand]
    labels: list[tuple[Label, TileSet]] = field(default_factory=list)
    span: Span | None = None
    extent: tuple[int, int] = (0, 0)

    @cached_property
    def adjacency(self) -> list[tuple[int, int, int]]:
        """All (a, port, b): some tile of class a has a tile of class b beyond its port L, R, U or D (arch.L …)."""
        found: dict[tuple[int, int, int], None] = {}
        of_row = [-1] * self.height
        for i, row in enumerate(self.row_classes):
            for y in bits(row.rows):
                of_row[y] = i
            for left, a in row.cells:
                for right, b in row.cells:
                    if left << 1 & right:
                        found[a, arch.R, b] = found[b, arch.L, a] = None
        for low, high in dict.fromkeys(zip(of_row, of_row[1:], strict=False)):
            if low >= 0 and high >= 0:
                for below, a in self.row_classes[low].cells:
                    for above, b in self.row_classes[high].cells:
                        if below & above:
                            found[a, arch.U, b] = found[b, arch.D, a] = None
        return sorted(found)

    def border(self, a: int, port: int, b: int) -> TileSet:
        """The tiles of class a whose neighbour beyond the port is a tile of class b."""
        dx, dy = arch.STEP[port]
        return self.classes[a].tiles & self.classes[b].tiles.moved(-dx, -dy)

    def open_side(self, a: int, port: int) -> TileSet:
        """The tiles of class a beyond whose port lies no tile of any class (the layout's edge, or nothing set)."""
        dx, dy = arch.STEP[port]
        return self.classes[a].tiles - self.everything.moved(-dx, -dy)

    @cached_property
    def everything(self) -> TileSet:
        """All tiles that have settings."""
        return union(c.tiles for c in self.classes)

    def class_at(self, x: int, y: int) -> TileClass | None:
        return next((c for c in self.classes if c.tiles.has(x, y)), None)


def where(tiles: TileSet) -> str:
    """A set of tiles in words: its number and its first tile (paint.md: x right, y along U)."""
    if not tiles:
        return "no tile"
    x, y = tiles.first()
    n = tiles.count()
    return f"tile ({x}, {y})" if n == 1 else f"{n} tiles, the first ({x}, {y})"


def flatten(result: Result, reporter: Reporter, fabric: tuple[int, int] | None = None) -> Layout:
    """The classes of a layout. `fabric` is the size given on the command line.

    Reports PT100 to PT103 for settings that contradict each other; raises UserError (PT105 to PT107) for a
    layout that does not fit its fabric.
    """
    region = result.region
    width, height = _size(region, result.span, fabric)
    layers = [x for x in region.layers if not isinstance(x.setting, Label)]
    labels = [(x.setting, x.tiles) for x in region.layers if isinstance(x.setting, Label)]
    merger = _Merger(layers, reporter)
    row_classes = []
    for rows, stack in _alike_rows(layers, height):
        cells: dict[int, int] = {}
        for columns, under in _cut(stack):
            key = merger.key(under, rows, columns)
            cells[key] = cells.get(key, 0) | columns
        row_classes.append(RowClass(rows, tuple((columns, key) for key, columns in cells.items())))
    merger.report()
    return merger.layout(row_classes, width, height, labels, result)


def _size(region: Region, span: Span, fabric: tuple[int, int] | None) -> tuple[int, int]:
    t = region.tiles
    if not t:
        raise fail("PT107", span)
    if t.x < 0 or t.y < 0:
        outside = next((x for x in region.layers if x.tiles and (x.tiles.x < 0 or x.tiles.y < 0)), None)
        notes = (
            [(outside.setting.span, f"this lies at ({outside.tiles.x}, {outside.tiles.y})")]
            if outside
            else []
        )
        raise fail("PT105", span, x=t.x, y=t.y, notes=notes)
    width, height = t.x + t.w, t.y + t.h
    limit = fabric or (arch.MAX_WIDTH, arch.MAX_HEIGHT)
    if width > limit[0] or height > limit[1]:
        hint = None if fabric else f"fabric={width},{height} on the command line allows it"
        raise fail("PT106", span, w=width, h=height, width=limit[0], height=limit[1], hint=hint)
    return fabric or (width, height)


def _alike_rows(layers: list[Layer], height: int) -> Iterator[tuple[int, tuple[tuple[int, int], ...]]]:
    """(mask of rows, the (layer, mask of columns) that cross each of them), rows that are alike together."""
    stacks: list[list[tuple[int, int]]] = [[] for _ in range(height)]
    for i, layer in enumerate(layers):
        t = layer.tiles
        for rows, columns in t.groups:
            item = i, columns << t.x
            for y in bits(rows):
                stacks[t.y + y].append(item)
    alike: dict[tuple[tuple[int, int], ...], int] = {}
    for y, stack in enumerate(stacks):
        if stack:
            key = tuple(stack)
            alike[key] = alike.get(key, 0) | 1 << y
    for stack_key, rows in alike.items():
        yield rows, stack_key


def _cut(stack: tuple[tuple[int, int], ...]) -> list[tuple[int, tuple[int, ...]]]:
    """The columns of a row under its layers: (mask of columns, layers there)."""
    parts: list[tuple[int, tuple[int, ...]]] = []
    covered = 0
    for _, columns in stack:
        covered |= columns
    parts = [(covered, ())]
    for layer, columns in stack:
        after: list[tuple[int, tuple[int, ...]]] = []
        for mask, under in parts:
            inside, outside = mask & columns, mask & ~columns
            if inside:
                after.append((inside, (*under, layer)))
            if outside:
                after.append((outside, under))
        parts = after
    return parts


@dataclass
class _Merged:
    """The settings of a stack of layers as one."""

    code: Code | None
    rules: dict[Color, Painted]
    banks: dict[int, Passing]


class _Merger:
    """Merges stacks of layers into classes; collects contradictions with the tiles where they are."""

    def __init__(self, layers: list[Layer], reporter: Reporter) -> None:
        self.layers = layers
        self.reporter = reporter
        self.stacks: dict[tuple[int, ...], tuple[int, list[tuple[str, Setting, Setting]]]] = {}
        self.merged: list[_Merged] = []
        self.by_content: dict[object, int] = {}
        self.wrong: dict[tuple[str, int, int], tuple[str, Setting, Setting, list[TileSet]]] = {}

    def key(self, under: tuple[int, ...], rows: int, columns: int) -> int:
        """The class of a cell."""
        if under not in self.stacks:
            merged, wrong = _merge([self.layers[i].setting for i in under])
            content = _content(merged)
            if content not in self.by_content:
                self.by_content[content] = len(self.merged)
                self.merged.append(merged)
            self.stacks[under] = self.by_content[content], wrong
        index, wrong = self.stacks[under]
        for code, a, b in wrong:
            entry = self.wrong.setdefault((code, id(a), id(b)), (code, a, b, []))
            entry[3].append(TileSet.make(0, 0, [(rows, columns)]))
        return index

    def report(self) -> None:
        for code, a, b, sets in self.wrong.values():
            tiles = where(union(sets))
            note = [(a.span, f"{_words(a)} is set here")]
            if code == "PT100":
                assert isinstance(a, Code) and isinstance(b, Code)
                how = (
                    f"'{a.kernel}' and '{b.kernel}'"
                    if a.kernel != b.kernel
                    else f"'{a.kernel}' with two bindings"
                )
                self.reporter.report("PT100", b.span, tiles=tiles, how=how, notes=note)
            elif code == "PT101":
                assert isinstance(a, Painted) and isinstance(b, Painted)
                self.reporter.report(
                    "PT101", b.span, tiles=tiles, color=b.color.name, a=str(a.rule), b=str(b.rule), notes=note
                )
            else:
                assert isinstance(a, Painted) and isinstance(b, Passing)
                self.reporter.report(
                    "PT103",
                    a.span,
                    tiles=tiles,
                    color=a.color.name,
                    bank=b.bank,
                    notes=[(b.span, f"bank {b.bank} is enabled here")],
                )

    def layout(
        self,
        row_classes: list[RowClass],
        width: int,
        height: int,
        labels: list[tuple[Label, TileSet]],
        result: Result,
    ) -> Layout:
        groups: list[list[tuple[int, int]]] = [[] for _ in self.merged]
        for row in row_classes:
            for columns, key in row.cells:
                groups[key].append((row.rows, columns))
        classes = [
            TileClass(i, TileSet.make(0, 0, groups[i]), m.code, m.rules, m.banks)
            for i, m in enumerate(self.merged)
        ]
        world = result.world
        reach = result.region.tiles
        extent = reach.x + reach.w, reach.y + reach.h
        return Layout(width, height, classes, row_classes, world.colors, world.pairs, labels, result.span, extent)


def _merge(settings: list[Setting]) -> tuple[_Merged, list[tuple[str, Setting, Setting]]]:
    merged = _Merged(None, {}, {})
    wrong: list[tuple[str, Setting, Setting]] = []
    for s in settings:
        if isinstance(s, Code):
            if merged.code is None:
                merged.code = s
            elif not merged.code.same(s):
                wrong.append(("PT100", merged.code, s))
            elif not merged.code.name:
                merged.code = s
        elif isinstance(s, Painted):
            known = merged.rules.get(s.color)
            if known is None:
                merged.rules[s.color] = s
            else:
                rule = known.rule.filled(s.rule)
                if rule is None:
                    wrong.append(("PT101", known, s))
                elif rule != known.rule:
                    merged.rules[s.color] = Painted(s.color, rule, s.span)
        elif isinstance(s, Passing):
            merged.banks.setdefault(s.bank, s)
    for color, painted in merged.rules.items():
        if color.bank is not None and color.bank in merged.banks:
            wrong.append(("PT103", painted, merged.banks[color.bank]))
    return merged, wrong


def _content(m: _Merged) -> object:
    """What makes two stacks of layers one class."""
    code = None
    if m.code is not None:
        c = m.code
        params = tuple(sorted((n, type(v).__name__, v) for n, v in c.params))
        code = c.kernel, params, tuple(sorted((n, s.key) for n, s in c.sockets)), c.name
    rules: frozenset[tuple[str, Rule]] = frozenset((c.key, p.rule) for c, p in m.rules.items())
    return code, rules, frozenset(m.banks)


def _words(s: Setting) -> str:
    if isinstance(s, Painted):
        return f"rule {s.rule} for '{s.color.name}'"
    return str(s) if isinstance(s, Code) else "the other one"


__all__ = ["Layout", "RowClass", "TileClass", "flatten", "where"]
