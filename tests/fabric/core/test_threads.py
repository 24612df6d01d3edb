"""Microthreads, queues, FIFOs and packing, with cycles worked out by hand (counted from the first slot of task 8)."""

from __future__ import annotations

import pytest
from core_bench import TASK_START, Machine

from fabric import arch
from fabric.reference.core_fault import CoreFault


def send(n: int, type_: str = "sp", op: str = "mov32", extra: str = "", then: str = "") -> str:
    return f""".socket tx out 0 {type_}
.var a {type_} n={n}
from: .dsd mem1d base=a extent={n}
to: .dsd fabout queue=tx extent={n}{extra}
.func main
.entry
 ldd DD0 = [to];
 lds0 SA0 = [from];
 {op} [DD0] = [SA0];
{then} terminate;"""


def to_right(n: int, code: str, receiver: str) -> Machine:
    m = Machine(2, 1)
    m.kernel(0, 0, code, {"tx": 2})
    m.kernel(1, 0, receiver, {"rx": 2})
    m.route(0, 0, 2, "C>R")
    m.route(1, 0, 2, "L>C")
    return m


SINK = ".socket rx in 1 sp\n.func main\n.entry\n nop; terminate;"


def receive(n: int, op: str = "mov32", type_: str = "sp", extra: str = "") -> str:
    return f""".socket rx in 1 {type_}
.var got {type_} n={n}
from: .dsd fabin queue=rx extent={n}
to: .dsd mem1d base=got extent={n}
.func main
.entry
 ldd DD0 = [to];
 lds0 SA0 = [from];
 {op} [DD0] = [SA0];{extra} terminate;"""


# --- the known totals of hardware.md 17 -------------------------------------------------------------------------------


def test_an_asynchronous_move_of_196_words_takes_201_cycles() -> None:
    code = send(196, op="mov32.ut0").replace("[SA0];", "[SA0] -> activate 9;") + "\n.task 9\n nop; terminate;"
    m = to_right(196, code, receive(196))
    m.run()
    start = m.when("mov32.ut0 set-up")[0]
    groups = m.when("mov32.ut0 #")
    assert groups == list(range(start + 1, start + 197))
    # executed 3 cycles after the last group, done one cycle later: start .. done are 201 cycles
    done = groups[-1] + 3 + 1
    assert done - start + 1 == 201
    # its completion starts task 9 whose first slot comes 6 cycles after it
    assert m.when("nop") == [done + 6]


def test_a_stream_over_one_hop() -> None:
    m = to_right(5, send(5), receive(5))
    m.run()
    # issue at 3; in the queue at 7; on R at 8; in the neighbour at 10; readable at 13; then one a cycle
    assert m.when("mov32 #") == [3, 4, 5, 6, 7]
    assert m.when("mov32 #", 1, 0) == [13, 14, 15, 16, 17]


# --- order and priority ---------------------------------------------------------------------------------------------


def test_a_microthread_takes_the_slots_of_the_main_thread() -> None:
    m = to_right(3, send(3, op="mov32.ut0", then=" nop;\n nop;"), receive(3))
    m.run()
    assert m.slots()[2:] == [
        (2, "mov32.ut0 set-up"),
        (3, "mov32.ut0 #1"),
        (4, "mov32.ut0 #1"),
        (5, "mov32.ut0 #1"),
        (6, "nop"),
        (7, "nop"),
    ]


def test_of_two_ready_microthreads_the_lower_id_goes_first() -> None:
    m = Machine(2, 1)
    m.kernel(0, 0, """.socket tx out 0 sp
.socket ty out 1 sp
.var a sp n=4
from: .dsd mem1d base=a extent=3
t0: .dsd fabout queue=tx extent=3
t1: .dsd fabout queue=ty extent=3
.func main
.entry
 ldd DD0 = [t0];
 ldd DD1 = [t1];
 lds0 SA0 = [from];
 mov32.ut5 [DD0] = [SA0];
 mov32.ut2 [DD1] = [SA0]; terminate;""", {"tx": 2, "ty": 3})
    m.kernel(1, 0, ".socket rx in 1 sp\n.socket ry in 2 sp\n.func main\n.entry\n nop; terminate;", {"rx": 2, "ry": 3})
    for color in (2, 3):
        m.route(0, 0, color, "C>R")
        m.route(1, 0, color, "L>C")
    m.run()
    # ut5 could go from 4 on, before the main thread has started ut2: it has the slots
    assert m.slots()[3:] == [(3, "mov32.ut5 set-up"), (4, "mov32.ut5 #1"), (5, "mov32.ut5 #1"), (6, "mov32.ut5 #1"),
                             (7, "mov32.ut2 set-up"), (8, "mov32.ut2 #1"), (9, "mov32.ut2 #1"), (10, "mov32.ut2 #1")]  # fmt: skip


