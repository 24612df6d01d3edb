"""Types of expressions, conversions and folding (tungsten.md 3 and 4); expectations are worked out by hand."""

from __future__ import annotations

import struct

import pytest
from sample_kernels import body, codes, kernel, typed

from tungsten import tree
from tungsten.types import SP, XP, Record


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("a[1] + a[2]", "(a[1:xp] + a[2:xp])"),
        ("x + t", "xp((u16(x) + t))"),
        ("x + i", "xp((i32(x) + i))"),
        ("x + u", "xp((u32(x) + u))"),
        ("i + t", "xp((i + i32(t)))"),
        ("i + u", "xp((u32(i) + u))"),
        ("u + l", "xp((u64(u) + l))"),
        ("h + x", "xp((h + hp(x)))"),
        ("h + s", "xp((sp(h) + s))"),
        ("s + u", "xp((s + sp(u)))"),
        ("s < x", "(s < sp(x))"),
        ("t < x", "(t < u16(x))"),
        ("x + 1", "(x + 1:xp)"),
        ("1 + x", "(1:xp + x)"),
        ("s + 1", "xp((s + 1.0:sp))"),
        ("u & 0xFFFF0000", "xp((u & 4294901760:u32))"),
        ("x + 0.5", "xp((sp(x) + 0.5:sp))"),
        ("h * 0.5", "xp((h * 0.5:hp))"),
        ("max(x, 3)", "max(x, 3:xp)"),
        ("min(h, s)", "xp(min(sp(h), s))"),
        ("abs(x)", "abs(x)"),
        ("-s", "xp((-s))"),
        ("x ? 1 : s", "xp((x ? 1.0:sp : s))"),
        ("s ? x : t", "xp(((s != 0.0:sp) ? u16(x) : t))"),
        ("x && s", "(x && (s != 0.0:sp))"),
        ("!u", "(!(u != 0:u32))"),
        ("(u32) x", "xp(u32(x))"),
        ("(u32)(u16) x", "xp(u32(u16(x)))"),
        ("((u32)(u16) x << 16) | (u32)(u16) x2", "xp(((u32(u16(x)) << 16:u32) | u32(u16(x2))))"),
        ("(xp) x", "x"),
        ("(u32) w", "xp(u32(w))"),
        ("x << 3", "(x << 3:xp)"),
        ("x << 99", "(x << 16:xp)"),
        ("x << t", "(x << xp(t))"),
        ("x << u", "(x << xp(min(u, 255:u32)))"),
        ("x << i", "(x << xp(min(u32(i), 255:u32)))"),
        ("u << x", "xp((u << u32(x)))"),
        ("1 << x", "(1:xp << x)"),
        ("m[x][t]", "xp(m[x][t])"),
        ("q[1].f[0]", "xp(q[1:xp].f[0:xp])"),
        ("a[40000 - 39999]", "a[1:xp]"),
        ("(xp)(v.base)", "xp(v.base)"),
        ("f(x)", "xp(f(sp(x)))"),
        ("f(2)", "xp(f(2.0:sp))"),
        ("x<-1", "(x < -1:xp)"),
        ("x <-x2 * 2", "(x < ((-x2) * 2:xp))"),
        ("x - x2 - 1", "((x - x2) - 1:xp)"),
        ("x + x2 * a[0]", "(x + (x2 * a[0:xp]))"),
        ("x | x2 & a[0] == 1", "(x | (x2 & (a[0:xp] == 1:xp)))"),
        ("x == 1 || x2 == 2 && t", "((x == 1:xp) || ((x2 == 2:xp) && (t != 0:u16)))"),
        ("x ? x2 : x ? 1 : 2", "(x ? x2 : (x ? 1:xp : 2:xp))"),
        ("~x % 5", "((~x) % 5:xp)"),
    ],
)
def test_typed(expression: str, expected: str) -> None:
    assert typed(expression) == expected


def test_an_arrow_at_statement_level_and_a_comparison_inside() -> None:
    assert body("xp a; a<-1;") == ["a = 1:xp"]
    assert body("xp a; if (a<-1) a <- a<-2;") == ["if (a < -1:xp)", "a = (a < -2:xp)"]


