"""simfabric on programs that hang or are given wrong words: standard error against golden files, exit codes, JSON."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from core_bench import Machine, with_meta
from faulty import LAYOUTS
from test_fault_messages import compare

import paint
from diag.report import UserError, render
from fabric.cmd_simfabric import main
from fabric.elf import save_elf
from fabric.image import Image
from fabric.simulation import Simulation, run
from fabric.timing import DEFAULT, Timing

LOOP = "xp n;\nmain { forever { n = n + 1; } }\n"
WAIT = LAYOUTS["a control task without code"].files["read.w"]


def image(kernel: str, layout: str = "let t = tile()\nt : code('k)\nt : name('k)\nt\n") -> Image:
    return paint.build({"bench.paint": layout, "k.w": kernel})


WIDE = "let t = rect(0 0 2 1)\nt : code('k)\nt\n"
WAITS = "let c = color()\nlet t = tile()\nt : code('k [rx:c])\nt : paint(c [L>C])\nt\n"


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A directory with loop.elf (never ends), wait.elf (hangs), done.elf, and the cores of their runs."""
    monkeypatch.chdir(tmp_path)
    save_elf(image(LOOP), "loop.elf")
    save_elf(image(LOOP, WIDE), "wide.elf")
    save_elf(image("xp n;\nmain { n = 1; }\n"), "done.elf")
    save_elf(image(WAIT, WAITS), "wait.elf")
    unlinked = image("xp n;\nmain { n = 2; }\n")
    unlinked.linked = False
    save_elf(unlinked, "object.elf")
    assert main(["elf=done.elf", "core=done.core"]) == 0
    assert main(["elf=loop.elf", "core=loop.core", "cycles=50"]) == 0
    assert main(["elf=wide.elf", "core=wide.core", "cycles=50"]) == 0
    return tmp_path


COMMANDS = {
    "unlinked": ["elf=object.elf"],
    "unlinked with records": ["elf=object.elf", "debug=landing", "core=never.core"],
    "restart from an ended run": ["elf=done.elf", "restart=done.core"],
    "restart of another size": ["elf=loop.elf", "restart=wide.core"],
    "class landings": ["elf=done.elf", "debug=landings"],
    "class pipeline": ["elf=done.elf", "debug=landing,pipeline,router"],
    "rectangle outside": ["elf=done.elf", "trace-rect=0,0,2,1"],
    "last before first": ["elf=done.elf", "trace-from=8", "trace-to=2"],
    "core over the program": ["elf=done.elf", "core=done.elf"],
    "timeline over the program": ["elf=done.elf", "timeline=./done.elf"],
    "profile over the core": ["elf=done.elf", "core=new.core", "profile=new.core"],
    "timeline over the profile": ["elf=done.elf", "profile=new.txt", "timeline=./new.txt"],
    "already further": ["elf=loop.elf", "restart=loop.core", "cycles=50"],
    "already much further": ["elf=loop.elf", "restart=loop.core", "cycles=1"],
    "strict blocked": ["elf=wait.elf", "strict=1"],
    "strict blocked with JSON": ["elf=wait.elf", "strict=1", "json=1"],
    "strict out of cycles": ["elf=loop.elf", "strict=1", "cycles=30"],
    "strict out of cycles after a restart": ["elf=loop.elf", "restart=loop.core", "strict=1", "cycles=90"],
}


@pytest.mark.parametrize("name", COMMANDS)
def test_standard_error(name: str, here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    capsys.readouterr()
    assert main([*COMMANDS[name], "engine=python"]) == 1
    err = re.sub(r"\S*/(k\.w)|out of cycles \(\d+\)", lambda m: m[1] or "out of cycles (…)", capsys.readouterr().err)
    compare(name, re.sub(r"(after|cycle) \d+", r"\1 …", err))
    assert not (here / "never.core").exists()


def test_each_code_of_a_command_in_two_contexts(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    capsys.readouterr()
    for words in COMMANDS.values():
        main([*words, "engine=python"])
    codes = re.findall(r"error ((?:FB|DG)\d+)", capsys.readouterr().err)
    expected = ["FB501", "FB509", "FB520", "FB521", "FB523", "FB530", "FB531", "DG012", "DG013"]
    assert {c: codes.count(c) for c in codes} == dict.fromkeys(expected, 2)


@pytest.mark.parametrize("cycles", [0, -7])
def test_no_cycles(cycles: int) -> None:
    with pytest.raises(UserError) as e:
        run(image(LOOP), cycles)
    compare(f"cycles {cycles}", "\n".join(render(d) for d in e.value.diagnostics) + "\n")


def test_names_without_a_map() -> None:
    m = Machine()
    m.kernel(0, 0, ".func main\n.entry\n nop; terminate;")
    result = Simulation(with_meta(m)).run(100)
    for name, ask in {
        "a value without a map": lambda: result.get("k.a"),
        "a value set without a map": lambda: Simulation(with_meta(m)).set("a", [1]),
    }.items():
        with pytest.raises(UserError) as e:
            ask()
        assert e.value.diagnostics[0].code.code == "FB522"
        compare(name, "\n".join(render(d) for d in e.value.diagnostics) + "\n")


def test_names_from_the_map_of_another_program() -> None:
    foreign = paint.build({"bench.paint": "let t = tile()\nt : code('k)\nt : name('t)\nt\n", "k.w": "xp other;\nmain { other = 1; }\n"})
    result = Simulation(image(LOOP), map=foreign.meta["map"]).run(10)
    with pytest.raises(UserError) as e:
        result.get("t.other")
    assert e.value.diagnostics[0].code.code == "FB231"
    assert Simulation(image(LOOP), map=image(LOOP).meta["map"]).run(10).get("k.n").shape == (1, 1)


@pytest.mark.parametrize(
    ("name", "timing"),
    [
        ("a slow way into the core", replace(DEFAULT, router_to_input_queue=60)),
        ("a delay above all", replace(DEFAULT, fp_divide=2_000_000)),
    ],
)
def test_timing_that_the_fast_engine_does_not_take(name: str, timing: Timing) -> None:
    with pytest.raises(UserError) as e:
        Simulation(image(LOOP), timing=timing, engine="fast").run(10)
    compare(name, "\n".join(render(d) for d in e.value.diagnostics) + "\n")


def test_json_on_the_command_line(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    capsys.readouterr()
    assert main(["elf=wait.elf", "json=1"]) == 0
    out, err = capsys.readouterr()
    data: dict[str, Any] = json.loads(next(x for x in out.splitlines() if x.startswith("{")))
    assert (data["status"], data["causes"][0]["code"]) == ("blocked", "FB544")
    assert data["waiting"][0]["place"].endswith("k.w:4:3")
    assert "cause 1 (no route, FB544):" in err


def test_wavelets_that_left_the_layout_are_a_warning(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    for file, text in LAYOUTS["over two edges"].files.items():
        (tmp_path / file).write_text(text, encoding="utf-8")
    save_elf(paint.build("bench.paint"), "a.elf")
    capsys.readouterr()
    assert main(["elf=a.elf", "strict=1"]) == 0
    out, err = capsys.readouterr()
    assert err.count("k.w:3:17: warning FB408: wavelets of C0 'c' left the layout at P0.0 to the") == 2
    assert out.count("left the layout: 5 wavelets on C0 'c' at P0.0") == 2 and "outcome: done" in out
