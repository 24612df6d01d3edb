"""Number formats against rational arithmetic, numpy, and patterns worked out by hand."""

from __future__ import annotations

import itertools
import math
import random
from fractions import Fraction

import exact_arithmetic as exact
import numpy as np
import pytest

from fabric import floats, numbers
from fabric.numbers import BF16, CB16, FORMATS, FP16, FP32, Format

ALL = list(FORMATS.values())


def by_name(f: Format) -> str:
    return f.name


def test_the_reference_agrees_with_numpy() -> None:
    rng = random.Random(3)
    for _ in range(2000):
        x = rng.uniform(-1, 1) * 2.0 ** rng.randrange(-160, 130)
        with np.errstate(all="ignore"):
            assert exact.nearest(Fraction(x), "fp32") == int(np.float32(x).view(np.uint32))
            assert exact.nearest(Fraction(x), "fp16") == int(np.float16(x).view(np.uint16))


def test_known_patterns() -> None:
    """6.0 in f16 and bf16 is given in S4:14286; cb16 has bias 31: 6.0 = 1.5 * 2**2 -> exponent field 33."""
    assert FP16.bits(6.0) == 0x4600
    assert BF16.bits(6.0) == 0x40C0
    assert CB16.bits(6.0) == 33 << 9 | 1 << 8
    assert CB16.bits(1.0) == 31 << 9
    assert FP32.bits(1.0) == 0x3F800000
    assert CB16.value(1) == 2.0**-39
    assert CB16.value(0x7DFF) == (2 - 2.0**-9) * 2.0**31
    assert (FP32.qnan, FP16.qnan, CB16.qnan, BF16.qnan) == (0x7FC00000, 0x7E00, 0x7F00, 0x7FC0)
    assert (FP32.width, FP16.width, CB16.width, BF16.width) == (32, 16, 16, 16)


@pytest.mark.parametrize("f", ALL, ids=by_name)
def test_value_and_bits(f: Format) -> None:
    """All patterns of a 16-bit format (edge ones of fp32) stand for the right value and read back."""
    for p in exact.patterns("fp32", 500) if f.width == 32 else range(1 << 16):
        expected = exact.value(p, f.name)
        x = f.value(p)
        if expected == exact.NAN:
            assert math.isnan(x) and f.is_nan(p) and f.bits(x) == f.qnan
        else:
            assert Fraction(x) == expected if not isinstance(expected, str) else str(x).removesuffix(".0") == expected
            assert f.bits(x) == p
        assert f.is_inf(p) == (expected in (exact.INF, exact.NINF))


@pytest.mark.parametrize("f", ALL, ids=by_name)
def test_two_operand_arithmetic(f: Format) -> None:
    for a, b in itertools.product(exact.patterns(f.name, 6), exact.patterns(f.name, 6, seed=2)):
        x, y = exact.value(a, f.name), exact.value(b, f.name)
        assert f.add(a, b) == exact.add(x, y, f.name), (hex(a), hex(b))
        assert f.sub(a, b) == exact.add(x, exact.negated(y), f.name), (hex(a), hex(b))
        assert f.mul(a, b) == exact.rounded(exact.product(x, y), f.name), (hex(a), hex(b))
        assert f.div(a, b) == exact.divide(x, y, f.name), (hex(a), hex(b))


@pytest.mark.parametrize("f", ALL, ids=by_name)
def test_fma(f: Format) -> None:
    some = exact.patterns(f.name, 4)[::3]
    for c, a, b in itertools.product(some, some, some):
        expected = exact.fma(exact.value(c, f.name), exact.value(a, f.name), exact.value(b, f.name), f.name)
        assert f.fma(c, a, b) == expected, (hex(c), hex(a), hex(b))


def test_fast_fp32_is_the_exact_format_on_random_patterns() -> None:
    rng = random.Random(11)
    for _ in range(4000):
        # Exponents near each other, so that sums cancel and quotients and ties matter.
        base = rng.randrange(1, 250)
        a, b, c = (
            rng.getrandbits(1) << 31 | min(max(base + rng.randrange(-26, 27), 0), 255) << 23 | rng.getrandbits(23)
            for _ in range(3)
        )
        assert floats.fadds(a, b) == FP32.add(a, b)
        assert floats.fsubs(a, b) == FP32.sub(a, b)
        assert floats.fmuls(a, b) == FP32.mul(a, b)
        assert floats.fdivs(a, b) == FP32.div(a, b)
        assert floats.fmacs(c, a, b) == FP32.fma(c, a, b)
        if not FP32.is_nan(a):
            assert floats.fmss(c, a, b) == FP32.fma(c, FP32.neg(a), b)


