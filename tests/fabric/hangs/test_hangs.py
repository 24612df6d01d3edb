"""Each program that hangs: its cause, the chain's tiles, statements and colors, and the text for a reader.

What is expected of the chains was written down from the programs; the texts are golden files in `texts`, which a
person has to read and agree with (GOLDEN=write makes them anew).
"""

from __future__ import annotations

import os
import re
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import hanging_counts  # noqa: F401 - adds to HANGS
import pytest
from hanging import HANGS, RECV, SEND, WIRE, Hang, line_of, run

from diag.codes import table
from fabric.explain import orphan_lines
from fabric.simulation import Result

TEXTS = Path(__file__).parent / "texts"
WRITE = os.environ.get("GOLDEN") == "write"


class Expected(NamedTuple):
    """`threads`: (tile, file, text of the statement, color) of the chain's statements, in order; `end`: what its last
    line speaks of; `states` of the waiting threads by tile; `left`: tiles with wavelets left over; `causes`: of the
    other chains."""

    cause: str
    threads: list[tuple[tuple[int, int], str, str, str]]
    end: list[str]
    states: dict[tuple[int, int], str]
    left: set[tuple[int, int]] = set()
    others: list[str] = []
    also: set[tuple[int, int]] = set()


TABLE: dict[str, Expected] = {
    "serial_exchange": Expected(
        "circle",
        [((0, 0), "swap.w", "∀i tx[]", "east"), ((1, 0), "swap.w", "∀i tx[]", "west")],
        ["in a circle", "P0.0"],
        {(0, 0): "blocked", (1, 0): "blocked"},
        {(0, 0), (1, 0)},
    ),
    "missing_receive": Expected(
        "never read", [((0, 0), "send.w", "∀i tx[]", "data")], ["P1.0", "'rx'"], {(0, 0): "blocked"}, {(0, 0), (1, 0)}
    ),
    "missing_send": Expected(
        "never sent", [((1, 0), "recv.w", "y <- total[]", "total")], ["P0.0 ('send')", "'data'"], {(1, 0): "starved"}
    ),
    "wrong_color": Expected(
        "never sent",
        [((1, 0), "recv.w", "∀i a[i]", "data")],
        ["P0.0 ('send')", "it sends on", "'other'"],
        {(1, 0): "starved"},
        {(0, 0)},
        ["no route"],
    ),
    "deaf_tile": Expected(
        "never read",
        [((0, 0), "send.w", "∀i tx[]", "all")],
        ["P2.0 ('recv')"],
        {(0, 0): "blocked", (1, 0): "blocked", (3, 0): "blocked"},
        {(0, 0), (1, 0), (2, 0)},
    ),
    "swap_without_partner": Expected(
        "no route", [((1, 0), "recv.w", "∀i a[i]", "b")], ["P1.0", "'a'", "both read"], {(1, 0): "starved"}, {(0, 0)}
    ),
    "silent_adder": Expected(
        "never sent", [((3, 0), "recv.w", "∀i a[i]", "sum")], ["P2.0 ('add')", "'sum'"], {(3, 0): "starved"}, {(2, 0)}
    ),
    "sp_into_adder": Expected("adder operands", [], ["P0.0 ('head')"], {}, {(1, 0), (2, 0)}),
    "locked_path": Expected(
        "unfinished message",
        [((3, 0), "reader.w", "∀i got[i]", "c")],
        ["P0.0 ('talker')", "1 more data wavelet"],
        {(3, 0): "starved"},
        {(1, 0)},
    ),
    "no_direction": Expected(
        "message header",
        [((0, 1), "reader.w", "∀i got[i]", "c")],
        ["row 0", "to row 1", "neither bit 7"],
        {(0, 1): "blocked"},
        {(0, 0)},
    ),
    "hole_in_area": Expected(
        "no route", [((2, 0), "reader.w", "∀i got[i]", "c")], ["P1.0", "bank 0"], {(2, 0): "starved"}, {(0, 0)}
    ),
    "full_fifo": Expected(
        "fifo", [((1, 0), "buffered.w", "∀i ff[]", "")], ["P1.0 ('buffered')", "empties"], {(1, 0): "blocked"}, {(1, 0)}
    ),
    "switch_never_advanced": Expected(
        "switch position",
        [((2, 0), "recv.w", "∀i a[i]", "line")],
        ["P1.0", "position 0", "from the left wait for position 1"],
        {(2, 0): "starved"},
        {(0, 0)},
    ),
    "teardown_never_left": Expected(
        "teardown",
        [((1, 0), "leaf.w", "second <- line[]", "line")],
        ["P1.0", "its teardown handler has run"],
        {(1, 0): "blocked"},
        {(0, 0)},
        ["teardown"],
    ),
    "off_by_one": Expected(
        "never sent", [((1, 0), "recv.w", "∀i a[i]", "data")], ["P0.0 ('send')", "'data'"], {(1, 0): "starved"}
    ),
    "two_sockets_one_color": Expected(
        "shared color",
        [((1, 0), "twice.w", "b <- last[]", "data")],
        ["'values'", "'data'"],
        {(1, 0): "starved"},
        {(1, 0)},
        ["never read"],
    ),
    "ring_of_three": Expected(
        "circle",
        [
            ((0, 0), "node.w", "v <- rx[]", "ca"),
            ((2, 0), "node.w", "v <- rx[]", "bc"),
            ((1, 0), "node.w", "v <- rx[]", "ab"),
        ],
        ["in a circle", "P0.0"],
        {(0, 0): "blocked", (1, 0): "blocked", (2, 0): "blocked"},
    ),
    "handler_behind_a_receive": Expected(
        "never sent",
        [((0, 0), "master.w", "x <- reply[]", "reply")],
        ["P0.0 ('master')", "'orders'", "30 wavelets"],
        {(0, 0): "starved"},
    ),
    "control_before_data": Expected(
        "handler not open",
        [((1, 0), "recv.w", "b <- line[]", "line")],
        ["P1.0 ('recv')", "'line'"],
        {(1, 0): "blocked"},
        {(1, 0)},
    ),
    "half_a_value": Expected(
        "never sent", [((1, 0), "mixed.w", "second <-", "data")], ["P0.0 ('send')"], {(1, 0): "starved"}, {(1, 0)}
    ),
    "second_round_without_reset": Expected(
        "switch position",
        [((3, 0), "recv.w", "∀i a[i]", "line")],
        ["P0.0 ('left')", "P2.0", "from its core wait for position 0"],
        {(3, 0): "starved"},
        {(1, 0), (2, 0)},
    ),
    "parallel_one_too_few": Expected(
        "never sent",
        [((0, 0), "swap.w", "theirs[i] <- rx", "west")],
        ["P1.0 ('swap')", "still to run", "39 wavelets"],
        {(0, 0): "starved", (1, 0): "starved"},
        others=["never sent"],
    ),
    "rule_without_core": Expected(
        "no route",
        [((1, 0), "recv.w", "∀i a[i]", "data")],
        ["P1.0", "'data'", "not lead to its core", "to the right"],
        {(1, 0): "starved"},
    ),
    "filter_in_the_way": Expected(
        "never sent",
        [((1, 0), "thin.w", "∀i a[i]", "data")],
        ["P0.0 ('send')", "12 wavelets"],
        {(1, 0): "starved"},
    ),
    "narrow_values": Expected(
        "never sent", [((1, 0), "recv.w", "∀i a[i]", "data")], ["P0.0 ('send')", "4 wavelets"], {(1, 0): "starved"}
    ),
    "every_row_one_short": Expected(
        "never sent",
        [((1, 0), "recv.w", "∀i a[i]", "data")],
        ["P0.0 ('send')", "3 wavelets"],
        {(1, y): "starved" for y in range(6)},
        also={(1, y) for y in range(1, 6)},
    ),
    "short_pipeline": Expected(
        "never sent",
        [((1, 0), "stage.w", "sp x <- rx", "here")],
        ["P0.0 ('send')", "3 wavelets"],
        {(x, 0): "starved" for x in range(1, 6)},
    ),
    "one_question_too_many": Expected(
        "never sent",
        [((0, 0), "ask.w", "answers[k] <- rx", "answer")],
        ["P1.0 ('tell')", "3 wavelets"],
        {(0, 0): "starved"},
        {(1, 0)},
        ["never read"],
    ),
    "handlers_answer_twice": Expected(
        "circle",
        [((0, 0), "client.w", "tx[] <- n", "east"), ((1, 0), "server.w", "tx[] <- v", "west")],
        ["in a circle", "P0.0"],
        {(0, 0): "blocked", (1, 0): "blocked"},
        {(0, 0), (1, 0)},
    ),
    "fifo_read_first": Expected(
        "fifo", [((1, 0), "recv.w", "∀i b[i]", "")], ["P1.0 ('recv')", "fills"], {(1, 0): "blocked"}, {(1, 0)}
    ),
    "handler_of_teardown_waits": Expected(
        "teardown",
        [((1, 0), "leaf.w", "second <- line", "line")],
        ["P1.0", "can't start while the main thread waits"],
        {(1, 0): "blocked"},
        {(0, 0)},
        ["teardown"],
    ),
    "deaf_core": Expected(
        "no queue",
        [((2, 0), "recv.w", "∀i a[i]", "data")],
        ["no socket of P1.0 ('idle')", "'data'"],
        {(2, 0): "starved"},
        {(0, 0), (1, 0)},
    ),
    "header_counts_too_few": Expected(
        "never sent",
        [((2, 2), "reader.w", "∀i got[i]", "c")],
        ["P0.0 ('talk') sent 3 wavelets", "to column 0, row 0", "is at P0.0"],
        {(2, 2): "starved"},
        {(0, 0)},
        ["no queue"],
    ),
    "message_leaves_the_layout": Expected(
        "never sent",
        [((2, 2), "reader.w", "∀i got[i]", "c")],
        ["to column 5, row 2", "left the layout at P2.0 to the right"],
        {(2, 2): "starved"},
    ),
    "message_to_the_wrong_row": Expected(
        "never sent",
        [((2, 2), "reader.w", "∀i got[i]", "c")],
        ["to column 2, row 1", "is at P2.1"],
        {(2, 2): "starved"},
        {(2, 1)},
        ["no queue"],
    ),
    "one_of_three_talkers_waits": Expected(
        "never sent",
        [((0, 0), "reader.w", "∀i got[i]", "c"), ((3, 0), "late.w", "x <- go", "go")],
        ["P4.0 ('starter')", "sent nothing", "'go'"],
        {(0, 0): "starved", (3, 0): "starved"},
    ),
    "rounds_one_too_few": Expected(
        "circle",
        [((0, 0), "swap.w", "theirs[i] <- rx", "west"), ((1, 0), "swap.w", "theirs[i] <- rx", "east")],
        ["in a circle", "P0.0"],
        {(0, 0): "blocked", (1, 0): "blocked"},
    ),
    "relay_without_a_rule": Expected(
        "no route",
        [((2, 0), "recv.w", "∀i a[i]", "data")],
        ["P2.0", "P1.0 has no rule for C0 'data'"],
        {(2, 0): "starved"},
        {(0, 0)},
        ["no route"],
    ),
    "broadcast_before_an_answer": Expected(
        "circle",
        [
            ((0, 0), "send.w", "∀i tx[]", "all"),
            ((1, 0), "late.w", "go <- answer", "answer"),
            ((2, 0), "reply.w", "a[i] <- rx", "all"),
        ],
        ["in a circle", "P1.0 router"],
        {(0, 0): "blocked", (1, 0): "blocked", (2, 0): "blocked"},
        {(0, 0), (1, 0)},
    ),
    "ninth_arm": Expected(
        "circle",
        [((1, 0), "starts.w", "w <- rx", "there"), ((0, 0), "many.w", "v[0] <- rx", "here")],
        ["in a circle", "P1.0 main thread"],
        {(0, 0): "blocked", (1, 0): "blocked"},
    ),
    "second_dispatch": Expected(
        "never sent",
        [((2, 0), "asks.w", "x <- rx", "total")],
        ["no socket of P2.0 ('asks') sends on C1 'ask'"],
        {(2, 0): "starved"},
    ),
    "handler_counts_to_five": Expected(
        "never sent",
        [((0, 0), "client.w", "y <- rx", "west")],
        ["P0.0 ('client')", "4 wavelets"],
        {(0, 0): "starved"},
    ),
}


