"""Hypothesis strategies for kernels as source text: `kernels()` gives one that computes, `pairs()` two that exchange
data (see `making`)."""

from __future__ import annotations

from collections.abc import Callable

from hypothesis import strategies as st
from making_kernels import make_kernel
from making_pairs import make_pair

_NUMBERS: dict[int, st.SearchStrategy[int]] = {}


def _chooser(draw: st.DrawFn) -> Callable[[int], int]:
    def number(n: int) -> int:
        if n not in _NUMBERS:
            _NUMBERS[n] = st.integers(0, n - 1)
        return draw(_NUMBERS[n]) if n > 1 else 0

    return number


@st.composite
def choosers(draw: st.DrawFn) -> Callable[[int], int]:
    """`number(n)`, which chooses among n."""
    return _chooser(draw)


@st.composite
def kernels(draw: st.DrawFn) -> str:
    """One kernel that computes."""
    return make_kernel(_chooser(draw))


@st.composite
def pairs(draw: st.DrawFn) -> tuple[str, str]:
    """Two kernels that exchange on t0 and r0, t1 and r1 …"""
    return make_pair(_chooser(draw))
