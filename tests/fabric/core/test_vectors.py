"""Vector instructions: slots, group sizes, strides, banks, reductions; worked out by hand."""

from __future__ import annotations

import struct

import pytest
from core_bench import Machine


def bits(x: float) -> int:
    return int(struct.unpack("<I", struct.pack("<f", x))[0])


def run(symbols: str, code: str) -> Machine:
    m = Machine()
    m.kernel(0, 0, f"{symbols}\n.func main\n.entry\n{code}\n terminate;")
    m.run()
    return m


def groups(m: Machine, name: str) -> list[tuple[int, int]]:
    """(cycle, elements) of each group of an instruction."""
    return [(c, int(w.partition("#")[2])) for c, w in m.slots() if w.startswith(f"{name} #")]


# 24 words each, so that a and b start in banks that do not collide: a at 0 mod 4, b at 2 mod 4.
ARRAYS = """.org 0x100
.var a xp n=16
.org 0x122
.var b xp n=16
.org 0x140
.var c xp n=16
da: .dsd mem1d base=a extent=16
db: .dsd mem1d base=b extent=16
dc: .dsd mem1d base=c extent=16
.org 0x200"""
LOADS = " lds0 SA0 = [da];\n lds1 SB0 = [db];\n ldd DD0 = [dc];\n"


def test_add16_eight_a_cycle_after_the_set_up() -> None:
    m = run(ARRAYS, LOADS + " add16 [DD0] = [SA0], [SB0];")
    assert m.slots()[3:] == [(3, "add16 set-up"), (4, "add16 #8"), (5, "add16 #8"), (6, "terminate")]


def test_fourteen_fmacs_take_one_and_fourteen() -> None:
    # hardware.md 17: issue, then one element a cycle
    symbols = """.org 0x100
.var a sp n=14
.org 0x122
.var b sp n=14
da: .dsd mem1d base=a extent=14
db: .dsd mem1d base=b extent=14"""
    m = run(symbols, " lds0 SA1 = [da];\n lds1 SB1 = [db];\n ldd DD1 = [da];\n mov32 D12 = 0x3f800000;\n fmacs [DD1] = [SA1], [SB1], D12;")
    assert m.when("fmacs set-up") == [4]
    assert groups(m, "fmacs") == [(5 + k, 1) for k in range(14)]
    assert m.when("terminate") == [19]


def test_set_up_is_hidden_behind_a_vector() -> None:
    m = run(ARRAYS, LOADS + " add16 [DD0] = [SA0], [SB0];\n sub16 [DD0] = [SA0], [SB0];\n nop;\n xor16 [DD0] = [SA0], [SB0];")
    assert m.slots()[3:] == [
        (3, "add16 set-up"),
        (4, "add16 #8"),
        (5, "add16 #8"),
        (6, "sub16 #8"),
        (7, "sub16 #8"),
        (8, "nop"),
        (9, "xor16 set-up"),
        (10, "xor16 #8"),
        (11, "xor16 #8"),
        (12, "terminate"),
    ]


def test_the_last_group_takes_what_is_left() -> None:
    m = run(ARRAYS.replace("base=c extent=16", "base=c extent=11"), LOADS + " add16 [DD0] = [SA0], [SB0];")
    assert groups(m, "add16") == [(4, 8), (5, 3)]


def test_a_vector_of_no_elements_takes_its_slot() -> None:
    m = run(ARRAYS.replace("base=c extent=16", "base=c extent=0"), LOADS + " add16 [DD0] = [SA0], [SB0];")
    assert m.slots()[3:] == [(3, "add16 set-up"), (4, "terminate")]


