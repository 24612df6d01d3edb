"""Corners of the language on the machine: results by hand, with both levels of optimisation."""

from __future__ import annotations

import pytest
from harness import agree, simulate

# (name, kernel, what it leaves: symbol → values)
CASES: dict[str, tuple[str, dict[str, list[float]]]] = {
    "ranges that are empty, with bounds of more than 16 bits": (
        """sp a[4] = {1, 2, 3, 4}; sp b[4]; sp s; xp n; i32 from = 100000; let q in [from, 4);
        main {
          i in [100000, 4) n += 1;
          i in [70000, -70000) n += 1;
          ∀q n += 1;
          i in [100000, 4) b[i - 100000] <- a[i - 100000];
          i in [3, -40000) s += a[i];
        }""",
        {"n": [0], "b": [0, 0, 0, 0], "s": [0]},
    ),
    "ranges above 31 bits": (
        "sp f; xp n; main { i in [4000000000, 4000000003) { f = i; n += 1; } }",
        {"f": [4000000002], "n": [3]},
    ),
}


@pytest.mark.parametrize("opt", [1, 2])
@pytest.mark.parametrize("name", CASES)
def test_corner(name: str, opt: int) -> None:
    text, wanted = CASES[name]
    result = agree(text, opt=opt)
    for symbol, values in wanted.items():
        got = result.get(f"k0.{symbol}").ravel()
        assert got.tolist() == got.dtype.type(values).tolist(), symbol


def test_functions_that_call_each_other_twice_do_not_double_the_code() -> None:
    depth = 10
    text = "xp s; function f0(xp x) { return x; }\n"
    text += "".join(f"function f{n}(xp x) {{ return f{n - 1}(x) + f{n - 1}(x + 1); }}\n" for n in range(1, depth + 1))
    result = simulate([text + f"main {{ s = f{depth}(1); }}"], cycles=1_000_000)
    # f(x) of depth n is 2^n * x + n * 2^(n-1)
    assert result.get("k0.s").item() == 2**depth + depth * 2 ** (depth - 1)


EMPTY = """xp param N = 0;
socket a, b;
sp v[n=N]; sp m[N][3]; sp c[3]; sp s = 2; sp acc = 3; struct p { xp q; sp w; } t[N]; xp o;
let i in [0, N); let j in [0, 3);
iterator it = ∀i v[i];
function fill(sp x[], xp n) { k in [0, n) x[k] = 1; return n + 1; }
main {
  ∀i v[i] <- a[];
  ∀i ∀j m[i][j] <- 4;
  ∀i s += v[i];
  ∀i acc = ∑ v[i]*v[i];
  parallel { ∀i a[] <- v[i]; ∀i v[i] <- b[]; { ∀i b[] <- 2; o += 1; } }
  o += fill(v, N);
  ∀j c[j] <- j;
  ∀i t[i].w <- c[0] + it[];
  if (N > 0) { v[0] = 1; m[N - 1][0] = c[N + 2]; } else c[2] = 7;
}"""


@pytest.mark.parametrize("opt", [1, 2])
def test_a_parameter_of_zero_leaves_arrays_and_loops_empty(opt: int) -> None:
    layout = """let x = color() let y = color() let t = tile()
    t : code('k0 [a:x b:y]) t : paint(x [C>C]) t : paint(y [C>C]) t : name('k0) t"""
    result = simulate([EMPTY], layout, opt=opt)
    assert result.status == "done"
    assert result.get("k0.v").shape == (1, 1, 0) and result.get("k0.m").shape == (1, 1, 0, 3)
    assert [result.get(f"k0.{name}").item() for name in ("s", "acc", "o")] == [2, 0, 2]
    assert result.get("k0.c").ravel().tolist() == [0, 1, 7]
