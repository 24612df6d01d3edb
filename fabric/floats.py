"""The float instructions of the machine on raw bit patterns, each with one rounding: `fadds`, `fmach`, `fs2h`, …

These are the fast forms for fp32 and fp16 of what `fabric.numbers.Format` does in exact integers. They compute in
double, which is the same thing where the double result is exact or carries enough extra bits:

- 53 >= 2*24 + 2 makes the second rounding of add, subtract, multiply and divide harmless, for subnormal results too
  (a quotient differs from a tie by at least 2**-49 of itself, more than the double's 2**-53);
- for `fmacs` and its kin the double sum is rounded to odd before it is narrowed;
- sums, products and fused sums of fp16 numbers are exact in double wherever the rounding can notice.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Callable

from fabric.numbers import (
    FP16,
    QNAN16,
    QNAN32,
    Format,
    bits16,
    bits32,
    float_to_int,
    int_to_double,
    value16,
    value32,
)

_pII, _pIII = struct.Struct("<II").pack, struct.Struct("<III").pack
_uff, _ufff = struct.Struct("<ff").unpack, struct.Struct("<fff").unpack
_pHH, _pHHH = struct.Struct("<HH").pack, struct.Struct("<HHH").pack
_uee, _ueee = struct.Struct("<ee").unpack, struct.Struct("<eee").unpack
_pIH, _ufe = struct.Struct("<IH").pack, struct.Struct("<fe").unpack
_pIHH, _ufee = struct.Struct("<IHH").pack, struct.Struct("<fee").unpack
_d, _Q = struct.Struct("<d"), struct.Struct("<Q")


def _odd_sum(x: float, y: float) -> float:
    """x + y rounded to odd: narrowing the result to fewer than 52 bits then rounds the exact sum once.

    x and y are far from the ends of the double range, so the error term of the sum is exact.
    """
    s = x + y
    d = s - x
    error = (x - (s - d)) + (y - d)
    if error and error == error:
        pattern: int = _Q.unpack(_d.pack(s))[0]
        if not pattern & 1:
            away = (error > 0) == (s > 0)
            s = _d.unpack(_Q.pack(pattern + 1 if away else pattern - 1))[0]
    return s


# --- fp32 -----------------------------------------------------------------------------------------------------------


def fadds(a: int, b: int) -> int:
    x, y = _uff(_pII(a, b))
    return bits32(x + y)


def fsubs(a: int, b: int) -> int:
    x, y = _uff(_pII(a, b))
    return bits32(x - y)


def fmuls(a: int, b: int) -> int:
    x, y = _uff(_pII(a, b))
    return bits32(x * y)


def _quotient(x: float, y: float) -> float:
    if y:
        return x / y
    if x != x or x == 0:
        return math.nan
    return math.inf if math.copysign(1.0, x) == math.copysign(1.0, y) else -math.inf


def fdivs(a: int, b: int) -> int:
    x, y = _uff(_pII(a, b))
    return bits32(_quotient(x, y))


def fmacs(c: int, a: int, b: int) -> int:
    """c + a*b, rounded once."""
    z, x, y = _ufff(_pIII(c, a, b))
    return bits32(_odd_sum(z, x * y))


def fmss(c: int, a: int, b: int) -> int:
    """c - a*b, rounded once."""
    z, x, y = _ufff(_pIII(c, a, b))
    return bits32(_odd_sum(z, -(x * y)))


def _pick(a: int, b: int, x: float, y: float, second: bool, qnan: int) -> int:
    if x != x:
        return b if y == y else qnan
    return b if second else a


def fmaxs(a: int, b: int) -> int:
    x, y = _uff(_pII(a, b))
    return _pick(a, b, x, y, y > x, QNAN32)


def fmins(a: int, b: int) -> int:
    x, y = _uff(_pII(a, b))
    return _pick(a, b, x, y, y < x, QNAN32)


def fabss(a: int) -> int:
    return a & 0x7FFFFFFF


def fnegs(a: int) -> int:
    return a ^ 0x80000000


def fnorms(a: int) -> int:
    """The significand with its sign: 1 <= |result| < 2; zero and infinity stay, NaN becomes the quiet one."""
    return bits32(_significand(value32(a)))


def fscales(a: int, n: int) -> int:
    """a * 2**n, n a 16-bit signed pattern; rounded once."""
    return bits32(_scale(value32(a), n))


def _significand(x: float) -> float:
    return math.frexp(x)[0] * 2 if math.isfinite(x) else x


def _scale(x: float, n: int) -> float:
    if not math.isfinite(x):
        return x
    try:
        # What underflows the double range is far below half of the smallest fp32, so nothing is rounded twice.
        return math.ldexp(x, n - 0x10000 if n & 0x8000 else n)
    except OverflowError:
        return math.copysign(math.inf, x)


# --- fp16: sums, products and fused sums of fp16 numbers are exact in double wherever the rounding can notice --------


def faddh(a: int, b: int) -> int:
    x, y = _uee(_pHH(a, b))
    return bits16(x + y)


def fsubh(a: int, b: int) -> int:
    x, y = _uee(_pHH(a, b))
    return bits16(x - y)


def fmulh(a: int, b: int) -> int:
    x, y = _uee(_pHH(a, b))
    return bits16(x * y)


def fdivh(a: int, b: int) -> int:
    x, y = _uee(_pHH(a, b))
    return bits16(_quotient(x, y))


def fmach(c: int, a: int, b: int) -> int:
    """c + a*b. The double sum is inexact only where a*b is below 2**-30 of c, which cannot reach a tie."""
    z, x, y = _ueee(_pHHH(c, a, b))
    return bits16(z + x * y)


def fmsh(c: int, a: int, b: int) -> int:
    """c - a*b, rounded once."""
    z, x, y = _ueee(_pHHH(c, a, b))
    return bits16(z - x * y)


def fmaxh(a: int, b: int) -> int:
    x, y = _uee(_pHH(a, b))
    return _pick(a, b, x, y, y > x, QNAN16)


def fminh(a: int, b: int) -> int:
    x, y = _uee(_pHH(a, b))
    return _pick(a, b, x, y, y < x, QNAN16)


def fabsh(a: int) -> int:
    return a & 0x7FFF


def fnegh(a: int) -> int:
    return a ^ 0x8000


def fnormh(a: int) -> int:
    """As `fnorms`."""
    return bits16(_significand(value16(a)))


def fscaleh(a: int, n: int) -> int:
    """As `fscales`."""
    return bits16(_scale(value16(a), n))


# --- mixed ----------------------------------------------------------------------------------------------------------


def faddhs(a: int, b: int) -> int:
    """fp32 a + fp16 b, as fp32."""
    x, y = _ufe(_pIH(a, b))
    return bits32(x + y)


def fmachs(c: int, a: int, b: int) -> int:
    """fp32 c + fp16 a * fp16 b, as fp32, rounded once. Also the step of the fp16 dot product."""
    z, x, y = _ufee(_pIHH(c, a, b))
    return bits32(_odd_sum(z, x * y))


def fabric_add(a: int, b: int, half: Format = FP16) -> int:
    """The router's adder (hardware.md 9): fp32 a + half-precision b; fp32 subnormals, the sum's too, flush to 0."""
    if not a & 0x7F800000:
        a &= 0x80000000
    total = bits32(value32(a) + half.value(b))
    return total if total & 0x7F800000 else total & 0x80000000


# --- comparisons (0 or 1; false with a NaN, but for `ne`) -----------------------------------------------------------


def feqs(a: int, b: int) -> int:
    return value32(a) == value32(b) and 1 or 0


def fneqs(a: int, b: int) -> int:
    return value32(a) != value32(b) and 1 or 0


def flts(a: int, b: int) -> int:
    return value32(a) < value32(b) and 1 or 0


def flteqs(a: int, b: int) -> int:
    return value32(a) <= value32(b) and 1 or 0


def feqh(a: int, b: int) -> int:
    return value16(a) == value16(b) and 1 or 0


def fneqh(a: int, b: int) -> int:
    return value16(a) != value16(b) and 1 or 0


def flth(a: int, b: int) -> int:
    return value16(a) < value16(b) and 1 or 0


def flteqh(a: int, b: int) -> int:
    return value16(a) <= value16(b) and 1 or 0


def fgts(a: int, b: int) -> int:
    return flts(b, a)


def fgteqs(a: int, b: int) -> int:
    return flteqs(b, a)


def fgth(a: int, b: int) -> int:
    return flth(b, a)


def fgteqh(a: int, b: int) -> int:
    return flteqh(b, a)


# --- conversions ----------------------------------------------------------------------------------------------------


def fh2s(a: int) -> int:
    """fp16 to fp32, exact."""
    return bits32(value16(a))


def fs2h(a: int) -> int:
    """fp32 to fp16, rounded once."""
    return bits16(value32(a))


def to_int(value: Callable[[int], float], width: int, signed: bool) -> Callable[[int], int]:
    """The conversion of a float pattern (read by `value`) into an integer pattern."""

    def convert(a: int) -> int:
        return float_to_int(value(a), width, signed)

    return convert


def from_int(bits: Callable[[float], int], width: int, signed: bool) -> Callable[[int], int]:
    """The conversion of an integer pattern into a float pattern (written by `bits`)."""
    top = 1 << (width - 1) if signed else 0

    def convert(a: int) -> int:
        return bits(int_to_double((a ^ top) - top))

    return convert