@pytest.mark.parametrize(
    ("expression", "want", "expected"),
    [
        ("0x8000", "x", "-32768:xp"),
        ("70000", "x", "4464:xp"),
        ("-1", "t", "65535:u16"),
        ("-1.0", "t", "0:u16"),
        ("1e6", "x", "32767:xp"),
        ("-1e6", "x", "-32768:xp"),
        ("3.9", "x", "3:xp"),
        ("-3.9", "x", "-3:xp"),
        ("7/2", "x", "3:xp"),
        ("7/2", "s", "3.5:sp"),
        ("7/2*2", "x", "7:xp"),
        ("1/3", "s", f"{struct.unpack('<f', struct.pack('<f', 1 / 3))[0]!r}:sp"),
        ("0.1 + 0.2", "s", f"{struct.unpack('<f', struct.pack('<f', 0.1 + 0.2))[0]!r}:sp"),
        ("0:sp", "s", "0.0:sp"),
        ("-0.0", "s", "-0.0:sp"),
        ("0xFFFFFFFFFFFFFFFF", "l", "18446744073709551615:u64"),
        ("1 << 40", "l", f"{1 << 40}:u64"),
        ("~0", "u", "4294967295:u32"),
        ("N / 3", "x", "1:xp"),  # N is xp: integer division
        ("N / 3.0", "s", f"{struct.unpack('<f', struct.pack('<f', 4 / 3))[0]!r}:sp"),
        ("N / 0", "x", "-1:xp"),
        ("N % 0", "t", "65535:u16"),
        ("-7 % 3", "x", "-1:xp"),
        ("(xp) -7 / 2", "x", "-3:xp"),
        ("(xp) -7 >> 1", "x", "-4:xp"),
        ("(u16) 0x8000 >> 15", "t", "1:u16"),
        ("(xp) 0x7fff + 1", "x", "-32768:xp"),
        ("max(0.0:sp, -0.0:sp)", "s", "0.0:sp"),
        ("max(-0.0:sp, 0.0:sp)", "s", "-0.0:sp"),
        ("65520.0", "h", "inf:hp"),
        ("65519.9", "h", "65504.0:hp"),
        ("2049", "h", "2048.0:hp"),
        ("2051", "h", "2052.0:hp"),
        ("5.9604645e-8", "h", f"{2.0**-24!r}:hp"),
        ("2 < 3", "x", "1:xp"),
        ("half * two", "s", "1.0:sp"),
        ("N ? 2 : 3", "s", "2.0:sp"),
        ("1 / 0", "s", "inf:sp"),
        ("0 / 0", "x", "0:xp"),
    ],
)
def test_folded(expression: str, want: str, expected: str) -> None:
    assert typed(expression, want) == expected


@pytest.mark.parametrize(
    ("expression", "fused"),
    [
        ("s + s2*s3", "fma(s + s2 * s3)"),
        ("s - s2*s3", "fma(s - s2 * s3)"),
        ("s + 2.0*s3", "fma(s + 2.0:sp * s3)"),
        ("s + 2*s3", "fma(s + 2.0:sp * s3)"),
        ("1.5 - s2*s3", "fma(1.5:sp - s2 * s3)"),
        ("s + pi*s3", "fma(s + 3.0:sp * s3)"),
        ("s + half*s3", "fma(s + 0.5:sp * s3)"),
        ("s + s2*s3 + s", "(fma(s + s2 * s3) + s)"),
        ("s2*s3 + s", None),
        ("s + v[0]*s3", None),
        ("s + q[0].f[1]*s2", None),
        ("s + s2*(s3)", None),
        ("s + (s2*s3)", None),
        ("s + s2*-s3", None),
        ("s + -2.0*s3", None),
        ("s + s2*f(s3)", None),
        ("s + s2*(sp)(s3)", None),
        ("s + h*s3", None),
        ("s + N*s3", None),
        ("s + x*s3", None),
        ("v[0] + s2*s3", None),
        ("s + s2*s3*s", None),
        ("s + s2/s3", None),
        ("s - s2 - s3*s", None),  # the left side is a difference, an expression
        ("s3 + rs[]*s", None),
    ],
)
def test_fused_multiply_add(expression: str, fused: str | None) -> None:
    shown = typed(expression, "s")
    assert shown == fused if fused else "fma" not in shown


