"""How runs end, and what the explanation says: statuses, causes, the hops of the chain, the words for a reader."""

from __future__ import annotations

from typing import Any

import pytest
from core_bench import Machine, with_meta

import fabric
from fabric import arch
from fabric.explain import orphan_lines
from fabric.rects import Rect
from fabric.simulation import Result, RunFault

SEND = """.socket tx out 0 sp
.var a sp n={n}
from: .dsd mem1d base=a extent={n}
to: .dsd fabout queue=tx extent={n}
.func main
.entry
 ldd DD0 = [to];
 lds0 SA0 = [from];
 mov32 [DD0] = [SA0]; terminate;"""

RECEIVE = """.socket rx in 1 sp
.var a sp n={n}
to: .dsd mem1d base=a extent={n}
from: .dsd fabin queue=rx extent={n}
.func main
.entry
 ldd DD0 = [to];
 lds0 SA0 = [from];
 mov32 [DD0] = [SA0]; terminate;"""

NAMES = {2: "east", 3: "west"}


def line_of(code: str, text: str) -> int:
    return next(i for i, line in enumerate(code.split("\n"), 1) if text in line)


def run(m: Machine, cycles: int = 5000) -> Result:
    return fabric.run(with_meta(m, NAMES), cycles)


def pair(sent: int, received: int) -> Machine:
    m = Machine(2, 1)
    m.kernel(0, 0, SEND.format(n=sent), {"tx": 2})
    m.kernel(1, 0, RECEIVE.format(n=received), {"rx": 2})
    m.route(0, 0, 2, "C>R")
    m.route(1, 0, 2, "L>C")
    return m


def cause(r: Result) -> dict[str, Any]:
    causes = r.json()["causes"]
    assert len(causes) == 1
    return dict(causes[0])


def test_done() -> None:
    r = run(pair(5, 5))
    assert r.status == "done"
    # first slot 4; last receive at 4 + 17, executed three cycles later; the count is one more
    assert r.cycles == 4 + 17 + 3 + 1
    assert r.why_blocked().split("\n") == ["outcome: done after 25 cycles", "tiles: 2 ended"]
    fabric_ = r.simulation.fabric
    assert fabric_ is not None
    assert orphan_lines(fabric_, r.outcome, r.simulation.places) == ["All router state is clean"]


def test_out_of_cycles() -> None:
    m = Machine()
    m.kernel(0, 0, ".func main\n.entry\nagain:\n nop;\n jmp again;")
    r = run(m, 100)
    assert (r.status, r.cycles) == ("cycles", 100)
    assert r.why_blocked().split("\n")[:2] == ["outcome: out of cycles (100)", "tiles: 1 running"]
    assert "P0.0 main thread at k00.s:" in r.why_blocked()


def test_count_off_by_one_starves_the_receiver() -> None:
    r = run(pair(4, 5))
    assert r.status == "blocked"
    c = cause(r)
    assert (c["cause"], c["closes"]) == ("never sent", None)
    where = f"k10.s:{line_of(RECEIVE, 'mov32')}:2"
    assert [(k["tile"], k["what"], k["place"], k["color_name"]) for k in c["links"]] == [
        ([1, 0], "thread", where, "east"),
        ([1, 0], "router", None, "east"),
        ([0, 0], "router", None, "east"),
    ]
    (waiting,) = r.json()["waiting"]
    assert (waiting["tile"], waiting["place"], waiting["queue"], waiting["state"]) == ([1, 0], where, 1, "starved")
    assert r.why_blocked().split("\n") == [
        "outcome: blocked after 24 cycles",
        "tiles: 1 ended, 1 starved",
        "cause 1 (never sent, FB542):",
        f"  P1.0 main thread at {where} waits for a wavelet on C2 'east' (socket 'rx', input queue 1): the queue is empty; "
        "4 of 5 elements are read",
        "  P1.0 router takes C2 'east' from the left, P0.0, and none comes",
        "  P0.0 router takes C2 'east' from its core",
        "  the code of P0.0 ('k00') has ended; it sent 4 wavelets on C2 'east'",
        "  look: 4 of 5 came; count the values that are sent there and received at " + where + "; look for a send left out",
        "waiting:",
        f"  P1.0 main thread at {where} waits for a wavelet on C2 'east' (socket 'rx', input queue 1): the queue is empty "
        "(cause 1, starved)",
    ]


