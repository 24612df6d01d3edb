"""Kernels for the tests of the front end: loaded from text, and a corpus that uses every part of the language."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from diag.report import Reporter, UserError, render
from tungsten import load, tree
from tungsten.check import RECURSION_LIMIT
from tungsten.dump import dump_expr, dump_program

sys.setrecursionlimit(RECURSION_LIMIT)  # now rather than by the first load, of which hypothesis would complain


def kernel(text: str, reporter: Reporter | None = None, **params: str | int | float) -> tree.Program:
    """The typed tree of a kernel. Raises UserError."""
    with tempfile.TemporaryDirectory() as directory:
        path = Path(directory) / "k.w"
        path.write_text(text, encoding="utf-8", errors="surrogatepass")
        return load(path, [], dict(params), reporter)


def codes(text: str, **params: str | int | float) -> list[str]:
    """The codes of all messages about a kernel, in order."""
    reporter = Reporter()
    try:
        dump_program(kernel(text, reporter, **params))
    except UserError:
        assert reporter.errors
    for d in reporter.diagnostics:
        assert render(d)
    return [d.code.code for d in reporter.diagnostics]


def body(text: str, **params: str | int | float) -> list[str]:
    """The statements of the top-level code as dumped, without places."""
    dumped = dump_program(kernel(text, **params)).split("\nbody\n")[1]
    return [line[8:].strip() for line in dumped.split("\nteardown\n")[0].rstrip("\n").split("\n")]


def typed(expression: str, want: str = "") -> str:
    """An expression over variables of all types as it is typed; `want` names the variable it is assigned to."""
    head = """xp x, x2; u16 t, t2; i32 i, i2; u32 u, u2; u64 l; hp h, h2; sp s, s2, s3; wv w; stream e; socket r;
    xp a[8]; sp v[8], m[3][4]; struct S { xp k; sp f[2]; } q[2]; const half = 0.5, two = 2; xp const N = 4;
    sp const pi = 3.0; sp socket rs; sp mem[4]; fifo ff = {.mem=mem};
    function f(sp y) { return y; }
    """
    program = kernel(f"{head}{want or 'x'} = {expression};")
    last = program.body[-1]
    assert isinstance(last, tree.Assign)
    return dump_expr(last.value)


CORPUS = [
    """
xp param N = 8;
xp a[n=N], b[n=N], c[N];
let i in [0, N);
socket tx, rx;
main { ∀i c[i] <- a[i] + b[i]; ∀i tx[] <- a[i]; ∀i a[i] <- rx[] + 1; }
""",
    """
typedef sp ℝ³[3];
struct S { xp a, b; union { u32 u; xp w[2]; } v; sp t; };
struct D { sp x; xp k; } cf[4];
union payload { u32 u; xp w[2]; };
sp const h = 1.0 / 4, h² = h*h; xp const tab[4] = {1, 2, 3};
xp big[tab[1]]; ℝ³ r[n=4];
struct S s1 = {.a=1, .v={.u=0x12345678}}, s2 = {1, 2, {3}, 4.5};
let i in [0, 4);
function norm(sp v[]) { sp s = 0; ∀i in [0, 3) s += v[i]*v[i]; return s; }
function fill(sp m[][], xp n) { ∀p ∈ [0, n) { m[p][0] = p; } }
function g(struct S q[], union payload u) { q[0].a = u.w[1]; q[0].v.u = 3; }
main {
  union payload p; p.u = 7; g(s1, p); s1 = s2; cf[1] = cf[2]; r[0] = r[1]; fill(r, 2);
  sp t = norm(r[1]) - -h²; ∀i r[i][0] <+- t*cf[i].x;
}
""",
    """
socket s3[[dir=in, id=3]], tx, rx, e0[[dir=in]];
sp mem[n=64]; sp fifo ff = {.mem=mem};
filter f[counter] = {.limit=3, .maxpass=1, .state=64, .tick=wavelet, .socket=rx};
sp A[4][8], z[8], acc; let i in [0, 4); let j in [0, 8);
iterator it2 = ∀i ∀j A[i][j];
iterator it = k in [0,∞) l in [0,2) z[2*l+1];
u64 dd[3]; stream st; wv ADV = {0x9249, 0x0940}; xp my, in = 3;
i in [0,∞) ff[] ← rx[];
#pragma uthread enable on
main {
  dd[0] = e0; dd[1] = it; st = dd[in];
  if (in<-1 && my == 3) my = 1; else { reset it; }
  tx[] <- control(ADV);
  ∀j tx[] <- z[j]; tx.flip;
  [[dot.load(off)]] ∀j acc = ∑ A[0][j]*z[j];
  [[dot.state(on)]] { ∀j acc = ∑ A[0][j]*(sp)(st[]); }
  wv:tx[] ← z[1]; it.len = 3; tx[] ← wavelet(my, in);
  parallel { tx[] <- (sp) my; z[0] <- it2[] * -z[1];
    forever dispatch(s3) { wavelet(xp x, xp i) { my = x; } control(3, xp q) { my = q; } control() {} } }
}
#pragma teardown on {
  my = 0;
}
""",
    """
xp r[1] address(0x7c46), d address(&r), mine = r[0]; sp bank0[8] bank(2);
u32 w; hp q; i32 n; u16 t;
function clamp(sp x, sp low, sp high) { return max(low, min(x, high)); }
main {
  xp k = 0; while (k < 10) { k += 1; if (k % 3 == 0) w = ((u32)(u16) k << 16) | w >> 3; else q *= 0.5; }
  n = abs(n) ? -n : ~n; t = (u16)(bank0.base); bank0[k] = clamp(bank0[0], -1., 1.0:sp) / 3;
  forever { k -= 1; }
}
""",
]
