"""Outcomes of fabrics with more waiting tiles than are looked at: tiles in the same state stand for the others."""

from __future__ import annotations

from pathlib import Path

import pytest

import paint
from fabric.engine import fast
from fabric.explain import orphan_lines
from fabric.simulation import Result, Simulation

SERVER = "sp socket rx;\nsp n;\nmain {\n  forever { sp v <- rx[]; n = n + v; }\n}\n"
WAITS = "sp socket rx;\nsp x;\nmain {\n  x <- rx[];\n}\n"
COLUMNS = """let c = color()
let first = rect(0 0 6 4)
first : code('server [rx:c])
first : paint(c [U>C])
let last = rect(0 4 6 1)
last : code('{last} [rx:c])
last : paint(c [U>C])
union(first last)
"""


def run(last: str, where: Path, monkeypatch: pytest.MonkeyPatch, most: int) -> Result:
    monkeypatch.setattr(fast, "MANY", most)
    monkeypatch.chdir(where)
    files = {"server.w": SERVER, "waits.w": WAITS, "bench.paint": COLUMNS.replace("{last}", last)}
    for name, text in files.items():
        (where / name).write_text(text, encoding="utf-8")
    return Simulation(paint.build("bench.paint"), engine="fast").run(500)


def test_a_few_hang_behind_many_that_serve(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """24 tiles serve, 6 in the last row wait for one value: the first 8 tiles in order would all serve."""
    r = run("waits", tmp_path, monkeypatch, 8)
    assert r.status == "blocked"
    assert {tuple(w["tile"])[1] for w in r.json()["waiting"] if w["state"] != "serving"} == {4}
    tiles = r.json()["tiles"]
    starved = sum(w["state"] == "starved" for w in r.json()["waiting"])
    assert tiles["serving"] == 24 and starved + tiles["unseen"] == 6
    assert f"{tiles['unseen']} waiting" in r.why_blocked()


def test_all_serve(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    r = run("server", tmp_path, monkeypatch, 8)
    assert r.status == "done" and r.json()["tiles"] == {"ended": 0, "serving": 30, "running": 0}


def test_wavelets_left_on_many_tiles_are_counted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """30 tiles send one wavelet each to a neighbour that takes none: every one is listed, or counted with its tile."""
    monkeypatch.setattr(fast, "MANY", 8)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "send.w").write_text("sp socket tx;\nmain {\n  tx[] <- 1.0;\n}\n", encoding="utf-8")
    layout = "let c = color()\nlet s = rect(0 0 1 30)\ns : code('send [tx:c])\ns : paint(c [C>R])\nhstack(s rect(1 0 1 30))\n"
    (tmp_path / "bench.paint").write_text(layout, encoding="utf-8")
    r = Simulation(paint.build("bench.paint"), engine="fast").run(500)
    assert r.status == "blocked" and r.simulation.fabric is not None
    lines = orphan_lines(r.simulation.fabric, r.outcome, r.simulation.places)
    assert lines[-1] == f"and orphan wavelets on {31 - len(lines)} further tiles"
    assert len(lines) > 1 and all(line.startswith("orphan wavelet C0 at P0.") for line in lines[:-1])
    assert r.json()["tiles"]["holding"] == 31 - len(lines)


def test_all_are_looked_at_where_they_are_few(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    r = run("waits", tmp_path, monkeypatch, 2500)
    assert r.why_blocked().split("\n")[1] == "tiles: 24 serving, 6 starved"