def test_the_main_thread_goes_on_while_a_microthread_sleeps() -> None:
    m = to_right(1, send(1), receive(1, op="mov32.ut3", extra="\n nop;\n nop;"))
    m.run()
    assert m.slots(1, 0)[2:] == [(2, "mov32.ut3 set-up"), (3, "nop"), (4, "nop"), (13, "mov32.ut3 #1")]


def test_a_waiting_microthread_holds_no_task() -> None:
    code = receive(1, op="mov32.ut3").replace(".entry\n", ".entry\n activate 9;\n") + "\n.task 9\n nop; terminate;"
    m = to_right(1, send(1), code)
    m.run()
    # the start at 3 ends task 8; the picker at 4
    assert m.when("nop", 1, 0) == [8]


def test_sources_in_registers_are_captured_at_the_start() -> None:
    m = to_right(2, """.socket tx out 0 sp
to: .dsd fabout queue=tx extent=2
.func main
.entry
 ldd DD0 = [to];
 mov32 D0 = 0x11;
 mov32.ut0 [DD0] = D0;
 mov32 D0 = 0x22; terminate;""", receive(2))
    m.run()
    assert m.longs("got", 2, 1, 0) == [0x11, 0x11]


def test_join_of_two_microthreads() -> None:
    m = Machine(2, 1)
    m.kernel(0, 0, """.socket tx out 0 sp
.socket rx in 1 sp
.var a sp n=2
.var b sp n=2
fa: .dsd mem1d base=a extent=2
fb: .dsd mem1d base=b extent=2
to: .dsd fabout queue=tx extent=2
from: .dsd fabin queue=rx extent=2
.func main
.entry
 ldd DD0 = [to];
 ldd DD1 = [fb];
 lds0 SA0 = [fa];
 lds0 SA1 = [from];
 setjoin 9, 2;
 mov32.ut0 [DD0] = [SA0] -> arrive 9;
 mov32.ut1 [DD1] = [SA1] -> arrive 9; terminate;
.task 9
 nop; terminate;""", {"tx": 2, "rx": 3})
    m.kernel(1, 0, """.socket rx in 0 sp
.socket tx out 1 sp
from: .dsd fabin queue=rx extent=2
to: .dsd fabout queue=tx extent=2
.func main
.entry
 ldd DD0 = [to];
 lds0 SA0 = [from];
 mov32 [DD0] = [SA0]; terminate;""", {"rx": 2, "tx": 3})
    m.route(0, 0, 2, "C>R")
    m.route(1, 0, 2, "L>C")
    m.route(1, 0, 3, "C>L")
    m.route(0, 0, 3, "R>C")
    m.run()
    # sends start at 5 with elements at 6 and 7 (the start of ut1 waits for a slot: 8); over a hop: issue + 10
    assert m.when("mov32.ut0 #") == [6, 7]
    assert m.when("mov32.ut1 set-up") == [8]
    assert m.when("mov32 #", 1, 0) == [16, 17]
    assert m.when("mov32.ut1 #") == [26, 27]
    # done 4 after the last element, the join 6 later
    assert m.when("nop") == [27 + 4 + 6]


def test_unblock_as_completion() -> None:
    code = receive(1, op="mov32.ut3").replace("[SA0];", "[SA0] -> unblock 9;").replace(
        ".entry\n", ".blocked 9\n.entry\n activate 9;\n")  # fmt: skip
    m = to_right(1, send(1), code + "\n.task 9\n nop; terminate;")
    m.run()
    assert m.when("nop", 1, 0) == [13 + 4 + 6]


