"""Log records: their grammar, their cycles, and that they change nothing."""

from __future__ import annotations

import json
import re

import pytest
from core_bench import Machine, with_meta

from diag.report import UserError
from fabric import arch
from fabric.places import Places
from fabric.profile import Profile
from fabric.rects import Rect
from fabric.reference.wavelet import control_payload
from fabric.simulation import Simulation
from fabric.timeline import Timeline
from fabric.trace import Trace, classes, half_text

# tools.md "Logs of simfabric", rule by rule; blanks are exact.
HEADT = r"@\d+ P\d+\.\d+ \(hwtile\)"
HEADC = r"@\d+ P\d+\.\d+:"
WORDS = r"ctrl=[01], idx=[0-9a-f]{4}, data=[0-9a-f]{4} \([+-]\d\.\d{3}\(-?\d+\)\), half=[01], ident=[0-9a-f]{16}"
GRAMMAR = {
    "LAND": rf"{HEADT} landing C\d+ from link [WESNR], {WORDS}, lf=[01]",
    "WAVE": rf"{HEADT} wavelet C\d+ {WORDS} landing=[RENWS-] departing=/[E ][N ][W ][S ][R ]/(, lf=1)?(, to_ce_from_q|, to_ce_from_router)?",
    "EX": rf"{HEADC} Id: \d+, Instr: \d+, Seq: \d+, Pipe: 6, Msg: \[EX OP\] \| 0x[0-9a-f]{{4}}: T\d\d(\.UT\d)? [A-Z0-9]+ .*",
    "EXIDLE": rf"{HEADC} Id: \d+, Msg: \[EX OP\] IDLE",
    "IS": rf"{HEADC} Id: \d+, Instr: \d+, Seq: \d+, Pipe: 3, Msg: \[IS OP\] \| 0x[0-9a-f]{{4}}: T\d\d(\.UT\d)? [A-Z0-9]+ Dest:\S* Src0:\S* Src1:\S* Src2:\S* Imm:\S*",
    "WSTALL": rf"{HEADC} .*Not enough wavelets \(\d+/\d+\) for SRC\d with C\d+, IN_Q\[\d\], SIMD-\d+",
    "PSTALL": rf"{HEADC} .*Pipe: \d, Msg: stall: .+",
    "WRITE": rf"{HEADC} .*Writing wavelet C\d+ .+ to OUT_Q\[\d\]",
    "SEND": rf"{HEADC} .*Sending wavelet C\d+ .+ ident:[0-9a-f]{{16}} on OUT_Q\[\d\]",
    "BACKP": rf"{HEADC} .*Backpressure on C\d+ for OUT_Q\[\d\]",
    "DELIVER": rf"{HEADC} .*Delivering wavelet C\d+ .+",
    "ROUTER": rf"{HEADT} router: C\d+ : (input switch:|output switch) [0-3]=/[E ][N ][W ][S ][R ]/ -> [0-3]=/[E ][N ][W ][S ][R ]/ \((init|advance|reset|flip|write)\)( {WORDS})?",
}


def kind(line: str) -> str:
    found = [name for name, rule in GRAMMAR.items() if re.fullmatch(rule, line)]
    assert len(found) == 1, (line, found)
    return found[0]


def machine() -> Machine:
    """Tile 0 sends 30 values and a control word to tile 1, which reads late, through a switch."""
    m = Machine(2, 1)
    m.kernel(0, 0, f""".socket tx out 0 sp
.symbol a sp n=30
.float 1.5, 2.5{', 0.25' * 28}
from: .dsd mem1d base=a extent=30
to: .dsd fabout queue=tx extent=30
ctl: .dsd fabout queue=tx extent=1 control
.func main
.entry
 ldd DD0 = [to];
 lds0 SA0 = [from];
 mov32.ut2 [DD0] = [SA0] -> activate 9; terminate;
.task 9
 ldd DD0 = [ctl];
 mov32 D0 = 0x{control_payload(5, task=31):08x};
 mov32 [DD0] = D0; terminate;""", {"tx": 2})
    m.kernel(1, 0, """.socket rx in 1 sp
.var a sp n=30
.var s sp
all: .dsd mem1d base=a extent=30
one: .dsd mem1d base=a extent=1
rest: .dsd mem1d base=a+2 extent=29
from: .dsd fabin queue=rx extent=0
.func main
.entry
 ldd DD0 = [one];
 lds0 SA0 = [from];
 mov32 [DD0] = [SA0];
 mov16 R0 = 20;
wait:
 djnz R0, wait;
 ldd DD0 = [rest];
 lds1 SB0 = [all];
 mov32 [DD0] = [SA0];
 mov32 D0 = 0;
 fadds D0 = D0, [SB0];
 st32 [s] = D0; terminate;""", {"rx": 2})
    m.route(0, 0, 2, "C>R")
    m.route(1, 0, 2, "L>C")
    code = arch.route_code(arch.L, 0)
    m.image.add_fill(Rect(1, 0, 1, 1), arch.SWITCH + 8, [code, 0xA0A0])
    return m


