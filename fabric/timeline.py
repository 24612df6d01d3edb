"""Chrome/Perfetto trace JSON of a run (`timeline=F.json`): a track per tile and thread, flows for wavelets.

One microsecond of the picture is one cycle. A tile is a process, its main thread track 0, microthread k track k + 1,
its link R track 9. Tasks and vector instructions are slices; a wavelet is an arrow from its sending to each delivery.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from fabric.places import Places
from fabric.watch import Watcher

if TYPE_CHECKING:
    from fabric.reference.core import Core
    from fabric.reference.fabric import Fabric
    from fabric.reference.prepared import Prepared
    from fabric.reference.tile import Tile
    from fabric.reference.vectors import VectorOp
    from fabric.reference.wavelet import Wavelet

LINK_TRACK = 9


class Timeline(Watcher):
    """Collects events."""

    wants = frozenset(
        ("switch_change", "teardown", "to_core", "sending", "backpressure", "task_started", "scalar", "vector_started", "group",
         "finished")
    )  # fmt: skip

    def __init__(self, places: Places) -> None:
        self.places = places
        self.events: list[dict[str, Any]] = []
        self._tiles: dict[int, Tile] = {}
        self._task: dict[int, tuple[int, int]] = {}  # tile index -> (task, cycle of its start)
        self._last: dict[int, int] = {}  # tile index -> end of the main thread's last slot
        self._starts: dict[tuple[int, int], int] = {}

    def _slice(self, tile: Tile, track: int, name: str, start: int, end: int, **args: object) -> None:
        self._tiles[tile.index] = tile
        event = {"ph": "X", "pid": tile.index, "tid": track, "name": name, "ts": start, "dur": max(end - start, 1)}
        self.events.append({**event, "args": args} if args else event)

    def _flow(self, phase: str, tile: Tile, track: int, now: int, wavelet: Wavelet) -> None:
        self._tiles[tile.index] = tile
        event = {"ph": phase, "pid": tile.index, "tid": track, "ts": now, "id": wavelet.ident, "cat": "wavelet"}
        event["name"] = f"C{wavelet.color}"
        if phase == "f":
            event["bp"] = "e"
        self.events.append(event)

    # --- the fabric --------------------------------------------------------------------------------------------------

    def switch_change(
        self, now: int, tile: Tile, color: int, side: str, old: int, new: int, why: str, wavelet: Wavelet | None
    ) -> None:
        self._slice(tile, LINK_TRACK, f"C{color} {side} switch {old} -> {new} ({why})", now, now + 1)

    def teardown(self, now: int, tile: Tile, color: int, entered: bool) -> None:
        self._slice(tile, LINK_TRACK, f"C{color} teardown {'entered' if entered else 'left'}", now, now + 1)

    def to_core(self, now: int, tile: Tile, color: int, queue: int | None, wavelet: Wavelet) -> None:
        if queue is not None:
            self._slice(tile, LINK_TRACK, f"C{color} to queue {queue}", now, now + 1, data=f"{wavelet.data:08x}")
            self._flow("f", tile, LINK_TRACK, now, wavelet)

    def sending(self, now: int, tile: Tile, queue: int, wavelet: Wavelet) -> None:
        self._slice(tile, LINK_TRACK, f"C{wavelet.color} from queue {queue}", now, now + 1, data=f"{wavelet.data:08x}")
        self._flow("s", tile, LINK_TRACK, now, wavelet)

    def backpressure(self, now: int, tile: Tile, queue: int, color: int) -> None:
        self._slice(tile, LINK_TRACK, f"C{color} backpressure", now, now + 1)

    # --- cores -------------------------------------------------------------------------------------------------------

    def _end_task(self, tile: Tile) -> None:
        open_task = self._task.pop(tile.index, None)
        if open_task is not None:
            task, start = open_task
            program = self.places.program(tile.x, tile.y)
            name = program.tasks.get(str(task), "") if program is not None else ""
            self._slice(tile, 0, f"task {task} {name}".rstrip(), start, self._last.get(tile.index, start))

    def task_started(self, now: int, core: Core, task: int) -> None:
        self._end_task(core.tile)
        self._tiles[core.tile.index] = core.tile
        self._task[core.tile.index] = (task, now)
        self._last[core.tile.index] = core.next_issue

    def scalar(self, now: int, core: Core, prepared: Prepared, pc: int, sources: list[int] | None) -> None:
        self._last[core.tile.index] = now + 1

    def vector_started(self, now: int, core: Core, op: VectorOp, slot: bool) -> None:
        self._starts[core.tile.index, -1 if op.ut is None else op.ut] = now
        self._last[core.tile.index] = now + 1

    def group(self, now: int, core: Core, op: VectorOp, n: int, conflict: bool) -> None:
        if op.ut is None:
            self._last[core.tile.index] = now + 1

    def finished(self, now: int, core: Core, op: VectorOp) -> None:
        self._vector(core.tile, op, now + 1)

    def _vector(self, tile: Tile, op: VectorOp, end: int, waits: bool = False) -> None:
        start = self._starts.pop((tile.index, -1 if op.ut is None else op.ut), end)
        place = self.places.label(tile.x, tile.y, op.pc)
        name = f"{op.instr.row.name}{' (waits)' if waits else ''}"
        self._slice(tile, 0 if op.ut is None else op.ut + 1, name, start, end, place=place, elements=op.done)

    def close(self, fabric: Fabric, cycles: int) -> str:
        """Ends what is still open and gives the JSON text."""
        for tile, op in fabric.live():
            self._vector(tile, op, cycles, True)
            if op.ut is None:
                self._last[tile.index] = cycles
        for index in list(self._task):
            self._end_task(self._tiles[index])
        # The tiles of a cycle come in the order in which a simulator visits them: a file has one order.
        self.events.sort(key=lambda e: (e["ts"], e["pid"]))
        names: list[dict[str, Any]] = []
        for index, tile in sorted(self._tiles.items()):
            program = self.places.program(tile.x, tile.y)
            title = f"{tile.name} {program.name}" if program is not None else tile.name
            names.append({"ph": "M", "pid": index, "name": "process_name", "args": {"name": title}})
            tracks = ["main", *(f"microthread {k}" for k in range(8)), "link R"]
            names += [
                {"ph": "M", "pid": index, "tid": t, "name": "thread_name", "args": {"name": name}}
                for t, name in enumerate(tracks)
            ]
        return json.dumps({"traceEvents": names + self.events, "displayTimeUnit": "ns"})
