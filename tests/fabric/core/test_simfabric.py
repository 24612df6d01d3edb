"""The command simfabric: log, outcomes, options, exit codes, files."""

from __future__ import annotations

import json
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from core_bench import Machine, with_meta
from test_outcome import NAMES, RECEIVE, exchange, pair

from fabric.cmd_simfabric import main
from fabric.elf import load_elf, save_elf

LOOP = ".func main\n.entry\nagain:\n nop;\n jmp again;"


def elf(m: Machine, tmp_path: Path) -> str:
    path = str(tmp_path / "a.elf")
    save_elf(with_meta(m, NAMES), path)
    return path


def loop(tmp_path: Path) -> str:
    m = Machine()
    m.kernel(0, 0, LOOP)
    return elf(m, tmp_path)


def test_log_of_a_run_that_is_done(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    core = tmp_path / "a.core"
    assert main([f"elf={elf(pair(3, 3), tmp_path)}", f"core={core}", "cycles=1000"]) == 0
    out, err = capsys.readouterr()
    lines = out.split("\n")
    assert lines[:8] == [
        "@0 dimX=2, dimY=1",
        "@0 Architecture is: SDR",
        "@0 Simtile is: hwtile",
        "@0 Sim stats: tiles=2, simulated_tiles=2",
        "@23 50 cycles since an instruction was executed on any tile",
        "All router state is clean",
        "outcome: done after 23 cycles",
        "tiles: 2 ended",
    ]
    assert re.fullmatch(r"Simulation used \d+\.\d{3} seconds, cycles=23, cyc/sec=\d+\.\d", lines[8])
    assert err == ""
    assert load_elf(str(core)).meta["core"] == {"cycles": 23, "status": "done"}


def test_blocked_tells_the_log_and_standard_error(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = elf(exchange(False), tmp_path)
    assert main([f"elf={path}", "cycles=1000"]) == 0
    out, err = capsys.readouterr()
    assert "No data movement in the last 50 cycles" in out
    assert out.count("orphan wavelet C") == 2 * (8 + 4 + 4 + 8)
    assert "cause 1 (circle, FB541):" in out and "cause 1 (circle, FB541):" in err
    assert main([f"elf={path}", "cycles=1000", "strict=1"]) == 1
    assert "error FB530: the run ended blocked" in capsys.readouterr().err


def test_idle_names_the_cycles(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([f"elf={elf(pair(3, 3), tmp_path)}", "idle=7"]) == 0
    assert "@23 7 cycles since an instruction was executed" in capsys.readouterr().out


def test_json(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([f"elf={elf(exchange(False), tmp_path)}", "json=1"]) == 0
    out = capsys.readouterr().out
    (line,) = [x for x in out.split("\n") if x.startswith("{")]
    assert json.loads(line)["causes"][0]["cause"] == "circle"
    assert "outcome:" not in out


def test_out_of_cycles(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = loop(tmp_path)
    assert main([f"elf={path}", "cycles=200"]) == 0
    out = capsys.readouterr().out
    assert "@200 Cycle limit reached" in out and "outcome: out of cycles (200)" in out and "cycles=200," in out
    assert main([f"elf={path}", "cycles=200", "strict=1"]) == 1
    assert "FB531" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (["cycles=0"], "DG004"),
        (["cycles=many"], "DG004"),
        (["debug=landings"], "FB520"),
        (["trace-from=9", "trace-to=3", "debug=landing"], "FB521"),
        (["trace-rect=0,0,3,1"], "FB521"),
        (["trace-rect=0,0,1"], "FB521"),
        (["trace-rect=a,b,c,d"], "FB521"),
        (["engine=quick"], "DG004"),
        (["threads=65"], "DG004"),
        (["cycle=3"], "DG001"),
        (["restart=nowhere.core"], "DG007"),
        (["core=/no/such/directory/a.core"], "DG008"),
    ],
)
def test_wrong_words(words: list[str], code: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([f"elf={elf(pair(1, 1), tmp_path)}", *words]) == 1
    assert f"error {code}" in capsys.readouterr().err


def test_wrong_files(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    bad = tmp_path / "b.elf"
    bad.write_bytes(b"hello")
    core = tmp_path / "never.core"
    assert main([f"elf={bad}", f"core={core}"]) == 1
    m = pair(1, 1)
    m.image.linked = False
    assert main([f"elf={elf(m, tmp_path)}", f"core={core}"]) == 1
    assert "FB501" in capsys.readouterr().err
    assert not core.exists()


def test_a_fault_ends_the_log_and_leaves_a_core(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    m = pair(9, 9)
    code = RECEIVE.format(n=9).replace("mov32 [DD0]", "mov32.ut3 [DD0]").replace("; terminate", ";\n mov32 [DD0] = [SA0]; terminate")
    m.kernel(1, 0, code, {"rx": 2})
    core = tmp_path / "a.core"
    assert main([f"elf={elf(m, tmp_path)}", f"core={core}"]) == 1
    out, err = capsys.readouterr()
    assert re.search(r"^@\d+ fault FB504 at k10\.s:10:2: ", out, re.M)
    assert "k10.s:10:2: error FB504" in err and "note: the operation that holds the queue" in err
    assert load_elf(str(core)).meta["core"]["status"] == "fault"


def test_restart(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = elf(exchange(True), tmp_path)
    whole, half, rest = (str(tmp_path / n) for n in ("whole", "half", "rest"))
    assert main([f"elf={path}", f"core={whole}", "cycles=1000"]) == 0
    assert main([f"elf={path}", f"core={half}", "cycles=20"]) == 0
    assert main([f"elf={path}", f"core={rest}", f"restart={half}", "cycles=1000"]) == 0
    assert "@20 Going on from" in capsys.readouterr().out
    a, b = load_elf(whole), load_elf(rest)
    assert [a.tile_words(x, 0) for x in (0, 1)] == [b.tile_words(x, 0) for x in (0, 1)]
    assert a.meta["core"] == b.meta["core"]


def test_records_profile_and_timeline(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = elf(pair(3, 3), tmp_path)
    profile, timeline = tmp_path / "p.txt", tmp_path / "t.json"
    words = [f"elf={path}", f"profile={profile}", f"timeline={timeline}", "debug=landing,hwtile", "trace-rect=1,0,1,1"]
    assert main(words) == 0
    out = capsys.readouterr().out
    assert "@14 P1.0 (hwtile) landing C2 from link W," in out and "P0.0" not in out.split("outcome")[0]
    assert "cycles=23," in out
    assert profile.read_text().startswith("# 23 cycles, 2 cores")
    assert json.loads(timeline.read_text())["traceEvents"]


@pytest.mark.parametrize("engine", ["auto", "python"])
def test_ctrl_c_leaves_log_and_core(engine: str, tmp_path: Path) -> None:
    path, core = loop(tmp_path), tmp_path / "a.core"
    command = [sys.executable, "-m", "fabric.cmd_simfabric", f"elf={path}", f"core={core}"]
    command += ["cycles=2000000000", f"engine={engine}"]  # minutes of work for any engine
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    time.sleep(4)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "Interrupted" in out and "Simulation used" in out and "Traceback" not in err
    stopped = load_elf(str(core))
    assert stopped.meta["core"]["status"] == "interrupted" and stopped.meta["core"]["cycles"] > 100
    assert "checkpoint" in stopped.extra


def test_help_tells_every_option(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["help"]) == 0
    out = capsys.readouterr().out
    for option in ("elf=", "core=", "cycles=", "restart=", "json", "strict", "debug=", "trace-from=", "trace-to=",
                   "trace-rect=", "idle=", "profile=", "timeline=", "threads=", "engine=auto|fast|python"):  # fmt: skip
        assert option in out
