"""Helpers of the paint tests: layouts from text, without files unless a test needs them."""

from __future__ import annotations

from pathlib import Path

from diag.report import Reporter
from diag.spans import Source
from fabric.program import Program, SocketUse
from paint.evaluate import Evaluator, Result
from paint.flatten import Layout, flatten
from paint.grammar import parse
from paint.values import Symbol, Value


def evaluated(text: str, **given: int | float | str) -> tuple[Result, Reporter]:
    """The layout of a text without includes. Raises UserError."""
    reporter = Reporter()
    source = Source("bench.paint", text)
    statements = parse(source, reporter)
    values: dict[str, Value | None] = {n: Symbol(v) if isinstance(v, str) else v for n, v in given.items()}
    return Evaluator(reporter, values).run(statements, source.span(0, 1)), reporter


def layout(text: str, **given: int | float | str) -> Layout:
    """The flattened layout of a text. Raises UserError."""
    result, reporter = evaluated(text, **given)
    made = flatten(result, reporter)
    reporter.raise_if_errors()
    return made


def tiles_of(made: Layout) -> dict[tuple[int, int], tuple[str | None, dict[str, str]]]:
    """Each tile's kernel and its rules as text by color name, for small layouts."""
    found = {}
    for c in made.classes:
        rules = {color.name: str(painted.rule) for color, painted in c.rules.items()}
        for b in c.tiles.boxes():
            for y in range(b.y, b.y + b.h):
                for x in range(b.x, b.x + b.w):
                    found[x, y] = (c.code.kernel if c.code else None, rules)
    return found


def program(name: str, sockets: dict[str, tuple[str, int]] | None = None) -> Program:
    """A program made by hand: three words of code, sockets given as name -> (direction, queue)."""
    p = Program(name, f"{name}.w")
    p.sections = [(2, [0x1111, 0x2222, 0x3333])]
    p.memory_end = 5
    for socket, (direction, queue) in (sockets or {}).items():
        p.sockets.append(SocketUse(socket, direction, queue, "sp", f"{name}.w:1:8"))
        if (socket, f"{name}.w:1:8") not in p.declared:
            p.declared.append((socket, f"{name}.w:1:8"))
    return p


SEND = """
    .name {name}
    .socket {socket} {direction} {queue} sp
    .symbol x sp n=4
        .float 1.5, -2, 3, 4
    .func main
    .entry
        nop; terminate;
"""


def kernel(directory: Path, name: str, socket: str = "tx", direction: str = "out", queue: int = 0) -> None:
    """Writes a small kernel in assembly, so that a test of layouts does not depend on the compiler."""
    text = SEND.format(name=name, socket=socket, direction=direction, queue=queue)
    (directory / f"{name}.s").write_text(text)
