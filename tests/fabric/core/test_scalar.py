"""Issue slots of scalar instructions, worked out by hand from the timing table of hardware.md 17."""

from __future__ import annotations

import pytest
from core_bench import Machine


def slots(code: str, symbols: str = "") -> list[tuple[int, str]]:
    m = Machine()
    m.kernel(0, 0, f"{symbols}\n.func main\n.entry\n{code}\n terminate;")
    m.run()
    return m.slots()


def cycles(code: str, symbols: str = "") -> list[int]:
    return [c for c, _ in slots(code, symbols)]


def test_first_slot_of_a_task_is_four_cycles_after_its_pick() -> None:
    m = Machine()
    m.kernel(0, 0, ".func main\n.entry\n nop;\n terminate;")
    m.run()
    assert m.probe.picks == [(0, "P0.0", 8)]
    assert m.probe.seen[0][0] == 4


def test_independent_integers_one_a_cycle() -> None:
    assert cycles("mov16 R0 = 1;\n mov16 R1 = 2;\n mov16 R2 = 3;") == [0, 1, 2, 3]


def test_dependent_integer_next_cycle() -> None:
    assert cycles("mov16 R0 = 1;\n add16 R0 = R0, R0;\n add16 R0 = R0, R0;") == [0, 1, 2, 3]


def test_dependent_float_four_cycles() -> None:
    # 0 mov, 1 fadds (needs D0 at 1), 5 fmuls (D2 ready at 1+4), 6 mov (independent), 9 fadds (D4 ready at 5+4)
    code = """mov32 D0 = 0x3f800000;
 fadds D2 = D0, D0;
 fmuls D4 = D2, D2;
 mov16 R8 = 1;
 fadds D6 = D4, D4;"""
    assert cycles(code) == [0, 1, 5, 6, 9, 10]


def test_independent_float_hides_latency() -> None:
    code = """mov32 D0 = 0x3f800000;
 fadds D2 = D0, D0;
 fadds D4 = D0, D0;
 fadds D6 = D0, D0;
 fadds D8 = D0, D0;
 fadds D10 = D2, D2;"""
    assert cycles(code) == [0, 1, 2, 3, 4, 5, 6]


def test_load_three_cycles() -> None:
    assert cycles("ld16 R0 = [x];\n add16 R1 = R0, R0;", ".var x xp") == [0, 3, 4]


def test_store_then_load_of_the_same_word() -> None:
    m = Machine()
    m.kernel(0, 0, ".var x xp\n.func main\n.entry\n mov16 R0 = 7;\n st16 [x] = R0;\n ld16 R1 = [x];\n st16 [x+1] = R1; terminate;\n.var y xp")
    m.run()
    assert [c for c, _ in m.slots()] == [0, 1, 2, 5]
    assert m.words("x", 1) == [7]


def test_half_of_a_pair_counts() -> None:
    # R1 is the high half of D0: it waits for the fp result.
    code = "mov32 D2 = 0x3f800000;\n fadds D0 = D2, D2;\n add16 R4 = R1, R1;"
    assert cycles(code) == [0, 1, 5, 6]


def test_float_compare_feeds_predicate_after_four() -> None:
    code = "mov32 D0 = 0;\n flteqs P0 = D0, 0x0;\n P0? mov16 R2 = 1;"
    assert cycles(code) == [0, 1, 5, 6]


def test_integer_compare_feeds_predicate_next_cycle() -> None:
    assert cycles("mov16 R0 = 0;\n eq16 P0 = R0, 0;\n P0? mov16 R2 = 1;") == [0, 1, 2, 3]


def test_branches() -> None:
    code = """mov16 R0 = 1;
 eq16 P0 = R0, 0;
 P0? jmp over;
 !P0? jmp over;
 nop;
over:
 nop;"""
    # jump not taken at 2 costs 1; taken at 3 costs 3
    assert [(c, w.partition(" 0x")[0]) for c, w in slots(code)] == [
        (0, "mov16 R0 ="),
        (1, "eq16 P0 = R0,"),
        (2, "skip P0? jmp"),
        (3, "!P0? jmp"),
        (6, "nop"),
        (7, "terminate"),
    ]


def test_count_down_loop() -> None:
    # per round: nop 1, djnz taken 3; the last djnz costs 1
    code = "mov16 R0 = 3;\nagain:\n nop;\n djnz R0, again;"
    assert cycles(code) == [0, 1, 2, 5, 6, 9, 10, 11]


def test_call_and_return() -> None:
    code = " call f;\n nop;\n terminate;\nf:\n nop;\n jmpr R15;"
    assert [(c, w.split()[0]) for c, w in slots(code)] == [
        (0, "call"),
        (3, "nop"),
        (4, "jmpr"),
        (7, "nop"),
        (8, "terminate"),
    ]


@pytest.mark.parametrize("op", ["fdivs D2 = D0, D0", "divs32 D2 = D0, D0"])
def test_division_takes_twenty(op: str) -> None:
    assert cycles(f"mov32 D0 = 3;\n {op};\n nop;") == [0, 1, 21, 22]


def test_descriptor_loads() -> None:
    symbols = ".var a sp n=8\none: .dsd mem1d base=a extent=8\nblk: .xblock 2:1, 4:2\nfour: .dsd mem4d base=a extent=8 block=blk"
    assert cycles(" ldd DD0 = [one];\n nop;\n lds0 SA0 = [four];\n nop;", symbols) == [0, 1, 2, 4, 5]


def test_sixty_four_bit_arithmetic_uses_four_registers() -> None:
    m = Machine()
    m.kernel(0, 0, """.var x u64
.func main
.entry
 mov64 Q0 = 0xffffffffffffffff;
 add64 Q4 = Q0, 2;
 st64 [x] = Q4; terminate;""")
    m.run()
    assert m.words("x", 4) == [1, 0, 0, 0]


def test_terminate_flag_ends_the_task_without_a_slot_of_its_own() -> None:
    m = Machine()
    m.kernel(0, 0, ".func main\n.entry\n activate 9;\n nop; terminate;\n.task 9\n nop; terminate;")
    m.run()
    # last slot at 1; the picker at 1 + terminate 1; first slot 4 later
    assert m.slots() == [(0, "activate 9"), (1, "nop"), (6, "nop")]


def test_code_that_is_overwritten_is_decoded_anew() -> None:
    m = Machine()
    m.kernel(0, 0, """.var x xp
.func main
.entry
 mov16 R2 = 2;
again:
 ld16 R1 = [new];
place:
 mov16 R0 = 0x11;
 st16 [x] = R0;
 st16 [place+2] = R1;
 djnz R2, again;
 terminate;
new: .word 0x22""")
    m.run()
    assert m.words("x", 1) == [0x22]
    assert [w for _, w in m.slots() if w.startswith("mov16 R0")] == ["mov16 R0 = 0x11", "mov16 R0 = 0x22"]
