"""Operands of vector instructions: what an expression is under a walk of loop levels.

An operand is a queue, elements in memory at constant strides, or a scalar that does not change meanwhile; an operation
is one row of the instruction table over operands.
"""

from __future__ import annotations

from dataclasses import dataclass

from carbide import select
from carbide.address import Access, Steps, relation, shape, start
from carbide.extremes import plain
from carbide.ir import Imm
from carbide.lower_expr import Expressions
from carbide.patterns import Level, Memory, Queue, Scalar, Source
from carbide.variables import Loop
from carbide.walk import has_effects, mentions, nodes
from fabric.isa import BY_NAME
from tungsten import tree as t
from tungsten.types import HP, SP
from tungsten.types import Scalar as ScalarType


@dataclass(eq=False)
class Walk:
    """What is being matched: levels, the target's elements or its register."""

    levels: tuple[Level, ...]
    moving: set[t.Symbol]
    lows: dict[t.Symbol, t.Expr]
    place: Memory | None = None
    register: t.Symbol | None = None
    at_hand: bool = False

    @property
    def once(self) -> bool:
        return all(x.count == 1 for x in self.levels)

    @property
    def endless(self) -> bool:
        return any(x.endless for x in self.levels)

    def steps(self, a: Access) -> tuple[tuple[int | None, int], ...]:
        """(count, words a step) of each level for an access."""
        out: list[tuple[int | None, int]] = []
        for x in self.levels:
            out.append((x.count, 1 if x.index is None else a.coefficient(x.index)))
        return tuple(out)

    def moves(self, a: Access) -> bool:
        return any(c != 1 and s for c, s in self.steps(a))


Matched = tuple[str, tuple[Source, ...]]


