"""timeline= against the schema of Chrome's trace events (the part that chrome://tracing and Perfetto need)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from test_logreader import PROGRAMS, log

Number = (int, float)
# phase -> keys it must have, with their types; `args` and `cat` may be there too
SCHEMA: dict[str, dict[str, Any]] = {
    "X": {"name": str, "ts": Number, "dur": Number, "pid": int, "tid": int},
    "s": {"name": str, "cat": str, "id": int, "ts": Number, "pid": int, "tid": int},
    "f": {"name": str, "cat": str, "id": int, "ts": Number, "pid": int, "tid": int, "bp": str},
    "M": {"name": str, "pid": int, "args": dict},
}
OPTIONAL = {"X": {"args"}, "s": set(), "f": set(), "M": {"tid"}}


@pytest.mark.parametrize("name", PROGRAMS)
def test_schema(name: str, tmp_path: Path) -> None:
    file = tmp_path / "t.json"
    records, cycles = log(name, tmp_path, f"timeline={file}", "debug=hwtile")
    data = json.loads(file.read_text())
    assert set(data) == {"traceEvents", "displayTimeUnit"} and data["displayTimeUnit"] in ("ms", "ns")
    events = data["traceEvents"]
    for e in events:
        required = SCHEMA[e["ph"]]
        assert set(required) <= set(e) - {"ph"} <= set(required) | OPTIONAL[e["ph"]]
        for key, kind in required.items():
            assert isinstance(e[key], kind) and not isinstance(e[key], bool)
        assert e["ph"] == "M" or 0 <= e["ts"] <= int(cycles)
        assert e["ph"] != "X" or e["dur"] > 0
    # each process and track that has events has a name
    tracks = {(e["pid"], e["tid"]) for e in events if e["ph"] == "M" and e["name"] == "thread_name"}
    named = {e["pid"] for e in events if e["ph"] == "M" and e["name"] == "process_name"}
    assert {(e["pid"], e["tid"]) for e in events if e["ph"] != "M"} <= tracks
    assert {e["pid"] for e in events} == named
    # a flow begins before it ends, and inside a slice of its track, to which viewers bind it
    starts = {e["id"]: e for e in events if e["ph"] == "s"}
    assert len(starts) == sum(1 for e in events if e["ph"] == "s")
    slices: dict[tuple[int, int], list[tuple[int, int]]] = {}
    for e in events:
        if e["ph"] == "X":
            slices.setdefault((e["pid"], e["tid"]), []).append((e["ts"], e["ts"] + e["dur"]))
    for e in events:
        if e["ph"] in "sf":
            assert any(a <= e["ts"] < b for a, b in slices[e["pid"], e["tid"]])
            assert starts[e["id"]]["ts"] <= e["ts"]
    # wavelets: as many as the records tell
    paths = records.paths()
    assert set(starts) == set(paths)
    ends = sorted((e["id"], e["ts"]) for e in events if e["ph"] == "f")
    assert ends == sorted((p.ident, cycle) for p in paths.values() for kind, cycle, _, _ in p.ends if kind == "core")
