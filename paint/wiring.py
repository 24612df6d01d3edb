"""What the checks of paint.md 6 look at: rules, queues and banks of a numbered layout, by color number.

The checks know nothing else of a layout, so that they can be asked about any fabric of which this is known.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from diag.spans import Span
from paint.rules import Rule
from paint.tiles import EMPTY, TileSet, union

if TYPE_CHECKING:
    from fabric.program import Program
    from paint.flatten import Layout, TileClass


@dataclass(frozen=True)
class Routed:
    """A rule of the color `number` on a set of tiles; `color` is the color's name, `span` the rule's place."""

    number: int
    color: str
    rule: Rule
    span: Span
    tiles: TileSet


@dataclass(frozen=True)
class Queue:
    """A queue of the kernel on a set of tiles: `sends` tells an output queue from an input queue. `span` is the
    place of the binding."""

    number: int
    color: str
    socket: str
    kernel: str
    sends: bool
    span: Span
    tiles: TileSet


@dataclass(frozen=True)
class Passing:
    """Tiles with mp(bank) and a place of the directive."""

    tiles: TileSet
    span: Span


@dataclass
class Wiring:
    """`tiles` are all tiles of the layout. Two rules of one number have no tile in common, nor do two colors of
    one number. Tiles of `self_routing` have kernels that set routes at run time (Program.self_routing), those of
    `by_place` kernels that read their row or column and may leave a socket unused on some tiles."""

    tiles: TileSet
    routed: list[Routed] = field(default_factory=list)
    queues: list[Queue] = field(default_factory=list)
    self_routing: TileSet = EMPTY
    by_place: TileSet = EMPTY
    passing: Mapping[int, Passing] = field(default_factory=dict)
    paired: Mapping[str, str] = field(default_factory=dict)  # names of colors that a colorpair names, both ways


def wiring(
    layout: Layout, numbers: Mapping[str, int], program_of: Callable[[TileClass], Program | None]
) -> Wiring:
    """The wiring of a flattened layout, its numbering by color key, and the compiled kernels of its classes.

    The layout reaches from (0, 0) to its last tile, with settings or without: beyond lies what a route leaves it to.
    """
    width, height = layout.extent
    routed: dict[tuple[int, str, Rule, Span], list[TileSet]] = {}
    queues: dict[tuple[int, str, str, str, bool, Span], list[TileSet]] = {}
    alone: list[TileSet] = []
    placed: list[TileSet] = []
    banks: dict[int, tuple[Span, list[TileSet]]] = {}
    for c in layout.classes:
        for color, painted in c.rules.items():
            place = painted.rule.span or painted.span
            routed.setdefault((numbers[color.key], color.name, painted.rule, place), []).append(c.tiles)
        for bank, passing in c.banks.items():
            banks.setdefault(bank, (passing.span, []))[1].append(c.tiles)
        program = program_of(c) if c.code else None
        if c.code is None or program is None:
            continue
        if program.self_routing:
            alone.append(c.tiles)
        if program.by_place:
            placed.append(c.tiles)
        sockets, places = dict(c.code.sockets), dict(c.code.places)
        for use in program.sockets:
            if not use.live:
                continue
            color = sockets[use.socket]
            place = places.get(use.socket, c.code.span)
            key = numbers[color.key], color.name, use.socket, c.code.kernel, use.dir == "out", place
            queues.setdefault(key, []).append(c.tiles)
    return Wiring(
        TileSet.box(0, 0, width, height),
        [Routed(*key, union(sets)) for key, sets in routed.items()],
        [Queue(*key, union(sets)) for key, sets in queues.items()],
        union(alone),
        union(placed),
        {bank: Passing(union(sets), span) for bank, (span, sets) in banks.items()},
        {x.name: y.name for p in layout.pairs for x, y in ((p.a, p.b), (p.b, p.a))},
    )


@dataclass
class Finding:
    """One fault of the routes: its code (PT6xx), the place of the rule, all tiles where it is so, the direction it
    is about (a port letter; "" when it has none) and the arguments of its message."""

    code: str
    span: Span
    tiles: TileSet
    direction: str
    color: str
    args: dict[str, object] = field(default_factory=dict)
    notes: tuple[tuple[Span, str], ...] = ()
