"""Stand-ins for tiles, cores and operations: what watchers are shown by the engine (fabric.engine.watching).

They have what a watcher looks at, as of the moment of which it is told: the machine itself has gone on by then.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

from fabric import arch
from fabric.arch import LINK_LETTER, C
from fabric.descriptor import FABIN, FABOUT, FIFO
from fabric.engine import layout as y
from fabric.reference.operands import Fifo, Operand, Receive, Send
from fabric.reference.prepared import Prepared


class SeenFabric:
    """Stands in for a fabric."""

    def __init__(self, width: int) -> None:
        self.width = width
        self.now = 0


class SeenRouter:
    """Stands in for a router and its colors, of which a watcher asks what the positions of a switch are."""

    def __init__(self) -> None:
        self.codes: dict[int, int] = {}

    @property
    def channels(self) -> SeenRouter:
        return self

    def __getitem__(self, color: int) -> SeenRouter:
        return self

    def describe(self, side: str, position: int) -> str:
        """As `Channel.describe`."""
        code = self.codes[position]
        mask = code & 31 if side == "output" else 1 << (code >> 5) if code >> 5 <= C else 0
        return "".join(letter if mask >> LINK_LETTER.index(letter) & 1 else " " for letter in "ENWSR")


class SeenTile:
    """Stands in for a tile."""

    def __init__(self, fabric: SeenFabric, x: int, row: int) -> None:
        self.fabric = fabric
        self.x, self.y = x, row
        self.index = row * fabric.width + x
        self.name = f"P{x}.{row}"
        self.router = SeenRouter()


class SeenCore:
    """Stands in for a core: the registers are what the last instruction left in its destination."""

    def __init__(self, tile: SeenTile, timing: Any) -> None:
        self.tile = tile
        self.timing = timing
        self.regs = [0] * 16
        self.preds = [0] * 8
        self.number = -1
        self.traced_task = -1
        self.next_issue = 0
        self.ops: dict[int, SeenOp] = {}  # by thread


class SeenQueue:
    """Stands in for a queue."""

    def __init__(self, number: int, color: int = arch.NO_COLOR) -> None:
        self.number = number
        self.color = color


class SeenOp:
    """Stands in for a live vector instruction."""

    def __init__(self, core: SeenCore, thread: int, prepared: Prepared, words: Sequence[int]) -> None:
        """`words`: pc, task, number, first cycle, total, width, four operands (fabric.engine.watch.tell_started)."""
        self.core = core
        self.prepared = prepared
        self.instr = prepared.instr
        self.ut = None if thread == y.MAIN else thread
        self.busy = prepared.busy
        self.pc, self.task, self.trace, self.not_before, self.total, self.width = words[:6]
        self.since = self.not_before
        self.said = -1
        self.done = 0
        self.seen: list[list[int]] = []
        self.made: list[int] = []
        count = len(self.instr.row.sources)
        self.inputs = [_operand(core, w) for w in words[6 : 6 + count]]
        self.target = _operand(core, words[9]) if self.instr.form & 1 else None
        self.waits_for: Operand | None = None

    def blocker(self, now: int) -> Operand | None:
        """As of the last `waiting`."""
        return self.waits_for


def _operand(core: SeenCore, word: int) -> Operand:
    kind, queue = word & 0xFF, word >> 8 & 0xFF
    if kind == FABIN:
        receive = object.__new__(Receive)
        receive.queue = queue
        receive.input = cast(Any, SeenQueue(queue))
        return receive
    if kind == FABOUT:
        send = object.__new__(Send)
        send.queue = queue
        send.output = cast(Any, SeenQueue(queue))
        send.delay = core.timing.decode_to_execute + core.timing.execute_to_output_queue
        return send
    if kind == FIFO:
        fifo = object.__new__(Fifo)
        fifo.block, fifo.pushes = word >> 32, bool(word >> 16 & 1)
        return fifo
    return Operand()
