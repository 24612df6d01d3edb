"""What all parts of the checker share: reports, scopes, the place in the program that is being checked.

The checker is one class in several files, each adding a chapter of the language: types, expressions, initialisers,
hardware objects, declarations, statements, functions, the program. A method that finds an error reports it and
raises `Stop`; the statement or declaration in hand is given up and checking goes on behind it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import NoReturn

from diag.report import Reporter
from diag.spans import Span
from tungsten import ast, tree
from tungsten.scope import Broken, Entity, LetRange, Routine, Scope
from tungsten.types import SCALARS, Type
from tungsten.values import Number


class Stop(Exception):
    """What is being checked is wrong; the message has been reported."""


@dataclass(eq=False)
class Untyped:
    """A literal or constant expression that has no type yet. floating: a literal with a point is in it."""

    span: Span
    value: Number
    floating: bool


@dataclass(eq=False)
class Pending:
    """An expression with untyped reads in it, whose type the context decides (tungsten.md 5)."""

    span: Span
    node: ast.Expr
    read: Span | None  # the first such read; None: only literals, behind a condition
    floating: bool = False


Value = tree.Expr | Untyped | Pending


@dataclass(eq=False)
class Frame:
    """The function that is being checked, or the top-level code."""

    locals: list[tree.Symbol]
    routine: Routine | None = None
    function: tree.Function | None = None
    returns: list[tuple[ast.Return, tree.Return, Value]] = field(default_factory=list)
    empty_returns: list[Span] = field(default_factory=list)
    broken: bool = False  # a return is wrong: what the function returns is not known
    in_handler: bool = False
    arms: int = 0  # arms of parallel blocks around
    loops: int = 0
    guards: int = 0  # conditions inside the innermost loops: accesses there may be guarded
    dead: int = 0  # branches and loops around that constants leave out, such as if (N > 0) with N = 0


class Base:
    """State and small helpers of the checker."""

    def __init__(self, program: tree.Program, reporter: Reporter, bindings: dict[str, str | int | float]) -> None:
        self.program = program
        self.reporter = reporter
        self.bindings = bindings
        self.bound: dict[str, Span] = {}
        self.scope = Scope()
        self.top = self.scope
        self.frame = Frame(program.locals)
        self.options: dict[str, str] = {}
        self.order = 0  # number of the top-level item in hand
        self.later: dict[str, Span] = {}  # names that top-level declarations further down will bring
        self.recording = True  # uses of sockets count: the code in hand can run
        self.probing = False  # bounds of a range that no loop uses yet are being looked at
        self.routines: list[Routine] = []
        self.calling: list[tuple[Routine, Span | None]] = []  # functions being checked, with their calls
        self.broken_functions: set[tree.Function] = set()
        self.signatures: dict[Routine, list[Type]] = {}
        self.lets: list[LetRange] = []
        self.dispatched: dict[tree.Socket, Span] = {}
        self.ranges: dict[tree.Symbol, tuple[int, int]] = {}  # known values of loop indices, inclusive
        self.const_arrays: dict[tree.Symbol, list[int]] = {}  # the words of const arrays

    # -- reports --------------------------------------------------------------------------------------------

    def report(
        self,
        code: str,
        span: Span,
        *,
        notes: Iterable[tuple[Span, str]] = (),
        hint: str | None = None,
        **args: object,
    ) -> None:
        if "what" in args:
            args["a"] = "an" if str(args["what"])[:1] in "aeiou" else "a"
        self.reporter.report(code, span, notes=notes, hint=hint, **args)

    def fail(
        self,
        code: str,
        span: Span,
        *,
        notes: Iterable[tuple[Span, str]] = (),
        hint: str | None = None,
        **args: object,
    ) -> NoReturn:
        self.report(code, span, notes=notes, hint=hint, **args)
        raise Stop

    # -- scopes ---------------------------------------------------------------------------------------------

    @contextmanager
    def inner(self) -> Iterator[None]:
        """A scope inside the present one."""
        outer = self.scope
        self.scope = Scope(outer)
        try:
            yield
        finally:
            self.scope = outer

    @contextmanager
    def within(self, scope: Scope) -> Iterator[None]:
        """Another scope for a while."""
        outer = self.scope
        self.scope = scope
        try:
            yield
        finally:
            self.scope = outer

    def declare(self, entity: Entity) -> None:
        """Puts a name into the present scope; a second one of the same name is TW020."""
        self._put(self.scope.names, entity)

    def declare_tag(self, entity: Entity) -> None:
        self._put(self.scope.tags, entity)

    def _put(self, names: dict[str, Entity], entity: Entity) -> None:
        before = names.get(entity.name)
        if before is not None:
            self.report("TW020", entity.span, name=entity.name, notes=[(before.span, "declared here before")])
            return
        names[entity.name] = entity

    def lookup(self, name: ast.Name) -> Entity:
        """What a name stands for here. Unknown: TW021 with a suggestion."""
        entity = self.scope.find(name.name)
        if entity is None and name.name in self.later:
            self.fail("TW022", name.span, name=name.name, notes=[(self.later[name.name], "declared here")])
        if entity is None:
            hint = self.scope.suggest(name.name, INTRINSICS)
            if name.name in SCALARS:
                hint = f"{name.name} is a type: a declaration is {name.name} name;, a cast ({name.name}) value"
            self.fail("TW021", name.span, name=name.name, hint=hint)
        if isinstance(entity, Broken):
            raise Stop
        order = getattr(entity, "order", 0)
        if order > self.order and self.frame.function is None:
            note = (entity.span, "declared here")
            self.fail("TW022", name.span, name=name.name, notes=[note])
        return entity

    # -- what earlier chapters use of later ones --------------------------------------------------------------

    def call(self, node: ast.Apply, routine: Routine) -> tree.Call:
        """functions: a call of a function of the program."""
        raise AssertionError

    def constant_int(self, node: ast.Expr, what: str) -> int:
        """expressions: a whole number known at compile time."""
        raise AssertionError


INTRINSICS = ("max", "min", "abs", "wavelet", "control")


def count(number: int, what: str) -> str:
    """`1 argument`, `2 arguments`."""
    return f"{number} {what}" if number == 1 else f"{number} {what}s"
