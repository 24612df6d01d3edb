"""Routes of two partner colors followed over a whole layout at once (S0:77-208, hardware.md 9).

A `Walk` looks at the numbers n and n ^ 1 together, since a swap moves wavelets between them and nothing else does.
Its unit is the *landing*: wavelets of a number arriving at a tile from a side (L, R, U, D, or C, its own core).
A landing is read by the own color, unless that swaps the side, and by the partner, if that swaps it; a reader that
takes input from the side sends on by its outputs. All of this is kept in masks over a `Plane`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial

from fabric import arch
from paint.plane import Mask, Plane
from paint.rules import Rule
from paint.tiles import TileSet, bits
from paint.wiring import Queue, Routed, Wiring

SIDES = range(5)
_SWAP_OF = (arch.OURS_SWAP_H, arch.OURS_SWAP_H, arch.OURS_SWAP_V, arch.OURS_SWAP_V, arch.OURS_SWAP_CORE)

Landing = tuple[int, int]  # (number, side)
Node = tuple[Landing, int]  # a landing and the bit of a tile


def swaps(side: int, rule: Rule) -> bool:
    """Whether a color with this rule reads its partner at a side."""
    return bool(rule.swap_bits & _SWAP_OF[side])


def takes(side: int, rule: Rule) -> bool:
    """Whether some position of a rule takes input from a side; an adder takes the core's operand unnamed."""
    return bool(rule.inputs >> side & 1) or (rule.adder and side == arch.C)


def outputs_from(rule: Rule, side: int) -> tuple[int, int]:
    """(outputs of some position, outputs of every position) among those that take input from a side."""
    some, every = 0, -1
    for p in rule.positions:
        if p.inputs >> side & 1 or (rule.adder and side == arch.C):
            some |= p.outputs
            every &= p.outputs
    return some, every & some


@dataclass(frozen=True)
class Placed:
    """A rule with its mask."""

    routed: Routed
    mask: Mask


@dataclass(frozen=True)
class Attached:
    """A queue with its mask."""

    queue: Queue
    mask: Mask


