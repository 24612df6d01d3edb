"""The flags of a floating-point operation as traces show them (S4:18700): u underflow, o overflow, x inexact,
i invalid, z division by zero. The machine itself keeps none and stops for none.

They are worked out from the operands and the result of one element, in exact rational arithmetic. Underflow is a
result that is inexact and, before rounding, below the least normal number.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from fractions import Fraction

from fabric.numbers import value16, value32

FLOATS = {"f32": (value32, 0x7F800000, 0x00400000, Fraction(1, 2**126)), "f16": (value16, 0x7C00, 0x0200, Fraction(1, 2**14))}
BITS = {"i16": 16, "u16": 16, "i32": 32, "u32": 32, "u64": 64}
ORDERED = ("flt", "fgt")  # compares that a NaN makes invalid; feq and fneq are quiet

Exact = Callable[..., Fraction]
EXACT: dict[str, Exact] = {
    "fadd": lambda a, b: a + b,
    "fsub": lambda a, b: a - b,
    "fmul": lambda a, b: a * b,
    "fdiv": lambda a, b: a / b,
    "fmac": lambda a, b, c: a + b * c,
    "fms": lambda a, b, c: a - b * c,
    "fscale": lambda a, n: a * Fraction(2) ** int(n),
    "fs2h": lambda a: a,
    "fh2s": lambda a: a,
}


def _signed(kind: str, bits: int) -> int:
    width = BITS[kind]
    return bits - (1 << width) if kind[0] == "i" and bits >> (width - 1) & 1 else bits


def _stem(name: str) -> str:
    """`fadd` of fadds, faddh and faddhs."""
    return name if name in EXACT else name[:-2] if name.endswith("hs") else name[:-1]


def _is_nan(kind: str, bits: int) -> bool:
    infinity = FLOATS[kind][1]
    sign = 0x80000000 if kind == "f32" else 0x8000
    return bits & (sign - 1) > infinity


def _signals(kind: str, bits: int) -> bool:
    return _is_nan(kind, bits) and not bits & FLOATS[kind][2]


def flags(name: str, kinds: Sequence[str], dest: str | None, sources: Sequence[int], result: int) -> str:
    """Five columns, `u o x i z` or blanks. `kinds` and `dest` are the operand types of the row (fabric.isa), `sources`
    and `result` the bit patterns of one element."""
    found = _found(name, kinds, dest, sources, result)
    return "".join(letter if letter in found else " " for letter in "uoxiz")


def _found(name: str, kinds: Sequence[str], dest: str | None, sources: Sequence[int], result: int) -> str:
    floats = [(k, s) for k, s in zip(kinds, sources, strict=False) if k in FLOATS]
    if not floats and dest not in FLOATS:
        return ""
    nan = any(_is_nan(k, s) for k, s in floats)
    if any(_signals(k, s) for k, s in floats) and name[:4] not in ("fabs", "fneg"):
        return "i"
    if dest == "p":
        return "i" if nan and name[:3] in ORDERED else ""
    values = [FLOATS[k][0](s) if k in FLOATS else _signed(k, s) for k, s in zip(kinds, sources, strict=False)]
    finite = all(math.isfinite(v) for v in values)
    if dest in BITS:  # toward zero, saturating
        if not finite:
            return "i"
        exact, got = Fraction(values[0]), _signed(dest, result)
        return "i" if math.trunc(exact) != got else "x" if exact != got else ""
    stem = _stem(name)
    if dest not in FLOATS or (floats and stem not in EXACT):
        return ""
    value, _, _, least = FLOATS[dest]
    got_value = value(result)
    if math.isnan(got_value):
        return "" if nan else "i"
    if not finite:
        return ""
    if stem == "fdiv" and values[1] == 0:
        return "z"
    exact = EXACT[stem](*map(Fraction, values)) if floats else Fraction(values[0])
    if math.isinf(got_value):
        return "ox"
    if Fraction(got_value) == exact:
        return ""
    return "ux" if abs(exact) < least else "x"
