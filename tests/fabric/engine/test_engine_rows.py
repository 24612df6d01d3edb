"""Every computing row of the instruction table, and decoding, against the table's own functions."""

from __future__ import annotations

import itertools
import random
from dataclasses import fields

import numpy as np
import pytest

from fabric.encode import DecodeError, decode, reads, writes
from fabric.engine import layout as y
from fabric.engine import step
from fabric.engine.arith import alu, fabric_sum
from fabric.engine.jit import entry, prepare
from fabric.engine.machine import Machine
from fabric.engine.storage import address
from fabric.isa import ROWS, TYPES, Row
from fabric.reference.adder import add
from fabric.reference.prepared import Prepared
from fabric.timing import DEFAULT


@entry
def compute(number: int, a: int, b: int, c: int) -> int:
    return alu(number, a, b, c)


@entry
def add_in_router(a: int, half: int, fmt: int) -> int:
    return fabric_sum(a, half, fmt)


EDGES = {
    16: [0, 1, 2, 15, 16, 17, 0x3FF, 0x400, 0x401, 0x3C00, 0x3C01, 0x7BFF, 0x7C00, 0x7C01, 0x7E00, 0x7FFF, 0x8000,
         0x8001, 0x83FF, 0xBC00, 0xFC00, 0xFE01, 0xFFFF],
    32: [0, 1, 31, 32, 33, 0x7FFFFF, 0x800000, 0x800001, 0x33000000, 0x33000001, 0x33800000, 0x38800000, 0x387FE000,
         0x387FF000, 0x477FEFFF, 0x477FF000, 0x3F800000, 0x3F800001, 0x7F7FFFFF, 0x7F800000, 0x7F800001, 0x7FC00000,
         0x80000000, 0x80000001, 0xBF800000, 0xFF800000, 0xFFFFFFFF, 0x4F000000, 0x4EFFFFFF, 0xCF000000, 0x5F800000,
         0x5F7FFFFF, 0x5F000000, 0x47000000, 0x46FFFE00],
    64: [0, 1, 63, 64, 65, 0x1FFFFFFFFFFFFF, 0x20000000000001, 0x7FFFFFFFFFFFFFFF, 1 << 63, (1 << 63) + 1,
         (1 << 64) - 1, 0xFFFFFF8000000000, 0xFFFFFF7FFFFFFFFF, 0x8000008000000001, 0x8000008000000000],
}  # fmt: skip
MOST = 3000


def patterns(kind: str, rng: random.Random) -> list[int]:
    if kind == "p":
        return [0, 1]
    bits = 16 * TYPES[kind].words
    found = EDGES[bits] + [rng.getrandbits(bits) for _ in range(10)]
    if kind == "f32":  # of like size, so that sums cancel and round
        found += [rng.getrandbits(1) << 31 | rng.randrange(97, 157) << 23 | rng.getrandbits(23) for _ in range(10)]
    return found


def signed64(value: int) -> int:
    return value - (1 << 64) if value >> 63 else value


@pytest.mark.parametrize("row", [r for r in ROWS if r.semantics and r.name != "djnz"], ids=lambda r: r.name)
def test_row(row: Row) -> None:
    prepare(compute)
    rng = random.Random(row.number)
    kinds = list(row.sources)
    if row.kind == "rmw":
        kinds.insert(0, str(row.dest))
    if row.kind == "dot":
        kinds.insert(0, "f32")
    if row.carry:
        kinds.append("p")
    values = list(itertools.product(*(patterns(k, rng) for k in kinds)))
    assert row.semantics is not None
    for case in values if len(values) <= MOST else rng.sample(values, MOST):
        operands = [signed64(v) for v in case] + [0] * (3 - len(case))
        got = compute(row.number, *operands) & ((1 << 64) - 1)
        assert got == row.semantics(*case), (row.name, [hex(v) for v in case])


def test_fabric_adder() -> None:
    prepare(add_in_router)
    rng = random.Random(1)
    for a, half, fmt in itertools.product(patterns("f32", rng), patterns("f16", rng), (1, 2, 3)):
        assert add_in_router(a, half, fmt) == add(a, half, fmt), (hex(a), hex(half), fmt)


def test_all_of_the_timing_table() -> None:
    assert {f.name for f in fields(DEFAULT)} == set(y.TIMINGS)


def test_decoding() -> None:
    """Random words, near the valid ones: the same are refused, and an entry says what `Prepared` says."""
    m = Machine(1, 1)
    rng = random.Random(2)
    entry_bytes = np.zeros(y.ENTRY, np.uint8)
    valid = 0
    for _ in range(40_000):
        row = rng.choice(ROWS)
        form = rng.choice(sorted(row.forms)) if rng.random() < 0.9 else rng.randrange(8)
        first = row.number | form << 8 | rng.choice([0, 0, 0, 1 << 12, 1 << 13, 1 << 14, 1 << 15, rng.getrandbits(5) << 11])
        words = [first, *[rng.choice([rng.getrandbits(16), rng.randrange(16), 0x0024, 8, 9]) for _ in range(7)]]
        words = words[: rng.choice([8, 8, 8, rng.randrange(1, 9)])]
        memory = np.array(words, np.uint16)
        n = step.decode_words(m.contexts[0].address, address(memory), len(words), address(entry_bytes))
        try:
            instr = decode(words)
        except DecodeError:
            assert n == 0, [hex(w) for w in words]
            continue
        assert n == instr.length, [hex(w) for w in words]
        valid += 1
        p = Prepared(instr, tuple(words[:n]), DEFAULT)
        needs = entry_bytes[y.E_NEEDS : y.E_NEEDS + entry_bytes[y.E_NEEDS_COUNT]].tolist()
        sets = entry_bytes[y.E_SETS : y.E_SETS + entry_bytes[y.E_SETS_COUNT]].tolist()
        assert sorted(needs) == sorted(p.needs) and sorted(sets) == sorted(p.sets), (instr, reads(instr), writes(instr))
        long = entry_bytes.view(np.uint32)
        assert (long[y.E_LATENCY // 4], long[y.E_BUSY // 4]) == (p.latency, p.busy), instr
        if instr.imm is not None:
            assert int(entry_bytes.view(np.uint64)[y.E_IMM // 8]) == instr.imm
    assert valid > 4000
