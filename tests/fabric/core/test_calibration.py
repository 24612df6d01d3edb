"""A step of the calibration kernel, frozen as assembly, takes about 355 cycles on the machine (hardware.md 17)."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from diag.report import Reporter
from diag.spans import Source
from fabric.asm import assemble
from fabric.program import Program
from fabric.rects import Rect
from fabric.simulation import Simulation

HERE = Path(__file__).parent
BENCHMARKS = HERE.parents[2] / "benchmarks"


def _module(path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def kernel() -> Program:
    reporter = Reporter()
    made = assemble(Source.load(str(HERE / "calibration.s")), reporter)
    reporter.raise_if_errors()
    return made


@pytest.fixture
def exchange(kernel: Program, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """The grid of the engine's benchmark around this kernel: what leaves it comes back."""
    module = _module(BENCHMARKS / "exchange.py")
    monkeypatch.setattr(module, "program", lambda: kernel)
    return module


@pytest.mark.parametrize("size", [1, 3])
def test_a_step_takes_about_355_cycles(exchange: ModuleType, size: int) -> None:
    cycles = []
    for steps in (5, 15):
        result = Simulation(exchange.image(size, size, steps)).run(20_000)
        assert result.status == "done", result.why_blocked()
        cycles.append(result.cycles)
    assert 345 <= (cycles[1] - cycles[0]) / 10 <= 365


def test_the_steps_compute_what_numpy_does(exchange: ModuleType, kernel: Program) -> None:
    check = _module(BENCHMARKS / "calibration" / "check.py")
    everywhere, steps = Rect(0, 0, 4, 3), 6
    image = exchange.image(4, 3, steps)
    at = {s.name: s.address for s in kernel.symbols}
    start = check.start(4, 3, 5)
    image.write(at["h"], everywhere, np.ascontiguousarray(start).view("<u2").reshape(3, 4, 2))
    result = Simulation(image).run(20_000)
    assert result.status == "done", result.why_blocked()
    for name, wanted in check.solve(start, steps).items():
        words = np.ascontiguousarray(result.image.read(at[name], 2, everywhere).astype("<u2"))
        assert np.array_equal(words.view("<f4")[..., 0], wanted), name
