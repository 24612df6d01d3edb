"""Kernels end to end: what simulation leaves in memory is what the evaluator says; values by hand where short."""

from __future__ import annotations

import pytest
from harness import PAIR, WIRE, agree, simulate, words

# (name, left kernel, right kernel): one color to the right.
ONE_WAY = {
    "stream": (
        "sp socket tx; sp a[10] = {1., 2., 3., 4.}; let i in [0, 10); main { ∀i tx[] <- a[i]; }",
        """sp socket rx; sp b[10]; sp s = 0.0; let i in [0, 10);
        main { ∀i b[i] <- rx[]; ∀i s += b[i]; }""",
    ),
    "dispatch with state around it": (
        "xp socket tx; xp a[6] = {1, 2, 3, 4, 5, 6}; main { i in [0, 6) tx[] <- a[i]; }",
        """xp socket rx; xp s; xp n; xp l[6];
        main { xp k = 0; n = 1; forever dispatch(rx) { wavelet(xp x) { s += x; l[k] = x * x; k = k + 1; } } }""",
    ),
    "value and index": (
        "wv socket tx; main { tx[] <- wavelet(5, 7); tx[] <- wavelet(6, 8); }",
        """wv socket rx; xp v[2]; xp ii[2]; xp k;
        main { forever dispatch(rx) { wavelet(xp x, xp i) { v[k] = x; ii[k] = i; k += 1; } } }""",
    ),
    "two sends on one queue": (
        "sp socket tx; main { parallel { tx[] <- 1.0:sp; tx[] <- 2.0:sp; } }",
        "sp socket rx; sp b[2]; main { b[0] <- rx[]; b[1] <- rx[]; }",
    ),
    "packing": (
        """xp socket tx; xp a[7] = {1, 2, 3, 4, 5, 6, 7};
        main { i in [0, 7) tx[] <- a[i]; tx[] <- 8; tx[] <- a[0]; tx[] <- a[1] * 2; }""",
        """xp socket rx; xp b[7]; xp c; sp f; u32 u;
        main { i in [0, 7) b[i] <- rx[] + b[i]; c <- rx[]; u <- (u32)(rx[]); f = (sp)(rx[]) * 0.5; }""",
    ),
    "reductions over a receive": (
        """sp socket tx; sp a[10] = {1., 2., 3., 4., 0.1, 0.2, 0.3, 1e6}; let i in [0, 10);
        main { ∀i tx[] <- a[i]; ∀i tx[] <- a[i]; ∀i tx[] <- a[i]; }""",
        """sp socket rx; sp w[10] = {1.5, 2.5, 3.5}; sp s; sp d; sp l; let i in [0, 10);
        main { ∀i s <+- rx[] * w[i]; parallel { ∀i d <+- rx[] * w[i]; } parallel { ∀i l += rx[]; } }""",
    ),
    "16-bit reductions in the background": (
        """hp socket tx; hp a[10] = {1., 2., 3., 4., 0.1, 0.2, 0.3, 1e3}; let i in [0, 10);
        main { ∀i tx[] <- a[i]; ∀i tx[] <- a[i]; }""",
        """hp socket rx; hp w[10] = {1.5, 2.5, 3.5}; hp d; hp l; let i in [0, 10);
        main { parallel { ∀i d <+- rx[] * w[i]; } parallel { ∀i l += rx[]; } }""",
    ),
    "dot products": (
        """sp socket tx; sp a[10] = {1., 2., 3., 4., 0.1, 0.2, 0.3, 1e3}; let i in [0, 10);
        main { ∀i tx[] <- a[i]; }""",
        """sp socket rx; sp w[10] = {1.5, 2.5, 3.5}; sp d; sp l; sp m; sp n; hp h[4] = {1., 2., 0.5};
        let i in [0, 10);
        main {
          ∀i d = ∑ w[i] * rx[];
          [[dot.load(off)]] ∀i d = ∑ w[i] * w[i];
          [[dot.state(on)]] j in [0, 4) l = ∑ h[j] * h[j];
          ∀i m = ∑ w[i];
          ∀i n = ∑ (w[i] - 1.0) * w[i];
        }""",
    ),
    "control handlers": (
        """wv socket tx; wv c = {0, 0x0005}; wv d = {7, 6};
        main { tx[] <- control(c); tx[] <- 99:u32; tx[] <- control(d); }""",
        """wv socket rx; xp n; xp v; u32 w;
        main { forever dispatch(rx) {
          control(5) { n += 1; } control(6, xp x) { v = x; n += 10; } wavelet(u32 x) { w = x; } } }""",
    ),
    "iterators": (
        """sp socket tx; sp a[3][4] = {{1., 2., 3., 4.}, {0.1, 0.2, 0.3, 1e3}};
        iterator it = ∀r in [0, 3) ∀c in [0, 4) a[r][c];
        iterator z = i in [0, ∞) j in [0, 2) a[0][j];
        sp x; sp y; sp w[5];
        main { x <- it[]; i in [0, 5) w[i] <- it[]; i in [0, 3) w[i] += z[]; reset it; y <- it[];
               i in [0, 6) tx[] <- it[]; }""",
        "sp socket rx; sp b[6]; main { i in [0, 6) b[i] <- rx[]; }",
    ),
    "a handler that waits": (
        """sp socket tx; sp a[8] = {1., 2., 3., 4., 5., 6., 7., 8.}; let i in [0, 8); main { ∀i tx[] <- a[i]; }""",
        """sp socket rx; sp s[8]; xp k;
        main { forever dispatch(rx) { wavelet(sp x) {
          #pragma uthread enable on
          { sp y <- rx[]; s[k] = x * 10.0 + y; k += 1; } } } }""",
    ),
    "runtime bounds, empty and negative": (
        """sp socket tx; xp lo = 2; xp hi = 5; xp none = 2; sp a[8] = {1., 2., 3., 4., 5., 6., 7., 8.};
        sp c[8]; sp s; sp last = 9.0;
        main { let i in [lo, hi); ∀i tx[] <- a[i]; let j in [hi, none); ∀j c[j] <- a[j]; ∀i c[i] <- a[i - 1];
               ∀j s += a[j]; ∀j last <- a[j]; ∀i { last = last + a[i]; } ∀j { last = 0.0; } none = -1;
               let k in [none, lo); ∀k s += a[k + 1]; }""",
        "sp socket rx; sp b[3]; main { i in [0, 3) b[i] <- rx[]; }",
    ),
}

