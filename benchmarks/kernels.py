"""Kernels whose cycles are known: `python benchmarks/kernels.py [word …]` measures them and prints a table.

A kernel repeats what it does REPS times; the difference between two runs leaves out start and end. `ideal` is what the
widths of hardware.md 6 and 14, or the totals of hardware.md 17, allow; `least` the ratio ideal / cycles that a test
asserts. A row is chosen by a word of its name; `markdown` as a word prints the table of docs/performance.md.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path

import paint
from fabric.simulation import Simulation

HERE = Path(__file__).parent
N = 1024
ALONE = "let t = tile()\nt : code('kernel [REPS:REPS])\nt\n"
FED = """let c = color()
let s = tile()
s : code('feeder [tx:c REPS:REPS])
s : paint(c [C>R])
let k = tile()
k : code('kernel [rx:c REPS:REPS])
k : paint(c [L>C])
hstack(s k)
"""
FEEDING = """let c = color()
let k = tile()
k : code('kernel [tx:c REPS:REPS])
k : paint(c [C>R])
let r = tile()
r : code('taker [rx:c REPS:REPS])
r : paint(c [L>C])
hstack(k r)
"""
STENCIL_LAYOUT = """(* Four colors from the left, four from the right; what the point sends is dropped. *)
let a = color() let b = color() let c = color() let d = color()
let e = color() let f = color() let g = color() let h = color()
let s = color() let t = color()
let left = tile()
left : code('feeder [a:a b:b c:c d:d REPS:REPS])
left : paint(a [C>R]) left : paint(b [C>R]) left : paint(c [C>R]) left : paint(d [C>R])
let right = tile()
right : code('feeder [a:e b:f c:g d:h REPS:REPS])
right : paint(e [C>L]) right : paint(f [C>L]) right : paint(g [C>L]) right : paint(h [C>L])
let m = tile()
m : code('kernel [s1:s s2:t r0:a r1:b r2:c r3:d r4:e r5:f r6:g r7:h REPS:REPS])
m : paint(s [C>]) m : paint(t [C>])
m : paint(a [L>C]) m : paint(b [L>C]) m : paint(c [L>C]) m : paint(d [L>C])
m : paint(e [R>C]) m : paint(f [R>C]) m : paint(g [R>C]) m : paint(h [R>C])
hstack(left m right)
"""
STENCIL_FEEDER = """xp param REPS;
sp socket a, b, c, d;
let i in [0, 3*REPS);
parallel { ∀i a[] <- 0.5:sp; ∀i b[] <- 0.25:sp; ∀i c[] <- 2.0:sp; ∀i d[] <- 1.0:sp; }
"""
STENCIL = """xp param REPS;
sp socket s1, s2, r0, r1, r2, r3, r4, r5, r6, r7;
sp x[REPS+2], y[REPS], w[9][3];
sp sum, r;
sp const relax = 0.5;
let k in [0, REPS);
let j in [0, 3);
main {
  ∀k {
    ∀j s1[] <- x[k+j];
    ∀j s2[] <- x[k+j];
    [[dot.load(off)]] ∀j sum = ∑ w[0][j] * r0[];
    [[dot.state(on), dot.load(off)]] {
      ∀j sum = ∑ w[1][j] * r1[];
      ∀j sum = ∑ w[2][j] * r2[];
      ∀j sum = ∑ w[3][j] * r3[];
      ∀j sum = ∑ w[4][j] * r4[];
      ∀j sum = ∑ w[5][j] * r5[];
      ∀j sum = ∑ w[6][j] * r6[];
      ∀j sum = ∑ w[7][j] * r7[];
    }
    [[dot.state(on)]] i in [0, 2) sum = ∑ w[8][i] * x[k+i];
    SCALAR
  }
}
"""


@dataclass(frozen=True)
class Kernel:
    """`files`: layout and sources, or a project's directory. A run with `few` and one with `many` repetitions."""

    name: str
    files: dict[str, str] | Path
    ideal: float
    least: float = 0.95
    few: int = 2
    many: int = 4
    opt: int = 1


def cycles(k: Kernel) -> float:
    """Cycles of one repetition."""
    took = []
    for reps in (k.few, k.many):
        source = k.files if isinstance(k.files, Path) else dict(k.files)
        params = {"STEPS": reps, "W": 3, "H": 3} if isinstance(k.files, Path) else {"REPS": reps}
        result = Simulation(paint.build(source, opt=k.opt, **params)).run(1_000_000)
        assert result.status == "done", result.why_blocked()
        took.append(result.cycles)
    return (took[1] - took[0]) / (k.many - k.few)


def _source(declarations: str, statement: str) -> str:
    return (
        f"xp param REPS;\nxp param N = {N};\n{declarations}\nlet i in [0, N);\nlet rep in [0, REPS);\n"
        f"main {{\n  ∀rep {{\n    {statement}\n  }}\n}}\n"
    )


def _vector(kind: str, statement: str, width: float, more: str = "", least: float = 0.95) -> Kernel:
    """A statement over N elements of arrays a, b and c on one tile."""
    text = _source(f"{kind} a[N], b[N], c[N]; {more}", statement)
    return Kernel(f"{kind}: {statement}", {"bench.paint": ALONE, "kernel.w": text}, N / width, least)


def _grid(kind: str, statement: str, width: float) -> Kernel:
    """A statement over the 32 x 32 inner elements of arrays with a border."""
    more = f"{kind} a[34][36], b[34][36], c[34][36]; let x in [1, 33); let y in [1, 33);"
    return Kernel(f"{kind}: {statement}", {"bench.paint": ALONE, "kernel.w": _source(more, statement)}, N / width)


def _fed(kind: str, statement: str, wavelets: float, more: str = "") -> Kernel:
    """A statement that reads N elements of a queue."""
    kernel = _source(f"{kind} socket rx; {kind} a[N], c[N]; {more}", statement)
    feeder = _source(f"{kind} socket tx; {kind} a[N];", "∀i tx[] <- a[i];")
    files = {"bench.paint": FED, "kernel.w": kernel, "feeder.w": feeder}
    return Kernel(f"{kind}: {statement}", files, wavelets)


def _feeding(kind: str, statement: str, wavelets: float, more: str = "") -> Kernel:
    """A statement that writes N elements to a queue."""
    kernel = _source(f"{kind} socket tx; {kind} a[N], c[N]; {more}", statement)
    taker = _source(f"{kind} socket rx; {kind} a[N];", "∀i a[i] <- rx[];")
    files = {"bench.paint": FEEDING, "kernel.w": kernel, "taker.w": taker}
    return Kernel(f"{kind}: {statement}", files, wavelets)


def _stencil(what: str, scalar: str) -> Kernel:
    files = {"bench.paint": STENCIL_LAYOUT, "kernel.w": STENCIL.replace("SCALAR", scalar), "feeder.w": STENCIL_FEEDER}
    return Kernel(f"27-point stencil, {what}", files, 38, 38 / 42, 10, 40)


def _vectors() -> list[Kernel]:
    """hardware.md 6 and 14: elements a cycle of each operation."""
    out: list[Kernel] = []
    for kind, width in (("xp", 8), ("hp", 8), ("u32", 4), ("sp", 4)):
        out += [_vector(kind, f"∀i c[i] <- {e};", width) for e in ("a[i] + b[i]", "a[i] - b[i]", "a[i] * b[i]")]
        out += [_vector(kind, f"∀i c[i] <- {e}(a[i], b[i]);", width) for e in ("min", "max")]
        out += [_vector(kind, f"∀i c[i] <- {e};", width) for e in ("a[i]", "7", "a[i] + 5", "5 - a[i]")]
        out += [_vector(kind, f"∀i c[i] <- {e};", width) for e in ("-a[i]", "abs(a[i])", "a[i] > 3 ? a[i] : 3")]
        out.append(_vector(kind, "∀i c[i] += a[i];", width))
        out.append(_vector(kind, "∀i c[i] <- a[i] * v;", width, f"{kind} v = 3;"))
    for kind, width in (("xp", 8), ("u32", 4)):
        out += [_vector(kind, f"∀i c[i] <- a[i] {op} b[i];", width) for op in "&|^"]
        out += [_vector(kind, f"∀i c[i] <- {e};", width) for e in ("a[i] & 15", "~a[i]")]
        out += [_vector(kind, f"∀i c[i] <- a[i] {op};", 4) for op in ("<< b[i]", ">> b[i]", "<< 3", ">> 3")]
    out += [
        _vector("hp", "∀i c[i] <+- a[i] * b[i];", 8),
        _vector("sp", "∀i c[i] <+- a[i] * b[i];", 1),
        _vector("sp", "∀i s <+- a[i] * b[i];", 1, "sp s;"),
        _vector("sp", "∀i s = ∑ a[i] * b[i];", 1, "sp s;"),
        _vector("xp", "∀i f[i] <- a[i];", 4, "sp f[N];"),
        _vector("xp", "∀i h[i] <- a[i];", 8, "hp h[N];"),
        _vector("sp", "∀i h[i] <- a[i];", 4, "hp h[N];"),
        _vector("hp", "∀i f[i] <- a[i];", 4, "sp f[N];"),
        _vector("sp", "∀i k[i] <- a[i];", 4, "xp k[N];"),
        _vector("xp", "∀i w[i] <- a[i];", 4, "i32 w[N];"),
        _vector("u32", "∀i k[i] <- a[i];", 4, "xp k[N];"),
        _vector("u32", "∀i f[i] <- a[i];", 4, "sp f[N];"),
        _vector("sp", "∀i w[i] <- a[i];", 4, "i32 w[N];"),
        _vector("hp", "∀i k[i] <- a[i];", 8, "xp k[N];"),
        _vector("sp", "∀i c[i] <- a[i] + h[i];", 4, "hp h[N];"),
    ]
    return out


def _several() -> list[Kernel]:
    """Statements of several operations, each a vector instruction of its own."""
    return [
        _vector("sp", "∀i c[i] <- (a[i] + b[i]) * 0.5;", 2),
        _vector("sp", "∀i c[i] <- a[i]*x + b[i]*y;", 4 / 3, "sp x = 2.0, y = 3.0;"),
        _vector("xp", "∀i c[i] <- (a[i] & 15) + (b[i] << 2);", 2),
        _grid("xp", "∀y ∀x c[y][x] <- a[y][x-1] + b[y][x];", 8),
        _grid("sp", "∀y ∀x c[y][x] <- a[y][x-1] + b[y-1][x];", 4),
        _grid("sp", "∀y ∀x c[y][x] <- a[y][x] * 2.0;", 4),
    ]


def _queues() -> list[Kernel]:
    """A queue as an operand: one wavelet a cycle, which is one element of 32 bits or two of 16."""
    return [
        _fed("sp", "∀i c[i] <- rx[];", N),
        _fed("sp", "∀i c[i] <- rx[] + a[i];", N),
        _fed("sp", "∀i c[i] <- rx[] * 2.0;", N),
        _fed("sp", "∀i c[i] <- max(rx[], a[i]);", N),
        _fed("sp", "∀i c[i] <+- rx[] * a[i];", N),
        _fed("sp", "∀i h[i] <- rx[];", N, "hp h[N];"),
        _fed("u32", "∀i c[i] <- rx[] >> 3;", N),
        _fed("sp", "∀i s += rx[];", N, "sp s;"),
        _fed("sp", "∀i s = ∑ rx[] * a[i];", N, "sp s;"),
        _fed("xp", "∀i c[i] <- rx[];", N / 2),
        _fed("xp", "∀i c[i] <- rx[] + a[i];", N / 2),
        _feeding("sp", "∀i tx[] <- a[i];", N),
        _feeding("sp", "∀i tx[] <- a[i] + c[i];", N),
        _feeding("xp", "∀i tx[] <- a[i];", N / 2),
        _feeding("hp", "∀i tx[] <- a[i] * 3;", N / 2),
    ]


def _whole() -> list[Kernel]:
    """The totals of hardware.md 17."""
    project = HERE / "calibration"
    return [
        Kernel("calibration, a step", project, 355, 355 / 390, 4, 12),
        Kernel("calibration, a step, opt=2", project, 355, 1, 4, 12, 2),
        _stencil("sum and update", "y[k] = x[k] - sum * relax;"),
        _stencil("sum kept", "y[k] = sum; r = r + relax;"),
    ]


KERNELS: list[Kernel] = [*_vectors(), *_several(), *_queues(), *_whole()]


def table(rows: list[tuple[str, float, float]]) -> str:
    """A markdown table; what differs in the element type alone stands in one line."""
    types: dict[tuple[str, float, float], list[str]] = {}
    for name, took, ideal in rows:
        kind, colon, statement = name.partition(": ")
        types.setdefault((statement if colon else name, took, ideal), []).append(kind if colon else "")
    out = ["| kernel | type | cycles | ideal | ratio |", "|---|---|---|---|---|"]
    for (name, took, ideal), kinds in types.items():
        shown = f"`{name}`".replace("|", "\\|") if any(kinds) else name
        out.append(f"| {shown} | {', '.join(kinds)} | {took:g} | {ideal:g} | {ideal / took:.2f} |")
    return "\n".join(out)


def main() -> None:
    words = sys.argv[1:]
    markdown = "markdown" in words
    words = [w for w in words if w != "markdown"]
    rows: list[tuple[str, float, float]] = []
    if not markdown:
        print(f"{'cycles':>8} {'ideal':>7} {'ratio':>6}")
    for k in KERNELS:
        if words and not any(w in k.name for w in words):
            continue
        took = cycles(k)
        rows.append((k.name, took, k.ideal))
        if not markdown:
            print(f"{took:8g} {k.ideal:7g} {k.ideal / took:6.2f}  {k.name}", flush=True)
    if markdown:
        print(table(rows))


if __name__ == "__main__":
    main()
