"""The tree of a Paint source (paint.md 1). Every node carries the span of its text."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from diag.spans import Span

if TYPE_CHECKING:
    from paint.rules import Template


@dataclass(frozen=True, eq=False)
class Num:
    """An integer or a float."""

    span: Span
    value: int | float


@dataclass(frozen=True, eq=False)
class Name:
    """A name used as a value."""

    span: Span
    id: str


@dataclass(frozen=True, eq=False)
class Sym:
    """A symbol `'x` or a string `"x"`; they name things alike."""

    span: Span
    text: str


@dataclass(frozen=True, eq=False)
class Hole:
    """A placeholder `@p`, filled by arrayplace."""

    span: Span
    name: str


@dataclass(frozen=True, eq=False)
class RuleLit:
    """A rule in brackets. `template` is None when its text was wrong (and reported)."""

    span: Span
    template: Template | None


@dataclass(frozen=True, eq=False)
class Item:
    """One element of a list, `name:value` or a value alone."""

    span: Span
    name: str | None
    value: Expr


@dataclass(frozen=True, eq=False)
class ListLit:
    span: Span
    items: tuple[Item, ...]


@dataclass(frozen=True, eq=False)
class Call:
    """`name(args)`; `name_span` is the name alone."""

    span: Span
    name: str
    name_span: Span
    args: tuple[Expr, ...]


@dataclass(frozen=True, eq=False)
class Binary:
    span: Span
    op: str
    left: Expr
    right: Expr


@dataclass(frozen=True, eq=False)
class Negate:
    span: Span
    operand: Expr


@dataclass(frozen=True, eq=False)
class Bad:
    """An expression that could not be read; what depends on it is not reported again."""

    span: Span


Expr = Bad | Num | Name | Sym | Hole | RuleLit | ListLit | Call | Binary | Negate


@dataclass(frozen=True, eq=False)
class Include:
    span: Span
    path: Sym


@dataclass(frozen=True, eq=False)
class Let:
    span: Span
    name: str
    name_span: Span
    value: Expr


@dataclass(frozen=True, eq=False)
class Parameter:
    span: Span
    name: str


@dataclass(frozen=True, eq=False)
class Define:
    span: Span
    name: str
    name_span: Span
    params: tuple[Parameter, ...]
    body: tuple[Stmt, ...] | None  # None: could not be read


@dataclass(frozen=True, eq=False)
class Directive:
    """`target : call`."""

    span: Span
    target: str
    target_span: Span
    call: Call


@dataclass(frozen=True, eq=False)
class Evaluate:
    """An expression as a statement; the last one of the file is the layout."""

    span: Span
    value: Expr


Stmt = Include | Let | Define | Directive | Evaluate
