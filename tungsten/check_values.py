"""Conversions: literals get types, reads get types, casts are made explicit and constants are folded.

An expression under way is a typed node, an `Untyped` literal or a `Pending` one with untyped reads; `settle` and
`to` turn it into a typed node. A folded cast gives what the run time would give (tungsten.md 3, 4).
"""

from __future__ import annotations

import math

from diag.spans import Span
from tungsten import ast, tree, values
from tungsten.check_base import Pending, Stop, Untyped, Value
from tungsten.check_types import Types
from tungsten.types import I32, SP, STREAM, U32, U64, WV, XP, Array, Record, Scalar


def default_type(value: int | float, floating: bool) -> Scalar:
    """The type of a literal that no context types: sp with a point, else xp, or wider when it does not fit."""
    if floating or (isinstance(value, float) and not math.isfinite(value)):
        return SP
    if -0x8000 <= value <= 0xFFFF:
        return XP
    if -0x80000000 <= value < 0x80000000:
        return I32
    return U32 if value < 1 << 32 else U64


class Values(Types):
    """Turning expressions under way into typed nodes."""

    def expr(self, node: ast.Expr, reads: Scalar | None = None) -> Value:
        """expressions: the value of a node; `reads` is the type of untyped reads in it, if known."""
        raise AssertionError

    # -- literals and casts ---------------------------------------------------------------------------------

    def literal(self, value: Untyped, type_: Scalar) -> tree.Const:
        """A literal in a type. A wv takes the 32 bits of a whole number; a stream takes none."""
        if type_ is STREAM:
            self.fail("TW041", value.span, source="a number", target=type_)
        return tree.Const(value.span, type_, values.adapt(value.value, type_, value.floating))

    def settle(self, value: Value, want: Scalar | None) -> tree.Expr:
        """A typed node of a value: a literal takes `want` or its default type, and so does a read (else TW040)."""
        if isinstance(value, Untyped):
            return self.literal(value, want or default_type(value.value, value.floating))
        if isinstance(value, Pending):
            if want is None or want is STREAM or want is U64:
                if value.read is None:
                    want = want or (SP if value.floating else XP)
                elif want is None:
                    self.fail("TW040", value.read)
                else:
                    self.fail("TW042", value.read, type=want)
            return self.settle(self.expr(value.node, want), want)
        return value

    def cast(self, node: tree.Expr, target: Scalar, span: Span | None = None) -> tree.Expr:
        """A typed node in another scalar type, folded when it is constant."""
        source = self.scalar(node)
        if source == target or {source, target} == {STREAM, U64}:
            return node
        if STREAM in (source, target):
            self.fail("TW041", node.span, source=source, target=target)
        where = span or node.span
        if isinstance(node, tree.Const):
            return tree.Const(where, target, values.convert(node.bits, source, target))
        return tree.Cast(where, target, node)

    def to(self, value: Value, target: Scalar, span: Span | None = None) -> tree.Expr:
        """A value converted as on assignment to `target`."""
        return self.cast(self.settle(value, target), target, span)

    def scalar(self, node: tree.Expr) -> Scalar:
        """The scalar type of a node; an array or record where a scalar must stand is TW043."""
        type_ = node.type
        if isinstance(type_, Scalar):
            return type_
        hint = None
        if isinstance(type_, Array):
            hint = "an element is a[i]; a loop over all of them ∀i … a[i]"
        elif isinstance(type_, Record):
            hint = f"a member is .{type_.fields[0].name}"
        self.fail("TW043", node.span, type=type_, hint=hint)

    def numeric(self, node: tree.Expr, op: str) -> Scalar:
        """The type of an operand of arithmetic; wavelets and streams have none (TW044)."""
        type_ = self.scalar(node)
        if type_ is WV or type_ is STREAM:
            hint = "write (u32)(…) for its bits as a number" if type_ is WV else None
            self.fail("TW044", node.span, op=op, type=type_, hint=hint)
        return type_

    def integer(self, node: ast.Expr, what: str) -> tree.Expr:
        """An expression of an integer type of at most 32 bits: a subscript, a bound (TW045)."""
        value = self.expr(node)
        if isinstance(value, Untyped):
            if value.floating or not math.isfinite(value.value):
                self.fail("TW045", value.span, what=what, type="a number with a point")
            whole = math.trunc(value.value)
            small = values.smallest(whole)
            if small is None:
                self.fail("TW045", value.span, what=what, type="one of more than 32 bits")
            return self.literal(value, small)
        typed = self.settle(value, None)
        type_ = self.scalar(typed)
        if not type_.is_integer or type_ is U64:
            hint = "write (u32)(…)" if type_ is U64 else "write (xp)(…)"
            self.fail("TW045", typed.span, what=what, type=type_, hint=hint)
        return typed

    # -- constants ------------------------------------------------------------------------------------------

    def constant(self, node: ast.Expr, what: str) -> tree.Const | Untyped:
        """A value known at compile time; else TW046."""
        value = self.expr(node)
        if isinstance(value, Untyped | tree.Const):
            return value
        hint = f"declare '{node.name}' as param or const" if isinstance(node, ast.Name) else None
        self.fail("TW046", node.span, what=what, hint=hint)

    def constant_int(self, node: ast.Expr, what: str) -> int:
        value = self.constant(node, what)
        if isinstance(value, Untyped):
            if value.floating or not math.isfinite(value.value):
                self.fail("TW047", value.span, what=what, value=value.value)
            return math.trunc(value.value)
        type_ = self.scalar(value)
        if not type_.is_integer:
            self.fail("TW047", node.span, what=what, value=values.decode(value.bits, type_))
        return int(values.decode(value.bits, type_))

    def condition(self, node: ast.Expr) -> tree.Expr:
        """An xp that is not zero when the value of an expression is not."""
        return self.truth(self.settle(self.expr(node), None))

    def truth(self, node: tree.Expr) -> tree.Expr:
        type_ = self.numeric(node, "a condition")
        if type_ is XP:
            return node
        if isinstance(node, tree.Const):
            return tree.Const(node.span, XP, int(values.truth(node.bits, type_)))
        return tree.Compare(node.span, XP, "!=", node, tree.Const(node.span, type_, 0))

    # -- several parts of one expression --------------------------------------------------------------------

    def both(self, left: ast.Expr, right: ast.Expr, reads: Scalar | None) -> tuple[Value, Value]:
        """The values of two operands; errors in both are reported."""
        try:
            a = self.expr(left, reads)
        except Stop:
            self.expr(right, reads)
            raise
        return a, self.expr(right, reads)
