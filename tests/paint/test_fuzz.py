"""Nothing that a user can write ends in a traceback: layouts with tokens dropped, doubled, exchanged."""

from __future__ import annotations

import random
import re
from pathlib import Path

import pytest
from test_scale import HALO

from diag.report import Reporter, UserError, render
from paint.load import Sources
from paint.pipeline import Options, evaluate

SEEDS = [
    HALO,
    "let b0 = bank(0) let c = color(b0) let t = tile() t : code('k [s:c N:-1]) t : mp(b0) arrayplace(t range(0 3) [p:range(0 3)])",
    "define f(a b) { let r = rect(0 0 a b-1) (* x (* y *) *) r : paint(color() [L|LXC; U>DR|R*; pop=adv ring]) }\n"
    "vstackrep(hstack(f(2 3) hflip(f(1 @p)) place(f(3 3) -1 0)) 2 1)",
    "include 'x.paint let a = 7/2 setif(a>3 tile() hstackrep(tile() 3//2 0x10))",
    'let c = color(10) let t = paint(tile() c [L>R; fabadder]) union(t vflip(t) vstack(t \'x "y" 1e3))',
]
TOKEN = re.compile(r"\(\*|\*\)|\w+|\s+|.", re.S)


def mutated(rng: random.Random) -> str:
    tokens = TOKEN.findall(rng.choice(SEEDS))
    for _ in range(rng.randint(1, 4)):
        i, j = rng.randrange(len(tokens)), rng.randrange(len(tokens))
        match rng.randrange(4):
            case 0:
                del tokens[i]
            case 1:
                tokens.insert(i, tokens[j])
            case 2:
                tokens[i], tokens[j] = tokens[j], tokens[i]
            case _:
                tokens[i] = rng.choice(
                    ["(", ")", "[", "]", "{", "}", "'", '"', ";", "|", "@p", "-", "0", "X", ":", "é", "(*"]
                )
        if not tokens:
            break
    return "".join(tokens)


def attempt(text: str, directory: Path) -> None:
    (directory / "bench.paint").write_text(text)
    reporter = Reporter()
    try:
        evaluate(
            str(directory / "bench.paint"),
            Sources([], reporter),
            Options(given={"NX": "3", "NY": "2"}),
            reporter,
        )
    except UserError as e:
        for d in e.diagnostics:
            assert render(d)


@pytest.mark.parametrize("seed", range(4))
def test_no_traceback(seed: int, tmp_path: Path) -> None:
    rng = random.Random(seed)
    for _ in range(40):
        attempt(mutated(rng), tmp_path)


@pytest.mark.slow
def test_no_traceback_long(tmp_path: Path) -> None:
    rng = random.Random(99)
    for _ in range(3000):
        attempt(mutated(rng), tmp_path)
