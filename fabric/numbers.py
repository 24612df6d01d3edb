"""Exact number formats: values and arithmetic of any sign-exponent-mantissa layout, with one rounding.

Rules (hardware.md 14.9): round to nearest even, subnormals kept, infinities and NaN as in IEEE 754, a NaN that an
operation produces is the quiet one; float to integer goes toward zero, saturates, and turns NaN into 0.

`Format` (FP32, FP16, CB16, BF16) works in exact integers, so it is right by construction. CB16 has 6 exponent bits
and bias 31 (hardware.md 14.3). `value32`, `bits32`, `value16` and `bits16` are the quick ways between patterns and
doubles that `fabric.floats`, the instructions' arithmetic, is built on.
"""

from __future__ import annotations

import math
import struct
from dataclasses import dataclass

QNAN32 = 0x7FC00000
QNAN16 = 0x7E00
INF32 = 0x7F800000
INF16 = 0x7C00


@dataclass(frozen=True)
class Format:
    """A binary float layout: sign, `exponent_bits` with `bias`, `mantissa_bits`; the top exponent is infinity/NaN."""

    name: str
    exponent_bits: int
    mantissa_bits: int
    bias: int

    @property
    def width(self) -> int:
        """Bits of the whole pattern."""
        return 1 + self.exponent_bits + self.mantissa_bits

    @property
    def sign(self) -> int:
        """The pattern of the sign bit."""
        return 1 << (self.width - 1)

    @property
    def inf(self) -> int:
        """The pattern of +infinity."""
        return ((1 << self.exponent_bits) - 1) << self.mantissa_bits

    @property
    def qnan(self) -> int:
        """The quiet NaN that operations produce."""
        return self.inf | 1 << (self.mantissa_bits - 1)

    def is_nan(self, bits: int) -> bool:
        return bits & (self.sign - 1) > self.inf

    def is_inf(self, bits: int) -> bool:
        return bits & (self.sign - 1) == self.inf

    def parts(self, bits: int) -> tuple[int, int, int]:
        """(negative 0/1, m, e) of a finite pattern: its magnitude is m * 2**e exactly."""
        field = bits >> self.mantissa_bits & ((1 << self.exponent_bits) - 1)
        m = bits & ((1 << self.mantissa_bits) - 1)
        if field:
            m |= 1 << self.mantissa_bits
        return bits >> (self.width - 1) & 1, m, max(field, 1) - self.bias - self.mantissa_bits

    def round(self, negative: int, m: int, e: int) -> int:
        """The pattern nearest to m * 2**e (m >= 0), ties to even; too large gives infinity."""
        sign = self.sign if negative else 0
        if m == 0:
            return sign
        top = max(e + m.bit_length() - 1, 1 - self.bias)
        shift = top - self.mantissa_bits - e
        if shift <= 0:
            m <<= -shift
        else:
            rest, half = m & ((1 << shift) - 1), 1 << (shift - 1)
            m >>= shift
            if rest > half or (rest == half and m & 1):
                m += 1
        # The hidden bit of m adds one to the exponent field; a carry out of the mantissa does the same.
        return sign | min(((top + self.bias - 1) << self.mantissa_bits) + m, self.inf)

    def round_ratio(self, negative: int, numerator: int, denominator: int, e: int = 0) -> int:
        """The pattern nearest to numerator / denominator * 2**e, both positive or the numerator 0."""
        scale = max(0, self.mantissa_bits + 3 + denominator.bit_length() - numerator.bit_length())
        q, rest = divmod(numerator << scale, denominator)
        # One more bit that only says "there is a rest" decides ties without changing anything else.
        return self.round(negative, q << 1 | (rest != 0), e - scale - 1)

    def value(self, bits: int) -> float:
        """The value as a double (exact: all four formats are subsets of it)."""
        if self.is_nan(bits):
            return math.nan
        negative = bits & self.sign
        if self.is_inf(bits):
            return -math.inf if negative else math.inf
        _, m, e = self.parts(bits)
        x = math.ldexp(m, e)
        return -x if negative else x

    def bits(self, x: float) -> int:
        """The pattern nearest to a double; one rounding."""
        if x != x:
            return self.qnan
        negative = int(math.copysign(1.0, x) < 0)
        if math.isinf(x):
            return self.inf | (self.sign if negative else 0)
        f, e = math.frexp(abs(x))
        return self.round(negative, int(math.ldexp(f, 53)), e - 53)

    def from_int(self, value: int) -> int:
        """The pattern nearest to an integer of any size."""
        return self.round(int(value < 0), abs(value), 0)

    def neg(self, a: int) -> int:
        return a ^ self.sign

    def add(self, a: int, b: int) -> int:
        if self.is_nan(a) or self.is_nan(b):
            return self.qnan
        if self.is_inf(a):
            return self.qnan if self.is_inf(b) and a != b else a
        if self.is_inf(b):
            return b
        return self._sum(self.parts(a), self.parts(b))

    def sub(self, a: int, b: int) -> int:
        return self.qnan if self.is_nan(b) else self.add(a, b ^ self.sign)

    def mul(self, a: int, b: int) -> int:
        if self.is_nan(a) or self.is_nan(b):
            return self.qnan
        (sa, ma, ea), (sb, mb, eb) = self.parts(a), self.parts(b)
        if self.is_inf(a) or self.is_inf(b):
            zero = (ma == 0 and not self.is_inf(a)) or (mb == 0 and not self.is_inf(b))
            return self.qnan if zero else self.inf | (self.sign if sa ^ sb else 0)
        return self.round(sa ^ sb, ma * mb, ea + eb)

    def div(self, a: int, b: int) -> int:
        if self.is_nan(a) or self.is_nan(b):
            return self.qnan
        (sa, ma, ea), (sb, mb, eb) = self.parts(a), self.parts(b)
        sign = self.sign if sa ^ sb else 0
        if self.is_inf(a):
            return self.qnan if self.is_inf(b) else self.inf | sign
        if self.is_inf(b):
            return sign
        if mb == 0:
            return self.qnan if ma == 0 else self.inf | sign
        return self.round_ratio(sa ^ sb, ma, mb, ea - eb)

    def fma(self, c: int, a: int, b: int) -> int:
        """c + a*b with one rounding (the order of the instruction's sources)."""
        if self.is_nan(a) or self.is_nan(b) or self.is_nan(c):
            return self.qnan
        (sa, ma, ea), (sb, mb, eb) = self.parts(a), self.parts(b)
        if self.is_inf(a) or self.is_inf(b):
            product = self.mul(a, b)
            return product if self.is_nan(product) else self.add(c, product)
        if self.is_inf(c):
            return c
        return self._sum(self.parts(c), (sa ^ sb, ma * mb, ea + eb))

    def _sum(self, a: tuple[int, int, int], b: tuple[int, int, int]) -> int:
        e = min(a[2], b[2])
        x, y = a[1] << (a[2] - e), b[1] << (b[2] - e)
        total = (-x if a[0] else x) + (-y if b[0] else y)
        # An exact zero is +0 unless both terms are negative (zeros).
        return self.round(int(total < 0) if total else a[0] & b[0], abs(total), e)


