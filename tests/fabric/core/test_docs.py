"""The timing page says what the table says, and the simfabric page names every option."""

from __future__ import annotations

import re
from dataclasses import asdict
from pathlib import Path

from fabric.cmd_simfabric import COMMAND
from fabric.timing import DEFAULT

DOCS = Path(__file__).parents[3] / "docs"


def test_timing_page() -> None:
    rows = re.findall(r"^\| `(\w+)` \| (\d+) \|", (DOCS / "timing.md").read_text(), re.M)
    assert {name: int(value) for name, value in rows} == asdict(DEFAULT)


def test_simfabric_page() -> None:
    text = (DOCS / "simfabric.md").read_text()
    for option in COMMAND.options:
        assert f"`{option.name}=" in text, option.name
