"""Chains: why a thread waits, as a list of hops with words for a reader.

A `Chain` is a list of links, each waiting for the next, and its end: a circle (`closes` is the link it comes back to)
or something that will never happen. `fabric.walk` builds them; `Namer` puts tiles, colors and sockets into words.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from fabric.outcome import CONTROL, EMPTY, FIFO_EMPTY, FIFO_FULL, FULL, HALF, Waiting
from fabric.places import Places
from fabric.reference.tile import Tile
from fabric.reference.wavelet import Wavelet

SIDES = {"L": "left", "R": "right", "U": "U side", "D": "D side", "C": "core"}

# Causes: what a chain ends with.
CIRCLE = "circle"
NEVER_SENT = "never sent"
NEVER_READ = "never read"
NO_ROUTE = "no route"
TEARDOWN = "teardown"
SWITCH = "switch position"
NO_QUEUE = "no queue"
HEADER = "message header"
FIFO_CAUSE = "fifo"
NOT_OPEN = "handler not open"
SHARED = "shared color"
ADDER = "adder operands"
UNFINISHED = "unfinished message"
RUNNING = "still running"

# The rows of the table of messages that tell more of each (diag/codes_blocked.py).
CODES = {
    CIRCLE: "FB541",
    NEVER_SENT: "FB542",
    NEVER_READ: "FB543",
    NO_ROUTE: "FB544",
    NO_QUEUE: "FB545",
    SWITCH: "FB546",
    TEARDOWN: "FB547",
    NOT_OPEN: "FB548",
    FIFO_CAUSE: "FB549",
    HEADER: "FB550",
    SHARED: "FB551",
    ADDER: "FB552",
    UNFINISHED: "FB553",
    RUNNING: "FB554",
}


@dataclass(frozen=True)
class Link:
    """One hop. `thread` and `place` (`file:line:col`) at a core; `color` and `color_name` where one plays a part."""

    x: int
    y: int
    what: str  # "thread", "router", "core", "serves" (a core with an open dispatch)
    text: str
    thread: str = ""
    place: str = ""
    color: int | None = None
    color_name: str = ""
    queue: int | None = None
    kind: str = ""  # of a thread, what it waits for (fabric.outcome)
    done: int = 0  # elements of a thread's statement that have gone
    total: int = 0  # of how many; 0: of one, or without end


@dataclass
class Chain:
    """A cause: its links, how it ends, and what to look at. `closes`: the index of the link that a circle comes
    back to; `also`: where else a chain of the same form begins. The others are what a walk met on its way and
    remembers for the end: a switch that keeps others waiting, an adder that lacks an operand, a message of which
    something is missing, a filter that drops wavelets, how many words the elements have that are waited for, and
    where what was waited for last would be received."""

    links: list[Link] = field(default_factory=list)
    cause: str = RUNNING
    end: str = ""
    look: str = ""
    closes: int | None = None
    also: list[tuple[int, int]] = field(default_factory=list)
    switch: str = ""
    adder: bool = False
    message: str = ""
    filter: str = ""
    words: int = 0
    receiver: str = ""

    @property
    def progress(self) -> Link | None:
        """The chain's last statement, if it is a receive of which a part is done."""
        last = next((k for k in reversed(self.links) if k.thread), None)
        return last if last is not None and last.done and last.kind in (EMPTY, HALF) else None

    @property
    def code(self) -> str:
        """The code of the cause in the table of messages."""
        return CODES[self.cause]