def timeless(text: str) -> str:
    """Without the numbers of cycles, which are the compiler's business."""
    return re.sub(r"(after|cycle) \d+", r"\1 …", text)


@cache
def result(name: str) -> Result:
    return run(HANGS[name])


def test_the_table_is_whole() -> None:
    assert set(TABLE) == set(HANGS) and len(HANGS) >= 15


@pytest.mark.parametrize("name", HANGS)
def test_chain(name: str) -> None:
    want, r = TABLE[name], result(name)
    data: dict[str, Any] = r.json()
    assert data["status"] == "blocked"
    first = data["causes"][0]
    assert (first["cause"], [c["cause"] for c in data["causes"][1:]]) == (want.cause, want.others)
    assert table()[first["code"]].severity == "warning"
    threads = [k for k in first["links"] if k["thread"]]
    assert [(*k["tile"], k["color_name"] or "") for k in threads] == [(*t, c) for t, _, _, c in want.threads]
    for link, (_, file, text, _) in zip(threads, want.threads, strict=True):
        assert link["place"].rsplit(":", 1)[0] == line_of(HANGS[name], file, text)
    assert (first["closes"] is not None) == (want.cause == "circle")
    for part in want.end:
        assert part in first["end"]
    assert first["look"] and {tuple(at) for at in first["also"]} == want.also
    states = {tuple(w["tile"]): w["state"] for w in data["waiting"] if w["state"] != "serving"}
    assert states == want.states
    assert {tuple(w["tile"]) for w in data["left"]} == want.left
    # each wait has a cause, and each link of a router names its color
    assert all(w["cause"] is not None for w in data["waiting"] if w["state"] != "serving")
    assert all(k["color"] is not None for k in first["links"] if k["what"] == "router")


