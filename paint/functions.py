"""The functions of the language, each as `f(world, call, args) -> value`; a directive `r : f(…)` is f(r …).

Arguments come evaluated and without placeholders; each function takes what it needs through the readers below,
which raise UserError with the argument's own place when it is of the wrong kind.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from diag.report import Reporter, UserError, fail
from diag.spans import Span
from fabric import arch
from paint import ast
from paint.regions import NOTHING, Code, Painted, Passing, Region, overlay, stack
from paint.rules import Rule, Template
from paint.tiles import TileSet, union
from paint.values import (
    Bank,
    Color,
    Element,
    ListValue,
    Range,
    RuleValue,
    Symbol,
    Value,
    kind,
    shown,
    spelled,
)

# No fabric comes near this; it keeps a slip like rect(0 0 1000000000 1) from filling the memory.
LIMIT = 1 << 16


@dataclass(frozen=True)
class Arg:
    value: Value
    span: Span


@dataclass(frozen=True)
class PairDemand:
    """A colorpair(a b) directive."""

    a: Color
    b: Color
    span: Span


@dataclass
class World:
    """What the functions share: the colors made so far, the pairs demanded, where to report."""

    reporter: Reporter
    colors: list[Color] = field(default_factory=list)
    pairs: list[PairDemand] = field(default_factory=list)
    pinned: dict[int, Color] = field(default_factory=dict)
    banks: dict[int, Bank] = field(default_factory=dict)
    _keys: set[str] = field(default_factory=set)

    def key(self, name: str) -> str:
        """A key that no color has, made of a name."""
        key, n = name, 1
        while key in self._keys:
            n += 1
            key = f"{name}#{n}"
        self._keys.add(key)
        return key

    def new_color(self, span: Span, name: str, pinned: int | None = None, bank: int | None = None) -> Color:
        color = Color(self.key(name), name, span, pinned, bank)
        self.colors.append(color)
        return color

    def baptise(self, color: Color, name: str) -> None:
        """`let name = color()`: the first name given is the color's name in messages and in the map of colors."""
        if not color.named:
            self._keys.discard(color.key)
            color.key, color.name, color.named = self.key(name), name, True


# -- readers of arguments ---------------------------------------------------------------------------------------


def wrong(call: ast.Call, arg: Arg, what: str, hint: str | None = None) -> UserError:
    hint = hint or spelled(arg.value, arg.span)
    return fail("PT027", arg.span, function=call.name, what=what, kind=kind(arg.value), hint=hint)


def region(call: ast.Call, arg: Arg) -> Region:
    if not isinstance(arg.value, Region):
        raise wrong(call, arg, "a region")
    return arg.value


def number(call: ast.Call, arg: Arg) -> int | float:
    if not isinstance(arg.value, int | float):
        raise wrong(call, arg, "a number")
    return arg.value


def integer(call: ast.Call, arg: Arg, what: str, low: int | None = None) -> int:
    value = number(call, arg)
    if value != value or value in (float("inf"), float("-inf")) or value != int(value):
        hint = "`//` divides and rounds down" if "/" in arg.span.text else None
        raise fail("PT033", arg.span, what=what, value=value, hint=hint)
    if low is not None and value < low:
        raise fail("PT034", arg.span, what=what, value=shown(int(value)), low=low, function=call.name)
    return int(value)


def color_of(call: ast.Call, arg: Arg) -> Color:
    value = arg.value
    if isinstance(value, Color):
        return value
    hint = None
    if isinstance(value, Bank):
        hint = "color(bank) is a bank's core color"
    elif isinstance(value, int) and 0 <= value < arch.COLORS:
        hint = f"color({value}) is the color with that number"
    raise wrong(call, arg, "a color", hint)


def symbol(call: ast.Call, arg: Arg, what: str, hint: str) -> str:
    if not isinstance(arg.value, Symbol):
        raise wrong(call, arg, what, hint)
    return arg.value.text