class Operands(Expressions):
    """Recognition of operands and operations; writes nothing."""

    def memory_operand(self, lv: t.LValue, walk: Walk) -> Memory | None:
        """An lvalue in memory as elements of the walk."""
        a = self.access(lv)
        for x in a.terms:
            direct = isinstance(x.key, t.Symbol) and x.key in walk.moving
            if not direct and (mentions(x.expr, walk.moving) or has_effects(x.expr)):
                return None
        words = 1 if any(x.index is None for x in walk.levels) else min(a.words, 2)
        if shape(walk.steps(a), words) is None:
            return None
        if not all(self.steady(x.expr, walk) for x in a.without(walk.moving)):
            return None
        return Memory(a, start(a, walk.lows), words)

    def operation(self, e: t.Expr, walk: Walk) -> Matched | None:
        """An expression that is one row over leaves."""
        e = plain(_bare(e))
        if e.type.words > 2:
            return None
        leaf = self.leaf(e, walk)
        if leaf is not None:
            return select.move(e.type.words), (leaf,)
        if isinstance(e, t.Cast):
            assert isinstance(e.operand.type, ScalarType)
            path = select.convert(e.operand.type, e.type)
            leaf = self.leaf(e.operand, walk)
            if len(path) != 1 or leaf is None or not BY_NAME[path[0][0]].vector:
                return None
            return path[0][0], (leaf,)
        if isinstance(e, t.Unary):
            return self._unary_operation(e, walk)
        if isinstance(e, t.Binary):
            kind = select.scalar(e.type)
            if e.op == "+" and kind is SP:
                mixed = self._mixed_sum(e, walk)
                if mixed is not None:
                    return mixed
            left, right = self.leaf(e.left, walk), self.leaf(e.right, walk)
            if left is None or right is None:
                return None
            row = select.binary(e.op, kind)
            if isinstance(left, Scalar) and select.commutes(row):
                left, right = right, left
            return row, (left, right)
        return None

    def _mixed_sum(self, e: t.Binary, walk: Walk) -> Matched | None:
        """fp32 + fp16, which is converted exactly on the way."""
        for wide, half in ((e.left, e.right), (e.right, e.left)):
            if isinstance(half, t.Cast) and half.operand.type is HP:
                a, b = self.leaf(wide, walk), self.leaf(half.operand, walk)
                if a is not None and isinstance(b, Memory | Queue):
                    return "faddhs", (a, b)
        return None

    def _unary_operation(self, e: t.Unary, walk: Walk) -> Matched | None:
        leaf = self.leaf(e.operand, walk)
        kind = select.scalar(e.type)
        if leaf is None:
            return None
        if e.op == "~":
            return f"xor{kind.bits}", (leaf, Scalar(t.Const(e.span, e.type, (1 << kind.bits) - 1)))
        if kind.is_float:
            return ("fabs" if e.op == "abs" else "fneg") + select.letter(kind), (leaf,)
        if e.op == "abs":
            return f"abs{kind.bits}" if kind.is_signed else select.move(kind.words), (leaf,)
        return f"sub{kind.bits}", (Scalar(t.Const(e.span, e.type, 0)), leaf)

    def leaf(self, e: t.Expr, walk: Walk) -> Source | None:
        """An operand: a queue, elements in memory, or a scalar that does not change."""
        e = _bare(e)
        if isinstance(e, t.Recv):
            return Queue(e) if e.type.words <= 2 else None
        if walk.at_hand:
            return self._leaf_at_hand(e, walk)
        if isinstance(e, t.LValue) and not self.is_register(e) and isinstance(e.type, ScalarType) and e.type.words <= 2:
            if not has_effects(e):
                found = self.memory_operand(e, walk)
                if found is not None and (walk.moves(found.access) or walk.endless or self._as_element(e, walk)):
                    return found
        if has_effects(e) or mentions(e, walk.moving) or not self.steady(e, walk):
            return None
        return Scalar(e)

    def _leaf_at_hand(self, e: t.Expr, walk: Walk) -> Source | None:
        if isinstance(e, t.Const) or self.is_register(e):
            return Scalar(e)
        if not isinstance(e, t.LValue) or not isinstance(e.type, ScalarType) or e.type.words > 2:
            return None
        found = None if has_effects(e) else self.memory_operand(e, walk)
        return found if found is not None and self.in_place(found.access) else None

    def in_place(self, a: Access) -> bool:
        """The address is constant, or moves with the loop by itself."""
        if a.base.data is None or a.base.absolute:
            return False
        return not a.terms or self.steps_with(a, min(a.words, 2)) is not None

    def steps_with(self, a: Access, words: int) -> Loop | None:
        """The loop that alone moves an address, in whose every round it is used once."""
        loop = self.straight
        if loop is None or a.base.data is None or a.base.absolute or len(a.terms) != 1:
            return None
        term = a.terms[0]
        if term.key is not loop.symbol or not isinstance(loop.low, Imm):
            return None
        return loop if term.coef % words == 0 else None

    def _as_element(self, e: t.LValue, walk: Walk) -> bool:
        """A scalar in memory at a constant place is read in place by a single transfer."""
        return walk.once and not walk.levels and not self.access(e).terms and self.access(e).base.data is not None

    def steady(self, e: t.Expr, walk: Walk) -> bool:
        """Nothing that the expression reads is written during the walk, or changes by itself."""
        for n in nodes(e):
            if isinstance(n, t.Var) and n.symbol is walk.register and walk.register is not None and not walk.once:
                return False
            if not isinstance(n, t.LValue) or not isinstance(n.type, ScalarType) or self.is_register(n):
                continue
            a = self.access(n)
            if (a.base.absolute or walk.endless) and not walk.once:
                return False
            if walk.place is not None and not walk.once:
                still = Steps(tuple((x.count, 0) for x in walk.levels if x.count != 1))
                if relation(walk.place.start, self.steps_of(walk, walk.place), start(a, walk.lows), still) != "apart":
                    return False
        return True

    def steps_of(self, walk: Walk, m: Memory) -> Steps:
        return Steps(tuple(x for x in walk.steps(m.access) if x[0] != 1))


def _bare(e: t.Expr) -> t.Expr:
    """Without conversions that leave the bits as they are."""
    while isinstance(e, t.Cast):
        inner = e.operand.type
        if not isinstance(inner, ScalarType) or not isinstance(e.type, ScalarType):
            return e
        if inner.words != e.type.words or select.convert(inner, e.type):
            return e
        e = e.operand
    return e
