"""Expressions: values in registers, truth in predicates, branches (tungsten.md 4)."""

from __future__ import annotations

from abc import abstractmethod

from carbide import select
from carbide.builder import Value
from carbide.extremes import plain
from carbide.ir import Addr, Imm, Label, Mem1, Reg
from carbide.select import file_of, scalar
from carbide.variables import Variables
from carbide.walk import constant, nodes
from tungsten import tree as t
from tungsten.types import XP, Scalar

PLAIN_NODES = 12  # an expression of at most this many nodes is evaluated rather than jumped around


class Expressions(Variables):
    """Values, conditions and branches."""

    @abstractmethod
    def call(self, node: t.Call, into: Reg | None) -> Value | None:
        """Calls a function; its result, None when it has none."""

    @abstractmethod
    def receive(self, node: t.Recv, into: Reg | None) -> Reg:
        """One element of a socket, FIFO, iterator or stream."""

    # --- values

    def value(self, e: t.Expr, into: Reg | None = None) -> Value:
        """The value of a scalar expression; the last operation writes `into`, if given and if there is one."""
        if isinstance(e, t.Const):
            return Imm(e.bits)
        if isinstance(e, t.Var):
            if e.symbol.storage == "index" and e.symbol in self.loops:
                return self.index_value(e.symbol)
            if not self.in_memory(e.symbol):
                known = self.constants.get(e.symbol)
                return known if known is not None else self.variable(e.symbol)
            return self.load(self.access(e), e.type, into)
        if isinstance(e, t.Index | t.Member):
            return self.load(self.access(e), e.type, into)
        if isinstance(e, t.BaseOf):
            return self._base_of(e)
        if isinstance(e, t.Recv):
            return self.receive(e, into)
        if isinstance(e, t.Unary):
            return self._unary(e, into)
        if isinstance(e, t.Binary):
            return self._binary(e, into)
        if isinstance(e, t.Compare | t.Logic):
            return self._truth_value(e, into)
        if isinstance(e, t.Cond):
            extreme = plain(e)
            return self._binary(extreme, into) if isinstance(extreme, t.Binary) else self._conditional(e, into)
        if isinstance(e, t.Cast):
            return self._cast(e, into)
        if isinstance(e, t.Fma):
            return self._fused(e, into)
        if isinstance(e, t.Wavelet):
            return self._wavelet(e, into)
        if isinstance(e, t.Call):
            out = self.call(e, into)
            return out if out is not None else Imm(0)
        return self._capture(e, into)

    def value_into(self, e: t.Expr, dest: Reg) -> None:
        """Computes an expression into a register."""
        self.move(dest, self.value(e, dest))

    def in_reg(self, e: t.Expr) -> Reg:
        """The value of an expression in a register."""
        return self.in_register(self.value(e), file_of(e.type))

    def _base_of(self, e: t.BaseOf) -> Value:
        bound = self.bindings.get(e.symbol)
        if bound is not None:
            return self.address_value(bound.base, bound.offset, bound.terms)
        return self.address_value(self.kernel.storage.base(e.symbol, self.owner), 0, ())

    def _unary(self, e: t.Unary, into: Reg | None) -> Value:
        kind = scalar(e.type)
        v = self.value(e.operand)
        file = file_of(kind)
        if e.op == "abs":
            if kind.is_float:
                return self.compute(f"fabs{select.letter(kind)}", file, (v,), into)
            return self.compute(f"abs{kind.bits}", file, (v,), into) if kind.is_signed else v
        if e.op == "~":
            return self.compute(f"xor{kind.bits}", file, (v, Imm((1 << kind.bits) - 1)), into)
        if kind.is_float:
            return self.compute(f"fneg{select.letter(kind)}", file, (v,), into)
        return self.compute(f"sub{kind.bits}", file, (Imm(0), v), into)

    def _binary(self, e: t.Binary, into: Reg | None) -> Value:
        left = self.value(e.left)
        right = self.value(e.right)
        return self.compute(select.binary(e.op, e.type), file_of(e.type), (left, right), into)

    def _cast(self, e: t.Cast, into: Reg | None) -> Value:
        assert isinstance(e.operand.type, Scalar)
        v = self.value(e.operand, into if not select.convert(e.operand.type, e.type) else None)
        path = select.convert(e.operand.type, e.type)
        file = file_of(e.operand.type)
        for k, (row, kind) in enumerate(path):
            v = self.compute(row, file_of(kind), (v,), into if k + 1 == len(path) else None, files=file)
            file = file_of(kind)
        return v

    def _fused(self, e: t.Fma, into: Reg | None) -> Value:
        kind = scalar(e.type)
        row = ("fmss" if kind.name == "sp" else "fmsh") if e.negate else "fmac" + select.letter(kind)
        a, b, c = self.value(e.a), self.value(e.b), self.value(e.c)
        if isinstance(b, Imm):
            b, c = c, b
        return self.compute(row, file_of(kind), (a, b, c), into)

    def _wavelet(self, e: t.Wavelet, into: Reg | None) -> Value:
        """Index high, value low."""
        low, high = self._half(e.value), self._half(e.index)
        if isinstance(low, Imm) and isinstance(high, Imm):
            return Imm(high.bits << 16 | low.bits)
        if isinstance(high, Imm):
            wide = self.compute("zext32", "D", (low,), files="R")
            return self.compute("or32", "D", (wide, Imm(high.bits << 16)), into) if high.bits else wide
        top = self.compute("zext32", "D", (high,), files="R")
        top = self.compute("sll32", "D", (top, Imm(16)))
        if isinstance(low, Imm):
            return self.compute("or32", "D", (top, Imm(low.bits)), into) if low.bits else top
        return self.compute("or32", "D", (top, self.compute("zext32", "D", (low,), files="R")), into)

    def _half(self, e: t.Expr) -> Value:
        """The 16 bits of a value of 16 bits, or the low ones of a wider integer."""
        return self.low_half(e) if e.type.words > 1 else self.value(e)

    def _capture(self, e: t.Capture, into: Reg | None) -> Reg:
        """The DSD value of a socket or an iterator; an iterator's walk goes on from where it is, for itself."""
        descriptor, block = self.kernel.storage.capture(e)
        if block is not None:
            assert isinstance(e.source, t.Iterator)
            _, original = self.kernel.storage.iterator(e.source)
            self.op(
                "mov16",
                Mem1(Addr(block), block.words, 1, 1),
                (Mem1(Addr(original), original.words, 1, 1),),
            )
        out = into if into is not None else self.reg("Q")
        self.op("ld64", out, (), (Addr(descriptor),))
        return out

    # --- truth

    def _is_plain(self, e: t.Expr) -> bool:
        """Cheap, without effects, and without a load that might leave the memory: may be evaluated though unwanted."""
        count = 0
        for n in nodes(e):
            count += 1
            if isinstance(n, t.Recv | t.Call | t.Capture) or count > PLAIN_NODES:
                return False
            if isinstance(n, t.Binary) and n.op in "/%":
                return False
            if isinstance(n, t.Index | t.Member) and isinstance(n.type, Scalar):
                if not self.in_bounds(self.access(n)):
                    return False
        return True

    def _operands_of_test(self, e: t.Expr) -> tuple[str, tuple[Value, Value], str, bool]:
        """A condition up to its compare: row, sources, their file, and whether the predicate's negation is meant."""
        negated = False
        while isinstance(e, t.Logic) and e.op == "!":
            e, negated = e.left, not negated
        if isinstance(e, t.Compare):
            op, kind = e.op, scalar(e.left.type)
            left, right = self.value(e.left), self.value(e.right)
            if negated and (not kind.is_float or op in ("==", "!=")):
                op, negated = select.OPPOSITE[op], False
            if not isinstance(left, Reg) and isinstance(right, Reg):
                left, right, op = right, left, select.MIRROR[op]
            return select.compare(op, kind), (left, right), file_of(kind), negated
        kind = scalar(e.type)
        op = "==" if negated else "!="
        return select.compare(op, kind), (self.value(e), Imm(0)), file_of(kind), False

    def _compare(self, row: str, values: tuple[Value, Value], file: str, pred: Reg | None = None) -> Reg:
        """Writes the compare."""
        left = self.in_register(values[0], file)
        out = self.reg("P")
        self.op(row, out, (left, values[1]))
        return out

    def predicate(self, e: t.Expr) -> tuple[Reg, bool]:
        """The truth of an expression as a predicate, and whether its negation is meant."""
        joined = self._joined(e, False)
        if joined is not None:
            return joined, False
        row, values, file, negated = self._operands_of_test(e)
        return self._compare(row, values, file), negated

    def _joined(self, e: t.Expr, negated: bool) -> Reg | None:
        """`a && b` and `a || b` of plain compares without a branch: the second compare is itself predicated."""
        while isinstance(e, t.Logic) and e.op == "!":
            e, negated = e.left, not negated
        if isinstance(e, t.Logic) and e.right is not None:
            if not (self._is_plain(e.right) and self._joinable(e.left, negated) and self._joinable(e.right, negated)):
                return None
            left = self._joined(e.left, negated) or self._single(e.left, negated, None, False)
            both = (e.op == "&&") != negated
            return self._single(e.right, negated, left, not both)
        return None

    def _joinable(self, e: t.Expr, negated: bool) -> bool:
        """The condition, or its negation, has a compare of its own (a NaN makes the negation of `<` none)."""
        while isinstance(e, t.Logic) and e.op == "!":
            e, negated = e.left, not negated
        if isinstance(e, t.Logic):
            assert e.right is not None
            left, right = self._joinable(e.left, negated), self._joinable(e.right, negated)
            return left and right and not isinstance(_stripped(e.right), t.Logic) and self._is_plain(e.right)
        if isinstance(e, t.Compare):
            return not negated or not scalar(e.left.type).is_float or e.op in ("==", "!=")
        return True

    def _single(self, e: t.Expr, negated: bool, into: Reg | None, when: bool) -> Reg:
        """One compare; with `into` it is executed only where that predicate is not `when`, which it then decides."""
        test: t.Expr = t.Logic(e.span, XP, "!", e, None) if negated else e
        row, values, file, left_over = self._operands_of_test(test)
        assert not left_over
        if into is None:
            return self._compare(row, values, file)
        left = self.in_register(values[0], file)
        self.op(row, into, (left, values[1]), pred=into, negated=when)
        return into

    def branch(self, e: t.Expr, target: Label, when: bool) -> None:
        """Jumps to the target if the truth of the expression is `when`, else goes on."""
        while isinstance(e, t.Logic) and e.op == "!":
            e, when = e.left, not when
        known = constant(e)
        if isinstance(e, t.Const):
            truth = known != 0 if not scalar(e.type).is_float else e.bits << 1 & (1 << scalar(e.type).bits) - 1 != 0
            if truth == when:
                self.jump(target)
            return
        if isinstance(e, t.Logic):
            joined = self._joined(e, False)
            if joined is not None:
                self.jump(target, joined, not when)
                return
            assert e.right is not None
            if (e.op == "&&") != when:
                self.branch(e.left, target, when)
                self.branch(e.right, target, when)
            else:
                skip = self.label("skip")
                self.branch(e.left, skip, not when)
                self.branch(e.right, target, when)
                self.put(skip)
            return
        pred, negated = self.predicate(e)
        self.jump(target, pred, negated == when)

    def _truth_value(self, e: t.Compare | t.Logic, into: Reg | None) -> Reg:
        """The truth as 0 or 1."""
        if isinstance(e, t.Compare) or self._is_plain(e) and self._joinable(e, False):
            pred, negated = self.predicate(e)
            out = into if into is not None else self.reg("R")
            self.op("mov16", out, (Imm(int(negated)),))
            self.op("mov16", out, (Imm(int(not negated)),), pred=pred)
            return out
        out = self.reg("R")
        false, end = self.label("false"), self.label("end")
        self.branch(e, false, False)
        self.op("mov16", out, (Imm(1),))
        self.jump(end)
        self.put(false)
        self.op("mov16", out, (Imm(0),))
        self.put(end)
        return out

    def _conditional(self, e: t.Cond, into: Reg | None) -> Value:
        known = constant(e.test)
        if known is not None:
            return self.value(e.then if known else e.other, into)
        file = file_of(e.type)
        if self._is_plain(e.then) and self._is_plain(e.other) and not _is_logic(e.test):
            row, values, cmp_file, negated = self._operands_of_test(e.test)
            a = self.in_register(self.value(e.then), file)
            b = self.in_register(self.value(e.other), file)
            pred = self._compare(row, values, cmp_file)
            out = into if into is not None else self.reg(file)
            if negated:
                a, b = b, a
            self.op(f"select{16 * e.type.words}", out, (a, b, pred))
            return out
        out = self.reg(file)
        other, end = self.label("else"), self.label("end")
        self.branch(e.test, other, False)
        self.value_into(e.then, out)
        self.jump(end)
        self.put(other)
        self.value_into(e.other, out)
        self.put(end)
        return out


def _stripped(e: t.Expr) -> t.Expr:
    while isinstance(e, t.Logic) and e.op == "!":
        e = e.left
    return e


def _is_logic(e: t.Expr) -> bool:
    inner = _stripped(e)
    return isinstance(inner, t.Logic)