def sized(call: ast.Call, made: Region) -> Region:
    """The region, unless it leaves the plane on which regions are kept."""
    t = made.tiles
    if t and (min(t.x, t.y) < -LIMIT or max(t.x + t.w, t.y + t.h) > LIMIT):
        raise _too_large(call, t.w, t.h, t.x, t.y)
    return made


def _too_large(call: ast.Call, w: int, h: int, x: int, y: int) -> UserError:
    return fail("PT040", call.span, function=call.name, w=shown(w), h=shown(h), x=shown(x), y=shown(y))


# -- regions ----------------------------------------------------------------------------------------------------


def _tile(world: World, call: ast.Call, args: Sequence[Arg]) -> Value:
    return Region(TileSet.box(0, 0, 1, 1))


def _rect(world: World, call: ast.Call, args: Sequence[Arg]) -> Value:
    x, y = integer(call, args[0], "x"), integer(call, args[1], "y")
    w, h = integer(call, args[2], "the width", 0), integer(call, args[3], "the height", 0)
    if min(x, y) < -LIMIT or max(x + w, y + h) > LIMIT:
        raise _too_large(call, w, h, x, y)
    return Region(TileSet.box(x, y, w, h))


def _stacked(axis: str) -> Callable[[World, ast.Call, Sequence[Arg]], Value]:
    def make(world: World, call: ast.Call, args: Sequence[Arg]) -> Value:
        parts = [region(call, a) for a in args]
        total = sum((p.tiles.w if axis == "x" else p.tiles.h) for p in parts)
        if total > 2 * LIMIT:
            raise _too_large(call, total, total, 0, 0)
        return sized(call, stack(parts, axis))

    return make


def _union(world: World, call: ast.Call, args: Sequence[Arg]) -> Value:
    return overlay(region(call, a) for a in args)


def _repeated(axis: str) -> Callable[[World, ast.Call, Sequence[Arg]], Value]:
    def make(world: World, call: ast.Call, args: Sequence[Arg]) -> Value:
        r = region(call, args[0])
        n = integer(call, args[1], "the number of copies", 0)
        gap = integer(call, args[2], "the gap", 0) if len(args) > 2 else 0
        if not r.tiles or n == 0:
            return NOTHING
        extent = r.tiles.w if axis == "x" else r.tiles.h
        if n * (extent + gap) > 2 * LIMIT:
            w, h = (n * (extent + gap), r.tiles.h) if axis == "x" else (r.tiles.w, n * (extent + gap))
            raise _too_large(call, w, h, r.tiles.x, r.tiles.y)
        made = r.repeated(axis, extent + gap, n)
        return sized(call, Region(made.tiles, made.layers))

    return make


def _flipped(axis: str) -> Callable[[World, ast.Call, Sequence[Arg]], Value]:
    def make(world: World, call: ast.Call, args: Sequence[Arg]) -> Value:
        return region(call, args[0]).flipped(axis)

    return make


def _place(world: World, call: ast.Call, args: Sequence[Arg]) -> Value:
    r = region(call, args[0])
    return sized(call, r.moved(integer(call, args[1], "x"), integer(call, args[2], "y")))


def _range(world: World, call: ast.Call, args: Sequence[Arg]) -> Value:
    start, stop = integer(call, args[0], "the start"), integer(call, args[1], "the end")
    if stop - start > LIMIT:
        raise fail("PT045", call.span, count=shown(stop - start), limit=LIMIT)
    return Range(start, stop)


def combine_array(world: World, call: ast.Call, copies: Sequence[Region], indices: Range) -> Region:
    """arrayplace, once its placeholders are filled: copy i lies i heights higher."""
    placed: list[Region] = []
    total = 0
    for i, r in zip(range(indices.start, indices.stop), copies, strict=True):
        t = r.tiles
        if abs(i * t.h) > LIMIT:
            raise _too_large(call, t.w, t.h, t.x, t.y + i * t.h)
        r = r.moved(0, i * t.h)
        # S3:152-155: a replication with message passing must step along one axis.
        if placed and r.has_passing and placed[-1].tiles and r.tiles:
            before, after = placed[-1].tiles, r.tiles
            if before.x != after.x and before.y != after.y:
                span = next(layer.setting.span for layer in r.layers if isinstance(layer.setting, Passing))
                note = [(span, "message passing is enabled here")]
                raise fail("PT104", call.span, dx=after.x - before.x, dy=after.y - before.y, notes=note)
        placed.append(r)
        total += t.count()
    return sized(call, overlay(placed))


