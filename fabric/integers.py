"""Integer operations on raw patterns (unsigned Python ints of the operand's width).

Rules (hardware.md 14.9, tungsten.md 4): results wrap; `/` and `%` truncate toward zero and give all ones when the
divisor is zero; a shift by the width or more gives 0, or the sign for the arithmetic one; shift counts are unsigned.
Each function here makes the operation of one width: `add(16)` is what `add16` does.
"""

from __future__ import annotations

from collections.abc import Callable

Unary = Callable[[int], int]
Binary = Callable[[int, int], int]


def signed(a: int, width: int) -> int:
    """The signed value of a pattern."""
    top = 1 << (width - 1)
    return (a ^ top) - top


def add(width: int) -> Binary:
    mask = (1 << width) - 1
    return lambda a, b: (a + b) & mask


def sub(width: int) -> Binary:
    mask = (1 << width) - 1
    return lambda a, b: (a - b) & mask


def mul(width: int) -> Binary:
    mask = (1 << width) - 1
    return lambda a, b: (a * b) & mask


def and_(width: int) -> Binary:
    return lambda a, b: a & b


def or_(width: int) -> Binary:
    return lambda a, b: a | b


def xor(width: int) -> Binary:
    return lambda a, b: a ^ b


def sll(width: int) -> Binary:
    mask = (1 << width) - 1
    return lambda a, n: a << n & mask if n < width else 0


def slr(width: int) -> Binary:
    return lambda a, n: a >> n if n < width else 0


def sar(width: int) -> Binary:
    top, mask = 1 << (width - 1), (1 << width) - 1
    return lambda a, n: ((a ^ top) - top) >> (n if n < width else width) & mask


def divu(width: int) -> Binary:
    mask = (1 << width) - 1
    return lambda a, b: a // b if b else mask


def remu(width: int) -> Binary:
    mask = (1 << width) - 1
    return lambda a, b: a % b if b else mask


def divs(width: int) -> Binary:
    top, mask = 1 << (width - 1), (1 << width) - 1

    def f(a: int, b: int) -> int:
        if not b:
            return mask
        x, y = (a ^ top) - top, (b ^ top) - top
        q = abs(x) // abs(y)
        return (q if (x < 0) == (y < 0) else -q) & mask

    return f


def rems(width: int) -> Binary:
    top, mask = 1 << (width - 1), (1 << width) - 1

    def f(a: int, b: int) -> int:
        if not b:
            return mask
        x, y = (a ^ top) - top, (b ^ top) - top
        r = abs(x) % abs(y)
        return (-r if x < 0 else r) & mask

    return f


def minu(width: int) -> Binary:
    return lambda a, b: b if b < a else a


def maxu(width: int) -> Binary:
    return lambda a, b: b if b > a else a


def mins(width: int) -> Binary:
    # Flipping the sign bit maps the signed order to the unsigned one.
    top = 1 << (width - 1)
    return lambda a, b: b if b ^ top < a ^ top else a


def maxs(width: int) -> Binary:
    top = 1 << (width - 1)
    return lambda a, b: b if b ^ top > a ^ top else a


def abs_(width: int) -> Unary:
    top, mask = 1 << (width - 1), (1 << width) - 1
    return lambda a: -a & mask if a & top else a


def clz(width: int) -> Unary:
    """Leading zeros; `width` for 0."""
    return lambda a: width - a.bit_length()


def ctz(width: int) -> Unary:
    """Trailing zeros; `width` for 0."""
    return lambda a: (a & -a).bit_length() - 1 if a else width


def popcnt(width: int) -> Unary:
    return lambda a: a.bit_count()


def addc16(a: int, b: int, carry: int) -> int:
    """a + b + carry in 17 bits: the sum in bits 15:0, the new carry flag in bit 16."""
    return a + b + carry


def eq(width: int) -> Binary:
    return lambda a, b: 1 if a == b else 0


def ne(width: int) -> Binary:
    return lambda a, b: 1 if a != b else 0


def ltu(width: int) -> Binary:
    return lambda a, b: 1 if a < b else 0


def leu(width: int) -> Binary:
    return lambda a, b: 1 if a <= b else 0


def gtu(width: int) -> Binary:
    return lambda a, b: 1 if a > b else 0


def geu(width: int) -> Binary:
    return lambda a, b: 1 if a >= b else 0


def lt(width: int) -> Binary:
    top = 1 << (width - 1)
    return lambda a, b: 1 if a ^ top < b ^ top else 0


def le(width: int) -> Binary:
    top = 1 << (width - 1)
    return lambda a, b: 1 if a ^ top <= b ^ top else 0


def gt(width: int) -> Binary:
    top = 1 << (width - 1)
    return lambda a, b: 1 if a ^ top > b ^ top else 0


def ge(width: int) -> Binary:
    top = 1 << (width - 1)
    return lambda a, b: 1 if a ^ top >= b ^ top else 0


def same(a: int) -> int:
    """A move, a zero extension."""
    return a


def sext(width: int, to: int) -> Unary:
    """Sign extension of a `width`-bit pattern to `to` bits."""
    top, mask = 1 << (width - 1), (1 << to) - 1
    return lambda a: (a ^ top) - top & mask


def low(width: int) -> Unary:
    """The low `width` bits."""
    mask = (1 << width) - 1
    return lambda a: a & mask


def select(a: int, b: int, p: int) -> int:
    """a where the predicate holds, else b."""
    return a if p else b