def test_fused_sums_round_once_where_two_roundings_differ() -> None:
    """c + a*b just beside a tie of fp32, by less than the double sum can hold."""
    one = FP32.bits(1.0)
    a, b = FP32.bits(1 + 2.0**-23), FP32.bits(1 - 2.0**-23)  # a*b = 1 - 2**-46
    for c in (2.0**24, 2.0**24 + 2, -(2.0**24), 3 * 2.0**23 + 2):
        exactly = Fraction(c) + Fraction(1) - Fraction(1, 2**46)
        assert floats.fmacs(FP32.bits(c), a, b) == exact.nearest(exactly, "fp32")
    tiny = FP32.bits(2.0**-149)
    # 1 + 2**-24 is a tie between 1 and its successor; the least product above or below it decides.
    near = FP32.bits(1.0)
    assert floats.fmacs(near, FP32.bits(2.0**-24), one) == one
    assert floats.fmacs(near, FP32.bits(2.0**-24 * (1 + 2.0**-23)), one) == one + 1
    half = FP32.bits(2.0**-126)
    assert floats.fmacs(tiny, half, half) == tiny
    assert floats.fmss(tiny, half, half) == tiny
    # half of the least subnormal is a tie with 0; a little more is not
    assert floats.fmacs(0, tiny, FP32.bits(0.5)) == 0
    assert floats.fmacs(0, tiny, FP32.bits(0.5 + 2.0**-24)) == 1
    assert floats.fmacs(tiny, tiny, FP32.bits(0.5)) == 2
    assert floats.fmss(tiny, tiny, FP32.bits(0.5)) == 0


def test_half_precision_fused_sums_on_random_patterns() -> None:
    rng = random.Random(5)
    for _ in range(6000):
        c, a, b = (rng.getrandbits(16) for _ in range(3))
        assert floats.fmach(c, a, b) == FP16.fma(c, a, b), (hex(c), hex(a), hex(b))


def test_every_tie_of_fp16() -> None:
    """fp32 values half-way between neighbouring fp16 numbers, and the fp32 numbers beside them."""
    low = np.arange(0, 0x7BFF, dtype=np.uint16)
    middle = (low.view(np.float16).astype(np.float32) + (low + 1).astype(np.uint16).view(np.float16)) / np.float32(2)
    bits = middle.astype(np.float32).view(np.uint32)
    for p, tie in zip(low.tolist(), bits.tolist(), strict=True):
        even = p if p % 2 == 0 else p + 1
        assert floats.fs2h(tie) == even
        assert floats.fs2h(tie - 1) == p
        assert floats.fs2h(tie + 1) == p + 1
        assert floats.fs2h(tie | 0x80000000) == even | 0x8000
    assert floats.fs2h(FP32.bits(65520.0)) == 0x7C00  # the tie above the greatest number goes to infinity
    assert floats.fs2h(FP32.bits(65520.0) - 1) == 0x7BFF
    assert floats.fs2h(FP32.bits(2.0**-25)) == 0
    assert floats.fs2h(FP32.bits(2.0**-25) + 1) == 1


def test_large_integers_round_once() -> None:
    """u64 to fp32: a tie of fp32 plus one, which a double would lose."""
    tie = (1 << 63) + (1 << 39)
    for v in (tie, tie + 1, tie - 1, tie + (1 << 40), 2**64 - 1, 2**53 + 1, 2**24 + 1, 2**24 + 3):
        assert numbers.bits32(numbers.int_to_double(v)) == exact.nearest(Fraction(v), "fp32")
        assert FP32.from_int(v) == exact.nearest(Fraction(v), "fp32")
        assert FP32.from_int(-v) == exact.nearest(Fraction(-v), "fp32")
    assert FP16.from_int(65519) == 0x7BFF
    assert FP16.from_int(65520) == 0x7C00


def test_fabric_adder() -> None:
    """The example of hardware.md 18: 100.0 + hp 2 + hp 3 arrives as 105.0; fp32 subnormals flush, fp16 ones count."""
    first = floats.fabric_add(FP32.bits(100.0), FP16.bits(2.0))
    assert numbers.value32(floats.fabric_add(first, FP16.bits(3.0))) == 105.0
    assert floats.fabric_add(1, 0) == 0
    assert floats.fabric_add(0x80000001, 0x8000) == 0x80000000
    assert floats.fabric_add(0, 1) == FP32.bits(2.0**-24)
    assert floats.fabric_add(FP32.bits(1.0), CB16.bits(2.5), CB16) == FP32.bits(3.5)
    assert floats.fabric_add(FP32.bits(2.0**-126), FP16.bits(0.0)) == FP32.bits(2.0**-126)
    assert floats.fabric_add(0x7F800001, 0) == FP32.qnan


def test_float_to_int_borders() -> None:
    assert numbers.float_to_int(32767.99, 16, True) == 0x7FFF
    assert numbers.float_to_int(-32768.99, 16, True) == 0x8000
    assert numbers.float_to_int(-0.99, 16, False) == 0
    assert numbers.float_to_int(65535.5, 16, False) == 0xFFFF
    assert numbers.float_to_int(math.inf, 64, False) == 2**64 - 1
    assert numbers.float_to_int(-math.inf, 32, True) == 0x80000000
    assert numbers.float_to_int(math.nan, 32, True) == 0
    assert numbers.float_to_int(-1.5, 32, True) == 0xFFFFFFFF
