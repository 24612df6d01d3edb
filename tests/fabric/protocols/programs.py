"""Programs from their texts: built with Paint and Carbide, run, and told in one call."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import paint
from diag.report import UserError, render
from fabric.simulation import Result, Simulation

LIMIT = 20_000


def build(files: dict[str, str], fp16: int = 0, **params: int) -> Any:
    """The linked image of {name: text}; an assertion shows what the tools say of it."""
    try:
        return paint.build(files, float16_dtype=fp16, **params)
    except UserError as e:
        raise AssertionError("\n".join(render(d) for d in e.diagnostics)) from None


def run(files: dict[str, str], cycles: int = LIMIT, fp16: int = 0, sets: dict[str, Any] | None = None, **params: int) -> Result:
    """Builds and runs; `sets` gives values of symbols before."""
    simulation = Simulation(build(files, fp16, **params))
    for name, values in (sets or {}).items():
        simulation.set(name, values)
    return simulation.run(cycles)


def line_of(text: str, what: str) -> int:
    """The number of the first line of a kernel that holds a text."""
    return next(n for n, line in enumerate(text.split("\n"), 1) if what in line)


def write(files: dict[str, str], directory: Path | None = None) -> Path:
    """The files in a directory (a new one), for the commands."""
    where = directory or Path(tempfile.mkdtemp())
    for name, text in files.items():
        (where / name).write_text(text, encoding="utf-8")
    return where
