"""What names stand for, and the scopes they live in. An inner name hides an outer one (tungsten.md 3)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from diag.report import suggest
from diag.spans import Span
from tungsten import ast, tree
from tungsten.types import Record, Scalar, Type


@dataclass(eq=False)
class Entity:
    name: str
    span: Span
    what: str = "name"  # what a message calls it


@dataclass(eq=False)
class Broken(Entity):
    """A name whose declaration was wrong: its uses say nothing more."""


@dataclass(eq=False)
class Constant(Entity):
    """A const or param. type None: untyped, `value` is a number; else `value` is a bit pattern.

    floating: an untyped value with a literal with a point in it.
    """

    what: str = "constant"
    type: Scalar | None = None
    value: int | float = 0
    floating: bool = False


@dataclass(eq=False)
class LetRange(Entity):
    """`let`: bounds as written, with the scope they are read in. `active`: indices of the loops around."""

    what: str = "range"
    range: ast.RangeRef | None = None
    scope: Scope | None = None
    active: list[tree.Symbol] = field(default_factory=list)


@dataclass(eq=False)
class Variable(Entity):
    """A variable, array or loop index. `order`: number of its top-level declaration; `constant`: a const array."""

    what: str = "variable"
    symbol: tree.Symbol = field(kw_only=True)
    order: int = 0
    constant: bool = False


@dataclass(eq=False)
class Hardware(Entity):
    """A socket, FIFO, filter, iterator or stream variable."""

    object: tree.Source | tree.Filter = field(kw_only=True)
    order: int = 0


@dataclass(eq=False)
class Routine(Entity):
    """A function as written, and what became of it for each shape of its arguments."""

    what: str = "function"
    definition: ast.FunctionDef = field(kw_only=True)
    scope: Scope = field(kw_only=True)
    options: dict[str, str] = field(default_factory=dict)
    instances: dict[object, tree.Function] = field(default_factory=dict)


@dataclass(eq=False)
class Alias(Entity):
    """A typedef."""

    what: str = "type"
    type: Type = field(kw_only=True)


@dataclass(eq=False)
class Tag(Entity):
    """`struct NAME` or `union NAME`."""

    what: str = "struct"
    record: Record = field(kw_only=True)


class Scope:
    """Names of one block; `tags` are the names behind struct and union."""

    def __init__(self, parent: Scope | None = None) -> None:
        self.parent = parent
        self.names: dict[str, Entity] = {}
        self.tags: dict[str, Entity] = {}

    def chain(self) -> Iterator[Scope]:
        scope: Scope | None = self
        while scope is not None:
            yield scope
            scope = scope.parent

    def find(self, name: str) -> Entity | None:
        scope: Scope | None = self
        while scope is not None:
            entity = scope.names.get(name)
            if entity is not None:
                return entity
            scope = scope.parent
        return None

    def find_tag(self, name: str) -> Entity | None:
        for scope in self.chain():
            if name in scope.tags:
                return scope.tags[name]
        return None

    def suggest(self, name: str, extra: tuple[str, ...] = (), kinds: tuple[type, ...] = (Entity,)) -> str | None:
        """`did you mean …?` among the names that can be seen here."""
        seen = [n for scope in self.chain() for n, e in scope.names.items() if isinstance(e, kinds)]
        return suggest(name, [*seen, *extra])