def trace(debug: str, first: int = 0, last: int | None = None, rect: Rect | None = None) -> tuple[list[str], int]:
    out: list[str] = []
    t = Trace(classes(debug), out.append, first, last, rect)
    sim = Simulation(with_meta(machine(), {2: "east"}), observer=t, probe=lambda tile: t if t.needs_core else None)
    t.begin(sim.start())
    cycles = sim.run(1000).cycles
    t.flush()
    return [line.rstrip("\n") for line in out], cycles


ALL = "landing,inst_trace,router,stalls,hwtile"


def test_every_line_is_of_the_grammar() -> None:
    lines, _ = trace(ALL)
    kinds = [kind(line) for line in lines]
    assert set(kinds) == set(GRAMMAR)


def test_lines_come_by_cycle() -> None:
    cycles = [int(line[1:].split(" ")[0]) for line in trace(ALL)[0]]
    assert cycles == sorted(cycles)


def test_tracing_changes_no_cycle() -> None:
    assert len({trace(debug)[1] for debug in ("", "landing", "hwtile", ALL)}) == 1


def test_classes_print_their_own_lines() -> None:
    kinds = {debug: {kind(line) for line in trace(debug)[0]} for debug in classes(ALL)}
    assert kinds["landing"] == {"LAND"}
    assert kinds["router"] == {"ROUTER"}
    assert kinds["inst_trace"] == {"IS", "EX", "EXIDLE"}
    assert kinds["stalls"] == {"WSTALL", "PSTALL", "BACKP"}
    assert kinds["hwtile"] == set(GRAMMAR) - {"LAND", "ROUTER"}


def test_narrowed_by_cycles_and_tiles() -> None:
    whole, _ = trace(ALL)
    some, _ = trace(ALL, 20, 30, Rect(1, 0, 1, 1))
    assert some == [x for x in whole if 20 <= int(x[1:].split(" ")[0]) <= 30 and " P1.0" in x]


def test_execution_three_cycles_after_decode() -> None:
    lines, _ = trace("inst_trace")
    at: dict[tuple[str, str, str], int] = {}
    for line in lines:
        m = re.match(r"@(\d+) (P\d\.\d): Id: \d+, Instr: (\d+), Seq: 0, Pipe: ([36])", line)
        if m:
            at[m[2], m[3], m[4]] = int(m[1])
    scalar = [(p, i) for p, i, pipe in at if pipe == "3" and (p, i, "6") in at]
    gaps = {at[p, i, "6"] - at[p, i, "3"] for p, i in scalar}
    # three for a scalar instruction; a vector's first element comes a set-up or a wait later
    assert min(gaps) == 3


def test_a_microthread_shows_its_number_and_its_elements() -> None:
    lines = [x for x in trace("inst_trace")[0] if "T08.UT2 MOV32" in x and "[EX OP]" in x]
    assert [int(re.search(r"Seq: (\d+)", x)[1]) for x in lines] == list(range(30))  # type: ignore[index]
    assert "Dest:3fc00000 Src0:3fc00000" in lines[0]