def test_a_wavelet_too_many_is_left() -> None:
    r = run(pair(5, 4))
    assert r.status == "blocked"
    c = cause(r)
    assert c["cause"] == "never read"
    (left,) = r.json()["left"]
    assert (left["tile"], left["where"], left["queue"], left["color_name"]) == ([1, 0], "input", 1, "east")
    assert left["sender"].startswith(f"P0.0 at k00.s:{line_of(SEND, 'mov32')}:2")
    fabric_ = r.simulation.fabric
    assert fabric_ is not None
    (line,) = orphan_lines(fabric_, r.outcome, r.simulation.places)
    assert line.startswith("orphan wavelet C2 at P1.0 in input queue 1 (east): ctrl=0, idx=0000, data=0000, half=0")


def exchange(parallel: bool) -> Machine:
    """Both tiles send 30 and then receive 30: more than all queues on the way hold."""
    code = """.socket tx out 0 sp
.socket rx in 1 sp
.var a sp n=30
.var b sp n=30
fa: .dsd mem1d base=a extent=30
fb: .dsd mem1d base=b extent=30
to: .dsd fabout queue=tx extent=30
from: .dsd fabin queue=rx extent=30
.func main
.entry
 ldd DD0 = [to];
 lds0 SA0 = [fa];
 ldd DD1 = [fb];
 lds0 SA1 = [from];
 mov32SEND [DD0] = [SA0];
 mov32 [DD1] = [SA1]; terminate;"""
    m = Machine(2, 1)
    for x in (0, 1):
        m.kernel(x, 0, code.replace("SEND", ".ut0" if parallel else ""), {"tx": 2 + x, "rx": 3 - x})
    m.route(0, 0, 2, "C>R")
    m.route(1, 0, 2, "L>C")
    m.route(1, 0, 3, "C>L")
    m.route(0, 0, 3, "R>C")
    return m


def test_exchange_side_by_side_is_done() -> None:
    assert run(exchange(True)).status == "done"


def test_exchange_one_after_the_other_is_a_circle() -> None:
    r = run(exchange(False))
    c = cause(r)
    assert (c["cause"], c["closes"]) == ("circle", 0)
    assert [k["tile"] for k in c["links"] if k["thread"]] == [[0, 0], [1, 0]]
    assert {w["state"] for w in r.json()["waiting"]} == {"blocked"}
    assert "  and so on in a circle: this waits for P0.0 main thread at k00.s:" in r.why_blocked()


def test_wrong_color() -> None:
    m = pair(3, 3)
    m.kernel(0, 0, SEND.format(n=3), {"tx": 3})
    r = run(m)
    assert r.status == "blocked"
    causes = {c["cause"]: c for c in r.json()["causes"]}
    # the sender's color has no rule, so that its wavelets stay; the receiver gets nothing
    assert set(causes) == {"no route", "never sent"}
    assert "no socket of P0.0 ('k00') sends on C2 'east'; it sends on C3 'west'" in causes["never sent"]["end"]
    text = r.why_blocked()
    assert "C3 'west'" in text and "C2 'east'" in text


def test_no_rule_on_the_receivers_tile() -> None:
    m = Machine(2, 1)
    m.kernel(0, 0, SEND.format(n=3), {"tx": 2})
    m.route(0, 0, 2, "C>R")
    r = run(m)
    c = cause(r)
    assert (c["cause"], c["links"][0]["tile"]) == ("no route", [0, 0])


def test_no_socket_takes_the_color() -> None:
    m = Machine(2, 1)
    m.kernel(0, 0, SEND.format(n=3), {"tx": 2})
    m.kernel(1, 0, ".func main\n.entry\n nop; terminate;")
    m.route(0, 0, 2, "C>R")
    m.route(1, 0, 2, "L>C")
    c = cause(run(m))
    assert c["cause"] == "no queue"
    assert "bind C2 'east' to a socket that receives on P1.0" in c["look"]


def test_broadcast_with_a_deaf_tile() -> None:
    m = Machine(3, 1)
    m.kernel(0, 0, SEND.format(n=40), {"tx": 2})
    m.kernel(1, 0, RECEIVE.format(n=4), {"rx": 2})
    m.kernel(2, 0, RECEIVE.format(n=40), {"rx": 2})
    m.route(0, 0, 2, "C>R")
    m.route(1, 0, 2, "L>RC")
    m.route(2, 0, 2, "L>C")
    r = run(m)
    c = cause(r)
    assert c["cause"] == "never read"
    assert "P1.0" in c["end"]
    assert sorted(w["tile"] for w in r.json()["waiting"]) == [[0, 0], [2, 0]]


def test_serving_is_done() -> None:
    endless = RECEIVE.format(n=0).replace("queue=rx extent=0", "queue=rx extent=0 endless").replace(
        "to: .dsd mem1d base=a extent=0", "to: .dsd mem1d base=a extent=1 stride=0").replace(
        ".var a sp n=0", ".var a sp n=1").replace("mov32 [DD0] = [SA0]", "mov32 D0 = [SA0]")  # fmt: skip
    m = pair(4, 4)
    m.kernel(1, 0, endless, {"rx": 2})
    r = run(m)
    assert r.status == "done"
    assert r.json()["tiles"] == {"ended": 1, "serving": 1, "running": 0}
    assert "serving:" in r.why_blocked()


