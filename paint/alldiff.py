"""A bound for the coloring search: colors that all meet need as many numbers as they are (Hall's theorem).

A `Crowd` is a set of vertices that differ two by two. It keeps a matching of its members to numbers and repairs
it as the search takes numbers away; when a member cannot be matched, some of the members have fewer numbers among
them than they are. Pairs in a crowd are counted a second time, against the couples (2k, 2k+1) of numbers, of which
each pair fills one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

NUMBERS = 24
_EVEN = 0x555555

BASE, PARTNER, COUPLE = range(3)  # what a member takes: its unit's base number, the partner, the couple of both


def seen_as(mask: int, kind: int) -> int:
    """A mask of base numbers as a mask of what a member of a kind takes; a couple counts as its even number."""
    if kind == BASE:
        return mask
    if kind == PARTNER:
        return (mask & _EVEN) << 1 | mask >> 1 & _EVEN
    return (mask | mask >> 1) & _EVEN


class Crowd:
    """`members` are (unit, kind). `domain(unit)` gives the base numbers that a unit has now; whoever takes numbers
    from a unit calls `check` for it, whoever gives numbers back need not say so."""

    def __init__(self, members: Sequence[tuple[int, int]], domain: Callable[[int], int]) -> None:
        self.members = list(members)
        self.domain = domain
        self.number = [-1] * len(members)  # of each member
        self.holder = [-1] * NUMBERS  # of each number
        self.waiting = list(range(len(members)))  # members without a number

    def check(self, i: int, domain: int) -> bool:
        """Takes note that the unit of member i has only these base numbers; True when the matching needs repair."""
        n = self.number[i]
        if n >= 0 and not seen_as(domain, self.members[i][1]) >> n & 1:
            self.holder[n] = self.number[i] = -1
            self.waiting.append(i)
        return bool(self.waiting)

    def repair(self) -> int:
        """Makes the matching whole again. Returns a mask of units that have too few numbers, or 0."""
        while self.waiting:
            i = self.waiting[-1]
            tried = self._place(i)
            if tried:
                short = 1 << self.members[i][0]
                for n in range(NUMBERS):
                    if tried >> n & 1:
                        short |= 1 << self.members[self.holder[n]][0]
                return short
            self.waiting.pop()
        return 0

    def _place(self, start: int) -> int:
        """Matches a member, moving others along. Returns 0, or the mask of the numbers that were all in use (with
        the lowest bit above the numbers set, so that it is never 0)."""
        tried = 0
        came_from: dict[int, int] = {}  # number -> the member that would take it
        queue = [start]
        for i in queue:
            unit, kind = self.members[i]
            for n in _bits(seen_as(self.domain(unit), kind) & ~tried):
                tried |= 1 << n
                came_from[n] = i
                if self.holder[n] < 0:
                    while True:
                        taker = came_from[n]
                        left = self.number[taker]
                        self.number[taker], self.holder[n] = n, taker
                        if taker == start:
                            return 0
                        n = left
                queue.append(self.holder[n])
        return tried | 1 << NUMBERS


def _bits(mask: int) -> Iterator[int]:
    while mask:
        low = mask & -mask
        yield low.bit_length() - 1
        mask ^= low
