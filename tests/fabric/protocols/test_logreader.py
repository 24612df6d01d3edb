"""Logs of programs read back: every wavelet from its birth to its ends, and the samples of S4:18592-18745."""

from __future__ import annotations

import io
import re
from collections import Counter
from contextlib import redirect_stdout
from pathlib import Path

import pytest
from programs import build
from test_adder_chain import chain as adder_chain
from test_chain import FILES as SWITCHED
from test_exchange import RECEIVES, SENDS, exchange
from test_message_passing import CORNERS, READ, SEND

from fabric.cmd_simfabric import main
from fabric.elf import save_elf
from fabric.logreader import (
    Delivery,
    Execute,
    Idle,
    Issue,
    Landing,
    Log,
    Payload,
    Stall,
    Switch,
    Wave,
    parse,
    read,
)
from fabric.logreader import Path as WaveletPath

ALL = "landing,inst_trace,router,stalls,hwtile"
PROGRAMS = {
    "switched chain": (SWITCHED, 0, {"K": 4, "ROUNDS": 3}),
    "exchange": (exchange(f"parallel {{ {SENDS} {RECEIVES} }}"), 0, {"W": 2, "H": 2, "N": 9}),
    "messages": ({"bench.paint": CORNERS, "send.w": SEND, "read.w": READ}, 0, {"B": 0, "W": 4, "H": 3, "X": 2, "Y": 1, "N": 5}),
    "adders": (adder_chain("hp"), 10, {"K": 3, "N": 5}),
}


def elf(name: str, where: Path) -> str:
    files, fp16, params = PROGRAMS[name]
    path = str(where / "a.elf")
    save_elf(build(files, fp16, **params), path)
    return path


def log(name: str, where: Path, *words: str) -> tuple[Log, str]:
    """The log of a program, and the count of cycles that it names."""
    out = io.StringIO()
    with redirect_stdout(out):
        assert main([f"elf={elf(name, where)}", "cycles=5000", *words]) == 0
    found = re.search(r"cycles=(\d+),", out.getvalue())
    assert found is not None
    return read(out.getvalue().splitlines()), found[1]


def ends(paths: dict[int, WaveletPath]) -> Counter[tuple[str, int, int]]:
    return Counter((kind, x, y) for p in paths.values() for kind, _, x, y in p.ends)


@pytest.mark.parametrize("name", PROGRAMS)
def test_every_wavelet_from_birth_to_its_ends(name: str, tmp_path: Path) -> None:
    whole, _ = log(name, tmp_path, f"debug={ALL}")
    assert whole.check() == []
    paths = whole.paths()
    assert all(p.born is not None and p.ends for p in paths.values())
    # hops: two cycles at least from landing to landing (hardware.md 17)
    for p in paths.values():
        for h in p.hops:
            assert all(cycle >= h.landed + 1 for cycle, _ in h.left)
    # idents: tile and color of the sender, and a number (S4)
    for p in paths.values():
        assert p.born is not None
        assert p.ident >> 32 == (p.born.y * whole.width + p.born.x) << 8 | p.born.color
    got = ends(paths)
    if name == "switched chain":
        # 4 values a round reach the core of tile 4; the control wavelets, which have noce, end in its router
        assert got == {("core", 4, 0): 12, ("gone", 4, 0): 12}
        straight = [p for p in paths.values() if p.born is not None and p.born.x == 0]
        assert [[h.x for h in p.hops] for p in straight] == [[0, 1, 2, 3, 4]] * 6
    elif name == "exchange":
        # 9 values over each of the 4 x 4 - 4 links in each direction, each two routers long
        inner = {(x, y) for x in (1, 2) for y in (1, 2)}
        assert all(got["core", x, y] == 4 * 9 for x, y in inner) and sum(got.values()) == 9 * (4 * 4 + 8)
        assert got["core", 0, 1] == 9 and {kind for kind, _, _ in got} == {"core"}
        assert {len({(h.x, h.y) for h in p.hops}) for p in paths.values()} == {2}
    elif name == "messages":
        assert got == {("core", 2, 1): 4 * 6}
        # along X first, then along Y
        for p in paths.values():
            xs, ys = [h.x for h in p.hops], [h.y for h in p.hops]
            turn = xs.index(2)
            assert set(xs[turn:]) == {2} and len(set(ys[: turn + 1])) == 1
    else:
        # 5 sums reach the core; the cores' operands end in their adders (two to a wavelet, the fifth alone)
        assert got["core", 4, 0] == 5
        assert {kind for kind, _, _ in got} == {"core", "held"}
        assert all(len(p.hops) == 1 for p in paths.values() if p.ends[0][0] == "held")


@pytest.mark.parametrize("name", PROGRAMS)
def test_debug_never_changes_the_cycle_count(name: str, tmp_path: Path) -> None:
    words = ["", "debug=landing", "debug=inst_trace", "debug=router", "debug=stalls", "debug=hwtile", f"debug={ALL}"]
    extra = [f"profile={tmp_path / 'p'}", f"timeline={tmp_path / 't'}"]
    counts = {log(name, tmp_path, *([w] if w else []))[1] for w in words}
    counts.add(log(name, tmp_path, f"debug={ALL}", *extra)[1])
    assert len(counts) == 1


