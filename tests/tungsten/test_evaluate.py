"""The evaluator against numpy and hand arithmetic."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tungsten.check import load
from tungsten.evaluate import Result, Wave, evaluate, evaluate_tiles
from tungsten.evaluate_tile import EvaluationError
from tungsten.tree import Program

DTYPES = {"xp": "i2", "u16": "u2", "i32": "i4", "u32": "u4", "u64": "u8", "hp": "f2", "sp": "f4"}


def program(tmp_path: Path, text: str, **params: float) -> Program:
    path = tmp_path / f"k{len(list(tmp_path.iterdir()))}.w"
    path.write_text(text)
    return load(path, [], dict(params))


def run(tmp_path: Path, text: str, **kwargs: Any) -> Result:
    return evaluate(program(tmp_path, text), **kwargs)


def get(r: Result, name: str, kind: str) -> np.ndarray[Any, Any]:
    return np.array(r.memory[name], dtype="<u2").view("<" + DTYPES[kind])


def words(values: Any, kind: str) -> list[int]:
    return np.array(values, dtype="<" + DTYPES[kind]).reshape(-1).view("<u2").tolist()


# --- memory and loops


def test_loops_arrays_and_ranges(tmp_path: Path) -> None:
    r = run(
        tmp_path,
        """
        xp param N = 6;
        sp a[n=N], b[N], m[x=2][y=3];
        xp k[N] = {3, -1, 4, -1, 5, -9}, odd[N];
        let i in [0, N); let p in [0, 2); let q in [0, 3);
        main {
          xp n = 2;
          ∀i a[i] = (sp) k[i] * 0.5;
          ∀i { b[i] = a[i] + a[N - 1 - i]; if (k[i] % 2 != 0) odd[i] = 1; else odd[i] = 0; }
          ∀p ∀q m[p][q] = (sp)(p * 10 + q);
          j in [n, n + 2) a[j] = 0.0;
        }
        """,
    )
    k = np.array([3, -1, 4, -1, 5, -9])
    a = (k * 0.5).astype("f4")
    assert get(r, "b", "sp").tolist() == (a + a[::-1]).tolist()
    a[2:4] = 0
    assert get(r, "a", "sp").tolist() == a.tolist()
    assert get(r, "odd", "xp").tolist() == [1, 1, 0, 1, 1, 1]
    assert get(r, "m", "sp").tolist() == [0, 1, 2, 10, 11, 12]
    assert r.ended and not r.waiting


def test_sequential_order_where_operands_overlap(tmp_path: Path) -> None:
    r = run(tmp_path, "xp a[6] = {1, 2, 3, 4, 5, 6}; main { i in [0, 5) a[i + 1] = a[i] + a[i + 1]; }")
    assert get(r, "a", "xp").tolist() == np.cumsum([1, 2, 3, 4, 5, 6]).tolist()


def test_reductions_and_the_last_value(tmp_path: Path) -> None:
    rng = np.random.default_rng(3)
    a, b = rng.normal(size=7).astype("f4"), rng.normal(size=7).astype("f4")
    r = run(
        tmp_path,
        """
        sp a[7], b[7], fusedsum, plain, last, dot;
        let i in [0, 7);
        main {
          ∀i fusedsum += a[i] * b[i];
          ∀i plain = plain + a[i] * b[i];
          ∀i last <- a[i] + 1.0;
          ∀i dot = ∑ a[i] * b[i];
        }
        """,
        memory={"a": words(a, "sp"), "b": words(b, "sp")},
    )
    once, twice = Fraction(0), np.float32(0)
    for x, y in zip(a, b, strict=True):
        # numpy's longdouble holds the product and the sum of these exactly enough to round once
        once = Fraction(float(np.float32(np.longdouble(float(once)) + np.longdouble(x) * np.longdouble(y))))
        twice = np.float32(twice + np.float32(x * y))
    assert get(r, "fusedsum", "sp")[0] == get(r, "dot", "sp")[0] == float(once)
    assert get(r, "plain", "sp")[0] == twice
    assert get(r, "last", "sp")[0] == np.float32(a[-1] + np.float32(1))


def test_dot_keeps_and_leaves_the_accumulator(tmp_path: Path) -> None:
    r = run(
        tmp_path,
        """
        sp a[3] = {1., 2., 3.}, s = 7., t, u;
        let i in [0, 3);
        main {
          [[dot.load(off)]] ∀i s = ∑ a[i] * a[i];
          [[dot.state(on), dot.load(off)]] ∀i s = ∑ a[i] * 2.0;
          [[dot.state(on)]] ∀i t = ∑ a[i];
          ∀i u = ∑ a[i];
        }
        """,
    )
    assert [get(r, n, "sp")[0] for n in "stu"] == [7, 14 + 12 + 6, 6]


def test_fused_multiply_add_rule(tmp_path: Path) -> None:
    r = run(
        tmp_path,
        """
        sp a = -1.0, b, c, e[1], one, two, three, four;
        main {
          b = 1.0001220703125; c = 0.9998779296875; e[0] = c;
          one = a + b*c; two = a + b*e[0]; three = b*c + a; four = a - (0.0 - b)*c;
        }
        """,
    )
    small = -(2.0**-26)
    assert get(r, "one", "sp")[0] == small
    assert [get(r, n, "sp")[0] for n in ("two", "three", "four")] == [0.0, 0.0, 0.0]


def test_mixed_types(tmp_path: Path) -> None:
    r = run(
        tmp_path,
        """
        xp x = -3; u16 u = 2; i32 w = 100000; u32 v = 7; hp h = 0.333; sp s = 1.5;
        sp r0, r1; i32 r2; u32 r3; xp r4, r5, r6;
        main {
          r0 = h + s; r1 = h * x; r2 = x + w; r3 = x + v; r4 = (x + u) / 2; r5 = s * x; r6 = x < u;
        }
        """,
    )
    h = np.float16(0.333)
    assert get(r, "r0", "sp")[0] == np.float32(h) + np.float32(1.5)
    assert get(r, "r1", "sp")[0] == np.float32(np.float16(h * np.float16(-3)))
    assert get(r, "r2", "i32")[0] == 99997
    assert get(r, "r3", "u32")[0] == 4
    assert get(r, "r4", "xp")[0] == 0xFFFF // 2  # xp with u16 is u16
    assert get(r, "r5", "xp")[0] == -4
    assert get(r, "r6", "xp")[0] == 0  # 65533 < 2


def test_functions_by_value_and_by_reference(tmp_path: Path) -> None:
    r = run(
        tmp_path,
        """
        struct pair { xp n; sp v; };
        struct pair ps[2];
        sp a[4] = {1., 2., 3., 4.}, total;
        xp x = 5, y;
        function sum(sp v[], xp n) { sp t = 0.; i in [0, n) t = t + v[i]; return t; }
        function twice(sp v[], xp n) { i in [0, n) v[i] = sum(v, n); }
        function grow(xp n) { n = n + 1; return n; }
        function set(struct pair p, xp n) { p.n = n; p.v = (sp) n; }
        main { total = sum(a, 3); y = grow(x) + grow(grow(x)); twice(a, 2); set(ps[1], 9); }
        """,
    )
    assert get(r, "total", "sp")[0] == 6
    assert get(r, "a", "sp").tolist() == [3, 5, 3, 4]
    assert (get(r, "x", "xp")[0], get(r, "y", "xp")[0]) == (5, 13)
    assert r.memory["ps"] == [0, 0, 0, 0, 9, 0, *words([9.0], "sp")]


def test_unions_aliases_and_base(tmp_path: Path) -> None:
    r = run(
        tmp_path,
        """
        union payload { u32 u; xp w[2]; };
        union payload p;
        xp a[4] = {1, 2, 3, 4}, b[4] address(&a), c[2], d;
        main { p.u = 0x12345678; d = p.w[1]; b[3] = 40; c.base = a.base; c[1] = 20; }
        """,
    )
    assert r.memory["p"] == [0x5678, 0x1234]
    assert r.memory["d"] == [0x1234]
    assert r.memory["a"] == r.memory["b"] == [1, 20, 3, 40]
    assert r.memory["c"] == [0, 0]


def test_base_reads_the_given_layout(tmp_path: Path) -> None:
    r = run(tmp_path, "xp a[4], p; main { p = (xp)(a.base); }", layout={"a": 1000, "p": 90})
    assert r.memory["p"] == [1000]


def test_while_ternary_and_short_circuit(tmp_path: Path) -> None:
    r = run(
        tmp_path,
        """
        xp n = 27, steps, calls, a, b;
        function touch(xp v) { calls = calls + 1; return v; }
        main {
          while (n != 1) { n = n % 2 == 0 ? n / 2 : 3 * n + 1; steps += 1; }
          a = touch(0) && touch(1); b = touch(2) || touch(3);
        }
        """,
    )
    assert get(r, "steps", "xp")[0] == 111  # Collatz of 27; its peak 9232 fits
    assert [get(r, n, "xp")[0] for n in ("calls", "a", "b")] == [2, 0, 1]


def test_locals_are_initialised_each_time(tmp_path: Path) -> None:
    r = run(tmp_path, "xp s; main { i in [0, 3) { xp t[2] = {i, 1}; t[1] += t[0]; s += t[1]; } }")
    assert get(r, "s", "xp")[0] == 1 + 2 + 3


# --- wires


def test_halves_of_a_wavelet(tmp_path: Path) -> None:
    text = "socket rx; xp a, b, c; main { a <- rx[]; b <- rx[]; c <- rx[]; }"
    r = run(tmp_path, text, inputs={"rx": [Wave(32, 0x00020001), Wave(16, 3)]})
    assert [r.memory[n] for n in "abc"] == [[1], [2], [3]]


def test_sends_are_recorded(tmp_path: Path) -> None:
    r = run(
        tmp_path,
        """
        socket tx[[dir=out]], t16[[dir=out]]; wv w = {0x9249, 0x0940}; sp x = 1.0;
        main { tx[] <- x; tx[] <- wavelet(5, 2); tx[] <- control(w); tx.flip; t16[] <- 7:xp; wv:tx[] <- x; }
        """,
    )
    one, last = 0x3F800000, r.sent["tx"].pop()
    assert r.sent["tx"] == [Wave(32, one), Wave(32, 0x00020005), Wave(32, 0x09409249, True, True)]
    assert last == Wave(32, one)
    assert r.sent["t16"] == [Wave(16, 7)]


def test_receive_without_data_waits(tmp_path: Path) -> None:
    r = run(tmp_path, "socket rx; xp a, b; main { a <- rx[]; b = 1; }")
    assert not r.ended and len(r.waiting) == 1 and r.memory["b"] == [0]


def test_queue_as_operand_and_reduction(tmp_path: Path) -> None:
    text = """
        sp socket rx; sp y[3], a[3] = {1., 2., 3.}, s; let i in [0, 3);
        main { ∀i y[i] <- rx[] * a[i]; ∀i s += rx[]; }
    """
    r = run(tmp_path, text, inputs={"rx": [int(np.float32(v).view("u4")) for v in (1, 2, 3, 4, 5, 6)]})
    assert get(r, "y", "sp").tolist() == [1, 4, 9]
    assert get(r, "s", "sp")[0] == 15


def test_fifo_wraps_in_its_array(tmp_path: Path) -> None:
    text = """
        sp mem[n=2]; sp fifo ff = {.mem = mem}; sp socket rx, tx;
        let i in [0, 5);
        main { parallel { ∀i ff[] <- rx[]; ∀i tx[] <- ff[]; } }
    """
    r = run(tmp_path, text, inputs={"rx": [1, 2, 3, 4, 5]})
    assert [w.value for w in r.sent["tx"]] == [1, 2, 3, 4, 5]
    assert r.memory["mem"] == [5, 0, 4, 0]


def test_iterators_and_streams(tmp_path: Path) -> None:
    r = run(
        tmp_path,
        """
        xp z[6] = {1, 2, 3, 4, 5, 6}, out[8], again[3], s[4];
        iterator rev = j in [0, 2) k in [0, 2) z[5 - 2*j - k];
        iterator round = o in [0, ∞) k in [0, 2) z[k];
        u64 d[2];
        stream e;
        let i in [0, 4);
        main {
          ∀i out[i] = rev[]; ∀i out[4 + i] = round[];
          reset rev; d[1] = rev;
          j in [0, 3) again[j] = rev[];
          e = d[1];
          ∀i s[i] = e[];
        }
        """,
    )
    assert r.memory["out"] == [6, 5, 4, 3, 1, 2, 1, 2]
    assert r.memory["again"] == [6, 5, 4]
    assert r.memory["s"] == [6, 5, 4, 3]


def test_filter_counts_data(tmp_path: Path) -> None:
    text = """
        xp socket rx; filter f[counter] = {{.limit=3, .maxpass=1, .state={state}, .tick=wavelet, .socket=rx}};
        xp a[4]; let i in [0, 4); main {{ ∀i a[i] <- rx[]; }}
    """
    items = [Wave(32, k) for k in range(8)]
    for state, passing in ((0, [0, 1, 4, 5]), (64, [2, 3, 6, 7])):
        body = text.format(state=state).replace("xp socket", "u32 socket").replace("xp a", "u32 a")
        r = run(tmp_path, body, inputs={"rx": items})
        assert get(r, "a", "u32").tolist() == passing


def test_dispatch_handlers(tmp_path: Path) -> None:
    r = run(
        tmp_path,
        """
        socket rx, tx; u32 sum; xp low, high, controls; xp last;
        main {
          forever dispatch(rx) {
            wavelet(xp x, xp i) { sum += (u32)(u16) x; low = x; high = i; tx[] <- x + i; }
            control(3, xp x) { controls += 10; last = x; }
            control() { controls += 1; }
          }
        }
        """,
        inputs={"rx": [Wave(32, 0x00020001), Wave(32, 0x00030007, True), Wave(32, 0x00050008, True), Wave(32, 5)]},
    )
    assert get(r, "sum", "u32")[0] == 6
    assert [r.memory[n] for n in ("low", "high", "controls", "last")] == [[5], [0], [11], [7]]
    assert [w.value for w in r.sent["tx"]] == [3, 5]


def test_halves_start_a_16_bit_handler(tmp_path: Path) -> None:
    text = "socket rx; xp n, s; main { forever dispatch(rx) { wavelet(xp x) { n += 1; s += x; } } }"
    r = run(tmp_path, text, inputs={"rx": [Wave(32, 0x00020001), Wave(16, 4)]})
    assert (r.memory["n"], r.memory["s"]) == ([3], [7])


def test_two_tiles_exchange(tmp_path: Path) -> None:
    text = """
        xp param ME = 0; sp socket rx, tx; sp mine[4], theirs[4]; let i in [0, 4);
        main { ∀i mine[i] = (sp)(i + ME); parallel { ∀i tx[] <- mine[i]; ∀i theirs[i] <- rx[]; } }
    """
    pair = [program(tmp_path, text, ME=0), program(tmp_path, text, ME=10)]
    links = [((0, "tx"), (1, "rx")), ((1, "tx"), (0, "rx"))]
    a, b = evaluate_tiles(pair, links)
    assert a.ended and b.ended
    assert get(a, "theirs", "sp").tolist() == [10, 11, 12, 13]
    assert get(b, "theirs", "sp").tolist() == [0, 1, 2, 3]


def test_serial_blocks_wait_for_each_other(tmp_path: Path) -> None:
    text = "xp socket rx, tx; xp a; main { parallel { a <- rx[]; } parallel { tx[] <- 1:xp; } }"
    pair = [program(tmp_path, text), program(tmp_path, text)]
    for r in evaluate_tiles(pair, [((0, "tx"), (1, "rx")), ((1, "tx"), (0, "rx"))]):
        assert not r.ended and not r.sent["tx"]


def test_endless_loops_are_found(tmp_path: Path) -> None:
    with pytest.raises(EvaluationError):
        run(tmp_path, "xp n; main { while (1) n += 1; }", limit=1000)


def test_background_transfers(tmp_path: Path) -> None:
    text = """
        sp mem[n=4]; sp fifo ff = {.mem = mem}; sp socket rx, tx; xp through;
        i in [0, ∞) ff[] <- rx[];
        j in [0, ∞) tx[] <- ff[];
        main { through = 1; }
    """
    r = run(tmp_path, text, inputs={"rx": [7, 8, 9]})
    assert [w.value for w in r.sent["tx"]] == [7, 8, 9]
    assert r.ended and r.memory["through"] == [1]


def _all_ops(kind: str, values: Sequence[Any]) -> tuple[str, list[str]]:
    ops = ["+", "-", "*"] + ([] if kind in ("hp", "sp") else ["&", "|", "^"])
    text = "".join(f"{kind} r{k}[N];" for k in range(len(ops)))
    body = "".join(f"∀i r{k}[i] = a[i] {op} b[i];" for k, op in enumerate(ops))
    return f"xp const N = {len(values)}; {kind} a[N], b[N]; {text} let i in [0, N); main {{ {body} }}", ops


@pytest.mark.parametrize("kind", ["xp", "u16", "i32", "u32", "hp", "sp"])
def test_arithmetic_is_numpys(tmp_path: Path, kind: str) -> None:
    rng = np.random.default_rng(4)
    dtype = np.dtype(DTYPES[kind])
    raw = [np.frombuffer(rng.bytes(40 * dtype.itemsize), dtype="<" + DTYPES[kind]) for _ in range(2)]
    a, b = (np.nan_to_num(x, nan=1, posinf=2, neginf=3) if dtype.kind == "f" else x for x in raw)
    text, ops = _all_ops(kind, a)
    r = run(tmp_path, text, memory={"a": words(a, kind), "b": words(b, kind)})
    with np.errstate(all="ignore"):
        functions = {"+": a + b, "-": a - b, "*": a * b}
        if dtype.kind != "f":
            functions |= {"&": a & b, "|": a | b, "^": a ^ b}
    for k, op in enumerate(ops):
        np.testing.assert_array_equal(get(r, f"r{k}", kind), functions[op])
