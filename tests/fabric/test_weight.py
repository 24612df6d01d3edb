"""weight: what a program takes, and what it says when that is too much."""

from __future__ import annotations

from pathlib import Path

import pytest

from diag.report import UserError, render
from fabric.cmd_weight import main
from fabric.image import Image
from fabric.program import Program, Usage
from fabric.weight import check, describe, weigh


def program(data: int) -> Program:
    p = Program("stencil", "stencil.w")
    p.usage = [
        Usage("main", "code", 300, "stencil.w:9:1"),
        Usage("send", "code", 120, "stencil.w:30:1"),
        Usage("a", "data", data, "stencil.w:3:4"),
        Usage("k", "data", 2, "stencil.w:4:4"),
    ]
    p.memory_end = 2 + 420 + data + 2
    p.stack_room = 64
    return p


def test_sums() -> None:
    w = weigh(program(1000))
    assert (w.code, w.data, w.gaps, w.stack, w.need, w.free) == (420, 1002, 2, 64, 1488, 24576 - 1488)
    check([program(1000), program(24576 - 488)])
    assert weigh(program(24576 - 488)).free == 0


def test_over_the_limit() -> None:
    with pytest.raises(UserError) as e:
        check([program(10), program(24088 + 12)])
    (d,) = e.value.diagnostics
    assert render(d) == (
        "error FB331: program stencil needs 24588 words, 12 more than the 24576 of a tile's main memory\n"
        "  what          kind  words  of 24576  where\n"
        "  a             data  24100     98.1%  stencil.w:3:4\n"
        "  main          code    300      1.2%  stencil.w:9:1\n"
        "  send          code    120      0.5%  stencil.w:30:1\n"
        "  k             data      2      0.0%  stencil.w:4:4\n"
        "  (gaps)                  2      0.0%\n"
        "  (stack room)           64      0.3%\n"
        "  sum                 24588    100.0%"
    )


def image(*programs: Program) -> Image:
    out = Image(4, 4)
    out.meta["programs"] = [{"name": p.name, "rects": [[0, 0, 4, 2]], **describe(p)} for p in programs]
    return out


def test_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.chdir(tmp_path)
    image(program(1000)).save("bench.obj")
    Path("bench.map").write_text("a xp 0x0200 [y<2 x<4 n<1000] 0,0 1,1\n")
    assert main(["image=bench.obj", "map=bench.map"]) == 0
    assert capsys.readouterr().out == (
        "  program  tiles  code  data  gaps  stack   sum   free  of 24576\n"
        "  stencil      8   420  1002     2     64  1488  23088      6.1%\n"
    )
    image(program(1000), program(30000)).save("bench.obj")
    assert main(["image=bench.obj"]) == 1
    out, err = capsys.readouterr()
    assert "-5912" in out and err.startswith("weight: error FB331: program stencil needs 30488 words, 5912 more")
    for rows in ([], [{}], [{"name": "a"}], 5, [5], [{"name": "a", "usage": [[1]], "memory_end": 1, "stack_room": 1}]):
        bad = Image(1, 1)
        bad.meta["programs"] = rows
        bad.save("bad.obj")
        assert main(["image=bad.obj"]) == 1
        assert "FB332" in capsys.readouterr().err
    Path("far.map").write_text("a xp 0x0200 [y<2 x<9] 0,0 1,1\n")
    assert main(["image=bench.obj", "map=far.map"]) == 1
    assert "far.map:1:1: error FB230" in capsys.readouterr().err
