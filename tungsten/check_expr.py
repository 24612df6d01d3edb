"""Expressions: types of operations, the fused multiply-add rule, reads, intrinsics (tungsten.md 4, 5)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from diag.report import suggest
from diag.spans import Span
from tungsten import ast, tree, values
from tungsten.check_base import INTRINSICS, Pending, Untyped, Value, count
from tungsten.check_place import Places
from tungsten.check_types import common
from tungsten.scope import Constant, Routine, Variable
from tungsten.types import HP, SP, U16, U32, WV, XP, Scalar

_COMPARE = ("<", ">", "<=", ">=", "==", "!=")
_BITS = ("&", "|", "^", "<<", ">>", "%")


class Exprs(Places):
    """Expressions that are no places: operators, casts, calls."""

    def expr(self, node: ast.Expr, reads: Scalar | None = None) -> Value:
        method: Callable[[Any, Any, Scalar | None], Value] = _METHODS[type(node)]
        return method(self, node, reads)

    def _number(self, node: ast.Number, reads: Scalar | None) -> Value:
        value = Untyped(node.span, node.value, isinstance(node.value, float))
        if node.suffix:
            name = ast.Name(node.span, node.suffix)
            return self.literal(value, self.scalar_named(name))
        return value

    def _name(self, node: ast.Name, reads: Scalar | None) -> Value:
        entity = self.lookup(node)
        if isinstance(entity, Constant):
            if entity.type is not None:
                return tree.Const(node.span, entity.type, int(entity.value))
            return Untyped(node.span, entity.value, entity.floating)
        return self.place_named(node, entity)

    def _place(self, node: ast.Subscript | ast.Select, reads: Scalar | None) -> Value:
        return self.place(node, reads)

    def _paren(self, node: ast.Paren, reads: Scalar | None) -> Value:
        return self.expr(node.inner, reads)

    # -- one operand ----------------------------------------------------------------------------------------

    def _unary(self, node: ast.Unary, reads: Scalar | None) -> Value:
        if node.op == "!":
            inner = self.condition(node.operand)
            if isinstance(inner, tree.Const):
                return tree.Const(node.span, XP, int(inner.bits == 0))
            return tree.Logic(node.span, XP, "!", inner, None)
        value = self.expr(node.operand, reads)
        if isinstance(value, Pending):
            return Pending(node.span, node, value.read, value.floating)
        if isinstance(value, Untyped):
            if node.op == "-":
                return Untyped(node.span, -value.value, value.floating)
            if not isinstance(value.value, int):
                self.fail("TW048", node.span, op="~", type="a number with a point")
            return Untyped(node.span, ~value.value, False)
        type_ = self.numeric(value, f"'{node.op}'")
        if node.op == "~" and type_.is_float:
            self.fail("TW048", node.span, op="~", type=type_)
        return self.make_unary(node.span, node.op, value, type_)

    def make_unary(self, span: Span, op: str, value: tree.Expr, type_: Scalar) -> tree.Expr:
        if isinstance(value, tree.Const):
            return tree.Const(span, type_, values.unary(op, value.bits, type_))
        return tree.Unary(span, type_, op, value)

    def _cast(self, node: ast.Cast, reads: Scalar | None) -> Value:
        target = self.scalar_named(node.type)
        value = self.expr(node.operand, target)
        if isinstance(value, Untyped):
            return tree.Const(node.span, target, self.literal(value, target).bits)
        if isinstance(value, tree.Capture):
            self.fail("TW041", node.span, source="a descriptor", target=target)
        typed = self.settle(value, target)
        if typed.type == target and not isinstance(typed, tree.Const):
            return typed
        return self.cast(typed, target, node.span)

    # -- two operands ---------------------------------------------------------------------------------------

    def _binary(self, node: ast.Binary, reads: Scalar | None) -> Value:
        op = node.op
        if op in ("&&", "||"):
            return self._logic(node)
        if op in _COMPARE:
            return self._compare(node)
        if op in "+-" and isinstance(node.right, ast.Binary) and node.right.op == "*":
            fused = self._fused(node, node.left, node.right)
            if fused is not None:
                return fused
        return self.operate(node, op, node.op_span, node.left, node.right, reads)

    def operate(
        self,
        node: ast.Expr,
        op: str,
        op_span: Span,
        left: ast.Expr,
        right: ast.Expr,
        reads: Scalar | None,
    ) -> Value:
        """Arithmetic, bits, shifts, max and min of two operands."""
        a, b = self._typed_reads(left, right, *self.both(left, right, reads))
        if isinstance(a, Pending) or isinstance(b, Pending):
            spans = [v.read for v in (a, b) if isinstance(v, Pending)]
            floating = any(v.floating for v in (a, b) if isinstance(v, Pending | Untyped))
            return Pending(node.span, node, next((s for s in spans if s), None), floating)
        if isinstance(a, Untyped) and isinstance(b, Untyped):
            return self._untyped(node.span, op, op_span, a, b)
        if op in ("<<", ">>"):
            return self._shift(node.span, op, op_span, a, b)
        x, y, type_ = self.combine(a, b, op)
        if op in _BITS and type_.is_float:
            self.fail("TW048", op_span, op=op, type=type_)
        return self.make_binary(node.span, op, x, y, type_)

    def make_binary(self, span: Span, op: str, x: tree.Expr, y: tree.Expr, type_: Scalar) -> tree.Expr:
        if isinstance(x, tree.Const) and isinstance(y, tree.Const):
            return tree.Const(span, type_, values.binary(op, x.bits, y.bits, type_))
        return tree.Binary(span, type_, op, x, y)

    def _typed_reads(self, left: ast.Expr, right: ast.Expr, a: Value, b: Value) -> tuple[Value, Value]:
        """An untyped read beside a typed operand has the operand's type."""
        if isinstance(a, Pending) and not isinstance(b, Pending | Untyped):
            a = self.settle(a, self.scalar(b))
        elif isinstance(b, Pending) and not isinstance(a, Pending | Untyped):
            b = self.settle(b, self.scalar(a))
        return a, b

    def combine(self, a: Value, b: Value, op: str) -> tuple[tree.Expr, tree.Expr, Scalar]:
        """Both operands in the type of their arithmetic. Neither is pending, and one at least has a type."""
        shown = op if op.isalpha() else f"'{op}'"
        for value in (a, b):
            if not isinstance(value, Untyped | Pending):
                self.numeric(value, shown)
        if isinstance(a, Untyped) or isinstance(b, Untyped):
            literal, other = (a, b) if isinstance(a, Untyped) else (b, a)
            assert isinstance(literal, Untyped) and not isinstance(other, Untyped | Pending)
            type_ = self.scalar(other)
            if literal.floating and not type_.is_float:
                type_ = SP  # float beats integer
        else:
            assert not isinstance(a, Pending) and not isinstance(b, Pending)
            type_ = common(self.scalar(a), self.scalar(b))
        return self.to(a, type_), self.to(b, type_), type_

    def _untyped(self, span: Span, op: str, op_span: Span, a: Untyped, b: Untyped) -> Untyped:
        try:
            value = values.untyped(op, a.value, b.value)
        except ValueError:
            bad = a.value if isinstance(a.value, float) else b.value
            if isinstance(bad, int):
                self.fail("TW049", b.span, op=op, count=b.value)
            self.fail("TW048", op_span, op=op, type="a number with a point")
        return Untyped(span, value, a.floating or b.floating)

    def _shift(self, span: Span, op: str, op_span: Span, a: Value, b: Value) -> tree.Expr:
        """The left operand's type; a count of the width or more gives 0 or the sign, so it must not wrap."""
        if isinstance(a, Untyped):
            assert not isinstance(b, Untyped | Pending)
            a = self.literal(a, self.numeric(b, f"'{op}'"))
        assert not isinstance(a, Pending)
        type_ = self.numeric(a, f"'{op}'")
        if type_.is_float:
            self.fail("TW048", op_span, op=op, type=type_)
        if isinstance(b, Untyped):
            if b.floating or b.value < 0:
                self.fail("TW049", b.span, op=op, count=b.value)
            count: tree.Expr = tree.Const(b.span, type_, int(min(b.value, type_.bits)))
            return self.make_binary(span, op, a, count, type_)
        assert not isinstance(b, Pending)
        width = self.numeric(b, f"'{op}'")
        if width.is_float:
            self.fail("TW048", op_span, op=op, type=width)
        if isinstance(b, tree.Const):
            whole = int(values.decode(b.bits, width))
            if whole < 0:
                self.fail("TW049", b.span, op=op, count=whole)
            count = tree.Const(b.span, type_, min(whole, type_.bits))
        elif width.words > type_.words:
            unsigned = self.cast(b, U32) if width.words == 2 else b
            wide = U32 if width.words == 2 else width
            least = self.make_binary(b.span, "min", unsigned, tree.Const(b.span, wide, 255), wide)
            count = self.cast(least, type_)
        else:
            count = self.cast(b, type_)
        return self.make_binary(span, op, a, count, type_)

    # -- conditions -----------------------------------------------------------------------------------------

    def _compare(self, node: ast.Binary) -> Value:
        a, b = self._typed_reads(node.left, node.right, *self.both(node.left, node.right, None))
        if isinstance(a, Pending) and isinstance(b, Untyped):
            a = self.settle(a, SP if b.floating else XP)
        elif isinstance(b, Pending) and isinstance(a, Untyped):
            b = self.settle(b, SP if a.floating else XP)
        if isinstance(a, Pending) or isinstance(b, Pending):
            a, b = self.settle(a, None), self.settle(b, None)
        op = node.op
        if isinstance(a, Untyped) and isinstance(b, Untyped):
            x, y = a.value, b.value
            holds = {"<": x < y, ">": x > y, "<=": x <= y, ">=": x >= y, "==": x == y, "!=": x != y}[op]
            return tree.Const(node.span, XP, int(holds))
        p, q, type_ = self.combine(a, b, op)
        if isinstance(p, tree.Const) and isinstance(q, tree.Const):
            return tree.Const(node.span, XP, values.compare(op, p.bits, q.bits, type_))
        return tree.Compare(node.span, XP, op, p, q)

    def _logic(self, node: ast.Binary) -> Value:
        left = self.condition(node.left)
        right = self.condition(node.right)
        if isinstance(left, tree.Const):
            if (left.bits != 0) == (node.op == "||"):
                return tree.Const(node.span, XP, int(node.op == "||"))
            if isinstance(right, tree.Const):
                return tree.Const(node.span, XP, int(right.bits != 0))
        return tree.Logic(node.span, XP, node.op, left, right)

    def _ternary(self, node: ast.Ternary, reads: Scalar | None) -> Value:
        test = self.condition(node.test)
        self.frame.guards += 1
        a, b = self._typed_reads(node.then, node.other, *self.both(node.then, node.other, reads))
        self.frame.guards -= 1
        if isinstance(test, tree.Const) and isinstance(a, Untyped) and isinstance(b, Untyped):
            return a if test.bits else b
        if isinstance(a, Untyped | Pending) and isinstance(b, Untyped | Pending):
            floating = a.floating or b.floating
            if reads is None or isinstance(a, Pending) or isinstance(b, Pending):
                spans = [v.read for v in (a, b) if isinstance(v, Pending)]
                return Pending(node.span, node, next((s for s in spans if s), None), floating)
            type_ = SP if floating and not reads.is_float else reads
            a, b = self.literal(a, type_), self.literal(b, type_)
        if isinstance(a, tree.Node) and isinstance(b, tree.Node) and a.type == b.type:
            x, y, kind = a, b, self.scalar(a)
        else:
            x, y, kind = self.combine(a, b, "?:")
        if isinstance(test, tree.Const):
            return x if test.bits else y
        return tree.Cond(node.span, kind, test, x, y)

    # -- the fused multiply-add -----------------------------------------------------------------------------

    def _fused(self, node: ast.Binary, a: ast.Expr, product: ast.Binary) -> tree.Expr | None:
        """a + b*c or a - b*c of three plain variables or constants of one float type, else None."""
        parts = (a, product.left, product.right)
        if not all(self._plain(part) for part in parts):
            return None
        found = [self.expr(part) for part in parts]
        types = {value.type for value in found if isinstance(value, tree.Node)}
        if len(types) != 1:
            return None
        type_ = types.pop()
        if not isinstance(type_, Scalar) or not type_.is_float:
            return None
        x, y, z = (self.to(value, type_) for value in found)
        negate = node.op == "-"
        if isinstance(x, tree.Const) and isinstance(y, tree.Const) and isinstance(z, tree.Const):
            return tree.Const(node.span, type_, values.fma(x.bits, y.bits, z.bits, negate, type_))
        return tree.Fma(node.span, type_, x, y, z, negate)

    def _plain(self, node: ast.Expr) -> bool:
        if isinstance(node, ast.Number):
            return True
        if not isinstance(node, ast.Name):
            return False
        entity = self.scope.find(node.name)
        if isinstance(entity, Constant):
            return True
        return isinstance(entity, Variable) and isinstance(entity.symbol.type, Scalar)

    # -- calls ----------------------------------------------------------------------------------------------

    def _apply(self, node: ast.Apply, reads: Scalar | None) -> Value:
        if not isinstance(node.function, ast.Name):
            self.fail("TW050", node.function.span)
        name = node.function
        entity = self.scope.find(name.name)
        if isinstance(entity, Routine):
            call = self.call(node, entity)
            if call.type.words == 0:
                notes = [(entity.span, "it returns nothing")]
                self.fail("TW051", node.span, name=name.name, notes=notes)
            return call
        if entity is not None and name.name not in INTRINSICS:
            self.lookup(name)
            self.fail("TW052", name.span, name=name.name, what=entity.what, notes=[(entity.span, "declared here")])
        if name.name not in INTRINSICS:
            routines = [n for s in self.scope.chain() for n, e in s.names.items() if isinstance(e, Routine)]
            hint = suggest(name.name, [*routines, *INTRINSICS]) or _MISSING.get(name.name)
            self.fail("TW053", name.span, name=name.name, hint=hint)
        return self._intrinsic(node, name, reads)

    def _intrinsic(self, node: ast.Apply, name: ast.Name, reads: Scalar | None) -> Value:
        wanted = {"abs": 1, "control": 1}.get(name.name, 2)
        if len(node.args) != wanted:
            self.fail("TW054", node.span, name=name.name, wanted=count(wanted, "argument"), found=len(node.args))
        if name.name in ("max", "min"):
            return self.operate(node, name.name, name.span, node.args[0], node.args[1], reads)
        if name.name == "abs":
            return self._abs(node, reads)
        if name.name == "wavelet":
            return self.wavelet(node, HP if reads is HP else None)
        self.fail("TW055", node.span)

    def _abs(self, node: ast.Apply, reads: Scalar | None) -> Value:
        value = self.expr(node.args[0], reads)
        if isinstance(value, Pending):
            return Pending(node.span, node, value.read, value.floating)
        if isinstance(value, Untyped):
            return Untyped(node.span, abs(value.value), value.floating)
        return self.make_unary(node.span, "abs", value, self.numeric(value, "abs"))

    def wavelet(self, node: ast.Apply, want: Scalar | None) -> tree.Expr:
        """`wavelet(x, i)`: x is a 16-bit value, its bits go into the low half."""
        first, second = self.both(node.args[0], node.args[1], None)
        if isinstance(first, Untyped | Pending):
            first = self.settle(first, want or (HP if first.floating else XP))
        type_ = self.numeric(first, "wavelet")
        if type_.words != 1:
            if type_.is_float:
                self.fail("TW056", first.span, type=type_, hint="write (hp)(…)")
            first = self.cast(first, U16)
        index = self.to(second, U16)
        if isinstance(first, tree.Const) and isinstance(index, tree.Const):
            return tree.Const(node.span, WV, index.bits << 16 | first.bits)
        return tree.Wavelet(node.span, WV, first, index)

    def _sum(self, node: ast.Sum, reads: Scalar | None) -> Value:
        self.fail("TW057", node.span)


_MISSING = {
    name: f"there is no {name}; Tungsten has max, min and abs" for name in ("exp", "log", "sqrt", "sin", "cos", "pow")
} | {"fabs": "did you mean 'abs'?", "fmax": "did you mean 'max'?", "fmin": "did you mean 'min'?"}

_METHODS: dict[type, Any] = {
    ast.Number: Exprs._number,
    ast.Name: Exprs._name,
    ast.Subscript: Exprs._place,
    ast.Select: Exprs._place,
    ast.Apply: Exprs._apply,
    ast.Paren: Exprs._paren,
    ast.Unary: Exprs._unary,
    ast.Binary: Exprs._binary,
    ast.Ternary: Exprs._ternary,
    ast.Cast: Exprs._cast,
    ast.Sum: Exprs._sum,
}
