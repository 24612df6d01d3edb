"""Statements of several operations as several vector instructions.

`∀i c[i] <- a[i] + s * b[i];` is a multiplication and an addition, each over the whole vector: every operation is
rounded as it is in the loop, so the bits are the same. What an inner operation makes stands in the target, where the
rest of the expression does not read it, else in a temporary. The temporaries are shared by all statements.
"""

from __future__ import annotations

from dataclasses import replace

from carbide.extremes import plain
from carbide.lower_vector import Vectors
from carbide.operands import Walk
from carbide.patterns import Level, Pattern, Source
from carbide.walk import expressions, has_effects, nodes, waits
from tungsten import tree as t
from tungsten.types import Array, Dim, Scalar, Type

MOST_WORDS = 2048  # of one temporary
MOST_STEPS = 8  # instructions of one statement
Splittable = t.Assign | t.Accumulate | t.Send | t.Dot


class Splitting(Vectors):
    """Makes one statement several simpler ones."""

    def recognise_all(self, s: t.Stmt, levels: tuple[Level, ...], at_hand: bool = False) -> list[Pattern] | None:
        """The vector instructions, in order, that a statement within loop levels is; None if it is none.

        at_hand: a single element right after another vector instruction, taken only if everything lies in place.
        """
        single = self.recognise(s, levels, False, at_hand)
        if single is not None:
            return [single]
        if not isinstance(s, Splittable) or s.options.get("vectorize") == "off" or not _may_split(s):
            return None
        walk = self.walk_of(levels)
        total = 1
        for x in levels:
            if x.count is None or x.low is None:
                return None
            total *= x.count
        if walk is None or total == 0:
            return None
        if isinstance(s, t.Assign | t.Accumulate):
            if not isinstance(s.target, t.LValue) or not isinstance(s.target.type, Scalar) or has_effects(s.target):
                return None
            walk = self.aim(s.target, walk)
        return None if walk is None else _Split(self, s, replace(walk, at_hand=at_hand), levels).patterns()

    def scratch(self, number: int, kind: Type, levels: tuple[Level, ...], at: t.Expr) -> t.LValue:
        """An element of a temporary for the current round of the levels."""
        assert isinstance(kind, Scalar)
        array = Array(kind, tuple(Dim(f"n{k}", x.count) for k, x in enumerate(levels)) or (Dim("n0", 1),))
        symbol = t.Symbol(f"vector.{number}", array, at.span, "local")
        self.kernel.storage.share(symbol, number)
        indices: list[t.Expr] = []
        for x in levels:
            assert x.index is not None and x.low is not None
            here = t.Var(at.span, x.index.type, x.index)
            indices.append(t.Binary(at.span, x.index.type, "-", here, x.low))
        if not indices:
            indices = [t.Const(at.span, Scalar("u16", 1, "uint"), 0)]
        return t.Index(at.span, kind, t.Var(at.span, array, symbol), indices)


def _may_split(s: t.Stmt) -> bool:
    """No calls, and at most one source that can make it wait."""
    found = [n for e in expressions(s) for n in nodes(e)]
    reads = [n.source for n in found if isinstance(n, t.Recv)]
    if any(isinstance(n, t.Call | t.Capture) for n in found) or len(set(reads)) != len(reads):
        return False
    return sum(waits(r) for r in reads) <= 1