# Both kernels have tx and rx.
BOTH_WAYS = {
    "exchange": (
        """sp socket tx; sp socket rx; sp a = 1.5; sp b; xp n;
        main { ∀k in [0, 5) { parallel { tx[] <- a; b <- rx[]; } a = a + b; n = n + 1; } }""",
        """sp socket tx; sp socket rx; sp a = 2.5; sp b; xp n; let k in [0, 5);
        main { ∀k { parallel { tx[] <- a; b <- rx[]; } a = a * b; n += 2; } }""",
    ),
    "exchange of locals": (
        """sp socket tx; sp socket rx; sp r;
        main { sp a = 1.5; sp b; ∀k in [0, 5) { parallel { tx[] <- a + 1.0; b <- rx[]; } a = a + b; } r = a; }""",
        """sp socket tx; sp socket rx; sp r; sp q;
        main { sp a = 2.5;
          ∀k in [0, 5) { sp b; parallel { { tx[] <- a; q = a; } b <- rx[]; } a = a * b; } r = a; }""",
    ),
    "block arms": (
        """sp socket tx; sp socket rx; sp a[4] = {1., 2., 3., 4.}; sp b[4]; sp c;
        main {
          parallel { { tx[] <- a[0]; tx[] <- a[1]; }
                     { b[0] <- rx[]; sp t <- rx[]; b[1] = t + b[0]; c = b[1] * 2.0; } }
          parallel { i in [2, 4) tx[] <- a[i]; i in [2, 4) { b[i] <- rx[]; b[i] += c; } } }""",
    )
    * 2,
    "uthread enable": (
        """sp socket tx; sp socket rx; sp a[10] = {1., 2., 3., 4.}; sp b[10]; let i in [0, 10);
        main {
        #pragma uthread enable on
        { ∀i tx[] <- a[i]; sp t <- rx[]; b[0] = t; ∀j in [1, 10) b[j] <- rx[] + a[j];
          sp s = 0.0; s += rx[]; b[3] = s; } }""",
        """sp socket tx; sp socket rx; sp b[10]; let i in [0, 10);
        main { ∀i b[i] <- rx[]; ∀i tx[] <- b[i]; tx[] <- 7.5:sp; }""",
    ),
    "function with a join": (
        """sp socket tx; sp socket rx; sp a = 1.5; sp w; sp oo[1];
        function ex(sp v, sp o[]) { sp r; parallel { tx[] <- v; r <- rx[]; } o[0] = r; return r + v; }
        main { ∀k in [0, 5) { w = ex(a, oo); a = a + w * oo[0]; } }""",
    )
    * 2,
    "endless transfer before main": (
        "sp socket tx; sp socket rx; i in [0, ∞) tx[] <- rx[]; xp n; main { n = 3; }",
        """sp socket tx; sp socket rx; sp a[10] = {1., 2., 3., 4.}; sp b[10]; let i in [0, 10);
        main { parallel { ∀i tx[] <- a[i]; ∀i b[i] <- rx[]; } }""",
    ),
    "endless transfer with arithmetic": (
        "sp socket tx; sp socket rx; sp k = 3.0; i in [0, ∞) tx[] <- rx[] * k + 1.0; xp n; main { n = 3; }",
        """sp socket tx; sp socket rx; sp a[10] = {1., 2., 3., 4.}; sp b[10]; let i in [0, 10);
        main { parallel { ∀i tx[] <- a[i]; ∀i b[i] <- rx[]; } }""",
    ),
    "more arms than microthreads": (
        """sp socket tx; sp socket rx; sp b[10];
        main { parallel {
          { tx[] <- 1.0:sp; b[8] <- rx[]; b[9] = b[8] + 1.0; }
          tx[] <- 2.0:sp; tx[] <- 2.0:sp; tx[] <- 2.0:sp; tx[] <- 2.0:sp; tx[] <- 2.0:sp; tx[] <- 2.0:sp;
          tx[] <- 2.0:sp; tx[] <- 2.0:sp; tx[] <- 2.0:sp; { tx[] <- 2.0:sp; b[0] = 4.0; } } b[1] = 5.0; }""",
        """sp socket tx; sp socket rx; sp s; sp n;
        main { i in [0, 11) { sp t <- rx[]; s += t; n = n + 1.0; } tx[] <- 8.0:sp; }""",
    ),
    "fifo": (
        """sp socket tx; sp socket rx; sp mem[4]; sp fifo ff = {.mem=mem}; let i in [0, 10);
        main { parallel { ∀i ff[] <- rx[]; ∀i tx[] <- ff[]; } }""",
        """sp socket tx; sp socket rx; sp a[10] = {1., 2., 3., 4., 0.1, 0.2, 0.3, 1e3}; let i in [0, 10); sp b[10];
        main { parallel { ∀i tx[] <- a[i]; ∀i b[i] <- rx[]; } }""",
    ),
    "a queue and a fifo in one instruction": (
        """sp socket tx; sp socket rx; sp mem[3]; sp fifo ff = {.mem=mem}; let i in [0, 10); sp a[10] = {0.5, 1.5, 2.5};
        main { parallel { ∀i ff[] <- a[i] * 2.0; ∀i tx[] <- rx[] + ff[]; } }""",
        """sp socket tx; sp socket rx; sp a[10] = {1., 2., 3., 4., 0.1, 0.2, 0.3, 1e3}; let i in [0, 10); sp b[10];
        main { parallel { ∀i tx[] <- a[i]; ∀i b[i] <- rx[]; } }""",
    ),
    "nested blocks": (
        """sp socket tx; sp socket rx; sp a = 1.; sp b; sp c; sp d;
        main { ∀k in [0, 3) { parallel {
          { parallel { tx[] <- a; b <- rx[]; } c = c + b; parallel { tx[] <- c; d <- rx[]; } }
          { a = a + 2.0; } } a = a + d; } }""",
        """sp socket tx; sp socket rx; sp s[6]; let i in [0, 6);
        main { ∀i { parallel { s[i] <- rx[]; tx[] <- (sp)i; } } }""",
    ),
    "dispatch in an arm": (
        """sp socket tx; sp socket rx; sp s; sp r;
        main { r = 1.0; parallel { { tx[] <- 1.0:sp; tx[] <- 2.0:sp; r = 3.0; }
          forever dispatch(rx) { wavelet(sp x) { s += x; } } } }""",
    )
    * 2,
}