@pytest.mark.parametrize(
    ("stride", "width"),
    # hardware.md 6 and 14.4
    [(0, 8), (1, 8), (2, 8), (3, 8), (5, 8), (6, 8), (7, 2), (4, 2), (8, 1), (9, 2), (10, 8), (12, 2), (15, 2),
     (16, 1), (-1, 2), (-2, 8), (-4, 2), (-8, 1)],
)  # fmt: skip
def test_strides(stride: int, width: int) -> None:
    symbols = f""".org 0x100
.var c xp n=16
.org 0x800
.var a xp n=16
da: .dsd mem1d base=a extent=16 stride={stride}
dc: .dsd mem1d base=c extent=16
.org 0x2000"""
    m = run(symbols, " lds0 SA0 = [da];\n ldd DD0 = [dc];\n mov16 [DD0] = [SA0];")
    assert groups(m, "mov16") == [(3 + k, width) for k in range(16 // width)]


@pytest.mark.parametrize(("op", "words", "width"), [("mov32", 2, 4), ("fmuls", 2, 4), ("fadds", 2, 4), ("sll16", 1, 4),
                                                    ("faddh", 1, 8), ("clz", 1, 8), ("fmacas", 2, 1)])  # fmt: skip
def test_widths(op: str, words: int, width: int) -> None:
    type_ = "sp" if words == 2 else "xp"
    symbols = f""".org 0x100
.var a {type_} n=8
.org 0x122
.var b {type_} n=8
.org 0x140
.var c {type_} n=8
da: .dsd mem1d base=a extent=8
db: .dsd mem1d base=b extent=8
dc: .dsd mem1d base=c extent=8"""
    second = "" if op in ("mov32", "clz") else ", [SB0]"
    m = run(symbols, LOADS + f" {op} [DD0] = [SA0]{second};")
    assert groups(m, op) == [(4 + k, width) for k in range(8 // width)]


@pytest.mark.parametrize(("b", "step"), [(0x122, 1), (0x120, 2), (0x121, 1), (0x124, 2), (0x126, 1)])
def test_bank_conflicts_cost_a_cycle_a_group(b: int, step: int) -> None:
    # both sources start equal modulo 4: each group takes two cycles
    m = run(ARRAYS.replace("0x122", hex(b)), LOADS + " add16 [DD0] = [SA0], [SB0];\n nop;")
    assert groups(m, "add16") == [(4, 8), (4 + step, 8)]
    assert m.when("nop") == [4 + 2 * step]


def test_bank_conflict_of_a_one_wide_operation() -> None:
    symbols = """.org 0x100
.var a sp n=3
.org 0x120
.var b sp n=3
da: .dsd mem1d base=a extent=3
db: .dsd mem1d base=b extent=3"""
    m = run(symbols, " lds0 SA0 = [da];\n lds1 SB0 = [db];\n mov32 D0 = 0;\n fmacas D0 = [SA0], [SB0];")
    assert groups(m, "fmacas") == [(4, 1), (6, 1), (8, 1)]


def test_stride_zero_and_a_single_memory_source_never_collide() -> None:
    m = run(ARRAYS.replace("0x122", "0x120").replace("base=b extent=16", "base=b extent=16 stride=0"),
            LOADS + " add16 [DD0] = [SA0], [SB0];")  # fmt: skip
    assert groups(m, "add16") == [(4, 8), (5, 8)]


def test_reduction_one_a_cycle_then_four_to_its_register() -> None:
    symbols = ".org 0x100\n.symbol a sp n=4\n.float 1, 2, 3, 4\nda: .dsd mem1d base=a extent=4\n.var s sp"
    m = run(symbols, " lds1 SB1 = [da];\n mov32 D0 = 0x3f000000;\n fadds D0 = D0, [SB1];\n st32 [s] = D0;")
    # set-up 2, elements 3 4 5 6, the register 4 cycles after the last one
    assert groups(m, "fadds") == [(3, 1), (4, 1), (5, 1), (6, 1)]
    assert m.when("st32") == [10]
    assert m.longs("s", 1) == [bits(10.5)]


def test_mov_into_a_register_keeps_the_last_element() -> None:
    symbols = ".org 0x100\n.symbol a xp n=9\n.word 1,2,3,4,5,6,7,8,9\nda: .dsd mem1d base=a extent=9\n.var s xp"
    m = run(symbols, " lds0 SA1 = [da];\n mov16 R0 = [SA1];\n st16 [s] = R0;")
    assert groups(m, "mov16") == [(2, 8), (3, 1)]
    assert m.words("s", 1) == [9]


def test_dot_product_over_several_vectors() -> None:
    symbols = """.org 0x100
.symbol a sp n=3
.float 1, 2, 3
.org 0x112
.symbol b sp n=3
.float 4, 5, 6
da: .dsd mem1d base=a extent=3
db: .dsd mem1d base=b extent=3
.var s sp"""
    m = run(symbols, """ lds0 SA0 = [da];
 lds1 SB0 = [db];
 dotsx [SA0], [SB0];
 dotskx [SA0], [SB0];
 dotsk D0 = [SA0], [SB0];
 st32 [s] = D0;""")
    # one set-up, 3 x 3 elements back to back, 4 to the register
    assert [c for c, w in m.slots() if "#" in w] == list(range(3, 12))
    assert m.when("st32") == [15]
    assert m.longs("s", 1) == [bits(96.0)]


def test_multiply_add_into_memory() -> None:
    symbols = """.org 0x100
.symbol a sp n=2
.float 1.5, 2
.org 0x112
.symbol b sp n=2
.float 4, -1
.symbol c sp n=2
.float 10, 20
da: .dsd mem1d base=a extent=2
db: .dsd mem1d base=b extent=2
dc: .dsd mem1d base=c extent=2"""
    m = run(symbols, LOADS + " fmacas [DD0] = [SA0], [SB0];")
    assert m.longs("c", 2) == [bits(16.0), bits(18.0)]


def test_carry_goes_from_element_to_element() -> None:
    symbols = ARRAYS.replace(".var a xp n=16", ".symbol a xp n=16\n.word " + ",".join(["0xffff"] * 16)).replace(
        ".var b xp n=16", ".symbol b xp n=16\n.word 1" + ",0" * 15)  # fmt: skip
    m = run(symbols, LOADS + " setc 0;\n addc16 [DD0] = [SA0], [SB0];")
    assert m.words("c", 16) == [0] * 16


def test_grid_walks_innermost_first_and_ends_groups_with_the_row() -> None:
    symbols = """.org 0x100
.symbol a xp n=12
.word 0,1,2,3,4,5,6,7,8,9,10,11
.var c xp n=8
blk: .xblock 3:1, 2:6
da: .dsd mem4d base=a extent=8 block=blk
dc: .dsd mem1d base=c extent=8"""
    m = run(symbols, " lds0 SA0 = [da];\n ldd DD0 = [dc];\n mov16 [DD0] = [SA0];")
    # rows 0 1 2 and 6 7 8, then the walk starts over
    assert m.words("c", 8) == [0, 1, 2, 6, 7, 8, 0, 1]
    assert [n for _, n in groups(m, "mov16")] == [3, 3, 2]


def test_negative_strides_and_a_grid_as_destination() -> None:
    symbols = """.org 0x100
.symbol a sp n=6
.long 1, 2, 3, 4, 5, 6
.var c sp n=6
blk: .xblock 2:3, 3:-1
da: .dsd mem1d base=a extent=6
dc: .dsd mem4d base=c+4 extent=6 block=blk"""
    # element (j, i) of the grid lies at 2 - j + 3 i
    m = run(symbols, " lds0 SA0 = [da];\n ldd DD0 = [dc];\n mov32 [DD0] = [SA0];")
    assert m.longs("c", 6) == [5, 3, 1, 6, 4, 2]


def test_iterator_goes_on_from_statement_to_statement() -> None:
    symbols = """.org 0x100
.symbol a xp n=5
.word 10,11,12,13,14
.var c xp n=6
it: .iblock 5:1 endless
da: .dsd iterator base=a extent=2 block=it
c0: .dsd mem1d base=c extent=2
c1: .dsd mem1d base=c+2 extent=4"""
    m = run(symbols, " lds0 SA0 = [da];\n ldd DD0 = [c0];\n mov16 [DD0] = [SA0];\n ldd DD1 = [c1];\n mov16 [DD1] = [SA0];")
    # 10 11, then 12 13 14 and over again: 10
    assert m.words("c", 6) == [10, 11, 12, 13, 14, 10]
    # the position, word 10 of the block behind c: one element into the second walk
    assert m.words("c", 6 + 14)[6 + 10] == 1


def test_iterator_without_an_endless_level_counts_its_outermost_on() -> None:
    symbols = """.org 0x100
.symbol a xp n=6
.word 1,2,3,4,5,6
.var c xp n=6
it: .iblock 2:1, 2:2
da: .dsd iterator base=a extent=6 block=it
dc: .dsd mem1d base=c extent=6"""
    m = run(symbols, " lds0 SA0 = [da];\n ldd DD0 = [dc];\n mov16 [DD0] = [SA0];")
    assert m.words("c", 6) == [1, 2, 3, 4, 5, 6]


def test_setters_change_a_kept_descriptor() -> None:
    symbols = ".org 0x100\n.symbol a xp n=8\n.word 1,2,3,4,5,6,7,8\n.var c xp n=8\nda: .dsd mem1d base=a extent=8\ndc: .dsd mem1d base=c extent=8\n.var d xp n=4"
    code = """ lds0 SA0 = [da];
 ldd DD0 = [dc];
 sets0base SA0 = 0x101;
 sets0stride SA0 = 2;
 setdlen DD0 = 3;
 mov16 [DD0] = [SA0];
 sts0 [d] = SA0;"""
    m = run(symbols, code)
    assert m.words("c", 8) == [2, 4, 6, 0, 0, 0, 0, 0]
    assert m.words("d", 4) == [1, 0x101, 8, 2]


def test_all_of_a_group_is_read_before_any_is_written() -> None:
    # c[i+1] = c[i]: within a group of 8 the old values move
    symbols = ".org 0x100\n.symbol c xp n=9\n.word 1,2,3,4,5,6,7,8,9\nda: .dsd mem1d base=c extent=8\ndc: .dsd mem1d base=c+1 extent=8"
    m = run(symbols, " lds0 SA0 = [da];\n ldd DD0 = [dc];\n mov16 [DD0] = [SA0];")
    assert m.words("c", 9) == [1, 1, 2, 3, 4, 5, 6, 7, 8]


def test_a_scalar_source_waits_for_its_register() -> None:
    symbols = ".org 0x100\n.var c sp n=4\ndc: .dsd mem1d base=c extent=4"
    m = run(symbols, " ldd DD0 = [dc];\n mov32 D2 = 0x3f800000;\n fadds D0 = D2, D2;\n mov32 [DD0] = D0;")
    # fadds at 2, its result at 6: set-up then, elements at 7
    assert m.slots()[2:] == [(2, "fadds D0 = D2, D2"), (6, "mov32 set-up"), (7, "mov32 #4"), (8, "terminate")]
    assert m.longs("c", 4) == [bits(2.0)] * 4
