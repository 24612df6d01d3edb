"""Regions: a set of tiles and the settings laid on it (paint.md 2 and 3).

A region is immutable. Settings lie in layers, each with its own set of tiles; the same setting on several copies
is one layer, so a replication of any size costs what its pattern costs. Two regions share no state: a directive
makes a new region.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import count
from typing import TYPE_CHECKING

from diag.spans import Span
from paint.rules import Rule
from paint.tiles import EMPTY, TileSet, union

if TYPE_CHECKING:
    from paint.values import Color

_numbers = count(1)


@dataclass(frozen=True, eq=False)
class Code:
    """A kernel with its bindings. `params` are numbers by name, `sockets` colors by name; `places` has the span
    of each binding. `name` is the prefix of its symbols, "" while the region has none; `owner` tells which region
    the directive was given to."""

    kernel: str
    kernel_span: Span
    params: tuple[tuple[str, int | float], ...]
    sockets: tuple[tuple[str, Color], ...]
    places: tuple[tuple[str, Span], ...]
    span: Span
    owner: int
    name: str = ""
    name_span: Span | None = None

    def same(self, other: Code) -> bool:
        """Whether both are one kernel with the same bindings (1 and 1.0 are different numbers)."""
        mine = [(n, type(v), v) for n, v in sorted(self.params)]
        theirs = [(n, type(v), v) for n, v in sorted(other.params)]
        return self.kernel == other.kernel and mine == theirs and dict(self.sockets) == dict(other.sockets)

    def __str__(self) -> str:
        return f"kernel '{self.kernel}'"


@dataclass(frozen=True, eq=False)
class Painted:
    """A color's rule, its boundary operators resolved. Flips of one painting are made once (see `flipped`)."""

    color: Color
    rule: Rule
    span: Span
    _flips: dict[str, Painted] = field(default_factory=dict, repr=False)

    def flipped(self, axis: str) -> Painted:
        if axis not in self._flips:
            twin = Painted(self.color, self.rule.flipped(axis), self.span)
            twin._flips[axis] = self
            self._flips[axis] = twin
        return self._flips[axis]


@dataclass(frozen=True, eq=False)
class Label:
    """A name on a region without code, or on one whose code has a name already."""

    name: str
    span: Span


@dataclass(frozen=True, eq=False)
class Passing:
    """Message passing by a bank, 0 or 1."""

    bank: int
    span: Span


Setting = Code | Painted | Label | Passing


@dataclass(frozen=True)
class Layer:
    setting: Setting
    tiles: TileSet


@dataclass(frozen=True, eq=False)
class Region:
    """`tiles` are all tiles, `layers` the settings in the order they were given."""

    tiles: TileSet
    layers: tuple[Layer, ...] = ()
    owner: int = field(default_factory=lambda: next(_numbers))

    @cached_property
    def has_passing(self) -> bool:
        return any(isinstance(layer.setting, Passing) for layer in self.layers)

    def with_setting(self, setting: Setting, tiles: TileSet | None = None) -> Region:
        """The region with one more setting, on all of its tiles or on some."""
        where = self.tiles if tiles is None else tiles
        return replace(self, layers=(*self.layers, Layer(setting, where))) if where else self

    def named(self, name: str, span: Span) -> Region:
        """name('n): the prefix of the symbols of the region that has the code, else a label (paint.md 2).

        Code given to this very region takes the name. Code that parts of it brought along takes it if it has none
        yet; a part's own name stays, and this one labels the part.
        """
        layers: list[Layer] = []
        rest = self.tiles
        for layer in self.layers:
            s = layer.setting
            if isinstance(s, Code) and (s.owner == self.owner or not s.name):
                rest = rest - layer.tiles
                layer = Layer(replace(s, name=name, name_span=span), layer.tiles)
            layers.append(layer)
        if rest:
            layers.append(Layer(Label(name, span), rest))
        return replace(self, layers=tuple(layers))

    def moved(self, dx: int, dy: int) -> Region:
        return replace(
            self,
            tiles=self.tiles.moved(dx, dy),
            layers=tuple(Layer(x.setting, x.tiles.moved(dx, dy)) for x in self.layers),
        )

    def repeated(self, axis: str, step: int, n: int) -> Region:
        """n copies along "x" or "y", `step` tiles from one to the next."""
        dx, nx, dy, ny = (step, n, 0, 1) if axis == "x" else (0, 1, step, n)

        def copies(tiles: TileSet) -> TileSet:
            return tiles.repeated(dx, nx, dy, ny)

        layers = tuple(Layer(x.setting, copies(x.tiles)) for x in self.layers) if n > 0 else ()
        return replace(self, tiles=copies(self.tiles), layers=layers)

    def flipped(self, axis: str) -> Region:
        """Mirrored within its bounding box; L and R (axis "x") or U and D (axis "y") of its rules exchanged."""
        t = self.tiles
        low, high = (t.x, t.x + t.w) if axis == "x" else (t.y, t.y + t.h)
        layers = []
        for x in self.layers:
            s = x.setting.flipped(axis) if isinstance(x.setting, Painted) else x.setting
            layers.append(Layer(s, x.tiles.mirrored(axis, low, high)))
        return replace(self, tiles=t.mirrored(axis, low, high), layers=tuple(layers))


def overlay(regions: Iterable[Region]) -> Region:
    """union(a b …): all tiles, all settings; the same setting on several parts becomes one layer."""
    tiles: list[TileSet] = []
    parts: dict[int, tuple[Setting, list[TileSet]]] = {}
    for r in regions:
        tiles.append(r.tiles)
        for layer in r.layers:
            parts.setdefault(id(layer.setting), (layer.setting, []))[1].append(layer.tiles)
    return Region(union(tiles), tuple(Layer(setting, union(sets)) for setting, sets in parts.values()))


def stack(regions: Iterable[Region], axis: str) -> Region:
    """hstack (axis "x") or vstack ("y"): each region moved so that its bounding box starts where the previous one
    ended; its place on the other axis stays. Empty regions take no room."""
    placed: list[Region] = []
    end: int | None = None
    for r in regions:
        t = r.tiles
        if t:
            start = t.x if axis == "x" else t.y
            if end is not None and end != start:
                r = r.moved(end - start, 0) if axis == "x" else r.moved(0, end - start)
            end = r.tiles.x + r.tiles.w if axis == "x" else r.tiles.y + r.tiles.h
        placed.append(r)
    return overlay(placed)


NOTHING = Region(EMPTY)
