"""Tasks: the picker, masks, joins, data and control tasks; cycles worked out by hand."""

from __future__ import annotations

import pytest
from core_bench import Machine

from fabric import arch
from fabric.reference.core_fault import CoreFault
from fabric.reference.wavelet import control_payload


def one(code: str, symbols: str = "") -> Machine:
    m = Machine()
    m.kernel(0, 0, f"{symbols}\n.func main\n{code}")
    m.run(300)
    return m


def started(m: Machine) -> list[int]:
    return [task for _, name, task in m.probe.picks if name == "P0.0"]


def test_round_robin_from_the_last_one() -> None:
    m = one(""".entry 12
 activate 9;
 activate 20;
 activate 12; terminate;
.task 9
 activate 12; terminate;
.task 20
 nop; terminate;""", "")
    # 9, 20 and 12 are active: behind 12 comes 20, then 9, which activates 12 again, and so on without end
    assert started(m)[:7] == [12, 20, 9, 12, 20, 9, 12]


def test_activation_is_a_flag() -> None:
    m = one(".entry\n activate 9;\n activate 9;\n activate 9; terminate;\n.task 9\n nop; terminate;")
    assert started(m) == [8, 9]


def test_a_blocked_task_keeps_its_activation() -> None:
    m = one(".blocked 9\n.entry\n activate 9;\n activate 10; terminate;\n.task 9\n nop; terminate;\n.task 10\n unblock 9; terminate;")
    assert started(m) == [8, 10, 9]


def test_block_at_run_time() -> None:
    m = one(".entry\n block 9;\n activate 9; terminate;\n.task 9\n nop; terminate;")
    assert started(m) == [8]


def test_high_priority_first() -> None:
    m = one(".high 20\n.entry\n activate 9;\n activate 20; terminate;\n.task 9\n nop; terminate;\n.task 20\n nop; terminate;")
    assert started(m) == [8, 20, 9]


def test_a_task_without_code_does_not_start() -> None:
    m = one(".entry\n activate 9; terminate;")
    assert started(m) == [8]


def test_settask_gives_code() -> None:
    m = one(".entry\n settask 9, there;\n activate 9; terminate;\nthere:\n nop; terminate;")
    assert started(m) == [8, 9]


def test_join_counts_arrivals() -> None:
    # arrive at 1 and 2; the last one at 2: first slot of task 9 six cycles later
    m = one(".entry\n setjoin 9, 2;\n arrive 9;\n arrive 9; terminate;\n.task 9\n nop; terminate;")
    assert m.slots() == [(0, "setjoin 9, 2"), (1, "arrive 9"), (2, "arrive 9"), (8, "nop")]


def test_an_arrival_too_many_is_a_fault() -> None:
    with pytest.raises(CoreFault) as e:
        one(".entry\n setjoin 9, 1;\n arrive 9;\n arrive 9; terminate;\n.task 9\n nop; terminate;")
    assert e.value.code == "FB517"


def test_masks_and_table_are_registers() -> None:
    m = one(f""".entry
 ld16 R0 = [0x{arch.TASK_ACTIVE:04x}];
 ld16 R1 = [0x{arch.TASK_BLOCKED:04x}];
 ld16 R2 = [0x{arch.TASK_TABLE + 8:04x}];
 st16 [x] = R0;
 st16 [x+1] = R1;
 st16 [x+2] = R2;
 mov16 R3 = 0x200;
 st16 [0x{arch.TASK_ACTIVE:04x}] = R3; terminate;
.task 9
 nop; terminate;
.blocked 3""", ".var x xp n=3")
    active, blocked, entry = m.words("x", 3)
    assert (active, blocked, entry) == (0, 8, m.programs[0, 0].registers[arch.TASK_TABLE + 8])
    assert started(m) == [8, 9]


def test_fault_instruction() -> None:
    with pytest.raises(CoreFault) as e:
        one(".entry\n nop;\n fault 7;")
    assert (e.value.code, e.value.cycle, e.value.args_of_code["number"]) == ("FB510", 5, 7)


