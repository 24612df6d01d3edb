"""Which objects meet as the two memory sources of a vector instruction, and where they should start.

Element groups that start at addresses equal modulo 4 cost a cycle more (hardware.md 10, 14.4); best is a distance of
2. Elements of 32 bits lie at even addresses, so that their objects have two places to choose from, those of 16 bits
four. Where not all pairs can be kept apart, those that run most are.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import prod

from carbide.flow import split
from carbide.ir import Addr, Data, IterRef, Mem1, Mem4, Op, Unit
from fabric.isa import BY_NAME

BANKS = 4
ROUNDS = 8.0  # how often a loop is taken to go round
UNKNOWN_ELEMENTS = 64  # of a vector whose length is known at run time only
ROUNDS_OF_IMPROVEMENT = 8
CLOSE = 0.001  # what a distance of 1 or 3 costs against a collision


@dataclass(frozen=True)
class Meeting:
    """Element groups of `a` + `offset_a` and `b` + `offset_b` (words) are read together, `weight` times."""

    a: Data
    offset_a: int
    b: Data
    offset_b: int
    weight: float

    def cost(self, phase_a: int, phase_b: int) -> float:
        """What the two starts modulo 4 cost."""
        distance = (phase_a + self.offset_a - phase_b - self.offset_b) % BANKS
        return self.weight if distance == 0 else self.weight * CLOSE if distance != 2 else 0.0


def root(place: Addr) -> tuple[Data | None, int]:
    """The object that a place lies in, and the offset there."""
    data, offset = place.data, place.offset
    while data is not None and data.alias is not None:
        offset += data.alias[1]
        data = data.alias[0]
    return data, offset


def _start(x: object) -> tuple[Data, int] | None:
    """Where a memory source starts, if that is constant; a single element for all steps never collides."""
    base: object = None
    if isinstance(x, Mem1):
        base = x.base if x.stride else None
    elif isinstance(x, Mem4):
        base = x.base if any(stride for _, stride in x.levels) else None
    elif isinstance(x, IterRef) and x.descriptor.init is not None:
        base = x.descriptor.init[1]
    if not isinstance(base, Addr):
        return None
    data, offset = root(base)
    return None if data is None else (data, offset)


def _elements(op: Op) -> float:
    """About how many elements a vector instruction has."""
    for x in (op.dest, *op.sources):
        if isinstance(x, Mem4):
            return prod(n for n, _ in x.levels)
        if isinstance(x, Mem1):
            return x.extent if isinstance(x.extent, int) else UNKNOWN_ELEMENTS
    return UNKNOWN_ELEMENTS


def meetings(unit: Unit) -> list[Meeting]:
    """All meetings of a unit, before its operands become DSRs. What lowering knows (`Unit.meets`) counts too: objects
    that a pointer walks."""
    weights: dict[tuple[Data, int, Data, int], float] = {}
    for routine in unit.routines:
        for block in split(routine):
            for op in block.ops:
                if len(op.sources) < 2 or op.name not in BY_NAME:
                    continue
                first, second = _start(op.sources[0]), _start(op.sources[1])
                if first is None or second is None or first[0] is second[0]:
                    continue
                key = (first[0], first[1] % BANKS, second[0], second[1] % BANKS)
                groups = max(1.0, _elements(op) / BY_NAME[op.name].width)
                weights[key] = weights.get(key, 0.0) + groups * ROUNDS ** min(block.depth, 6)
    known = {frozenset((a, b)) for a, _, b, _ in weights}
    for pair in dict.fromkeys(unit.meets):
        (a, x), (b, y) = (root(Addr(data)) for data in pair)
        if a is not None and b is not None and a is not b and frozenset((a, b)) not in known:
            weights.setdefault((a, x % BANKS, b, y % BANKS), 1.0)
    return [Meeting(a, x, b, y, weight) for (a, x, b, y), weight in weights.items()]


def phases(found: list[Meeting]) -> dict[Data, int]:
    """The start modulo 4 of every object that meets another one; fixed addresses and `bank` stay as they are."""
    near: dict[Data, list[Meeting]] = {}
    for m in found:
        near.setdefault(m.a, []).append(m)
        near.setdefault(m.b, []).append(m)
    phase: dict[Data, int] = {}
    for d in near:
        if d.address is not None:
            phase[d] = d.address % BANKS
        elif d.bank is not None:
            phase[d] = 2 * d.bank % BANKS
    free = [d for d in near if d not in phase]
    free.sort(key=lambda d: -sum(m.weight for m in near[d]))  # stable: the order of the code decides among equals

    def best(d: Data) -> int:
        places = (0, 2) if d.align > 1 else (0, 2, 1, 3)

        def cost(p: int) -> float:
            total = 0.0
            for m in near[d]:
                other = m.b if m.a is d else m.a
                if other in phase:
                    total += m.cost(p, phase[other]) if m.a is d else m.cost(phase[other], p)
            return total

        return min(places, key=cost)

    for d in free:
        phase[d] = best(d)
    for _ in range(ROUNDS_OF_IMPROVEMENT):
        before = dict(phase)
        for d in free:
            del phase[d]
            phase[d] = best(d)
        if phase == before:
            break
    return phase
