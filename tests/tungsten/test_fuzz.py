"""Whatever stands in a kernel, the front end answers with a tree or with messages, never with a traceback."""

from __future__ import annotations

import random
import re
import time

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sample_kernels import CORPUS, codes

WORDS = """import typedef struct union function main let const param if else while forever parallel return
xp u16 u32 u64 i32 hp sp wv stream socket fifo filter iterator in reset dispatch address bank wavelet control flip
max min abs base len a b c i j n x y r⃗₀ ρ′ Δx⁻¹ ∀ ∈ ∑ ∞ ← ←̟ <- <+- += -= *= = == != < > <= >= << >> & | ^ ~ ! && || ? :
( ) [ ] { } [[ ]] , ; . + - * / % 0 1 3 0x8000 1.5 0. 6.0e-8 0:sp 100.0:sp 0b11 [0,4) // /* */ #pragma dir=in id=3
counter limit maxpass socket=rx uthread.enable(on) $ @ " ' \\""".split()

TOKEN = re.compile(r"\w+|\s+|.", re.S)


def soup() -> st.SearchStrategy[str]:
    return st.lists(st.sampled_from(WORDS), max_size=60).map(" ".join)


@st.composite
def mutated(draw: st.DrawFn) -> str:
    """A valid kernel with some tokens removed, doubled, swapped or replaced."""
    tokens = TOKEN.findall(draw(st.sampled_from(CORPUS)))
    rng = random.Random(draw(st.integers(0, 2**32)))
    for _ in range(rng.randint(1, 4)):
        at = rng.randrange(len(tokens))
        kind = rng.randrange(5)
        if kind == 0:
            del tokens[at]
        elif kind == 1:
            tokens.insert(at, tokens[rng.randrange(len(tokens))])
        elif kind == 2:
            other = rng.randrange(len(tokens))
            tokens[at], tokens[other] = tokens[other], tokens[at]
        elif kind == 3:
            tokens[at] = rng.choice([*WORDS, *tokens])
        else:
            tokens[at:] = tokens[at + rng.randint(1, 30) :]
        if not tokens:
            break
    return "".join(tokens)


FEW = settings(max_examples=100, deadline=None, suppress_health_check=list(HealthCheck))
MANY = settings(max_examples=3000, deadline=None, suppress_health_check=list(HealthCheck))


@FEW
@given(soup())
def test_token_soup(text: str) -> None:
    codes(text)


@FEW
@given(st.text(max_size=80))
def test_any_text(text: str) -> None:
    codes(text)


@FEW
@given(mutated())
def test_mutated_kernels(text: str) -> None:
    codes(text)


@pytest.mark.slow
@MANY
@given(st.one_of(soup(), mutated()))
def test_many(text: str) -> None:
    codes(text)


@pytest.mark.parametrize("text", CORPUS)
def test_the_corpus_is_right(text: str) -> None:
    assert [c for c in codes(text) if c not in ("TW119",)] == []


@pytest.mark.parametrize(
    "text",
    [
        "xp a; a = " + "(" * 3000 + "1" + ")" * 3000 + ";",
        "xp a[2]; a" + "[a" * 3000,
        "xp a; a = " + "-" * 3000 + "1;",
        "xp a; a = " + "1 + " * 3000 + "1;",
        "xp a; a = " + "1 ? 2 : " * 3000 + "1;",
        "xp a; a = " + "∑ " * 3000 + "1;",
        "xp a; a = " + "(xp) " * 3000 + "1;",
        "{" * 3000,
        "xp a; " + "if (a) " * 3000 + "a = 1;",
        "xp a; " + "if (a) a = 1; else " * 3000 + "a = 1;",
        "xp a; " + "i in [0, 1) " * 3000 + "a = 1;",
        "#pragma vectorize off\n" * 3000 + "xp a;",
        "struct A { " * 3000,
        "xp a[2] = " + "{" * 3000,
        "sp m" + "[1]" * 3000 + ";",
        "xp a; a = f" + "(f" * 3000,
        "xp a = " + "9" * 5000 + ";",
        "sp a = 1e" + "9" * 400 + ";",
        "const a = 1 << 1000000; xp b = a >> 1000000;",
        "const a = 1e308 * 1e308 / 0; xp b = a;",
        "xp a[1000000000000];",
        "typedef sp t[1000]; typedef t u[1000]; typedef u v[1000]; v x;",
    ],
)
def test_deep_and_large(text: str) -> None:
    codes(text)


def test_speed_of_a_400_line_kernel() -> None:
    lines = ["xp param N = 4;", "sp a[100], b[100], c[100], s, t, u;", "let i in [0, 90);", "main {"]
    for k in range(100):
        lines += [
            f"  sp t{k} = s * 2.0 + t - a[{k % 90}];",
            f"  ∀i c[i] <- a[i+1] * (b[i] - t{k}) + c[i] / 3.0;",
            f"  if (t{k} > 0.5 && s < u) {{ s += t*u; }} else t = u - s*t{k};",
            f"  u = max(u, t{k}) + (sp)(N * {k});",
        ]
    text = "\n".join([*lines, "}"])
    codes(text)  # the grammar is made at first use
    start = time.process_time()
    assert codes(text) == []
    assert time.process_time() - start < 1.5
