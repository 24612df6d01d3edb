"""Random kernels: what Carbide makes of them ends with the evaluator's words in every global, on the simulator.

What was once found to differ stands at the end as small kernels of its own.
"""

from __future__ import annotations

import sys

import pytest
from agreement import check
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from strategies import kernels, pairs

sys.setrecursionlimit(20_000)  # what the front end sets anyway; hypothesis minds when it changes inside a test
QUICK = settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
QUICK_PAIRS = settings(QUICK, max_examples=40)
SLOW = settings(QUICK, max_examples=1000)
OPT = st.sampled_from((1, 1, 1, 2))


@QUICK
@given(kernels(), OPT)
def test_kernels_agree(text: str, opt: int) -> None:
    check([text], opt=opt)


@QUICK_PAIRS
@given(pairs(), OPT)
def test_pairs_agree(texts: tuple[str, str], opt: int) -> None:
    check(texts, opt=opt)


@pytest.mark.slow
@SLOW
@given(kernels(), OPT)
def test_many_kernels_agree(text: str, opt: int) -> None:
    check([text], opt=opt)


@pytest.mark.slow
@SLOW
@given(pairs(), OPT)
def test_many_pairs_agree(texts: tuple[str, str], opt: int) -> None:
    check(texts, opt=opt)


