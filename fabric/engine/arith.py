"""Arithmetic of every computing row on raw patterns: what `fabric.isa` names as semantics, in compilable form.

`alu(number, a, b, c)` is the row with that number. 64-bit patterns are signed int64. The floating-point rules are
those of `fabric.floats`: compute in double, round once; a fused sum is rounded to odd before it is narrowed.
"""

from __future__ import annotations

from fabric.engine.access import (
    clz,
    const,
    ctz,
    double_of,
    lshr,
    narrow,
    number,
    pattern,
    popcount,
    shl,
    to_double,
    to_int,
    udiv,
    urem,
    wrap,
)
from fabric.engine.jit import inline, jit

QNAN32, QNAN16 = 0x7FC00000, 0x7E00
M16, M32 = 0xFFFF, 0xFFFFFFFF
TOP64 = -(1 << 63)
INF = float("inf")
NAN = float("nan")


@inline
def to32(x: float) -> int:
    """The fp32 pattern nearest to a double; any NaN becomes the quiet one."""
    return QNAN32 if x != x else narrow(x)


@jit
def value16(h: int) -> float:
    """The double equal to an IEEE fp16 pattern."""
    return value_of(h, const(10), const(15))


@jit
def value_of(h: int, mantissa_bits: int, bias: int) -> float:
    """The double equal to a 16-bit float pattern with that layout (the rest is exponent and sign)."""
    mantissa = h & ((1 << mantissa_bits) - 1)
    exponent = (h & 0x7FFF) >> mantissa_bits
    top = (1 << (15 - mantissa_bits)) - 1
    if exponent == top:
        if mantissa:
            return NAN
        return -INF if h >> 15 else INF
    scale = 1 if exponent == 0 else exponent
    if exponent:
        mantissa |= 1 << mantissa_bits
    x = to_double(mantissa) * number((scale - bias - mantissa_bits + 1023) << 52)
    return -x if h >> 15 else x


@jit
def to16(x: float) -> int:
    """The fp16 pattern nearest to a double: one rounding, overflow to infinity, any NaN to the quiet one."""
    if x != x:
        return QNAN16
    bits = pattern(x)
    sign = 0x8000 if bits < 0 else 0
    exponent = ((bits >> 52) & 0x7FF) - 1023
    if exponent > 15:
        return sign | 0x7C00
    if exponent < -26:
        return sign
    m = (bits & ((1 << 52) - 1)) | (1 << 52)
    if exponent >= -14:
        shift = 42
        base = (exponent + 14) << 10
    else:
        shift = 42 - 14 - exponent
        base = 0
    rest = m & ((1 << shift) - 1)
    half = 1 << (shift - 1)
    m >>= shift
    if rest > half or (rest == half and m & 1):
        m += 1
    return sign | (base + m)


@inline
def odd_sum(x: float, y: float) -> float:
    """x + y rounded to odd, so that narrowing rounds the exact sum once."""
    s = x + y
    d = s - x
    error = (x - (s - d)) + (y - d)
    if error == error and error != 0.0:
        bits = pattern(s)
        if not bits & 1:
            if (error > 0.0) == (s > 0.0):
                s = number(bits + 1)
            else:
                s = number(bits - 1)
    return s


@inline
def quotient(x: float, y: float) -> float:
    """x / y as IEEE 754 has it."""
    if y != 0.0 or y != y:
        return x / y
    if x != x or x == 0.0:
        return NAN
    return INF if (pattern(x) < 0) == (pattern(y) < 0) else -INF


@inline
def significand(x: float) -> float:
    """1 <= |result| < 2; zero, infinity and NaN stay."""
    if x == 0.0 or x != x or x == INF or x == -INF:
        return x
    return number((pattern(x) & ~(0x7FF << 52)) | (1023 << 52))


@inline
def scale(x: float, n: int) -> float:
    """x * 2**n for a 16-bit signed pattern n; beyond +-300 the result is 0 or infinite in any case."""
    n = (n ^ 0x8000) - 0x8000
    n = 300 if n > 300 else n
    n = -300 if n < -300 else n
    return x * number((n + 1023) << 52)


@inline
def fmac32(c: int, a: int, b: int) -> int:
    """c + a * b, rounded once."""
    return to32(odd_sum(double_of(c), double_of(a) * double_of(b)))


@jit
def pick(a: int, b: int, x: float, y: float, second: int, quiet: int) -> int:
    """Of a NaN and a number the number."""
    if x != x:
        return b if y == y else quiet
    return b if second else a


@inline
def above(x: float, y: float) -> int:
    return 1 if x > y else 0


@jit
def compare(k: int, x: float, y: float) -> int:
    """Row k of the float comparisons: = != < <= > >=."""
    if k == 0:
        return 1 if x == y else 0
    if k == 1:
        return 1 if x != y else 0
    if k == 2:
        return 1 if x < y else 0
    if k == 3:
        return 1 if x <= y else 0
    if k == 4:
        return 1 if x > y else 0
    return 1 if x >= y else 0