def test_fused_in_half_and_in_constants() -> None:
    assert typed("h + h2*h", "h") == "fma(h + h2 * h)"
    assert "fma" not in typed("x + x2*x")
    # (1 + 2^-12)^2 - 1 keeps the last bit with one rounding only: 2^-11 + 2^-24.
    text = "sp const a = 1.000244140625, b = -1.0; sp x = b + a*a, y = (a*a) + b;"
    program = kernel(text)
    exact, twice = (struct.unpack("<f", struct.pack("<I", g.init[1] << 16 | g.init[0]))[0] for g in program.globals)
    assert exact == 2.0**-11 + 2.0**-24
    assert twice == 2.0**-11


@pytest.mark.parametrize(
    ("statement", "expected"),
    [
        ("x = r[];", "x = r[]:xp"),
        ("v[1] <- r[];", "v[1:xp] = r[]:sp"),
        ("x = r[] + t;", "x = xp((r[]:u16 + t))"),
        ("x = (sp)(r[]);", "x = xp(r[]:sp)"),
        ("s = (sp)(e[]) * v[1];", "s = (e[]:sp * v[1:xp])"),
        ("s = e[] * h;", "s = sp((e[]:hp * h))"),
        ("x = rs[];", "x = xp(rs[]:sp)"),
        ("x = r[] + 1;", "x = (r[]:xp + 1:xp)"),
        ("s = max(r[], 0);", "s = max(r[]:sp, 0.0:sp)"),
        ("s = -r[];", "s = (-r[]:sp)"),
        ("x = r[] < 5;", "x = (r[]:xp < 5:xp)"),
        ("x = r[] < s;", "x = (r[]:sp < s)"),
        ("x = c ? r[] : 0;", "x = (c ? r[]:xp : 0:xp)"),
        ("s += r[];", "s += r[]:sp"),
        ("s += r[]*h;", "s fused += sp(r[]:hp) * sp(h)"),
        ("s += r[]*2;", "s fused += r[]:sp * 2.0:sp"),
        ("r[];", "discard r[]:wv"),
        ("rs[];", "discard rs[]:sp"),
        ("o[] <- 5;", "send o: 5:xp"),
        ("o[] <- 5.0;", "send o: 5.0:sp"),
        ("o[] <- 0:u32;", "send o: 0:u32"),
        ("o[] <- h;", "send o: h"),
        ("os[] <- 5;", "send os: 5.0:sp"),
        ("os[] <- x;", "send os: sp(x)"),
        ("os[] <- r[];", "send os: r[]:sp"),
        ("o[] <- r[];", "send o: r[]:wv"),
        ("o[] <- r[] + x;", "send o: (r[]:xp + x)"),
        ("wv:os[] <- t;", "send os: wv(t)"),
        ("xp:o[] <- s;", "send o: xp(s)"),
        ("o[] <- wavelet(x, 3);", "send o: wavelet(x, 3:u16)"),
        ("o[] <- wavelet(1, 2);", "send o: 0x00020001:wv"),
        ("o[] <- control(w);", "send o: w control"),
        ("o[] <- control((u32) x);", "send o: wv(u32(x)) control"),
        ("u32:v[0] <- x;", "v[0:xp] = sp(wv(u32(x)))"),
    ],
)
def test_reads_and_sends(statement: str, expected: str) -> None:
    text = f"""xp x, c; u16 t; hp h; sp s, v[4]; wv w; stream e; socket r, o; sp socket rs, os;
    {statement}"""
    assert body(text) == [expected]


