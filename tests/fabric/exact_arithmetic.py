"""Reference arithmetic for the tests: rational numbers and numpy, none of the project's own arithmetic."""

from __future__ import annotations

import math
from fractions import Fraction

# name: (exponent bits, mantissa bits, bias)
LAYOUT = {"fp32": (8, 23, 127), "fp16": (5, 10, 15), "cb16": (6, 9, 31), "bf16": (8, 7, 127)}

# A value is a Fraction, or one of these.
INF, NINF, NAN, NZERO = "inf", "-inf", "nan", "-0"
Value = Fraction | str


def width(fmt: str) -> int:
    e, m, _ = LAYOUT[fmt]
    return 1 + e + m


def value(bits: int, fmt: str) -> Value:
    """What a pattern stands for, by the definition of the layout."""
    e_bits, m_bits, bias = LAYOUT[fmt]
    digits = format(bits, f"0{width(fmt)}b")
    negative, e, m = digits[0] == "1", int(digits[1 : 1 + e_bits], 2), int(digits[1 + e_bits :], 2)
    if e == 2**e_bits - 1:
        return NAN if m else NINF if negative else INF
    x = Fraction(m, 2**m_bits) + (1 if e else 0)
    x *= Fraction(2) ** ((e or 1) - bias)
    return NZERO if negative and x == 0 else -x if negative else x


def nearest(x: Fraction, fmt: str, negative_zero: bool = False) -> int:
    """The pattern nearest to a rational, ties to even (Python's round of a Fraction is that)."""
    e_bits, m_bits, bias = LAYOUT[fmt]
    sign = 1 << (e_bits + m_bits)
    if x == 0:
        return sign if negative_zero else 0
    size = abs(x)
    e = size.numerator.bit_length() - size.denominator.bit_length()
    if Fraction(2) ** e > size:
        e -= 1
    e = max(e, 1 - bias)
    steps = round(size / Fraction(2) ** (e - m_bits))
    size = steps * Fraction(2) ** (e - m_bits)
    top = 2**e_bits - 2 - bias
    if size >= Fraction(2) ** (top + 1):
        bits = (2**e_bits - 1) << m_bits
    else:
        e = max(size.numerator.bit_length() - size.denominator.bit_length(), -bias - m_bits - 2)
        if size and Fraction(2) ** e > size:
            e -= 1
        if size < Fraction(2) ** (1 - bias):
            bits = int(size / Fraction(2) ** (1 - bias - m_bits))
        else:
            bits = ((e + bias) << m_bits) + int(size / Fraction(2) ** (e - m_bits)) - 2**m_bits
    return bits | (sign if x < 0 else 0)


def quiet_nan(fmt: str) -> int:
    e_bits, m_bits, _ = LAYOUT[fmt]
    return ((2**e_bits - 1) << m_bits) | 1 << (m_bits - 1)


def infinity(fmt: str, negative: bool) -> int:
    e_bits, m_bits, _ = LAYOUT[fmt]
    return ((2**e_bits - 1) << m_bits) | (negative << (e_bits + m_bits))


def _float(v: Value) -> float:
    """A stand-in that has the sign and the class of the value; finite non-zero values become +-1."""
    if isinstance(v, str):
        return float(v)
    return 0.0 if v == 0 else math.copysign(1.0, v)


def _special(x: float, fmt: str) -> int:
    return quiet_nan(fmt) if x != x else infinity(fmt, x < 0)


def _finite(v: Value) -> Fraction:
    return Fraction(0) if v == NZERO else v  # type: ignore[return-value]


def _is_special(v: Value) -> bool:
    return v in (INF, NINF, NAN)


def add(a: Value, b: Value, fmt: str) -> int:
    """a + b rounded once to a format. IEEE's rules for infinities, NaN and zeros come from the double stand-ins."""
    if _is_special(a) or _is_special(b):
        return _special(_float(a) + _float(b), fmt)
    total = _finite(a) + _finite(b)
    if total == 0:
        both = (a == NZERO or _finite(a) < 0) and (b == NZERO or _finite(b) < 0)
        return nearest(total, fmt, both)
    return nearest(total, fmt)


def negated(a: Value) -> Value:
    if isinstance(a, str):
        return {INF: NINF, NINF: INF, NAN: NAN, NZERO: Fraction(0)}[a]
    return NZERO if a == 0 else -a


def product(a: Value, b: Value) -> Value:
    """The exact product."""
    negative = math.copysign(1, _float(a)) * math.copysign(1, _float(b)) < 0
    if _is_special(a) or _is_special(b):
        x = _float(a) * _float(b)
        return NAN if x != x else NINF if negative else INF
    x = _finite(a) * _finite(b)
    return NZERO if x == 0 and negative else x


def rounded(a: Value, fmt: str) -> int:
    if isinstance(a, str) and a != NZERO:
        return _special(float(a), fmt)
    return nearest(_finite(a), fmt, a == NZERO)


def divide(a: Value, b: Value, fmt: str) -> int:
    negative = math.copysign(1, _float(a)) * math.copysign(1, _float(b)) < 0
    if NAN in (a, b) or (a in (INF, NINF) and b in (INF, NINF)) or (_float(a) == 0 and _float(b) == 0):
        return quiet_nan(fmt)
    if a in (INF, NINF) or _float(b) == 0:
        return infinity(fmt, negative)
    if b in (INF, NINF):
        return nearest(Fraction(0), fmt, negative)
    return nearest(_finite(a) / _finite(b), fmt, negative)


def fma(c: Value, a: Value, b: Value, fmt: str) -> int:
    """c + a*b rounded once."""
    return quiet_nan(fmt) if c == NAN else add(c, product(a, b), fmt)


def below(a: Value, b: Value) -> bool:
    """a < b, false with a NaN."""
    if _is_special(a) or _is_special(b):
        x = {INF: math.inf, NINF: -math.inf, NAN: math.nan}
        return x.get(a, 0.0) < x.get(b, 0.0)  # type: ignore[arg-type]
    return _finite(a) < _finite(b)


def to_integer(v: Value, bits: int, signed: bool) -> int:
    low, high = (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1) if signed else (0, 2**bits - 1)
    if isinstance(v, str):
        x = {INF: high, NINF: low, NAN: 0, NZERO: 0}[v]
    else:
        x = min(max(math.trunc(v), low), high)
    return x % 2**bits


def patterns(fmt: str, extra: int = 0, seed: int = 1) -> list[int]:
    """Edge patterns of a format: zeros, subnormals, borders, ones and halves, infinities, NaNs; then random ones."""
    import random

    e_bits, m_bits, bias = LAYOUT[fmt]
    inf = (2**e_bits - 1) << m_bits
    one = bias << m_bits
    positive = [0, 1, 2, (1 << m_bits) - 1, 1 << m_bits, (1 << m_bits) + 1, one - 1, one, one + 1, one | 1 << (m_bits - 1),
                one + (1 << m_bits), (bias + m_bits) << m_bits, ((bias + m_bits) << m_bits) + 1, inf - 1, inf,
                inf | 1 << (m_bits - 1), inf + 1]  # fmt: skip
    sign = 1 << (e_bits + m_bits)
    rng = random.Random(seed)
    return [p | s for p in positive for s in (0, sign)] + [rng.randrange(2 * sign) for _ in range(extra)]
