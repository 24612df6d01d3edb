"""Evaluating a layout: statements in order, names in scopes, defines wherever their text stands.

Values are immutable, so a scope is a dictionary of names and a directive `r : d` binds r anew in the scope that
holds it. An error in a statement is reported and the next one is evaluated; what depends on a broken value stays
quiet. An expression with a placeholder `@p` is deferred: its operands are evaluated, the operation waits until
arrayplace fills the placeholder in.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from diag.report import Reporter, UserError, fail, suggest
from diag.spans import Span
from paint import ast
from paint.arithmetic import binary, negate
from paint.functions import TABLE, Arg, World, combine_array, in_place
from paint.hints import hint_of_argument, hinted, is_like_rule
from paint.names import DIRECTIVES, FUNCTIONS, KEYWORDS, usage
from paint.regions import Region, overlay
from paint.values import (
    BROKEN,
    Broken,
    Color,
    Deferred,
    Element,
    ListValue,
    Range,
    RuleValue,
    Symbol,
    Value,
    kind,
)

# Defines may call each other and themselves (with setif); deeper than this is a slip.
MAX_CALLS = 300


class _Quiet(Exception):
    """Something depends on a value whose error has been reported."""


@dataclass
class Scope:
    parent: Scope | None = None
    values: dict[str, Value] = field(default_factory=dict)
    defines: dict[str, tuple[ast.Define, Scope]] = field(default_factory=dict)

    def chain(self) -> Iterable[Scope]:
        scope: Scope | None = self
        while scope is not None:
            yield scope
            scope = scope.parent

    def holder(self, name: str) -> Scope | None:
        return next((s for s in self.chain() if name in s.values), None)

    def define(self, name: str) -> tuple[ast.Define, Scope] | None:
        return next((s.defines[name] for s in self.chain() if name in s.defines), None)


@dataclass
class Result:
    """What a layout evaluates to: the region, the colors and pairs it made, and which set= names it asked for."""

    region: Region
    span: Span
    world: World
    used: set[str]


class Evaluator:
    """`given` are the values of set= by name; None marks one that is empty, which counts as unset."""

    def __init__(self, reporter: Reporter, given: Mapping[str, Value | None]) -> None:
        self.reporter = reporter
        self.world = World(reporter)
        self.given = given
        self.used: set[str] = set()
        self.depth = 0
        self.top = Scope()

    # -- statements -----------------------------------------------------------------------------------------

    def run(self, statements: Sequence[ast.Stmt], whole: Span) -> Result:
        """The layout of a file whose includes are in place. Raises UserError when anything was wrong."""
        limit = sys.getrecursionlimit()
        sys.setrecursionlimit(max(limit, 50_000))
        try:
            last, directive = self.block(statements, self.top)
        finally:
            sys.setrecursionlimit(limit)
        # The layout is the last expression; a file of directives alone ends with the region of the last one.
        final = last or directive
        self.reporter.raise_if_errors()
        if final is None:
            raise fail("PT035", whole)
        value, span = final
        if isinstance(value, Deferred):
            raise _unfilled(value)
        if not isinstance(value, Region):
            raise fail("PT036", span, kind=kind(value))
        return Result(value, span, self.world, self.used)

    def block(
        self, statements: Sequence[ast.Stmt], scope: Scope
    ) -> tuple[tuple[Value, Span] | None, tuple[Value, Span] | None]:
        """Evaluates statements; gives the last expression and the last directive with their places."""
        for s in statements:
            if isinstance(s, ast.Define):
                self.declare(s, scope)
        last: tuple[Value, Span] | None = None
        directive: tuple[Value, Span] | None = None
        for s in statements:
            try:
                if isinstance(s, ast.Let):
                    self.let(s, scope)
                elif isinstance(s, ast.Directive):
                    directive = self.directive(s, scope), s.span
                elif isinstance(s, ast.Evaluate):
                    last = BROKEN, s.span
                    last = self.expr(s.value, scope), s.span
            except UserError as e:
                for d in e.diagnostics:
                    self.reporter.add(d)
            except _Quiet:
                pass
        return last, directive

    def declare(self, s: ast.Define, scope: Scope) -> None:
        known = scope.defines.get(s.name)
        if known is not None and known[0] is not s:
            note = [(known[0].name_span, f"'{s.name}' is defined here too")]
            self.reporter.report("PT024", s.name_span, name=s.name, notes=note)
        if s.name in FUNCTIONS:
            self.reporter.report("PT023", s.name_span, name=s.name)
        seen: dict[str, Span] = {}
        for p in s.params:
            if p.name in seen:
                self.reporter.report("PT030", p.span, name=p.name, notes=[(seen[p.name], "the first one")])
            seen[p.name] = p.span
        scope.defines[s.name] = s, scope

    def let(self, s: ast.Let, scope: Scope) -> None:
        try:
            value = self.expr(s.value, scope)
        except (UserError, _Quiet):
            scope.values[s.name] = BROKEN  # what uses the name stays quiet: the fault is here
            raise
        if isinstance(value, Color):
            self.world.baptise(value, s.name)
        scope.values[s.name] = value

    def directive(self, s: ast.Directive, scope: Scope) -> Value:
        holder = scope.holder(s.target)
        if holder is None:
            raise self.unknown(s.target, s.target_span, scope)
        target = holder.values[s.target]
        if isinstance(target, Broken):
            raise _Quiet
        if not isinstance(target, Region | Deferred):
            raise fail("PT038", s.target_span, name=s.target, kind=kind(target))
        call = s.call
        if call.name not in DIRECTIVES and scope.define(call.name) is None:
            hint = suggest(call.name, DIRECTIVES)
            if call.name in FUNCTIONS:
                hint = f"{call.name}() is a function: `let {s.target} = {call.name}(…)`"
            raise fail("PT022", call.name_span, name=call.name, hint=hint)
        value = self.call(call, scope, Arg(target, s.target_span))
        if isinstance(target, Region):
            value = self.lift([value], lambda v: in_place(v[0], target))
        if not isinstance(value, Region | Deferred):
            raise fail("PT039", call.span, name=call.name, kind=kind(value))
        holder.values[s.target] = value
        return value

    # -- expressions ----------------------------------------------------------------------------------------

    def expr(self, e: ast.Expr, scope: Scope) -> Value:
        """The value of an expression. Raises UserError, or _Quiet where a broken value is needed."""
        match e:
            case ast.Num():
                return e.value
            case ast.Sym():
                return Symbol(e.text)
            case ast.Name():
                return self.name(e, scope)
            case ast.Call():
                return self.call(e, scope, None)
            case ast.RuleLit():
                if e.template is None:
                    raise _Quiet
                return RuleValue(e.template)
            case ast.Bad():
                raise _Quiet
            case ast.Hole():
                return _hole(e)
            case ast.Negate():
                operand = self.expr(e.operand, scope)
                return self.lift([operand], lambda v: negate(e, v[0]))
            case ast.Binary():
                with hinted(e.op == "//" and "a comment is (* … *)"):
                    left, right = self.expr(e.left, scope), self.expr(e.right, scope)
                return self.lift([left, right], lambda v: binary(e, v[0], v[1]))
            case ast.ListLit():
                with hinted(is_like_rule(e) and "a rule has capitals and a '>': [C>R]", True):
                    values = [self.expr(i.value, scope) for i in e.items]
                return self.lift(values, lambda v: _list(e, v))

    def name(self, e: ast.Name, scope: Scope) -> Value:
        holder = scope.holder(e.id)
        if holder is not None:
            value = holder.values[e.id]
            if isinstance(value, Broken):
                raise _Quiet
            return value
        self.used.add(e.id)
        given = self.given.get(e.id)
        if given is not None:
            return given
        raise self.unknown(e.id, e.span, scope)

    def unknown(self, name: str, span: Span, scope: Scope) -> UserError:
        if name in self.given:
            return fail("PT019", span, name=name)
        if scope.define(name) is not None:
            return fail("PT020", span, name=name, hint=f"'{name}' is a define; it is called as {name}(…)")
        known = {n for s in scope.chain() for n in s.values} | {
            n for n, v in self.given.items() if v is not None
        }
        if len(name) == 1:
            known = {n for n in known if n.lower() == name.lower()}
        hint = suggest(name, known)
        if hint is None and name in FUNCTIONS:
            hint = f"{name} is a function; it is called as {name}(…)"
        if hint is None:
            hint = "setif(condition a b) chooses between two values" if name == "if" else suggest(name, KEYWORDS)
        return fail("PT020", span, name=name, hint=hint)

    def call(self, e: ast.Call, scope: Scope, first: Arg | None) -> Value:
        """A call; `first` is the region of a directive, in front of the written arguments."""
        found = scope.define(e.name)
        if found is None and e.name not in FUNCTIONS:
            names = set(FUNCTIONS) | {n for s in scope.chain() for n in s.defines}
            raise fail("PT021", e.name_span, name=e.name, hint=suggest(e.name, names))
        if e.name in ("terminal", "transport"):
            return TABLE[e.name](self.world, e, [])
        if found is None:
            self.check_count(e, 0 if first is None else 1)
            if e.name == "setif":
                return self.setif(e, scope)
        args = [] if first is None else [first]
        for i, a in enumerate(e.args, len(args)):
            with hinted(hint_of_argument(e.name, i, a) if found is None else None, e.name == "paint"):
                args.append(Arg(self.expr(a, scope), a.span))
        if found is not None:
            return self.apply(e, found[0], found[1], args)
        if e.name == "arrayplace":
            return self.arrayplace(e, args)
        function = TABLE[e.name]
        spans = [a.span for a in args]
        return self.lift(
            [a.value for a in args],
            lambda v: function(self.world, e, [Arg(x, s) for x, s in zip(v, spans, strict=True)]),
        )

    def check_count(self, e: ast.Call, given: int) -> None:
        low, high = FUNCTIONS[e.name]
        low, high = low - given, high - given if high is not None else None
        n = len(e.args)
        if n < low or (high is not None and n > high):
            wanted = (
                str(low) if low == high else f"{low} to {high}" if high is not None else f"at least {low}"
            )
            if wanted == "0":
                wanted = "no"
            wanted += " argument" if wanted in ("1", "at least 1") else " arguments"
            # The caret shows the first argument too many, or the name where some are missing.
            span = e.args[high].span if high is not None and n > high else e.name_span
            raise fail("PT026", span, function=e.name, wanted=wanted, given=n, usage=usage(e.name, given > 0))

    def apply(self, e: ast.Call, define: ast.Define, home: Scope, args: Sequence[Arg]) -> Value:
        """Calls a define: its body in a scope of its own, inside the one its text stands in."""
        if define.body is None:
            raise _Quiet
        if len(args) != len(define.params):
            # A directive's region stands before the written arguments; its place is not the one to show.
            extra = args[max(len(define.params), len(args) - len(e.args)) :]
            span = extra[0].span if extra and len(args) > len(define.params) else e.name_span
            note = [(define.name_span, f"'{e.name}' is defined here")]
            n = len(define.params)
            wanted = f"{n} argument" if n == 1 else f"{n} arguments"
            raise fail("PT025", span, name=e.name, wanted=wanted, given=len(args), notes=note)
        if self.depth >= MAX_CALLS:
            raise fail("PT028", e.name_span, name=e.name, limit=MAX_CALLS)
        scope = Scope(home)
        for p, a in zip(define.params, args, strict=True):
            scope.values[p.name] = a.value
        before = len(self.reporter.errors)
        self.depth += 1
        try:
            last, directive = self.block(define.body, scope)
        finally:
            self.depth -= 1
        if len(self.reporter.errors) > before:
            raise _Quiet
        # The value of a body is that of its last statement with a value, expression or directive.
        final = max((x for x in (last, directive) if x is not None), key=lambda x: x[1].start, default=None)
        if final is None:
            raise fail(
                "PT029", e.span, name=e.name, notes=[(define.name_span, f"'{e.name}' is defined here")]
            )
        if isinstance(final[0], Broken):
            raise _Quiet
        return final[0]

    def setif(self, e: ast.Call, scope: Scope) -> Value:
        """setif(cond a b): only the branch taken is evaluated, so that a define may end its recursion with it."""
        condition = self.expr(e.args[0], scope)
        if isinstance(condition, Deferred):
            both = [self.expr(a, scope) for a in e.args[1:]]
            return self.lift([condition], lambda v: both[0] if _truth(e, v[0]) else both[1])
        return self.expr(e.args[1] if _truth(e, condition) else e.args[2], scope)

    def arrayplace(self, e: ast.Call, args: Sequence[Arg]) -> Value:
        """One copy per index, its placeholders filled in (paint.md 2)."""
        r = args[0]
        spans = [a.span for a in args]

        def place(values: Sequence[Value]) -> Value:
            indices = values[0]
            if not isinstance(indices, Range):
                raise fail("PT027", spans[1], function=e.name, what="a range", kind=kind(indices), hint=None)
            fills: dict[str, Range] = {}
            places: dict[str, Span] = {}
            if len(values) > 1:
                filled = values[1]
                if not isinstance(filled, ListValue):
                    hint = "as in arrayplace(r idx [p:idx])"
                    raise fail(
                        "PT027", spans[2], function=e.name, what="a list", kind=kind(filled), hint=hint
                    )
                for x in filled.elements:
                    if x.name is None or not isinstance(x.value, Range):
                        raise fail("PT041", x.span, kind=kind(x.value))
                    if x.name in places:
                        raise fail("PT047", x.span, name=x.name, notes=[(places[x.name], "the first binding")])
                    places[x.name] = x.span
                    if len(x.value) != len(indices):
                        raise fail("PT042", x.span, name=x.name, given=len(x.value), wanted=len(indices))
                    if not isinstance(r.value, Deferred) or x.name not in r.value.names:
                        self.reporter.report("PT043", x.span, name=x.name)
                    fills[x.name] = x.value
            copies: list[Value] = []
            for k in range(len(indices)):
                value = r.value
                if isinstance(value, Deferred):
                    value = value.fill({n: f.start + k for n, f in fills.items()})
                copies.append(value)

            def combine(v: Sequence[Value]) -> Value:
                regions = []
                for x in v:
                    if not isinstance(x, Region):
                        raise fail("PT027", r.span, function=e.name, what="a region", kind=kind(x), hint=None)
                    regions.append(x)
                return combine_array(self.world, e, regions, indices)

            return self.lift(copies, combine) if copies else overlay([])

        return self.lift([a.value for a in args[1:]], place)

    def lift(self, values: Sequence[Value], operation: Callable[[Sequence[Value]], Value]) -> Value:
        """The operation on the values, or a value that waits for their placeholders."""
        names: dict[str, Span] = {}
        for v in values:
            if isinstance(v, Broken):
                raise _Quiet
            if isinstance(v, Deferred):
                for n, span in v.names.items():
                    names.setdefault(n, span)
        if not names:
            return operation(values)

        def fill(given: Mapping[str, Value]) -> Value:
            return self.lift([v.fill(given) if isinstance(v, Deferred) else v for v in values], operation)

        return Deferred(names, fill)


def _hole(e: ast.Hole) -> Deferred:
    made: Deferred

    def fill(given: Mapping[str, Value]) -> Value:
        return given.get(e.name, made)

    made = Deferred({e.name: e.span}, fill)
    return made


def _unfilled(value: Deferred) -> UserError:
    name, span = next(iter(value.names.items()))
    return fail("PT049", span, name=name)


def _list(e: ast.ListLit, values: Sequence[Value]) -> Value:
    return ListValue(tuple(Element(i.name, v, i.span) for i, v in zip(e.items, values, strict=True)))


def _truth(e: ast.Call, value: Value) -> bool:
    if not isinstance(value, int | float):
        raise fail("PT027", e.args[0].span, function=e.name, what="a number", kind=kind(value), hint=None)
    return value != 0


__all__ = ["Evaluator", "Result", "Scope"]