def test_narrowed_records_are_those_of_the_whole_log(tmp_path: Path) -> None:
    whole, _ = log("exchange", tmp_path, f"debug={ALL}")
    some, _ = log("exchange", tmp_path, f"debug={ALL}", "trace-from=20", "trace-to=60", "trace-rect=1,0,2,2")
    assert some.records == [r for r in whole.records if 20 <= r.cycle <= 60 and 1 <= r.x <= 2 and r.y <= 1]
    landings, _ = log("exchange", tmp_path, "debug=landing")
    assert landings.records == whole.of(Landing)


def test_a_damaged_log_is_found_out(tmp_path: Path) -> None:
    whole, _ = log("messages", tmp_path, f"debug={ALL}")
    hop = next(i for i, r in enumerate(whole.records) if isinstance(r, Wave) and "W" in r.departing)
    assert Log(whole.records[:hop] + whole.records[hop + 1 :], [], 4, 3).check() != []
    landing = next(i for i, r in enumerate(whole.records) if isinstance(r, Landing) and r.link == "E")
    assert Log(whole.records[:landing] + whole.records[landing + 1 :], [], 4, 3).check() != []
    delivery = next(i for i, r in enumerate(whole.records) if isinstance(r, Delivery))
    assert Log(whole.records[:delivery] + whole.records[delivery + 1 :], [], 4, 3).check() != []


# S4:18610 and following, as they stand there.
SAMPLES = """\
@53 P6.1 (hwtile) landing C3 from link R, ctrl=0, idx=0000, data=0000 (+0.000(-15)), half=0, ident=00000E0300000000, lf=0
@55 P5.1 (hwtile) landing C3 from link E, ctrl=0, idx=0000, data=0000 (+0.000(-15)), half=0, ident=00000E0300000000, lf=0
@497 P4.1: Id: 12, Instr: 225, Seq: 0, Pipe: 3, Msg: [IS OP] 0x021c: T01                  FMACS          Dest:[DDS1]       Src0:[S0DS1]       Src1:[S1DS1]       Src2:R13,R12
@500 P4.1: Id: 12, Instr: 225, Seq: 0, Pipe: 6, Msg: [EX OP] 0x021c: T01                  FMACS          Dest:3f800000               Src0:00000000      Src1:3f800000      Src2:3f800000                                   [     ] U0
@502 P4.1: Id: 12, Instr: 225, Seq: 2, Pipe: 6, Msg: [EX OP] 0x021c: T01.UT4              FMACS          Dest:41c80000               Src0:41400000      Src1:41500000      Src2:3f800000                                   [ o   ] U0
@503 P4.1: Id: 12, Msg: [EX OP] IDLE
@0 P5.2 (hwtile) router: C0 : input switch: 1=/    R/ -> 1=/    R/ (init)
@376 P5.2 (hwtile) router: C0 : output switch 1=/  W  / -> 2=/E    / (advance) ctrl=1, idx=015F, data=0000 (+0.000(-15)), half=0, ident=0000190000000000
"""


def test_the_samples_of_the_original() -> None:
    records = read(SAMPLES.splitlines()).records
    empty = Payload(False, 0, 0, False, 0x0E0300000000)
    advance = Payload(True, 0x015F, 0, False, 0x190000000000)
    ones = {"Dest": 0x3F800000, "Src0": 0, "Src1": 0x3F800000, "Src2": 0x3F800000}
    assert records == [
        Landing(53, 6, 1, "hwtile", 3, "R", empty, False),
        Landing(55, 5, 1, "hwtile", 3, "E", empty, False),
        Issue(
            497, 4, 1, 225, 0x21C, 1, None, "FMACS", {"Dest": "[DDS1]", "Src0": "[S0DS1]", "Src1": "[S1DS1]", "Src2": "R13,R12"}
        ),
        Execute(500, 4, 1, 225, 0, 0x21C, 1, None, "FMACS", ones, "", "U0"),
        Execute(
            502,
            4,
            1,
            225,
            2,
            0x21C,
            1,
            4,
            "FMACS",
            {"Dest": 0x41C80000, "Src0": 0x41400000, "Src1": 0x41500000, "Src2": 0x3F800000},
            "o",
            "U0",
        ),
        Idle(503, 4, 1),
        Switch(0, 5, 2, 0, "input", 1, 1, ("R", "R"), "init", None),
        Switch(376, 5, 2, 0, "output", 1, 2, ("W", "E"), "advance", advance),
    ]


def test_lines_that_are_no_records(tmp_path: Path) -> None:
    whole, cycles = log("exchange", tmp_path, "debug=stalls")
    assert (whole.width, whole.height) == (4, 4)
    assert whole.other[0] == "@0 dimX=4, dimY=4" and f"outcome: done after {cycles} cycles" in whole.other
    assert whole.of(Stall) and parse("hello") is None and parse("@3 P0.0 (hwtile) walks C3") is None
