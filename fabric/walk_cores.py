"""The cores' part of a walk (fabric.walk): why a statement waits, why a core sends or reads no more.

`thread` starts at a waiting statement; `sender` asks why a core does not send on an output queue, `reader` why it does
not read an input queue. What a core may still do is asked of `fabric.reference.ahead`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.arch import COLORS, MICROTHREADS, QUEUES
from fabric.chain import (
    FIFO_CAUSE,
    NEVER_READ,
    NEVER_SENT,
    NO_QUEUE,
    NOT_OPEN,
    RUNNING,
    SHARED,
    SWITCH,
    UNFINISHED,
    Chain,
)
from fabric.descriptor import FABIN, FABOUT, FIFO
from fabric.hints import filter_words, never_sent, places_of, sizes_of
from fabric.outcome import CONTROL, EMPTY, FIFO_EMPTY, FULL, HALF, TURN, Waiting, waiting_of
from fabric.reference.ahead import Ahead
from fabric.reference.core import IDLE, Core
from fabric.reference.tile import Tile
from fabric.walk_routes import Node, RouteWalker

if TYPE_CHECKING:
    from fabric.reference.operands import Fifo
    from fabric.reference.vectors import VectorOp


class CoreWalker(RouteWalker):
    """Steps at cores. A step adds links to a chain; it returns the next node, or None after the end."""

    def __init__(self) -> None:
        super().__init__()
        self.steps |= {"sender": self.sender, "reader": self.reader}
        self._waits: dict[int, list[Waiting]] = {}
        self._ahead: dict[int, Ahead] = {}

    def waits(self, tile: Tile) -> list[Waiting]:
        """The waiting threads of a tile."""
        if tile.index not in self._waits:
            found = waiting_of(tile, tile.core, self.now) if isinstance(tile.core, Core) else []
            self._waits[tile.index] = found
        return self._waits[tile.index]

    def busy_core(self, tile: Tile) -> bool:
        core = tile.core
        return isinstance(core, Core) and (core.task != IDLE or bool(core.live))

    def ahead(self, core: Core) -> Ahead:
        """What a core may still do."""
        index = core.tile.index
        if index not in self._ahead:
            self._ahead[index] = Ahead(core)
        return self._ahead[index]

    def may_send(self, tile: Tile, queue: int) -> bool:
        core = tile.core
        if not isinstance(core, Core) or (FABOUT, queue) in core.users and core.users[FABOUT, queue]:
            return isinstance(core, Core)
        return (self.busy_core(tile) or self._served(tile, core) is not None) and self.ahead(core).sends(queue)

    # --- at a core -------------------------------------------------------------------------------------------------

    def thread(self, tile: Tile, op: VectorOp, chain: Chain) -> Node | None:
        """A thread waits."""
        w = next((w for w in self.waits(tile) if w.op is op), None)
        if w is None:
            self.end(chain, RUNNING, f"P{tile.x}.{tile.y} is still running", "give it more cycles")
            return None
        chain.links.append(self.name.thread_link(w))
        if w.kind in (EMPTY, HALF):
            return self._empty(tile, w, chain)
        if w.kind == FULL:
            assert w.queue is not None
            return ("send", tile, w.queue)
        if w.kind == CONTROL:
            assert w.queue is not None
            return self._control_in_front(tile, w, chain)
        if w.kind == TURN:
            core = tile.core
            assert isinstance(core, Core)
            users = next(core.users[q] for q in op.queues if core.users[q][0] is not op)
            return ("thread", tile, users[0])
        return self._fifo(tile, w, chain)

    def _empty(self, tile: Tile, w: Waiting, chain: Chain) -> Node | None:
        assert w.color is not None and w.queue is not None
        if w.color >= COLORS:
            self.end(
                chain,
                NO_QUEUE,
                f"P{tile.x}.{tile.y} input queue {w.queue} has no color: the layout binds none to this socket",
                "bind the socket to a color in the layout's code(…)",
            )
            return None
        taker = tile.registers.queue_of(w.color)
        if taker is not None and taker.number != w.queue:
            of = self.name.color(tile, w.color)
            self.end(
                chain,
                SHARED,
                f"{self.name.socket(tile, 'in', taker.number)}, has {of} too and takes all its wavelets: the "
                "lowest-numbered queue does",
                "give the second socket a color of its own, or receive everything on one socket",
            )
            return None
        if tile.router.channels[w.color].bank is not None:
            return ("inbox", tile, w.color)
        source = next((o for o in w.op.inputs if o.queue == w.queue), None)
        chain.words = getattr(source, "words", 0)
        chain.filter = filter_words(tile, w.color)
        chain.receiver = f" at {self.places.label(tile.x, tile.y, w.op.pc)}"
        return self.to_core(tile, w.color, chain)

    def _control_in_front(self, tile: Tile, w: Waiting, chain: Chain) -> Node | None:
        core = tile.core
        assert isinstance(core, Core) and w.queue is not None
        if core.tasks.blocked >> w.queue & 1:
            self.end(
                chain,
                NOT_OPEN,
                f"{self.name.tile(tile)} has not opened the handlers of {self.name.socket(tile, 'in', w.queue)}",
                "the dispatch that handles this control wavelet is reached after this receive, or never",
            )
            return None
        main = next((v for v in self.waits(tile) if v.ut is None), None)
        if main is None or main.op is w.op:
            self.end(
                chain,
                NOT_OPEN,
                "no task starts while the main thread waits in this receive",
                "receive in a parallel block or under `#pragma uthread enable on`, so that the control task can run",
            )
            return None
        return ("thread", tile, main.op)

    def _fifo(self, tile: Tile, w: Waiting, chain: Chain) -> Node | None:
        core = tile.core
        assert isinstance(core, Core)
        pushes = w.kind == FIFO_EMPTY
        for op in [*([core.vector] if core.vector else []), *core.live]:
            for operand in op.operands:
                if operand.kind != FIFO or op is w.op:
                    continue
                fifo: Fifo = operand  # type: ignore[assignment]
                if fifo.block == w.block and fifo.pushes == pushes:
                    return ("thread", tile, op)
        does = "fills" if pushes else "empties"
        other = next((v for v in self.waits(tile) if v.op is not w.op and not v.serving), None)
        if other is not None:
            chain.links.append(self.name.core_link(tile, f"what {does} the FIFO comes later in the program"))
            return ("thread", tile, other.op)
        assert w.block is not None
        if self.ahead(core).fills(w.block) if pushes else self.ahead(core).empties(w.block):
            self.end(
                chain,
                FIFO_CAUSE,
                f"what {does} the FIFO on {self.name.tile(tile)} comes after this statement",
                f"{'push' if pushes else 'pop'} in the background: both in one parallel block, or under "
                "`#pragma uthread enable on`",
            )
            return None
        self.end(
            chain,
            FIFO_CAUSE,
            f"nothing on {self.name.tile(tile)} {does} the FIFO any more",
            f"compare how many elements are pushed and popped; {'push' if pushes else 'pop'} in the background",
        )
        return None

    def sender(self, tile: Tile, queue: int, chain: Chain) -> Node | None:
        """A core should send on an output queue and has not."""
        out = tile.output_queues[queue]
        if out.entries:
            return ("send", tile, queue)
        core = tile.core
        of = self.name.color(tile, out.color)
        if isinstance(core, Core):
            users = core.users.get((FABOUT, queue))
            if users:
                return ("thread", tile, users[0])
            other = self._first(self.waits(tile))
            if other is not None:
                if not self.ahead(core).sends(queue):
                    self._never_sent(tile, queue, chain)
                    return None
                sent, socket = self.name.sent(tile, out.color), self.name.socket(tile, "out", queue)
                text = f"has sent {sent} on {of} ({socket}) so far"
                if len(core.live) == MICROTHREADS:
                    text += f"; all its {MICROTHREADS} microthreads wait, further arms wait for their turn"
                chain.links.append(self.name.core_link(tile, text, queue, out.color))
                return ("thread", tile, other.op)
            if core.task != IDLE or core.live:
                self.end(chain, RUNNING, f"P{tile.x}.{tile.y} is still running", "give it more cycles")
                return None
            served = self._served(tile, core, queue)
            if served is not None:
                fed = self.name.color(tile, tile.input_queues[served].color)
                text = (
                    f"serves {fed} ({self.name.socket(tile, 'in', served)}), and sends on {of} when a handler does; "
                    f"it sent {self.name.sent(tile, out.color)} so far"
                )
                chain.links.append(self.name.core_link(tile, text, queue, out.color, "serves"))
                chain.receiver, chain.words = places_of(self.places, tile, "in", served), 0
                return ("arrive", tile, tile.input_queues[served].color)
        self._never_sent(tile, queue, chain)
        return None

    @staticmethod
    def _served(tile: Tile, core: Core, sends: int | None = None) -> int | None:
        """The first input queue with a color whose handlers are open; with `sends`, of those that may send on this
        output queue."""
        tasks = core.tasks
        for q in range(QUEUES):
            opened = (tasks.entries[q] or tasks.catch_all[q]) and not tasks.blocked >> q & 1
            if not opened or tile.input_queues[q].color >= COLORS:
                continue
            if sends is None or Ahead(core, q).sends(sends):
                return q
        return None

    def _never_sent(self, tile: Tile, queue: int, chain: Chain) -> None:
        """The chain ends at a core that sends no more; what the walk met on its way says more."""
        core = tile.core
        color = tile.output_queues[queue].color
        of, who = self.name.color(tile, color), self.name.tile(tile)
        over, sent = f"the code of {who} has ended", self.name.sent(tile, color)
        end = f"{over}; it sent {sent} on {of}"
        if self.waits(tile) or (isinstance(core, Core) and self._served(tile, core) is not None):
            over = f"nothing that {who} has still to run sends on {of}"
            end = f"{over}; it sent {sent}"
        program = self.places.program(tile.x, tile.y)
        if program is not None and self.places.socket(tile.x, tile.y, "out", queue) is None:
            end = f"no socket of {who} sends on {of}"
        elif not isinstance(core, Core):
            end = f"{who} has no code; it will never send on {of}"
        look = never_sent(self.places, tile, queue, chain)
        cause = NEVER_SENT
        if chain.message:
            cause = UNFINISHED
            end = f"{over} within a message: {chain.message} of it will never come"
            look = "send as many data wavelets as bits 4:0 of the header say, or end it with the control bit (bit 5)"
        elif chain.switch:
            cause = SWITCH
            end = f"{over}, and {chain.switch}"
            look = "the last one of a turn sends a control wavelet (ADVANCE, RESET) or a flip that moves the switch on"
        elif chain.adder:
            look = "the core of an adder tile sends one hp for each wavelet that arrives"
        self.end(chain, cause, end, look)

    @staticmethod
    def _first(waits: list[Waiting]) -> Waiting | None:
        """The wait that holds up the rest of a program: the main thread's, else one that is no serving one."""
        ordered = sorted(waits, key=lambda w: (w.serving, w.ut is not None))
        return ordered[0] if ordered else None

    def reader(self, tile: Tile, queue: int, chain: Chain) -> Node | None:
        """A core should read an input queue and does not."""
        core = tile.core
        q = tile.input_queues[queue]
        of = f"{self.name.color(tile, q.color)} ({self.name.socket(tile, 'in', queue)})"
        at = self.name.tile(tile)
        if isinstance(core, Core):
            users = core.users.get((FABIN, queue))
            if users:
                return ("thread", tile, users[0])
            main = next((w for w in self.waits(tile) if w.ut is None), None)
            if core.tasks.entries[queue] and core.tasks.blocked >> queue & 1:
                if main is None:
                    look = "its dispatch statement is never reached"
                    self.end(chain, NOT_OPEN, f"{at} has not opened the handler of {of}", look)
                    return None
                chain.links.append(self.name.core_link(tile, f"has not reached the dispatch on {of} yet", queue, q.color))
                return ("thread", tile, main.op)
            other = main or self._first(self.waits(tile))
            if other is not None and not self.ahead(core).reads(queue):
                self._never_read(tile, queue, chain, f"nothing that {at} has still to run receives on {of}")
                return None
            if other is not None:
                handler = core.tasks.entries[queue] and other.ut is None
                text = f"can't start the handler of {of}" if handler else f"has not read (more) from {of} yet"
                chain.links.append(self.name.core_link(tile, text, queue, q.color))
                return ("thread", tile, other.op)
            if core.task != IDLE or core.live:
                self.end(chain, RUNNING, f"{at} is still running", "give it more cycles")
                return None
        self._never_read(tile, queue, chain, f"the code of {at} has ended; it will never read (more) from {of}")
        return None

    def _never_read(self, tile: Tile, queue: int, chain: Chain, end: str) -> None:
        """The chain ends at a core that reads no more from an input queue."""
        at = places_of(self.places, tile, "in", queue)
        sizes = sizes_of(self.places, tile, "in", queue)
        head = tile.input_queues[queue].peek(self.now)
        sent = ""
        if head is not None:
            y, x = divmod(head.born.tile, self.fabric.width)
            sent = f" at {self.places.label(x, y, head.born.pc)}"
        look = f"count the values that are sent{sent} and received{at or ' here'}; look for a receive left out"
        if head is not None and head.half and sizes == {2}:
            look = "16-bit values are sent, and 32-bit ones are read: give both sockets the same type"
        elif head is not None and not head.half and sizes == {1}:
            look += "; 16-bit values are read, two from each wavelet of 32 bits"
        self.end(chain, NEVER_READ, end, look)
