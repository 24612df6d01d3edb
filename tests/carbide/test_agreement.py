"""Random kernels: what Carbide makes of them ends with the evaluator's words in every global, on the simulator.

What was once found to differ stands in `corners` as small kernels of its own.
"""

from __future__ import annotations

import sys

import pytest
from agreement import check
from corners import FOUND, FOUND_PAIRS, LONG, PIECES
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from strategies import kernels, pairs

from carbide import lower_loop, recognise

sys.setrecursionlimit(20_000)  # what the front end sets anyway; hypothesis minds when it changes inside a test
QUICK = settings(max_examples=100, deadline=None, suppress_health_check=list(HealthCheck))
QUICK_PAIRS = settings(QUICK, max_examples=40)
SLOW = settings(QUICK, max_examples=2000)
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


@pytest.mark.parametrize("text", FOUND.values(), ids=FOUND.keys())
@pytest.mark.parametrize("opt", (1, 2))
def test_corners(text: str, opt: int) -> None:
    check([text], opt=opt)


@pytest.mark.parametrize("texts", FOUND_PAIRS.values(), ids=FOUND_PAIRS.keys())
def test_corners_of_pairs(texts: tuple[str, str]) -> None:
    check(texts)


@pytest.mark.slow
@pytest.mark.parametrize("texts", LONG.values(), ids=LONG.keys())
def test_loops_longer_than_16_bits(texts: tuple[str, ...]) -> None:
    check(texts, 4_000_000)


@pytest.mark.parametrize("texts", PIECES.values(), ids=PIECES.keys())
def test_loops_in_pieces(texts: tuple[str, ...], monkeypatch: pytest.MonkeyPatch) -> None:
    """As if a descriptor counted to 8 only."""
    for module in (lower_loop, recognise):
        monkeypatch.setattr(module, "MAX_EXTENT", 8)
    monkeypatch.setattr(lower_loop, "PIECE", 5)
    check(texts)