class _Split:
    """One statement being taken apart."""

    def __init__(self, body: Splitting, s: Splittable, walk: Walk, levels: tuple[Level, ...]) -> None:
        self.body, self.s, self.walk, self.levels = body, s, walk, levels
        self.steps: list[t.Stmt] = []
        self.taken = 0
        self.leaves: list[Source] = []
        self.total = 1
        for x in levels:
            self.total *= x.count or 0

    def patterns(self) -> list[Pattern] | None:
        last = self._last()
        if last is None or not self._in_order():
            return None
        out: list[Pattern] = []
        for step in (*self.steps, last):
            p = self.body.recognise(step, self.levels, False, self.walk.at_hand)
            if p is None:
                return None
            out.append(p)
        return out

    def _last(self) -> t.Stmt | None:
        """The statement with operands simple enough for one instruction; what they need stands in `steps`."""
        s = self.s
        if isinstance(s, t.Dot):
            terms = self._leaves_of([s.a] if s.b is None else [s.a, s.b], None)
            if terms is None:
                return None
            b = terms[1] if s.b is not None else None
            return t.Dot(s.span, s.options, s.target, terms[0], b, s.keep, s.no_load)
        if isinstance(s, t.Accumulate) and s.factors is not None:
            factors = self._leaves_of(list(s.factors), None)
            if factors is None:
                return None
            return t.Accumulate(s.span, s.options, s.target, s.op, None, (factors[0], factors[1]))
        if s.value is None or not isinstance(s.value.type, Scalar):
            return None
        if isinstance(s, t.Accumulate):
            operand = self._leaves_of([s.value], None)
            return None if operand is None else t.Accumulate(s.span, s.options, s.target, s.op, operand[0])
        spare = s.target if isinstance(s, t.Assign) and isinstance(s.target, t.LValue) else None
        value = self._simple(s.value, spare if spare is not None and self._reusable(s.value) else None)
        if value is None:
            return None
        if isinstance(s, t.Assign):
            return t.Assign(s.span, s.options, s.target, value)
        return t.Send(s.span, s.options, s.dest, value, s.control, s.flip)

    def _reusable(self, value: t.Expr) -> bool:
        """The target may hold what inner operations make: elements of an array that the value does not read."""
        place = self.walk.place
        if place is None or place.start.base.root is None or not (self.walk.once or self.walk.moves(place.access)):
            return False
        for n in nodes(value):
            if isinstance(n, t.LValue) and isinstance(n.type, Scalar) and not self.body.is_register(n):
                base = self.body.access(n).base
                if not base.absolute and base.root in (place.start.base.root, None):
                    return False
            elif isinstance(n, t.Recv) and self.body.kernel.touched(n.source) != set():
                return False
        return True

    def _is_leaf(self, e: t.Expr) -> bool:
        return self.body.leaf(e, self.walk) is not None

    def _simple(self, e: t.Expr, spare: t.LValue | None) -> t.Expr | None:
        """The expression as one operation over leaves; None where that can't be. spare: a place free for use."""
        leaf = self.body.leaf(e, self.walk)
        if leaf is not None:
            self.leaves.append(leaf)
            return e
        e = plain(e)
        if isinstance(e, t.Cast):
            made = self._leaves_of([e.operand], spare)
            return None if made is None else t.Cast(e.span, e.type, made[0])
        if isinstance(e, t.Unary):
            made = self._leaves_of([e.operand], spare)
            return None if made is None else t.Unary(e.span, e.type, e.op, made[0])
        if isinstance(e, t.Binary):
            made = self._leaves_of([e.left, e.right], spare)
            return None if made is None else t.Binary(e.span, e.type, e.op, made[0], made[1])
        return None

    def _leaves_of(self, operands: list[t.Expr], spare: t.LValue | None) -> list[t.Expr] | None:
        """Operands as leaves: what is none is computed first."""
        made: list[t.Expr] = []
        for k, x in enumerate(operands):
            value = self._simple(x, spare)
            if value is None:
                return None
            if self._is_leaf(value):
                made.append(value)
                continue
            if len(self.steps) >= MOST_STEPS or not isinstance(x.type, Scalar) or x.type.words > 2:
                return None
            if spare is not None and spare.type == x.type and all(self._is_leaf(y) for y in operands[k + 1 :]):
                place = spare
            else:
                if self.total * x.type.words > MOST_WORDS:
                    return None
                place = self.body.scratch(self.taken, x.type, self.levels, x)
                self.taken += 1
            self.steps.append(t.Assign(self.s.span, self.s.options, place, value))
            made.append(place)
        return made

    def _in_order(self) -> bool:
        """No element that is read is another round's target."""
        s, place = self.s, self.walk.place
        if place is None:
            return True
        assert isinstance(s, t.Assign | t.Accumulate) and isinstance(s.target, t.LValue)
        moving = self.walk.moves(place.access) or self.walk.once
        probe = Pattern("mov16", "memory" if moving else "last", self.levels, tuple(self.leaves), s.target, place)
        return self.body.ordered(probe, self.walk)
