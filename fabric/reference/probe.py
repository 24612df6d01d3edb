"""Hooks for what a core does, and several observers or probes as one: tracing, the profile, timelines.

They see everything and change nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from fabric.reference.core import Core
    from fabric.reference.prepared import Prepared
    from fabric.reference.tile import Observer, Tile
    from fabric.reference.vectors import VectorOp
    from fabric.reference.wavelet import Wavelet


class Probe(Protocol):
    """Calls come in the order of their cycles. `now` is the cycle of the issue slot; the instruction executes
    `decode_to_execute` cycles later. On return from a hook of an instruction `core.next_issue` is where its thread
    goes on."""

    def task_started(self, now: int, core: Core, task: int) -> None:
        """The picker took a task."""

    def scalar(self, now: int, core: Core, prepared: Prepared, pc: int, sources: list[int] | None) -> None:
        """A scalar instruction has issued; `sources` are the values it read, None when its predicate skipped it."""

    def vector_started(self, now: int, core: Core, op: VectorOp, slot: bool) -> None:
        """A vector instruction was set up; `slot` False: hidden behind the vector before it."""

    def group(self, now: int, core: Core, op: VectorOp, n: int, conflict: bool) -> None:
        """n elements have gone; `op.seen` and `op.made` are their values."""

    def waiting(self, now: int, core: Core, op: VectorOp) -> None:
        """A vector instruction could not go on: an operand's queue or FIFO is empty or full."""

    def operand_stall(self, now: int, core: Core, pc: int, until: int) -> None:
        """The main thread's instruction waits for a register."""

    def finished(self, now: int, core: Core, op: VectorOp) -> None:
        """The last group of a vector instruction has issued."""


class Probes:
    """Several probes as one."""

    def __init__(self, *probes: Probe) -> None:
        self.all = probes

    def task_started(self, now: int, core: Core, task: int) -> None:
        for p in self.all:
            p.task_started(now, core, task)

    def scalar(self, now: int, core: Core, prepared: Prepared, pc: int, sources: list[int] | None) -> None:
        for p in self.all:
            p.scalar(now, core, prepared, pc, sources)

    def vector_started(self, now: int, core: Core, op: VectorOp, slot: bool) -> None:
        for p in self.all:
            p.vector_started(now, core, op, slot)

    def group(self, now: int, core: Core, op: VectorOp, n: int, conflict: bool) -> None:
        for p in self.all:
            p.group(now, core, op, n, conflict)

    def waiting(self, now: int, core: Core, op: VectorOp) -> None:
        for p in self.all:
            p.waiting(now, core, op)

    def operand_stall(self, now: int, core: Core, pc: int, until: int) -> None:
        for p in self.all:
            p.operand_stall(now, core, pc, until)

    def finished(self, now: int, core: Core, op: VectorOp) -> None:
        for p in self.all:
            p.finished(now, core, op)


def join(probes: list[Probe]) -> Probe | None:
    """None for no probe, so that a run without any costs nothing."""
    if len(probes) < 2:
        return probes[0] if probes else None
    return Probes(*probes)


class Observers:
    """Several observers of the fabric as one (fabric.reference.tile.Observer)."""

    def __init__(self, *observers: Observer) -> None:
        self.all = observers

    def landing(self, now: int, tile: Tile, color: int, port: int, wavelet: Wavelet) -> None:
        for o in self.all:
            o.landing(now, tile, color, port, wavelet)

    def wavelet(self, now: int, tile: Tile, color: int, wavelet: Wavelet, departing: int) -> None:
        for o in self.all:
            o.wavelet(now, tile, color, wavelet, departing)

    def switch_change(
        self, now: int, tile: Tile, color: int, side: str, old: int, new: int, why: str, wavelet: Wavelet | None
    ) -> None:
        for o in self.all:
            o.switch_change(now, tile, color, side, old, new, why, wavelet)

    def teardown(self, now: int, tile: Tile, color: int, entered: bool) -> None:
        for o in self.all:
            o.teardown(now, tile, color, entered)

    def to_core(self, now: int, tile: Tile, color: int, queue: int | None, wavelet: Wavelet) -> None:
        for o in self.all:
            o.to_core(now, tile, color, queue, wavelet)

    def sending(self, now: int, tile: Tile, queue: int, wavelet: Wavelet) -> None:
        for o in self.all:
            o.sending(now, tile, queue, wavelet)

    def backpressure(self, now: int, tile: Tile, queue: int, color: int) -> None:
        for o in self.all:
            o.backpressure(now, tile, queue, color)


def join_observers(observers: list[Observer]) -> Observer | None:
    """None for no observer."""
    if len(observers) < 2:
        return observers[0] if observers else None
    return Observers(*observers)
