"""Cycles of compiled loops against the widths of hardware.md 6 and 14, and the known totals of hardware.md 17."""

from __future__ import annotations

import pytest
from harness import PAIR, WIRE, simulate

import paint
from fabric.simulation import Simulation

# statement -> (type, elements a cycle)
WIDTHS = {
    "c[i] <- a[i] + b[i];": ("xp", 8),
    "c[i] <- a[i] - b[i];": ("xp", 8),
    "c[i] <- a[i] * b[i];": ("xp", 8),
    "c[i] <- min(a[i], b[i]);": ("xp", 8),
    "c[i] <- a[i] << 3;": ("xp", 4),
    "c[i] <- a[i] & 7;": ("xp", 8),
    "c[i] += a[i];": ("xp", 8),
    "c[i] <- 7;": ("xp", 8),
    "c[i] <- a[i] + b[i]; ": ("sp", 4),
    "c[i] <- max(a[i], b[i]);": ("sp", 4),
    "c[i] <- a[i];": ("sp", 4),
    "c[i] <+- a[i] * 1.5;": ("sp", 1),
    "c[i] <- a[i] * 2.0 + b[i];": ("sp", 2),
    "c[i] <- a[i] ^ b[i];": ("i32", 4),
    "c[i] <+- a[i] * 1.5; ": ("hp", 8),
    "s = ∑ a[i] * b[i];": ("sp", 1),
    "s += a[i];": ("sp", 1),
}


@pytest.mark.parametrize("statement", WIDTHS)
def test_vector_loops_reach_their_width(statement: str) -> None:
    kind, width = WIDTHS[statement]
    cycles = []
    for n in (1024, 2048):
        text = f"{kind} a[{n}]; {kind} b[{n}]; {kind} c[{n}]; {kind} s; let i in [0, {n}); main {{ ∀i {statement} }}"
        cycles.append(simulate([text], cycles=100_000).cycles)
    assert 1024 / width >= 0.95 * (cycles[1] - cycles[0])


def test_a_queue_as_operand_takes_a_wavelet_a_cycle() -> None:
    cycles = []
    for n in (1000, 2000):
        left = f"sp socket tx; sp a[{n}]; let i in [0, {n}); main {{ ∀i tx[] <- a[i]; }}"
        right = f"sp socket rx; sp b[{n}]; let i in [0, {n}); main {{ ∀i b[i] <- rx[] + b[i]; }}"
        cycles.append(simulate([left, right], WIRE).cycles)
    assert 1000 >= 0.95 * (cycles[1] - cycles[0])


FEED = "sp socket a, b, c, d; main { parallel { " + "".join(f"i in [0, ∞) {s}[] <- 1.0:sp; " for s in "abcd") + "} }"
COLUMN = """xp param Z;
sp socket s1, s2, r0, r1, r2, r3, r4, r5, r6, r7;
sp x[Z + 4]; sp w[9][3]; sp y[Z]; sp const h = 0.5; sp acc;
let k in [0, Z); let j in [0, 3);
main { ∀k {
  ∀j s1[] <- x[k + j];
  ∀j s2[] <- x[k + j];
  [[dot.load(off)]] ∀j acc = ∑ w[0][j] * r0[];
  [[dot.state(on), dot.load(off)]] {
    ∀j acc = ∑ w[1][j] * r1[]; ∀j acc = ∑ w[2][j] * r2[]; ∀j acc = ∑ w[3][j] * r3[]; ∀j acc = ∑ w[4][j] * r4[];
    ∀j acc = ∑ w[5][j] * r5[]; ∀j acc = ∑ w[6][j] * r6[]; ∀j acc = ∑ w[7][j] * r7[];
  }
  [[dot.state(on)]] i in [0, 2) acc = ∑ w[8][i] * x[k + i];
  LAST
} }"""
LAYOUT = """let a = color() let b = color() let c = color() let d = color()
let e = color() let f = color() let g = color() let h = color() let s = color() let t = color()
let l = tile() l : code('feed [a:a b:b c:c d:d])
l : paint(a [C>R]) l : paint(b [C>R]) l : paint(c [C>R]) l : paint(d [C>R])
let r = tile() r : code('feed [a:e b:f c:g d:h])
r : paint(e [C>L]) r : paint(f [C>L]) r : paint(g [C>L]) r : paint(h [C>L])
let m = tile() m : code('k [s1:s s2:t r0:a r1:b r2:c r3:d r4:e r5:f r6:g r7:h Z:Z])
m : paint(s [C>]) m : paint(t [C>])
m : paint(a [L>C]) m : paint(b [L>C]) m : paint(c [L>C]) m : paint(d [L>C])
m : paint(e [R>C]) m : paint(f [R>C]) m : paint(g [R>C]) m : paint(h [R>C])
hstack(l m r)
"""


@pytest.mark.parametrize("last", ["y[k] = acc;", "y[k] = x[k] - acc * h;", "y[k] = y[k] + acc; acc = acc * h;"])
def test_inner_step_of_a_27_point_stencil(last: str) -> None:
    """32 vector elements, a set-up, a branch: 36 cycles at least; two scalar operations on top."""
    ends = []
    for z in (10, 30):
        image = paint.build({"bench.paint": LAYOUT, "feed.w": FEED, "k.w": COLUMN.replace("LAST", last)}, Z=z)
        fabric = Simulation(image).start()
        tile = fabric.tiles[1, 0]
        now = 100
        fabric.run(now)
        while tile.core is None or tile.core.task != -1:  # type: ignore[attr-defined]
            now += 1
            fabric.run(now)
        ends.append(now)
    assert 36 <= (ends[1] - ends[0]) / 20 <= 42


def test_exchange_of_four_neighbours() -> None:
    """Two blocks of a send and a receive each: the loop of an exchange is bound by the join, not by set-up."""
    text = """sp socket tx; sp socket rx; sp a = 1.5; sp b;
    main { ∀k in [0, N) { parallel { tx[] <- a; b <- rx[]; } } }"""
    cycles = [simulate([text.replace("N", str(n))] * 2, PAIR).cycles for n in (20, 40)]
    assert (cycles[1] - cycles[0]) / 20 <= 40