FOUND = {
    "a sum ends at the braces around its own loops": """
        sp a[3] = {1., 2., 3.}, s, t, u = 7., v;
        main {
          i in [0, 2) { j in [0, 3) s = ∑ a[j]; }
          i in [0, 2) j in [0, 3) t = ∑ a[j];
          i in [0, 0) { j in [0, 3) u = ∑ a[j]; }
          i in [0, 2) { v = ∑ a[i]; }
        }
    """,
    "a subscript with effects is evaluated once": """
        xp a[4] = {1, 2, 3, 4}, b[3] = {2, 0, 1}, n;
        iterator it = o in [0, ∞) i in [0, 3) b[i];
        function next() { n += 1; return n; }
        main { a[it[]] *= 10; a[next()] += 7; a[it[] + next()] -= 1; a[it[]] = it[]; }
    """,
    "arms that call one function, parallel in parallel, more arms than microthreads": """
        xp a[8] = {1,2,3,4,5,6,7,8}, b[8], c[8], d[8];
        xp n, m, k;
        function add(xp v[], xp x) { xp t = x; i in [0,8) { v[i] = v[i] + t; t += 1; } return t; }
        function deep(xp x) { xp y = 0; parallel { { y = x + 1; } { n = x; } } return y; }
        main {
          parallel { m = add(a, 1); k = add(b, 2); { add(c, 3); add(d, 4); } }
          n = deep(3) + deep(4);
          parallel { { parallel { b[0] = 1; b[1] = 2; { b[2] = 3; parallel { b[3] = 4; b[4] = 5; } b[5] = b[3] + b[4]; } } c[0] = 9; } d[0] = 1; d[1] = 2; d[2] = 3; d[3] = 4; d[4] = 5; d[5] = 6; d[6] = 7; d[7] = 8; c[2] = 1; c[3]= 2; c[4] = 7; }
        }
    """,
    "typedefs, nested and anonymous records, u64, wavelets": """
        typedef sp V3[3];
        struct P { V3 r; xp id; union { u32 u; xp h[2]; }; struct { hp a; i32 b; } in; };
        V3 x[4];
        struct P ps[3] = {{{1.,2.,3.}, 4, {5}, {6., 7}}};
        u64 big = 0x123456789a, q, d1, m1, s1; u32 lo; xp z; sp f; hp g; wv w = {0x1234, 0x5678}; u32 wu; sp ws; xp wx;
        xp const T[4] = {3,1,2,0};
        let i in [0,3); let j in [0,3);
        main {
          ∀i ∀j x[i][j] = (sp)(i*3+j);
          x[3] = x[1];
          ps[1] = ps[0]; ps[1].h[1] = 7; ps[2].r = x[2]; ps[2].in.b = -5; ps[2].in.a = ps[0].in.a * 2.0;
          q = big * 3 + 1; d1 = big / 7; m1 = big % 1000; s1 = big << 20; lo = (u32) big; z = (xp) big; f = big; g = (hp) q;
          q = (u64) z;
          wu = w; ws = w; wx = w; w = ws;
          ∀i z += T[i] * T[T[i]];
          q = z < 0 ? (u64)(u32) z : (u64) z;
          lo = q > big ? 1 : 2;
        }
    """,
    "every type converted into every other": """
        xp x[6] = {-1, 0, 1, -32768, 32767, 300}; u16 u[6] = {0, 1, 65535, 32768, 32767, 2}; i32 w[6] = {-1, 70000, -2147483647, 2147483647, 16777217, 0};
        u32 v[6] = {4294967295, 2147483648, 65536, 33554433, 1, 0}; u64 b[6] = {0xffffffffffffffff, 0x8000000000000000, 9007199254740993, 16777217, 65520, 3};
        hp h[6] = {-1.5, 65504., 6.0e-8, 0.999, -0.0, 300.7}; sp s[6] = {3.0e9, -3.0e9, 65519.9, 1.0e-8, -0.5, 5.0e4}; wv y[6];
        xp x1[6],x2[6],x3[6],x4[6],x5[6],x6[6]; u16 u1[6],u2[6],u3[6],u4[6],u5[6],u6[6];
        i32 w1[6],w2[6],w3[6],w4[6],w5[6],w6[6]; u32 v1[6],v2[6],v3[6],v4[6],v5[6],v6[6]; u64 b1[6],b2[6],b3[6],b4[6],b5[6],b6[6];
        hp h1[6],h2[6],h3[6],h4[6],h5[6],h6[6]; sp s1[6],s2[6],s3[6],s4[6],s5[6],s6[6];
        xp x7[6]; wv y2[6], y3[6], y4[6]; hp h7[6]; sp s7[6]; u64 b7[6]; u32 v7[6];
        let i in [0,6);
        main {
        ∀i x1[i]=u[i]; ∀i x2[i]=w[i]; ∀i x3[i]=v[i]; ∀i x4[i]=b[i]; ∀i x5[i]=h[i]; ∀i x6[i]=s[i];
        ∀i u1[i]=x[i]; ∀i u2[i]=w[i]; ∀i u3[i]=v[i]; ∀i u4[i]=b[i]; ∀i u5[i]=h[i]; ∀i u6[i]=s[i];
        ∀i w1[i]=u[i]; ∀i w2[i]=x[i]; ∀i w3[i]=v[i]; ∀i w4[i]=b[i]; ∀i w5[i]=h[i]; ∀i w6[i]=s[i];
        ∀i v1[i]=u[i]; ∀i v2[i]=w[i]; ∀i v3[i]=x[i]; ∀i v4[i]=b[i]; ∀i v5[i]=h[i]; ∀i v6[i]=s[i];
        ∀i b1[i]=u[i]; ∀i b2[i]=w[i]; ∀i b3[i]=v[i]; ∀i b4[i]=x[i]; ∀i b5[i]=h[i]; ∀i b6[i]=s[i];
        ∀i h1[i]=u[i]; ∀i h2[i]=w[i]; ∀i h3[i]=v[i]; ∀i h4[i]=b[i]; ∀i h5[i]=x[i]; ∀i h6[i]=s[i];
        ∀i s1[i]=u[i]; ∀i s2[i]=w[i]; ∀i s3[i]=v[i]; ∀i s4[i]=b[i]; ∀i s5[i]=h[i]; ∀i s6[i]=x[i];
        ∀i y[i] = x[i]; ∀i x7[i] = y[i]; ∀i y2[i] = h[i]; ∀i h7[i] = y2[i]; ∀i y3[i] = s[i]; ∀i s7[i] = y3[i];
        ∀i b7[i] = y3[i]; ∀i y4[i] = b[i]; ∀i v7[i] = y4[i];
        }
    """,
    "constants converted": """
        xp param PX = -2; hp param PH = -1.5; sp param PS = 3.0e9; u32 param PV = 4294967295; i32 param PW = -5;
        hp const NAN = 0.0/0.0;
        sp a, b, c, d, e; xp k, l, m; u32 n; hp h, g; wv w1, w2;
        sp inf;
        main {
         a = PV; b = PW; c = (sp)PX / 0.0; d = PH * PX; e = (hp) PS; k = (xp) PS; l = PX >> 1; m = PX / 0 ; n = PX; h = PV; g = NAN;
         w1 = PX; w2 = PH; inf = 1.0e38 * PS * 10.0;
        }
    """,
    "copies of records whose places are not known": """
        struct S { xp n; sp v; hp h[3]; u32 w; };
        struct S ss[4] = {{1, 2., {3., 4., 5.}, 6}, {7, 8., {9., 10., 11.}, 12}};
        xp a[4][3] = {{1, 2, 3}, {4, 5, 6}, {7, 8, 9}, {10, 11, 12}}, p[3][3], q[3][3], n;
        function next() { n += 1; return n; }
        function set(struct S x, struct S y[]) { x = y[1]; y[2] = x; }
        main {
          ss[next()] = ss[0];
          set(ss[3], ss);
          p.base = a.base + 1; q.base = a.base;
          p[0] = q[0]; p[1] = p[2]; q[2] = p[1];
          #pragma vectorize off
          i in [0, 3) ss[i] = ss[i + 1];
        }
    """,
}


@pytest.mark.parametrize("text", FOUND.values(), ids=FOUND.keys())
def test_found(text: str) -> None:
    check([text])


FOUND_PAIRS = {
    "a filter that drops nothing may start in its drop phase": (
        "u32 socket t0; main { i in [0, 5) t0[] <- (u32) i; }",
        """
        u32 socket r0; u32 a[5];
        filter f[counter] = {.limit=1, .maxpass=1, .state=64, .tick=wavelet, .socket=r0};
        main { i in [0, 5) a[i] <- r0[]; }
        """,
    ),
}


@pytest.mark.parametrize("texts", FOUND_PAIRS.values(), ids=FOUND_PAIRS.keys())
def test_found_pairs(texts: tuple[str, str]) -> None:
    check(texts)
