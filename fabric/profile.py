"""Where cycles go, by source line: issue slots used, and slots lost and why (tools.md, `profile=`).

A thread loses the cycles between the first one in which its next instruction or group could have gone and the one in
which it went, by cause: an empty queue or FIFO, a full one, an operand that is not ready, a bank conflict, or the
pipeline that another thread uses. Microthreads count under the line that started them; their waiting costs nothing
by itself, since others run meanwhile.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.descriptor import FABIN
from fabric.places import Places
from fabric.reference.operands import Fifo
from fabric.watch import PROBE_HOOKS, Watcher

if TYPE_CHECKING:
    from fabric.reference.core import Core
    from fabric.reference.fabric import Fabric
    from fabric.reference.prepared import Prepared
    from fabric.reference.vectors import VectorOp

COLUMNS = ("issued", "empty", "full", "operand", "bank", "pipeline")
ISSUED, EMPTY, FULL, OPERAND, BANK, PIPELINE = range(6)


class Profile(Watcher):
    """Watches all cores. `counts[tile index, address]` has the main thread's and microthreads' COLUMNS."""

    wants = frozenset(PROBE_HOOKS) - {"finished"}

    def __init__(self) -> None:
        self.counts: dict[tuple[int, int], list[int]] = {}
        self._since: dict[int, int] = {}  # tile index -> first cycle in which the main thread could have gone on
        self._cause: dict[tuple[int, int], int] = {}  # why a thread last could not

    def _at(self, index: int, pc: int) -> list[int]:
        return self.counts.setdefault((index, pc), [0] * len(COLUMNS))

    def _lost(self, core: Core, pc: int, thread: int, cycles: int) -> None:
        cause = self._cause.pop((core.tile.index, thread), PIPELINE)
        if cycles > 0:
            self._at(core.tile.index, pc)[cause] += cycles

    def task_started(self, now: int, core: Core, task: int) -> None:
        self._since[core.tile.index] = core.next_issue
        self._cause.pop((core.tile.index, -1), None)

    def _main(self, now: int, core: Core, pc: int) -> None:
        """The main thread used a slot."""
        self._lost(core, pc, -1, now - self._since.get(core.tile.index, now))
        self._at(core.tile.index, pc)[ISSUED] += 1
        self._since[core.tile.index] = max(core.next_issue, now + 1)

    def scalar(self, now: int, core: Core, prepared: Prepared, pc: int, sources: list[int] | None) -> None:
        self._main(now, core, pc)

    def vector_started(self, now: int, core: Core, op: VectorOp, slot: bool) -> None:
        if slot:
            self._main(now, core, op.pc)
            self._since[core.tile.index] = now + 1
        op.since = op.not_before

    def group(self, now: int, core: Core, op: VectorOp, n: int, conflict: bool) -> None:
        thread = -1 if op.ut is None else op.ut
        self._lost(core, op.pc, thread, now - op.since)
        row = self._at(core.tile.index, op.pc)
        row[ISSUED] += 1
        op.since = now + op.busy
        if conflict:
            row[BANK] += core.timing.bank_conflict
            op.since = max(op.since, now + 1 + core.timing.bank_conflict)
        if op.ut is None:
            self._since[core.tile.index] = op.since

    def waiting(self, now: int, core: Core, op: VectorOp) -> None:
        operand = op.blocker(now)
        if operand is not None:
            empty = operand.kind == FABIN or (isinstance(operand, Fifo) and not operand.pushes)
            thread = -1 if op.ut is None else op.ut
            self._cause[core.tile.index, thread] = EMPTY if empty else FULL

    def operand_stall(self, now: int, core: Core, pc: int, until: int) -> None:
        self._cause[core.tile.index, -1] = OPERAND

    def close(self, fabric: Fabric, cycles: int) -> None:
        """Adds what threads that still wait have lost up to the end."""
        for tile, op in fabric.live():
            since, cause = op.since, self._cause.pop((tile.index, -1 if op.ut is None else op.ut), PIPELINE)
            if cycles > since:
                self._at(tile.index, op.pc)[cause] += cycles - since

    def text(self, fabric: Fabric, places: Places, cycles: int) -> str:
        """A table by source line, the most issued slots first, summed over all tiles."""
        lines: dict[tuple[str, int, str], list[int]] = {}
        for (index, pc), counts in self.counts.items():
            y, x = divmod(index, fabric.width)
            place = places.at(x, y, pc)
            key = (place.file, place.line, place.function) if place else (f"address 0x{pc:04x}", 0, "")
            total = lines.setdefault(key, [0] * len(COLUMNS))
            for k, n in enumerate(counts):
                total[k] += n
        cores = fabric.cores()
        out = [
            f"# {cycles} cycles, {cores} cores: slots issued and cycles lost, summed over all tiles",
            " ".join(f"{name:>9}" for name in COLUMNS) + "  line",
        ]
        rows = sorted(lines.items(), key=lambda item: (-sum(item[1]), item[0]))
        for (file, line, function), counts in rows:
            where = f"{file}:{line}" if line else file
            shown = " ".join(f"{n:9d}" for n in counts)
            out.append(f"{shown}  {where}" + (f" {function}" if function else ""))
        totals = [sum(counts[k] for counts in lines.values()) for k in range(len(COLUMNS))]
        out.append(" ".join(f"{n:9d}" for n in totals) + "  total")
        return "\n".join(out) + "\n"
