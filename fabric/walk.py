"""Walks from a waiting statement to what it hangs on: through queues and routers, core by core.

Routers are asked by `fabric.reference.waiting`, cores by `fabric.outcome`; the result is a `Chain` each.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.arch import COLORS, PORTS, C
from fabric.chain import (
    CIRCLE,
    FIFO_CAUSE,
    HEADER,
    NEVER_READ,
    NEVER_SENT,
    NO_QUEUE,
    NO_ROUTE,
    NOT_OPEN,
    RUNNING,
    SIDES,
    SWITCH,
    TEARDOWN,
    UNKNOWN,
    Chain,
    Namer,
)
from fabric.descriptor import FABIN, FABOUT, FIFO
from fabric.outcome import CONTROL, EMPTY, FIFO_EMPTY, FULL, HALF, TURN, Left, Waiting, waiting_of
from fabric.places import Places
from fabric.reference.channel import NOWHERE
from fabric.reference.core import IDLE, Core
from fabric.reference.fabric import Fabric
from fabric.reference.tile import Tile
from fabric.reference.waiting import Reason, Wait, sources, why_sending_waits, why_waiting

if TYPE_CHECKING:
    from fabric.reference.operands import Fifo
    from fabric.reference.vectors import VectorOp

# What the walk looks at next: ("thread", tile, VectorOp), ("buffer", tile, color), ("send", tile, queue),
# ("arrive", tile, color), ("sender", tile, queue), ("reader", tile, queue), ("core", tile, 0).
Node = tuple[str, Tile, "int | VectorOp"]
Key = tuple[str, int, int]


class Walker:
    """Builds the chains of one ended run; what two chains share is walked once."""

    def __init__(self, fabric: Fabric, places: Places) -> None:
        self.fabric = fabric
        self.places = places
        self.now = fabric.now
        self.name = Namer(places, fabric.now)
        self.chains: list[Chain] = []
        self._known: dict[Key, int] = {}  # which chain a node is part of
        self._waits: dict[int, list[Waiting]] = {}

    # --- the walk ------------------------------------------------------------------------------------------------

    def waits(self, tile: Tile) -> list[Waiting]:
        """The waiting threads of a tile."""
        if tile.index not in self._waits:
            found = waiting_of(tile, tile.core, self.now) if isinstance(tile.core, Core) else []
            self._waits[tile.index] = found
        return self._waits[tile.index]

    def from_thread(self, w: Waiting) -> int:
        """The number of the chain that a waiting thread is part of, walking it if it is new."""
        return self._walk(("thread", w.tile, w.op))

    def from_left(self, left: Left) -> int:
        """The number of the chain that holds a wavelet left over."""
        if left.where == "input":
            assert left.queue is not None
            return self._walk(("reader", left.tile, left.queue))
        if left.where == "output":
            assert left.queue is not None
            return self._walk(("send", left.tile, left.queue))
        if left.where == "adder":
            return self._walk(("arrive", left.tile, left.color))
        return self._walk(("buffer", left.tile, left.color))

    def _walk(self, node: Node) -> int:
        chain = Chain()
        number = len(self.chains)
        path: dict[Key, int] = {}
        while True:
            key = _key(node)
            if key in path:
                chain.cause, chain.closes = CIRCLE, path[key]
                link = chain.links[path[key]]
                chain.end = f"and so on, in a circle, from P{link.x}.{link.y}"
                chain.look = (
                    "each of them waits for the next; let the transfers run side by side (a parallel block), or change "
                    "the order of the statements on one of the tiles"
                )
                break
            known = self._known.get(key)
            if known is not None:
                # The rest is the rest of a chain that is known; only a new beginning would be shown twice.
                for k in path:
                    self._known[k] = known
                return known
            path[key] = len(chain.links)
            following = self._step(node, chain)
            if following is None:
                break
            node = following
        for k in path:
            self._known[k] = number
        self.chains.append(chain)
        return number

    def _step(self, node: Node, chain: Chain) -> Node | None:
        """Adds the links of a node; returns the next one, or None after setting the chain's end."""
        kind, tile, what = node
        if kind == "thread":
            return self._thread(tile, what, chain)  # type: ignore[arg-type]
        assert isinstance(what, int)
        if kind == "buffer":
            return self._buffer(tile, what, chain)
        if kind == "send":
            return self._send(tile, what, chain)
        if kind == "arrive":
            return self._arrive(tile, what, chain)
        if kind == "sender":
            return self._sender(tile, what, chain)
        return self._reader(tile, what, chain)

    def _end(self, chain: Chain, cause: str, end: str, look: str) -> None:
        chain.cause, chain.end, chain.look = cause, end, look

    def _thread(self, tile: Tile, op: VectorOp, chain: Chain) -> Node | None:
        w = next((w for w in self.waits(tile) if w.op is op), None)
        if w is None:
            self._end(chain, RUNNING, f"P{tile.x}.{tile.y} is still running", "give it more cycles")
            return None
        chain.links.append(self.name.thread_link(w))
        if w.kind in (EMPTY, HALF):
            assert w.color is not None
            return ("arrive", tile, w.color) if w.color < COLORS else self._no_color(tile, "in", w.queue, chain)
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

    def _no_color(self, tile: Tile, way: str, queue: int | None, chain: Chain) -> Node | None:
        self._end(
            chain,
            NO_QUEUE,
            f"P{tile.x}.{tile.y} {way}put queue {queue} has no color: the layout binds none to this socket",
            "bind the socket to a color in the layout's code(…)",
        )
        return None

    def _control_in_front(self, tile: Tile, w: Waiting, chain: Chain) -> Node | None:
        core = tile.core
        assert isinstance(core, Core) and w.queue is not None
        if core.tasks.blocked >> w.queue & 1:
            self._end(
                chain,
                NOT_OPEN,
                f"P{tile.x}.{tile.y} has not opened the handlers of input queue {w.queue}",
                "the dispatch that handles this control wavelet is reached after this receive, or never",
            )
            return None
        main = next((v for v in self.waits(tile) if v.ut is None), None)
        if main is None or main.op is w.op:
            self._end(
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
        other = next((v for v in self.waits(tile) if v.op is not w.op and not v.serving), None)
        if other is not None:
            does = "fills" if pushes else "empties"
            chain.links.append(self.name.core_link(tile, f"what {does} the FIFO comes later in the program"))
            return ("thread", tile, other.op)
        does = "fills" if pushes else "empties"
        self._end(
            chain,
            FIFO_CAUSE,
            f"nothing on P{tile.x}.{tile.y} {does} the FIFO any more",
            f"compare how many elements are pushed and popped; {'push' if pushes else 'pop'} in the background",
        )
        return None

    # --- towards the sender ----------------------------------------------------------------------------------------

    def _arrive(self, tile: Tile, color: int, chain: Chain) -> Node | None:
        """Nothing arrives on a color at a router."""
        channel = tile.router.channels[color]
        of = self.name.color(tile, color)
        if channel.buffer:
            return ("buffer", tile, color)
        if channel.down:
            return self._down(tile, color, chain)
        if channel.input == NOWHERE:
            self._end(
                chain,
                NO_ROUTE,
                f"P{tile.x}.{tile.y} takes {of} from no side: nothing can arrive on it",
                f"give {of} a rule on P{tile.x}.{tile.y}, or bind the socket to the color that arrives",
            )
            return None
        side = PORTS[channel.input]
        feeds = sources(tile, color)
        if not feeds:
            other = tile.neighbour(channel.input)
            if channel.input == C:
                end = f"no output queue of P{tile.x}.{tile.y} sends on {of}"
            elif other is None:
                end = f"P{tile.x}.{tile.y} takes {of} from the {SIDES[side]}, where the layout ends"
            else:
                end = (
                    f"P{tile.x}.{tile.y} takes {of} from the {SIDES[side]}, but P{other.x}.{other.y} sends it no "
                    "wavelets there"
                )
            if channel.has_positions():
                end += f" (switch position {channel.in_pos})"
                look = "a control wavelet or a flip has to move the switch; see who sends it, and whether it gets there"
                self._end(chain, SWITCH, end, look)
                return None
            self._end(chain, NO_ROUTE, end, f"compare the rules of {of} on the two tiles, and the sender's color")
            return None
        feed = next((f for f in feeds if f.open), feeds[0])
        if feed.queue is not None:
            chain.links.append(self.name.router_link(tile, color, f"takes {of} from its core"))
            return ("sender", tile, feed.queue)
        far = self.name.color(feed.tile, feed.color)
        link = self.name.router_link(
            tile, color, f"takes {of} from the {SIDES[side]}, P{feed.tile.x}.{feed.tile.y}, and none comes"
        )
        chain.links.append(link)
        if not feed.open:
            self._end(
                chain,
                SWITCH,
                f"P{feed.tile.x}.{feed.tile.y} does not send {far} this way in its present switch position",
                "a control wavelet (or a flip) has to move the switch; see who sends it, and whether it gets there",
            )
            return None
        return ("arrive", feed.tile, feed.color)

    def _sender(self, tile: Tile, queue: int, chain: Chain) -> Node | None:
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
                chain.links.append(self.name.core_link(tile, f"has not sent (more) on {of} yet", queue, out.color))
                return ("thread", tile, other.op)
            if core.task != IDLE or core.live:
                self._end(chain, RUNNING, f"P{tile.x}.{tile.y} is still running", "give it more cycles")
                return None
        end = f"the code of P{tile.x}.{tile.y} has ended; it will never send (more) on {of}"
        program = self.places.program(tile.x, tile.y)
        if program is not None and self.places.socket(tile.x, tile.y, "out", queue) is None:
            end = f"no socket of '{program.name}' on P{tile.x}.{tile.y} sends on {of}"
        elif not isinstance(core, Core):
            end = f"P{tile.x}.{tile.y} has no code; it will never send on {of}"
        self._end(chain, NEVER_SENT, end, "count the values that are sent there and received here; look for a send left out")
        return None

    @staticmethod
    def _first(waits: list[Waiting]) -> Waiting | None:
        """The wait that holds up the rest of a program: the main thread's, else one that is no serving one."""
        ordered = sorted(waits, key=lambda w: (w.serving, w.ut is not None))
        return ordered[0] if ordered else None

    # --- towards the reader ----------------------------------------------------------------------------------------

    def _down(self, tile: Tile, color: int, chain: Chain) -> Node | None:
        of = self.name.color(tile, color)
        self._end(
            chain,
            TEARDOWN,
            f"P{tile.x}.{tile.y} has {of} in teardown and has not left it",
            f"task 29 (`#pragma teardown on`) has to write the route of {of} anew",
        )
        return None

    def _buffer(self, tile: Tile, color: int, chain: Chain) -> Node | None:
        """The head of a color's buffer does not leave."""
        return self._follow(tile, color, why_waiting(tile, color, self.now), chain, "")

    def _send(self, tile: Tile, queue: int, chain: Chain) -> Node | None:
        """The head of an output queue does not leave."""
        color = tile.output_queues[queue].color
        return self._follow(tile, color, why_sending_waits(tile, queue, self.now), chain, f"output queue {queue} ")

    def _follow(self, tile: Tile, color: int, waits: list[Wait], chain: Chain, holder: str) -> Node | None:
        found = [w for w in waits if w.reason is not Reason.SOON]
        if not found:
            self._end(chain, RUNNING, f"what P{tile.x}.{tile.y} holds on {self.name.color(tile, color)} moves on", "give it more cycles")
            return None
        w = found[0]
        there, of = w.tile, self.name.color(tile, color)
        far = self.name.color(there, w.color)
        at = f"P{there.x}.{there.y}"

        def link(text: str) -> None:
            chain.links.append(self.name.router_link(tile, color, text))

        if w.reason is Reason.TEARDOWN:
            link(f"{holder}holds wavelets on {of}")
            return self._down(there, w.color, chain)
        if w.reason is Reason.BUFFER_FULL:
            link(f"{holder}holds wavelets on {of}: the buffer of {at} for {far} is full")
            return ("buffer", there, w.color)
        if w.reason is Reason.OTHER_SIDE:
            side = SIDES[PORTS[there.router.channels[w.color].input]]
            link(f"{holder}holds wavelets on {of}: {at} takes {far} from the {side} now")
            if there.router.channels[w.color].has_positions():
                return ("arrive", there, w.color)
            self._end(
                chain,
                NO_ROUTE,
                f"the rule of {far} on {at} takes nothing from this side",
                "compare the two rules; a swap needs its partner to swap as well",
            )
            return None
        if w.reason is Reason.QUEUE_FULL:
            assert w.queue is not None
            link(f"{holder}holds wavelets on {of}: the core's input queue {w.queue} is full")
            return ("reader", there, w.queue)
        if w.reason is Reason.NO_OPERAND:
            link(f"{holder}holds a wavelet on {of}: the fabric adder waits for the operand of its core")
            queue = next((q.number for q in there.output_queues if q.color == w.color), None)
            if queue is not None:
                return ("sender", there, queue)
            self._end(
                chain, NEVER_SENT, f"no output queue of {at} sends on {far}", "the core of an adder tile sends one hp a sum"
            )
            return None
        if w.reason is Reason.ADDER_FULL:
            link(f"{holder}holds operands on {of}: the fabric adder waits for a wavelet from its neighbour")
            return ("arrive", there, w.color)
        if w.reason is Reason.PATH_HELD:
            link(f"{holder}holds a message on {of}: another message on {far} holds the path and has not ended")
            return ("arrive", there, w.color)
        link(f"{holder}holds wavelets on {of}: {w.reason.value}")
        causes = {
            Reason.NO_INPUT: (NO_ROUTE, f"give {far} a rule on {at} that takes it in"),
            Reason.NO_QUEUE: (NO_QUEUE, f"bind {far} to a socket that receives on {at}, or take C out of its rule"),
            Reason.NO_DIRECTION: (HEADER, "set bit 7 (north) or 6 (south) of the header for another row"),
            Reason.NO_COLOR: (NO_QUEUE, "bind the socket to a color in the layout's code(…)"),
        }
        cause, look = causes.get(w.reason, (UNKNOWN, ""))
        end = f"{at} takes {far} from no side" if cause == NO_ROUTE else f"{at}: {w.reason.value} ({far})"
        self._end(chain, cause, end, look)
        return None

    def _reader(self, tile: Tile, queue: int, chain: Chain) -> Node | None:
        """A core should read an input queue and does not."""
        core = tile.core
        q = tile.input_queues[queue]
        of = f"{self.name.color(tile, q.color)} ({self.name.socket(tile, 'in', queue)})"
        at = f"P{tile.x}.{tile.y}"
        if isinstance(core, Core):
            users = core.users.get((FABIN, queue))
            if users:
                return ("thread", tile, users[0])
            main = next((w for w in self.waits(tile) if w.ut is None), None)
            if core.tasks.entries[queue] and core.tasks.blocked >> queue & 1:
                if main is None:
                    self._end(
                        chain, NOT_OPEN, f"{at} has not opened the handler of {of}", "its dispatch statement is never reached"
                    )
                    return None
                chain.links.append(self.name.core_link(tile, f"has not reached the dispatch on {of} yet", queue, q.color))
                return ("thread", tile, main.op)
            other = main or self._first(self.waits(tile))
            if other is not None:
                handler = core.tasks.entries[queue] and other.ut is None
                text = f"can't start the handler of {of}" if handler else f"has not read (more) from {of} yet"
                chain.links.append(self.name.core_link(tile, text, queue, q.color))
                return ("thread", tile, other.op)
            if core.task != IDLE or core.live:
                self._end(chain, RUNNING, f"{at} is still running", "give it more cycles")
                return None
        self._end(
            chain,
            NEVER_READ,
            f"the code of {at} has ended; it will never read (more) from {of}",
            "count the values that are sent there and received here; look for a receive left out",
        )
        return None


def _key(node: Node) -> Key:
    kind, tile, what = node
    return kind, tile.index, what if isinstance(what, int) else -1 if what.ut is None else what.ut
