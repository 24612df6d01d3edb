"""Counter filters between router and core (tungsten.md 6, hardware.md 8).

A filter counts the data wavelets that arrive for the core on its color with a period of L + 1: the first P + 1
of a period pass, the other L - P are dropped. Control wavelets pass and are not counted.

Its words (fabric.arch): enable, color, limit L, maxpass P, and the counter: the number of the next wavelet in
its period, so that a filter that starts with the dropped ones starts at P + 1.
"""

from __future__ import annotations

from fabric.arch import (
    FILTER_COLOR,
    FILTER_COUNT,
    FILTER_COUNTER,
    FILTER_ENABLE,
    FILTER_LIMIT,
    FILTER_MAXPASS,
    FILTER_WORDS,
    FILTERS,
)
from fabric.reference.wavelet import Wavelet


class Filters:
    """The filters of one tile, as their register words; `by_color` finds the enabled ones."""

    def __init__(self) -> None:
        self.words = [0] * (FILTER_COUNT * FILTER_WORDS)
        self.by_color: dict[
            int, int
        ] = {}  # color -> place of its filter's words; the lowest-numbered one acts

    def write(self, address: int, value: int) -> None:
        """Writes one register word (an address in the FILTERS range)."""
        self.words[address - FILTERS] = value
        self.by_color = {}
        for at in range(0, len(self.words), FILTER_WORDS):
            if self.words[at + FILTER_ENABLE] & 1:
                self.by_color.setdefault(self.words[at + FILTER_COLOR] & 31, at)

    def drops(self, wavelet: Wavelet) -> bool:
        """Whether the next wavelet on its color would be dropped; counts nothing."""
        at = self.by_color.get(wavelet.color)
        if at is None or wavelet.ctrl:
            return False
        return self.words[at + FILTER_COUNTER] > self.words[at + FILTER_MAXPASS]

    def count(self, wavelet: Wavelet) -> None:
        """A wavelet went by, passed or dropped."""
        at = self.by_color.get(wavelet.color)
        if at is None or wavelet.ctrl:
            return
        counter = self.words[at + FILTER_COUNTER]
        self.words[at + FILTER_COUNTER] = 0 if counter >= self.words[at + FILTER_LIMIT] else counter + 1
