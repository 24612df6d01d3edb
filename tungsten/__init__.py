"""The Tungsten kernel language: grammar, typed tree, evaluator.

`load` reads and checks a kernel (tungsten.check), `evaluate` runs a typed tree (tungsten.evaluate).
"""

from __future__ import annotations

from typing import Any

__all__ = ["evaluate", "load"]


def __getattr__(name: str) -> Any:
    # A command that only prints its help needs none of this.
    if name == "load":
        from tungsten.check import load

        return load
    if name == "evaluate":
        from tungsten.evaluate import evaluate

        return evaluate
    raise AttributeError(name)