def test_two_microthreads_follow_each_other_on_a_queue() -> None:
    m = to_right(4, """.socket tx out 0 sp
.symbol a sp n=4
.long 1, 2, 3, 4
f0: .dsd mem1d base=a extent=2
f1: .dsd mem1d base=a+4 extent=2
to: .dsd fabout queue=tx extent=2
.func main
.entry
 ldd DD0 = [to];
 lds0 SA0 = [f1];
 lds0 SA1 = [f0];
 mov32.ut5 [DD0] = [SA1];
 mov32.ut2 [DD0] = [SA0]; terminate;""", receive(4))
    m.run()
    # ut2 has the lower id, but ut5 came first
    assert m.longs("got", 4, 1, 0) == [1, 2, 3, 4]


def test_a_second_operation_on_a_queue_is_a_fault() -> None:
    m = to_right(1, send(9), receive(9, op="mov32.ut3", extra="\n mov32 [DD0] = [SA0];"))
    with pytest.raises(CoreFault) as e:
        m.run()
    assert e.value.code == "FB504"
    assert e.value.args_of_code == {"kind": "input", "queue": 1}
    first, second = (line.address for line in m.programs[1, 0].lines if "mov32" in line.text)
    assert (e.value.pc, e.value.others[0][0]) == (second, first)


def test_a_busy_microthread_is_a_fault() -> None:
    m = Machine(1, 1)
    m.kernel(0, 0, """.socket r0 in 0 sp
.socket r1 in 1 sp
.var a sp
to: .dsd mem1d base=a extent=1
inq0: .dsd fabin queue=r0 extent=1
inq1: .dsd fabin queue=r1 extent=1
.func main
.entry
 ldd DD0 = [to];
 lds0 SA0 = [inq0];
 lds0 SA1 = [inq1];
 mov32.ut3 [DD0] = [SA0];
 mov32.ut3 [DD0] = [SA1]; terminate;""", {"r0": 0, "r1": 1})
    with pytest.raises(CoreFault) as e:
        m.run()
    assert (e.value.code, e.value.args_of_code["ut"]) == ("FB505", 3)


def test_a_microthread_number_is_free_when_its_last_element_has_executed() -> None:
    m = to_right(2, send(1, op="mov32.ut0", then=" mov32.ut0 [DD0] = [SA0];"), receive(2))
    m.run()
    # element at 3, executed 6, done 7: the second start waits for that
    assert m.when("mov32.ut0 set-up") == [2, 7]


# --- queues ---------------------------------------------------------------------------------------------------------


def test_a_full_output_queue_suspends_and_wakes() -> None:
    m = Machine(2, 1)
    m.kernel(0, 0, send(30), {"tx": 2})
    m.kernel(1, 0, SINK, {"rx": 2})
    m.route(0, 0, 2, "C>R")
    m.route(1, 0, 2, "L>C")
    m.run()
    # room on the way: output queue 8, buffers 4 + 4, input queue 1 holds 8
    assert len(m.when("mov32 #")) == 8 + 4 + 4 + 8
    assert m.core().vector is not None


def test_halves_go_two_a_cycle_as_whole_wavelets() -> None:
    m = to_right(7, send(7, "xp", "mov16"), receive(7, "mov16", "xp"))
    m.fabric = m.load()
    tile = m.fabric.tiles[0, 0]
    for k in range(7):
        tile.memory[m.address("a") + k] = 10 + k
    m.run()
    assert [w for _, w in m.slots() if "#" in w] == ["mov16 #2", "mov16 #2", "mov16 #2", "mov16 #1"]
    assert m.words("got", 7, 1, 0) == [10, 11, 12, 13, 14, 15, 16]
    assert [w for _, w in m.slots(1, 0) if "#" in w] == ["mov16 #2", "mov16 #2", "mov16 #2", "mov16 #1"]


TWO_SENDS = """.socket tx out 0 xp
to: .dsd fabout queue=tx extent=1
.func main
.entry
 ldd DD0 = [to];
 mov16 R0 = 0x11;
 mov16 R1 = 0x22;
 mov16 [DD0] = R0;
{gap} mov16 [DD0] = R1; terminate;"""


