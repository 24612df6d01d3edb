"""One or two kernels, compiled, put on tiles by hand, simulated and evaluated: do all globals end with the same words?

Two kernels stand side by side: what one sends on its socket t0 arrives at the other's r0, and so on to t9 and r9.
"""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path

from carbide import backend
from carbide.compile import assemble_program
from carbide.lower import lower
from diag.report import Reporter, UserError, render
from fabric import arch
from fabric.image import Image
from fabric.program import Program
from fabric.rects import Rect
from fabric.simulation import Simulation
from tungsten import tree
from tungsten.check import load
from tungsten.evaluate import Link, evaluate_tiles

LEFT, RIGHT, CORE = 0, 1, 4  # ports, as route words number them


class Disagreement(AssertionError):
    """The compiled kernel and the evaluator differ, or one of them fails."""


def compiled(text: str, name: str, opt: int = 1) -> tuple[tree.Program, Program]:
    """The typed tree of a kernel and what Carbide makes of it. Raises Disagreement with the messages of an error."""
    reporter = Reporter()
    try:
        with tempfile.TemporaryDirectory() as directory:
            path = Path(directory) / f"{name}.w"
            path.write_text(text, encoding="utf-8")
            source = load(path, [], {}, reporter)
        unit = lower(source, reporter)
        reporter.raise_if_errors()
        return source, assemble_program(source, backend.run(unit, opt))
    except UserError as e:
        raise Disagreement("\n".join(render(d) for d in e.diagnostics)) from None


def image_of(programs: Sequence[Program]) -> Image:
    """A row of tiles, one for each program."""
    image = Image(len(programs), 1)
    for x, p in enumerate(programs):
        tile = [Rect(x, 0, 1, 1)]
        for address, words in p.sections:
            image.add_fill(tile, address, words)
        for address, word in p.registers.items():
            image.add_fill(tile, address, [word])
        side = RIGHT if x == 0 else LEFT
        for s in p.sockets:
            # t0 of the left tile is color 0, of the right one color 1, t1 colors 2 and 3 …
            color = 2 * int(s.socket[1:]) + (x if s.dir == "out" else 1 - x)
            if s.dir == "in":
                image.add_fill(tile, arch.INPUT_QUEUE + 2 * s.queue, [color])
                image.add_fill(tile, arch.ROUTE + color, [side << 5 | 1 << CORE])
            else:
                image.add_fill(tile, arch.OUTPUT_QUEUE + s.queue, [color << 4])
                image.add_fill(tile, arch.ROUTE + color, [CORE << 5 | 1 << side])
        for number, socket in p.filters:
            at = arch.FILTERS + arch.FILTER_WORDS * number + arch.FILTER_ENABLE
            image.add_fill(tile, at, [1, 2 * int(socket[1:]) + 1 - x])
    image.add_ids(Rect(0, 0, image.width, 1))
    image.linked = True
    return image


def links(sources: Sequence[tree.Program]) -> list[Link]:
    """Which socket of which kernel ends where."""
    found: list[Link] = []
    for x, p in enumerate(sources):
        if len(sources) == 2:
            there = {s.name for s in sources[1 - x].sockets}
            names = [s.name for s in p.sockets if s.name[0] == "t" and f"r{s.name[1:]}" in there]
            found += [((x, name), (1 - x, f"r{name[1:]}")) for name in names]
    return found


def check(kernels: Sequence[str], cycles: int = 1_000_000, opt: int = 1) -> int:
    """Runs one kernel or a pair both ways. Raises Disagreement; returns the cycles that the machine took."""
    both = [compiled(text, f"k{n}", opt) for n, text in enumerate(kernels)]
    sources, programs = [s for s, _ in both], [p for _, p in both]
    layouts = [{s.name: s.address for s in p.symbols} for p in programs]
    wanted = evaluate_tiles(sources, links(sources), layouts=layouts)
    try:
        result = Simulation(image_of(programs), engine="python").run(cycles)
    except UserError as e:
        raise Disagreement("\n".join(render(d) for d in e.diagnostics)) from None
    ended = all(w.ended or w.serving for w in wanted)
    if (result.status == "done") != ended:
        waiting = [place for w in wanted for place in w.waiting]
        raise Disagreement(f"machine: {result.why_blocked()}\nevaluator: {'ended' if ended else f'waits at {waiting}'}")
    for x, (p, w) in enumerate(zip(programs, wanted, strict=True)):
        for s in p.symbols:
            got = [int(word) for word in result.image.read(s.address, s.size, Rect(x, 0, 1, 1))[0, 0]]
            holds_descriptors = s.type in ("stream", "u64") and s.name[0] in "de"  # each side has its own
            if got != w.memory[s.name] and not holds_descriptors:
                raise Disagreement(f"k{x}.{s.name} ({s.type}): machine {_hex(got)}, evaluator {_hex(w.memory[s.name])}")
    return result.cycles


def _hex(words: list[int]) -> str:
    return " ".join(f"{w:04x}" for w in words)
