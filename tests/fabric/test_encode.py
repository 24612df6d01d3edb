"""Encoding and decoding: round trips, strictness, and words worked out by hand from the layout in fabric.encode."""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from instruction_strategy import instructions

from fabric import descriptor as dsd
from fabric.encode import MAX_LENGTH, Async, DecodeError, EncodeError, Instr, decode, encode
from fabric.isa import BY_NAME, ROWS, Row


def row(name: str) -> Row:
    return BY_NAME[name]


def test_words_by_hand() -> None:
    n = {r.name: r.number for r in ROWS}
    # add16 R1 = R2, R3: the register fields are dest, src0, src1 from the low end
    assert encode(Instr(row("add16"), 1, 2, 3)) == [n["add16"], 0x0321]
    # bit 12 and the immediate, low word first
    assert encode(Instr(row("mov32"), 4, imm=0x12345678)) == [n["mov32"] | 0x1000, 0x0004, 0x5678, 0x1234]
    assert encode(Instr(row("mov64"), 4, imm=0x1122334455667788))[2:] == [0x7788, 0x5566, 0x3344, 0x1122]
    # bits 8-10: DSRs; 13 terminate; 14 microthread word; 15 predicate word, which comes first
    i = Instr(row("fmacs"), 1, 2, 3, 4, 7, None, (), 5, True, True, Async(6, 3, 9))
    assert encode(i) == [n["fmacs"] | 0xE700, 0x4321, 5 | 8, 6 | 3 << 3 | 9 << 5]
    # rows without registers have no register word
    assert encode(Instr(row("jmp"), args=(0x1234,))) == [n["jmp"], 0x1234]
    assert encode(Instr(row("nop"), terminate=True)) == [n["nop"] | 0x2000]
    assert encode(Instr(row("settask"), args=(9, 0x40))) == [n["settask"], 9, 0x40]
    # the immediate stands before the address
    assert encode(Instr(row("st16"), imm=7, args=(0x100,))) == [n["st16"] | 0x1000, 0, 7, 0x100]
    assert encode(Instr(row("ld16x"), 1, 2, args=(0xFFFE,))) == [n["ld16x"], 0x0021, 0xFFFE]
    assert encode(Instr(row("lds1"), 15, args=(0x20,))) == [n["lds1"], 0x000F, 0x20]
    assert encode(Instr(row("std"), 0, 3, args=(0x20,))) == [n["std"], 0x0030, 0x20]


@given(instructions())
@settings(max_examples=1500, deadline=None)
def test_round_trip(i: Instr) -> None:
    words = encode(i)
    assert len(words) == i.length <= MAX_LENGTH
    assert all(0 <= w <= 0xFFFF for w in words)
    assert decode(words) == i
    assert decode([0xFFFF, *words, 0xFFFF], 1) == i


@pytest.mark.parametrize("r", ROWS, ids=lambda r: r.name)
def test_every_form_of_every_row_round_trips(r: Row) -> None:
    for form in r.forms:
        sources = [0, 0, 0]
        i = Instr(r, 0, *sources, form, None, tuple(8 if a in ("local", "task") else 1 for a in r.args),
                  background=Async(1) if r.needs_async else None)  # fmt: skip
        assert decode(encode(i)) == i


@given(st.lists(st.integers(0, 0xFFFF), min_size=1, max_size=10))
@settings(max_examples=1500, deadline=None)
def test_what_decodes_encodes_to_the_same_words(words: list[int]) -> None:
    """So no two encodings stand for one instruction, and no word sequence is two instructions."""
    try:
        i = decode(words)
    except DecodeError as e:
        assert str(e)
        return
    assert encode(i) == words[: i.length]


@given(instructions(), st.randoms(use_true_random=False))
@settings(max_examples=800, deadline=None)
def test_a_flipped_bit_gives_another_instruction_or_an_error(i: Instr, rng: random.Random) -> None:
    words = encode(i)
    at, bit = rng.randrange(len(words)), rng.randrange(16)
    words[at] ^= 1 << bit
    try:
        other = decode(words)
    except DecodeError:
        return
    assert other != i
    assert encode(other) == words[: other.length]


@given(instructions())
@settings(max_examples=300, deadline=None)
def test_cut_off(i: Instr) -> None:
    words = encode(i)
    for n in range(len(words)):
        with pytest.raises(DecodeError, match="cut off"):
            decode(words[:n])
    with pytest.raises(DecodeError, match="cut off"):
        decode(words, len(words))
    with pytest.raises(DecodeError, match="cut off"):
        decode(words, -1)


