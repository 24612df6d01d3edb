"""The fabric adder (S3:2-110, hardware.md 9)."""

from __future__ import annotations

import numpy as np
import pytest
from fabric_bench import Bench, Send, bits, half
from hypothesis import given
from hypothesis import strategies as st

from fabric import arch
from fabric.reference.adder import add, from_fp16
from fabric.reference.fault import FabricFault
from fabric.reference.waiting import Reason, why_waiting
from fabric.reference.wavelet import control_payload

COLOR = arch.ADDER_COLOR


def chain(adders: int) -> Bench:
    """head [C>R], adders [L>R; fabadder], receiver [L>C], as in S3:64-88."""
    b = Bench(adders + 2)
    b.rule(0, 0, COLOR, "[C>R]")
    for x in range(1, adders + 1):
        b.rule(x, 0, COLOR, "[L>R ; fabadder]")
        b.out(x, 0, 0, COLOR)
    b.rule(adders + 1, 0, COLOR, "[L>C]")
    b.out(0, 0, 0, COLOR)
    b.inp(adders + 1, 0, 0, COLOR).drain(0)
    return b


def test_100_and_hp_2_and_hp_3_arrive_as_105() -> None:
    # The operands of the cores land on R at 5 and wait. An adder takes one cycle more than a plain router:
    #   P0 R 5 -> P1 7, leaves 9 -> P2 10, leaves 12 -> P3 13, read at 16
    b = chain(2)
    b.core(0).send(0, 0, bits(100.0))
    b.core(1).send(0, 0, half(2.0), 16)
    b.core(2).send(0, 0, half(3.0), 16)
    b.run()
    assert [x for x in b.seen.landings if x[3] == "W"] == [
        (7, "P1.0", COLOR, "W", bits(100.0)),
        (10, "P2.0", COLOR, "W", bits(102.0)),
        (13, "P3.0", COLOR, "W", bits(105.0)),
    ]
    assert b.core(3).got == [(16, 0, bits(105.0))]
    assert len({i for _, _, _, i in b.seen.idents if i >> 40 == 0}) == 1  # the sum keeps the ident of the fabric's


def test_with_sp_2_and_sp_3_it_arrives_as_100() -> None:
    # An sp is read as two packed hp, the low half first: 2.0 = 0x40000000 gives 0.0 (S3:34-37).
    b = chain(2)
    b.core(0).send(0, 0, bits(100.0))
    b.core(1).send(0, 0, bits(2.0))
    b.core(2).send(0, 0, bits(3.0))
    b.run()
    assert [v for _, _, v in b.core(3).got] == [bits(100.0)]


def test_a_packed_wavelet_serves_two_sums() -> None:
    b = chain(1)
    b.core(0).stream(0, 0, [bits(10.0), bits(20.0), bits(30.0)])
    b.core(1).at(0, Send(0, half(1.0), 16), Send(0, half(2.0), 16), Send(0, half(4.0), 16))
    b.run()
    assert [v for _, _, v in b.core(2).got] == [bits(11.0), bits(22.0), bits(34.0)]


def test_a_late_core_operand_decides() -> None:
    # It lands on R at 25: the sum leaves at 27, lands on P2 at 28.
    b = chain(1)
    b.core(0).send(0, 0, bits(1.5))
    b.core(1).send(20, 0, half(1.0), 16)
    b.run()
    assert b.landed("P2.0") == [(28, "W", bits(2.5))]


def test_sums_back_to_back() -> None:
    # Operands at hand, values landing on P1 at 7, 8, ...: sums leave at 9, 10, ... one a cycle.
    b = chain(1)
    b.core(0).stream(0, 0, [bits(float(i)) for i in range(6)])
    b.core(1).at(0, *[Send(0, half(0.5), 16) for _ in range(6)])
    b.run()
    assert b.landed("P2.0") == [(10 + i, "W", bits(i + 0.5)) for i in range(6)]


def test_a_silent_core_stalls_the_chain() -> None:
    b = chain(1)
    b.core(0).stream(0, 0, [bits(float(i)) for i in range(6)])
    b.core(1).send(0, 0, half(1.0), 16)
    b.run()
    assert b.landed("P2.0") == [(10, "W", bits(1.0))]
    assert b.held(1, 0, COLOR) == [bits(float(i)) for i in range(1, 5)]
    wait, = why_waiting(b.fabric.tile(1, 0), COLOR, b.fabric.now)
    assert wait.reason is Reason.NO_OPERAND and wait.tile.name == "P1.0"


def test_core_operands_wait_four_deep() -> None:
    # Six 32-bit wavelets from the core and nothing from the fabric: four in the adder, two in the output queue.
    b = chain(1)
    b.core(1).stream(0, 0, range(6))
    b.run()
    assert len(b.fabric.tile(1, 0).router.channels[COLOR].adder.operands) == 4  # type: ignore[union-attr]
    assert b.fabric.tile(1, 0).output_queues[0].wavelets == 2
    # A fabric value uses the low half of the first, a second one the high half: then there is room for one.
    b.core(0).stream(100, 0, [0, 0])
    b.run()
    assert b.fabric.tile(1, 0).output_queues[0].wavelets == 1


