"""What expressions mean, from the source text on: random ones are worked out with numpy while their text is written.

This is the check of the rules that compiler and evaluator share through the typed tree: precedence, the types of
mixed arithmetic, literals that adapt, conversions on assignment, the fused multiply-add (tungsten.md 1 and 4).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from hypothesis import HealthCheck, given, settings
from sample_kernels import kernel
from strategies import choosers

from diag.report import UserError, render
from tungsten.evaluate import evaluate

DTYPES: dict[str, Any] = {
    "xp": np.int16,
    "u16": np.uint16,
    "i32": np.int32,
    "u32": np.uint32,
    "hp": np.float16,
    "sp": np.float32,
}
RAW: dict[str, str] = {"xp": "<u2", "u16": "<u2", "i32": "<u4", "u32": "<u4", "hp": "<u2", "sp": "<u4"}
FLOATS = ("hp", "sp")
SIGNED = ("xp", "i32")
WIDTH = {"xp": 16, "u16": 16, "i32": 32, "u32": 32, "hp": 16, "sp": 32}
LEVELS = ("||", "&&", "|", "^", "&", "== !=", "< > <= >=", "<< >>", "+ -", "* / %")
LEVEL = {op: k + 1 for k, ops in enumerate(LEVELS) for op in ops.split()}
UNARY, POSTFIX = 11, 12
NUMBERS = {
    "int": ("0", "1", "2", "3", "7", "100", "255", "32767", "0x8000", "65535"),
    "float": ("0.0", "0.5", "1.5", "2.0", "0.1", "3.25", "1.0e-6", "7.0e4", "1.0e30"),
}


@dataclass
class Part:
    """An expression: its text and how tightly that binds, its kind (None: an untyped literal), its value. plain: a
    variable or constant; factors: of a product of two plain ones."""

    text: str
    level: int
    kind: str | None
    value: Any
    plain: bool = False
    factors: tuple[Part, Part] | None = None


def to(value: Any, kind: str) -> Any:
    """A conversion as on assignment."""
    if kind in FLOATS:
        return DTYPES[kind](np.float64(value))  # every value here is exact in a double
    if isinstance(value, float | np.floating):
        if value != value:
            return DTYPES[kind](0)
        info = np.iinfo(DTYPES[kind])
        return DTYPES[kind](info.max if value >= info.max else info.min if value <= info.min else int(value))
    return wrap(int(value), kind)


def wrap(number: int, kind: str) -> Any:
    return np.array(number & ((1 << WIDTH[kind]) - 1), RAW[kind]).view(DTYPES[kind])[()]


def typed(x: Part, kind: str) -> Any:
    """The value of a part in a kind that it adapts or converts to."""
    if x.kind is None and kind not in FLOATS:
        return wrap(int(x.value), kind)
    return to(x.value, kind)


def common(a: Part, b: Part) -> str:
    """The kind of arithmetic on two parts: float beats integer, the wider wins, unsigned beats signed."""
    kinds = [x.kind for x in (a, b) if x.kind is not None]
    if len(kinds) == 1:
        return kinds[0]
    floats = [k for k in kinds if k in FLOATS]
    if floats:
        return "sp" if "sp" in floats else "hp"
    widest = [k for k in kinds if WIDTH[k] == max(WIDTH[k] for k in kinds)]
    return next((k for k in widest if k not in SIGNED), widest[0])


def fma(a: Any, b: Any, c: Any, kind: str) -> Any:
    """a + b*c rounded once: of the numbers around it the nearest, the even one of two."""
    if not all(math.isfinite(x) for x in (a, b, c)):
        return DTYPES[kind](float(a) + float(b) * float(c))
    exact = Fraction(float(a)) + Fraction(float(b)) * Fraction(float(c))
    if exact == 0:
        return DTYPES[kind](float(a) + float(b) * float(c))
    near = DTYPES[kind](float(exact))
    if not math.isfinite(near):
        return near
    dtype = DTYPES[kind]
    around = [near, np.nextafter(near, dtype(np.inf)), np.nextafter(near, dtype(-np.inf))]
    finite = [x for x in around if math.isfinite(x)]
    best = min(finite, key=lambda x: (abs(Fraction(float(x)) - exact), int(x.view(RAW[kind])) & 1))
    return np.copysign(best, dtype(-1.0 if exact < 0 else 1.0))


def operate(op: str, x: Any, y: Any, kind: str) -> Any:
    if kind in FLOATS:
        return DTYPES[kind]({"+": x + y, "-": x - y, "*": x * y, "/": x / y if op == "/" else x}[op])
    a, b = int(x), int(y)
    if op in ("/", "%"):
        if b == 0:
            return wrap(-1, kind)
        q = abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)
        return wrap(q if op == "/" else a - q * b, kind)
    return wrap({"+": a + b, "-": a - b, "*": a * b, "&": a & b, "|": a | b, "^": a ^ b}[op], kind)


class Writer:
    """Writes expressions over variables of every kind."""

    def __init__(self, number: Callable[[int], int]) -> None:
        self.number = number
        self.variables = {f"{k}{n}": (k, self._value(k)) for k in DTYPES for n in range(2)}
        self.constants = {f"C{k}": (k, self._value(k)) for k in DTYPES}

    def one(self, choices: Any) -> Any:
        return choices[self.number(len(choices))]

    def _value(self, kind: str) -> Any:
        if kind in FLOATS:
            if self.number(3):
                exact = (1 + self.number(1 << 20) / (1 << 20)) * 2.0 ** (self.number(4) - 2)
                return DTYPES[kind](-exact if self.number(2) else exact)
            return DTYPES[kind](self.one((0.0, -0.0, 1.0, -1.5, 0.1, 3.3, -700.25, 1e-5, 6e4, 1 + 2**-10)))
        return wrap(self.one((0, 1, -1, 2, 3, 100, -77, 0x7FFF, 0x8000, 0x12345, -(2**31), 65535)), kind)

    def declarations(self) -> str:
        """Constants as bits where that can be written: floats as decimal fractions, which round back."""
        out = []
        for name, (kind, value) in {**self.variables, **self.constants}.items():
            text = repr(float(value)) if kind in FLOATS else str(int(value))
            out.append(f"{kind} {'const ' if name[0] == 'C' else ''}{name} = {text};")
        return "\n".join(out)

    # --- parts

    def leaf(self, kind: str | None = None) -> Part:
        names = {**self.variables, **self.constants}
        name = self.one([n for n, (k, _) in names.items() if kind in (None, k)])
        kind, value = names[name]
        return Part(name, POSTFIX, kind, value, plain=True)

    def literal(self, other: Part) -> Part:
        text = self.one(NUMBERS["float" if other.kind in FLOATS and self.number(3) else "int"])
        value = float(text) if "." in text else int(text, 0)
        return Part(text, POSTFIX, None, value, plain=True)

    def wrapped(self, x: Part, level: int) -> str:
        if x.level < level or self.number(12) == 0:
            x.plain, x.factors = False, None
            return f"({x.text})"
        return x.text

    def part(self, depth: int) -> Part:
        if depth == 0:
            return self.leaf()
        form = self.number(10)
        if form <= 3:
            return self.arithmetic(depth)
        if form == 4:
            return self.bits(depth)
        if form == 5:
            return self.truth(depth)
        if form == 6:
            return self.fused_looking()
        if form == 7:
            x, kind = self.part(depth - 1), self.one(tuple(DTYPES))
            return Part(f"({kind}) {self.wrapped(x, UNARY)}", UNARY, kind, typed(x, kind))
        if form == 8:
            return self.unary(depth)
        return self.choice(depth)

    def pair(self, depth: int) -> tuple[Part, Part]:
        a, b = self.part(depth - 1), self.part(depth - 1)
        if self.number(4) == 0:
            b = self.literal(a)
        return (b, a) if self.number(4) == 0 else (a, b)

    def combine(self, op: str, a: Part, b: Part) -> Part:
        """a op b of arithmetic."""
        level = LEVEL[op]
        text = f"{self.wrapped(a, level)} {op} {self.wrapped(b, level + 1)}"
        kind = common(a, b)
        if op in "+-" and a.plain and b.factors is not None:
            kinds = {x.kind for x in (a, *b.factors) if x.kind is not None}
            if len(kinds) == 1 and kind in FLOATS:
                p, q, r = (typed(x, kind) for x in (a, *b.factors))
                return Part(text, level, kind, fma(p, -q if op == "-" else q, r, kind))
        value = operate(op, typed(a, kind), typed(b, kind), kind)
        factors = (a, b) if op == "*" and a.plain and b.plain else None
        return Part(text, level, kind, value, factors=factors)

    def arithmetic(self, depth: int) -> Part:
        a, b = self.pair(depth)
        ops = ("+", "-", "*", "/") if common(a, b) in FLOATS else ("+", "-", "*", "/", "%", "&", "|", "^")
        op = self.one(ops)
        if op in ("/", "%") and (b.kind is None or b.plain):
            b = self.variable(tuple(k for k in DTYPES if (k in FLOATS) == (common(a, b) in FLOATS)))
        return self.combine(op, a, b)

    def fused_looking(self) -> Part:
        """a + b*c and a - b*c of variables, constants and literals, of one kind or not."""
        kind = self.one(FLOATS)
        a, b, c = (self.leaf(kind if self.number(5) else None) for _ in range(3))
        if self.number(4) == 0:
            b = self.literal(c)
        if self.number(6) == 0:
            a = self.literal(c)
        product = self.combine("*", b, c)
        if self.number(5) == 0:
            return self.combine(self.one(("+", "-")), product, self.leaf(kind))
        return self.combine(self.one(("+", "-")), a, product)

    def bits(self, depth: int) -> Part:
        """Shifts: of the left operand's kind, by any number."""
        a = self.integer(depth)
        n = self.variable(("xp", "u16", "i32", "u32"))  # no constant, which must not be negative
        if self.number(2):
            text = self.one(("0", "1", "5", "15", "16", "31", "32", "40"))
            n = Part(text, POSTFIX, None, int(text), plain=True)
        op = self.one(("<<", ">>"))
        assert a.kind is not None
        # Of a count all bits count, as unsigned ones of its own width.
        count = int(n.value) if n.kind is None else int(n.value) & ((1 << WIDTH[n.kind]) - 1)
        if n.kind in SIGNED and int(n.value) < 0:
            count = 10**6
        count = min(count, 64)
        value = wrap(int(a.value) << count if op == "<<" else int(a.value) >> count, a.kind)
        level = LEVEL[op]
        return Part(f"{self.wrapped(a, level)} {op} {self.wrapped(n, level + 1)}", level, a.kind, value)

    def integer(self, depth: int) -> Part:
        x = self.part(depth - 1)
        if x.kind in FLOATS:
            x = Part(f"(i32) {self.wrapped(x, UNARY)}", UNARY, "i32", to(x.value, "i32"))
        return x

    def variable(self, kinds: tuple[str, ...]) -> Part:
        name = self.one([n for n, (k, _) in self.variables.items() if k in kinds])
        return Part(name, POSTFIX, *self.variables[name], plain=True)

    def truth(self, depth: int) -> Part:
        form = self.number(4)
        if form == 0:
            x = self.part(depth - 1)
            return Part(f"!{self.wrapped(x, UNARY)}", UNARY, "xp", wrap(int(x.value == 0), "xp"))
        if form == 1:
            a, b = self.part(depth - 1), self.part(depth - 1)
            op = self.one(("&&", "||"))
            left, right = a.value != 0, b.value != 0
            level = LEVEL[op]
            text = f"{self.wrapped(a, level)} {op} {self.wrapped(b, level + 1)}"
            return Part(text, level, "xp", wrap(int(left and right if op == "&&" else left or right), "xp"))
        a, b = self.pair(depth)
        op = self.one(("<", ">", "<=", ">=", "==", "!="))
        kind = common(a, b)
        x, y = typed(a, kind), typed(b, kind)
        level = LEVEL[op]
        gap = self.one((" ", ""))
        text = f"{self.wrapped(a, level)}{gap}{op}{gap}{self.wrapped(b, level + 1)}"
        results = {"<": x < y, ">": x > y, "<=": x <= y, ">=": x >= y, "==": x == y, "!=": x != y}
        return Part(text, level, "xp", wrap(int(results[op]), "xp"))

    def unary(self, depth: int) -> Part:
        x = self.part(depth - 1)
        assert x.kind is not None
        form = self.number(4)
        if form == 0:
            value = -x.value if x.kind in FLOATS else wrap(-int(x.value), x.kind)
            return Part(f"-{self.wrapped(x, UNARY + 1)}", UNARY, x.kind, value)
        if form == 1 and x.kind not in FLOATS:
            return Part(f"~{self.wrapped(x, UNARY)}", UNARY, x.kind, wrap(~int(x.value), x.kind))
        if form == 2:
            value = abs(x.value) if x.kind in FLOATS else wrap(abs(int(x.value)), x.kind)
            return Part(f"abs({x.text})", POSTFIX, x.kind, value)
        a, b = self.pair(depth)
        kind = common(a, b)
        p, q = typed(a, kind), typed(b, kind)
        op = self.one(("max", "min"))
        if p != p or q != q:
            value = q if p != p else p
        else:
            value = q if (q > p if op == "max" else q < p) else p
        return Part(f"{op}({a.text}, {b.text})", POSTFIX, kind, value)

    def choice(self, depth: int) -> Part:
        test = self.truth(depth)
        a, b = self.pair(depth)
        kind = common(a, b)
        value = typed(a if test.value != 0 else b, kind)
        return Part(f"{self.wrapped(test, 1)} ? {self.wrapped(a, 1)} : {self.wrapped(b, 1)}", 0, kind, value)