class Namer:
    """Words for one ended run; `now` is its last cycle."""

    def __init__(self, places: Places, now: int) -> None:
        self.places = places
        self.now = now

    def color(self, tile: Tile, color: int, near: Tile | None = None) -> str:
        """`C3 'east'`; where the layout has no name for it on the tile, the one that it has on a tile `near`."""
        name = self.places.color_name(tile.x, tile.y, color)
        if not name and near is not None:
            name = self.places.color_name(near.x, near.y, color)
        if name or color >= len(tile.router.channels):
            return f"C{color} '{name}'" if name else f"C{color}"
        bank = tile.router.channels[color].bank
        return f"C{color}" if bank is None else f"C{color} (bank {bank})"

    def tile(self, tile: Tile) -> str:
        """`P1.0 ('recv')`, with the name of its kernel."""
        program = self.places.program(tile.x, tile.y)
        return f"P{tile.x}.{tile.y} ('{program.name}')" if program is not None and program.name else f"P{tile.x}.{tile.y}"

    def born(self, tile: Tile, wavelet: Wavelet) -> str:
        """`P0.0 at send.w:5:3 in cycle 12`: who sent a wavelet."""
        y, x = divmod(wavelet.born.tile, tile.fabric.width)
        return f"P{x}.{y} at {self.places.label(x, y, wavelet.born.pc)} in cycle {wavelet.born.cycle}"

    def sent(self, tile: Tile, color: int) -> str:
        """What a core has sent on a color: `nothing`, `1 wavelet`, `40 wavelets`; those still in its queue count."""
        n = 0
        if color < len(tile.router.channels):
            n = tile.router.sequence[color]
            n += sum(1 for q in tile.output_queues for e in q.entries if e.color == color)
        return "nothing" if n == 0 else "1 wavelet" if n == 1 else f"{n} wavelets"

    def fifo(self, tile: Tile, block: int | None, state: str) -> str:
        """`the FIFO over 'mem', which is full`, by the array that is its buffer."""
        memory = getattr(tile.core, "memory", None)
        name = "" if memory is None or block is None else self.places.symbol(tile.x, tile.y, int(memory[block]))
        return f"the FIFO over '{name}', which is {state}" if name else f"a FIFO that is {state}"

    def socket(self, tile: Tile, way: str, queue: int) -> str:
        found = self.places.socket(tile.x, tile.y, way, queue)
        return f"socket '{found.name}', {way}put queue {queue}" if found else f"{way}put queue {queue}"

    def describe(self, w: Waiting) -> str:
        """What a thread waits for, in words."""
        tile = w.tile
        if w.kind in (EMPTY, HALF, CONTROL):
            assert w.queue is not None and w.color is not None
            of = f"{self.color(tile, w.color)} ({self.socket(tile, 'in', w.queue)})"
            if w.kind == EMPTY:
                return f"waits for a wavelet on {of}: the queue is empty"
            if w.kind == HALF:
                return f"waits for the second half of a 32-bit value on {of}: one 16-bit half is there"
            head = tile.input_queues[w.queue].peek(self.now)
            task = "?" if head is None else head.task
            return f"waits for data on {of}: a control wavelet that starts task {task} is in front of it"
        if w.kind == FULL:
            assert w.queue is not None and w.color is not None
            return f"waits for room to send on {self.color(tile, w.color)} ({self.socket(tile, 'out', w.queue)} is full)"
        if w.kind == FIFO_EMPTY:
            return f"waits for an element in {self.fifo(tile, w.block, 'empty')}"
        if w.kind == FIFO_FULL:
            return f"waits for room in {self.fifo(tile, w.block, 'full')}"
        return f"waits until the microthread before it is done with queue {w.queue}"

    def thread_link(self, w: Waiting) -> Link:
        tile = w.tile
        place = self.places.label(tile.x, tile.y, w.op.pc)
        name = self.places.color_name(tile.x, tile.y, w.color) if w.color is not None else ""
        text = self.describe(w)
        done, total = (w.op.done, w.op.total) if w.op.total > 1 else (0, 0)
        if total:
            does = "sent" if w.kind == FULL else "read" if w.kind in (EMPTY, HALF, CONTROL) else "through"
            text += f"; {done or 'none'} of {total} elements are {does}"
        return Link(tile.x, tile.y, "thread", text, w.thread, place, w.color, name, w.queue, w.kind, done, total)

    def router_link(self, tile: Tile, color: int, text: str) -> Link:
        name = self.places.color_name(tile.x, tile.y, color)
        return Link(tile.x, tile.y, "router", text, color=color, color_name=name)

    def core_link(
        self, tile: Tile, text: str, queue: int | None = None, color: int | None = None, what: str = "core"
    ) -> Link:
        name = self.places.color_name(tile.x, tile.y, color) if color is not None else ""
        return Link(tile.x, tile.y, what, text, color=color, color_name=name, queue=queue)
