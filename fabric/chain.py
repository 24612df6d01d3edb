"""Chains: why a thread waits, as a list of hops with words for a reader.

A `Chain` is a list of links, each waiting for the next, and its end: a circle (`closes` is the link it comes back to)
or something that will never happen. `fabric.walk` builds them; `Namer` puts tiles, colors and sockets into words.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from fabric.outcome import CONTROL, EMPTY, FIFO_EMPTY, FIFO_FULL, FULL, HALF, Waiting
from fabric.places import Places
from fabric.reference.tile import Tile

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
RUNNING = "still running"
UNKNOWN = "unknown"


@dataclass(frozen=True)
class Link:
    """One hop. `thread` and `place` (`file:line:col`) at a core; `color` and `color_name` where one plays a part."""

    x: int
    y: int
    what: str  # "thread", "router", "queue", "core"
    text: str
    thread: str = ""
    place: str = ""
    color: int | None = None
    color_name: str = ""
    queue: int | None = None


@dataclass
class Chain:
    """A cause: its links, how it ends, and what to look at. `closes`: the index of the link that a circle comes
    back to."""

    links: list[Link] = field(default_factory=list)
    cause: str = UNKNOWN
    end: str = ""
    look: str = ""
    closes: int | None = None


class Namer:
    """Words for one ended run; `now` is its last cycle."""

    def __init__(self, places: Places, now: int) -> None:
        self.places = places
        self.now = now

    def color(self, tile: Tile, color: int) -> str:
        return self.places.color(tile.x, tile.y, color)

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
            return "waits for an element in a FIFO that is empty"
        if w.kind == FIFO_FULL:
            return "waits for room in a FIFO that is full"
        return f"waits until the microthread before it is done with queue {w.queue}"

    def thread_link(self, w: Waiting) -> Link:
        tile = w.tile
        place = self.places.label(tile.x, tile.y, w.op.pc)
        name = self.places.color_name(tile.x, tile.y, w.color) if w.color is not None else ""
        return Link(tile.x, tile.y, "thread", self.describe(w), w.thread, place, w.color, name, w.queue)

    def router_link(self, tile: Tile, color: int, text: str) -> Link:
        name = self.places.color_name(tile.x, tile.y, color)
        return Link(tile.x, tile.y, "router", text, color=color, color_name=name)

    def core_link(self, tile: Tile, text: str, queue: int | None = None, color: int | None = None) -> Link:
        name = self.places.color_name(tile.x, tile.y, color) if color is not None else ""
        return Link(tile.x, tile.y, "core", text, color=color, color_name=name, queue=queue)
