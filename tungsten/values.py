"""Constants: arithmetic and conversions on the bit patterns of the scalar types, as the run time does them.

Untyped literals are Python numbers (int, or float = IEEE double) until a type is known. A typed constant is the
unsigned bit pattern of its type. Floats: each operation rounds once, to nearest even; a NaN that an operation makes
is the quiet one. Integers wrap; division truncates and by zero gives all ones (tungsten.md 3, 4).
"""

from __future__ import annotations

import math
import struct
from fractions import Fraction

from tungsten.types import HP, I32, U16, U32, XP, Scalar

Number = int | float


def _codes(t: Scalar) -> tuple[str, str]:
    return ("<e", "<H") if t is HP or t.name == "hp" else ("<f", "<I")


def decode(bits: int, t: Scalar) -> Number:
    """The value of a bit pattern: a float for hp and sp, an int for the others."""
    if t.is_float:
        real, raw = _codes(t)
        value: float = struct.unpack(real, struct.pack(raw, bits))[0]
        return value
    if t.is_signed and bits >> (t.bits - 1):
        return bits - (1 << t.bits)
    return bits


def encode_float(value: float, t: Scalar) -> int:
    """The pattern of a float type nearest to a double; too large gives infinity, NaN the quiet one."""
    if value != value:
        return 0x7E00 if t.words == 1 else 0x7FC00000
    real, raw = _codes(t)
    try:
        packed = struct.pack(real, value)
    except OverflowError:
        packed = struct.pack(real, math.copysign(math.inf, value))
    bits: int = struct.unpack(raw, packed)[0]
    return bits


def encode_int(value: int, t: Scalar) -> int:
    """The pattern of an integer: wrapped for integer types, rounded once for float types."""
    if not t.is_float:
        return value & ((1 << t.bits) - 1)
    return _round(Fraction(value), t)


def _round(value: Fraction, t: Scalar) -> int:
    """The pattern of a float type nearest to an exact number (not a zero with a sign)."""
    if value == 0:
        return 0
    mantissa, least = (10, -14) if t.words == 1 else (23, -126)
    size = abs(value)
    power = max(size.numerator.bit_length() - size.denominator.bit_length(), least)
    if size >= Fraction(2) ** (power + 1):
        power += 1
    elif size < Fraction(2) ** power and power > least:
        power -= 1
    unit = Fraction(2) ** (power - mantissa)
    rounded = round(size / unit) * unit  # Fraction rounds ties to even
    if rounded >= Fraction(2) ** (-least + 2):
        return encode_float(math.copysign(math.inf, value), t)
    return encode_float(math.copysign(float(abs(rounded)), value), t)  # what underflows keeps its sign


def saturate(value: float, t: Scalar) -> int:
    """A float as an integer type: toward zero, saturating, NaN gives 0."""
    if value != value:
        return 0
    low, high = bounds(t)
    if math.isinf(value):
        whole = high if value > 0 else low
    else:
        whole = min(max(math.trunc(value), low), high)
    return whole & ((1 << t.bits) - 1)


def bounds(t: Scalar) -> tuple[int, int]:
    """The least and the greatest value of an integer type."""
    if t.is_signed:
        return -(1 << (t.bits - 1)), (1 << (t.bits - 1)) - 1
    return 0, (1 << t.bits) - 1


def smallest(*numbers: int) -> Scalar | None:
    """The first of xp, u16, i32, u32 that holds all the numbers; None where none does."""
    for type_ in (XP, U16, I32, U32):
        least, most = bounds(type_)
        if all(least <= n <= most for n in numbers):
            return type_
    return None


def convert(bits: int, source: Scalar, target: Scalar) -> int:
    """A conversion as on assignment. A wavelet exchanges bits: 32-bit types whole, 16-bit ones the low half."""
    if source == target:
        return bits
    if "wave" in (source.kind, target.kind) or "stream" in (source.kind, target.kind):
        return bits & ((1 << target.bits) - 1)
    value = decode(bits, source)
    if isinstance(value, float):
        return encode_float(value, target) if target.is_float else saturate(value, target)
    return encode_int(value, target)


def adapt(value: Number, t: Scalar, floating: bool) -> int:
    """An untyped literal in a type. A literal without a point wraps in integer types, one with a point saturates."""
    if t.is_float:
        return encode_int(value, t) if isinstance(value, int) else encode_float(value, t)
    if isinstance(value, int):
        return value & ((1 << t.bits) - 1)
    if floating or not math.isfinite(value):
        return saturate(value, t)
    return math.trunc(value) & ((1 << t.bits) - 1)


def divide(a: float, b: float) -> float:
    """IEEE division of doubles."""
    if b == 0:
        if a == 0 or a != a:
            return math.nan
        return math.copysign(math.inf, a) * math.copysign(1.0, b)
    try:
        return a / b
    except OverflowError:
        return math.copysign(math.inf, a) * math.copysign(1.0, b)


def _pick(op: str, a: int, b: int, t: Scalar) -> int:
    x, y = decode(a, t), decode(b, t)
    if x != x:
        return b if y == y else encode_float(math.nan, t)
    if y != y:
        return a
    return b if (y > x if op == "max" else y < x) else a


