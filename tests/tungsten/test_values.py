"""Folding of constants against numpy and exact fractions (tungsten.md 4)."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tungsten import values
from tungsten.types import HP, I32, SP, U16, U32, U64, XP, Scalar

FLOATS = [HP, SP]
INTEGERS = [XP, U16, I32, U32, U64]
NUMPY = {"xp": np.int16, "u16": np.uint16, "i32": np.int32, "u32": np.uint32, "u64": np.uint64}


def real(bits: int, t: Scalar) -> np.floating:
    return np.uint16(bits).view(np.float16) if t is HP else np.uint32(bits).view(np.float32)


def pattern(x: np.floating, t: Scalar) -> int:
    if np.isnan(x):
        return 0x7E00 if t is HP else 0x7FC00000
    return int(x.view(np.uint16 if t is HP else np.uint32))


def bits(t: Scalar) -> st.SearchStrategy[int]:
    edges = [0, 1, 2, 1 << (t.bits - 1), (1 << t.bits) - 1, (1 << (t.bits - 1)) - 1, (1 << (t.bits - 1)) + 1]
    if t.is_float:
        inf = 0x7C00 if t is HP else 0x7F800000
        edges += [inf, inf - 1, inf + 1, inf | 1 << (t.bits - 1), 0x3C00 if t is HP else 0x3F800000]
    return st.one_of(st.sampled_from(edges), st.integers(0, (1 << t.bits) - 1))


@pytest.mark.parametrize("t", FLOATS, ids=str)
@settings(max_examples=300, deadline=None)
@given(data=st.data())
def test_float_arithmetic(t: Scalar, data: st.DataObject) -> None:
    a, b = data.draw(bits(t)), data.draw(bits(t))
    x, y = real(a, t), real(b, t)
    with np.errstate(all="ignore"):
        for op, expected in (("+", x + y), ("-", x - y), ("*", x * y), ("/", x / y)):
            assert values.binary(op, a, b, t) == pattern(expected, t), op
    for op, holds in (("<", x < y), (">", x > y), ("<=", x <= y), (">=", x >= y), ("==", x == y), ("!=", x != y)):
        assert values.compare(op, a, b, t) == int(holds), op


@pytest.mark.parametrize("t", FLOATS, ids=str)
@settings(max_examples=300, deadline=None)
@given(data=st.data())
def test_fused(t: Scalar, data: st.DataObject) -> None:
    """One rounding: the result is a value of the type, and none of its neighbours is nearer to the exact sum."""
    a, b, c = (data.draw(bits(t)) for _ in range(3))
    got = values.fma(a, b, c, False, t)
    x, y, z = (float(real(v, t)) for v in (a, b, c))
    assert values.fma(a, b ^ 1 << (t.bits - 1), c, True, t) == got
    if not all(np.isfinite([x, y, z])):
        assert got == pattern((np.float16 if t is HP else np.float32)(x + y * z), t)
        return
    exact = Fraction(x) + Fraction(y) * Fraction(z)
    value = float(real(got, t))
    if np.isinf(value):
        assert abs(exact) >= (65520 if t is HP else Fraction(2) ** 128 - Fraction(2) ** 103)
        return
    error = abs(Fraction(value) - exact)
    with np.errstate(all="ignore"):
        neighbours = [np.nextafter(real(got, t), real(got, t).dtype.type(s)) for s in (np.inf, -np.inf)]
    for neighbour in neighbours:
        if np.isfinite(neighbour):
            other = abs(Fraction(float(neighbour)) - exact)
            assert error < other or (error == other and got & 1 == 0)


@pytest.mark.parametrize("t", INTEGERS, ids=str)
@settings(max_examples=200, deadline=None)
@given(data=st.data())
def test_integer_arithmetic(t: Scalar, data: st.DataObject) -> None:
    a, b = data.draw(bits(t)), data.draw(bits(t))
    kind = NUMPY[t.name]
    unsigned = {16: np.uint16, 32: np.uint32, 64: np.uint64}[t.bits]
    x, y = unsigned(a).view(kind), unsigned(b).view(kind)
    i, j = int(x), int(y)

    def wrapped(n: int) -> int:
        return n & ((1 << t.bits) - 1)

    assert values.binary("+", a, b, t) == wrapped(i + j)
    assert values.binary("-", a, b, t) == wrapped(i - j)
    assert values.binary("*", a, b, t) == wrapped(i * j)
    with np.errstate(all="ignore"):
        for op, expected in (("&", x & y), ("|", x | y), ("^", x ^ y), ("min", min(i, j)), ("max", max(i, j))):
            assert values.binary(op, a, b, t) == wrapped(int(expected)), op
    if j:
        quotient = int(abs(i) // abs(j)) * (1 if (i < 0) == (j < 0) else -1)
        assert values.binary("/", a, b, t) == wrapped(quotient)
        assert values.binary("%", a, b, t) == wrapped(i - quotient * j)
    else:
        assert values.binary("/", a, b, t) == values.binary("%", a, b, t) == wrapped(-1)
    assert values.binary("<<", a, b, t) == (wrapped(i << b) if b < t.bits else 0)
    assert values.binary(">>", a, b, t) == wrapped(i >> min(b, 100))
    assert values.unary("-", a, t) == wrapped(-i)
    assert values.unary("~", a, t) == wrapped(~i)
    assert values.unary("abs", a, t) == wrapped(abs(i))


@pytest.mark.parametrize("source", [*FLOATS, *INTEGERS], ids=str)
@pytest.mark.parametrize("target", [*FLOATS, *INTEGERS], ids=str)
@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_conversions(source: Scalar, target: Scalar, data: st.DataObject) -> None:
    a = data.draw(bits(source))
    got = values.convert(a, source, target)
    if source == target:
        assert got == a
    elif source.is_float and target.is_float:
        with np.errstate(all="ignore"):
            assert got == pattern((np.float16 if target is HP else np.float32)(real(a, source)), target)
    elif source.is_float:
        x = float(real(a, source))
        low, high = values.bounds(target)
        expected = 0 if np.isnan(x) else high if x >= high else low if x <= low else int(x)
        assert got == expected & ((1 << target.bits) - 1)
    else:
        i = int(values.decode(a, source))
        if target.is_float:
            # int -> double is exact up to 2**53; beyond, numpy converts u64 to float32 in one step.
            if abs(i) <= 2**53:
                with np.errstate(all="ignore"):
                    assert got == pattern((np.float16 if target is HP else np.float32)(float(i)), target)
            elif target is SP:
                assert got == pattern(np.float32(np.uint64(i)), target)
            else:
                assert got == 0x7C00
        else:
            assert got == i & ((1 << target.bits) - 1)


def test_min_and_max_of_zeros_and_nan() -> None:
    zero, minus, nan, one = 0, 0x80000000, 0x7FA00001, 0x3F800000
    for op in ("min", "max"):
        assert values.binary(op, zero, minus, SP) == zero
        assert values.binary(op, minus, zero, SP) == minus
        assert values.binary(op, nan, one, SP) == one
        assert values.binary(op, one, nan, SP) == one
        assert values.binary(op, nan, nan, SP) == 0x7FC00000


def test_literals_in_double() -> None:
    assert values.untyped("+", 0.1, 0.2) == 0.1 + 0.2
    assert values.untyped("/", 7, 2) == 3.5
    assert values.untyped("/", 8, 2) == 4 and isinstance(values.untyped("/", 8, 2), int)
    assert values.untyped("+", 2**53, 1) == float(2**53)  # a double holds no more
    assert values.untyped("%", -7, 3) == -1
    assert values.untyped("<<", 3, 70) == 0
    assert values.untyped("/", 1, 0) == float("inf")
    with pytest.raises(ValueError):
        values.untyped("&", 1.5, 1)


@pytest.mark.parametrize(
    ("text", "number"),
    [("4", 4), ("-1", -1), ("0x1F", 31), ("0b101", 5), ("1.5e-3", 1.5e-3), (" 7 ", 7), ("-0.5", -0.5), ("x", None)]
    + [("", None), ("1e", None), ("0x", None), ("--1", None), ("nan", None), ("inf", None), ("٣", None)],
)
def test_numbers_of_bindings(text: str, number: float | None) -> None:
    assert values.parse(text) == number
