"""The calibration kernel as Carbide compiles it: 300 to 390 cycles a step at its default, fewer with opt=2, and the
same bits as numpy's (hardware.md 17)."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

import paint
from fabric.simulation import Result, Simulation

PROJECT = Path(__file__).parents[2] / "benchmarks" / "calibration"


@pytest.fixture(scope="module")
def check() -> ModuleType:
    spec = importlib.util.spec_from_file_location("calibration_check", PROJECT / "check.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _run(check: ModuleType, opt: int, size: int, steps: int) -> Result:
    sim = Simulation(paint.build(PROJECT, opt=opt, W=size, H=size, STEPS=steps))
    sim.set("grid.h", check.start(size, size, 1))
    result = sim.run(50_000)
    assert result.status == "done", result.why_blocked()
    return result


def _step(check: ModuleType, opt: int, size: int) -> float:
    few, many = (_run(check, opt, size, steps).cycles for steps in (4, 12))
    return (many - few) / 8


@pytest.mark.parametrize("size", [1, 3])
def test_cycles_of_a_step(check: ModuleType, size: int) -> None:
    in_order, across = _step(check, 1, size), _step(check, 2, size)
    assert 300 <= in_order <= 390
    assert across < in_order


@pytest.mark.parametrize("opt", [1, 2])
def test_bits(check: ModuleType, opt: int) -> None:
    result = _run(check, opt, 3, 8)
    for name, wanted in check.solve(check.start(3, 3, 1), 8).items():
        assert np.array_equal(result.get(f"grid.{name}").reshape(3, 3), wanted), name
