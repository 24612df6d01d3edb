"""The cause of chains that lead to what still works (FB554): a run that is looked at in the middle."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hanging import HANGS, Hang
from test_hangs import TEXTS, WRITE, timeless

import paint
from fabric.explain import Explanation, explain, text, to_json
from fabric.outcome import judge
from fabric.simulation import Simulation

BUSY = Hang(
    "the sender still counts when one looks",
    {
        **HANGS["off_by_one"].files,
        "send.w": "xp param N;\nsp socket tx;\nxp k;\nmain {\n  while (k < 100) { k = k + 1; }\n  tx[] <- 1.0;\n}\n",
    },
    params={"SENT": 1, "READ": 1},
)


def look_at(hang: Hang, cycle: int, where: Path) -> tuple[Simulation, Explanation]:
    """The explanation of a run as if nothing could happen any more from a cycle on."""
    for name, content in hang.files.items():
        (where / name).write_text(content, encoding="utf-8")
    before = os.getcwd()
    os.chdir(where)
    try:
        s = Simulation(paint.build("bench.paint", **hang.params), engine="python")
    finally:
        os.chdir(before)
    fabric = s.start()
    fabric.run(cycle)
    return s, explain(fabric, judge(fabric, True, cycle), s.places)


@pytest.mark.parametrize(
    ("name", "hang", "cycle", "end"),
    [
        ("still_running", BUSY, 60, "P0.0 is still running"),
        ("still_moving", HANGS["off_by_one"], 13, "what P0.0 holds on C0 'data' moves on"),
    ],
)
def test_what_still_goes_on(name: str, hang: Hang, cycle: int, end: str, tmp_path: Path) -> None:
    s, found = look_at(hang, cycle, tmp_path)
    assert s.fabric is not None
    cause = to_json(found, s.fabric)["causes"][0]
    assert (cause["cause"], cause["code"], cause["end"]) == ("still running", "FB554", end)
    assert cause["look"] == "give it more cycles"
    file = TEXTS / f"{name}.txt"
    words = timeless("\n".join(text(found)) + "\n")
    if WRITE:
        file.write_text(words, encoding="utf-8")
    assert words == file.read_text(encoding="utf-8")