def test_control_wavelets_of_the_fabric_pass_unmodified_and_use_no_operand() -> None:
    word = control_payload(1, task=9)
    b = chain(1)
    b.core(0).send(0, 0, bits(1.0))
    b.core(0).send(1, 0, word, ctrl=True)
    b.core(0).send(2, 0, bits(2.0))
    b.core(1).at(0, Send(0, half(1.0), 16), Send(0, half(1.0), 16))
    b.run()
    assert b.landed("P2.0") == [(10, "W", bits(2.0)), (11, "W", word), (12, "W", bits(3.0))]


def test_a_control_wavelet_from_the_core_is_a_fault() -> None:
    b = chain(1)
    b.core(1).send(0, 0, control_payload(0), ctrl=True)
    with pytest.raises(FabricFault) as e:
        b.run()
    assert (e.value.code, e.value.cycle, e.value.x) == ("FB403", 5, 1)


def test_the_adder_is_on_color_10_and_has_a_format() -> None:
    tile = Bench(1).fabric.tile(0, 0)
    with pytest.raises(FabricFault) as e:
        tile.write_word(arch.SWITCH_OURS + 4 * 3, arch.OURS_ADDER | 1 << 10)
    assert e.value.code == "FB406"
    with pytest.raises(FabricFault) as e:
        tile.write_word(arch.SWITCH_OURS + 4 * COLOR, arch.OURS_ADDER)
    assert e.value.code == "FB405"


@pytest.mark.parametrize(
    ("pattern", "fp16", "value"),
    [
        (0x3C00, arch.FP16_IEEE, 1.0),
        (0x0001, arch.FP16_IEEE, 2.0**-24),
        (0x7BFF, arch.FP16_IEEE, 65504.0),
        (0xFC00, arch.FP16_IEEE, -np.inf),
        (0x3F80, arch.FP16_BF16, 1.0),
        (0x40C0, arch.FP16_BF16, 6.0),  # S4:14286
        (0x0001, arch.FP16_BF16, 2.0**-133),
        (0x3E00, arch.FP16_CB16, 1.0),  # exponent 31 = the bias, 9 mantissa bits
        (0x4300, arch.FP16_CB16, 6.0),  # 1.5 * 2^2: exponent 33, mantissa 0x100
        (0x8001, arch.FP16_CB16, -(2.0**-39)),
    ],
)
def test_formats(pattern: int, fp16: int, value: float) -> None:
    assert from_fp16(pattern, fp16) == value


@pytest.mark.parametrize("fp16", [10, 16, 15])
def test_formats_on_the_fabric(fp16: int) -> None:
    one = {10: 0x3C00, 16: 0x3E00, 15: 0x3F80}[fp16]
    b = chain(1)
    b.rule(1, 0, COLOR, "[L>R ; fabadder]", fp16=fp16)
    b.core(0).send(0, 0, bits(2.0))
    b.core(1).send(0, 0, one, 16)
    b.run()
    assert b.landed("P2.0") == [(10, "W", bits(3.0))]


def test_rounding_and_denormals() -> None:
    # Nearest even: 2^24 + 1 is a tie and goes to the even 2^24; 2^24 + 3 to 2^24 + 4.
    assert add(bits(2.0**24), half(1.0), 1) == bits(2.0**24)
    assert add(bits(2.0**24), half(3.0), 1) == bits(2.0**24 + 4)
    # A subnormal fp32 input counts as zero, of its sign; a subnormal sum is flushed; fp16 subnormals are kept.
    assert add(0x00000001, half(0.0), 1) == 0
    assert add(0x80000001, 0x8000, 1) == 0x80000000
    assert add(0x007FFFFF, 0x0001, 1) == bits(2.0**-24)
    assert add(0, 0x0001, arch.FP16_BF16) == 0  # 2^-133 is a subnormal sum
    assert add(bits(2.0**-126), 0x8080, arch.FP16_BF16) == 0  # 2^-126 - 2^-126
    assert add(bits(1.5 * 2.0**-126), 0x8080, arch.FP16_BF16) == 0  # 2^-127 is subnormal
    # Overflow and NaN.
    assert add(0x7F7FFFFF, 0x7F7F, arch.FP16_BF16) == 0x7F800000
    assert add(0x7F800000, 0xFC00, 1) == 0x7FC00000
    assert add(0x7FABCDEF, half(1.0), 1) == 0x7FC00000


@given(st.integers(0, 0xFFFFFFFF), st.integers(0, 0xFFFF))
def test_sums_are_those_of_numpy(a: int, b: int) -> None:
    x = np.array([a], np.uint32).view(np.float32)
    y = np.array([b], np.uint16).view(np.float16).astype(np.float32)
    if abs(x[0]) < np.float32(2.0**-126):
        x = np.copysign(np.float32(0), x)
    with np.errstate(all="ignore"):
        z = x + y
    if np.isnan(z[0]):
        expected = 0x7FC00000
    else:
        if abs(z[0]) < np.float32(2.0**-126):
            z = np.copysign(np.float32(0), z)
        expected = int(z.view(np.uint32)[0])
    assert add(a, b, arch.FP16_IEEE) == expected
