"""Walks from a waiting statement to what it hangs on: through queues and routers, core by core.

Routers are asked by `fabric.reference.waiting` (the steps are in fabric.walk_routes and walk_messages), cores by
`fabric.outcome` (the steps are in fabric.walk_cores); the result is a `Chain` each.
"""

from __future__ import annotations

from fabric.chain import ADDER, CIRCLE, NEVER_SENT, Chain, Link, Namer
from fabric.outcome import EMPTY, FULL, HALF, Left, Waiting
from fabric.places import Places
from fabric.reference.fabric import Fabric
from fabric.walk_cores import CoreWalker
from fabric.walk_routes import Node

Key = tuple[str, int, int]


class Walker(CoreWalker):
    """Builds the chains of one ended run; what two chains share is walked once."""

    def __init__(self, fabric: Fabric, places: Places) -> None:
        super().__init__()
        self.fabric = fabric
        self.places = places
        self.now = fabric.now
        self.name = Namer(places, fabric.now)
        self.chains: list[Chain] = []
        self._known: dict[Key, int] = {}  # which chain a node is part of

    # --- the walk ------------------------------------------------------------------------------------------------

    def from_thread(self, w: Waiting) -> int:
        """The number of the chain that a waiting thread is part of, walking it if it is new."""
        return self._walk(("thread", w.tile, w.op))

    def from_left(self, left: Left) -> int:
        """The number of the chain that holds a wavelet left over."""
        tile, of = left.tile, self.name.color(left.tile, left.color)
        born = self.name.born(tile, left.wavelet)
        if left.where == "input":
            assert left.queue is not None
            count = len(tile.input_queues[left.queue].entries)
            what = "a wavelet" if count == 1 else f"{count} wavelets"
            sent = "it was sent" if count == 1 else "the first was sent"
            text = f"has {what} on {of} left in input queue {left.queue}; {sent} by {born}"
            return self._walk(("reader", tile, left.queue), self.name.core_link(tile, text, left.queue, left.color))
        if left.where == "output":
            assert left.queue is not None
            return self._walk(("send", tile, left.queue))
        if left.where == "adder":
            text = f"has operands of its core left in the fabric adder of {of}, the first sent by {born}"
            number = self._walk(("arrive", tile, left.color), self.name.router_link(tile, left.color, text))
            chain = self.chains[number]
            if chain.cause == NEVER_SENT:
                chain.cause = ADDER
                chain.look = (
                    "the core of an adder tile sends one hp for each wavelet that arrives; a 32-bit value counts as two"
                )
            return number
        return self._walk(("buffer", tile, left.color))

    def _walk(self, node: Node, first: Link | None = None) -> int:
        chain = Chain([] if first is None else [first])
        number = len(self.chains)
        path: dict[Key, int] = {}
        while True:
            key = _key(node)
            if key in path:
                self._close(chain, path[key])
                break
            known = self._known.get(key)
            if known is not None:
                # The rest is the rest of a chain that is known; only a new beginning would be shown twice.
                for k in path:
                    self._known[k] = known
                return known
            path[key] = len(chain.links)
            kind, tile, what = node
            if isinstance(what, int):
                following = self.steps[kind](tile, what, chain)
            else:
                following = self.thread(tile, what, chain)
            if following is None:
                break
            node = following
        for k in path:
            self._known[k] = number
        self.chains.append(chain)
        return number

    def _close(self, chain: Chain, start: int) -> None:
        """Ends a chain that comes back to its link `start`."""
        chain.cause, chain.closes = CIRCLE, start
        link = chain.links[start]
        where = f"P{link.x}.{link.y} {link.thread} at {link.place}" if link.thread else f"P{link.x}.{link.y} {link.what}"
        chain.end = f"and so on in a circle: this waits for {where}, above"
        kinds = {k.kind for k in chain.links[start:] if k.thread}
        if any(k.what == "serves" for k in chain.links[start:]):
            chain.look = "a handler answers only after wavelets that do not come; compare what it waits for with what is sent"
            return
        if kinds == {FULL}:
            why = "all of them send before they receive, and it is more than the queues between them hold"
        elif kinds == {EMPTY} and any(k.what == "router" and k.text.startswith("holds") for k in chain.links[start:]):
            chain.look = (
                "a wavelet stays in a router until every output of its route has taken it; on the tile that does not read it "
                "yet, receive it in the background (in one parallel block with the other receive)"
            )
            return
        elif kinds == {EMPTY}:
            why = "all of them receive before they send"
        else:
            why = "each of them waits for the next"
        part = next((k for k in chain.links[start:] if k.thread and k.done and k.kind in (EMPTY, HALF)), None)
        if part is not None and kinds <= {EMPTY, HALF}:
            chain.look = (
                f"{part.done} of {part.total} came at {part.place}: count what is sent and received in each round; if the "
                "counts agree, let the transfers run side by side (in one parallel block)"
            )
            return
        chain.look = (
            f"{why}; let the transfers run side by side (in one parallel block), or change the order of the statements on "
            "one of the tiles"
        )


def _key(node: Node) -> Key:
    kind, tile, what = node
    return kind, tile.index, what if isinstance(what, int) else -1 if what.ut is None else what.ut