def test_halt_stops_the_core_for_good() -> None:
    m = one(".entry\n activate 9;\n halt;\n.task 9\n nop; terminate;")
    assert m.slots() == [(0, "activate 9"), (1, "halt")]


@pytest.mark.parametrize("word", ["0x0000", "0x00ff", "0x0801"])
def test_words_that_are_no_instruction(word: str) -> None:
    with pytest.raises(CoreFault) as e:
        one(f".entry\n nop;\n jmp bad;\nbad: .word {word}")
    assert e.value.code == "FB506"


# --- wavelets ---------------------------------------------------------------------------------------------------------

SENDER = """.socket tx out 0 u32
.symbol data u32 n={n}
.long {values}
from: .dsd mem1d base=data extent={n}
to: .dsd fabout queue=tx extent={n}{flags}
.func main
.entry
 ldd DD0 = [to];
 lds0 SA0 = [from];
 mov32 [DD0] = [SA0]; terminate;"""


def pair(values: list[int], receiver: str, flags: str = "", cycles: int = 2000) -> Machine:
    """A sender on tile 0, a receiver on tile 1, color 2."""
    m = Machine(2, 1)
    m.kernel(0, 0, SENDER.format(n=len(values), values=", ".join(map(str, values)), flags=flags), {"tx": 2})
    m.kernel(1, 0, receiver, {"rx": 2})
    m.route(0, 0, 2, "C>R")
    m.route(1, 0, 2, "L>C")
    m.run(cycles)
    return m


STORE = """ ld16 R5 = [place];
 st16x [R5 + 0] = R0;
 st16x [R5 + 1] = R1;
 add16 R5 = R5, 2;
 st16 [place] = R5; terminate;
"""
HANDLER = ".socket rx in 1 u32\n.symbol got u32 n=4\n.long 0,0,0,0\nplace: .word got\n.func handler\n.task 1\n" + STORE


def test_a_data_task_gets_the_wavelet_in_r0_and_r1() -> None:
    m = pair([0x12345678, 0x9ABCDEF0], HANDLER + ".entry\n nop; terminate;")
    assert m.longs("got", 2, 1, 0) == [0x12345678, 0x9ABCDEF0]


def test_cycles_of_a_data_task() -> None:
    m = pair([5], HANDLER + ".entry\n nop; terminate;")
    # the send issues at 3 (set-up 2), lands on R at 8, in the neighbour at 10; readable at 13; first slot 4 later
    assert m.when("mov32 #") == [3]
    assert [(c - 4, t) for c, name, t in m.probe.picks if name == "P1.0"] == [(-4, 8), (13, 1)]
    assert [c for c, w in m.slots(1, 0) if w.startswith("ld16")] == [17]


def test_a_blocked_data_task_lets_its_wavelets_wait() -> None:
    m = pair([7, 8], HANDLER + ".blocked 1\n.entry\n nop; terminate;")
    assert m.longs("got", 2, 1, 0) == [0, 0]
    assert len(m.fabric.tiles[1, 0].input_queues[1].entries) == 2  # type: ignore[union-attr]


def test_unblocked_later() -> None:
    m = pair([7, 8], HANDLER + ".blocked 1\n.entry\n mov16 R0 = 20;\nwait:\n djnz R0, wait;\n unblock 1; terminate;")
    assert m.longs("got", 2, 1, 0) == [7, 8]


def test_halves_mode_runs_once_a_half() -> None:
    m = pair([0x00020001, 0x00040003], ".halves 1\n.socket rx in 1 xp\n.symbol got xp n=8\n.word 0,0,0,0,0,0,0,0\nplace: .word got\n.func handler\n.task 1\n"
             " ld16 R5 = [place];\n st16x [R5 + 0] = R0;\n add16 R5 = R5, 1;\n st16 [place] = R5; terminate;\n.entry\n nop; terminate;")  # fmt: skip
    assert m.words("got", 5, 1, 0) == [1, 2, 3, 4, 0]
    assert [t for _, name, t in m.probe.picks if name == "P1.0"] == [8, 1, 1, 1, 1]


