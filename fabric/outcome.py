"""How a run ended: done, blocked, or out of cycles; who waits for what, and what is left over (tools.md).

done     every tile's code has ended or serves, and nothing is in flight
blocked  something waits for what will never come, or a wavelet is left that nobody will take
cycles   the cycles are used up; or the run was interrupted

A thread *serves* when it waits on an empty queue in a loop without end (fabric.reference.serving); that is not
blocked unless wavelets or finite waits remain.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from fabric.arch import QUEUES
from fabric.descriptor import FABIN, FABOUT, FIFO
from fabric.reference.core import IDLE, Core
from fabric.reference.fabric import Fabric
from fabric.reference.serving import Code, serves
from fabric.reference.tile import Tile
from fabric.reference.wavelet import Wavelet

if TYPE_CHECKING:
    from fabric.reference.operands import Fifo
    from fabric.reference.vectors import VectorOp

DONE, BLOCKED, CYCLES = "done", "blocked", "cycles"
FAULT, INTERRUPTED = "fault", "interrupted"

# What a core does at the end.
ENDED, SERVING, RUNNING, WAITS = "ended", "serving", "running", "waits"
HOLDING = "holding"  # of a tile with wavelets left, besides

# Kinds of waits.
EMPTY, HALF, CONTROL, FULL, FIFO_EMPTY, FIFO_FULL, TURN = (
    "empty",
    "half",
    "control",
    "full",
    "fifo empty",
    "fifo full",
    "turn",
)


@dataclass(frozen=True, eq=False)
class Waiting:
    """A thread that cannot go on. `ut` None is the main thread; `queue` and `color` where a queue plays a part;
    `block` the address of a FIFO's block."""

    tile: Tile
    op: VectorOp
    kind: str
    queue: int | None
    color: int | None
    block: int | None
    serving: bool

    @property
    def ut(self) -> int | None:
        return self.op.ut

    @property
    def thread(self) -> str:
        return "main thread" if self.ut is None else f"microthread {self.ut}"


@dataclass(frozen=True)
class Left:
    """A wavelet left over. `where`: "buffer", "input", "output", or "adder"; `queue` the queue's number."""

    tile: Tile
    where: str
    color: int
    queue: int | None
    wavelet: Wavelet

    @property
    def place(self) -> str:
        if self.where == "buffer":
            return "in the router's buffer"
        if self.where == "adder":
            return "in the fabric adder"
        return f"in {self.where} queue {self.queue}"


@dataclass
class Outcome:
    """The end of a run of `cycles` cycles. `running` counts the tiles that still worked at a cycle limit, `unseen`
    those of a large fabric that wait as others do, and were not looked at one by one."""

    status: str
    cycles: int
    waiting: list[Waiting] = field(default_factory=list)
    left: list[Left] = field(default_factory=list)
    running: int = 0
    ended: int = 0
    serving: int = 0
    unseen: int = 0
    holding: int = 0  # tiles with wavelets left that were not looked at

    @property
    def finite(self) -> list[Waiting]:
        """The waits that are no serving ones."""
        return [w for w in self.waiting if not w.serving]


def _cores(fabric: Fabric) -> Iterator[tuple[Tile, Core]]:
    for _, tile in sorted(fabric.tiles.items(), key=lambda item: (item[0][1], item[0][0])):
        if isinstance(tile.core, Core):
            yield tile, tile.core


def waiting_of(tile: Tile, core: Core, now: int) -> list[Waiting]:
    """The threads of a tile that cannot go on now, the main thread first."""
    ops = [core.vector] if core.vector is not None else []
    code: Code | None = None
    found = []
    for op in [*ops, *core.live]:
        wait = _why(tile, core, op, now)
        if wait is None:
            continue
        kind, queue, color, block = wait
        serving = False
        if kind in (EMPTY, FIFO_EMPTY):
            code = code or Code(core)
            serving = serves(code, op)
        found.append(Waiting(tile, op, kind, queue, color, block, serving))
    return found