def test_two_sends_that_meet_in_the_queue_pack() -> None:
    # Issued at 4 and 5 the two sends are in the queue at 8 and 9. Color 2 takes nothing from the core before its
    # route is written at 9: the first leaves at 10, and the second one is there.
    m = Machine(2, 1)
    m.kernel(0, 0, TWO_SENDS.format(gap="").replace("; terminate;", f";\n mov16 R2 = {arch.route_code(arch.C, 2)};\n nop;\n nop;\n st16 [0x{arch.ROUTE + 2:x}] = R2; terminate;"), {"tx": 2})  # fmt: skip
    m.kernel(1, 0, receive(2, "mov16", "xp"), {"rx": 2})
    m.route(1, 0, 2, "L>C")
    m.run()
    assert [w for _, w in m.slots(1, 0) if "#" in w] == ["mov16 #2"]
    assert m.words("got", 2, 1, 0) == [0x11, 0x22]


def test_a_lone_send_leaves_as_a_half_wavelet() -> None:
    m = to_right(2, TWO_SENDS.format(gap=" nop;\n" * 4), receive(2, "mov16", "xp"))
    m.run()
    assert [w for _, w in m.slots(1, 0) if "#" in w] == ["mov16 #1", "mov16 #1"]
    assert m.words("got", 2, 1, 0) == [0x11, 0x22]


def test_a_16_bit_read_leaves_the_high_half_for_the_next() -> None:
    code = receive(1, "mov16", "xp").replace(".var got xp n=1", ".var got xp n=2").replace(
        "[SA0]; terminate", "[SA0];\n setdbase DD0 = got+1;\n mov16 [DD0] = [SA0]; terminate")  # fmt: skip
    m = to_right(1, send(1), code)
    m.load().tiles[0, 0].memory[m.address("a")] = 0x1111
    m.fabric.tiles[0, 0].memory[m.address("a") + 1] = 0x2222  # type: ignore[union-attr]
    m.run()
    assert m.words("got", 2, 1, 0) == [0x1111, 0x2222]


def test_a_32_bit_read_of_two_halves() -> None:
    m = to_right(1, TWO_SENDS.format(gap=" nop;\n" * 4), receive(1))
    m.run()
    # the first half alone is a value when nothing else is there: the machine does not wait for a second one
    assert m.longs("got", 1, 1, 0) == [0x11]


def test_the_last_word_of_a_send_can_flip_the_input_switch() -> None:
    m = to_right(2, send(2, extra=" advance_switch"), receive(2))
    position = arch.route_code(arch.R, 2)
    from fabric.rects import Rect

    m.image.add_fill(Rect(0, 0, 1, 1), arch.SWITCH + 8, [position, 0xA0A0])
    m.run()
    channel = m.fabric.tiles[0, 0].router.channels[2]  # type: ignore[union-attr]
    assert (channel.in_pos, channel.out_pos) == (1, 0)


def test_an_endless_microthread_echoes() -> None:
    m = Machine(2, 1)
    m.kernel(0, 0, """.socket tx out 0 sp
.socket rx in 1 sp
.symbol a sp n=5
.long 5, 6, 7, 8, 9
.var b sp n=5
fa: .dsd mem1d base=a extent=5
fb: .dsd mem1d base=b extent=5
to: .dsd fabout queue=tx extent=5
from: .dsd fabin queue=rx extent=5
.func main
.entry
 ldd DD0 = [to];
 ldd DD1 = [fb];
 lds0 SA0 = [fa];
 lds0 SA1 = [from];
 mov32.ut0 [DD0] = [SA0];
 mov32 [DD1] = [SA1]; terminate;""", {"tx": 2, "rx": 3})
    m.kernel(1, 0, """.socket rx in 0 sp
.socket tx out 1 sp
from: .dsd fabin queue=rx extent=0 endless
to: .dsd fabout queue=tx extent=0 endless
.func main
.entry
 ldd DD0 = [to];
 lds0 SA0 = [from];
 mov32.ut0 [DD0] = [SA0]; terminate;""", {"rx": 2, "tx": 3})
    m.route(0, 0, 2, "C>R")
    m.route(1, 0, 2, "L>C")
    m.route(1, 0, 3, "C>L")
    m.route(0, 0, 3, "R>C")
    assert m.run()
    assert m.longs("b", 5) == [5, 6, 7, 8, 9]
    assert m.core(1, 0).live


