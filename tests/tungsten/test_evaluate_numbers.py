"""Scalar arithmetic of the evaluator by hand and against numpy."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from tungsten.evaluate_numbers import binary, convert, from_bits, fused, nearest, to_bits
from tungsten.types import HP, I32, SP, U16, U32, U64, XP


@pytest.mark.parametrize(
    ("op", "t", "a", "b", "result"),
    [
        ("+", XP, 0x7FFF, 1, 0x8000),
        ("*", I32, 0x10000, 0x10000, 0),
        ("-", U64, 0, 1, 2**64 - 1),
        ("/", XP, -7 & 0xFFFF, 2, -3 & 0xFFFF),  # toward zero
        ("%", XP, -7 & 0xFFFF, 2, -1 & 0xFFFF),
        ("%", XP, 7, -2 & 0xFFFF, 1),
        ("/", XP, 0x8000, 0xFFFF, 0x8000),  # wraps
        ("/", U16, 5, 0, 0xFFFF),
        ("%", I32, 5, 0, 0xFFFFFFFF),
        (">>", XP, 0x8000, 3, 0xF000),
        (">>", XP, 0x8000, 16, 0xFFFF),
        (">>", U16, 0x8000, 16, 0),
        ("<<", XP, 1, 15, 0x8000),
        ("<<", U32, 1, 32, 0),
        ("<<", XP, 1, -1 & 0xFFFF, 0),
        ("max", XP, 0xFFFF, 1, 1),
        ("max", U16, 0xFFFF, 1, 0xFFFF),
        ("max", SP, 0x80000000, 0, 0x80000000),  # equal zeros: the first
        ("min", SP, 0, 0x80000000, 0),
        ("max", SP, 0x7FC00000, 0xFF800000, 0xFF800000),
        ("min", HP, 0x3C00, 0x7E01, 0x3C00),
        ("max", HP, 0x7D01, 0xFE00, 0x7E00),
        ("-", SP, 0x7F800000, 0x7F800000, 0x7FC00000),
        ("+", SP, 0xFFFFFFFF, 0, 0x7FC00000),
        ("/", HP, 0x3C00, 0, 0x7C00),
        ("/", HP, 0, 0, 0x7E00),
        ("+", HP, 1, 1, 2),  # subnormals
        ("*", SP, 1, 0x3F000000, 0),  # half of the least: ties to even
        ("+", HP, 0x7BFF, 0x4C00, 0x7C00),  # 65504 + 16
        ("+", HP, 0x7BFF, 0x4BFF, 0x7BFF),
    ],
)
def test_binary_by_hand(op: str, t: Any, a: int, b: int, result: int) -> None:
    assert to_bits(binary(op, from_bits(a, t), from_bits(b, t), t), t) == result


def test_fused_rounds_once() -> None:
    a, b, c = np.float32(-1), np.float32(1 + 2**-13), np.float32(1 - 2**-13)
    assert np.float32(b * c) + a == 0.0  # two roundings lose it
    assert fused(a, b, c, SP) == np.float32(-(2**-26))
    assert to_bits(fused(from_bits(0x8000, HP), from_bits(0x8000, HP), from_bits(0x3C00, HP), HP), HP) == 0x8000
    assert to_bits(fused(from_bits(0x8000, HP), from_bits(0x0000, HP), from_bits(0x3C00, HP), HP), HP) == 0
    assert to_bits(fused(from_bits(0x80000000, SP), from_bits(1, SP), from_bits(1, SP), SP, True), SP) == 0x80000000


def test_fused_against_exact_halves() -> None:
    rng = np.random.default_rng(1)
    pool = np.arange(0, 0x7C00, 1, dtype="u2").view("f2")
    for _ in range(300):
        a, b, c = (np.float16(rng.choice(pool) * rng.choice([-1, 1])) for _ in range(3))
        exact = Fraction(float(a)) + Fraction(float(b)) * Fraction(float(c))
        got = float(fused(a, b, c, HP))
        if math.isinf(got):
            assert abs(exact) >= 65520
            continue
        down, up = float(np.nextafter(np.float16(got), np.float16(-np.inf))), float(
            np.nextafter(np.float16(got), np.float16(np.inf))
        )
        mine = abs(exact - Fraction(got))
        for other in (down, up):
            if math.isfinite(other):
                assert mine <= abs(exact - Fraction(other))


@pytest.mark.parametrize(
    ("bits", "source", "target", "result"),
    [
        (0x4F000000, SP, I32, 0x7FFFFFFF),  # 2**31 saturates
        (0xBFC00000, SP, XP, 0xFFFF),  # -1.5
        (0xBFC00000, SP, U16, 0),
        (0x7FC00000, SP, XP, 0),
        (0xFF800000, SP, I32, 0x80000000),
        (0x7F800000, SP, U64, 2**64 - 1),
        (0x8000, XP, I32, 0xFFFF8000),
        (0x8000, XP, U64, 2**64 - 0x8000),
        (0x8000, U16, I32, 0x8000),
        (0xFFFFFFFF, U32, SP, 0x4F800000),
        (16777217, I32, SP, 0x4B800000),  # tie to even
        (16777219, I32, SP, 0x4B800002),
        (2**53 + 2**29 + 1, U64, SP, 0x5A000001),  # no double rounding
        (65520, U32, HP, 0x7C00),
        (2049, XP, HP, 0x6800),
        (0x477FEFFF, SP, HP, 0x7BFF),
        (0x477FF000, SP, HP, 0x7C00),
        (0x7C01, HP, SP, 0x7FC00000),
        (0x0001, HP, SP, 0x33800000),
    ],
)
def test_conversions_by_hand(bits: int, source: Any, target: Any, result: int) -> None:
    assert to_bits(convert(from_bits(bits, source), source, target), target) == result


def test_nearest_against_numpy() -> None:
    rng = np.random.default_rng(2)
    for x in [*rng.normal(size=200), *(rng.normal(size=200) * 1e-40), *(rng.normal(size=50) * 1e38)]:
        with np.errstate(over="ignore"):
            assert nearest(Fraction(float(x)), SP) == np.float32(x)
            assert nearest(Fraction(float(x)), HP) == np.float16(x)
