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
