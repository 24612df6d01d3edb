"""Every row of the instruction table against numpy or rational arithmetic; the table's own consistency."""

from __future__ import annotations

import itertools
import random
import timeit
from collections.abc import Callable
from fractions import Fraction
from functools import lru_cache
from pathlib import Path

import exact_arithmetic as exact
import numpy as np
import pytest

from fabric import isa_doc
from fabric.encode import MAX_LENGTH, Async, Instr, reads, writes
from fabric.isa import ALIASES, ARGS, BY_NAME, BY_NUMBER, FILES, ROWS, TYPES, Row
from fabric.timing import Timing

FMT = {"s": "fp32", "h": "fp16"}
FTYPE = {"s": "f32", "h": "f16"}
REFERENCE: dict[str, Callable[..., int]] = {}


# --- references: integers ---------------------------------------------------------------------------------------------


def sig(a: int, bits: int) -> int:
    """The signed value, by two's complement."""
    return int.from_bytes(a.to_bytes(bits // 8, "little"), "little", signed=True)


def numpy_op(bits: int, kind: str, op: Callable[..., np.ndarray]) -> Callable[..., int]:
    t = np.dtype(f"{kind}{bits // 8}")
    u = np.dtype(f"u{bits // 8}")

    def run(*args: int) -> int:
        with np.errstate(all="ignore"):
            arrays = [np.array([a], dtype=u).view(t) for a in args]
            return int(op(*arrays).astype(t).view(u)[0])

    return run


def _integer_references() -> None:
    for w in (16, 32, 64):
        R = {
            f"mov{w}": numpy_op(w, "u", lambda a: a.copy()),
            f"add{w}": numpy_op(w, "u", np.add),
            f"sub{w}": numpy_op(w, "u", np.subtract),
            f"mul{w}": numpy_op(w, "u", np.multiply),
            f"and{w}": numpy_op(w, "u", np.bitwise_and),
            f"or{w}": numpy_op(w, "u", np.bitwise_or),
            f"xor{w}": numpy_op(w, "u", np.bitwise_xor),
            f"minu{w}": numpy_op(w, "u", np.minimum),
            f"maxu{w}": numpy_op(w, "u", np.maximum),
            f"mins{w}": numpy_op(w, "i", np.minimum),
            f"maxs{w}": numpy_op(w, "i", np.maximum),
            f"abs{w}": numpy_op(w, "i", np.abs),
            f"select{w}": lambda a, b, p: [b, a][p],
            # By definition: multiply and floor-divide by a power of two (capped, so that the test stays small).
            f"sll{w}": lambda a, n, w=w: a * 2 ** min(n, 64) % 2**w,
            f"slr{w}": lambda a, n, w=w: a // 2 ** min(n, 64),
            f"sar{w}": lambda a, n, w=w: sig(a, w) // 2 ** min(n, 64) % 2**w,
            f"divu{w}": lambda a, b, w=w: a // b if b else 2**w - 1,
            f"remu{w}": lambda a, b, w=w: a % b if b else 2**w - 1,
            f"divs{w}": lambda a, b, w=w: int(Fraction(sig(a, w), sig(b, w))) % 2**w if b else 2**w - 1,
            f"rems{w}": lambda a, b, w=w: (
                (sig(a, w) - int(Fraction(sig(a, w), sig(b, w))) * sig(b, w)) % 2**w if b else 2**w - 1
            ),
        }
        compare = {"eq": np.equal, "ne": np.not_equal, "lt": np.less, "le": np.less_equal, "gt": np.greater,
                   "ge": np.greater_equal}  # fmt: skip
        for name, op in compare.items():
            for suffix, kind in (("", "i"), ("u", "u")):
                if not (suffix and name in ("eq", "ne")):
                    R[f"{name}{suffix}{w}"] = numpy_op(w, kind, lambda a, b, op=op: op(a, b).astype(a.dtype))
        REFERENCE.update({k: v for k, v in R.items() if k in BY_NAME})
    digits = "{:016b}".format
    REFERENCE.update(
        {
            "clz": lambda a: 16 - len(digits(a).lstrip("0")),
            "ctz": lambda a: 16 - len(digits(a).rstrip("0")),
            "popcnt": lambda a: digits(a).count("1"),
            "addc16": lambda a, b, c: sum((a, b, c)),
            "djnz": lambda a: (a + 65535) % 65536,
            "sext32": lambda a: int(np.uint32(np.int32(np.uint16(a).view(np.int16)).view(np.uint32))),
            "zext32": lambda a: int(np.uint32(np.uint16(a))),
            "low16": lambda a: a % 2**16,
            "sext64": lambda a: sig(a, 32) % 2**64,
            "zext64": lambda a: int(np.uint64(np.uint32(a))),
            "low32": lambda a: a % 2**32,
        }
    )


# --- references: floats -----------------------------------------------------------------------------------------------


@lru_cache(None)
def val(bits: int, fmt: str) -> exact.Value:
    return exact.value(bits, fmt)


@lru_cache(None)
def fused(c: int, a: int, b: int, fc: str, fab: str, minus: bool) -> int:
    x = val(a, fab)
    return exact.fma(val(c, fc), exact.negated(x) if minus else x, val(b, fab), fc)


def pick(fmt: str, largest: bool) -> Callable[[int, int], int]:
    def run(a: int, b: int) -> int:
        x, y = val(a, fmt), val(b, fmt)
        if exact.NAN in (x, y):
            return exact.quiet_nan(fmt) if x == y else b if x == exact.NAN else a
        return b if (exact.below(x, y) if largest else exact.below(y, x)) else a

    return run


def scaled(fmt: str) -> Callable[[int, int], int]:
    def run(a: int, n: int) -> int:
        x = val(a, fmt)
        if isinstance(x, str):
            return exact.rounded(x, fmt)
        return exact.nearest(x * Fraction(2) ** sig(n, 16), fmt)

    return run


def normed(fmt: str) -> Callable[[int], int]:
    def run(a: int) -> int:
        x = val(a, fmt)
        if isinstance(x, str) or x == 0:
            return exact.rounded(x, fmt)
        while abs(x) >= 2:
            x /= 2
        while abs(x) < 1:
            x *= 2
        return exact.nearest(x, fmt)

    return run


def _float_references() -> None:
    for s, fmt in FMT.items():
        uint = np.uint32 if s == "s" else np.uint16

        def through_numpy(op: Callable[..., np.ndarray], uint: type = uint) -> Callable[..., int]:
            real = np.float32 if uint is np.uint32 else np.float16

            def run(*args: int) -> int:
                with np.errstate(all="ignore"):
                    return int(op(*[np.array([a], dtype=uint).view(real) for a in args]).view(uint)[0])

            return run

        R: dict[str, Callable[..., int]] = {
            f"fadd{s}": lambda a, b, f=fmt: exact.add(val(a, f), val(b, f), f),
            f"fsub{s}": lambda a, b, f=fmt: exact.add(val(a, f), exact.negated(val(b, f)), f),
            f"fmul{s}": lambda a, b, f=fmt: exact.rounded(exact.product(val(a, f), val(b, f)), f),
            f"fdiv{s}": lambda a, b, f=fmt: exact.divide(val(a, f), val(b, f), f),
            f"fmax{s}": pick(fmt, True),
            f"fmin{s}": pick(fmt, False),
            f"fabs{s}": through_numpy(np.abs),
            f"fneg{s}": through_numpy(np.negative),
            f"fnorm{s}": normed(fmt),
            f"fscale{s}": scaled(fmt),
            f"fmac{s}": lambda c, a, b, f=fmt: fused(c, a, b, f, f, False),
            f"fms{s}": lambda c, a, b, f=fmt: fused(c, a, b, f, f, True),
            f"fmaca{s}": lambda c, a, b, f=fmt: fused(c, a, b, f, f, False),
            f"fmssa{s}": lambda c, a, b, f=fmt: fused(c, a, b, f, f, True),
        }
        for mode in ("", "k", "x", "kx"):
            R[f"dot{s}{mode}"] = lambda acc, a, b, f=fmt: fused(acc, a, b, "fp32", f, False)
        for name, op in (("feq", np.equal), ("fneq", np.not_equal), ("flt", np.less), ("flteq", np.less_equal),
                         ("fgt", np.greater), ("fgteq", np.greater_equal)):  # fmt: skip
            R[f"{name}{s}"] = through_numpy(lambda a, b, op=op, u=uint: op(a, b).astype(u))
        for name, bits, signed in (("xp16", 16, True), ("u16", 16, False), ("i32", 32, True), ("u32", 32, False),
                                   ("u64", 64, False)):  # fmt: skip
            R[f"{name}2f{s}"] = lambda a, f=fmt, w=bits, g=signed: exact.nearest(Fraction(sig(a, w) if g else a), f)
            R[f"f{s}2{name}"] = lambda a, f=fmt, w=bits, g=signed: exact.to_integer(val(a, f), w, g)
        REFERENCE.update(R)
    REFERENCE.update(
        {
            "fh2s": lambda a: exact.rounded(val(a, "fp16"), "fp32"),
            "fs2h": lambda a: exact.rounded(val(a, "fp32"), "fp16"),
            "faddhs": lambda a, b: exact.add(val(a, "fp32"), val(b, "fp16"), "fp32"),
            "fmachs": lambda c, a, b: fused(c, a, b, "fp32", "fp16", False),
        }
    )


_integer_references()
_float_references()


# --- operands ---------------------------------------------------------------------------------------------------------


def operands(kind: str, many: bool) -> list[int]:
    """Edge patterns of an operand type, and some random ones; fewer where three operands are combined."""
    if kind == "p":
        return [0, 1]
    if kind in ("f32", "f16"):
        fmt = "fp32" if kind == "f32" else "fp16"
        p = exact.patterns(fmt, 12, seed=len(kind))
        return p if many else p[::2] + p[1:14:4]
    bits = 16 * TYPES[kind].words
    top = 1 << (bits - 1)
    edges = [0, 1, 2, 3, 7, 15, 16, 17, 31, 32, 33, 63, 64, 65, 100, 1023, top // 2, top - 1, top, top + 1, 2 * top - 2,
             2 * top - 1, (2 * top - 1) // 3, 2 * ((2 * top - 1) // 3), (1 << min(bits, 53)) - 1, 1 << (bits // 2)]  # fmt: skip
    rng = random.Random(bits)
    return sorted({e % (2 * top) for e in edges}) + [rng.getrandbits(bits) for _ in range(12)]


def inputs(row: Row) -> list[tuple[int, ...]]:
    kinds = list(row.sources)
    if row.kind == "rmw":
        kinds.insert(0, row.dest or "")
    if row.kind == "dot":
        kinds.insert(0, "f32")
    if row.carry:
        kinds.append("p")
    if row.name == "djnz":
        kinds = ["u16"]
    return list(itertools.product(*[operands(k, len(kinds) < 3) for k in kinds]))


@pytest.mark.parametrize("row", [r for r in ROWS if r.semantics], ids=lambda r: r.name)
def test_semantics(row: Row) -> None:
    reference = REFERENCE[row.name]
    assert row.semantics is not None
    for args in inputs(row):
        got, expected = row.semantics(*args), reference(*args)
        # A comparison may give a bool's worth, never a bool: the result goes into words.
        assert type(got) is int
        assert got == expected, f"{row.name} {[hex(a) for a in args]}: {got:#x}, expected {expected:#x}"


def test_every_computing_row_has_semantics_and_no_reference_is_left_over() -> None:
    computing = {r.name for r in ROWS if r.kind in ("alu", "rmw", "dot")} | {"djnz"}
    assert computing == {r.name for r in ROWS if r.semantics}
    assert computing == set(REFERENCE)


# --- the table --------------------------------------------------------------------------------------------------------


def test_table_is_consistent() -> None:
    assert len(ROWS) == len(BY_NAME) == len(BY_NUMBER)
    latencies = set(Timing.__dataclass_fields__)
    for r in ROWS:
        assert 0 < r.number < 256
        assert r.latency in latencies, r.name
        assert r.text and len(r.sources) <= 3
        assert all(t in TYPES for t in r.sources) and (r.dest is None or r.dest in TYPES)
        assert all(a in ARGS for a in r.args)
        assert 0 in r.forms or r.needs_async
        assert not r.immediate or r.sources and TYPES[r.sources[-1]].file in ("R", "D", "Q")
        slots = [t for t in r.syntax if t not in (",", "=", "[", "]", "+")]
        expected = (["d"] if r.dest else []) + [f"s{i}" for i in range(len(r.sources))]
        assert sorted(slots) == sorted(expected + [f"a{i}" for i in range(len(r.args))]), r.name
    assert set(ALIASES.values()) <= set(BY_NAME) and not set(ALIASES) & set(BY_NAME)
    assert all(t.file in FILES for t in TYPES.values())


def test_rates_of_hardware_md_6() -> None:
    """Elements a cycle of the table in hardware.md 6 (W3) and of 14.10."""
    table = {
        8: "add16 addc16 sub16 and16 or16 xor16 mov16 faddh fsubh fmulh fmaxh fmach fabsh fnegh fnormh fscaleh fh2xp16 "
           "xp162fh clz ctz popcnt mul16 fminh fmsh",
        4: "sar16 sll16 slr16 mov32 fadds fsubs fmaxs fmuls faddhs fmachs fabss fnegs fnorms fscales fh2s fs2h fs2xp16 "
           "xp162fs fmins add32 sub32 mul32 and32 or32 xor32 sll32 slr32 sar32 mins32 minu32 maxs32 maxu32 abs32",
        1: "fmacs fmss fdivs fdivh dots doth fmacas fmssas",
    }  # fmt: skip
    for rate, names in table.items():
        for name in names.split():
            assert BY_NAME[name].widths[0] == rate, name
            assert BY_NAME[name].vector, name
    assert BY_NAME["fadds"].widths == (4, 1)  # a reduction goes one element a cycle
    assert BY_NAME["mov32"].widths == (4, 4)  # keeping the last value is no reduction


def test_names_of_the_documented_operations() -> None:
    """Every operation of the table in hardware.md 6 is a row or another name of one."""
    names = """add16 addc16 sub16 and16 or16 xor16 sar16 sll16 slr16 clz ctz popcnt mov16 mov32 fmovh fmovs faddh fsubh
    fmulh fmaxh fadds fsubs fmaxs fmuls faddhs fmach fmachs fmacs fabsh fabss fnegh fnegs fnormh fnorms fscaleh fscales
    fh2s fs2h fh2xp16 fs2xp16 xp162fh xp162fs dfilt""".split()
    assert [n for n in names if n not in BY_NAME and n not in ALIASES] == []


def test_vector_forms() -> None:
    """D = DSR, s = scalar, as in hardware.md 6: bits 1 dest, 2 src0, 4 src1."""
    assert BY_NAME["add16"].forms == {0, 7, 5, 3, 1, 2, 4}  # no D,D into a scalar: nothing would be the running value
    assert BY_NAME["mov16"].forms == {0, 1, 2, 3}
    assert BY_NAME["fscales"].forms == {0, 1, 3, 4, 5, 7}
    assert BY_NAME["fmacas"].forms == set(range(8))
    assert BY_NAME["dotsx"].forms == {0, 2, 4, 6}
    assert BY_NAME["add64"].forms == {0}
    assert BY_NAME["eq16"].forms == {0}
    assert BY_NAME["dfilt"].forms == {2}
    assert BY_NAME["select32"].forms == {0, 1, 3, 5, 7}


def test_elements_and_rates_of_instructions() -> None:
    add, dot, mov, rmw = (BY_NAME[n] for n in ("fadds", "dots", "mov32", "fmacah"))
    assert (Instr(add, form=7).length_from, Instr(add, form=7).group, Instr(add, form=7).reduction) == (1, 4, False)
    assert (Instr(add, form=4).length_from, Instr(add, form=4).group, Instr(add, form=4).reduction) == (4, 1, True)
    assert (Instr(mov, form=2).length_from, Instr(mov, form=2).group, Instr(mov, form=2).reduction) == (2, 4, False)
    assert (Instr(rmw, form=6).length_from, Instr(rmw, form=6).group, Instr(rmw, form=6).reduction) == (2, 1, True)
    assert (Instr(rmw, form=5).group, Instr(rmw, form=5).reduction) == (8, False)
    assert (Instr(dot, form=7).length_from, Instr(dot, form=7).group, Instr(dot, form=7).reduction) == (2, 1, True)
    assert [Instr(add, form=m).latency for m in (0, 7, 4)] == ["result_float", "result_float", "result_vector"]
    assert (Instr(add).length_from, Instr(add).vector, Instr(add).reduction) == (0, False, False)


def test_reads_and_writes() -> None:
    """Slots: R0-R15, 16-23 predicates, 24 accumulator, 25 carry, 26 DD, 42 SA, 58 SB."""
    i = Instr(BY_NAME["fmacs"], 2, 4, 6, 8, pred=3)
    assert sorted(reads(i)) == [4, 5, 6, 7, 8, 9, 19] and sorted(writes(i)) == [2, 3]
    i = Instr(BY_NAME["fadds"], 1, 2, 3, form=7)
    assert sorted(reads(i)) == [26 + 1, 42 + 2, 58 + 3] and writes(i) == ()
    i = Instr(BY_NAME["add64"], 4, 8, 0, imm=5)
    assert sorted(reads(i)) == [8, 9, 10, 11] and sorted(writes(i)) == [4, 5, 6, 7]
    assert sorted(reads(Instr(BY_NAME["fmacas"], 2, 4, 6))) == [2, 3, 4, 5, 6, 7]
    assert reads(Instr(BY_NAME["djnz"], 7, args=(9,))) == writes(Instr(BY_NAME["djnz"], 7, args=(9,))) == (7,)
    assert writes(Instr(BY_NAME["call"], args=(9,))) == (15,)
    assert writes(Instr(BY_NAME["eq16"], 5, 1, 2)) == (21,)
    assert reads(Instr(BY_NAME["select16"], 0, 1, 2, 7)) == (1, 2, 23)
    assert 25 in reads(Instr(BY_NAME["addc16"], 1, 2, 3)) and 25 in writes(Instr(BY_NAME["addc16"], 1, 2, 3))
    assert 25 not in writes(Instr(BY_NAME["addc16"], 1, 2, 3, form=7, background=Async(0)))
    assert writes(Instr(BY_NAME["setc"], args=(1,))) == (25,)
    assert 24 in reads(Instr(BY_NAME["dotskx"], 0, 2, 4)) and 24 not in reads(Instr(BY_NAME["dotsx"], 0, 2, 4))
    assert writes(Instr(BY_NAME["dotsx"], 0, 2, 4)) == (24,)
    assert writes(Instr(BY_NAME["ldd"], 3, args=(9,))) == (29,)
    assert reads(Instr(BY_NAME["setdlen"], 3, 5)) == (5, 29) and writes(Instr(BY_NAME["setdlen"], 3, 5)) == (29,)
    assert reads(Instr(BY_NAME["sts1"], 0, 4, args=(9,))) == (62,)
    assert MAX_LENGTH >= 8


def test_documentation_is_up_to_date() -> None:
    """docs/isa.md is what `python -m fabric.isa_doc` writes."""
    path = Path(__file__).parents[2] / "docs" / "isa.md"
    assert path.read_text(encoding="utf-8") == isa_doc.page()


def test_semantics_are_quick() -> None:
    """The reference simulator calls them once an element; a generous bound, so that a busy machine passes."""
    for name, args in (("fadds", (0x3F800001, 0x40490FDB)), ("fmuls", (0x3F800001, 0x40490FDB)),
                       ("fmacs", (0x3F800001, 0x40490FDB, 0x12345678)), ("add16", (1, 65535))):  # fmt: skip
        fn = BY_NAME[name].semantics
        assert fn is not None
        best = min(timeit.repeat(lambda fn=fn, args=args: fn(*args), number=2000, repeat=5)) / 2000
        assert best < 20e-6, f"{name}: {best * 1e6:.2f} us"
