"""List coloring with pair demands, exact within a node budget: the search behind `paint.colors`.

Vertices are 0..n-1, numbers 0..23. Two vertices joined by an edge get different numbers; the two of a pair get
numbers that differ in the lowest bit alone; every vertex keeps its allowed set (a bit mask).

Vertices tied by pairs form one *unit*: its first member's number, the *base*, fixes all others, which have it or
its partner. An edge between two units forbids equal bases, partner bases, or both. The search is backtracking by
saturation degree over units with forward checking, conflict-directed backjumping, failure weights and restarts;
of numbers that nothing tells apart and that are not used yet only the first is tried. Units that are free to
take a number whatever the others have are set aside first, and numbered last.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

ALL = (1 << 24) - 1
_EVEN = 0x555555
FIRST_RUN = 300  # nodes before the first restart


def partner_mask(mask: int) -> int:
    """The mask of the numbers n ^ 1 of the numbers n in a mask."""
    return (mask & _EVEN) << 1 | mask >> 1 & _EVEN


@dataclass(frozen=True)
class Instance:
    """A coloring problem; `edges` and `pairs` hold vertex pairs in any order."""

    allowed: Sequence[int]
    edges: Iterable[tuple[int, int]]
    pairs: Iterable[tuple[int, int]] = ()


@dataclass
class Outcome:
    """`status` is "solved", "unsolvable" or "undecided". `numbers` is the whole numbering when solved, otherwise
    the largest part found. `core` is a set of vertices that cannot be numbered together (when unsolvable): what
    the proof has used, not minimal."""

    status: str
    numbers: dict[int, int] = field(default_factory=dict)
    core: frozenset[int] = frozenset()
    nodes: int = 0


@dataclass
class _Units:
    """The instance in units. `flip[v]` tells whether vertex v has the partner of its unit's base. `same[u]` and
    `cross[u]` are masks of units that may not have the base of u, and its partner."""

    members: list[list[int]]
    flip: list[bool]
    domain: list[int]
    same: list[int]
    cross: list[int]


def bits(mask: int) -> list[int]:
    """The numbers of the set bits, lowest first."""
    found = []
    while mask:
        low = mask & -mask
        found.append(low.bit_length() - 1)
        mask ^= low
    return found


def _make_units(inst: Instance) -> _Units | frozenset[int]:
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
    return _Units(members, flip, domain, same, cross)


def _set_aside(units: _Units) -> tuple[list[int], int]:
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


def _components(units: _Units, rest: int) -> list[int]:
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


class _Symmetry:
    """Which numbers nothing tells apart. Numbers stand in blocks: a number with its partner when the part has
    cross edges, else each alone. Blocks of one class have the same bits in every domain, so exchanging two
    unused ones changes nothing; `mirror` blocks may also exchange their two numbers."""

    def __init__(self, domains: Iterable[int], crossed: bool) -> None:
        different = sorted(set(domains))
        self.width = 2 if crossed else 1
        one = (1 << self.width) - 1
        classes: dict[tuple[int, ...], int] = {}
        self.class_of: list[int] = []
        self.mirror: list[bool] = []
        for at in range(0, 24, self.width):
            look = tuple(d >> at & one for d in different)
            self.class_of.append(classes.setdefault(look, len(classes)))
            self.mirror.append(all(x in (0, one) for x in look))

    def distinct(self, domain: int, used: int) -> list[int]:
        """The numbers of a domain that are worth trying, when `used` is the mask of the numbers in use."""
        found = []
        seen = 0
        one = (1 << self.width) - 1
        for block, of in enumerate(self.class_of):
            at = block * self.width
            here = domain >> at & one
            if not here:
                continue
            if used >> at & one == 0:
                if seen >> of & 1:
                    continue
                seen |= 1 << of
                if self.mirror[block]:
                    here &= -here
            if here & 1:
                found.append(at)
            if here & 2:
                found.append(at + 1)
        return found


@dataclass
class _Frame:
    """One level of the search: the unit, the numbers still to try, the conflict of those tried (a mask of
    assigned units), the units of its proof, and what to restore: (unit, domain, reasons)."""

    unit: int
    values: list[int]
    conflict: int
    proof: int
    trail: list[tuple[int, int, int]] = field(default_factory=list)
    used_before: int = 0


class _Search:
    """The search over one connected part. `reasons[u]` is the mask of assigned units that took numbers from u;
    `weight[u]` counts how often u had none left, so that units of a tight spot come first after a restart."""

    def __init__(self, units: _Units, part: int) -> None:
        self.units = units
        self.domain = list(units.domain)
        self.reasons = [0] * len(self.domain)
        self.open = part
        self.used = 0
        self.value: dict[int, int] = {}
        self.best: dict[int, int] = {}
        self.nodes = 0
        self.weight = [1] * len(self.domain)
        inside = bits(part)
        self.symmetry = _Symmetry((self.domain[u] for u in inside), any(units.cross[u] & part for u in inside))

    def run(self, budget: int) -> tuple[str, int]:
        """("solved", 0), ("undecided", 0), or ("unsolvable", mask of the units of the proof).

        A run that takes long starts again with what the weights have learnt, each time with half as much more
        patience, so that the last one has a third of the budget for a complete search."""
        part, limit = self.open, FIRST_RUN
        while True:
            status, proof = self._descend(min(budget, self.nodes + limit))
            if status != "undecided" or self.nodes >= budget:
                return status, proof
            limit += limit // 2
            self.open, self.used, self.value = part, 0, {}
            self.domain = list(self.units.domain)
            self.reasons = [0] * len(self.domain)

    def _descend(self, budget: int) -> tuple[str, int]:
        """One run, until the search has taken `budget` nodes in all; leaves the state where it stopped."""
        for u in bits(self.open):
            if not self.domain[u]:
                return "unsolvable", 1 << u
        stack: list[_Frame] = []
        while True:
            if not self.open:
                self.best = dict(self.value)
                return "solved", 0
            stack.append(self._frame())
            # Step down while numbers fit; on a dead end, climb to the level that the conflict names.
            while True:
                frame = stack[-1]
                if frame.values:
                    if self.nodes >= budget:
                        return "undecided", 0
                    self.nodes += 1
                    dead = self._assign(frame)
                    if dead < 0:
                        break
                    self.weight[dead] += 1
                    conflict, proof = self.reasons[dead], 1 << dead
                else:
                    conflict, proof = frame.conflict | self.reasons[frame.unit], frame.proof
                    stack.pop()
                    if not conflict:
                        return "unsolvable", proof
                    # Levels that have no part in the conflict fall away with all their numbers.
                    while not conflict >> stack[-1].unit & 1:
                        self._undo(stack.pop())
                frame = stack[-1]
                self._undo(frame)
                frame.conflict |= conflict & ~(1 << frame.unit)
                frame.proof |= proof

    def _frame(self) -> _Frame:
        """The next unit: fewest numbers left for its weight, then most open neighbours, then the first."""
        best = (25.0, 0, 0)
        for u in bits(self.open):
            room = self.domain[u].bit_count() / self.weight[u]
            if room <= best[0]:
                near = (self.units.same[u] & self.open).bit_count() + (self.units.cross[u] & self.open).bit_count()
                best = min(best, (room, -near, u))
        u = best[2]
        near_same = [self.domain[w] for w in bits(self.units.same[u] & self.open)]
        near_cross = [partner_mask(self.domain[w]) for w in bits(self.units.cross[u] & self.open)]
        # A number that the fewest neighbours could still use comes first.
        values = self.symmetry.distinct(self.domain[u], self.used)
        values.sort(key=lambda v: sum(d >> v & 1 for d in near_same + near_cross))
        values.reverse()
        return _Frame(u, values, 0, 1 << u)

    def _assign(self, frame: _Frame) -> int:
        """Gives the frame's unit its next number. Returns a unit that has none left, or -1."""
        u, value = frame.unit, frame.values.pop()
        self.open ^= 1 << u
        self.value[u] = value
        frame.used_before = self.used
        mask = 0
        for v in self.units.members[u]:
            mask |= 1 << (value ^ self.units.flip[v])
        self.used |= mask
        if len(self.value) > len(self.best):
            self.best = dict(self.value)
        for table, gone in ((self.units.same, 1 << value), (self.units.cross, 1 << (value ^ 1))):
            for w in bits(table[u] & self.open):
                before = self.domain[w]
                if before & gone:
                    frame.trail.append((w, before, self.reasons[w]))
                    self.domain[w] = before & ~gone
                    self.reasons[w] |= 1 << u
                    if not self.domain[w]:
                        return w
        return -1

    def _undo(self, frame: _Frame) -> None:
        """Takes the number of a frame's unit back."""
        while frame.trail:
            w, domain, reasons = frame.trail.pop()
            self.domain[w], self.reasons[w] = domain, reasons
        if self.value.pop(frame.unit, None) is not None:
            self.open |= 1 << frame.unit
            self.used = frame.used_before


def color(inst: Instance, budget: int) -> Outcome:
    """Colors an instance. `budget` bounds the nodes (numbers tried) of each connected part; same input, same
    outcome."""
    units = _make_units(inst)
    if isinstance(units, frozenset):
        return Outcome("unsolvable", core=units)
    order, rest = _set_aside(units)
    outcome = Outcome("solved")
    base: dict[int, int] = {}
    for part in _components(units, rest):
        search = _Search(units, part)
        status, proof = search.run(budget)
        outcome.nodes += search.nodes
        base |= search.best
        if status == "unsolvable":
            outcome.status = status
            outcome.core = frozenset(v for u in bits(proof) for v in units.members[u])
            break
        if status == "undecided":
            outcome.status = status
    for u in reversed(order):
        free = units.domain[u]
        for w in bits(units.same[u]):
            if w in base:
                free &= ~(1 << base[w])
        for w in bits(units.cross[u]):
            if w in base:
                free &= ~(1 << (base[w] ^ 1))
        base[u] = (free & -free).bit_length() - 1
    for u, value in base.items():
        for v in units.members[u]:
            outcome.numbers[v] = value ^ units.flip[v]
    return outcome
