"""Which colors meet: from the classes of a layout to the solver's problem (paint.md 4).

Two colors meet on a tile that holds both: by a rule, a bound socket, a message-passing bank, or as the partner
that a swap reads. And they meet where a wavelet of one can reach a router on which the other has a rule: an output
of a rule in one class leads to the classes beyond that port. One hop is enough, since a wavelet goes further only
through a rule of its own color, or of the color that a swap makes of it, which has a rule there too.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from fabric import arch
from paint.flatten import Layout, TileClass
from paint.problem import ColorInfo, ColorProblem, Held, Meeting, Pair, TileUse
from paint.regions import Painted
from paint.tiles import TileSet
from paint.values import Color

_ALL = frozenset(range(arch.COLORS))


@dataclass
class _Uses:
    """What holds colors on one class of tiles. `routed` are those that a router reads or forwards there."""

    held: dict[str, Held] = field(default_factory=dict)
    routed: dict[str, Held] = field(default_factory=dict)

    def add(self, key: str, held: Held, routed: bool) -> None:
        self.held.setdefault(key, held)
        if routed:
            self.routed.setdefault(key, held)


def problem(layout: Layout) -> ColorProblem:
    """The solver's problem for a layout. Colors that nothing holds are left out, unless a pair ties them to one
    that is held."""
    partners = _Partners(layout)
    uses = [_uses(c, partners) for c in layout.classes]
    made = ColorProblem()
    held = {key for u in uses for key in u.held}
    while True:
        more = {k for p in partners.pairs for k in (p.a, p.b) if p.a in held or p.b in held}
        if more <= held:
            break
        held |= more
    made.pairs = [p for p in partners.pairs if p.a in held]
    infos = _infos(layout)
    made.colors = {c.key: infos[c.key] for c in layout.colors if c.key in held}
    for info in partners.anonymous.values():
        made.colors[info.key] = info
    for c, u in zip(layout.classes, uses, strict=True):
        if u.held:
            made.usage.append(TileUse(c.tiles.first_box, c.tiles.total, u.held))
            _meet_on_tiles(made, c, u)
    for a, port, b in layout.adjacency:
        _meet_by_reach(made, layout, a, port, b, uses)
    return made


def _uses(c: TileClass, partners: _Partners) -> _Uses:
    uses = _Uses()
    for color, painted in c.rules.items():
        uses.add(color.key, Held(f"rule {painted.rule}", painted.span), True)
    if c.code is not None:
        places = dict(c.code.places)
        for name, color in c.code.sockets:
            uses.add(color.key, Held(f"socket '{name}' of kernel '{c.code.kernel}'", places[name]), False)
    for number, passing in c.banks.items():
        for key in partners.banks[number]:
            uses.add(key, Held(f"bank {number}", passing.span), True)
    for color, painted in c.rules.items():
        if painted.rule.swap_bits:
            key = partners.of(color, painted, uses.held)
            uses.add(
                key,
                Held(f"the swap of '{color.name}', whose rule {painted.rule} reads it", painted.span),
                True,
            )
    return uses


class _Partners:
    """The partner color of each color that swaps: from colorpair, else by the numbers of pins, else one of its
    own, so that nobody else gets the number that the swap reads."""

    def __init__(self, layout: Layout) -> None:
        self.pairs: list[Pair] = []
        self.anonymous: dict[str, ColorInfo] = {}
        self.declared: dict[str, list[str]] = {}
        self.pinned = {c.pinned: c.key for c in layout.colors if c.pinned is not None and c.bank is None}
        self.banks: dict[int, list[str]] = {}
        for c in layout.colors:
            if c.bank is not None:
                self.banks.setdefault(c.bank, []).append(c.key)
        seen: set[tuple[str, str]] = set()
        for p in layout.pairs:
            a, b = sorted((p.a.key, p.b.key))
            if (a, b) not in seen:
                seen.add((a, b))
                self.pairs.append(Pair(a, b, Held(f"colorpair({p.a.name} {p.b.name})", p.span)))
                self.declared.setdefault(a, []).append(b)
                self.declared.setdefault(b, []).append(a)

    def of(self, color: Color, painted: Painted, present: dict[str, Held]) -> str:
        declared = self.declared.get(color.key, [])
        if declared:
            return next((k for k in declared if k in present), declared[0])
        if color.pinned is not None and color.pinned ^ 1 in self.pinned:
            return self.pinned[color.pinned ^ 1]
        if color.key not in self.anonymous:
            key = f"{color.key}^1"
            pin = None if color.pinned is None else color.pinned ^ 1
            swap = Held(f"rule {painted.rule} of '{color.name}', which swaps", painted.span)
            allowed = _ALL if pin is None else frozenset([pin])
            name = f"the partner of '{color.name}'"
            self.anonymous[color.key] = ColorInfo(
                key, name, color.span, allowed, pin, (swap,) if pin is not None else ()
            )
            self.pairs.append(Pair(color.key, key, swap))
        return self.anonymous[color.key].key


def _infos(layout: Layout) -> dict[str, ColorInfo]:
    """What each color demands of its number alone."""
    switches: dict[Color, Painted] = {}
    adders: dict[Color, Painted] = {}
    for c in layout.classes:
        for color, painted in c.rules.items():
            if painted.rule.switches:
                switches.setdefault(color, painted)
            if painted.rule.adder:
                adders.setdefault(color, painted)
    infos: dict[str, ColorInfo] = {}
    for color in layout.colors:
        allowed = _ALL
        demands: list[Held] = []
        if color.pinned is not None:
            allowed = frozenset([color.pinned])
            what = f"bank({color.bank})" if color.bank is not None else f"color({color.pinned})"
            demands.append(Held(what, color.span))
        if color in switches:
            allowed &= arch.SWITCHABLE
            demands.append(Held(f"rule {switches[color].rule}, which switches", switches[color].span))
        if color in adders:
            allowed &= {arch.ADDER_COLOR}
            demands.append(
                Held(f"rule {adders[color].rule}, whose adder only color 10 has", adders[color].span)
            )
        infos[color.key] = ColorInfo(color.key, color.name, color.span, allowed, color.pinned, tuple(demands))
    return infos


def _apart(made: ColorProblem, a: str, b: str) -> bool:
    """Whether two colors have different numbers whatever happens."""
    x, y = made.colors[a].pinned, made.colors[b].pinned
    return x is not None and y is not None and x != y


def _meet_on_tiles(made: ColorProblem, c: TileClass, uses: _Uses) -> None:
    keys = sorted(uses.held)
    for i, a in enumerate(keys):
        for b in keys[i + 1 :]:
            if not _apart(made, a, b):
                _meeting(made, a, b, "tile", c.tiles, uses.held[a], uses.held[b], "", "")


def _meet_by_reach(made: ColorProblem, layout: Layout, a: int, port: int, b: int, uses: list[_Uses]) -> None:
    border: TileSet | None = None
    for color, painted in layout.classes[a].rules.items():
        if not painted.rule.outputs >> port & 1:
            continue
        for other, held in uses[b].routed.items():
            if other == color.key or _apart(made, color.key, other):
                continue
            if border is None:
                border = layout.border(a, port, b)
            mine = uses[a].held[color.key]
            _meeting(made, color.key, other, "reach", border, mine, held, color.key, arch.PORTS[port])


def _meeting(
    made: ColorProblem,
    a: str,
    b: str,
    how: str,
    tiles: TileSet,
    held_a: Held,
    held_b: Held,
    sender: str,
    toward: str,
) -> None:
    if a > b:
        a, b, held_a, held_b = b, a, held_b, held_a
    known = made.meetings.get((a, b))
    box, n = tiles.first_box, tiles.total
    if known is None or (known.how == "reach" and how == "tile"):
        made.meetings[a, b] = Meeting(a, b, how, box, n, held_a, held_b, sender, toward)
    elif known.how == how and known.box != box:
        made.meetings[a, b] = replace(known, tiles=known.tiles + n)
