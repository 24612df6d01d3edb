"""Settings of all tests: a busy machine is no reason to fail, and neither is chance.

The normal lane takes the same examples in every run. The slow lane (`make test-slow`, or HYPOTHESIS=random) draws
new ones each time.
"""

from __future__ import annotations

import os

import pytest
from hypothesis import HealthCheck, settings

QUIET = [HealthCheck.too_slow]
settings.register_profile("same", deadline=None, suppress_health_check=QUIET, derandomize=True, database=None)
settings.register_profile("random", deadline=None, suppress_health_check=QUIET)


def pytest_configure(config: pytest.Config) -> None:
    chance = os.environ.get("HYPOTHESIS") == "random" or str(config.option.markexpr) == "slow"
    settings.load_profile("random" if chance else "same")