@pytest.mark.parametrize("name", ONE_WAY)
def test_one_way(name: str) -> None:
    agree(list(ONE_WAY[name]), WIRE)


@pytest.mark.parametrize("name", BOTH_WAYS)
def test_both_ways(name: str) -> None:
    agree(list(BOTH_WAYS[name]), PAIR)


@pytest.mark.parametrize("name", ["exchange", "block arms", "function with a join", "nested blocks"])
def test_schedule_across_statements(name: str) -> None:
    agree(list(BOTH_WAYS[name]), PAIR, opt=2)


def test_streams_chosen_at_run_time() -> None:
    """The DSD values themselves are the machine's; what is read through them is not."""
    left = "sp socket tx; sp a[4] = {1., 2., 3., 4.}; main { i in [0, 4) tx[] <- a[i]; }"
    right = """sp socket rx [[dir=in]]; sp z[4] = {9., 8., 7., 6.}; iterator it = i in [0, 4) z[i];
    u64 d[2]; stream e; xp b[4];
    main { d[0] = rx; d[1] = it; xp k = 0;
      while (k < 4) { e = d[k & 1]; b[k] = (xp)((sp)(e[])); k += 1; }
      e = d[0]; i in [0, 2) b[i] <- (xp)((sp)(e[])); }"""
    r = simulate([left, right], WIRE)
    assert words(r, "k1.b") == [3, 4, 2, 8]  # rx it rx it, then the rest of rx over the first two