# -- colors -----------------------------------------------------------------------------------------------------


def _color(world: World, call: ast.Call, args: Sequence[Arg]) -> Value:
    if not args:
        return world.new_color(call.span, f"color() of line {call.span.line}")
    value = args[0].value
    if isinstance(value, Bank):
        return value.core
    if not isinstance(value, int | float):
        raise wrong(call, args[0], "a number or a bank")
    n = integer(call, args[0], "the number of the color")
    if not 0 <= n < arch.COLORS:
        raise fail("PT061", args[0].span, number=shown(n), last=arch.COLORS - 1)
    if n not in world.pinned:
        world.pinned[n] = world.new_color(call.span, f"color({n})", n)
    return world.pinned[n]


def _bank(world: World, call: ast.Call, args: Sequence[Arg]) -> Value:
    n = integer(call, args[0], "the number of the bank")
    if n not in (0, 1):
        raise fail("PT060", args[0].span, number=shown(n))
    if n not in world.banks:
        colors = []
        for c in arch.BANK_COLORS[n]:
            core = c == arch.BANK_CORE_COLOR[n]
            name = f"bank {n}'s core color" if core else f"bank {n}'s color {c}"
            colors.append(world.new_color(call.span, name, c, n))
            colors[-1].named = not core
        core_color = next(c for c in colors if c.pinned == arch.BANK_CORE_COLOR[n])
        world.banks[n] = Bank(n, tuple(colors), core_color)
    return world.banks[n]


def _colorpair(world: World, call: ast.Call, args: Sequence[Arg]) -> Value:
    r = region(call, args[0])
    a, b = color_of(call, args[1]), color_of(call, args[2])
    if a is b:
        raise fail("PT062", args[2].span, name=a.name)
    if a.pinned is not None and b.pinned is not None and a.pinned ^ b.pinned != 1:
        notes = [(a.span, f"'{a.name}' is pinned here"), (b.span, f"'{b.name}' is pinned here")]
        world.reporter.report(
            "PT063",
            call.span,
            a=a.name,
            na=a.pinned,
            b=b.name,
            nb=b.pinned,
            partner=a.pinned ^ 1,
            notes=notes,
        )
    world.pairs.append(PairDemand(a, b, call.span))
    return r


# -- settings ---------------------------------------------------------------------------------------------------


def _code(world: World, call: ast.Call, args: Sequence[Arg]) -> Value:
    r = region(call, args[0])
    kernel = symbol(call, args[1], "a kernel's name", "as in code('name [N:1])")
    params: list[tuple[str, int | float]] = []
    sockets: list[tuple[str, Color]] = []
    places: dict[str, Span] = {}
    elements: tuple[Element, ...] = ()
    if len(args) > 2:
        if not isinstance(args[2].value, ListValue):
            raise wrong(call, args[2], "a list of bindings", "as in [N:4 tx:c]")
        elements = args[2].value.elements
    for e in elements:
        if e.name is None:
            raise fail("PT046", e.span, kind=kind(e.value))
        if e.name in places:
            raise fail("PT047", e.span, name=e.name, notes=[(places[e.name], "the first binding")])
        places[e.name] = e.span
        if isinstance(e.value, Color):
            sockets.append((e.name, e.value))
        elif isinstance(e.value, int | float):
            params.append((e.name, e.value))
        else:
            hint = "color(bank) is a bank's core color" if isinstance(e.value, Bank) else None
            raise fail("PT048", e.span, name=e.name, kind=kind(e.value), hint=hint)
    setting = Code(
        kernel, args[1].span, tuple(params), tuple(sockets), tuple(places.items()), call.span, r.owner
    )
    return r.with_setting(setting)


_DIRECTIONS = "LRUD"