def _why(tile: Tile, core: Core, op: VectorOp, now: int) -> tuple[str, int | None, int | None, int | None] | None:
    for key in op.queues:
        users = core.users.get(key, [])
        if users and users[0] is not op:
            return TURN, key[1], None, None
    operand = op.blocker(now)
    if operand is None:
        return None
    if operand.kind == FIFO:
        fifo: Fifo = operand  # type: ignore[assignment]
        return FIFO_FULL if fifo.pushes else FIFO_EMPTY, None, None, fifo.block
    assert operand.queue is not None
    if operand.kind == FABOUT:
        return FULL, operand.queue, tile.output_queues[operand.queue].color, None
    assert operand.kind == FABIN
    q = tile.input_queues[operand.queue]
    head = q.peek(now)
    kind = EMPTY if head is None else CONTROL if head.ctrl else HALF
    return kind, operand.queue, q.color, None


def leftovers(fabric: Fabric) -> list[Left]:
    """Every wavelet in a buffer or queue, by tile: buffers by color, input queues, output queues."""
    found = []
    for _, tile in sorted(fabric.tiles.items(), key=lambda item: (item[0][1], item[0][0])):
        for channel in tile.router.channels:
            found += [Left(tile, "buffer", channel.color, None, h.wavelet) for h in channel.buffer]
            if channel.adder is not None:
                found += [Left(tile, "adder", channel.color, None, o.wavelet) for o in channel.adder.operands]
        for q in tile.input_queues:
            found += [Left(tile, "input", e.wavelet.color, q.number, e.wavelet) for e in q.entries]
        for out in tile.output_queues:
            for s in out.entries:
                w = Wavelet(s.value, s.color, s.ctrl, s.bits == 16, 0, s.flip, s.born)
                found.append(Left(tile, "output", s.color, out.number, w))
    return found


def _runs(core: Core) -> bool:
    """A core with something left to do by itself."""
    return core.task != IDLE or bool(core.live) or bool(core.events)


def _open_handlers(core: Core) -> bool:
    """The core dispatches: wavelets can start a task."""
    tasks = core.tasks
    return any((tasks.entries[q] or tasks.catch_all[q]) and not tasks.blocked >> q & 1 for q in range(QUEUES))


def judge(fabric: Fabric, quiet: bool, cycles: int) -> Outcome:
    """The outcome after a run; `quiet`: nothing is due any more. `cycles` is the count for the log."""
    now = fabric.now
    outcome = Outcome(DONE, cycles, left=leftovers(fabric))
    seen: dict[tuple[int, int], str] = {}
    for tile, core in _cores(fabric):
        here = waiting_of(tile, core, now)
        outcome.waiting += here
        seen[tile.x, tile.y] = _state(core, here, now)
    others = fabric.unseen(seen)
    counts = {state: others.get(state, 0) for state in (ENDED, SERVING, RUNNING)}
    for state in seen.values():
        counts[state] = counts.get(state, 0) + 1
    outcome.ended, outcome.serving, outcome.running = counts[ENDED], counts[SERVING], counts[RUNNING]
    outcome.unseen, outcome.holding = others.get(WAITS, 0), others.get(HOLDING, 0)
    if not quiet:
        outcome.status = CYCLES
    elif outcome.left or outcome.holding or outcome.finite or outcome.unseen:
        outcome.status = BLOCKED
    return outcome


def _state(core: Core, here: list[Waiting], now: int) -> str:
    """What a core does: one of ENDED, SERVING, RUNNING, WAITS. `here` are its threads that can't go on."""
    if not _runs(core):
        return SERVING if _open_handlers(core) else ENDED
    if here and all(w.serving for w in here) and (core.task == IDLE or core.vector is not None):
        return SERVING
    return RUNNING if not here or any(op.group(now) for op in core.live) else WAITS


def last_activity(fabric: Fabric) -> int:
    """The last cycle in which an instruction executed or a wavelet moved; -1 when nothing ever did."""
    return max(fabric.last_moved, fabric.last_execute())