@pytest.mark.parametrize("name", HANGS)
def test_text(name: str) -> None:
    r = result(name)
    assert r.simulation.fabric is not None
    # of the wavelets left over, the first of each tile
    seen: dict[str, str] = {}
    for line in orphan_lines(r.simulation.fabric, r.outcome, r.simulation.places):
        seen.setdefault(line.split(":")[0], line)
    text = timeless(f"# {HANGS[name].what}\n" + "\n".join([*seen.values(), r.why_blocked()]) + "\n")
    file = TEXTS / f"{name}.txt"
    if WRITE:
        file.write_text(text, encoding="utf-8")
    assert text == file.read_text(encoding="utf-8")


@pytest.mark.parametrize("name", HANGS)
def test_json_and_text_tell_the_same(name: str) -> None:
    r = result(name)
    text = r.why_blocked()
    for number, cause in enumerate(r.json()["causes"], 1):
        assert f"cause {number} ({cause['cause']}, {cause['code']}):" in text
        assert f"  {cause['end']}\n" in text
        for link in cause["links"]:
            assert f"P{link['tile'][0]}.{link['tile'][1]}" in text and link["text"] in text
            assert link["place"] is None or f"{link['thread']} at {link['place']} " in text


@pytest.mark.parametrize(
    "name, words",
    [
        ("parallel_one_too_few", "39 of 40 came"),
        ("rounds_one_too_few", "39 of 40 came at swap.w:10:19: count what is sent and received in each round"),
        ("filter_in_the_way", "filter on P1.0 lets 2 of every 4"),
        ("narrow_values", "16-bit values are sent, two in a wavelet, and 32-bit ones are read"),
        ("handler_of_teardown_waits", "so that task 29 can run"),
        ("message_leaves_the_layout", "P2.2, which is column 2, row 2"),
        ("broadcast_before_an_answer", "stays in a router until every output of its route has taken it"),
        ("one_question_too_many", "sent at tell.w:6:5 and received at ask.w:6:3"),
    ],
)
def test_what_to_look_at(name: str, words: str) -> None:
    assert words in result(name).json()["causes"][0]["look"]