def test_captured_iterator_has_its_own_position() -> None:
    text = """sp z[4] = {9., 8., 7., 6.}; iterator it = i in [0, 4) z[i]; u64 d; stream e; xp b[4];
    main { sp t; t <- it[]; d = it; t <- it[]; e = d; b[0] = (xp)((sp)(e[])); b[1] = (xp)(it[]); b[2] = (xp)((sp)(e[])); }"""
    assert words(simulate([text]), "b") == [8, 7, 7, 0]


def test_teardown_task() -> None:
    text = """u16 route address(0x7c05); xp n;
    main { route = 0x8000; }
    #pragma teardown on { n += 1; }"""
    assert words(simulate([text]), "n") == [1]


# Two colors from k0 to k1, one back.
THREE = """let r = color() let s = color() let l = color()
let a = tile() a : code('k0 [tx:r ux:s rx:l]) a : name('k0)
a : paint(r [C>R]) a : paint(s [C>R]) a : paint(l [R>C])
let b = tile() b : code('k1 [rx:r sx:s tx:l]) b : name('k1)
b : paint(r [L>C]) b : paint(s [L>C]) b : paint(l [C>L])
hstack(a b)
"""
FEED = """sp socket tx; sp socket ux; sp socket rx; sp back;
main { tx[] <- 1.0:sp; tx[] <- 2.0:sp; tx[] <- 3.0:sp; back <- rx[]; ux[] <- back + 1.0; }"""


def test_tasks_run_while_an_arm_waits() -> None:
    """The handler takes three wavelets and answers; only then comes what the other arm waits for."""
    serve = """sp socket rx; sp socket sx; sp socket tx; xp n; xp seen; sp t;
    main { parallel {
      forever dispatch(rx) { wavelet(sp x) { n += 1; if (n == 3) tx[] <- x * 10.0; } }
      { t <- sx[]; seen = n; } } }"""
    r = simulate([FEED, serve], THREE)
    assert r.status == "done", r.why_blocked()
    assert (words(r, "k1.n"), words(r, "k1.seen"), words(r, "k1.t")) == ([3], [3], [0, 0x41F8])


def test_tasks_run_while_the_main_thread_waits_with_uthread() -> None:
    serve = """sp socket rx; sp socket sx; sp socket tx; xp n; xp seen; sp t;
    main { parallel { forever dispatch(rx) { wavelet(sp x) { n += 1; if (n == 3) tx[] <- x * 10.0; } }
      {
      #pragma uthread enable on
      { i in [0, 1) { t <- sx[]; seen = n; } } } } }"""
    r = simulate([FEED, serve], THREE)
    assert (r.status, words(r, "k1.seen")) == ("done", [3]), r.why_blocked()


