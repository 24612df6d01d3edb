"""The state of a fabric as plain data (JSON), and back: what a core file needs beside its words.

The words of memory and registers are in the image of the core file; here is what no register shows: wavelets in
buffers and queues, turns, messages under way, clocks, what is due when, and each core's own state.
"""

from __future__ import annotations

from typing import Any

from fabric.reference.adder import Operand
from fabric.reference.channel import Channel, Held
from fabric.reference.fabric import Fabric, Lost
from fabric.reference.messages import Message
from fabric.reference.queues import Arrived, Sent
from fabric.reference.tile import Tile
from fabric.reference.wavelet import Born, Wavelet

VERSION = 2


def _wavelet(w: Wavelet) -> list[int]:
    return [w.data, w.color, w.ctrl, w.half, w.ident, w.lf, *w.born]


def _to_wavelet(v: list[int]) -> Wavelet:
    return Wavelet(v[0], v[1], bool(v[2]), bool(v[3]), v[4], bool(v[5]), Born(*v[6:9]))


def _channel(channel: Channel) -> dict[str, Any]:
    adder = channel.adder
    return {
        "color": channel.color,
        "buffer": [[h.ready, _wavelet(h.wavelet), h.side, _wavelet(h.onward)] for h in channel.buffer],
        "taken": channel.taken,
        "message": list(channel.message) if channel.message else None,
        "operands": [[o.ready, _wavelet(o.wavelet)] for o in adder.operands] if adder else [],
        "half": adder.half_taken if adder else False,
    }


def _restore_channel(channel: Channel, state: dict[str, Any]) -> None:
    for ready, wavelet, side, onward in state["buffer"]:
        channel.buffer.append(Held(ready, _to_wavelet(wavelet), side, _to_wavelet(onward)))
        channel.tile.router.busy[channel.color] = channel
    channel.taken = state["taken"]
    channel.message = Message(*state["message"]) if state["message"] else None
    if channel.adder is not None:
        channel.adder.operands.extend(Operand(ready, _to_wavelet(w)) for ready, w in state["operands"])
        channel.adder.half_taken = state["half"]


def _tile(tile: Tile) -> dict[str, Any]:
    router = tile.router
    channels = [
        _channel(c)
        for c in router.channels
        if c.buffer or c.taken or c.message or (c.adder and c.adder.operands)
    ]
    return {
        "at": [tile.x, tile.y],
        "channels": channels,
        "last": [*router.last, router.last_queue],
        "owners": [[bank, port, color] for (bank, port), color in router.owners.items()],
        "sequence": router.sequence,
        "clock": tile.registers.clock_state(),
        "in": [
            {"half": q.half_taken, "entries": [[e.ready, _wavelet(e.wavelet)] for e in q.entries]}
            for q in tile.input_queues
        ],
        "out": [
            {"blocked": q.blocked, "entries": [[*s[:6], *s.born] for s in q.entries]}
            for q in tile.output_queues
        ],
        "core": tile.core.snapshot() if tile.core is not None else None,
    }


def restore_tile(tile: Tile, state: dict[str, Any]) -> None:
    """Takes the part of one tile back."""
    router = tile.router
    for channel in state["channels"]:
        _restore_channel(router.channels[channel["color"]], channel)
    *router.last, router.last_queue = state["last"]
    router.owners = {(bank, port): color for bank, port, color in state["owners"]}
    router.sequence = list(state["sequence"])
    tile.registers.restore_clock(state["clock"])
    for queue, saved in zip(tile.input_queues, state["in"], strict=True):
        queue.half_taken = saved["half"]
        queue.entries.extend(Arrived(ready, _to_wavelet(w)) for ready, w in saved["entries"])
    for out, saved in zip(tile.output_queues, state["out"], strict=True):
        out.blocked = saved["blocked"]
        for ready, value, bits, color, ctrl, flip, *born in saved["entries"]:
            out.entries.append(Sent(ready, value, bits, color, bool(ctrl), bool(flip), Born(*born)))
            router.loaded.add(out.number)
    if tile.core is not None and state["core"] is not None:
        tile.core.restore(state["core"])


def take(fabric: Fabric) -> dict[str, Any]:
    """The state between two cycles, as plain data; together with each tile's words it is everything."""
    return {
        "version": VERSION,
        "now": fabric.now,
        "last_moved": fabric.last_moved,
        "lost": [
            [*key, lost.wavelets, lost.cycle, _wavelet(lost.first)] for key, lost in fabric.lost.items()
        ],
        "tiles": [_tile(tile) for tile in fabric.tiles.values()],
        "routers_due": fabric.routers_due.content(),
        "cores_due": fabric.cores_due.content(),
    }


def restore(fabric: Fabric, state: dict[str, Any]) -> None:
    """Takes a state back into a fabric just loaded from the words that were saved with it, with its cores.
    Raises ValueError for a state of another version."""
    if state["version"] != VERSION:
        raise ValueError(f"state of version {state['version']}, not {VERSION}")
    fabric.now = state["now"]
    fabric.last_moved = state["last_moved"]
    for index, color, port, wavelets, cycle, first in state["lost"]:
        fabric.lost[index, color, port] = Lost(wavelets, cycle, _to_wavelet(first))
    for saved in state["tiles"]:
        restore_tile(fabric.tile(*saved["at"]), saved)
    for agenda, due in ((fabric.routers_due, "routers_due"), (fabric.cores_due, "cores_due")):
        agenda.clear(fabric.now)
        for cycle, index in state[due]:
            y, x = divmod(index, fabric.width)
            agenda.add(cycle, fabric.tile(x, y))
