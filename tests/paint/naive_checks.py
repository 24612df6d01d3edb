"""The checks of paint.md 6 once more, tile by tile and wavelet by wavelet, as a reference for small fabrics."""

from __future__ import annotations

from collections.abc import Iterator

from paint.rules import Rule
from paint.wiring import Routed, Wiring

STEP = {"L": (-1, 0), "R": (1, 0), "U": (0, 1), "D": (0, -1)}
BACK = {"L": "R", "R": "L", "U": "D", "D": "U"}
SIDES = "LRUDC"
Tile = tuple[int, int]
Landing = tuple[Tile, int, str]  # tile, number, side


def ports(mask: int) -> list[str]:
    return [p for i, p in enumerate(SIDES) if mask >> i & 1]


class Naive:
    def __init__(self, wiring: Wiring, size: int) -> None:
        every = [(x, y) for x in range(size) for y in range(size)]
        self.tiles = [t for t in every if wiring.tiles.has(*t)]
        self.rules: dict[tuple[Tile, int], Routed] = {}
        for r in wiring.routed:
            for t in every:
                if r.tiles.has(*t):
                    assert (t, r.number) not in self.rules
                    self.rules[t, r.number] = r
        self.sends = {(t, q.number): q for q in wiring.queues if q.sends for t in every if q.tiles.has(*t)}
        self.receives = {(t, q.number) for q in wiring.queues if not q.sends for t in every if q.tiles.has(*t)}
        self.alone = {t for t in every if wiring.self_routing.has(*t)}
        self.by_place = {t for t in every if wiring.by_place.has(*t)}
        self.receivers = {(t, q.number): q for q in wiring.queues if not q.sends for t in every if q.tiles.has(*t)}

    def rule(self, t: Tile, n: int) -> Rule | None:
        found = self.rules.get((t, n))
        return found.rule if found else None

    def swapped(self, t: Tile, n: int, side: str) -> bool:
        rule = self.rule(t, n)
        return rule is not None and side in {">": "", "H": "LR", "V": "UD", "X": "LRUDC"}[rule.swap]

    def readers(self, t: Tile, n: int, side: str) -> list[int]:
        """The colors that read wavelets of n from a side: each reads the number in its hands."""
        return [m for m in (n, n ^ 1) if (m ^ 1 if self.swapped(t, m, side) else m) == n]

    def takes(self, t: Tile, n: int, side: str) -> bool:
        rule = self.rule(t, n)
        return rule is not None and any(side in ports(p.inputs) for p in rule.positions)

    def steps(self, landing: Landing, every: bool = False) -> Iterator[tuple[int, str]]:
        """(number, port) by which a landing may leave; by which it leaves in every position, if `every`."""
        t, n, side = landing
        for m in self.readers(t, n, side):
            rule = self.rule(t, m)
            sets = [set(ports(p.outputs)) for p in rule.positions if side in ports(p.inputs)] if rule else []
            if sets:
                for port in set.intersection(*sets) if every else set.union(*sets):
                    yield m, port

    def beside(self, t: Tile, port: str) -> Tile:
        return t[0] + STEP[port][0], t[1] + STEP[port][1]

    def follow(self, start: set[Landing]) -> set[Landing]:
        seen: set[Landing] = set()
        todo = list(start)
        while todo:
            landing = todo.pop()
            if landing in seen or landing[0] not in self.tiles:
                continue
            seen.add(landing)
            todo += [(self.beside(landing[0], p), m, BACK[p]) for m, p in self.steps(landing) if p != "C"]
        return seen

    def gets(self, landings: set[Landing], t: Tile, n: int, side: str) -> bool:
        number = n ^ 1 if self.swapped(t, n, side) else n
        return (t, number, side) in landings

    def comes_by(self, landings: set[Landing], t: Tile, n: int, port: str) -> bool:
        """Whether wavelets leave the rule of n at t by a port."""
        rule = self.rule(t, n)
        assert rule is not None
        return any(
            port in ports(p.outputs) and any(self.gets(landings, t, n, s) for s in ports(p.inputs))
            for p in rule.positions
        )

    def findings(self) -> set[tuple[str, str, str, Tile]]:
        """(code, number or socket, direction, tile)."""
        found: set[tuple[str, str, str, Tile]] = set()
        offered: set[Landing] = {(t, n, "C") for t, n in self.sends}
        for (t, n), r in self.rules.items():
            offered |= {(self.beside(t, p), n, BACK[p]) for p in ports(r.rule.outputs) if p != "C"}
        for t in self.alone:
            offered |= {(self.beside(t, p), n, BACK[p]) for p in STEP for n in range(24)}
        sent = self.follow({(t, n, "C") for t, n in self.sends if t not in self.by_place})
        start = {(t, n, "C") for t, n in self.sends}

        def assume(t: Tile, n: int) -> None:
            rule = self.rule(t, n)
            assert rule is not None
            for s in ports(rule.inputs):
                start.add((t, n ^ 1 if self.swapped(t, n, s) else n, s))

        dry = []
        for (t, n), r in self.rules.items():
            inputs = ports(r.rule.inputs)
            if t in self.alone or not inputs or not r.rule.outputs:
                continue
            if any(self.gets(offered, t, n, s) for s in inputs):
                continue
            partner = n ^ 1
            if any(
                self.swapped(t, n, s)
                and self.swapped(t, partner, s)
                and self.takes(t, partner, s)
                and self.gets(offered, t, partner, s)
                for s in inputs
            ):
                continue
            if inputs == ["C"]:
                dry.append((t, n))
            else:
                found.add(("PT606", str(n), inputs[0], t))
                assume(t, n)
        live = self.follow(start)
        for t, n in dry:
            number = n ^ 1 if self.swapped(t, n, "C") else n
            ends = self.follow({(t, number, "C")})
            if any(
                m_port == "C" and (e[0], m) in self.receives and e[0] not in self.alone and not self.comes_by(live, e[0], m, "C")
                for e in ends
                for m, m_port in self.steps(e)
            ):
                found.add(("PT607", str(n), "C", t))
                assume(t, n)
        live = self.follow(start)
        sure = self.follow(start - {(t, n, "C") for t, n in self.sends if t in self.by_place})
        for (t, n), _ in self.rules.items():
            if t in self.alone:
                continue
            for port in STEP:
                if self.comes_by(live, t, n, port):
                    code = self.arrival(self.beside(t, port), n, BACK[port], sent if self.comes_by(sure, t, n, port) else set())
                    if code:
                        found |= {(c, str(n), port, t) for c in code}
            if self.comes_by(live, t, n, "C") and (t, n) not in self.receives:
                found.add(("PT609", str(n), "C", t))
            for s in SIDES:
                if (
                    self.swapped(t, n, s)
                    and not self.swapped(t, n ^ 1, s)
                    and (t, n ^ 1, s) in live
                    and not (self.takes(t, n, s) and self.takes(t, n ^ 1, s))
                ):
                    found.add(("PT608", str(n), s, t))
        for (t, n), q in self.receivers.items():
            rule = self.rule(t, n)
            if t not in self.alone | self.by_place and not (rule and "C" in ports(rule.outputs)):
                found.add(("PT616", q.socket, "C", t))
        for (t, n), q in self.sends.items():
            if t not in self.alone | self.by_place and not any(self.takes(t, m, "C") for m in self.readers(t, n, "C")):
                found.add(("PT610", q.socket, "C", t))
        return found

    def arrival(self, t: Tile, n: int, side: str, sent: set[Landing]) -> set[str]:
        """What is wrong with wavelets of n that come to a tile from a side."""
        if t not in self.tiles:
            return {"PT602"}
        if t in self.alone:
            return set()
        readers = self.readers(t, n, side)
        if not readers:
            return {"PT603"}
        if len(readers) == 2:
            return set()  # the business of PT608
        m = readers[0]
        if self.takes(t, m, side):
            return set()
        rule = self.rule(t, m)
        if rule is None:
            return {"PT605"}
        if any(self.gets(sent, t, m, s) for s in ports(rule.inputs)):
            return {"PT601"}
        return {"PT604"}

    def circling(self) -> tuple[dict[Landing, set[Landing]], set[Landing]]:
        """The steps that no switch position avoids, and the landings that lie on a circle of them."""
        import networkx

        edges: dict[Landing, set[Landing]] = {}
        for t in self.tiles:
            if t in self.alone:
                continue
            for n in {n for _, n in self.rules} | {n ^ 1 for _, n in self.rules}:
                for s in STEP:
                    edges[t, n, s] = {
                        (self.beside(t, p), m, BACK[p])
                        for m, p in self.steps((t, n, s), every=True)
                        if p != "C" and self.beside(t, p) in self.tiles and self.beside(t, p) not in self.alone
                    }
        graph = networkx.DiGraph((a, b) for a, after in edges.items() for b in after)
        inside = {x for part in networkx.strongly_connected_components(graph) for x in part if len(part) > 1}
        return edges, inside