DECODE_ERRORS = [
    ([0x0000], "no instruction has the number 0x00"),
    ([0x00FF], "no instruction has the number 0xff"),
    ([row("add16").number | 0x800, 0], "bit 11"),
    ([row("add16").number, 0x1321], "no register as source 2"),
    ([row("mov16").number, 0x0321], "no register as source 1"),
    ([row("mov16").number | 0x1000, 0x0021, 5], "no register as source 0"),
    ([row("jmpr").number, 0x0021], "jmpr has no destination"),
    ([row("add32").number, 0x0021], "D1 does not exist"),
    ([row("add64").number, 0x0042], "Q2 does not exist"),
    ([row("eq16").number, 0x0218], "P8 does not exist"),
    ([row("add64").number | 0x700, 0], "no vector form"),
    ([row("add16").number | 0x600, 0], "no form with these vector operands"),
    ([row("select16").number | 0x1000, 0, 0], "takes no immediate"),
    ([row("jmp").number | 0x1000, 5], "takes no immediate"),
    ([row("add16").number | 0x1500, 0, 5], "immediate and a DSR"),
    ([row("add16").number | 0x0200, 0x0321], "running value"),
    ([row("add16").number | 0x1200, 0x0021, 3], "running value"),
    ([row("add16").number | 0x8000, 0x0321, 0x0010], "predicate word"),
    ([row("mov16").number | 0x4300, 0, 0x0800], "microthread word"),
    ([row("mov16").number | 0x4300, 0, 9 << 5], "task without a completion"),
    ([row("mov16").number | 0x4300, 0, 1 << 3 | 3 << 5], "activate takes a task 8 to 30"),
    ([row("mov16").number | 0x4300, 0, 2 << 3 | 31 << 5], "unblock takes a task 0 to 30"),
    ([row("mov16").number | 0x4000, 0, 0], "only a vector instruction"),
    ([row("jmp").number | 0x2000, 4], "no terminate"),
    ([row("activate").number, 7], "local task id is 8 to 30"),
    ([row("block").number, 31], "task id"),
    ([row("setc").number, 2], "0 or 1"),
    ([row("dfilt").number | 0x200, 0x0030], "only as a microthread"),
    ([row("dfilt").number | 0x4000, 0x0030, 0], "works on a DSR"),
]


@pytest.mark.parametrize(("words", "reason"), DECODE_ERRORS, ids=lambda x: x if isinstance(x, str) else None)
def test_decoding_is_strict(words: list[int], reason: str) -> None:
    with pytest.raises(DecodeError, match=reason):
        decode(words)


ENCODE_ERRORS = [
    (Instr(row("add16"), 16, 0, 0), "dest", "R16 does not exist"),
    (Instr(row("add32"), 0, 3, 0), "src0", "D3 does not exist"),
    (Instr(row("add16"), 0, 0, -1), "src1", "does not exist"),
    (Instr(row("fadds"), 16, 0, 0, form=7), "dest", "DD16 does not exist"),
    (Instr(row("add16"), 0, 0, 0, 1), "src2", "no register as source 2"),
    (Instr(row("mov16"), imm=0x10000), "imm", "16 bits"),
    (Instr(row("mov16"), imm=-1), "imm", "16 bits"),
    (Instr(row("jmp")), "arg0", "1 further operands"),
    (Instr(row("nop"), args=(1,)), "arg0", "0 further operands"),
    (Instr(row("jmp"), args=(0x10000,)), "arg0", "word address"),
    (Instr(row("nop"), pred=8), "pred", "P8"),
    (Instr(row("nop"), negated=True), "pred", "negation"),
    (Instr(row("mov16"), form=3, background=Async(8)), "async", "microthread 8"),
    (Instr(row("mov16"), form=3, background=Async(1, 4)), "async", "completion 4"),
]


@pytest.mark.parametrize(("i", "part", "reason"), ENCODE_ERRORS)
def test_encoding_refuses(i: Instr, part: str, reason: str) -> None:
    with pytest.raises(EncodeError, match=reason) as e:
        encode(i)
    assert e.value.part == part


def test_descriptor_words() -> None:
    """By hand from the layout in DSD words: kind, flags, then address, extent, stride."""
    assert dsd.Descriptor(dsd.MEM1D, 0x100, 14, -2).words() == [1, 0x100, 14, 0xFFFE]
    assert dsd.Descriptor(dsd.FABOUT, 3, 5, control=True, advance_switch=True).words() == [4 | 0x300, 3, 5, 0]
    assert dsd.Descriptor(dsd.FABIN, 2, 0, endless=True).words() == [3 | 0x800, 2, 0, 0]
    for d in (dsd.Descriptor(dsd.MEM1D, 1, 2, -3), dsd.Descriptor(dsd.ITERATOR, 1, 2, 0x9000, endless=True)):
        assert dsd.Descriptor.of(d.words()) == d
    assert dsd.x_block([(4, 1), (3, -8)]) == [2, 4, 1, 3, 0xFFF8, 1, 0, 1, 0]
    assert dsd.i_block([(4, 2)], True) == [1, 4, 2, 1, 0, 1, 0, 1, 0, 1, 0, 0, 0, 0]
    assert len(dsd.i_block([(4, 2)])) == dsd.IBLOCK_WORDS and len(dsd.x_block([(1, 1)])) == dsd.XBLOCK_WORDS
    assert dsd.fifo_block(0x40, 16) == [0x40, 16, 0, 0]
    for words in ([7, 0, 0, 0], [0x11, 0, 0, 0], [0x401, 0, 0, 0]):
        with pytest.raises(ValueError, match="no first word"):
            dsd.Descriptor.of(words)
    with pytest.raises(ValueError, match="no such"):
        dsd.Descriptor(dsd.MEM1D, 0x10000).words()
    with pytest.raises(ValueError, match="no such"):
        dsd.Descriptor(dsd.MEM1D, last=-0x8001).words()
    with pytest.raises(ValueError, match="dimensions"):
        dsd.x_block([])
    with pytest.raises(ValueError, match="out of range"):
        dsd.x_block([(-1, 1)])
