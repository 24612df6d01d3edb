"""Transfers under `uthread enable on`: those that don't depend on each other go side by side, the others in turn."""

from __future__ import annotations

import pytest
from harness import PAIR, agree, ops, simulate, unit, words

HEAD = """sp socket t0, t1; sp socket r0, r1, r2; sp a[8] = {1., 2., 3.}, b[8], m[4][8], x, y; xp n, q = 3; xp clock address(0x7b30);
let i in [0, 8);"""
ON = "#pragma uthread enable on\n"


def joins(statements: str, before: str = "", around: str = "main { %s }") -> list[object]:
    """How many transfers start together, for each join in the order of the text."""
    text = f"{HEAD}\n{before}\n" + around % f"\n{ON}{{ {statements} }}\n"
    return [o.args[1] for o in ops(unit(text)) if o.name == "setjoin"]


TOGETHER = {
    "a send and a receive": ("∀i t0[] <- a[i]; ∀i b[i] <- r0[];", [2]),
    "sends, receives, a reduction, single elements": (
        "∀i t0[] <- a[i]; ∀i t1[] <- 2.0 * a[i]; ∀i x += r0[]; y <- r1[]; ∀i b[i] <- r2[] + a[i];",
        [5],
    ),
    "rows of one array": ("∀i m[0][i] <- r0[]; ∀i m[3][i] <- r1[];", [2]),
    "halves of one array": ("j in [0, 4) b[2 * j] <- r0[]; j in [0, 4) b[2 * j + 1] <- r1[];", [2]),
    "locals": ("sp v <- r0[]; sp w <- r1[]; x = v + w;", [2]),
    "a variable is set between": ("∀i t0[] <- a[i]; sp v = x; sp w; w = v * 2.0; ∀i b[i] <- r0[] * w;", [2]),
    "a constant is set between": ("∀i t0[] <- a[i]; sp v = 1.5; ∀i v += r0[];", [2]),
    "two groups": ("∀i t0[] <- a[i]; ∀i b[i] <- r0[]; n += 1; x <- r1[]; y <- r2[];", [2, 2]),
}

IN_TURN = {
    "one queue": "∀i b[i] <- r0[]; x <- r0[];",
    "one output queue": "∀i t0[] <- a[i]; t0[] <- x;",
    "a value that comes first": "x <- r0[]; ∀i b[i] <- r1[] * x;",
    "a local that comes first": "sp v <- r0[]; ∀i b[i] <- r1[] * v;",
    "elements that come first": "∀i b[i] <- r0[]; ∀i m[1][i] <- r1[] + b[i];",
    "elements that are still sent": "∀i t0[] <- a[i]; ∀i a[i] <- r0[];",
    "elements written twice": "∀i b[i] <- r0[]; j in [2, 4) b[j] <- r1[];",
    "a subscript that comes first": "q <- r0[]; m[q][0] <- r1[];",
    "a bound that comes first": "q <- r0[]; j in [0, q) b[j] <- r1[];",
    "a send after a receive": "∀i b[i] <- r0[]; ∀i t0[] <- a[i];",
    "a sign that is waited for": "r0[]; ∀i b[i] <- r1[];",
    "two sums on the accumulator": "∀i x = ∑ r0[] * a[i]; ∀i y = ∑ r1[] * a[i];",
    "a loop between": "∀i t0[] <- a[i]; ∀i a[i] <- a[i] + 1.0; ∀i b[i] <- r0[];",
    "a variable that comes first is set between": "∀i b[i] <- r0[]; sp v = b[1]; y <- r1[] + v;",
    "an array is set between": "∀i b[i] <- r0[]; sp v[2] = {1., 2.}; y <- r1[];",
    "a reduction is used between": "sp w = 1.0; ∀i w += r0[]; sp v = w; y <- r1[] + v;",
    "a register is read between": "∀i t0[] <- a[i]; xp v = clock; y <- r1[];",
    "a flip": "t0[] <- x; t0.flip; y <- r0[];",
}


@pytest.mark.parametrize(("statements", "sizes"), TOGETHER.values(), ids=TOGETHER.keys())
def test_side_by_side(statements: str, sizes: list[int]) -> None:
    assert joins(statements) == sizes


@pytest.mark.parametrize("statements", IN_TURN.values(), ids=IN_TURN.keys())
def test_in_turn(statements: str) -> None:
    assert joins(statements) == []


def test_what_handlers_use_is_left_until_its_turn() -> None:
    handler = "socket c; function h() { y += 1.0; }"
    around = "main { %s forever dispatch(c) { wavelet(xp w) { h(); } } }"
    assert joins("∀i t0[] <- a[i]; y <- r0[];", handler, around) == []
    assert joins("∀i t0[] <- a[i]; x <- r0[];", handler, around) == [2]
    teardown = f"{ON.replace('uthread enable', 'teardown')}{{ q = 1; x += 1.0; }}"
    assert joins("∀i t0[] <- a[i]; ∀i b[i] <- r0[] * x;", teardown) == []
    assert joins("∀i t0[] <- a[i]; ∀i b[i] <- r0[];", teardown) == [2]