def check(number: Callable[[int], int]) -> None:
    """Some expressions, written, evaluated and worked out."""
    writer = Writer(number)
    wanted: dict[str, tuple[str, Any, str]] = {}
    with np.errstate(all="ignore"):
        for n in range(6):
            x = writer.part(3) if n < 4 else writer.fused_looking()
            kind = writer.one(tuple(DTYPES)) if n < 4 or x.kind is None else x.kind
            wanted[f"r{n}"] = (kind, typed(x, kind), x.text)
    globals_ = "".join(f"{kind} {name};\n" for name, (kind, _, _) in wanted.items())
    body = "".join(f"  {name} = {text};\n" for name, (_, _, text) in wanted.items())
    text = f"{writer.declarations()}\n{globals_}main {{\n{body}}}\n"
    try:
        result = evaluate(kernel(text))
    except UserError as e:
        raise AssertionError("\n".join(render(d) for d in e.diagnostics)) from None
    for name, (kind, value, source) in wanted.items():
        got = np.array(result.memory[name], "<u2").view(DTYPES[kind])[0]
        same = got.view(RAW[kind]) == value.view(RAW[kind]) or (got != got and value != value)
        assert same, f"{name} = {source}: {got!r} instead of {value!r}\n{text}"


@settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))
@given(choosers())
def test_expressions_mean_what_numpy_says(number: Callable[[int], int]) -> None:
    check(number)