def test_how_many_elements_came_is_in_the_json() -> None:
    link = result("parallel_one_too_few").json()["causes"][0]["links"][0]
    assert (link["done"], link["total"]) == (39, 40)


def test_arms_beyond_the_microthreads_are_told_of() -> None:
    texts = [link["text"] for link in result("ninth_arm").json()["causes"][0]["links"]]
    assert any("all its 8 microthreads wait, further arms wait for their turn" in t for t in texts)


FLAG = Hang(
    "a loop waits for a flag that a handler would set",
    {
        "bench.paint": WIRE,
        "send.w": SEND,
        "recv.w": """xp param N;
sp socket rx;
xp flag;
sp x;
main {
  parallel {
    forever dispatch(rx) { wavelet(sp v) { x = v; flag = 1; } }
    { while (flag == 0) { } x = 3.0; }
  }
}
""",
    },
    params={"SENT": 1, "READ": 1},
)


def test_out_of_cycles_tells_who_waits_and_whose_handler_is_held_up() -> None:
    r = run(FLAG, 400)
    assert r.status == "cycles"
    lines = r.why_blocked().split("\n")
    assert lines[1] == "tiles: 1 ended, 1 running" and "waiting:" not in lines
    (running,) = r.json()["running"]
    assert running.startswith(f"P1.0 main thread at {line_of(FLAG, 'recv.w', 'while')}:")
    assert "wavelets on C0 'data' wait for their handler, which can't start before this task ends" in running
    slow = dict(FLAG.files, **{"recv.w": RECV})
    slow["send.w"] = "xp param N;\nsp socket tx;\nxp k;\nmain {\n  while (k >= 0) { k = k & 1; }\n  tx[] <- 1.0;\n}\n"
    r = run(Hang("the sender never comes to its send", slow, params={"SENT": 1, "READ": 1}), 400)
    lines = r.why_blocked().split("\n")
    assert lines[1] == "tiles: 1 waiting, 1 running"
    at = lines.index("waiting:")
    assert lines[at + 1].startswith("  P1.0 main thread at recv.w:6:6 waits for a wavelet on C0 'data'")
    assert lines[at + 2] == "running:" and lines[at + 3].startswith("  P0.0 main thread at send.w:5:")
    assert len(lines) == at + 4


def test_a_mistake_on_many_tiles_is_told_once() -> None:
    text = result("every_row_one_short").why_blocked()
    assert text.count("cause ") == 2 and "  the same from P1.1-P1.5\n" in text
    assert "\n  P1.0-P1.5 main thread at recv.w:6:6 " in text


def test_the_manual_shows_a_real_report() -> None:
    page = (Path(__file__).parents[3] / "docs" / "simfabric.md").read_text(encoding="utf-8")
    assert timeless(f"\n{result('off_by_one').why_blocked()}\n```") in timeless(page)
    for cause in {c["code"] for name in HANGS for c in result(name).json()["causes"]}:
        assert f"| {cause} |" in page
