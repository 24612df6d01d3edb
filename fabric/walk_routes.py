"""The routers' half of a walk (fabric.walk): along a color towards its sender, and along what it waits for.

`arrive` asks why nothing comes on a color, `follow` why what is there does not go on. Messages have ways of their
own (fabric.walk_messages).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from fabric.arch import OPPOSITE, PORTS, POSITION_UNUSED, TASK_TEARDOWN, C
from fabric.chain import (
    HEADER,
    NEVER_SENT,
    NO_QUEUE,
    NO_ROUTE,
    RUNNING,
    SIDES,
    SWITCH,
    TEARDOWN,
    Chain,
)
from fabric.reference import messages
from fabric.reference.channel import NOWHERE, Channel
from fabric.reference.core import Core
from fabric.reference.tile import Tile
from fabric.reference.waiting import Reason, Wait, sources, why_sending_waits, why_waiting
from fabric.walk_messages import MessageWalker, header_words

if TYPE_CHECKING:
    from fabric.reference.vectors import VectorOp

# What a walk looks at next: ("thread", tile, VectorOp), or a name of a step with a tile and a color or queue:
# "buffer", "arrive", "inbox", "upstream" with a color; "send", "sender", "reader" with a queue.
Node = tuple[str, Tile, "int | VectorOp"]
Step = Callable[[Tile, int, Chain], "Node | None"]


class RouteWalker(MessageWalker):
    """Steps from router to router. A step adds links to a chain; it returns the next node, or None after the end."""

    def __init__(self) -> None:
        self.steps: dict[str, Step] = {
            "buffer": self.buffer,
            "send": self.send,
            "arrive": self.arrive,
            "inbox": self.inbox,
            "upstream": self.upstream,
        }

    # --- towards the sender ------------------------------------------------------------------------------------

    def to_core(self, tile: Tile, color: int, chain: Chain) -> Node | None:
        """A core waits for what its router would have to hand over."""
        channel = tile.router.channels[color]
        if channel.buffer or channel.outputs >> C & 1 or channel.input == NOWHERE or channel.down:
            return ("arrive", tile, color)
        of, at = self.name.color(tile, color), f"P{tile.x}.{tile.y}"
        ways = [SIDES[PORTS[port]] for port in range(C) if channel.outputs >> port & 1]
        to = f"to the {' and the '.join(ways)}" if ways else "nowhere"
        position = next((k for k, code in enumerate(channel.codes) if code != POSITION_UNUSED and code >> C & 1), None)
        if position is None:
            self.end(
                chain,
                NO_ROUTE,
                f"the rule of {of} on {at} does not lead to its core, but {to}",
                f"name C among the outputs of the rule of {of} on {at}, or receive on another color",
            )
            return None
        chain.switch = (
            f"the switch of {of} on {at} stands at position {channel.out_pos}, {to}, while position {position} leads to its core"
        )
        return ("arrive", tile, color)

    def arrive(self, tile: Tile, color: int, chain: Chain) -> Node | None:
        """Nothing arrives on a color at a router."""
        channel = tile.router.channels[color]
        of = self.name.color(tile, color)
        if channel.buffer:
            return ("buffer", tile, color)
        if channel.down:
            self.down(tile, color, chain)
            return None
        if channel.input == NOWHERE:
            self.end(
                chain,
                NO_ROUTE,
                f"P{tile.x}.{tile.y} takes {of} from no side: nothing can arrive on it",
                f"give {of} a rule on P{tile.x}.{tile.y}, or bind the socket to the color that arrives",
            )
            return None
        if not chain.switch:
            chain.switch = self._kept_out(channel)
        side = PORTS[channel.input]
        feeds = sources(tile, color)
        if not feeds:
            self._no_feed(tile, color, chain)
            return None
        feed = next((f for f in feeds if f.open), feeds[0])
        if feed.queue is not None:
            chain.links.append(self.name.router_link(tile, color, f"takes {of} from its core"))
            return ("sender", tile, feed.queue)
        far = self.name.color(feed.tile, feed.color, tile)
        link = self.name.router_link(
            tile, color, f"takes {of} from the {SIDES[side]}, P{feed.tile.x}.{feed.tile.y}, and none comes"
        )
        chain.links.append(link)
        if not feed.open:
            self.end(
                chain,
                SWITCH,
                f"P{feed.tile.x}.{feed.tile.y} does not send {far} this way in its present switch position",
                "a control wavelet (or a flip) has to move the switch; see who sends it, and whether it gets there",
            )
            return None
        return ("arrive", feed.tile, feed.color)

    def _no_feed(self, tile: Tile, color: int, chain: Chain) -> None:
        """No neighbour, and no queue of the core, sends to the side that a color takes."""
        channel = tile.router.channels[color]
        of, at = self.name.color(tile, color), f"P{tile.x}.{tile.y}"
        side = SIDES[PORTS[channel.input]]
        other = tile.neighbour(channel.input)
        if channel.input == C:
            look = f"look for a send left out, or for a socket bound to another color than {of}"
            sends = self._sends_on(tile)
            end = f"no socket of {self.name.tile(tile)} sends on {of}"
            if isinstance(tile.core, Core):
                end += f"; it sends on {', '.join(sends)}" if sends else "; it has no socket that sends"
            else:
                end = f"{at} has no code; it will never send on {of}"
            self.end(chain, NEVER_SENT, end, look)
            return
        if other is None:
            end = f"{at} takes {of} from the {side}, where the layout ends"
        else:
            end = f"{at} takes {of} from the {side}, but P{other.x}.{other.y} {self._leads(other, channel, tile)}"
        if channel.has_positions():
            end += f" (switch position {channel.in_pos})"
            look = "a control wavelet or a flip has to move the switch; see who sends it, and whether it gets there"
            self.end(chain, SWITCH, end, look)
            return
        look = f"compare the rules of {of} on the two tiles, and the sender's color"
        if other is None:
            look = f"put the sender there, or let the rule of {of} on {at} take another side"
        self.end(chain, NO_ROUTE, end, look)

    def _leads(self, other: Tile, channel: Channel, near: Tile) -> str:
        """Where a neighbour that sends a color nothing leads what it would have to send."""
        side = channel.input
        wires = [c for c in (channel.color, channel.color ^ 1) if channel.reads(side, c)]
        if not wires:
            return "sends it no wavelets there"
        far = other.router.channels[wires[0]]
        of = self.name.color(other, far.color, near)
        if far.input == NOWHERE and not far.outputs:
            return f"has no rule for {of}"
        ways = [SIDES[PORTS[port]] for port in range(5) if far.outputs >> port & 1]
        return f"leads {of} {'to the ' + ' and the '.join(ways) if ways else 'nowhere'}"

    def _sends_on(self, tile: Tile) -> list[str]:
        """The colors on which a core can send, in words."""
        colors = {q.color for q in tile.output_queues if q.color < len(tile.router.channels)}
        return [self.name.color(tile, color) for color in sorted(colors)]

    def _kept_out(self, channel: Channel) -> str:
        """What a color's present switch position keeps waiting on another side, in words, or ""."""
        tile, color = channel.tile, channel.color
        if not channel.has_positions():
            return ""
        for position, code in enumerate(channel.codes):
            side = code >> 5
            if side > C or side == channel.input:
                continue
            wires = [c for c in (color, color ^ 1) if channel.reads(side, c)]
            if side == C:
                found = any(q.entries and q.color in wires for q in tile.output_queues)
            else:
                other = tile.neighbour(side)
                far = [other.router.channels[c] for c in wires] if other is not None else []
                found = any(f.buffer and f.outputs >> OPPOSITE[side] & 1 for f in far)
            if found:
                where = "its core" if side == C else f"the {SIDES[PORTS[side]]}"
                now = "its core" if channel.input == C else f"the {SIDES[PORTS[channel.input]]}"
                return (
                    f"the switch of {self.name.color(tile, color)} on P{tile.x}.{tile.y} stands at position "
                    f"{channel.in_pos}, from {now}, while wavelets from {where} wait for position {position}"
                )
        return ""

    # --- towards the reader ------------------------------------------------------------------------------------

    def down(self, tile: Tile, color: int, chain: Chain) -> None:
        of = self.name.color(tile, color)
        core = tile.core
        end = f"P{tile.x}.{tile.y} has {of} in teardown and has not left it"
        look = f"write the route of {of} anew, in the handler of `#pragma teardown on` or later in the program"
        if isinstance(core, Core) and core.tasks.entries[TASK_TEARDOWN]:
            if core.tasks.active >> TASK_TEARDOWN & 1:
                op = core.vector
                where = f" at {self.places.label(tile.x, tile.y, op.pc)}" if op is not None else ""
                end += f": its teardown handler can't start while the main thread waits{where}"
                look = "wait there in a parallel block or under `#pragma uthread enable on`, so that task 29 can run"
            else:
                end += ": its teardown handler has run, the route is not written"
        else:
            end += ": it has no teardown handler"
        self.end(chain, TEARDOWN, end, look)

    def buffer(self, tile: Tile, color: int, chain: Chain) -> Node | None:
        """The head of a color's buffer does not leave."""
        return self.follow(tile, color, why_waiting(tile, color, self.now), chain, "")

    def send(self, tile: Tile, queue: int, chain: Chain) -> Node | None:
        """The head of an output queue does not leave."""
        color = tile.output_queues[queue].color
        return self.follow(tile, color, why_sending_waits(tile, queue, self.now), chain, f"output queue {queue} ")

    def follow(self, tile: Tile, color: int, waits: list[Wait], chain: Chain, holder: str) -> Node | None:
        """Goes on to the first thing that wavelets on a color wait for."""
        found = [w for w in waits if w.reason is not Reason.SOON]
        of = self.name.color(tile, color)
        if not found:
            self.end(chain, RUNNING, f"what P{tile.x}.{tile.y} holds on {of} moves on", "give it more cycles")
            return None
        w = found[0]
        there = w.tile
        far = self.name.color(there, w.color, tile)
        at = f"P{there.x}.{there.y}" if there is not tile else "its router"

        def link(text: str) -> None:
            chain.links.append(self.name.router_link(tile, color, holder + text))

        if w.reason is Reason.TEARDOWN:
            link(f"holds wavelets on {of}, which is in teardown" if there is tile else f"holds wavelets on {of} for {at}")
            self.down(there, w.color, chain)
            return None
        if w.reason is Reason.BUFFER_FULL:
            link(f"holds wavelets on {of}: the buffer of {at} for {far} is full")
            return ("buffer", there, w.color)
        if w.reason is Reason.OTHER_SIDE:
            return self._other_side(tile, color, w, chain, link)
        if w.reason is Reason.QUEUE_FULL:
            assert w.queue is not None
            link(f"holds wavelets on {of}: the core's input queue {w.queue} is full")
            return ("reader", there, w.queue)
        if w.reason is Reason.NO_OPERAND:
            link(f"holds a wavelet on {of}: the fabric adder waits for the operand of its core")
            chain.adder = True
            queue = next((q.number for q in there.output_queues if q.color == w.color), None)
            if queue is not None:
                return ("sender", there, queue)
            end = f"no socket of {self.name.tile(there)} sends on {far}"
            self.end(chain, NEVER_SENT, end, "the core of an adder tile sends one hp for each wavelet that arrives")
            return None
        if w.reason is Reason.ADDER_FULL:
            link(f"holds operands on {of}: the fabric adder waits for a wavelet from its neighbour")
            return ("arrive", there, w.color)
        if w.reason is Reason.PATH_HELD:
            header = tile.router.channels[color].buffer[0].wavelet.data
            link(f"holds a message {messages.describe(header)}: another one on {far} holds its path")
            return ("upstream", there, w.color)
        if w.reason is Reason.NO_DIRECTION:
            header = tile.router.channels[color].buffer[0].wavelet.data
            link(f"holds a message {messages.describe(header)}")
            both = (header & messages.NORTH) and (header & messages.SOUTH)
            said = "both bits 7 (north) and 6 (south) are set" if both else "neither bit 7 (north) nor 6 (south) is set"
            self.end(
                chain,
                HEADER,
                f"P{there.x}.{there.y} is in row {there.registers.row_id}, the message goes to row {header >> 8 & 0xFFF}, and {said}",
                "set exactly the one that leads to the destination's row",
            )
            return None
        self._closed(tile, color, w, chain, link)
        return None

    def _other_side(self, tile: Tile, color: int, w: Wait, chain: Chain, link: Callable[[str], None]) -> Node | None:
        """The next router takes the color from another side now."""
        there = w.tile
        channel = there.router.channels[w.color]
        far = self.name.color(there, w.color, tile)
        at = f"P{there.x}.{there.y}" if there is not tile else "its router"
        side = SIDES[PORTS[channel.input]]
        link(f"holds wavelets on {self.name.color(tile, color)}: {at} takes {far} from the {side} now")
        if channel.has_positions():
            return ("arrive", there, w.color)
        at = f"P{there.x}.{there.y}"
        came = C if w.port is None else OPPOSITE[w.port]
        from_ = SIDES[PORTS[came]]
        readers = there.router.readers(came, color) if channel.bank is None else []
        end = f"the rule of {far} on {at} takes nothing from the {from_}"
        if len(readers) > 1:
            names = " and ".join(self.name.color(there, r.color) for r in readers)
            end += f"; {names} both read what comes from there, and each has to take it"
        look = f"compare the two rules of {far}; a swap needs its partner to swap as well"
        self.end(chain, NO_ROUTE, end, look)
        return None

    def _closed(self, tile: Tile, color: int, w: Wait, chain: Chain, link: Callable[[str], None]) -> None:
        """The next router, or the core, takes nothing in at all."""
        there = w.tile
        far = self.name.color(there, w.color, tile)
        at = f"P{there.x}.{there.y}"
        why = w.reason.value
        if w.reason is Reason.NO_QUEUE and tile.router.channels[color].bank is not None:
            header = tile.router.channels[color].buffer[0].wavelet.data
            why = f"the first is the header of a message to {header_words(header)}, which is {at}"
        elif w.reason is Reason.NO_INPUT and there is tile:
            why = "its router has no input for the color"
        link(f"holds wavelets on {self.name.color(tile, color)}: {why}")
        if w.reason is Reason.NO_INPUT:
            end, look = f"{at} takes {far} from no side", f"give {far} a rule on {at} that takes it in"
            if tile.router.channels[color].bank is not None and there.router.channels[w.color].bank is None:
                end = f"{at} is not in the message-passing area of bank {tile.router.channels[color].bank}"
                look = f"give {at} mp() too: every tile on a message's way needs it"
            self.end(chain, NO_ROUTE, end, look)
        elif w.reason is Reason.NO_QUEUE and tile.router.channels[color].bank is not None:
            self.astray(tile, there, tile.router.channels[color].buffer[0].wavelet, w.color, chain)
        elif w.reason is Reason.NO_QUEUE:
            end = f"no socket of {self.name.tile(there)} receives on {far}"
            if not isinstance(there.core, Core):
                end = f"{at} has no code, and its rule of {far} leads to its core"
            self.end(chain, NO_QUEUE, end, f"bind {far} to a socket that receives on {at}, or take C out of its rule")
        else:
            assert w.reason is Reason.NO_COLOR
            end = f"the queue of {at} has no color"
            self.end(chain, NO_QUEUE, end, "bind the socket to a color in the layout's code(…)")
