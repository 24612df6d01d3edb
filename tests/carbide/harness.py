"""Kernels from text: compiled, painted on tiles, simulated, and evaluated for comparison."""

from __future__ import annotations

import tempfile
from pathlib import Path

import paint
from carbide.ir import Op, Unit
from carbide.lower import lower
from diag.report import Reporter, UserError, render
from fabric.rects import Rect
from fabric.simulation import Result, Simulation
from tungsten import load, tree
from tungsten.evaluate import evaluate_tiles

ONE = "let t = tile()\nt : code('k0)\nt : name('k0)\nt\n"
# Two tiles in a row: k0 left, k1 right; "r" goes right, "l" goes left.
PAIR = """let r = color()
let l = color()
let a = tile()
a : code('k0 [tx:r rx:l])
a : name('k0)
a : paint(r [C>R])
a : paint(l [R>C])
let b = tile()
b : code('k1 [rx:r tx:l])
b : name('k1)
b : paint(r [L>C])
b : paint(l [C>L])
hstack(a b)
"""
# One color, from k0 to k1.
WIRE = """let r = color()
let a = tile()
a : code('k0 [tx:r])
a : name('k0)
a : paint(r [C>R])
let b = tile()
b : code('k1 [rx:r])
b : name('k1)
b : paint(r [L>C])
hstack(a b)
"""
LINKS = [((0, "tx"), (1, "rx")), ((1, "tx"), (0, "rx"))]


def program(text: str, **params: int | float | str) -> tree.Program:
    """The typed tree of a kernel; an assertion names what is wrong with it."""
    with tempfile.TemporaryDirectory() as d:
        path = Path(d) / "k0.w"
        path.write_text(text, encoding="utf-8")
        reporter = Reporter()
        try:
            p = load(str(path), [], dict(params), reporter)
        except UserError as e:
            raise AssertionError("\n".join(render(x) for x in e.diagnostics)) from None
        reporter.raise_if_errors()
        return p


def unit(text: str, **params: int | float | str) -> Unit:
    """What lowering makes of a kernel."""
    reporter = Reporter()
    u = lower(program(text, **params), reporter)
    reporter.raise_if_errors()
    return u


def errors(text: str) -> list[str]:
    """The codes that lowering reports."""
    reporter = Reporter()
    lower(program(text), reporter)
    return [d.code.code for d in reporter.errors]


def ops(u: Unit, routine: str = "main") -> list[Op]:
    """The operations of a routine."""
    return [x for r in u.routines if r.name == routine for x in r.code if isinstance(x, Op)]


def names(text: str, routine: str = "main") -> list[str]:
    """The mnemonics of a routine, without the end of its task."""
    return [o.name for o in ops(unit(text), routine) if o.name != "end"]


def simulate(kernels: list[str], layout: str = ONE, cycles: int = 20_000, opt: int = 1) -> Result:
    """Runs kernels on the tiles of a layout, which calls them k0, k1 …"""
    files = {"bench.paint": layout} | {f"k{n}.w": text for n, text in enumerate(kernels)}
    try:
        image = paint.build(files, opt=opt)
        return Simulation(image).run(cycles)
    except UserError as e:
        raise AssertionError("\n".join(render(x) for x in e.diagnostics)) from None


def words(result: Result, name: str) -> list[int]:
    """The 16-bit words of a global (`k0.x`, or `x` where that is unambiguous) on its tile."""
    found = [e for e in result.simulation.entries() if e.name == name or e.name.split(".")[-1] == name]
    (entry,) = found
    at = Rect(entry.rect.x, entry.rect.y, 1, 1)
    return [int(w) for w in result.image.read(entry.address, entry.elements * entry.words, at)[0, 0]]


def agree(kernels: list[str] | str, layout: str = ONE, cycles: int = 20_000, opt: int = 1, status: str = "done") -> Result:
    """Runs kernels on the simulator and in the evaluator and asserts that every global ends with the same words."""
    texts = [kernels] if isinstance(kernels, str) else kernels
    result = simulate(texts, layout, cycles, opt)
    assert result.status == status, result.why_blocked()
    programs = [program(text) for text in texts]
    wanted = evaluate_tiles(programs, LINKS[: 1 if layout is WIRE else 2] if len(texts) == 2 else ())
    for n, (p, w) in enumerate(zip(programs, wanted, strict=True)):
        for g in p.globals:
            if g.address is None or g.address < 0x6000:
                got = words(result, f"k{n}.{g.name}")
                assert got == w.memory[g.name], f"k{n}.{g.name}: {got} instead of {w.memory[g.name]}"
    return result
