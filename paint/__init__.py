"""The Paint layout language: regions, colors, routes, images (paint.md).

    image = paint.build("project", N=4)
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from paint.pipeline import build as build

__all__ = ["build"]


def __getattr__(name: str) -> object:
    # Loaded at first use: a command's help needs none of it.
    if name == "build":
        from paint.pipeline import build

        return build
    raise AttributeError(f"module 'paint' has no attribute '{name}'")