@pytest.mark.parametrize(
    ("statement", "expected"),
    [
        ("s += s2;", "s += s2"),
        ("s += s2*s3;", "s fused += s2 * s3"),
        ("s <+- s2*s3;", "s fused += s2 * s3"),
        ("s ←̟ s2*s3;", "s fused += s2 * s3"),
        ("s -= s2*s3;", "s fused -= s2 * s3"),
        ("s += (s2*s3);", "s += (s2 * s3)"),
        ("s += s2*s3 + 1;", "s += ((s2 * s3) + 1.0:sp)"),
        ("s += -s2*x;", "s fused += (-s2) * sp(x)"),
        ("s *= 2;", "s *= 2.0:sp"),
        ("s += 1;", "s += 1.0:sp"),
        ("x += x*x;", "x += (x * x)"),
        ("x += u;", "x += xp(u)"),
        ("x += 0.5;", "x = xp((sp(x) + 0.5:sp))"),
        ("h += s;", "h = hp((sp(h) + s))"),
        ("s += h;", "s += sp(h)"),
        ("s = s + s2*s3;", "s = fma(s + s2 * s3)"),
    ],
)
def test_accumulates(statement: str, expected: str) -> None:
    assert body(f"xp x; u32 u; hp h; sp s, s2, s3; {statement}") == [expected]


def test_layout_of_structs_and_unions() -> None:
    program = kernel(
        "struct A { xp a; sp b; xp c; }; union B { xp h[3]; u32 w; }; struct C { xp a, b; };"
        "struct A x[2]; union B y; struct C z; struct D { xp p; struct A in; union { u32 u; xp v; }; xp q; } d;"
    )
    types = {g.name: g.type for g in program.globals}
    assert types["x"].words == 12
    assert (types["y"].words, types["z"].words, types["z"].align) == (4, 2, 1)
    d = types["d"]
    assert isinstance(d, Record)
    assert [(f.name, f.offset) for f in d.fields] == [("p", 0), ("in", 2), ("u", 8), ("v", 8), ("q", 10)]
    assert d.words == 12


def test_typedef_of_an_array_and_axes() -> None:
    program = kernel("typedef sp ℝ³[3]; ℝ³ r[n=4]; xp t[n=8][m=3], u[2][k=2]; ℝ³ one;")
    axes = [[(d.name, d.extent) for d in g.type.dims] for g in program.globals]  # type: ignore[union-attr]
    assert axes == [[("n", 4), ("n1", 3)], [("n", 8), ("m", 3)], [("n0", 2), ("k", 2)], [("n0", 3)]]


def test_initialisers() -> None:
    text = """sp z[3] = {0.}; xp m[2][3] = {{1}, {4, 5}}, f[2][2] = {1, 2, 3}; wv w = {0x9249, 0x0940};
    struct S { xp a; sp b; } s[2] = {{1, 2.5}, {.b = 1}}; union U { u32 u; xp w[2]; } u = {.w = {1, 2}};
    xp k = {7}; u64 l = 0x123456789; hp h[2] = {1, -2}; xp one = N; xp const N2 = 3; const N = 2;"""
    text = text.replace("xp one = N; xp const N2 = 3; const N = 2;", "const N = 2; xp one = N + 1;")
    program = kernel(text)
    init = {g.name: g.init for g in program.globals}
    assert init == {
        "z": [0] * 6,
        "m": [1, 0, 0, 4, 5, 0],
        "f": [1, 2, 3, 0],
        "w": [0x9249, 0x0940],
        "s": [1, 0, 0, 0x4020, 0, 0, 0, 0x3F80],
        "u": [1, 2],
        "k": [7],
        "l": [0x6789, 0x2345, 1, 0],
        "h": [0x3C00, 0xC000],
        "one": [3],
    }
    assert program.body == []


def test_start_up_code_of_globals_in_order() -> None:
    text = "xp c[1] address(0x7c46); xp a = c[0], b[3] = {1, a}; a = 3; xp d = a;"
    assert body(text) == ["a = c[0:xp]", "set b 0001 0000 0000", "b[1:xp] = a", "a = 3:xp", "d = a"]


