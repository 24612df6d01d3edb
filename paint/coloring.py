"""List coloring with pair demands, exact within a node budget: the search behind `paint.colors`.

The search is backtracking by saturation degree over the units of `paint.units`, with forward checking, the bound
of `paint.alldiff`, conflict-directed backjumping, failure weights and restarts; of numbers that nothing tells
apart and that are not used yet only the first is tried. Units that are free to take a number whatever the others
have are set aside first, and numbered last.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from paint.alldiff import Crowd
from paint.units import Instance, Units, bits, components, make_units, partner_mask, set_aside

FIRST_RUN = 300  # nodes before the first restart, and two for each unit


@dataclass
class Outcome:
    """`status` is "solved", "unsolvable" or "undecided". `numbers` is the whole numbering when solved, otherwise
    the largest part found. `core` is a set of vertices that cannot be numbered together (when unsolvable): what
    the proof has used, not minimal."""

    status: str
    numbers: dict[int, int] = field(default_factory=dict)
    core: frozenset[int] = frozenset()
    nodes: int = 0


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

    def __init__(self, units: Units, part: int) -> None:
        self.units = units
        self.domain = list(units.domain)
        self.reasons = [0] * len(self.domain)
        self.open = part
        self.used = 0
        self.value: dict[int, int] = {}
        self.best: dict[int, int] = {}
        self.nodes = 0
        self.stack: list[_Frame] = []
        self.weight = [1] * len(self.domain)
        inside = bits(part)
        self.symmetry = _Symmetry((self.domain[u] for u in inside), any(units.cross[u] & part for u in inside))
        self.crowds_of: list[list[tuple[Crowd, int]]] = [[] for _ in self.domain]
        self.loose: dict[Crowd, None] = {}
        for members in units.crowds:
            members = [m for m in members if part >> m[0] & 1]
            if len(members) > 2:
                crowd = Crowd(members, self._numbers)
                self.loose[crowd] = None
                for i, (u, _) in enumerate(members):
                    self.crowds_of[u].append((crowd, i))
        # Open units by the number of their numbers, as masks; those with a weight stand apart.
        self.sizes = [0] * 25
        self.heavy = 0
        for u in inside:
            self.sizes[self.domain[u].bit_count()] |= 1 << u

    def _numbers(self, u: int) -> int:
        """The numbers that a unit has now, as a mask."""
        value = self.value.get(u)
        return self.domain[u] if value is None else 1 << value

    def run(self, budget: int) -> tuple[str, int]:
        """("solved", 0), ("undecided", 0), or ("unsolvable", mask of the units of the proof).

        A run that takes long starts again with what the weights have learnt, each time with half as much more
        patience, so that the last one has a third of the budget for a complete search."""
        limit = FIRST_RUN + 2 * self.open.bit_count()
        while True:
            status, proof = self._descend(min(budget, self.nodes + limit))
            if status != "undecided" or self.nodes >= budget:
                return status, proof
            limit += limit // 2
            while self.stack:
                self._undo(self.stack.pop())

    def _descend(self, budget: int) -> tuple[str, int]:
        """One run, until the search has taken `budget` nodes in all; leaves the state where it stopped."""
        for u in bits(self.open):
            if not self.domain[u]:
                return "unsolvable", 1 << u
        short = self._short()
        if short:
            return "unsolvable", short
        stack = self.stack
        while self.open:
            stack.append(self._frame())
            # Step down while numbers fit; on a dead end, climb to the level that the conflict names.
            while True:
                frame = stack[-1]
                if frame.values:
                    if self.nodes >= budget:
                        return "undecided", 0
                    self.nodes += 1
                    proof = self._assign(frame) or self._short()
                    if not proof:
                        break
                    conflict = 0
                    for u in bits(proof):
                        conflict |= 1 << u if u in self.value else self.reasons[u]
                        self._weigh(u)
                else:
                    conflict, proof = frame.conflict | self.reasons[frame.unit], frame.proof
                    stack.pop()
                # Levels that have no part in the conflict fall away with all their numbers.
                while stack and not conflict >> stack[-1].unit & 1:
                    self._undo(stack.pop())
                if not stack:
                    return "unsolvable", proof
                frame = stack[-1]
                self._undo(frame)
                frame.conflict |= conflict & ~(1 << frame.unit)
                frame.proof |= proof
        self.best = dict(self.value)
        return "solved", 0

    def _short(self) -> int:
        """The units of a crowd that has too few numbers, as a mask, or 0. Looks at the crowds whose members have
        lost numbers since the last time."""
        while self.loose:
            crowd = next(iter(self.loose))
            short = crowd.repair()
            if short:
                return short
            del self.loose[crowd]
        return 0

    def _weigh(self, u: int) -> None:
        """A unit had too few numbers once more."""
        self.weight[u] += 1
        if not self.heavy >> u & 1:
            self.heavy |= 1 << u
            if self.open >> u & 1:
                self.sizes[self.domain[u].bit_count()] ^= 1 << u

    def _frame(self) -> _Frame:
        """The next unit: fewest numbers left for its weight, then most open neighbours, then the first."""
        light = next((mask for mask in self.sizes if mask), 0)
        best = (25.0, 0, 0)
        for u in bits(light | self.heavy & self.open):
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
        """Gives the frame's unit its next number. Returns the mask of a unit that has none left, or 0."""
        u, value = frame.unit, frame.values.pop()
        self._toggle(u)
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
                    self._set_domain(w, before & ~gone)
                    self.reasons[w] |= 1 << u
                    if before == gone:
                        return 1 << w
        for w in (u, *dict.fromkeys(w for w, _, _ in frame.trail)):
            numbers = self._numbers(w)
            for crowd, i in self.crowds_of[w]:
                if crowd.check(i, numbers):
                    self.loose[crowd] = None
        return 0

    def _set_domain(self, w: int, domain: int) -> None:
        """Changes the numbers of an open unit."""
        if not self.heavy >> w & 1:
            self.sizes[self.domain[w].bit_count()] ^= 1 << w
            self.sizes[domain.bit_count()] ^= 1 << w
        self.domain[w] = domain

    def _toggle(self, u: int) -> None:
        """Opens or closes a unit."""
        self.open ^= 1 << u
        if not self.heavy >> u & 1:
            self.sizes[self.domain[u].bit_count()] ^= 1 << u

    def _undo(self, frame: _Frame) -> None:
        """Takes the number of a frame's unit back."""
        while frame.trail:
            w, domain, reasons = frame.trail.pop()
            self._set_domain(w, domain)
            self.reasons[w] = reasons
        if self.value.pop(frame.unit, None) is not None:
            self._toggle(frame.unit)
            self.used = frame.used_before


def color(inst: Instance, budget: int) -> Outcome:
    """Colors an instance. `budget` bounds the nodes (numbers tried) of each connected part; same input, same
    outcome."""
    units = make_units(inst)
    if isinstance(units, frozenset):
        return Outcome("unsolvable", core=units)
    order, rest = set_aside(units)
    outcome = Outcome("solved")
    base: dict[int, int] = {}
    for part in components(units, rest):
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
            left = [u for u in bits(part) if u not in base]
            order += reversed(left)
    for u in reversed(order):
        free = units.domain[u]
        for w in bits(units.same[u]):
            if w in base:
                free &= ~(1 << base[w])
        for w in bits(units.cross[u]):
            if w in base:
                free &= ~(1 << (base[w] ^ 1))
        if free:
            base[u] = (free & -free).bit_length() - 1
    if outcome.status == "undecided" and len(base) == len(units.members):
        outcome.status = "solved"
    for u, value in base.items():
        for v in units.members[u]:
            outcome.numbers[v] = value ^ units.flip[v]
    return outcome
