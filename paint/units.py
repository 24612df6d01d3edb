"""The coloring problem in units: what pairs tie together is one variable (see `paint.coloring`).

Vertices are 0..n-1, numbers 0..23. Two vertices joined by an edge get different numbers; the two of a pair get
numbers that differ in the lowest bit alone; every vertex keeps its allowed set (a bit mask).

Vertices tied by pairs form one *unit*: its first member's number, the *base*, fixes all others, which have it or
its partner. An edge between two units forbids equal bases, partner bases, or both.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from paint.alldiff import BASE, COUPLE, PARTNER

ALL = (1 << 24) - 1
_EVEN = 0x555555


def partner_mask(mask: int) -> int:
    """The mask of the numbers n ^ 1 of the numbers n in a mask."""
    return (mask & _EVEN) << 1 | mask >> 1 & _EVEN


@dataclass(frozen=True)
class Instance:
    """A coloring problem; `edges` and `pairs` hold vertex pairs in any order. `crowds` are sets of vertices that
    differ two by two, by edges, pairs or their allowed numbers; knowing them makes the search shorter."""

    allowed: Sequence[int]
    edges: Iterable[tuple[int, int]]
    pairs: Iterable[tuple[int, int]] = ()
    crowds: Iterable[Iterable[int]] = ()


@dataclass
class Units:
    """The instance in units. `flip[v]` tells whether vertex v has the partner of its unit's base. `same[u]` and
    `cross[u]` are masks of units that may not have the base of u, and its partner."""

    members: list[list[int]]
    flip: list[bool]
    domain: list[int]
    same: list[int]
    cross: list[int]
    crowds: list[list[tuple[int, int]]] = field(default_factory=list)  # (unit, kind) as paint.alldiff has them


def bits(mask: int) -> list[int]:
    """The numbers of the set bits, lowest first."""
    found = []
    while mask:
        low = mask & -mask
        found.append(low.bit_length() - 1)
        mask ^= low
    return found


def make_units(inst: Instance) -> Units | frozenset[int]:
    """The units of an instance, or the vertices of one that contradicts itself."""
    n = len(inst.allowed)
    tied: list[list[int]] = [[] for _ in range(n)]
    for a, b in inst.pairs:
        tied[a].append(b)
        tied[b].append(a)
    unit_of = [-1] * n
    flip = [False] * n
    members: list[list[int]] = []
    for v in range(n):
        if unit_of[v] >= 0:
            continue
        unit_of[v] = len(members)
        group = [v]
        clash = False
        for x in group:
            for y in tied[x]:
                if unit_of[y] < 0:
                    unit_of[y], flip[y] = len(members), not flip[x]
                    group.append(y)
                elif flip[y] == flip[x]:
                    clash = True
        if clash:
            return frozenset(group)
        members.append(group)
    domain = []
    for group in members:
        mask = ALL
        for v in group:
            mask &= partner_mask(inst.allowed[v]) if flip[v] else inst.allowed[v]
        domain.append(mask)
    same, cross = [0] * len(members), [0] * len(members)
    for a, b in inst.edges:
        p, q = unit_of[a], unit_of[b]
        if p == q:
            if flip[a] == flip[b]:
                return frozenset(members[p])
            continue
        table = same if flip[a] == flip[b] else cross
        table[p] |= 1 << q
        table[q] |= 1 << p
    units = Units(members, flip, domain, same, cross)
    for crowd in inst.crowds:
        inside = sorted(set(crowd))
        numbers = [(unit_of[v], PARTNER if flip[v] else BASE) for v in inside]
        owners = [u for u, _ in numbers]
        couples = [(u, COUPLE) for u in dict.fromkeys(owners) if owners.count(u) > 1]
        # A crowd of few units cannot be short before forward checking sees it; two vertices of one unit on one
        # side are no crowd.
        if len(set(numbers)) == len(numbers):
            units.crowds += [list(c) for c in (numbers, couples) if len(c) > 2]
    return units


def set_aside(units: Units) -> tuple[list[int], int]:
    """Units that always find a number, in the order of removal, and the mask of the others.

    A unit is free when its neighbours cannot forbid as many numbers as it has; removing it frees others. Last
    defined go first, so that the numbering, in reverse order, begins with the first."""
    load = [a.bit_count() + b.bit_count() for a, b in zip(units.same, units.cross, strict=True)]
    rest = (1 << len(load)) - 1
    order: list[int] = []
    ready = [u for u in range(len(load)) if units.domain[u].bit_count() > load[u]]
    while ready:
        u = ready.pop()
        rest ^= 1 << u
        order.append(u)
        freed = []
        for table in (units.same, units.cross):
            for w in bits(table[u] & rest):
                load[w] -= 1
                if units.domain[w].bit_count() == load[w] + 1:
                    freed.append(w)
        ready += sorted(freed)
    return order, rest


def components(units: Units, rest: int) -> list[int]:
    """Masks of the connected parts of the units in `rest`, by their first unit."""
    found = []
    while rest:
        part = frontier = rest & -rest
        while frontier:
            near = 0
            for u in bits(frontier):
                near |= units.same[u] | units.cross[u]
            frontier = near & rest & ~part
            part |= frontier
        rest &= ~part
        found.append(part)
    return found
