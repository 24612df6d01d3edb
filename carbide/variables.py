"""Variables of a routine: scalars in registers, everything else in memory; loops and the multiples of their index
that addresses need."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field

from carbide.address import Access, Base, Term, index, member, signed16
from carbide.builder import Builder, Value
from carbide.ir import Addr, Data, Imm, Reg, Routine
from carbide.kernel import Kernel
from carbide.select import file_of, scalar
from carbide.storage import Owner
from carbide.walk import has_effects
from diag.spans import Span
from fabric.descriptor import IBLOCK_POSITION
from tungsten import tree as t
from tungsten.types import Scalar, Type


@dataclass(eq=False)
class Loop:
    """A scalar loop that is being lowered.

    at: where in the code its preparations stand; scaled: multiple -> register that holds index * multiple modulo
    2**16, made on demand and stepped along with the loop; wide: the index itself where it has 32 bits; walks: blocks
    of descriptors that go along with the loop and start where it starts.
    """

    symbol: t.Symbol
    low: Value
    at: int
    depth: int
    bounds: tuple[int, int] | None
    span: Span | None
    number: int
    scaled: dict[int, Reg] = field(default_factory=dict)
    walks: list[Data] = field(default_factory=list)
    wide: Reg | None = None


class Variables(Builder, ABC):
    """A routine's variables. `owner`: the copy of a function whose locals are meant, None at top level."""

    def __init__(self, kernel: Kernel, routine: Routine, owner: Owner) -> None:
        super().__init__(routine)
        self.kernel = kernel
        self.owner = owner
        self.regs: dict[t.Symbol, Reg] = {}
        self.constants: dict[t.Symbol, Imm] = {}  # parameters whose argument is a constant
        self.bindings: dict[t.Symbol, Access] = {}
        self.loops: dict[t.Symbol, Loop] = {}
        self.straight: Loop | None = None  # the loop in whose every round the current statement runs once

    @abstractmethod
    def value(self, e: t.Expr, into: Reg | None = None) -> Value:
        """The value of a scalar expression (the last operation writes `into`, if given and if there is one)."""

    # --- where variables are

    def in_memory(self, symbol: t.Symbol) -> bool:
        """The variable has a place in memory, else a register."""
        if symbol.storage not in ("local", "param") or not isinstance(symbol.type, Scalar):
            return symbol.storage != "index"
        return symbol in self.kernel.memory_locals or symbol.rebased or symbol.base_read or symbol.type.kind == "stream"

    def variable(self, symbol: t.Symbol) -> Reg:
        """The register of a scalar local."""
        found = self.regs.get(symbol)
        if found is None:
            found = self.regs[symbol] = Reg(file_of(symbol.type), symbol.name)
        return found

    def access(self, lv: t.LValue) -> Access:
        """Where an lvalue in memory lies."""
        if isinstance(lv, t.Var):
            bound = self.bindings.get(lv.symbol)
            if bound is not None:
                return bound
            return Access(self.kernel.storage.base(lv.symbol, self.owner), 0, (), lv.symbol.type)
        base = self.access(lv.base)
        if isinstance(lv, t.Member):
            return member(base, lv.name, lv.offset, lv.type)
        return index(base, lv.indices)

    def is_register(self, lv: t.Expr) -> bool:
        """A scalar variable (or loop index) that lives in a register."""
        return isinstance(lv, t.Var) and not self.in_memory(lv.symbol)

    # --- addresses

    def low_half(self, e: t.Expr) -> Value:
        """The low 16 bits of an integer expression."""
        v = self.value(e)
        if isinstance(v, Imm):
            return Imm(v.bits & 0xFFFF)
        words = scalar(e.type).words
        if words == 4:
            v = self.compute("low32", "D", (v,), files="Q")
        return self.address("low16", (v,)) if words >= 2 else v

    def _term(self, x: Term) -> Value:
        loop = self.loops.get(x.key) if isinstance(x.key, t.Symbol) else None
        if loop is not None:
            return self.scaled(loop, x.coef)
        return self.times(self.low_half(x.expr), x.coef)

    def times(self, v: Value, factor: int) -> Value:
        """A 16-bit value times a constant."""
        factor = signed16(factor)
        if isinstance(v, Imm):
            return Imm(v.bits * factor & 0xFFFF)
        if factor == 1:
            return v
        if factor > 0 and factor & (factor - 1) == 0:
            return self.address("sll16", (v, Imm(factor.bit_length() - 1)))
        return self.address("mul16", (v, Imm(factor & 0xFFFF)))

    def _rank(self, x: Term) -> int:
        loop = self.loops.get(x.key) if isinstance(x.key, t.Symbol) else None
        return -1 if loop is None else loop.depth

    def pointer_value(self, base: Base) -> Reg | None:
        """The register with a base's run-time address, None for a constant place."""
        if isinstance(base.pointer, Reg):
            return base.pointer
        if base.pointer is None:
            return None
        out = self.reg("R", "base")
        self.op("ld16", out, (), (Addr(base.pointer),))
        return out

    def point(self, base: Base, offset: int, terms: tuple[Term, ...]) -> tuple[Reg | None, Addr | int]:
        """An address as register part (or None) and constant part."""
        total: Value | None = self.pointer_value(base)
        for x in sorted(terms, key=self._rank):
            v = self._term(x)
            if isinstance(v, Imm):
                offset += v.bits
            else:
                total = v if total is None else self.address("add16", (total, v))
        assert total is None or isinstance(total, Reg)
        return total, (Addr(base.data, offset) if base.data is not None else offset & 0xFFFF)

    def address_value(self, base: Base, offset: int, terms: tuple[Term, ...]) -> Value:
        """An address as a 16-bit value."""
        register, rest = self.point(base, offset, terms)
        if register is None:
            return rest if isinstance(rest, Addr) else Imm(rest)
        if rest == 0:
            return register
        return self.address("add16", (register, Imm(rest) if isinstance(rest, int) else rest))

    def pinned(self, a: Access) -> Access:
        """The same place, to be used more than once: subscripts that have effects are evaluated now."""
        if not any(has_effects(x.expr) for x in a.terms):
            return a
        register = self.in_register(self.address_value(a.base, a.offset, a.terms), "R")
        return Access(Base(a.base.root, pointer=register), 0, (), a.type)

    # --- loads and stores

    def load(self, a: Access, kind: Type, into: Reg | None = None) -> Reg:
        """Loads a scalar from memory."""
        register, rest = self.point(a.base, a.offset, a.terms)
        bits = 16 * kind.words
        out = into if into is not None else self.reg(file_of(kind))
        if register is None:
            assert isinstance(rest, Addr)
            self.op(f"ld{bits}", out, (), (rest,))
        else:
            self.op(f"ld{bits}x", out, (register,), (rest,))
        return out

    def store(self, a: Access, kind: Type, value: Value) -> None:
        """Stores a scalar to memory."""
        register, rest = self.point(a.base, a.offset, a.terms)
        bits = 16 * kind.words
        if register is None:
            assert isinstance(rest, Addr)
            self.op(f"st{bits}", None, (value,), (rest,))
        else:
            self.op(f"st{bits}x", None, (register, value), (rest,))

    def assign(self, lv: t.LValue, value: Value) -> None:
        """Gives a scalar variable, element or member a value."""
        if isinstance(lv, t.Var) and not self.in_memory(lv.symbol):
            self.move(self.variable(lv.symbol), value)
        else:
            self.store(self.access(lv), lv.type, value)

    # --- loops

    def scaled(self, loop: Loop, coef: int) -> Reg:
        """The register that holds index * coef throughout the loop."""
        coef = signed16(coef)
        found = loop.scaled.get(coef)
        if found is None:
            name = loop.symbol.name if coef == 1 else f"{loop.symbol.name}*{coef}"
            found = loop.scaled[coef] = Reg("R", name)
        return found

    def index_value(self, symbol: t.Symbol) -> Reg:
        """The value of a loop index."""
        loop = self.loops[symbol]
        if symbol.type.words == 1:
            return self.scaled(loop, 1)
        if loop.wide is None:
            loop.wide = Reg("D", symbol.name)
        return loop.wide

    def step(self, loop: Loop) -> None:
        """The end of a loop's body: the index and its multiples move on."""
        for coef, r in loop.scaled.items():
            self.op("add16", r, (r, Imm(coef & 0xFFFF)))
        if loop.wide is not None:
            self.op("add32", loop.wide, (loop.wide, Imm(1)))

    def prepare(self, loop: Loop) -> None:
        """Puts the starting values of a loop's registers before it, once its body has said which it needs."""
        tail = self.code[loop.at :]
        del self.code[loop.at :]
        span, number = self.span, self.number
        self.span, self.number = loop.span, loop.number
        low = loop.low
        for block in loop.walks:
            self.op("st64", None, (Imm(0),), (Addr(block, IBLOCK_POSITION),))
        if loop.wide is not None:
            self.move(loop.wide, low)
        if not isinstance(low, Imm) and loop.scaled and loop.symbol.type.words == 2:
            low = self.compute("low16", "R", (low,), files="D")
        for coef, r in loop.scaled.items():
            if isinstance(low, Imm):
                self.op("mov16", r, (Imm(low.bits * coef & 0xFFFF),))
            elif coef == 1:
                self.move(r, low)
            else:
                self.compute("mul16", "R", (low, Imm(coef & 0xFFFF)), into=r)
        self.span, self.number = span, number
        self.code += tail

    def in_bounds(self, a: Access) -> bool:
        """The address certainly lies in the object, so that a load that is not wanted does no harm."""
        root = a.base.root
        if root is None:
            return False
        low = high = a.base.offset + a.offset
        for x in a.terms:
            loop = self.loops.get(x.key) if isinstance(x.key, t.Symbol) else None
            if loop is None or loop.bounds is None:
                return False
            ends = (loop.bounds[0] * x.coef, (loop.bounds[1] - 1) * x.coef)
            low, high = low + min(ends), high + max(ends)
        return low >= 0 and high + a.words <= root.words

