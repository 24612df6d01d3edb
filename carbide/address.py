"""Where an lvalue lies: a base, a constant offset in words, and linear terms of run-time values.

All address arithmetic is modulo 2**16, as are 16-bit indices, and the low half of a wider integer is what counts; so
an index expression of + - * by constants, whatever its integer types, is linear without loss.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from math import gcd

from carbide.ir import Data, Reg
from carbide.walk import constant, key
from tungsten import tree as t
from tungsten.types import Array, Record, Scalar, Type


@dataclass(frozen=True)
class Term:
    """`coef` * the low 16 bits of `expr`, in words."""

    coef: int
    expr: t.Expr
    key: object


@dataclass(frozen=True)
class Base:
    """Where an array, record or scalar begins.

    data: the object when its place is constant; pointer: the variable in memory that holds the address (`.base` is
    assigned somewhere), or the register with the address of an argument; root: the object that it lies in, None when
    it may lie anywhere; absolute: a fixed address (root is None then, and so are data and pointer). `name` tells
    pointers apart.
    """

    root: Data | None
    data: Data | None = None
    pointer: Data | Reg | None = None
    offset: int = 0
    absolute: bool = False


@dataclass(frozen=True)
class Access:
    """One lvalue: base, offset in words from it, terms, and the type of what lies there."""

    base: Base
    offset: int
    terms: tuple[Term, ...]
    type: Type

    @property
    def words(self) -> int:
        return self.type.words

    def coefficient(self, symbol: t.Symbol) -> int:
        """Words by which the address moves when a variable grows by one."""
        return next((x.coef for x in self.terms if x.key is symbol), 0)

    def without(self, symbols: set[t.Symbol]) -> tuple[Term, ...]:
        """The terms of other variables."""
        return tuple(x for x in self.terms if not (isinstance(x.key, t.Symbol) and x.key in symbols))


Linear = tuple[int, dict[object, tuple[int, t.Expr]]]


def linear(e: t.Expr) -> Linear:
    """An integer expression as constant + sum of coefficient * atom (atom: variable or anything else), by the
    atom's key."""
    value = constant(e)
    if value is not None:
        return value, {}
    if isinstance(e, t.Cast) and _is_integer(e.type) and _is_integer(e.operand.type):
        return linear(e.operand)
    if isinstance(e, t.Unary) and e.op == "-" and _is_integer(e.type):
        return _scaled(linear(e.operand), -1)
    if isinstance(e, t.Binary) and _is_integer(e.type):
        if e.op == "+":
            return _sum(linear(e.left), linear(e.right))
        if e.op == "-":
            return _sum(linear(e.left), _scaled(linear(e.right), -1))
        if e.op == "*":
            for a, b in ((e.left, e.right), (e.right, e.left)):
                factor = constant(b)
                if factor is not None:
                    return _scaled(linear(a), factor)
        if e.op == "<<":
            count = constant(e.right)
            if count is not None and 0 <= count < 16:
                return _scaled(linear(e.left), 1 << count)
    return 0, {key(e): (1, e)}


def _is_integer(kind: Type) -> bool:
    return isinstance(kind, Scalar) and kind.is_integer


def _scaled(x: Linear, factor: int) -> Linear:
    return x[0] * factor, {k: (c * factor, e) for k, (c, e) in x[1].items()}


def _sum(a: Linear, b: Linear) -> Linear:
    terms = dict(a[1])
    for k, (c, e) in b[1].items():
        terms[k] = (terms[k][0] + c if k in terms else c, e)
    return a[0] + b[0], terms


def signed16(n: int) -> int:
    """A number modulo 2**16 as -32768 … 32767."""
    return (n + 0x8000 & 0xFFFF) - 0x8000


def index(base: Access, indices: list[t.Expr]) -> Access:
    """Subscripts of the outermost dimensions of an array."""
    assert isinstance(base.type, Array)
    dims, elem = base.type.dims, base.type.elem
    offset = base.offset
    terms: dict[object, tuple[int, t.Expr]] = {x.key: (x.coef, x.expr) for x in base.terms}
    for k, e in enumerate(indices):
        stride = elem.words
        for d in dims[k + 1 :]:
            stride *= d.extent or 0
        at, more = linear(e)
        offset, terms = _sum((offset, terms), (at * stride, {n: (c * stride, x) for n, (c, x) in more.items()}))
    rest = dims[len(indices) :]
    kind: Type = Array(elem, rest) if rest else elem
    kept = tuple(Term(signed16(c), e, k) for k, (c, e) in terms.items() if signed16(c))
    return Access(base.base, offset, kept, kind)


def member(base: Access, name: str, offset: int, kind: Type) -> Access:
    """A member of a record."""
    if isinstance(base.type, Record):
        f = base.type.field(name)
        kind = f.type if f is not None and isinstance(kind, Array) else kind
    return Access(base.base, base.offset + offset, base.terms, kind)


