"""The Tungsten kernel language: grammar, typed tree, evaluator.

`load` reads and checks a kernel (tungsten.check); `tungsten.evaluate` is the module that runs a typed tree.
"""

from __future__ import annotations

from typing import Any

__all__ = ["load"]


def __getattr__(name: str) -> Any:
    # A command that only prints its help needs none of this.
    if name == "load":
        from tungsten.check import load

        return load
    raise AttributeError(name)
