"""The color problem: what the solver gets and what its explanation needs (paint.md 4).

`paint.meet.problem(layout)` makes a `ColorProblem` of a flattened layout; `paint.colors.solve(problem)` gives each
key of `colors` a number. A solution keeps every `allowed` set, gives the two colors of a `Pair` numbers that
differ in the lowest bit alone, and gives the two colors of a `Meeting` different numbers. Keys are unique; names
are for messages (a `define` called twice makes two colors of one name).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from diag.spans import Span
from paint.tiles import Box


@dataclass(frozen=True)
class Held:
    """What holds a color, in words that end a sentence: "rule [C>R]", "socket 'tx' of kernel 'send'", "bank 0"."""

    what: str
    span: Span | None = None


@dataclass(frozen=True)
class ColorInfo:
    """One color. `allowed` already reflects everything known of it alone: a pin leaves one number, a switching
    rule the switchable ones, an adder rule 10. `demands` says why it is not all of 0-23, one row a reason."""

    key: str
    name: str
    span: Span | None
    allowed: frozenset[int]
    pinned: int | None = None
    demands: tuple[Held, ...] = ()


@dataclass(frozen=True)
class Pair:
    """A demand that the numbers of keys a and b differ by 1 in the lowest bit; `held` is the colorpair directive
    or the swap rule whose partner b is."""

    a: str
    b: str
    held: Held


@dataclass(frozen=True)
class Meeting:
    """Why keys a < b may not share a number. how = "tile": both are held on the tiles of `box`; how = "reach": a
    wavelet of `sender` leaves a tile of `box` in direction `toward` and reaches routers where the other has a
    rule. `tiles` counts all tiles where it is so; `box` is one rectangle of them."""

    a: str
    b: str
    how: str
    box: Box
    tiles: int
    held_a: Held
    held_b: Held
    sender: str = ""
    toward: str = ""


@dataclass(frozen=True)
class TileUse:
    """Colors held on one class of tiles. `box` is one rectangle of them, `tiles` their number."""

    box: Box
    tiles: int
    colors: Mapping[str, Held]


@dataclass
class ColorProblem:
    """`colors` in the order of their definition, `meetings` by key pair (a, b) with a < b."""

    colors: dict[str, ColorInfo] = field(default_factory=dict)
    pairs: list[Pair] = field(default_factory=list)
    meetings: dict[tuple[str, str], Meeting] = field(default_factory=dict)
    usage: list[TileUse] = field(default_factory=list)