def test_control_task_by_the_table() -> None:
    word = control_payload(0, task=12)
    m = pair([word], HANDLER + ".control 12\n st16 [got+4] = R1; terminate;\n.entry\n nop; terminate;", " control")
    # the payload is in R0 and R1; the id is in bits 5:0 of R1
    assert m.words("got", 6, 1, 0)[4] & 63 == 12
    assert [t for _, name, t in m.probe.picks if name == "P1.0"] == [8, 12]


def test_catch_all_takes_every_control_wavelet() -> None:
    word = control_payload(0, task=31)
    m = pair([word, control_payload(0, task=5)],
             HANDLER + ".catchall 1 all\nall:\n st16 [got+4] = R1; terminate;\n.entry\n nop; terminate;", " control")  # fmt: skip
    assert [t for _, name, t in m.probe.picks if name == "P1.0"] == [8, 31, 5]


def test_a_blocked_queue_holds_its_control_wavelets() -> None:
    m = pair([control_payload(0, task=12)],
             HANDLER + ".blocked 1\n.control 12\n nop; terminate;\n.entry\n nop; terminate;", " control")  # fmt: skip
    assert [t for _, name, t in m.probe.picks if name == "P1.0"] == [8]


def test_control_wavelet_of_no_task_is_dropped() -> None:
    m = pair([control_payload(0, task=31)], HANDLER + ".entry\n nop; terminate;", " control")
    assert not m.fabric.tiles[1, 0].input_queues[1].entries  # type: ignore[union-attr]


def test_control_wavelet_without_code_is_a_fault() -> None:
    with pytest.raises(CoreFault) as e:
        pair([control_payload(0, task=12)], HANDLER + ".entry\n nop; terminate;", " control")
    fault = e.value
    assert (fault.code, fault.x, fault.y) == ("FB503", 1, 0)
    assert (fault.args_of_code["task"], fault.args_of_code["sender_x"]) == (12, 0)


def test_a_receive_on_the_main_thread_holds_tasks() -> None:
    # Task 9 is active from cycle 0 of the receive on and starts only when the receive is over.
    m = pair([1, 2, 3], """.socket rx in 1 u32
.var got u32 n=3
from: .dsd fabin queue=rx extent=3
to: .dsd mem1d base=got extent=3
.func main
.entry
 activate 9;
 ldd DD0 = [to];
 lds0 SA0 = [from];
 mov32 [DD0] = [SA0]; terminate;
.task 9
 nop; terminate;""")
    # readable at 13, 14, 15; then terminate 1, task start 4
    assert m.when("mov32 #", 1, 0) == [13, 14, 15]
    assert m.when("nop", 1, 0) == [20]


def test_a_live_receive_comes_before_the_data_task() -> None:
    m = pair([1, 2, 3], HANDLER + """.entry
 ldd DD0 = [to];
 lds0 SA0 = [from];
 mov32.ut0 [DD0] = [SA0]; terminate;
.var first u32 n=2
from: .dsd fabin queue=rx extent=2
to: .dsd mem1d base=first extent=2""")  # fmt: skip
    assert m.longs("first", 2, 1, 0) == [1, 2]
    assert m.longs("got", 1, 1, 0) == [3]


def test_teardown_starts_task_29() -> None:
    m = Machine()
    m.kernel(0, 0, f"""
.func main
.entry
 mov16 R0 = 0x8000;
 st16 [0x{arch.ROUTE + 3:04x}] = R0; terminate;
.task 29
 ld16 R0 = [0x{arch.TEARDOWN_PENDING:04x}];
 st16 [pending] = R0; terminate;
.var pending xp""")
    m.run()
    assert started(m) == [8, 29]
    assert m.words("pending", 1) == [8]
