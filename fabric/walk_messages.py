"""Messages in a walk (fabric.walk): why none reaches a core, and where the rest of one is.

`inbox` asks why no message reaches a core, `upstream` goes back along a path that a message holds. The color of
both is that of the router looked at; the bank's core color is what sockets are bound to.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.arch import OPPOSITE, PORTS, C
from fabric.chain import NEVER_SENT, NO_QUEUE, RUNNING, SIDES, UNFINISHED, Chain, Namer
from fabric.reference import messages
from fabric.reference.core import Core
from fabric.reference.fabric import Fabric
from fabric.reference.tile import Tile
from fabric.reference.waiting import Reason, why_waiting
from fabric.reference.wavelet import Wavelet

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.places import Places
    from fabric.walk_routes import Node

SHOWN = 4  # tiles that a line names


def header_words(header: int) -> str:
    """`column 2, row 1`: where a header says the message goes."""
    return f"column {header >> 20}, row {header >> 8 & 0xFFF}"


class MessageWalker:
    """Steps along messages. A step adds links to a chain; it returns the next node, or None after the end."""

    fabric: Fabric
    places: Places
    now: int
    name: Namer

    @staticmethod
    def end(chain: Chain, cause: str, end: str, look: str) -> None:
        chain.cause, chain.end, chain.look = cause, end, look

    def busy_core(self, tile: Tile) -> bool:
        """The core waits or still works."""
        return isinstance(tile.core, Core) and bool(tile.core.live)

    def may_send(self, tile: Tile, queue: int) -> bool:
        """The core may still send on an output queue."""
        return self.busy_core(tile)

    def _tiles(self) -> Iterator[Tile]:
        return (t for _, t in sorted(self.fabric.tiles.items(), key=lambda item: item[1].index))

    # --- why none comes ------------------------------------------------------------------------------------------

    def inbox(self, tile: Tile, color: int, chain: Chain) -> Node | None:
        """No wavelet of a message reaches the core of a tile; `color` is the bank's core color."""
        bank = tile.router.channels[color].bank
        assert bank is not None
        holder = tile.router.owners.get((bank, C))
        if holder is not None:
            return ("upstream", tile, holder)
        here = tile.registers.column_id, tile.registers.row_id
        astray: list[tuple[Tile, Wavelet]] = []  # headers that stand where their message cannot go on
        for other in self._tiles():
            for channel in other.router.channels:
                if channel.bank != bank or channel.message is not None or not channel.buffer:
                    continue
                head = channel.buffer[0].wavelet
                if (head.data >> 20, head.data >> 8 & 0xFFF) == here:
                    text = f"waits for a message of bank {bank}; one for it is held up at P{other.x}.{other.y}"
                    chain.links.append(self.name.router_link(tile, color, text))
                    return ("buffer", other, channel.color)
                if any(w.reason is Reason.NO_QUEUE for w in why_waiting(other, channel.color, self.now)):
                    astray.append((other, head))
        text = f"waits for a message of bank {bank}, and none for column {here[0]}, row {here[1]} is on the way"
        chain.links.append(self.name.router_link(tile, color, text))
        return self._senders(tile, color, bank, chain, astray)

    def _senders(
        self, tile: Tile, color: int, bank: int, chain: Chain, astray: list[tuple[Tile, Wavelet]]
    ) -> Node | None:
        """Who could send the message: the tile that has not ended and has sent least, else what all have done."""
        at = f"P{tile.x}.{tile.y}"
        senders = [
            (other, q.number)
            for other in self._tiles()
            for q in other.output_queues
            if q.color == color and other is not tile and self.places.socket(other.x, other.y, "out", q.number)
        ]
        able = [(t, q) for t, q in senders if self.may_send(t, q)]
        if able:
            chosen, queue = min(able, key=lambda s: s[0].router.sequence[color])
            others = [self.name.tile(t) for t, _ in able if t is not chosen]
            text = f"may still be sent one by {self.name.tile(chosen)}"
            if others:
                text += f"; {_some(others)} may send too"
            chain.links.append(self.name.core_link(tile, text, None, color))
            return ("sender", chosen, queue)
        r = tile.registers
        look = (
            f"compare the headers with {at}, which is column {r.column_id}, row {r.row_id}; count the messages and wavelets"
        )
        if not senders:
            self.end(chain, NEVER_SENT, f"no tile sends in bank {bank}", look)
            return None
        by_count: dict[str, list[str]] = {}
        for t, _ in sorted(senders, key=lambda s: s[0].router.sequence[color]):
            by_count.setdefault(self.name.sent(t, color), []).append(self.name.tile(t))
        counts = "; ".join(f"{_some(who)} sent {count}" for count, who in by_count.items())
        end = f"no tile has a further send in bank {bank}: {counts}"
        lost = self._lost_messages(bank)
        if lost:
            end += f"; {lost[0]}"
        elif astray:
            where, head = astray[0]
            end += f"; one {messages.describe(head.data)}, sent by {self.name.born(where, head)}, is at P{where.x}.{where.y}"
        self.end(chain, NEVER_SENT, end, look)
        return None

    def _lost_messages(self, bank: int) -> list[str]:
        found = []
        for (index, color, port), lost in sorted(self.fabric.lost.items()):
            y, x = divmod(index, self.fabric.width)
            tile = self.fabric.tiles[x, y]
            if tile.router.channels[color].bank == bank:
                found.append(
                    f"one {messages.describe(lost.first.data)}, sent by {self.name.born(tile, lost.first)}, left the layout "
                    f"at P{x}.{y} to the {SIDES[PORTS[port]]}"
                )
        return found

    def astray(self, tile: Tile, there: Tile, header: Wavelet, color: int, chain: Chain) -> None:
        """A message has arrived where no socket receives on its bank."""
        at = f"P{there.x}.{there.y}"
        end = f"no socket of {self.name.tile(there)} receives on {self.name.color(there, color)}"
        if not isinstance(there.core, Core):
            end = f"{at} has no code that receives"
        look = (
            f"compare the header, sent by {self.name.born(tile, header)}, with the column and row of the tile it is meant for; "
            "if it was no header, the message before it has more data than its header says"
        )
        self.end(chain, NO_QUEUE, end, look)

    # --- along a path --------------------------------------------------------------------------------------------

    def upstream(self, tile: Tile, color: int, chain: Chain) -> Node | None:
        """A message passes through a color, and the rest of it does not come."""
        channel = tile.router.channels[color]
        if channel.buffer:
            return ("buffer", tile, color)
        message = channel.message
        if message is None or channel.bank is None:
            self.end(chain, RUNNING, f"P{tile.x}.{tile.y} still forwards a message", "give it more cycles")
            return None
        if message.remaining == messages.UNTIL_CONTROL:
            rest = "the wavelet with the control bit"
        else:
            rest = f"{message.remaining} more data wavelet{'s' if message.remaining > 1 else ''}"
        chain.message = rest
        if channel.input == C:
            link = self.name.router_link(tile, color, f"has begun a message of its core, and waits for {rest} of it")
            chain.links.append(link)
            queue = next((q.number for q in tile.output_queues if q.color == color), None)
            if queue is not None:
                return ("sender", tile, queue)
            self.end(chain, NEVER_SENT, f"no output queue of P{tile.x}.{tile.y} sends on it any more", "")
            return None
        other = tile.neighbour(channel.input)
        side = SIDES[PORTS[channel.input]]
        text = f"has begun a message from the {side}, and waits for {rest} of it"
        chain.links.append(self.name.router_link(tile, color, text))
        holder = None if other is None else other.router.owners.get((channel.bank, OPPOSITE[channel.input]))
        if other is None or holder is None:
            self.end(
                chain,
                UNFINISHED,
                f"no message passes through the tile on the {side} any more: {rest} of it will never come",
                "leave the words of the bank's colors alone (0x7c82 + 4c) while messages are under way",
            )
            return None
        return ("upstream", other, holder)


def _some(names: list[str]) -> str:
    """Joined with commas, the first few of many."""
    rest = len(names) - SHOWN
    return ", ".join(names[:SHOWN]) + (f" and {rest} more" if rest > 0 else "")
