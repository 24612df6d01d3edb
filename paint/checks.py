"""Checks of the routes of a whole layout (paint.md 6, docs/checks.md): findings with place, tiles, direction.

What is looked at are landings: where wavelets arrive that some core sends (see `paint.walk`). An input that
nothing feeds is reported and then taken as fed, so that one fault does not hide those behind it; everything that
only wavelets from nowhere would reach, such as the rule that keeps a swap's partner from claiming its input, is
left alone. Tiles that route for themselves are neither judged nor trusted: they may feed and take anything. A kernel
that reads its row or column may leave a socket unused on some tiles: what it sends is followed, but that a bound socket
has no route there is no fault (PT610, PT616), and it does not make an error of two streams that meet (PT601).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

from diag.codes import table
from diag.report import Diagnostic, make
from diag.spans import Span
from fabric import arch
from paint.passing import passing_findings
from paint.plane import Mask
from paint.rules import letters
from paint.tiles import TileSet
from paint.walk import SIDES, Landing, Placed, Walk, swaps, takes
from paint.wiring import Finding, Queue, Wiring

MOST_LOOPS = 500  # circles that are looked at for each two numbers
_TOWARD = {"L": "to the left", "R": "to the right", "U": "upward (U)", "D": "downward (D)", "C": "to the core"}
SIDE_WORDS = ("the left", "the right", "above (U)", "below (D)", "the core")


def check(wiring: Wiring) -> list[Finding]:
    """All findings of a layout, by place. Findings of one kind at one place are one, with all their tiles."""
    book = _Book()
    numbers = {r.number for r in wiring.routed} | {q.number for q in wiring.queues}
    for even in sorted({n & ~1 for n in numbers}):
        _Slot(Walk(wiring, even), wiring, book).run()
    return sorted(
        [*book.findings(), *passing_findings(wiring)],
        key=lambda f: (f.span.path, f.span.start, f.code, f.direction, f.tiles.first()),
    )


@dataclass
class _Book:
    """Collects findings; those that differ in their tiles only become one."""

    kept: dict[tuple[object, ...], Finding] = field(default_factory=dict)

    def add(self, found: Finding) -> None:
        notes = tuple((s.path, s.start, text) for s, text in found.notes)
        key = (found.code, found.span, found.direction, found.color, tuple(sorted(found.args.items())), notes)
        known = self.kept.get(key)
        if known:
            known.tiles = known.tiles | found.tiles
        else:
            self.kept[key] = found

    def findings(self) -> list[Finding]:
        return list(self.kept.values())


class _Slot:
    """The checks of one number and its partner."""

    def __init__(self, walk: Walk, wiring: Wiring, book: _Book) -> None:
        self.walk = walk
        self.plane = walk.plane
        self.wiring = wiring
        self.book = book
        self.offered = walk.offered()
        self.sent: dict[Landing, Mask] = {}  # landings of what cores send for sure
        self.sure: dict[Landing, Mask] = {}  # `live` without what a kernel sends on some of its tiles only
        self.live: dict[Landing, Mask] = {}  # the same with the inputs that were reported taken as fed
        self.judged = walk.layout & ~walk.self_routing

    def run(self) -> None:
        self._inputs()
        self._outputs()
        self._adders()
        self._swaps()
        self._cores()
        self._senders()
        self._receivers()
        self._loops()

    def _report(
        self,
        code: str,
        placed: Placed,
        mask: Mask,
        side: int,
        notes: Iterable[tuple[Span, str]] = (),
        **args: object,
    ) -> None:
        r = placed.routed
        self.book.add(
            Finding(
                code,
                r.span,
                self.plane.tiles(mask),
                arch.PORTS[side],
                r.color,
                {"rule": str(r.rule), "number": r.number, **args},
                tuple(notes),
            )
        )

    def _placed(self) -> Iterable[Placed]:
        for n in self.walk.numbers:
            yield from self.walk.rules[n]

    # -- inputs -------------------------------------------------------------------------------------------------

    def _inputs(self) -> None:
        """Inputs that nothing feeds; makes `sent`, `live` and `sure`."""
        walk = self.walk
        sent, certain = dict.fromkeys(walk.landings, 0), dict.fromkeys(walk.landings, 0)
        for sender in walk.senders:
            sent[sender.queue.number, arch.C] |= sender.mask
            certain[sender.queue.number, arch.C] |= sender.mask & ~walk.by_place
        self.sent = walk.reach(certain)
        assumed = dict.fromkeys(walk.landings, 0)
        dry: list[tuple[Placed, Mask]] = []
        for placed in self._placed():
            mask = self._unfed(placed)
            if not mask:
                continue
            if placed.routed.rule.inputs == 1 << arch.C:
                dry.append((placed, mask))
                continue
            sides = placed.routed.rule.inputs
            shown = next(s for s in SIDES if sides >> s & 1)
            self._report("PT606", placed, mask, shown, inputs=letters(sides), s="s" if sides & (sides - 1) else "")
            self._start(assumed, placed, mask)
        self.live = walk.reach(_both(sent, assumed))
        # A core that does not send leaves a rule unused; it is a fault where a core waits for the wavelets.
        goals = dict.fromkeys(walk.numbers, 0)
        for placed in self._placed():
            if placed.routed.rule.outputs >> arch.C & 1:
                goals[placed.routed.number] |= placed.mask & ~self._leaving(placed, arch.C)
        needed = walk.needed({n: goals[n] & walk.receives[n] & self.judged for n in walk.numbers}) if dry else {}
        for placed, mask in dry:
            wanted = mask & walk.fed(needed, placed.routed.number, arch.C)
            if wanted:
                self._report("PT607", placed, wanted, arch.C)
                self._start(assumed, placed, wanted)
        self.live = walk.reach(_both(sent, assumed))
        self.sure = walk.reach(_both(certain, assumed)) if walk.by_place else self.live

    def _unfed(self, placed: Placed) -> Mask:
        """The tiles of a rule with outputs where none of its inputs gets anything."""
        rule, number = placed.routed.rule, placed.routed.number
        if not rule.outputs or not rule.inputs:
            return 0
        mask = placed.mask & self.judged
        for side in SIDES:
            if rule.inputs >> side & 1:
                mask &= ~self.walk.fed(self.offered, number, side)
                if swaps(side, rule):
                    # The partner swaps too and is fed from there: this rule only stays out of its way.
                    partner = number ^ 1
                    both = self.walk.swaps[partner][side] & self.walk.taken[partner][side]
                    mask &= ~(both & self.walk.fed(self.offered, partner, side))
        return mask

    def _start(self, start: dict[Landing, Mask], placed: Placed, mask: Mask) -> None:
        """Takes the inputs of a rule as fed."""
        for side in SIDES:
            if placed.routed.rule.inputs >> side & 1:
                for number, where in self.walk.read_number(placed.routed.number, side):
                    start[number, side] |= mask & where

    # -- outputs ------------------------------------------------------------------------------------------------

    def _outputs(self) -> None:
        """Outputs that lead out of the layout, or to a router that does not take the wavelets in."""
        walk, plane = self.walk, self.plane
        for placed in self._placed():
            number = placed.routed.number
            for port in range(4):
                out = self._leaving(placed, port) & self.judged
                if not out:
                    continue
                side = arch.OPPOSITE[port]
                away = out & ~plane.shift(walk.layout, side)
                if away:
                    self._report("PT602", placed, away, port)
                target = plane.shift(out, port) & self.judged
                own, other = walk.reads(number, number, side), walk.reads(number, number ^ 1, side)
                lost = target & ~(own | other)
                if lost:
                    self._report("PT603", placed, plane.shift(lost, side), port, partner=self._name(number ^ 1, lost))
                for reader, reads in ((number, own), (number ^ 1, other)):
                    stuck = target & reads & ~walk.taken[reader][side] & ~(own & other)
                    if stuck:
                        self._stuck(placed, port, reader, stuck)

    def _leaving(self, placed: Placed, port: int, landings: dict[Landing, Mask] | None = None) -> Mask:
        """Where wavelets leave a rule by a port: what is live, or of the given landings."""
        mask = 0
        for i, p in enumerate(placed.routed.rule.positions):
            if p.outputs >> port & 1:
                mask |= self.walk.live(self.live if landings is None else landings, placed, i)
        return mask

    def _stuck(self, placed: Placed, port: int, reader: int, stuck: Mask) -> None:
        """Wavelets of a rule wait at routers where their reader takes nothing from that side."""
        side = arch.OPPOSITE[port]
        for theirs in self.walk.rules[reader]:
            here = stuck & theirs.mask
            stuck &= ~theirs.mask
            if not here:
                continue
            fed = 0
            for i in range(len(theirs.routed.rule.positions)):
                fed |= self.walk.live(self.sent, theirs, i)
            if self.walk.by_place:
                fed &= self.plane.shift(self._leaving(placed, port, self.sure), port)
            for mask, code in ((here & fed, "PT601"), (here & ~fed, "PT604")):
                if mask:
                    self._report(
                        code,
                        placed,
                        self.plane.shift(mask, side),
                        port,
                        [(theirs.routed.span, f"the router there takes {self._taking(theirs)}")],
                        beyond=SIDE_WORDS[side],
                        inputs=self._taking(theirs),
                    )
        if stuck:
            self._report("PT605", placed, self.plane.shift(stuck, side), port)

    def _taking(self, placed: Placed) -> str:
        rule = placed.routed.rule
        sides = [SIDE_WORDS[s] for s in SIDES if rule.inputs >> s & 1]
        return f"'{placed.routed.color}' from {' and '.join(sides)}" if sides else f"'{placed.routed.color}' from no side"

    def _name(self, number: int, mask: Mask) -> str:
        """The name of a color with a number on some tiles, in quotes, or the number."""
        for placed in self.walk.rules[number]:
            if placed.mask & mask:
                return f"'{placed.routed.color}'"
        return f"color {number}"

    def _adders(self) -> None:
        """Adders whose core sends nothing: each sum waits for its second operand."""
        for placed in self._placed():
            if placed.routed.rule.adder:
                fed = self._leaving(placed, placed.routed.rule.outputs.bit_length() - 1)
                mask = fed & self.judged & ~self.offered[placed.routed.number, arch.C]
                if mask:
                    self._report("PT614", placed, mask, arch.C)

    # -- swaps --------------------------------------------------------------------------------------------------

    def _swaps(self) -> None:
        """Swaps that share a landing with a partner that does not swap, where one of the two does not take it."""
        walk = self.walk
        for placed in self._placed():
            rule, number = placed.routed.rule, placed.routed.number ^ 1
            for side in SIDES:
                if not swaps(side, rule):
                    continue
                shared = placed.mask & self.judged & ~walk.swaps[number][side] & self.live[number, side]
                bad = shared & ~(walk.taken[number][side] & walk.taken[number ^ 1][side])
                if bad:
                    partner = self._name(number, bad)
                    paired = self.wiring.paired.get(placed.routed.color)
                    if paired and partner.startswith("color "):
                        partner = f"'{paired}'"
                    self._report("PT608", placed, bad, side, at=SIDE_WORDS[side], partner=partner)

    # -- cores --------------------------------------------------------------------------------------------------

    def _cores(self) -> None:
        """Wavelets given to a core whose kernel has no receiving socket on the color."""
        for placed in self._placed():
            mask = self._leaving(placed, arch.C) & self.judged & ~self.walk.receives[placed.routed.number]
            if mask:
                self._report("PT609", placed, mask, arch.C)

    def _senders(self) -> None:
        """Sockets that send on a color which nothing takes from the core."""
        walk = self.walk
        for sender in walk.senders:
            q = sender.queue
            mask = sender.mask & self.judged & ~walk.by_place & ~self._by_address(q.number)
            taken = 0
            for reader in walk.numbers:
                taken |= walk.reads(q.number, reader, arch.C) & walk.taken[reader][arch.C]
            self._unrouted("PT610", q, mask & ~taken)

    def _receivers(self) -> None:
        """Sockets that receive on a color which no rule gives to the core."""
        for receiver in self.walk.receivers:
            q = receiver.queue
            mask = receiver.mask & self.judged & ~self.walk.by_place & ~self._by_address(q.number)
            for placed in self.walk.rules[q.number]:
                if placed.routed.rule.outputs >> arch.C & 1:
                    mask &= ~placed.mask
            self._unrouted("PT616", q, mask)

    def _by_address(self, number: int) -> Mask:
        """The tiles where a number is the core's color of a bank, which needs no rule."""
        mask = 0
        for bank, passing in self.wiring.passing.items():
            if number == arch.BANK_CORE_COLOR[bank]:
                mask |= self.plane.mask(passing.tiles)
        return mask

    def _unrouted(self, code: str, q: Queue, mask: Mask) -> None:
        if not mask:
            return
        notes = []
        for placed in self.walk.rules[q.number]:
            if placed.mask & mask:
                notes.append((placed.routed.span, f"its rule there is {placed.routed.rule}"))
                break
        args: dict[str, object] = {"socket": q.socket, "kernel": q.kernel, "number": q.number}
        self.book.add(Finding(code, q.span, self.plane.tiles(mask), "C", q.color, args, tuple(notes)))

    # -- loops --------------------------------------------------------------------------------------------------

    def _loops(self) -> None:
        """Circles that wavelets cannot leave. A circle of swaps alone that nothing enters is left alone: it is what
        remains of a wrapped row without tiles."""
        walk = self.walk
        for circle in islice(walk.loops(), MOST_LOOPS):
            steps = []
            fresh = False
            mask = 0
            for (number, side), bit in reversed(circle):
                mask |= 1 << bit
                fresh |= bool(self.live[number, side] >> bit & 1)
                steps += [
                    placed
                    for placed in self._placed()
                    if placed.mask >> bit & 1
                    and takes(side, placed.routed.rule)
                    and walk.reads(number, placed.routed.number, side) >> bit & 1
                ]
            if not fresh and any(placed.routed.rule.swap_bits for placed in steps):
                continue
            first = min(steps, key=lambda p: (p.routed.span.path, p.routed.span.start))
            notes: dict[Span, str] = {}
            for placed in steps:
                if placed.routed.span != first.routed.span:
                    notes.setdefault(placed.routed.span, f"the circle goes on by {placed.routed.rule}")
            side = next(s for s in range(4) if first.routed.rule.outputs >> s & 1)
            self._report("PT611", first, mask, side, notes.items())