@jit
def int_to_double(value: int, unsigned64: int) -> float:
    """A double that narrows with one rounding: beyond 53 bits the last bit kept is made odd."""
    if not unsigned64 or (0 <= value < (1 << 53)):
        return to_double(value)
    extra = 64 - clz(value) - 53
    kept = lshr(value, extra)
    if value & ((1 << extra) - 1):
        kept |= 1
    return to_double(kept) * number((extra + 1023) << 52)


@jit
def double_to_int(x: float, bits: int, signed: int) -> int:
    """Toward zero, saturating, NaN to 0; a pattern of so many bits."""
    if x != x:
        return 0
    if bits == 64:
        if x <= 0.0:
            return 0
        if x >= 18446744073709551616.0:
            return -1
        if x >= 9223372036854775808.0:
            return to_int(x - 9223372036854775808.0) + TOP64
        return to_int(x)
    mask = (1 << bits) - 1
    low = -(1 << (bits - 1)) if signed else 0
    high = (1 << (bits - 1)) - 1 if signed else mask
    if x <= to_double(low):
        return low & mask
    if x >= to_double(high):
        return high
    return to_int(x) & mask


@jit
def int_op(k: int, a: int, b: int, bits: int) -> int:
    """Row k of the 16- and 32-bit integer operations."""
    mask = (1 << bits) - 1
    top = 1 << (bits - 1)
    if k == 0:
        return (a + b) & mask
    if k == 1:
        return (a - b) & mask
    if k == 2:
        return wrap(a * b) & mask
    if k == 3:
        return a & b
    if k == 4:
        return a | b
    if k == 5:
        return a ^ b
    if k == 6:
        return shl(a, b) & mask if b < bits else 0
    if k == 7:
        return a >> b if b < bits else 0
    x = (a ^ top) - top
    y = (b ^ top) - top
    if k == 8:
        return (x >> (b if b < bits else bits)) & mask
    if k == 9 or k == 11:
        if b == 0:
            return mask
        m = -x if x < 0 else x
        n = -y if y < 0 else y
        if k == 9:
            q = udiv(m, n)
            return (q if (x < 0) == (y < 0) else -q) & mask
        rest = urem(m, n)
        return (-rest if x < 0 else rest) & mask
    if k == 10:
        return mask if b == 0 else udiv(a, b)
    if k == 12:
        return mask if b == 0 else urem(a, b)
    if k == 13:
        return b if y < x else a
    if k == 14:
        return b if b < a else a
    if k == 15:
        return b if y > x else a
    if k == 16:
        return b if b > a else a
    return -a & mask if a & top else a


@jit
def wide_op(k: int, a: int, b: int) -> int:
    """Row k of the 64-bit integer operations."""
    below = (a ^ TOP64) < (b ^ TOP64)
    large = b < 0 or b >= 64
    if k == 0:
        return wrap(a + b)
    if k == 1:
        return wrap(a - b)
    if k == 2:
        return wrap(a * b)
    if k == 3:
        return a & b
    if k == 4:
        return a | b
    if k == 5:
        return a ^ b
    if k == 6:
        return 0 if large else shl(a, b)
    if k == 7:
        return 0 if large else lshr(a, b)
    if k == 8:
        return -1 if b == 0 else udiv(a, b)
    if k == 9:
        return -1 if b == 0 else urem(a, b)
    if k == 10:
        return a if below or a == b else b
    return b if below else a


@jit
def int_compare(k: int, a: int, b: int, top: int) -> int:
    """Row k of the integer comparisons; `top` is the sign bit (for 64 bits both orders are the unsigned one)."""
    if k == 0:
        return 1 if a == b else 0
    if k == 1:
        return 1 if a != b else 0
    if k >= 6 or top == TOP64:
        a ^= top
        b ^= top
        if k >= 6:
            k -= 4
    if k == 2:
        return 1 if a < b else 0
    if k == 3:
        return 1 if a <= b else 0
    if k == 4:
        return 1 if a > b else 0
    return 1 if a >= b else 0


@jit
def float_op(k: int, a: int, b: int, c: int) -> int:
    """Row k of the fp32 operations."""
    if k == 0:
        return to32(double_of(a) + double_of(b))
    if k == 1:
        return to32(double_of(a) - double_of(b))
    if k == 2:
        return to32(double_of(a) * double_of(b))
    if k == 8:
        return fmac32(a, b, c)
    if k == 9:
        return to32(odd_sum(double_of(a), -(double_of(b) * double_of(c))))
    if k == 3:
        return to32(quotient(double_of(a), double_of(b)))
    if k == 4:
        return pick(a, b, double_of(a), double_of(b), above(double_of(b), double_of(a)), const(QNAN32))
    if k == 5:
        return pick(a, b, double_of(a), double_of(b), above(double_of(a), double_of(b)), const(QNAN32))
    if k == 6:
        return a & 0x7FFFFFFF
    if k == 7:
        return a ^ 0x80000000
    if k == 10:
        return to32(significand(double_of(a)))
    return to32(scale(double_of(a), b))