class Walk:
    """The routes of numbers `even` and `even` + 1.

    `some[landing][(number, port)]` is the mask of tiles where the landing may leave as that number by that port,
    `every` where it leaves so in every switch position that takes it in.
    """

    def __init__(self, wiring: Wiring, even: int) -> None:
        self.numbers = (even, even + 1)
        routed = [r for r in wiring.routed if r.number in self.numbers]
        queues = [q for q in wiring.queues if q.number in self.numbers]
        sets: list[TileSet] = [wiring.self_routing, wiring.by_place, *(p.tiles for p in wiring.passing.values())]
        self.plane = Plane(wiring.tiles, [*(r.tiles for r in routed), *(q.tiles for q in queues), *sets])
        self.layout = self.plane.mask(wiring.tiles)
        self.self_routing = self.plane.mask(wiring.self_routing)
        self.by_place = self.plane.mask(wiring.by_place)
        self.rules = {n: [Placed(r, self.plane.mask(r.tiles)) for r in routed if r.number == n] for n in self.numbers}
        self.senders = [Attached(q, self.plane.mask(q.tiles)) for q in queues if q.sends]
        self.receivers = [Attached(q, self.plane.mask(q.tiles)) for q in queues if not q.sends]
        self.receives = dict.fromkeys(self.numbers, 0)
        for receiver in self.receivers:
            self.receives[receiver.queue.number] |= receiver.mask
        self.swaps = {n: [self._where(n, partial(swaps, s)) for s in SIDES] for n in self.numbers}
        self.taken = {n: [self._where(n, partial(takes, s)) for s in SIDES] for n in self.numbers}
        self.landings: list[Landing] = [(n, s) for n in self.numbers for s in SIDES]
        self.some: dict[Landing, dict[tuple[int, int], Mask]] = {}
        self.every: dict[Landing, dict[tuple[int, int], Mask]] = {}
        for landing in self.landings:
            self._transfers(landing)

    def _where(self, number: int, test: Callable[[Rule], bool]) -> Mask:
        """The tiles whose rule for a number passes a test."""
        mask = 0
        for placed in self.rules[number]:
            if test(placed.routed.rule):
                mask |= placed.mask
        return mask

    def _transfers(self, landing: Landing) -> None:
        number, side = landing
        some: dict[tuple[int, int], Mask] = {}
        every: dict[tuple[int, int], Mask] = {}
        for reader in self.numbers:
            reads = self.reads(number, reader, side)
            for placed in self.rules[reader] if reads else ():
                mask = placed.mask & reads
                may, must = outputs_from(placed.routed.rule, side)
                for port in SIDES:
                    if mask and may >> port & 1:
                        some[reader, port] = some.get((reader, port), 0) | mask
                    if mask and must >> port & 1:
                        every[reader, port] = every.get((reader, port), 0) | mask
        self.some[landing], self.every[landing] = some, every

    def reads(self, number: int, reader: int, side: int) -> Mask:
        """Where wavelets of a number from a side are read by a color: the own one or its partner."""
        swapped = self.swaps[reader][side]
        return self.plane.full & ~swapped if reader == number else swapped

    def read_number(self, reader: int, side: int) -> Iterator[tuple[int, Mask]]:
        """The number that a color reads at a side, with the tiles where it is so."""
        for number in self.numbers:
            mask = self.reads(number, reader, side)
            if mask:
                yield number, mask

    # -- what feeds what ----------------------------------------------------------------------------------------

    def offered(self) -> dict[Landing, Mask]:
        """Landings for which a neighbour has an output, a core sends, or a tile beside routes for itself."""
        result = dict.fromkeys(self.landings, 0)
        for n in self.numbers:
            for placed in self.rules[n]:
                for port in range(4):
                    if placed.routed.rule.outputs >> port & 1:
                        result[n, arch.OPPOSITE[port]] |= self.plane.shift(placed.mask, port)
            for port in range(4):
                result[n, arch.OPPOSITE[port]] |= self.plane.shift(self.self_routing, port)
        for sender in self.senders:
            result[sender.queue.number, arch.C] |= sender.mask
        return result

    def fed(self, landings: dict[Landing, Mask], reader: int, side: int) -> Mask:
        """Where a color gets something from a side, of the given landings."""
        mask = 0
        for number, where in self.read_number(reader, side):
            mask |= landings[number, side] & where
        return mask

    def reach(self, start: dict[Landing, Mask]) -> dict[Landing, Mask]:
        """All landings that follow from some, these included."""
        result = dict.fromkeys(self.landings, 0)
        todo = {landing: mask for landing, mask in start.items() if mask}
        while todo:
            landing, fresh = todo.popitem()
            number, side = landing
            fresh &= self.layout
            if side != arch.C:
                ahead = arch.OPPOSITE[side]
                straight = self.some[landing].get((number, ahead), 0)
                if straight:
                    fresh = self.plane.flood(fresh, straight, ahead) & self.layout
            fresh &= ~result[landing]
            if not fresh:
                continue
            result[landing] |= fresh
            for (reader, port), where in self.some[landing].items():
                if port != arch.C and fresh & where:
                    after = reader, arch.OPPOSITE[port]
                    todo[after] = todo.get(after, 0) | self.plane.shift(fresh & where, port)
        return result

    def needed(self, goals: dict[int, Mask]) -> dict[Landing, Mask]:
        """All landings from which a wavelet would get to a core output of a color on the tiles of `goals`."""
        result = dict.fromkeys(self.landings, 0)
        todo: dict[Landing, Mask] = {}
        for landing in self.landings:
            mask = 0
            for reader in self.numbers:
                mask |= self.some[landing].get((reader, arch.C), 0) & goals[reader]
            if mask:
                todo[landing] = mask
        while todo:
            landing, fresh = todo.popitem()
            number, side = landing
            if side != arch.C:
                # Backward along a straight run: from a tile to the one that passes on to it.
                straight = self.some[landing].get((number, arch.OPPOSITE[side]), 0)
                if straight:
                    entered = self.plane.shift(straight, arch.OPPOSITE[side])
                    fresh = self.plane.flood(fresh, entered, side) & self.layout
            fresh &= ~result[landing]
            if not fresh:
                continue
            result[landing] |= fresh
            if side == arch.C:
                continue
            for before in self.landings:
                where = self.some[before].get((number, arch.OPPOSITE[side]), 0)
                mask = where & self.plane.shift(fresh, side) if where else 0
                if mask:
                    todo[before] = todo.get(before, 0) | mask
        return result

    def live(self, landings: dict[Landing, Mask], placed: Placed, position: int) -> Mask:
        """The tiles of a rule where some landing comes in at a switch position."""
        rule = placed.routed.rule
        mask = 0
        for side in SIDES:
            if rule.positions[position].inputs >> side & 1 or (rule.adder and side == arch.C):
                mask |= self.fed(landings, placed.routed.number, side)
        return mask & placed.mask

    # -- loops ----------------------------------------------------------------------------------------------------

    def _turned(self, start: dict[Landing, Mask]) -> dict[Landing, Mask]:
        """All landings that follow from some by at least one step which no switch position avoids."""
        result = dict.fromkeys(self.landings, 0)
        todo: dict[Landing, Mask] = {}

        def leave(landing: Landing, fresh: Mask) -> None:
            for (reader, port), where in self.every[landing].items():
                mask = fresh & where & ~self.self_routing
                if port != arch.C and mask:
                    after = reader, arch.OPPOSITE[port]
                    todo[after] = todo.get(after, 0) | self.plane.shift(mask, port)

        for landing, mask in start.items():
            leave(landing, mask)
        while todo:
            landing, fresh = todo.popitem()
            number, side = landing
            ahead = arch.OPPOSITE[side]
            straight = self.every[landing].get((number, ahead), 0) & ~self.self_routing
            fresh = self.plane.flood(fresh & self.layout, straight, ahead) & self.layout & ~result[landing]
            if fresh:
                result[landing] |= fresh
                leave(landing, fresh)
        return result

    def loops(self) -> Iterator[list[Node]]:
        """Circles of steps that no switch position avoids, in backward order.

        A circle turns: candidates are landings that leave by another port than straight ahead, and of these the
        ones that candidates lead to, until none falls away. Each landing reached from those has a predecessor
        among them, so walking backward ends in a circle.
        """
        kept: dict[Landing, Mask] = {}
        for landing in self.landings:
            number, side = landing
            mask = 0
            for (reader, port), where in self.every[landing].items():
                if port != arch.C and side != arch.C and (reader, port) != (number, arch.OPPOSITE[side]):
                    mask |= where
            if mask & self.layout:
                kept[landing] = mask & self.layout & ~self.self_routing
        reached: dict[Landing, Mask] = {}
        while any(kept.values()):
            reached = self._turned(kept)
            after = {landing: mask & reached[landing] for landing, mask in kept.items()}
            if after == kept:
                break
            kept = after
        seen: set[Node] = set()
        for landing, mask in kept.items():
            for bit in bits(mask):
                circle = self._circle((landing, bit), reached, seen)
                if circle:
                    yield circle

    def _circle(self, node: Node | None, reached: dict[Landing, Mask], seen: set[Node]) -> list[Node]:
        """The circle that a backward walk from a node ends in; empty when an earlier walk has passed there."""
        path: list[Node] = []
        place: dict[Node, int] = {}
        while node is not None and node not in seen:
            seen.add(node)
            place[node] = len(path)
            path.append(node)
            node = self._before(node, reached)
        return path[place[node] :] if node in place else []

    def _before(self, node: Node, reached: dict[Landing, Mask]) -> Node | None:
        """A reached landing on the neighbour from which a step that no switch position avoids leads here."""
        (number, side), bit = node
        from_ = self.plane.step(bit, side)
        for landing in self.landings:
            where = self.every[landing].get((number, arch.OPPOSITE[side]), 0) & reached[landing]
            if from_ >= 0 and where & ~self.self_routing & 1 << from_:
                return landing, from_
        return None