# --- FIFOs ------------------------------------------------------------------------------------------------------------


def fifo_symbols() -> str:
    return """.socket rx in 1 sp
.var mem sp n=4
.var got sp n=6
blk: .word mem, 4, 0, 0
from: .dsd fabin queue=rx extent=6
push: .dsd fifo block=blk extent=6
pop: .dsd fifo block=blk extent=6
to: .dsd mem1d base=got extent=6
.func main
.entry
 ldd DD0 = [push];
 lds0 SA0 = [from];
 mov32.ut0 [DD0] = [SA0];
"""


def test_a_full_fifo_waits_for_a_pop() -> None:
    # Six values come at 13 to 18; the FIFO takes four, the others wait until the main thread pops.
    code = fifo_symbols() + """ mov16 R0 = 8;
wait:
 djnz R0, wait;
 nop;
 ldd DD1 = [to];
 lds0 SA1 = [pop];
 mov32 [DD1] = [SA1]; terminate;"""
    m = to_right(6, send(6).replace(".var a sp n=6", ".symbol a sp n=6\n.long 10, 11, 12, 13, 14, 15"), code)
    m.run()
    assert m.longs("got", 6, 1, 0) == [10, 11, 12, 13, 14, 15]
    pushes = m.when("mov32.ut0 #", 1, 0)
    pops = [(c, int(w.partition("#")[2])) for c, w in m.slots(1, 0) if w.startswith("mov32 #")]
    assert pushes[:4] == [13, 14, 15, 16]
    # djnz at 4, 7, 10 (3 each), at 17 for the pushes have the slots 13 to 16, 20, 23, 26, 29 (the last one 1); nop,
    # two loads, the set-up at 33
    assert m.when("nop", 1, 0) == [30]
    # four of four at 34; the pushes that waited go first at 35 and 36; then the last two
    assert pushes[4:] == [35, 36]
    assert pops == [(34, 4), (37, 2)]


def test_an_empty_fifo_waits_for_a_push() -> None:
    code = fifo_symbols() + " ldd DD1 = [to];\n lds0 SA1 = [pop];\n mov32 [DD1] = [SA1]; terminate;"
    m = to_right(6, send(6), code)
    m.run()
    # a push at 13 could be popped at 14, but the microthread goes first until the FIFO is full: 13 to 16; the pop of
    # four at 17 makes room for the last two pushes
    pushes = m.when("mov32.ut0 #", 1, 0)
    pops = [(c, int(w.partition("#")[2])) for c, w in m.slots(1, 0) if w.startswith("mov32 #")]
    assert pushes == [13, 14, 15, 16, 18, 19]
    assert pops == [(17, 4), (20, 2)]


# --- registers --------------------------------------------------------------------------------------------------------


def test_the_cycle_counter() -> None:
    m = Machine()
    m.kernel(0, 0, f""".var t xp n=8
.func main
.entry
 mov16 R0 = 4;
 ld16 R1 = [0x{arch.CYCLE_COUNTER:04x}];
 st16 [0x{arch.TIMER_CONTROL:04x}] = R0;
 nop;
 ld16 R2 = [0x{arch.CYCLE_COUNTER:04x}];
 ld16 R3 = [0x{arch.CYCLE_COUNTER:04x}];
 mov16 R5 = 0xffff;
 st16 [0x{arch.CYCLE_COUNTER + 1:04x}] = R5;
 st16 [0x{arch.CYCLE_COUNTER:04x}] = R5;
 nop;
 nop;
 ld16 R6 = [0x{arch.CYCLE_COUNTER + 2:04x}];
 mov16 R0 = 0;
 st16 [0x{arch.TIMER_CONTROL:04x}] = R0;
 nop;
 ld16 R7 = [0x{arch.CYCLE_COUNTER:04x}];
 ld16 R8 = [0x{arch.CYCLE_COUNTER:04x}];
 st16 [t] = R1;
 st16 [t+1] = R2;
 st16 [t+2] = R3;
 st16 [t+3] = R6;
 st16 [t+4] = R7;
 st16 [t+5] = R8; terminate;""")
    m.run()
    t = m.words("t", 6)
    # off: 0; switched on at 2, read at 4 and 5
    assert t[:3] == [0, 2, 3]
    # 0xffff written into the two low words: the next count carries into the third
    assert t[3] == 1
    # stopped: two reads are equal
    assert t[4] == t[5]