def test_a_receive_on_the_main_thread_holds_the_handlers() -> None:
    """With `off` the arm's receive keeps the core, so the handler never runs: nobody answers."""
    serve = """sp socket rx; sp socket sx; sp socket tx; xp n; xp seen; sp t;
    main { parallel { forever dispatch(rx) { wavelet(sp x) { n += 1; if (n == 3) tx[] <- x * 10.0; } }
      {
      #pragma uthread enable off
      { t <- sx[]; seen = n; } } } }"""
    r = simulate([FEED, serve], THREE)
    assert r.status == "blocked" and words(r, "k1.seen") == [0]


def test_one_function_in_several_threads() -> None:
    """A function that waits has a copy of its locals and its way back for each arm that calls it."""
    text = """sp socket tx; sp socket rx; sp got[4]; sp sent;
    function take(sp o[], xp k) { sp v; v <- rx[]; sp w; w <- rx[]; o[k] = v; o[k + 1] = w; return v + w; }
    function give(sp x) { tx[] <- x; tx[] <- x + 1.0; return x; }
    main { parallel { sent = give(1.0) + give(3.0); { sp s = take(got, 0); s = s + take(got, 2); sent = sent + 0.0; got[0] += s; } } }"""
    r = simulate([text, text], PAIR)
    assert r.status == "done", r.why_blocked()
    for tile in ("k0", "k1"):
        assert words(r, f"{tile}.got") == [0, 0x4130, 0, 0x4000, 0, 0x4040, 0, 0x4080]  # 1 + 10, 2, 3, 4


def test_more_block_arms_than_microthreads_in_a_function() -> None:
    arms = "".join(f"{{ tx[] <- {k}.0:sp; tx[] <- {k}.5:sp; n += 1; }}" for k in range(11))
    left = f"sp socket tx; xp n; function f(xp k) {{ parallel {{ {arms} }} return n + k; }} main {{ n = f(100) + f(0); }}"
    right = "sp socket rx; sp s; main { i in [0, 44) s += rx[]; }"
    r = simulate([left, right], WIRE)
    assert r.status == "done", r.why_blocked()
    assert words(r, "k0.n") == [11 + 100 + 22]
    total = 2 * sum(2 * k + 0.5 for k in range(11))
    assert words(r, "k1.s") == [0, 0x4367] and total == 231.0


def test_arrays_that_move() -> None:
    text = """xp a[4] = {1, 2, 3, 4}; xp b[8]; xp at; xp s; xp fast[4] address(0x7f10); xp same[2] address(&b);
    main { at = (xp)(a.base) - (xp)(b.base); a.base = b.base; i in [0, 4) a[i] = i + 5; same[1] = 20;
      a.base = (xp)(b.base) + 2; i in [0, 2) s += a[i]; a[0] = 9; i in [0, 4) fast[i] <- b[i]; b[7] = fast[2]; }"""
    r = simulate([text])
    assert words(r, "b") == [5, 20, 9, 8, 0, 0, 0, 9] and words(r, "s") == [7 + 8]


def test_registers_by_address() -> None:
    """Row and column ID, and the cycle counter, which runs when its bit is set (hardware.md 16)."""
    text = """u16 row address(0x7c45); u16 col address(0x7c46); u16 timer address(0x7b34); u16 clock[3] address(0x7b30);
    xp y; xp x; u16 t0; u16 t1;
    main { y = row; x = col; timer = 4; t0 = clock[0]; i in [0, 10) { y = y + 0; } t1 = clock[0]; t1 = t1 - t0; }"""
    layout = "let t = tile() t : code('k0) t : name('k0) place(t 3 2)\n"
    for opt in (1, 2):
        r = simulate([text], layout, opt=opt)
        assert (words(r, "y"), words(r, "x")) == ([2], [3]) and words(r, "t1")[0] > 10


def test_a_loop_that_flips_at_its_end() -> None:
    """Only the last send of the loop moves the switch: what comes then is forwarded."""
    left = """wv socket tx; xp a[3] = {1, 2, 3}; main { i in [0, 3) tx[] <- wavelet(a[i], i); tx.flip; }"""
    right = "wv socket rx; u32 v[3]; main { i in [0, 3) v[i] <- (u32)(rx[]); }"
    layout = WIRE.replace("let r = color()", "let r = color(2)").replace("[C>R]", "[C>R; L>R]")
    r = simulate([left, right], layout)
    assert r.status == "done", r.why_blocked()
    assert words(r, "k1.v") == [1, 0, 2, 1, 3, 2]
