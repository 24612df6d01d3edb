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


@QUICK
@given(kernels())
def test_kernels_agree(text: str) -> None:
    check([text])


@QUICK_PAIRS
@given(pairs())
def test_pairs_agree(texts: tuple[str, str]) -> None:
    check(texts)


@pytest.mark.slow
@SLOW
@given(kernels(), st.sampled_from((1, 1, 2)))
def test_many_kernels_agree(text: str, opt: int) -> None:
    check([text], opt=opt)


@pytest.mark.slow
@SLOW
@given(pairs(), st.sampled_from((1, 1, 2)))
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