def test_without_uthread_nothing_starts_early() -> None:
    text = f"{HEAD} main {{ ∀i t0[] <- a[i]; ∀i b[i] <- r0[]; [[uthread.enable(off)]] {{ t0[] <- x; y <- r0[]; }} }}"
    assert not [o for o in ops(unit(text)) if o.name == "setjoin" or o.background is not None]


EXCHANGE = """sp socket tx; sp socket rx; sp a[300] = {1.5, 2.5}, b[300]; xp n; let i in [0, 300);
main {
  #pragma uthread enable on
  { ∀i tx[] <- a[i]; ∀i b[i] <- rx[]; n = 7; } }"""


def test_an_exchange_of_more_than_the_queues_hold() -> None:
    """One after the other both tiles would wait for room for ever. Side by side each element takes a slot of the one
    pipeline for its send and one for its receive: 600 cycles, besides start, first wavelet and join."""
    r = agree([EXCHANGE, EXCHANGE], PAIR)
    assert words(r, "k1.b")[:4] == [0, 0x3FC0, 0, 0x4020]
    assert 600 <= r.cycles <= 600 + 40


ROUNDS = """sp socket tx; sp socket rx; sp m[5][40], w[5][40], total; xp n; let i in [0, 40);
function swap(sp out[], sp into[], sp scale) {
  #pragma uthread enable on
  { ∀i tx[] <- out[i] * 2.0; sp s = 0.5; ∀i into[i] <- rx[]; ∀i tx[] <- into[i]; ∀i s += rx[] * scale; return s; }
}
main {
  k in [0, 5) ∀i m[k][i] = (sp)(7 * k - i);
  k in [0, 5) {
    #pragma uthread enable on
    { ∀i tx[] <- m[k][i]; ∀i w[k][i] <- rx[] + m[k][i]; n += k; sp v; tx[] <- w[k][0]; v <- rx[]; total += v; }
    if (k > 1) total += swap(m[k], w[k - 1], 0.25);
  } }"""


def test_in_loops_and_functions_the_values_are_those_of_the_order() -> None:
    agree([ROUNDS, ROUNDS.replace("7 * k - i", "i - k")], PAIR)
    for routine in ("main", "swap"):
        starts = [o.args[1] for o in ops(unit(ROUNDS), routine) if o.name == "setjoin"]
        assert starts == [2, 2], routine


# The other tile sends 100 elements on one color before a single one on the other.
LAYOUT = PAIR.replace("tx:r rx:l", "tx:r ty:l").replace("rx:r tx:l", "rx:r ry:l")
LAYOUT = LAYOUT.replace("a : paint(l [R>C])", "a : paint(l [C>R])").replace("b : paint(l [C>L])", "b : paint(l [L>C])")


def test_receives_in_another_order_than_the_data_come() -> None:
    """100 elements at one a cycle, and the single one; each receive takes its own when it comes."""
    left = """sp socket tx, ty; sp a[100], x = 3.0; let i in [0, 100);
    main { ∀i a[i] <- 0.5; ∀i ty[] <- a[i]; tx[] <- x; }"""
    right = """sp socket rx, ry; sp c[100], x; let i in [0, 100);
    main {
      #pragma uthread enable on
      { x <- rx[]; ∀i c[i] <- ry[]; x += c[99]; } }"""
    r = simulate([left, right], LAYOUT)
    assert (r.status, words(r, "k1.x")) == ("done", [0, 0x4060]), r.why_blocked()  # 3 + 0.5
    # 100 to send, two words at least a cycle to fill a before, some 40 for the way, the join and the sum.
    assert 100 <= r.cycles <= 100 + 50 + 40


def test_tasks_run_while_several_transfers_wait() -> None:
    """The handler's wavelet comes while the arm waits for its two elements."""
    left = """sp socket tx, ty; sp v; main { v = 1.0; tx[] <- v; ty[] <- 2.0:sp; ty[] <- 4.0:sp; }"""
    right = """sp socket rx, ry; sp s, x, y; xp n; let i in [0, 2);
    main { parallel {
      forever dispatch(rx) { wavelet(sp w) { n += 1; } }
      {
        #pragma uthread enable on
        { ∀i s += ry[]; x = (sp) n; } } } }"""
    r = simulate([left, right], LAYOUT)
    assert r.status == "done", r.why_blocked()
    assert (words(r, "k1.s"), words(r, "k1.n")) == ([0, 0x40C0], [1])


def test_more_transfers_than_microthreads() -> None:
    """Nine statements on eight queues each way: eight start, the others follow."""
    names = range(8)
    sends = " ".join(f"∀i t{k}[] <- a[i];" for k in names)
    text = f"""sp socket {', '.join(f't{k}' for k in names)}; sp a[4], x; let i in [0, 4);
    main {{
    {ON}{{ {sends} x = 1.0; ∀i t0[] <- a[i]; }} }}"""
    assert [o.args[1] for o in ops(unit(text)) if o.name == "setjoin"] == [8]