@jit
def half_op(k: int, a: int, b: int, c: int) -> int:
    """Row k of the fp16 operations."""
    if k == 6:
        return a & 0x7FFF
    if k == 7:
        return a ^ 0x8000
    x = value16(a)
    if k == 10:
        return to16(significand(x))
    if k == 11:
        return to16(scale(x, b))
    y = value16(b)
    if k == 0:
        return to16(x + y)
    if k == 1:
        return to16(x - y)
    if k == 2:
        return to16(x * y)
    if k == 3:
        return to16(quotient(x, y))
    if k == 4:
        return pick(a, b, x, y, above(y, x), const(QNAN16))
    if k == 5:
        return pick(a, b, x, y, above(x, y), const(QNAN16))
    z = value16(c)
    if k == 8:
        return to16(x + y * z)
    return to16(x - y * z)


@jit
def convert(k: int, a: int) -> int:
    """Row k of the conversions between integers and floats: five to fp32, to fp16, from fp32, from fp16."""
    kind = k % 5
    if k < 10:
        value = a
        if kind == 0:
            value = (a ^ 0x8000) - 0x8000
        elif kind == 2:
            value = (a ^ 0x80000000) - 0x80000000
        x = int_to_double(value, 1 if kind == 4 else 0)
        return to32(x) if k < 5 else to16(x)
    x = double_of(a) if k < 15 else value16(a)
    bits = 16 if kind < 2 else 32 if kind < 4 else 64
    return double_to_int(x, bits, 1 if kind == 0 or kind == 2 else 0)


@jit
def other_op(n: int, a: int, b: int, c: int) -> int:
    """The rows that stand in no group."""
    if n == 0x2A:
        return a + b + c
    if n == 0x2B:
        return clz(a) - 48
    if n == 0x2C:
        return ctz(a) if a else 16
    if n == 0x2D:
        return popcount(a)
    if n == 0x54:
        return ((a ^ 0x8000) - 0x8000) & M32
    if n == 0x56:
        return a & M16
    if n == 0x57:
        return (a ^ 0x80000000) - 0x80000000
    if n == 0x59:
        return a & M32
    if n == 0xA6:
        return to32(double_of(a) + value16(b))
    if n == 0xA7 or n >= 0xCC:
        return to32(odd_sum(double_of(a), value16(b) * value16(c)))
    if n == 0xA8 or n >= 0xC8:
        return fmac32(a, b, c)
    if n == 0xA9:
        return float_op(const(9), a, b, c)
    if n == 0xAA:
        return half_op(const(8), a, b, c)
    if n == 0xAB:
        return half_op(const(9), a, b, c)
    if n == 0xB0:
        return to32(value16(a))
    if n == 0xB1:
        return to16(double_of(a))
    return a  # zext32, zext64


@jit
def alu(n: int, a: int, b: int, c: int) -> int:
    """The row with number n. `addc16` gives the sum with the carry in bit 16; `c` is the carry in."""
    if 0x88 <= n < 0x94:
        return float_op(n - 0x88, a, b, c)
    if n < 4:
        return a
    if n < 7:
        return a if c else b
    if n < 0x2A:
        return int_op(n - 0x18, a, b, const(16))
    if 0x30 <= n < 0x42:
        return int_op(n - 0x30, a, b, const(32))
    if 0x46 <= n < 0x52:
        return wide_op(n - 0x46, a, b)
    if 0x60 <= n < 0x6A:
        return int_compare(n - 0x60, a, b, const(1 << 15))
    if 0x6A <= n < 0x74:
        return int_compare(n - 0x6A, a, b, const(1 << 31))
    if 0x74 <= n < 0x7A:
        return int_compare(n - 0x74, a, b, const(TOP64))
    if 0x7A <= n < 0x80:
        return compare(n - 0x7A, double_of(a), double_of(b))
    if 0x80 <= n < 0x86:
        return compare(n - 0x80, value16(a), value16(b))
    if 0x98 <= n < 0xA4:
        return half_op(n - 0x98, a, b, c)
    if 0xB2 <= n < 0xC6:
        return convert(n - 0xB2, a)
    return other_op(n, a, b, c)


# The fabric adder's formats: mantissa bits and bias by the field of the register word.
@inline
def _mantissa(fmt: int) -> int:
    return 10 if fmt == 1 else 9 if fmt == 2 else 7


@inline
def _bias(fmt: int) -> int:
    return 15 if fmt == 1 else 31 if fmt == 2 else 127


@inline
def flush(x: float) -> float:
    """A subnormal fp32 value as a zero of its sign."""
    if x < 2.0**-126 and x > -(2.0**-126):
        return -0.0 if pattern(x) < 0 else 0.0
    return x


@jit
def fabric_sum(a: int, half: int, fmt: int) -> int:
    """The router's adder: fp32 + fp16 of a format; fp32 subnormals count as zero."""
    total = flush(double_of(a)) + value_of(half, _mantissa(fmt), _bias(fmt))
    if total != total:
        return QNAN32
    return to32(flush(double_of(to32(total))))