def test_a_program_writes_its_route() -> None:
    m = Machine(2, 1)
    m.kernel(0, 0, f""".socket tx out 0 sp
to: .dsd fabout queue=tx extent=1
.func main
.entry
 mov16 R0 = {arch.route_code(arch.C, 1 << arch.R)};
 mov16 R2 = 0x{arch.ROUTE:04x};
 add16 R2 = R2, 5;
 st16x [R2 + 0] = R0;
 mov16 R1 = {5 << 4};
 st16 [0x{arch.OUTPUT_QUEUE:04x}] = R1;
 ldd DD0 = [to];
 mov32 D0 = 0x55;
 mov32 [DD0] = D0; terminate;""", {"tx": 2})
    m.kernel(1, 0, receive(1), {"rx": 5})
    m.route(1, 0, 5, "L>C")
    m.run()
    assert m.longs("got", 1, 1, 0) == [0x55]


def test_row_and_column() -> None:
    m = Machine(3, 2)
    m.kernel(2, 1, f".var x xp n=2\n.func main\n.entry\n ld16 R0 = [0x{arch.COLUMN_ID:04x}];\n ld16 R1 = [0x{arch.ROW_ID:04x}];\n st16 [x] = R0;\n st16 [x+1] = R1; terminate;")  # fmt: skip
    m.run()
    assert m.words("x", 2, 2, 1) == [2, 1]


def test_reserved_words_read_zero_and_the_cache_is_memory() -> None:
    m = Machine()
    m.kernel(0, 0, """.var x xp n=2
.func main
.entry
 mov16 R0 = 9;
 st16 [0x6000] = R0;
 st16 [0x7f00] = R0;
 ld16 R1 = [0x6000];
 ld16 R2 = [0x7f00];
 st16 [x] = R1;
 st16 [x+1] = R2; terminate;""")
    m.run()
    assert m.words("x", 2) == [0, 9]


@pytest.mark.parametrize(("code", "fault"), [(" ld16 R0 = [0x8000];", "FB507"), (" st16 [0x9000] = R0;", "FB507"),
                                             (" ld32 D0 = [0x0101];", "FB508"), (" st32 [0x0101] = D0;", "FB508")])  # fmt: skip
def test_addresses_that_are_none(code: str, fault: str) -> None:
    m = Machine()
    m.kernel(0, 0, f".func main\n.entry\n{code}\n terminate;")
    with pytest.raises(CoreFault) as e:
        m.run()
    assert (e.value.code, e.value.cycle) == (fault, TASK_START)


def test_dfilt_drops_data_until_enough_control_wavelets_came() -> None:
    from fabric.reference.wavelet import control_payload

    m = to_right(0, f""".socket tx out 0 u32
one: .dsd fabout queue=tx extent=2
ctl: .dsd fabout queue=tx extent=1 control
.func main
.entry
 ldd DD0 = [one];
 ldd DD1 = [ctl];
 mov32 D0 = 7;
 mov32 D2 = 0x{control_payload(0, task=31):08x};
 mov32 [DD0] = D0;
 mov32 [DD1] = D2;
 mov32 D0 = 8;
 mov32 [DD0] = D0; terminate;""", """.socket rx in 1 u32
.var got u32 n=2
flt: .dsd fabin queue=rx extent=1
from: .dsd fabin queue=rx extent=2
to: .dsd mem1d base=got extent=2
.func main
.entry
 lds0 SA0 = [flt];
 dfilt.ut4 [SA0] -> activate 9; terminate;
.task 9
 ldd DD0 = [to];
 lds0 SA0 = [from];
 mov32 [DD0] = [SA0]; terminate;""")
    m.run()
    assert m.longs("got", 2, 1, 0) == [8, 8]
