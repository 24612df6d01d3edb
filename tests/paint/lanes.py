"""Random tests in two lanes: a third of the examples in every run, all of them in the slow lane."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis.strategies import SearchStrategy


def at_length(test: Any, strategy: SearchStrategy[Any], examples: int) -> Callable[[], None]:
    """A random test once more, with more examples and for the slow lane."""
    again = given(strategy)(test.hypothesis.inner_test)
    return pytest.mark.slow(settings(max_examples=examples, deadline=None)(again))
