"""What a Paint expression can be: numbers, symbols, colors, banks, ranges, rules, lists, regions; and what waits.

All values are immutable. `let y = r` therefore copies: a directive gives a name a new region and leaves every
other holder of the old one alone.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from diag.spans import Span
from paint.regions import Region
from paint.rules import Template


@dataclass(eq=False)
class Color:
    """A color of the layout. `pinned` is its number where the user gave one; `key` is unique, `name` is for
    messages: the first name a `let` gave it. A bank has five of its own, one for each of its numbers."""

    key: str
    name: str
    span: Span
    pinned: int | None = None
    bank: int | None = None
    named: bool = False

    def __repr__(self) -> str:
        return f"Color({self.key})"


@dataclass(frozen=True)
class Bank:
    """A message-passing bank, 0 or 1; `core` is the color of its core side, 16 or 21 (S3:114-124)."""

    number: int
    colors: tuple[Color, ...]
    core: Color


@dataclass(frozen=True)
class Symbol:
    """`'x` or `"x"`."""

    text: str


@dataclass(frozen=True)
class Range:
    """range(a b): the half-open range of integers."""

    start: int
    stop: int

    def __len__(self) -> int:
        return max(0, self.stop - self.start)


@dataclass(frozen=True, eq=False)
class RuleValue:
    """A rule as written; a region's edges decide what becomes of it."""

    template: Template


@dataclass(frozen=True, eq=False)
class Element:
    """An element of a list: `name:value` or a value alone."""

    name: str | None
    value: Value
    span: Span


@dataclass(frozen=True, eq=False)
class ListValue:
    elements: tuple[Element, ...]


@dataclass(frozen=True, eq=False)
class Deferred:
    """A value that holds placeholders. `fill` gives it their values; what it returns may still be deferred.

    An operation on a deferred value is itself deferred, so placeholders may stand anywhere: in a kernel's
    parameters, in sizes, in conditions. `names` are the placeholders with the first place of each.
    """

    names: Mapping[str, Span]
    fill: Callable[[Mapping[str, Value]], Value] = field(repr=False)


@dataclass(frozen=True)
class Broken:
    """The value of what was in error; what is done with it is not reported again."""


BROKEN = Broken()

Value = int | float | Symbol | Color | Bank | Range | RuleValue | ListValue | Region | Deferred | Broken


def kind(value: Value) -> str:
    """A value's kind as messages name it."""
    match value:
        case bool() | int() | float():
            return "a number"
        case Symbol():
            return "a symbol"
        case Color():
            return "a color"
        case Bank():
            return "a bank"
        case Range():
            return "a range"
        case RuleValue():
            return "a rule"
        case ListValue():
            return "a list"
        case Region():
            return "a region"
        case Deferred():
            return f"a value with the placeholder @{next(iter(value.names))}"
        case _:
            return "nothing"


def shown(n: int | float) -> str:
    """A number as messages show it: of one with more than 15 digits only the size."""
    if isinstance(n, float) or abs(n) < 10**15:
        return str(n)
    return f"about {'-' if n < 0 else ''}1e{len(str(abs(n))) - 1}"


def spelled(value: Value, span: Span) -> str | None:
    """A hint with the text of a symbol where its place shows only a name, as with set=N=3+."""
    if isinstance(value, Symbol) and span.text[:1] not in ("'", '"'):
        return f"{span.text} is '{value.text}'"
    return None
