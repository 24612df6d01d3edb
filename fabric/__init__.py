"""The machine: architecture and timing tables, instruction set, images and maps, simulators, and their tools.

`fabric.run(image, cycles=…)` runs an image, see `fabric.simulation`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from fabric.simulation import Result, Simulation, run

__all__ = ["Result", "Simulation", "run"]


def __getattr__(name: str) -> Any:
    # Commands that do not simulate start without the simulator.
    if name in __all__:
        from fabric import simulation

        return getattr(simulation, name)
    raise AttributeError(f"module 'fabric' has no attribute '{name}'")