FOREVER = """.socket rx in 1 sp
.var a sp n=1
to: .dsd mem1d base=a extent=1
from: .dsd fabin queue=rx extent=1
.func main
.entry
 ldd DD0 = [to];
 lds0 SA0 = [from];
again:
 call get;
 jmp again;
get:
 mov32 [DD0] = [SA0];
 jmpr R15;"""


def test_a_receive_in_a_forever_serves() -> None:
    m = pair(4, 4)
    m.kernel(1, 0, FOREVER, {"rx": 2})
    assert run(m).status == "done"


def test_a_loop_with_an_exit_does_not_serve() -> None:
    m = pair(4, 4)
    m.kernel(1, 0, FOREVER.replace(" jmp again;", " djnz R0, again;\n terminate;").replace(" ldd DD0", " mov16 R0 = 9;\n ldd DD0"), {"rx": 2})  # fmt: skip
    r = run(m)
    assert (r.status, cause(r)["cause"]) == ("blocked", "never sent")


def test_a_forever_of_microthreads_serves() -> None:
    code = FOREVER.split(".func")[0] + """.func main
.entry
again:
 ldd DD0 = [to];
 lds0 SA0 = [from];
 setjoin 9, 1;
 mov32.ut0 [DD0] = [SA0] -> arrive 9; terminate;
.task 9
 nop;
 jmp again;"""
    m = pair(4, 4)
    m.kernel(1, 0, code, {"rx": 2})
    assert run(m).status == "done"


def test_serving_with_a_finite_wait_elsewhere_is_blocked() -> None:
    m = Machine(3, 1)
    m.kernel(0, 0, SEND.format(n=4), {"tx": 2})
    m.kernel(1, 0, FOREVER, {"rx": 2})
    m.kernel(2, 0, RECEIVE.format(n=1), {"rx": 3})
    m.route(0, 0, 2, "C>R")
    m.route(1, 0, 2, "L>C")
    m.route(2, 0, 3, "L>C")
    r = run(m)
    assert r.status == "blocked"
    assert r.json()["tiles"]["serving"] == 1


def test_a_handler_that_is_never_opened() -> None:
    code = ".socket rx in 1 sp\n.task 1\n nop; terminate;\n.blocked 1\n.func main\n.entry\n nop; terminate;"
    m = pair(2, 2)
    m.kernel(1, 0, code, {"rx": 2})
    assert cause(run(m))["cause"] == "handler not open"


def test_an_open_handler_serves() -> None:
    m = pair(2, 2)
    m.kernel(1, 0, ".socket rx in 1 sp\n.task 1\n nop; terminate;\n.func main\n.entry\n nop; terminate;", {"rx": 2})
    r = run(m)
    assert (r.status, r.json()["tiles"]["serving"]) == ("done", 1)


def test_a_handler_behind_a_receive() -> None:
    # Tile 1 waits for west before it opens its handler; west never comes.
    code = """.socket rx in 1 sp
.socket ry in 2 sp
.var a sp
to: .dsd mem1d base=a extent=1
from: .dsd fabin queue=ry extent=1
.task 1
 nop; terminate;
.blocked 1
.func main
.entry
 ldd DD0 = [to];
 lds0 SA0 = [from];
 mov32 [DD0] = [SA0];
 unblock 1; terminate;"""
    m = pair(2, 2)
    m.kernel(1, 0, code, {"rx": 2, "ry": 3})
    m.route(1, 0, 3, "R>C")
    r = run(m)
    assert {c["cause"] for c in r.json()["causes"]} == {"no route"}
    assert "where the layout ends" in r.why_blocked()


def test_a_full_fifo_that_nobody_empties() -> None:
    code = """.socket rx in 1 sp
.var mem sp n=2
blk: .word mem, 2, 0, 0
push: .dsd fifo block=blk extent=4
from: .dsd fabin queue=rx extent=4
.func main
.entry
 ldd DD0 = [push];
 lds0 SA0 = [from];
 mov32.ut0 [DD0] = [SA0]; terminate;"""
    m = pair(4, 4)
    m.kernel(1, 0, code, {"rx": 2})
    r = run(m)
    assert "fifo" in {c["cause"] for c in r.json()["causes"]}
    assert "waits for room in a FIFO that is full" in r.why_blocked()