def test_params_are_bound_from_text_and_numbers() -> None:
    text = "xp param N = 4, M; sp param h = 0.5; param k; xp a[N*M]; sp b[k] = {h};"
    program = kernel(text, M="0x3", h="2", k=5)
    assert [g.type.words for g in program.globals] == [12, 10]
    assert program.globals[1].init is not None and program.globals[1].init[:2] == [0, 0x4000]
    assert {n: (c.type, c.bits) for n, c in program.params.items()} == {
        "N": (XP, 4),
        "M": (XP, 3),
        "h": (SP, 0x40000000),
        "k": (XP, 5),
    }


def test_words_that_are_names_where_no_keyword_can_stand() -> None:
    text = """union U { sp sp; xp xp[2]; } u; xp in, reset, socket, dispatch, wavelet, control, flip, filter, iterator;
    function f(xp in, xp address) { return in + address; }
    main { u.sp = 1.; u.xp[1] = 2; in = f(in, 3); reset = socket; dispatch = wavelet + control;
      in in [0, 4) flip += in; filter = iterator; xp fifo, bank = 3; fifo = bank; }"""
    assert codes(text) == []


def test_identifiers() -> None:
    names = ["rcut²", "Δx⁻¹", "r⃗₀", "ρ′", "ℝ³", "_a1", "x̂", "x̅", "größe", "变量", "a₊b"]
    text = "".join(f"sp {name};" for name in names)
    assert [g.name for g in kernel(text).globals] == names
    assert codes("sp ²x;")[0] == "TW001"
    assert codes("sp x²; x = x2;")[0] == "TW021"


def test_both_spellings() -> None:
    one = body("sp a[4], s; let i in [0,4); ∀i a[i] <- s; i in [0,4) s <+- a[i]; ∀i in [0, 4) s += a[i]*s;")
    two = body("sp a[4], s; let i ∈ [0,4); ∀i a[i] ← s; ∀i ∈ [0,4) s ←̟ a[i]; i ∈ [0, 4) s <+- a[i]*s;")
    assert one == two


def test_index_types_and_bounds() -> None:
    program = kernel(
        "xp n; u32 u; sp s; i in [0, 40000) s += 1.; i in [-2, n) s += 1.; i in [0, u) s += 1.; i in [-1, 70000) s += 1.;"
    )
    kinds = [one.ranges[0].index.type.name for one in program.body if isinstance(one, tree.ForAll)]  # type: ignore[union-attr]
    assert kinds == ["u16", "xp", "u32", "i32"]
    program = kernel("sp s; i in [100000, 4) s += 1.; i in [3, -40000) s += 1.; i in [4000000000, 4000000003) s += 1.;")
    loops = [one for one in program.body if isinstance(one, tree.ForAll)]
    assert [one.ranges[0].index.type.name for one in loops] == ["i32", "i32", "u32"]  # both bounds fit, if empty too


def test_let_bounds_are_read_in_their_scope_and_hidden_names_stay() -> None:
    text = """xp n = 4; let i in [0, n); let j in [0, i + 1); xp a[9][9];
    main { xp n = 2; ∀i ∀j a[i][j] = n; ∀i in [0, 3) a[i][0] = 1; }"""
    program = kernel(text)
    block = program.body[0]
    assert isinstance(block, tree.Block)
    nested = block.body[1]
    assert isinstance(nested, tree.ForAll)
    high = nested.ranges[0].high
    assert isinstance(high, tree.Var) and high.symbol is program.globals[0]
    inner = nested.ranges[1].high
    assert isinstance(inner, tree.Binary) and isinstance(inner.left, tree.Var)
    assert inner.left.symbol is nested.ranges[0].index


def test_a_view_of_halves_as_words_moves_them_to_an_even_address() -> None:
    program = kernel("xp a[5]; u32 b[2] address(&a), c address(&a[2]); xp d address(&a[1]), free[3];")
    assert [(g.name, g.align) for g in program.globals] == [("a", 2), ("b", 1), ("c", 1), ("d", 1), ("free", 1)]
    assert program.globals[2].alias == (program.globals[0], 2)
    assert codes("xp a[5] address(0x7f01); u32 b address(&a[1]);") == []
