"""The core's own tests once more: whatever they run on the reference runs on the engine too, to the same state."""

from __future__ import annotations

import core_bench
import pytest
from engine_compare import check
from test_known_totals import *  # noqa: F403
from test_scalar import *  # noqa: F403
from test_tasks import *  # noqa: F403
from test_threads import *  # noqa: F403
from test_vectors import *  # noqa: F403

from fabric.engine.machine import Machine
from fabric.engine.support import unsupported

original = core_bench.Machine.run


@pytest.fixture(autouse=True)
def both_simulators(monkeypatch: pytest.MonkeyPatch) -> None:
    def run(bench: core_bench.Machine, cycles: int = 2000) -> bool:
        fresh = bench.fabric is None
        if not fresh or unsupported(bench.timing) is not None:
            return original(bench, cycles)
        quiet = original(bench, cycles)
        machine = Machine.load(bench.image, bench.timing)
        assert machine.run(cycles) == quiet
        assert bench.fabric is not None
        check(bench.fabric, machine, whole=True)
        return quiet

    monkeypatch.setattr(core_bench.Machine, "run", run)
