"""Tests leave the user's cache of compiled kernels alone."""

from __future__ import annotations

import pytest


@pytest.fixture(autouse=True)
def _no_kernel_cache(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TUNGSTEN_CACHE", "")
