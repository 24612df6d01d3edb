"""Watchers: what sees a run and changes nothing (logs, profiles, timelines).

A watcher names the hooks that it wants and the tiles and cycles that it covers, so that both simulators tell it no
more than that. The hooks are those of `fabric.reference.tile.Observer` and `fabric.reference.probe.Probe`. The
reference calls them with its own tiles and cores; the fast engine with stand-ins that have what the three watchers
here look at (fabric.engine.watching).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from fabric.reference.probe import join, join_observers

if TYPE_CHECKING:
    from fabric.rects import Rect
    from fabric.reference.core import Core
    from fabric.reference.prepared import Prepared
    from fabric.reference.probe import Probe
    from fabric.reference.tile import Observer, Tile
    from fabric.reference.vectors import VectorOp
    from fabric.reference.wavelet import Wavelet

OBSERVER_HOOKS = ("landing", "wavelet", "switch_change", "teardown", "to_core", "sending", "backpressure")
PROBE_HOOKS = ("task_started", "scalar", "vector_started", "group", "waiting", "operand_stall", "finished")
HOOKS = OBSERVER_HOOKS + PROBE_HOOKS


class Watcher:
    """Hooks that do nothing. `wants` names those that are to be called; `first` and `last` bound the cycles in which
    something is noted, `rect` the tiles."""

    wants: frozenset[str] = frozenset()
    first: int = 0
    last: int | None = None
    rect: Rect | None = None

    def covers(self, tile: Tile) -> bool:
        """Something of the tile is noted."""
        return self.rect is None or self.rect.at(tile.x, tile.y) is not None

    # What a router does (fabric.reference.tile.Observer).

    def landing(self, now: int, tile: Tile, color: int, port: int, wavelet: Wavelet) -> None:
        """A wavelet landed."""

    def wavelet(self, now: int, tile: Tile, color: int, wavelet: Wavelet, departing: int) -> None:
        """A wavelet left a buffer."""

    def switch_change(
        self, now: int, tile: Tile, color: int, side: str, old: int, new: int, why: str, wavelet: Wavelet | None
    ) -> None:
        """A switch moved."""

    def teardown(self, now: int, tile: Tile, color: int, entered: bool) -> None:
        """A color entered or left teardown."""

    def to_core(self, now: int, tile: Tile, color: int, queue: int | None, wavelet: Wavelet) -> None:
        """A wavelet went to the core."""

    def sending(self, now: int, tile: Tile, queue: int, wavelet: Wavelet) -> None:
        """A wavelet left the core."""

    def backpressure(self, now: int, tile: Tile, queue: int, color: int) -> None:
        """A wavelet of the core is held back."""

    # What a core does (fabric.reference.probe.Probe).

    def task_started(self, now: int, core: Core, task: int) -> None:
        """A task was picked."""

    def scalar(self, now: int, core: Core, prepared: Prepared, pc: int, sources: list[int] | None) -> None:
        """A scalar instruction issued."""

    def vector_started(self, now: int, core: Core, op: VectorOp, slot: bool) -> None:
        """A vector instruction was set up."""

    def group(self, now: int, core: Core, op: VectorOp, n: int, conflict: bool) -> None:
        """Elements of a vector instruction issued."""

    def waiting(self, now: int, core: Core, op: VectorOp) -> None:
        """A vector instruction could not go on."""

    def operand_stall(self, now: int, core: Core, pc: int, until: int) -> None:
        """The main thread waits for a register."""

    def finished(self, now: int, core: Core, op: VectorOp) -> None:
        """A vector instruction is done."""


def observer_of(watchers: Sequence[Watcher], other: Observer | None = None) -> Observer | None:
    """The reference's observer of a fabric that they watch."""
    watching: list[Observer] = [w for w in watchers if w.wants & {*OBSERVER_HOOKS}]
    return join_observers(watching if other is None else [other, *watching])


def probe_of(watchers: Sequence[Watcher], tile: Tile, other: Probe | None = None) -> Probe | None:
    """The reference's probe of a tile's core."""
    watching: list[Probe] = [w for w in watchers if w.wants & {*PROBE_HOOKS} and w.covers(tile)]
    return join(watching if other is None else [other, *watching])