def _both(a: dict[Landing, Mask], b: dict[Landing, Mask]) -> dict[Landing, Mask]:
    return {landing: mask | b[landing] for landing, mask in a.items()}


def tiles_text(tiles: TileSet) -> str:
    """A set of tiles in words, by its first rectangles."""
    boxes = sorted(islice(tiles.boxes(), 100), key=lambda b: (b.y, b.x))
    shown = []
    for b in boxes[:3]:
        if b.w * b.h == 1:
            shown.append(f"({b.x}, {b.y})")
        else:
            shown.append(f"({b.x}, {b.y}) to ({b.x + b.w - 1}, {b.y + b.h - 1})")
    rest = tiles.count() - sum(b.w * b.h for b in boxes[:3])
    if rest:
        shown.append(f"{rest} more")
    text = ", ".join(shown[:-1]) + " and " + shown[-1] if len(shown) > 1 else shown[0]
    return ("tile " if tiles.count() == 1 else "tiles ") + text


def diagnostic(finding: Finding) -> Diagnostic:
    """The message for a finding."""
    args: dict[str, Any] = {
        "color": finding.color,
        "tiles": tiles_text(finding.tiles),
        "direction": _TOWARD.get(finding.direction, ""),
        **finding.args,
    }
    hint, side = table()[finding.code].cure, finding.direction
    if side in _TOWARD:  # the example of a boundary operator names the side that the finding is about
        hint = hint.replace("[C>R|R]", f"[C>{side}|{side}]").replace("[L|L>C]", f"[{side}|{side}>C]")
    if finding.code == "PT608" and not str(args["partner"]).startswith("'"):
        hint += " colorpair(a b) makes a color of the layout the partner."
    return make(finding.code, finding.span, notes=finding.notes, hint=hint, **args)