def test_a_wavelet_from_birth_to_its_end() -> None:
    lines = trace("hwtile")[0]
    first = next(re.search(r"ident:([0-9a-f]{16})", x)[1] for x in lines if "Sending" in x)  # type: ignore[index]
    path = [x for x in lines if first in x]
    assert first == f"{(0 << 8 | 2) << 32:016x}"
    steps = []
    for x in path:
        cycle, tile = int(x[1:].split(" ")[0]), re.search(r"P\d\.\d", x)[0]  # type: ignore[index]
        what = "send" if "Sending" in x else re.search(r"landing=(.) departing=/(.{5})/", x).groups()  # type: ignore[union-attr]
        steps.append((cycle - int(path[0][1:].split(" ")[0]), tile, what))
    # sent, on R one cycle later; leaves by E in the next cycle and lands at W two cycles after the first landing
    assert steps == [
        (0, "P0.0", "send"),
        (1, "P0.0", ("R", "     ")),
        (2, "P0.0", ("-", "E    ")),
        (3, "P1.0", ("W", "     ")),
        (4, "P1.0", ("-", "    R")),
    ]


def test_half_text() -> None:
    # S4:18636 shows zero as +0.000(-15)
    assert half_text(0) == "+0.000(-15)"
    assert half_text(0x3E00) == "+1.500(0)"
    assert half_text(0xC100) == "-1.250(1)"


def test_unknown_class() -> None:
    with pytest.raises(UserError) as e:
        classes("landing,instrace")
    assert e.value.diagnostics[0].code.code == "FB520"
    assert e.value.diagnostics[0].hint == "did you mean 'inst_trace'?"


def test_profile_counts_slots_and_losses() -> None:
    p = Profile()
    sim = Simulation(with_meta(machine()), probe=lambda tile: p)
    r = sim.run(1000)
    assert r.status == "done"
    m = machine()
    lines = {(x, line.address): line for (x, _), q in m.programs.items() for line in q.lines}
    by_text: dict[str, list[int]] = {}
    for (index, pc), counts in p.counts.items():
        by_text[f"{index} {lines[index, pc].text}"] = counts
    # djnz: twenty slots, nothing lost; the receive: its set-up and thirty elements
    assert by_text["1 djnz R0, wait;"] == [20, 0, 0, 0, 0, 0]
    moves = [p.counts[1, line.address] for line in m.programs[1, 0].lines if line.text == "mov32 [DD0] = [SA0];"]
    assert [c[0] for c in moves] == [2, 30]
    # the first value: issued at tile 0 in slot 3, readable ten cycles later; the set-up here was in slot 2
    assert moves[0][1] == 10
    # the reduction waits for D0 never, the store 4 cycles for the sum: 3 lost
    assert by_text["1 fadds D0 = D0, [SB0];"] == [31, 0, 0, 0, 0, 0]
    assert next(c for t, c in by_text.items() if t.startswith("1 st32"))[3] == 3
    # the sender fills 8 + 4 + 4 + 8 + 1 places and then waits for room
    send = next(c for t, c in by_text.items() if t.startswith("0 mov32.ut2"))
    assert send[0] == 31 and send[2] > 20
    assert sim.fabric is not None
    p.close(sim.fabric, r.cycles)
    text = p.text(sim.fabric, Places(sim.image), r.cycles).split("\n")
    assert text[1].split() == ["issued", "empty", "full", "operand", "bank", "pipeline", "line"]
    assert "k10.s:16 main" in "\n".join(text)


def test_timeline_is_a_chrome_trace() -> None:
    image = with_meta(machine())
    t = Timeline(Places(image))
    sim = Simulation(image, observer=t, probe=lambda tile: t)
    r = sim.run(1000)
    assert sim.fabric is not None
    data = json.loads(t.close(sim.fabric, r.cycles))
    events = data["traceEvents"]
    for e in events:
        assert e["ph"] in "XMsf"
        assert isinstance(e["pid"], int)
        if e["ph"] == "X":
            assert e["dur"] >= 1 and 0 <= e["ts"] <= r.cycles and e["name"]
        if e["ph"] in "sf":
            assert e["cat"] == "wavelet" and e["id"] >= 0
    starts = [e["id"] for e in events if e["ph"] == "s"]
    ends = [e["id"] for e in events if e["ph"] == "f"]
    # the control wavelet does not reach the core
    assert len(starts) == 31 and sorted(starts)[:-1] == sorted(ends)
    tasks = [e["name"] for e in events if e["ph"] == "X" and e["name"].startswith("task")]
    assert len(tasks) == 3