FP32 = Format("fp32", 8, 23, 127)
FP16 = Format("fp16", 5, 10, 15)
CB16 = Format("cb16", 6, 9, 31)
BF16 = Format("bf16", 8, 7, 127)
FORMATS = {f.name: f for f in (FP32, FP16, CB16, BF16)}

# --- doubles <-> patterns -------------------------------------------------------------------------------------------

_pI, _uI = struct.Struct("<I").pack, struct.Struct("<I").unpack
_pf, _uf = struct.Struct("<f").pack, struct.Struct("<f").unpack
_pH, _uH = struct.Struct("<H").pack, struct.Struct("<H").unpack
_pe, _ue = struct.Struct("<e").pack, struct.Struct("<e").unpack


def value32(bits: int) -> float:
    """The double equal to an fp32 pattern."""
    x: float = _uf(_pI(bits))[0]
    return x


def value16(bits: int) -> float:
    """The double equal to an fp16 pattern."""
    x: float = _ue(_pH(bits))[0]
    return x


def bits32(x: float) -> int:
    """The fp32 pattern nearest to a double: one rounding, overflow to infinity, any NaN to the quiet one."""
    if x != x:
        return QNAN32
    try:
        bits: int = _uI(_pf(x))[0]
        return bits
    except OverflowError:
        return 0xFF800000 if x < 0 else INF32


def bits16(x: float) -> int:
    """The fp16 pattern nearest to a double; as `bits32`."""
    if x != x:
        return QNAN16
    try:
        bits: int = _uH(_pe(x))[0]
        return bits
    except OverflowError:
        return 0xFC00 if x < 0 else INF16


# --- integers <-> doubles -------------------------------------------------------------------------------------------


def float_to_int(x: float, width: int, signed: bool) -> int:
    """Toward zero, saturating, NaN to 0; the result is a pattern of `width` bits."""
    if x != x:
        return 0
    low, high = (-1 << (width - 1), (1 << (width - 1)) - 1) if signed else (0, (1 << width) - 1)
    if x <= low:
        value = low
    elif x >= high:
        value = high
    else:
        value = int(x)
    return value & ((1 << width) - 1)


def int_to_double(value: int) -> float:
    """A double that narrows to fp32 or fp16 with one rounding: beyond 53 bits the last bit kept is made odd."""
    extra = value.bit_length() - 53
    if extra <= 0:
        return float(value)
    return math.ldexp(float(value >> extra | (value & ((1 << extra) - 1) != 0)), extra)