def test_a_control_wavelet_in_front_of_a_receive() -> None:
    from fabric.reference.wavelet import control_payload

    m = pair(2, 2)
    word = control_payload(0, task=9)
    m.kernel(0, 0, f""".socket tx out 0 u32
to: .dsd fabout queue=tx extent=1 control
.func main
.entry
 ldd DD0 = [to];
 mov32 D0 = 0x{word:08x};
 mov32 [DD0] = D0; terminate;""", {"tx": 2})
    m.kernel(1, 0, RECEIVE.format(n=1) + "\n.control 9\n nop; terminate;", {"rx": 2})
    r = run(m)
    assert "handler not open" in {c["cause"] for c in r.json()["causes"]}
    assert "a control wavelet that starts task 9 is in front of it" in r.why_blocked()


def test_teardown_never_left() -> None:
    m = pair(2, 2)
    m.image.add_fill(Rect(1, 0, 1, 1), arch.ROUTE + 2, [arch.ROUTE_TEARDOWN | arch.route_code(arch.L, 16)])
    r = run(m)
    assert {c["cause"] for c in r.json()["causes"]} == {"teardown"}


def test_a_switch_that_never_advances() -> None:
    # Tile 1 takes from the right first, then from the left; nothing ever moves the switch.
    m = pair(2, 2)
    m.route(1, 0, 2, "R>C")
    m.image.add_fill(Rect(1, 0, 1, 1), arch.SWITCH + 8, [arch.route_code(arch.L, 16), 0xA0A0])
    r = run(m)
    assert r.status == "blocked"
    assert "switch position" in {c["cause"] for c in r.json()["causes"]}
    assert "takes C2 'east' from the right, where the layout ends (switch position 0)" in r.why_blocked()


def test_wavelets_that_leave_the_layout() -> None:
    m = Machine(1, 1)
    m.kernel(0, 0, SEND.format(n=3), {"tx": 2})
    m.route(0, 0, 2, "C>R")
    r = run(m)
    assert r.status == "done"
    (lost,) = r.json()["lost"]
    assert (lost["tile"], lost["side"], lost["wavelets"], lost["color_name"]) == ([0, 0], "right", 3, "east")
    assert "left the layout: 3 wavelets on C2 'east' at P0.0 to the right" in r.why_blocked()


def test_many_tiles_are_one_line() -> None:
    m = Machine(3, 3)
    code = RECEIVE.format(n=1)
    for x in range(3):
        for y in range(3):
            m.kernel(x, y, code, {"rx": 2})
    image = with_meta(m, NAMES)
    row = image.meta["programs"][0]
    image.meta["programs"] = [{**row, "rects": [[0, 0, 3, 3]]}]
    r = fabric.run(image, 1000)
    waiting = r.why_blocked().split("waiting:\n")[1].split("\n")
    assert len(waiting) == 9 or waiting[0].startswith("  P0.0-P2.2 ") or "P0.0" in waiting[0]
    assert len(r.json()["waiting"]) == 9


def test_a_fault_names_its_place_and_the_other_one() -> None:
    m = pair(9, 9)
    code = RECEIVE.format(n=9).replace("mov32 [DD0]", "mov32.ut3 [DD0]").replace("; terminate", ";\n mov32 [DD0] = [SA0]; terminate")
    m.kernel(1, 0, code, {"rx": 2})
    with pytest.raises(RunFault) as e:
        run(m)
    (d,) = e.value.diagnostics
    assert d.code.code == "FB504"
    assert d.span is not None and d.span.label() == f"k10.s:{line_of(code, ' mov32 [DD0]')}:2"
    assert d.notes[0][0].label() == f"k10.s:{line_of(code, 'ut3')}:2"


def test_a_control_fault_names_wavelet_tile_and_sender() -> None:
    from fabric.reference.wavelet import control_payload

    m = pair(2, 2)
    m.kernel(0, 0, f""".socket tx out 0 u32
to: .dsd fabout queue=tx extent=1 control
.func main
.entry
 ldd DD0 = [to];
 mov32 D0 = 0x{control_payload(0, task=40):08x};
 mov32 [DD0] = D0; terminate;""", {"tx": 2})
    with pytest.raises(RunFault) as e:
        run(m)
    message = e.value.diagnostics[0].message
    assert "on color C2 'east'" in message and "reached P1.0 and names task 40" in message
    assert "P0.0 sent it in cycle 7 at k00.s:7:2" in message


def test_an_unlinked_image_does_not_run() -> None:
    m = pair(1, 1)
    m.image.linked = False
    with pytest.raises(fabric.simulation.UserError) as e:
        fabric.run(m.image, 10)
    assert e.value.diagnostics[0].code.code == "FB501"


def test_cycles_of_zero() -> None:
    with pytest.raises(fabric.simulation.UserError) as e:
        fabric.run(pair(1, 1).image, 0)
    assert e.value.diagnostics[0].code.code == "FB502"
