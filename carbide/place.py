"""Where code and data lie in main memory.

Code starts at word 2 (word 0 never holds code: an entry 0 in the task table means "none"), data follow. Objects that
are read together by a vector instruction start in different banks, where no `bank` says otherwise (banks.py).
"""

from __future__ import annotations

from dataclasses import dataclass

from carbide.banks import BANKS, Meeting, phases
from carbide.ir import Addr, Data
from fabric.arch import MAIN_WORDS

CODE_START = 2


@dataclass
class Layout:
    """Addresses of all objects, and the first word after them."""

    address: dict[Data, int]
    end: int

    def of(self, place: Addr) -> int:
        """The word address of a place."""
        if place.data is None:
            return place.offset & 0xFFFF
        return (address_of(place.data, self.address) + place.offset) & 0xFFFF


def address_of(data: Data, known: dict[Data, int]) -> int:
    """The address of an object, through aliases."""
    offset = 0
    while data.alias is not None:
        offset += data.alias[1]
        data = data.alias[0]
    return (data.address if data.address is not None else known[data]) + offset


def place(data: list[Data], meetings: list[Meeting], start: int) -> Layout:
    """Gives every object without a fixed address a place from `start` on; what does not fit lies above the end.

    Small objects fill the gaps that alignment leaves.
    """
    phase = phases(meetings)
    known: dict[Data, int] = {}
    free = [d for d in data if d.address is None and d.alias is None]
    aligned = [d for d in free if d.bank is not None or d in phase]
    small = [d for d in free if d not in set(aligned) and d.words <= 2]
    plain = [d for d in free if d not in set(aligned) and d.words > 2]
    gaps: list[tuple[int, int]] = []
    at = start

    def skip(to: int) -> None:
        nonlocal at
        if to > at:
            gaps.append((at, to))
            at = to

    for d in aligned:
        if d.bank is not None:
            skip(at + (2 * d.bank - at) % 8)
        else:
            skip(at + (phase[d] - at) % BANKS)
        known[d] = at
        at += d.words
    for d in plain:
        skip(at + at % max(1, d.align))
        known[d] = at
        at += d.words
    for d in sorted(small, key=lambda d: -d.align):
        for i, (low, high) in enumerate(gaps):
            low += low % max(1, d.align)
            if low + d.words <= high:
                known[d] = low
                gaps[i] = (low + d.words, high)
                break
        else:
            skip(at + at % max(1, d.align))
            known[d] = at
            at += d.words
    return Layout(known, at)


def fits(end: int) -> bool:
    return end <= MAIN_WORDS
