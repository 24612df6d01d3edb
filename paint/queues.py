"""The core's queues: at most 8 colors come in and 8 go out on one tile (S0:55, hardware.md 3).

What a compiled kernel needs its program tells, a queue for each socket and way, two sockets on one color included.
Where there is no program, most often since the compiler had the same trouble, the rules tell which of the bound
colors can reach the core and which can leave it; the message then shows in the layout who has which.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from diag.report import Reporter
from fabric import arch
from fabric.program import Program
from paint.flatten import Layout, TileClass, where
from paint.values import Color

CORE = 1 << arch.C


def check_queues(
    layout: Layout, program_of: Callable[[TileClass], Program | None], reporter: Reporter
) -> None:
    """PT116 for each class of tiles whose kernel needs more queues than a core has."""
    partners = [(p.a, p.b) for p in layout.pairs] + [(p.b, p.a) for p in layout.pairs]
    for c in layout.classes:
        if c.code is None:
            continue
        places = dict(c.code.places)
        program = program_of(c)
        for way, does, what in (("in", "receives", "input"), ("out", "sends on", "output")):
            taken = _needed(c, program, way) if program else _possible(c, way, partners)
            if len(taken) > arch.QUEUES:
                notes = [(places[s], f"{i}. '{color.name}'") for i, (s, color) in enumerate(taken, 1)]
                reporter.report(
                    "PT116",
                    notes[arch.QUEUES][0],
                    kernel=c.code.kernel,
                    does=does,
                    count=len(taken),
                    what=what,
                    tiles=where(c.tiles),
                    notes=notes,
                )


def check_halves(
    layout: Layout, program_of: Callable[[TileClass], Program | None], reporter: Reporter
) -> None:
    """PT117 for sockets on a bank's core color that send single 16-bit values (S0, MP constraints)."""
    for c in layout.classes:
        program = program_of(c) if c.code else None
        if c.code is None or program is None:
            continue
        places, bound = dict(c.code.places), dict(c.code.sockets)
        for use in program.sockets:
            color = bound.get(use.socket)
            if color is not None and color.bank is not None and use.live and use.lone:
                at = ", ".join(use.lone[:3]) + (" and elsewhere" if len(use.lone) > 3 else "")
                span = places.get(use.socket, c.code.span)
                reporter.report("PT117", span, socket=use.socket, kernel=c.code.kernel, at=at, bank=color.bank)


def _needed(c: TileClass, program: Program, way: str) -> list[tuple[str, Color]]:
    """The sockets that have a queue in the program, with their colors."""
    assert c.code is not None
    bound = dict(c.code.sockets)
    return [(use.socket, bound[use.socket]) for use in program.sockets if use.dir == way and use.socket in bound]


def _possible(c: TileClass, way: str, partners: Iterable[tuple[Color, Color]]) -> list[tuple[str, Color]]:
    """The bound colors that some rule gives to the core ("in") or takes from it ("out"), each with a socket."""
    assert c.code is not None
    colors: set[Color] = set()
    for color, painted in c.rules.items():
        rule = painted.rule
        if way == "in":
            if rule.outputs & CORE:
                colors.add(color)
        elif rule.inputs & CORE or rule.adder:
            # A rule that swaps the core's side takes what the core sends on the partner.
            swapped = rule.swap_bits & arch.OURS_SWAP_CORE
            colors |= {b for a, b in partners if a is color} if swapped else {color}
    found: dict[Color, str] = {}
    for socket, color in c.code.sockets:
        if color in colors:
            found.setdefault(color, socket)
    return [(socket, color) for color, socket in found.items()]
