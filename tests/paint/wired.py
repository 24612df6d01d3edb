"""Layouts for the tests of solver and checks: Paint text to numbered wiring, with kernels made up by their names.

A made-up kernel receives on sockets whose names begin with `r`, sends on those that begin with `t`, does both on
those that begin with `b`, routes for itself when its own name begins with `self`, and reads its row or column when that
begins with `placed`.
"""

from __future__ import annotations

import textwrap
from dataclasses import dataclass

from diag.report import Reporter, render
from diag.spans import Source
from fabric.program import Program, SocketUse
from paint import checks, colors, flatten, meet
from paint.evaluate import Evaluator
from paint.grammar import parse
from paint.problem import ColorProblem
from paint.wiring import Finding, Wiring, wiring


@dataclass
class Painted:
    layout: flatten.Layout
    problem: ColorProblem


def paint(text: str, **given: int) -> Painted:
    """Evaluates and flattens a layout; every diagnostic is a failure of the test."""
    source = Source("bench.paint", textwrap.dedent(text).strip() + "\n")
    reporter = Reporter()
    statements = parse(source, reporter)
    reporter.raise_if_errors()
    result = Evaluator(reporter, given).run(statements, source.span(0, len(source.text)))
    layout = flatten.flatten(result, reporter)
    reporter.raise_if_errors()
    return Painted(layout, meet.problem(layout))


def program_of(c: flatten.TileClass) -> Program | None:
    if c.code is None:
        return None
    program = Program(c.code.kernel, c.code.kernel + ".w", self_routing=c.code.kernel.startswith("self"))
    program.by_place = c.code.kernel.startswith("placed")
    queues = {"in": 0, "out": 0}
    for socket, _ in c.code.sockets:
        for way, first in (("in", "rb"), ("out", "tb")):
            if socket[0] in first:
                program.sockets.append(SocketUse(socket, way, queues[way], "u32", ""))
                queues[way] += 1
    return program


def wired(text: str, **given: int) -> Wiring:
    painted = paint(text, **given)
    return wiring(painted.layout, colors.solve(painted.problem), program_of)


def findings(text: str, **given: int) -> list[Finding]:
    return checks.check(wired(text, **given))


def shown(text: str, **given: int) -> str:
    """The messages of all findings."""
    return "\n".join(render(checks.diagnostic(f)) for f in findings(text, **given))


def brief(text: str, **given: int) -> list[tuple[str, str, str, list[tuple[int, int, int, int]]]]:
    """(code, color, direction, boxes) of each finding."""
    return [(f.code, f.color, f.direction, [tuple(b) for b in f.tiles.boxes()]) for f in findings(text, **given)]