def binary(op: str, a: int, b: int, t: Scalar) -> int:
    """a op b, both of type t. op: + - * / % & | ^ << >> min max."""
    if op in ("min", "max"):
        return _pick(op, a, b, t)
    if t.is_float:
        x, y = float(decode(a, t)), float(decode(b, t))
        if op == "/":
            return encode_float(divide(x, y), t)
        value = x + y if op == "+" else x - y if op == "-" else x * y
        return encode_float(value, t)
    return _integer(op, a, b, t)


def _integer(op: str, a: int, b: int, t: Scalar) -> int:
    mask = (1 << t.bits) - 1
    if op == "&":
        return a & b
    if op == "|":
        return a | b
    if op == "^":
        return a ^ b
    if op == "<<":
        return a << b & mask if b < t.bits else 0
    i, j = int(decode(a, t)), int(decode(b, t))
    if op == ">>":
        return (i >> min(b, t.bits)) & mask
    if op in "/%":
        if j == 0:
            return mask
        quotient = abs(i) // abs(j)
        if (i < 0) != (j < 0):
            quotient = -quotient
        return (quotient if op == "/" else i - quotient * j) & mask
    return (i + j if op == "+" else i - j if op == "-" else i * j) & mask


def unary(op: str, a: int, t: Scalar) -> int:
    """op: - ~ abs."""
    mask = (1 << t.bits) - 1
    sign = 1 << (t.bits - 1)
    if t.is_float:
        return a ^ sign if op == "-" else a & ~sign
    if op == "~":
        return ~a & mask
    if op == "abs":
        return -a & mask if t.is_signed and a & sign else a
    return -a & mask


def compare(op: str, a: int, b: int, t: Scalar) -> int:
    """1 or 0; comparisons with NaN are false, except !=."""
    x, y = decode(a, t), decode(b, t)
    result = {"<": x < y, ">": x > y, "<=": x <= y, ">=": x >= y, "==": x == y, "!=": x != y}[op]
    return int(result)


def truth(bits: int, t: Scalar) -> bool:
    """Whether a value counts as true: not zero (a NaN is true)."""
    return decode(bits, t) != 0


def fma(a: int, b: int, c: int, negate: bool, t: Scalar) -> int:
    """a + b*c or a - b*c with one rounding."""
    x, y, z = (float(decode(v, t)) for v in (a, b, c))
    if negate:
        y = -y
    if not (math.isfinite(x) and math.isfinite(y) and math.isfinite(z)):
        return encode_float(x + y * z, t)
    exact = Fraction(x) + Fraction(y) * Fraction(z)
    if exact == 0:  # the product is exact in double, and so is the sign of the zero
        return encode_float(x + y * z, t)
    return _round(exact, t)


def untyped(op: str, a: Number, b: Number) -> Number:
    """Arithmetic of untyped literals, in IEEE double; whole numbers stay whole while a double holds them exactly.

    Raises ValueError for an operation that has no meaning: bits of a fraction, a negative shift.
    """
    if op in ("&", "|", "^", "<<", ">>"):
        if not (isinstance(a, int) and isinstance(b, int)):
            raise ValueError(op)
        if op in ("<<", ">>"):
            if b < 0:
                raise ValueError(op)
            return (a << b if b < 64 else 0) if op == "<<" else a >> min(b, 4000)
        return a & b if op == "&" else a | b if op == "|" else a ^ b
    if op == "%":
        if not (isinstance(a, int) and isinstance(b, int)):
            raise ValueError(op)
        rest = abs(a) % abs(b) if b else 1
        return -rest if a < 0 or b == 0 else rest
    if op in ("min", "max"):
        return (b if b > a else a) if op == "max" else (b if b < a else a)
    if isinstance(a, int) and isinstance(b, int) and op != "/":
        whole = a + b if op == "+" else a - b if op == "-" else a * b
        return whole if abs(whole) <= 2**53 else _double(whole)
    if op == "/":
        if isinstance(a, int) and isinstance(b, int) and b and a % b == 0 and abs(a) <= 2**53:
            return a // b
        return divide(_double(a), _double(b))
    x, y = _double(a), _double(b)
    return x + y if op == "+" else x - y if op == "-" else x * y


def _double(value: Number) -> float:
    try:
        return float(value)
    except OverflowError:
        return math.copysign(math.inf, value)


def parse(text: str) -> Number | None:
    """A number as a command or a layout writes it (`4`, `-1`, `0x10`, `1.5e-3`), or None."""
    text = text.strip()
    sign, digits = (-1, text[1:].strip()) if text[:1] == "-" else (1, text)
    try:
        if digits[:2].lower() in ("0x", "0b"):
            return sign * int(digits, 0)
        if digits.isdigit() and digits.isascii():
            return sign * int(digits)
        if digits[:1] in ".0123456789":
            return sign * float(digits)
    except ValueError:
        pass
    return None


def word_list(bits: int, t: Scalar) -> list[int]:
    """The 16-bit words of a value, low word first."""
    return [bits >> 16 * i & 0xFFFF for i in range(t.words)]