def _paint(world: World, call: ast.Call, args: Sequence[Arg]) -> Value:
    r = region(call, args[0])
    color = color_of(call, args[1])
    if not isinstance(args[2].value, RuleValue):
        raise wrong(call, args[2], "a rule", "a rule is written in brackets, as [C>R]")
    template = args[2].value.template
    _check_color(color, template, args[1].span)
    # The tiles by which of the edges that the rule asks about they lie on.
    parts = [(r.tiles, 0)]
    for direction in _DIRECTIONS:
        bit = 1 << arch.PORTS.index(direction)
        if template.edges & bit:
            edge = r.tiles.edge(direction)
            parts = [
                (t, m) for tiles, mask in parts for t, m in ((tiles - edge, mask), (tiles & edge, mask | bit))
            ]
    by_rule: dict[Rule, list[TileSet]] = {}
    for tiles, mask in parts:
        rule = template.resolve(mask, world.reporter) if tiles else None
        if rule is not None:
            by_rule.setdefault(rule, []).append(tiles)
    for rule, sets in by_rule.items():
        r = r.with_setting(Painted(color, rule, call.span), union(sets))
    return r


def _check_color(color: Color, template: Template, span: Span) -> None:
    """What a color with a number can't do (paint.md 5; S0:93, S3:71-76)."""
    if color.pinned is None:
        return
    notes = [(color.span, f"'{color.name}' has the number {color.pinned} here")]
    if template.adder and color.pinned != arch.ADDER_COLOR:
        raise fail("PT064", span, name=color.name, number=color.pinned, notes=notes)
    if (len(template.sides) > 1 or template.ring or template.pop) and color.pinned not in arch.SWITCHABLE:
        raise fail("PT065", span, name=color.name, number=color.pinned, notes=notes)


def _name(world: World, call: ast.Call, args: Sequence[Arg]) -> Value:
    name = symbol(call, args[1], "a symbol", "as in name('grid)")
    # In the map a blank ends a name and a bracket begins the axes; miget's symbol=name@x,y has an @.
    bad = next((c for c in name if c.isspace() or not c.isprintable() or c in "[]@"), None)
    if not name or bad is not None:
        why = "is empty" if bad is None else f"has {_CHARACTERS.get(bad, repr(bad))} in it"
        raise fail("PT052", args[1].span, why=why)
    return region(call, args[0]).named(name, call.span)


_CHARACTERS = {" ": "a blank", "\t": "a tab", "[": "'['", "]": "']'", "@": "'@'"}


def _mp(world: World, call: ast.Call, args: Sequence[Arg]) -> Value:
    r = region(call, args[0])
    value = args[1].value
    if not isinstance(value, Bank):
        hint = f"let b = bank({value}) first, then mp(b)" if value in (0, 1) else None
        raise wrong(call, args[1], "a bank", hint)
    return r.with_setting(Passing(value.number, call.span))


def _unsupported(world: World, call: ast.Call, args: Sequence[Arg]) -> Value:
    raise fail("PT044", call.name_span, name=call.name, hint="write the routes with paint(color rule)")


def in_place(made: Value, target: Region) -> Value:
    """What a directive gives back to its name: still the same region as far as name() is concerned."""
    return (
        replace(made, owner=target.owner) if isinstance(made, Region) and made.owner != target.owner else made
    )


Function = Callable[[World, ast.Call, Sequence[Arg]], Value]

# arrayplace and setif look at their arguments before these are complete; the evaluator does them.
TABLE: dict[str, Function] = {
    "tile": _tile,
    "rect": _rect,
    "hstack": _stacked("x"),
    "vstack": _stacked("y"),
    "union": _union,
    "hstackrep": _repeated("x"),
    "vstackrep": _repeated("y"),
    "hflip": _flipped("x"),
    "vflip": _flipped("y"),
    "place": _place,
    "range": _range,
    "color": _color,
    "bank": _bank,
    "code": _code,
    "paint": _paint,
    "name": _name,
    "colorpair": _colorpair,
    "mp": _mp,
    "terminal": _unsupported,
    "transport": _unsupported,
}

__all__ = ["Arg", "PairDemand", "TABLE", "World", "combine_array", "in_place"]
