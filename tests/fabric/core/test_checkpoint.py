"""A stopped run goes on from its core and ends as an uninterrupted one does, to the bit."""

from __future__ import annotations

from pathlib import Path

import pytest
from core_bench import Machine, with_meta

import fabric
from diag.report import UserError
from fabric.elf import load_elf, save_elf
from fabric.image import Image
from fabric.simulation import Simulation

BUSY = """.socket tx out 0 sp
.socket rx in 1 sp
.symbol a sp n=12
.long {values}
.var b sp n=12
.var mem sp n=3
.var s sp
blk: .word mem, 3, 0, 0
it: .iblock 3:2, 4:1 endless
fa: .dsd iterator base=a extent=12 block=it
push: .dsd fifo block=blk extent=12
pop: .dsd fifo block=blk extent=12
fb: .dsd mem1d base=b extent=12
to: .dsd fabout queue=tx extent=12
from: .dsd fabin queue=rx extent=12
.func main
.entry
 mov16 R0 = 4;
 st16 [0x7b34] = R0;
 ldd DD0 = [to];
 lds0 SA0 = [fa];
 ldd DD1 = [push];
 lds0 SA1 = [from];
 ldd DD2 = [fb];
 lds0 SA2 = [pop];
 lds1 SB2 = [fb];
 setjoin 9, 3;
 mov32.ut0 [DD0] = [SA0] -> arrive 9;
 mov32.ut1 [DD1] = [SA1] -> arrive 9;
 mov32.ut2 [DD2] = [SA2] -> arrive 9; terminate;
.task 9
 mov32 D2 = 0x40000000;
 fdivs D4 = D2, 0x40400000;
 mov32 D0 = 0;
 fadds D0 = D0, [SB2];
 fadds D0 = D0, D4;
 st32 [s] = D0;
 ld16 R0 = [0x7b30];
 st16 [a] = R0; terminate;"""
# The descriptors of a live instruction are captured: here the queue is emptied into the FIFO without end, and its DSRs
# soon hold others.
ENDLESS = (
    BUSY.replace("block=blk extent=12\npop", "block=blk extent=1 endless\npop")
    .replace("queue=rx extent=12", "queue=rx extent=1 endless")
    .replace("setjoin 9, 3", "setjoin 9, 2")
    .replace("[DD1] = [SA1] -> arrive 9;", "[DD1] = [SA1];\n ldd DD1 = [fb];\n lds0 SA1 = [fb];")
)


def image(code: str = BUSY) -> Image:
    m = Machine(2, 1)
    values = ", ".join(f"0x{0x3F800000 + 0x100000 * k:08x}" for k in range(12))
    for x in (0, 1):
        m.kernel(x, 0, code.format(values=values), {"tx": 2 + x, "rx": 3 - x})
    m.route(0, 0, 2, "C>R")
    m.route(1, 0, 2, "L>C")
    m.route(1, 0, 3, "C>L")
    m.route(0, 0, 3, "R>C")
    return with_meta(m)


def words(core: Image) -> list[dict[int, int]]:
    return [core.tile_words(x, 0) for x in range(core.width)]


@pytest.mark.parametrize("then", ["python", "fast"])
@pytest.mark.parametrize("engine", ["python", "fast"])
@pytest.mark.parametrize("code", [BUSY, ENDLESS], ids=["busy", "endless"])
def test_every_cycle_of_a_busy_program(tmp_path: Path, code: str, engine: str, then: str) -> None:
    whole = fabric.run(image(code), 1000)
    assert whole.status == "done"
    for stop in range(1, whole.cycles, 7):
        first = Simulation(image(code), engine=engine).run(stop)
        assert first.status == "cycles"
        path = tmp_path / "stopped.elf"
        save_elf(first.image, str(path))
        sim = Simulation(image(code), engine=then)
        sim.resume(path)
        second = sim.run(1000)
        assert (second.status, second.cycles) == (whole.status, whole.cycles), stop
        assert words(second.image) == words(whole.image), stop


def test_stopped_twice() -> None:
    whole = fabric.run(image(), 1000)
    core = fabric.run(image(), 25).image
    for stop in (40, 60):
        sim = Simulation(image())
        sim.resume(core)
        core = sim.run(stop).image
    sim = Simulation(image())
    sim.resume(core)
    assert words(sim.run(1000).image) == words(whole.image)


def test_an_ended_run_is_no_checkpoint() -> None:
    core = fabric.run(image(), 1000).image
    with pytest.raises(UserError) as e:
        Simulation(image()).resume(core)
    assert e.value.diagnostics[0].code.code == "FB509"


def test_a_damaged_checkpoint() -> None:
    core = fabric.run(image(), 30).image
    core.extra["checkpoint"] = core.extra["checkpoint"][:-9]
    sim = Simulation(image())
    sim.resume(core)
    with pytest.raises(UserError) as e:
        sim.run(100)
    assert e.value.diagnostics[0].code.code == "FB509"


def test_too_few_cycles_to_go_on() -> None:
    core = fabric.run(image(), 30).image
    sim = Simulation(image())
    sim.resume(core)
    with pytest.raises(UserError) as e:
        sim.run(30)
    assert e.value.diagnostics[0].code.code == "FB523"


def test_the_core_has_what_changed_and_no_more() -> None:
    before = image()
    r = fabric.run(before, 1000)
    core = r.image
    changed = {a for a, w in core.tile_words(0, 0).items() if before.tile_words(0, 0).get(a, 0) != w}
    assert 0x7B34 in changed  # the timer was switched on
    assert all(a < 0x6000 or a >= 0x7200 for a in changed)
    assert core.meta["core"] == {"cycles": r.cycles, "status": "done"}
    assert sum(s.n * sum(q.tiles for q in s.rects) for s in core.segments) < 2000


def test_words_outside_of_the_program_are_kept() -> None:
    m = Machine()
    m.kernel(0, 0, ".func main\n.entry\n mov16 R0 = 5;\n st16 [0x5fff] = R0;\n st16 [0x7f80] = R0;\n st16 [0x7300] = R0; terminate;")
    core = fabric.run(with_meta(m), 100).image
    assert {a: w for a, w in core.tile_words(0, 0).items() if a in (0x5FFF, 0x7F80, 0x7300)} == {0x5FFF: 5, 0x7F80: 5, 0x7300: 5}


def test_a_core_through_elf_and_back(tmp_path: Path) -> None:
    core = fabric.run(image(), 1000).image
    path = str(tmp_path / "a.core")
    save_elf(core, path)
    assert words(load_elf(path)) == words(core)


def test_set_and_get_by_name() -> None:
    import numpy as np

    m = Machine(2, 1)
    code = ".var x xp\n.var y xp\n.func main\n.entry\n ld16 R0 = [x];\n add16 R0 = R0, 1;\n st16 [y] = R0; terminate;"
    for column in (0, 1):
        m.kernel(column, 0, code)
    at = {s.name: s.address for s in m.programs[0, 0].symbols}
    text = "".join(f"k.{n} xp 0x{a:04x} [y<1 x<2] 0,0 1,1\n" for n, a in at.items())
    sim = Simulation(with_meta(m), map=text)
    sim.set("k.x", np.array([[10, -3]]))
    r = sim.run(100)
    assert r.get("k.y").tolist() == [[11, -2]]
    assert r.get("k.y", order="x").tolist() == [11, 0xFFFE]
    assert r.get("y").dtype == np.int16


