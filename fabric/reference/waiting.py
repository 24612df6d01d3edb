"""Why something does not move, for explanations: the next link of the chain from a waiting statement.

`why_waiting` tells for the head of a color's buffer, `why_sending_waits` for the head of an output queue, what it
waits for; `sources` tells, for a color of which nothing arrives, who could send it here.
"""

from __future__ import annotations

from enum import Enum
from typing import NamedTuple

from fabric.arch import COLORS, OPPOSITE, C
from fabric.reference import messages
from fabric.reference.channel import NOWHERE, Channel
from fabric.reference.tile import Tile


class Reason(Enum):
    """What holds a wavelet. The value says it in words, about the color and tile of the `Wait`."""

    SOON = "it moves in the next cycles"
    TEARDOWN = "the color is in teardown"
    BUFFER_FULL = "the buffer of the next router is full"
    NO_INPUT = "the next router has no input for the color"
    OTHER_SIDE = "the next router takes the color from another side"
    QUEUE_FULL = "the core's input queue is full"
    NO_QUEUE = "no input queue of the core has the color"
    NO_OPERAND = "the fabric adder waits for an operand of its core"
    ADDER_FULL = "the fabric adder's queue of core operands is full"
    PATH_HELD = "another message holds the path"
    NO_DIRECTION = "the message header does not say whether its row is north or south"
    NO_COLOR = "the queue has no color"


TRANSIENT = frozenset([Reason.SOON])


class Wait(NamedTuple):
    """One cause: what stands in the way, on which tile and color, behind which port of the waiting router (None:
    in the router itself), and the number of the input queue where one plays a part."""

    reason: Reason
    tile: Tile
    color: int
    port: int | None = None
    queue: int | None = None


def _not_taken(channel: Channel, side: int, port: int | None) -> Wait | None:
    """Why a color does not take a wavelet in from a side."""
    if channel.takes(side):
        return None
    tile, color = channel.tile, channel.color
    if channel.down:
        return Wait(Reason.TEARDOWN, tile, color, port)
    if side == channel.input:
        return Wait(Reason.BUFFER_FULL, tile, color, port)
    if channel.adder is not None and side == C:
        return Wait(Reason.ADDER_FULL, tile, color, port)
    reason = Reason.NO_INPUT if channel.input == NOWHERE else Reason.OTHER_SIDE
    return Wait(reason, tile, color, port)


def why_waiting(tile: Tile, color: int, now: int) -> list[Wait]:
    """What the head of a color's buffer waits for, one entry a port that has not taken it; [] without a head."""
    router = tile.router
    channel = router.channels[color]
    if not channel.buffer:
        return []
    held = channel.buffer[0]
    if channel.down:
        return [Wait(Reason.TEARDOWN, tile, color)]
    if channel.bank is not None and channel.message is None:
        registers = tile.registers
        port = messages.direction(held.wavelet.data, registers.column_id, registers.row_id)
        if port is None:
            return [Wait(Reason.NO_DIRECTION, tile, color)]
        holder = router.owners.get((channel.bank, port))
        if holder is not None:
            return [Wait(Reason.PATH_HELD, tile, holder, port)]
    if channel.adder is not None and not held.wavelet.ctrl and not channel.adder.operands:
        return [Wait(Reason.NO_OPERAND, tile, color)]
    if held.ready > now:
        return [Wait(Reason.SOON, tile, color)]
    ports = router.outputs(channel, held, now)
    if ports is None:
        return [Wait(Reason.SOON, tile, color)]
    waits = []
    for port in range(5):
        if not (ports & ~channel.taken) >> port & 1:
            continue
        if port == C:
            wavelet = router.for_core(channel, held)
            if router.core_takes(wavelet):
                continue
            queue = tile.registers.queue_of(wavelet.color)
            if queue is None:
                waits.append(Wait(Reason.NO_QUEUE, tile, wavelet.color, C))
            else:
                waits.append(Wait(Reason.QUEUE_FULL, tile, wavelet.color, C, queue.number))
            continue
        other = tile.neighbour(port)
        if other is None:
            continue
        side = OPPOSITE[port]
        wire = color if channel.bank is None else messages.color_for(channel.bank, side)
        for reader in other.router.readers(side, wire):
            wait = _not_taken(reader, side, port)
            if wait is not None:
                waits.append(wait)
    return waits or [Wait(Reason.SOON, tile, color)]


def why_sending_waits(tile: Tile, queue: int, now: int) -> list[Wait]:
    """What the head of an output queue waits for; [] when the queue is empty."""
    q = tile.output_queues[queue]
    if not q.entries:
        return []
    color = q.entries[0].color
    if color >= COLORS:
        return [Wait(Reason.NO_COLOR, tile, color, queue=queue)]
    if q.leaving(now):
        waits = [_not_taken(reader, C, None) for reader in tile.router.readers(C, color)]
        found = [w for w in waits if w is not None]
        if found:
            return found
    return [Wait(Reason.SOON, tile, color)]


class Feed(NamedTuple):
    """Who can send a wavelet to a color of a router: a color of a neighbour by one of its ports, or the own core's
    output queue (`queue`). `open`: its present switch position sends this way; else another position does."""

    tile: Tile
    color: int
    port: int
    queue: int | None = None
    open: bool = True


def sources(tile: Tile, color: int) -> list[Feed]:
    """Who sends to a color of a tile, by its present input position. A message-passing bank's core color is fed
    through all colors of its bank."""
    channel = tile.router.channels[color]
    side = channel.input
    if side == NOWHERE:
        return []
    wires = [c for c in (color, color ^ 1) if channel.reads(side, c)]
    feeds = []
    for wire in wires:
        if side == C:
            feeds += [Feed(tile, wire, C, q.number) for q in tile.output_queues if q.color == wire]
            continue
        other = tile.neighbour(side)
        if other is None:
            continue
        port = OPPOSITE[side]
        if channel.bank is not None:
            feeds += [
                Feed(other, c.color, port)
                for c in other.router.channels
                if c.bank == channel.bank and c.input != side
            ]
            continue
        far = other.router.channels[wire]
        if far.outputs >> port & 1:
            feeds.append(Feed(other, wire, port))
        elif any(code >> port & 1 for code in far.codes if code != 0xA0):
            feeds.append(Feed(other, wire, port, open=False))
    return feeds