# ---------------------------------------------------------------- overlap


@dataclass(frozen=True)
class Steps:
    """How a walk goes: (count or None, words a step) of each level that moves it, outermost first."""

    levels: tuple[tuple[int | None, int], ...] = field(default=())

    @property
    def total(self) -> int | None:
        n = 1
        for count, _ in self.levels:
            if count is None:
                return None
            n *= count
        return n


ENUMERATE = 4096


def _offsets(steps: Steps) -> list[int]:
    out = [0]
    for count, step in steps.levels:
        assert count is not None
        out = [a + k * step for a in out for k in range(count)]
    return out


def _span(steps: Steps, words: int) -> tuple[int, int]:
    low = sum(min(0, ((c or 1) - 1) * s) for c, s in steps.levels)
    high = sum(max(0, ((c or 1) - 1) * s) for c, s in steps.levels)
    return low, high + words


def injective(steps: Steps, words: int) -> bool:
    """No two elements of the walk share a word."""
    moving = [(c, abs(s)) for c, s in steps.levels if c != 1]
    if len(moving) == 1:
        return moving[0][1] >= words
    reach = words
    for count, step in sorted(moving, key=lambda x: x[1]):
        if step < reach or count is None:
            return False
        reach += (count - 1) * step
    return True


def relation(a: Access, sa: Steps, b: Access, sb: Steps) -> str:
    """How two walks lie: "same" (element k of one is element k of the other), "apart" (no common word), "unknown".

    a, b: where their first elements lie; sa, sb: their steps.
    """
    x, y = a.base, b.base
    if x.root is not y.root:
        known = (x.root is not None or x.absolute) and (y.root is not None or y.absolute)
        return "apart" if known else "unknown"
    if x.pointer is not y.pointer or x.absolute != y.absolute:
        return "unknown"
    if _coefficients(a) != _coefficients(b):
        return "unknown"
    difference = signed16(x.offset + a.offset - (y.offset + b.offset))
    if difference == 0 and a.words == b.words and sa == sb:
        return "same"
    if sa.total is not None and sb.total is not None:
        if sa.total <= ENUMERATE and sb.total <= ENUMERATE:
            wa = {o + difference + w & 0xFFFF for o in _offsets(sa) for w in range(a.words)}
            wb = {o + w & 0xFFFF for o in _offsets(sb) for w in range(b.words)}
            return "unknown" if wa & wb else "apart"
        (low_a, high_a), (low_b, high_b) = _span(sa, a.words), _span(sb, b.words)
        if high_a + difference <= low_b or high_b <= low_a + difference:
            return "apart"
    step = 0
    for _, s in (*sa.levels, *sb.levels):
        step = gcd(step, s)
    if step:
        rest = difference % step
        if rest >= b.words and rest + a.words <= step:
            return "apart"
    return "unknown"


def _coefficients(a: Access) -> dict[object, int]:
    return {x.key: x.coef for x in a.terms}


def start(a: Access, lows: dict[t.Symbol, t.Expr]) -> Access:
    """Where a walk begins: the loop indices replaced by their lower bounds."""
    offset = a.offset
    terms: dict[object, tuple[int, t.Expr]] = {}
    for x in a.terms:
        if isinstance(x.key, t.Symbol) and x.key in lows:
            more = _scaled(linear(lows[x.key]), x.coef)
        else:
            more = 0, {x.key: (x.coef, x.expr)}
        offset, terms = _sum((offset, terms), more)
    kept = tuple(Term(signed16(c), e, k) for k, (c, e) in terms.items() if signed16(c))
    return Access(a.base, offset, kept, a.type)


Shape = tuple[tuple[int, int], ...]


def shape(levels: tuple[tuple[int | None, int], ...], words: int) -> Shape | None:
    """Levels (count or None, words a step), outermost first, as (count, elements a step), innermost first, with
    contiguous ones joined. A single pair is a strided run (its count 0 when it is not constant). None = no descriptor
    describes it."""
    out: list[tuple[int, int]] = []
    kept = [x for x in levels if x[0] != 1]
    if any(c is None for c, _ in kept):
        if len(kept) > 1 or kept[0][1] % words:
            return None
        return ((0, signed16(kept[0][1]) // words),)
    for count, step in reversed(kept):
        assert count is not None
        if step % words:
            return None
        stride = step // words
        if out and stride == out[-1][0] * out[-1][1]:
            out[-1] = (out[-1][0] * count, out[-1][1])
        else:
            out.append((count, stride))
    if not out:
        return ((1, 1),)
    fits = all(c <= 0xFFFF and -0x8000 <= s <= 0x7FFF for c, s in out)
    return tuple(out) if fits and len(out) <= 4 else None
