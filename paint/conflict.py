"""The words for a set of colors that cannot be numbered together (PT500-PT520, docs/colors.md).

Every message names the colors, the tiles where they meet and what holds each of them; every color has a note at
the place that holds it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from functools import cached_property
from itertools import combinations
from typing import TYPE_CHECKING

from diag.report import Diagnostic, make
from diag.spans import Span
from fabric import arch
from paint.problem import ColorInfo, ColorProblem, Held, Meeting, Pair, TileUse
from paint.tiles import Box

if TYPE_CHECKING:
    from paint.colors import Failure

_TOWARD = {"L": "to the left", "R": "to the right", "U": "upward (U)", "D": "downward (D)", "C": "to the core"}
_MOST = 4  # partners that the note of one color names
_MANY = 10  # colors without a number that PT520 names


def listing(words: Sequence[str]) -> str:
    """"a", "a and b", "a, b and c"."""
    return words[0] if len(words) == 1 else ", ".join(words[:-1]) + " and " + words[-1] if words else "none"


def numbers_text(numbers: Collection[int]) -> str:
    """Ranges of numbers: "0-9, 12, 13"."""
    parts: list[str] = []
    ordered = sorted(numbers)
    while ordered:
        first = last = ordered.pop(0)
        while ordered and ordered[0] == last + 1:
            last = ordered.pop(0)
        parts += [f"{first}-{last}"] if last > first + 1 else [str(n) for n in range(first, last + 1)]
    return ", ".join(parts) if parts else "no number"


def place_text(box: Box, tiles: int) -> str:
    """A set of `tiles` tiles of which `box` is a rectangle."""
    if box.w * box.h == 1:
        text = f"tile ({box.x}, {box.y})"
    else:
        text = f"tiles ({box.x}, {box.y}) to ({box.x + box.w - 1}, {box.y + box.h - 1})"
    more = tiles - box.w * box.h
    return text + (f" and {more} more" if more > 0 else "")


class _Set:
    """A set of colors of a problem, with what ties them to each other."""

    def __init__(self, problem: ColorProblem, keys: Sequence[str]) -> None:
        self.problem = problem
        self.keys = list(keys)
        inside = set(keys)
        self.infos: dict[str, ColorInfo] = {k: problem.colors[k] for k in keys}
        self.meetings: dict[tuple[str, str], Meeting] = {}
        for a, b in combinations(keys, 2):
            meeting = problem.meetings.get((min(a, b), max(a, b)))
            if meeting:
                self.meetings[a, b] = self.meetings[b, a] = meeting
        self.pairs: list[Pair] = []
        seen: set[frozenset[str]] = set()
        for pair in problem.pairs:
            both = frozenset((pair.a, pair.b))
            if both <= inside and both not in seen:
                seen.add(both)
                self.pairs.append(pair)
        self.names = Counter(info.name for info in self.infos.values())

    @cached_property
    def tile(self) -> TileUse | None:
        """Tiles that hold all colors of the set, the largest such class."""
        whole = [use for use in self.problem.usage if all(k in use.colors for k in self.keys)]
        return max(whole, key=lambda use: use.tiles) if whole else None

    @property
    def clique(self) -> bool:
        """Whether all colors meet; two with different pins have no meeting, but may share a tile."""
        return self.tile is not None or all((a, b) in self.meetings for a, b in combinations(self.keys, 2))

    def label(self, key: str) -> str:
        """'c', with the line of its definition where two colors of the set have one name. Colors that the user
        did not name have descriptions for names, which stand without quotes."""
        info = self.infos[key]
        if self.names[info.name] == 1:
            return f"'{info.name}'" if info.name.replace("_", "a").isalnum() else info.name
        twins = [i.span for i in self.infos.values() if i.name == info.name and i.span]
        if info.span and len({(s.path, s.start) for s in twins}) == self.names[info.name]:
            return f"'{info.name}' (line {info.span.line})"
        return f"'{info.name}' ({key})"

    def labels(self, keys: Iterable[str]) -> str:
        """A list of labels, in which colors that a `define` made at one place are counted together."""
        alike: dict[object, list[str]] = {}
        for key in keys:
            info = self.infos[key]
            place = (info.span.path, info.span.start) if info.span else None
            alike.setdefault((info.name, place) if self.names[info.name] > 1 else key, []).append(key)
        return listing(
            [
                self.label(same[0]) if len(same) == 1 else f"{len(same)} named '{self.infos[same[0]].name}'"
                for same in alike.values()
            ]
        )

    def held(self, key: str) -> Held | None:
        """What holds a color where it meets another of the set, else where it is used first."""
        if self.tile:
            return self.tile.colors[key]
        for other in self.keys:
            meeting = self.meetings.get((key, other))
            if meeting:
                return meeting.held_a if meeting.a == key else meeting.held_b
        return next((use.colors[key] for use in self.problem.usage if key in use.colors), None)

    def meeting_text(self, a: str, b: str) -> str:
        """Where and how two colors meet."""
        meeting = self.meetings[a, b]
        where = place_text(meeting.box, meeting.tiles)
        if meeting.how == "tile":
            return f"they meet on {where}"
        toward = _TOWARD.get(meeting.toward, meeting.toward)
        other = b if meeting.sender == a else a
        return (
            f"a wavelet of {self.label(meeting.sender)} leaves {where} {toward} and reaches a router "
            f"where {self.label(other)} has a rule"
        )

    def notes(self) -> list[tuple[Span, str]]:
        """The notes of all colors, then those of the pairs."""
        return self.color_notes(self.keys) + self.pair_notes()

    def pair_notes(self, skip: Span | None = None) -> list[tuple[Span, str]]:
        """One note a pair, at what makes it one; `skip` is the place that the message itself shows."""
        return [
            (p.held.span, f"{self.label(p.a)} and {self.label(p.b)} are a pair by {p.held.what}")
            for p in self.pairs
            if p.held.span and p.held.span != skip
        ]

    def color_notes(self, keys: Iterable[str]) -> list[tuple[Span, str]]:
        """For each color what holds it, with its demands and the colors that it meets; one note a place."""
        said: dict[tuple[Span, str], list[str]] = {}
        for key in keys:
            info = self.infos[key]
            held = self.held(key)
            span = (held.span if held else None) or info.span
            what = f"held by {held.what}" if held else "defined here"
            for demand in info.demands:
                pin = info.pinned is not None and demand.span == info.span
                text = f"pinned to {info.pinned}" if pin else demand.what
                here = span and demand.span and (demand.span.path, demand.span.line) == (span.path, span.line)
                if pin and held and held.what.startswith("bank"):
                    continue
                if here and held and text.startswith(held.what):
                    what = f"held by {text}"
                elif here:
                    what += f" and {text}"
                elif demand.span:
                    by = text if pin else f"held by {text}"
                    said.setdefault((demand.span, by), []).append(key)
            near = [k for k in self.keys if (key, k) in self.meetings]
            if near and not self.tile and len(self.keys) > 2:
                shown = [f"{self.label(k)} on {self._spot(key, k)}" for k in near[:_MOST]]
                more = [f"{len(near) - _MOST} more"] if len(near) > _MOST else []
                what += "; it meets " + listing(shown + more)
            if span:
                said.setdefault((span, what), []).append(key)
        return [
            (span, f"{self.labels(who)} {'is' if len(who) == 1 else 'are'} {what}") for (span, what), who in said.items()
        ]

    def _spot(self, a: str, b: str) -> str:
        meeting = self.meetings[a, b]
        reach = "" if meeting.how == "tile" else f" (a wavelet of {self.label(meeting.sender)} arrives there)"
        return place_text(meeting.box, meeting.tiles) + reach

    def span(self, key: str) -> Span | None:
        """The place of a message about a color: its definition, else what holds it."""
        held = self.held(key)
        return self.infos[key].span or (held.span if held else None)


def explain(problem: ColorProblem, failure: Failure) -> Diagnostic:
    """The message for one failure of `paint.colors.number`."""
    if not failure.decided:
        return _undecided(problem, failure)
    group = _Set(problem, failure.keys)
    for form in (_alone, _two, _tied, _besieged, _crowd):
        found = form(group)
        if found:
            return found
    return _mixed(group, failure.minimal)


def _alone(group: _Set) -> Diagnostic | None:
    """One color whose demands exclude each other."""
    if len(group.keys) > 1 or group.pairs:
        return None
    key = group.keys[0]
    info = group.infos[key]
    return make(
        "PT502",
        info.span,
        notes=[(d.span, f"{group.label(key)} is held by {d.what}") for d in info.demands if d.span],
        hint="use two colors, one for each demand",
        name=group.label(key),
        demands="; ".join(d.what for d in info.demands),
    )


def _two(group: _Set) -> Diagnostic | None:
    """Two colors: one number for both, or a pair whose numbers are no partners."""
    if len(group.keys) != 2:
        return None
    a, b = group.keys
    one, two = group.infos[a], group.infos[b]
    if group.pairs and not any(n ^ 1 in two.allowed for n in one.allowed):
        pair = group.pairs[0]
        return make(
            "PT506",
            pair.held.span or two.span,
            notes=group.color_notes(group.keys),
            hint="the partner of a number n is the one that differs in the lowest bit: 0 and 1, 2 and 3, and so on",
            a=group.label(a),
            b=group.label(b),
            m=numbers_text(one.allowed),
            n=numbers_text(two.allowed),
        )
    if (a, b) in group.meetings and one.allowed == two.allowed and len(one.allowed) == 1:
        pinned = one.pinned is not None and two.pinned is not None
        return make(
            "PT503",
            group.span(b),
            notes=group.notes(),
            hint="pin one of them to another number, or leave its pin out"
            if pinned
            else "let them not meet, or use one color for both",
            a=group.label(a),
            b=group.label(b),
            held="are both pinned to" if pinned else "can both only have",
            number=min(one.allowed),
            meeting=group.meeting_text(a, b),
        )
    return None


def _besieged(group: _Set) -> Diagnostic | None:
    """One color whose numbers are all taken by others that have no choice."""
    free = [k for k in group.keys if len(group.infos[k].allowed) > 1]
    if len(free) != 1 or group.pairs or len(group.keys) < 2:
        return None
    others = [k for k in group.keys if k != free[0]]
    taken = [(min(group.infos[k].allowed), group.infos[k].name, group.label(k)) for k in others]
    return make(
        "PT501",
        group.span(free[0]),
        notes=group.notes(),
        hint="leave a pin out, or take the color off a tile where it meets one of them",
        name=group.label(free[0]),
        numbers=numbers_text(group.infos[free[0]].allowed),
        taken=listing([label if name == f"color({n})" else f"{label} ({n})" for n, name, label in sorted(taken)]),
    )


def _tied(group: _Set) -> Diagnostic | None:
    """Colors that the pairs alone tie together: a circle of odd length, or two partners of one color that meet."""
    near: dict[str, list[str]] = {k: [] for k in group.keys}
    for pair in group.pairs:
        near[pair.a].append(pair.b)
        near[pair.b].append(pair.a)
    if not group.pairs or not all(near.values()):
        return None
    side = {group.keys[0]: 0}
    queue = [group.keys[0]]
    odd = False
    for key in queue:
        for other in near[key]:
            if other not in side:
                side[other] = 1 - side[key]
                queue.append(other)
            odd |= side[other] == side[key]
    if len(side) < len(group.keys):
        return None
    last = group.pairs[-1].held.span or group.span(group.keys[-1])
    notes = group.pair_notes(last)
    if odd:
        return make("PT508", last, notes=notes, colors=group.labels(group.keys))
    for a, b in combinations(group.keys, 2):
        if side[a] == side[b] and (a, b) in group.meetings:
            middle = [k for k in group.keys if a in near[k] and b in near[k]]
            if middle:
                why = f"color {group.label(middle[0])} is in two pairs, with {group.labels([a, b])}, so these"
            else:
                why = f"the pairs among {group.labels(group.keys)} tie {group.labels([a, b])}, so they"
            return make(
                "PT507",
                last,
                notes=notes + group.color_notes([a, b]),
                hint="a number has one partner; use two colors in place of the one that is in two pairs",
                why=why,
                meeting=group.meeting_text(a, b),
            )
    return make(
        "PT509",
        last,
        notes=notes + group.color_notes(group.keys),
        colors=group.labels(group.keys),
        numbers="; ".join(f"{group.label(k)} can have {numbers_text(i.allowed)}" for k, i in group.infos.items()),
    )


def _crowd(group: _Set) -> Diagnostic | None:
    """Colors that all meet and are more than the numbers left for them."""
    count = len(group.keys)
    if count < 2 or not group.clique:
        return None
    union: set[int] = set()
    for info in group.infos.values():
        union |= info.allowed
    tile = group.tile
    where = (
        f"are all used on {place_text(tile.box, tile.tiles)}" if tile else "all meet each other, two by two"
    )
    last = group.keys[-1]
    args = {"count": count, "where": where, "colors": group.labels(group.keys)}
    notes = group.notes()
    if len(union) < count:
        if len(union) == arch.COLORS:
            hint = "use one color for what can share it, or message passing; colors on tiles apart share numbers"
            return make("PT510", group.span(last), notes=notes, hint=hint, **args)
        if union == arch.SWITCHABLE and not any(i.pinned is not None for i in group.infos.values()):
            hint = "switching rules need 0-9, 12, 13, 16, 17, 20 or 21; give some of them one position"
            return make("PT511", group.span(last), notes=notes, hint=hint, **args)
        return make(
            "PT512",
            group.span(last),
            notes=notes,
            hint="loosen what holds one of them: a pin, a switching rule, a bank",
            left=len(union),
            numbers=numbers_text(union),
            **args,
        )
    if group.pairs:
        hint = "a pair takes two numbers that differ in the lowest bit; fewer pairs, pins or switching rules help"
        return make("PT513", group.span(last), notes=notes, hint=hint, pairs=len(group.pairs), **args)
    return None


def _mixed(group: _Set, minimal: bool) -> Diagnostic:
    """Any other set."""
    hint = "without any one of them the others have numbers; take one of these colors off a tile where it meets others"
    if not minimal:
        hint = "the solver's budget ended before it knew whether all of these colors are needed for the contradiction"
    return make(
        "PT514",
        group.span(group.keys[-1]),
        notes=group.notes(),
        hint=hint,
        count=len(group.keys),
        colors=group.labels(group.keys),
    )


def _undecided(problem: ColorProblem, failure: Failure) -> Diagnostic:
    """The budget ended."""
    group = _Set(problem, failure.keys)
    left = [k for k in failure.keys if k not in failure.numbers]
    shown = left[:_MANY]
    where = [(i.span, f"{group.label(k)} has no number yet") for k, i in group.infos.items() if k in shown and i.span]
    return make(
        "PT520",
        group.span(left[0] if left else failure.keys[0]),
        notes=where[1:],
        hint="fewer colors a tile, or pins for some of the colors above, make the search easier",
        nodes=failure.nodes,
        count=len(failure.keys),
        found=len(failure.numbers),
        left=listing([*map(group.label, shown), *([f"{len(left) - _MANY} more"] if len(left) > _MANY else [])]),
    )
