"""Scalar arithmetic of the evaluator on numpy scalars (tungsten.md 4, hardware.md 14.9).

A value of type xp is an np.int16, of type sp an np.float32 and so on; wv counts as np.uint32, a DSD value as
np.uint64. Plain operations are numpy's own, one rounding each; fused ones and integer-to-float conversions are
exact fractions rounded once. Where numpy and the language differ (division of integers, wide shifts, NaN patterns,
minimum and maximum) the rule is written out.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np

from tungsten.types import Scalar, Type

Value = Any  # a numpy scalar

_VALUES: dict[str, Any] = {
    "xp": np.int16,
    "u16": np.uint16,
    "i32": np.int32,
    "u32": np.uint32,
    "u64": np.uint64,
    "hp": np.float16,
    "sp": np.float32,
    "wv": np.uint32,
    "stream": np.uint64,
}
_RAW: dict[int, Any] = {1: np.uint16, 2: np.uint32, 4: np.uint64}
_QUIET = {"hp": 0x7E00, "sp": 0x7FC00000}
# Bits of the significand, exponent of the least normal number, exponent of the greatest.
_LAYOUT = {"hp": (11, -14, 15), "sp": (24, -126, 127)}


def scalar(t: Type) -> Scalar:
    """The type as a scalar type; the typed tree has no other here."""
    assert isinstance(t, Scalar), f"{t} is no scalar type"
    return t


def from_bits(bits: int, t: Scalar) -> Value:
    """The value of a pattern."""
    return _RAW[t.words](bits & ((1 << t.bits) - 1)).view(_VALUES[t.name])


def to_bits(value: Value, t: Scalar) -> int:
    """The pattern of a value, as an unsigned number."""
    return int(value.view(_RAW[t.words]))


def from_int(number: int, t: Scalar) -> Value:
    """An integer in an integer type; it wraps."""
    return from_bits(number, t)


def truth(value: Value) -> bool:
    """What counts as true: anything but zero (a NaN too)."""
    return bool(value != 0)


def quiet(value: Value, t: Scalar) -> Value:
    """A result; any NaN as the one NaN that operations produce."""
    return from_bits(_QUIET[t.name], t) if value != value else value


def nearest(exact: Fraction, t: Scalar) -> Value:
    """The number of a float type nearest to an exact one, ties to even; too large ones become infinite."""
    digits, least, greatest = _LAYOUT[t.name]
    size = abs(exact)
    exponent = least
    while size >= Fraction(2) ** (exponent + 1):
        # The lengths bound the exponent from below; the loop makes the last step.
        exponent = max(exponent + 1, size.numerator.bit_length() - size.denominator.bit_length() - 1)
    step = exponent - (digits - 1)
    units = round(size / Fraction(2) ** step)
    if units * Fraction(2) ** step >= Fraction(2) ** (greatest + 1):
        double = math.inf
    else:
        double = math.ldexp(units, step)
    return _VALUES[t.name](-double if exact < 0 else double)


def fused(a: Value, b: Value, c: Value, t: Scalar, negate: bool = False) -> Value:
    """a + b*c, or a - b*c, with one rounding."""
    x, y, z = float(a), float(b), float(c)
    if negate:
        y = -y
    if not (math.isfinite(x) and math.isfinite(y) and math.isfinite(z)):
        return quiet(_VALUES[t.name](x + y * z), t)
    exact = Fraction(x) + Fraction(y) * Fraction(z)
    if exact == 0:
        # Both zeros of one sign keep it; everything else that sums to nothing is +0.
        product_negative = math.copysign(1.0, y) * math.copysign(1.0, z) < 0
        both = x == 0 and (y == 0 or z == 0) and product_negative and math.copysign(1.0, x) < 0
        return _VALUES[t.name](-0.0 if both else 0.0)
    return nearest(exact, t)


def convert(value: Value, source: Scalar, target: Scalar) -> Value:
    """A conversion between scalar types; a wv exchanges bits (all of a 32-bit type's, the low 16 of a smaller's)."""
    if source == target:
        return value
    if "wave" in (source.kind, target.kind) or "stream" in (source.kind, target.kind):
        return from_bits(to_bits(value, source), target)
    if source.is_float and target.is_float:
        with np.errstate(all="ignore"):
            return quiet(_VALUES[target.name](value), target)
    if source.is_float:
        return from_int(_whole(float(value), target), target)
    if target.is_float:
        return nearest(Fraction(int(value)), target)
    return from_int(int(value), target)


def _whole(x: float, t: Scalar) -> int:
    """Toward zero, saturating, NaN gives 0."""
    if x != x:
        return 0
    low = -(1 << (t.bits - 1)) if t.is_signed else 0
    high = (1 << (t.bits - (1 if t.is_signed else 0))) - 1
    if math.isinf(x):
        return high if x > 0 else low
    return min(max(int(x), low), high)


def unary(op: str, value: Value, t: Scalar) -> Value:
    """-, ~ and abs. Of a float - and abs touch the sign bit alone."""
    bits = to_bits(value, t)
    if t.is_float:
        sign = 1 << (t.bits - 1)
        return from_bits(bits ^ sign if op == "-" else bits & ~sign, t)
    if op == "~":
        return from_bits(~bits, t)
    number = int(value)
    return from_int(-number if op == "-" else abs(number), t)


def binary(op: str, a: Value, b: Value, t: Scalar) -> Value:
    """a op b of one type: + - * / % & | ^ << >> min max."""
    if op in ("min", "max"):
        return _pick(op, a, b, t)
    with np.errstate(all="ignore"):
        if t.is_float:
            return quiet(_VALUES[t.name](_arithmetic(op, a, b)), t)
        if op in ("+", "-", "*"):
            return _arithmetic(op, a, b)
    if op in ("&", "|", "^"):
        x, y = to_bits(a, t), to_bits(b, t)
        return from_bits(x & y if op == "&" else x | y if op == "|" else x ^ y, t)
    if op in ("<<", ">>"):
        return _shift(op, a, to_bits(b, t), t)
    return _quotient(op, int(a), int(b), t)


def _arithmetic(op: str, a: Value, b: Value) -> Value:
    if op == "+":
        return a + b
    if op == "-":
        return a - b
    return a * b if op == "*" else a / b


def _shift(op: str, a: Value, count: int, t: Scalar) -> Value:
    """A count of the width or more shifts everything out; a negative one is a large one."""
    number = int(a)
    if op == "<<":
        return from_int(number << count, t) if count < t.bits else from_int(0, t)
    return from_int(number >> min(count, t.bits), t)  # of a signed number: arithmetic


def _quotient(op: str, a: int, b: int, t: Scalar) -> Value:
    """Toward zero; the remainder has the sign of the dividend; by zero both are all ones."""
    if b == 0:
        return from_int(-1, t)
    quotient = abs(a) // abs(b) * (-1 if (a < 0) != (b < 0) else 1)
    return from_int(quotient if op == "/" else a - quotient * b, t)


def _pick(op: str, a: Value, b: Value, t: Scalar) -> Value:
    """Equal operands give the first, a NaN and a number the number, two NaN the quiet one."""
    if a != a and b != b:
        return quiet(a, t)
    if a != a:
        return b
    if b != b:
        return a
    return b if (b > a if op == "max" else b < a) else a


def compare(op: str, a: Value, b: Value) -> bool:
    """Two values of one type; false with a NaN, but for !=."""
    if op == "==":
        return bool(a == b)
    if op == "!=":
        return bool(a != b)
    if op == "<":
        return bool(a < b)
    if op == ">":
        return bool(a > b)
    return bool(a <= b) if op == "<=" else bool(a >= b)


def zero(t: Scalar) -> Value:
    """Zero of a type, +0 of a float."""
    return from_bits(0, t)
