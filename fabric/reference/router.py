"""One router: which wavelets leave by which port in a cycle, and what happens when they do (hardware.md 9).

- Each color serves the head of its buffer, which leaves when every output of its route has taken it.
- A port moves one wavelet a cycle; colors that could use it in a cycle take turns.
- An output can be taken when, as of the last cycle, all colors that read the wavelet on the other side take their
  input from that side and have room. Where no color reads it, the wavelet leaves and could not land.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from fabric.arch import BANK_CORE_COLOR, COLORS, LINK_LETTER, OPPOSITE, QUEUES, ROUTER_DEPTH, C
from fabric.reference import messages
from fabric.reference.channel import Channel, Held
from fabric.reference.fault import FabricFault
from fabric.reference.wavelet import Wavelet

if TYPE_CHECKING:
    from fabric.reference.queues import InputQueue
    from fabric.reference.tile import Tile

Readers = list[Channel]


class Departure(NamedTuple):
    """What a color's head does in this cycle: the ports that take it, with the colors it lands on there; the input
    queue when the core takes it (None: a filter drops it); whether those were the last ports it waited for."""

    channel: Channel
    held: Held
    ports: list[tuple[int, Readers]]
    queue: InputQueue | None
    complete: bool


class Landing(NamedTuple):
    """A wavelet that lands in the next cycle on a color from a side."""

    channel: Channel
    wavelet: Wavelet
    side: int


class Router:
    """The router of a tile. `last` holds the color that each port served last, `last_queue` the output queue that
    used link R last: turns go to the next higher number. At the start it is the turn of number 0."""

    def __init__(self, tile: Tile) -> None:
        self.tile = tile
        self.channels = [Channel(tile, color) for color in range(COLORS)]
        self.busy: dict[int, Channel] = {}  # the colors with a wavelet in their buffer
        self.last = [COLORS - 1] * 5
        self.last_queue = QUEUES - 1
        self.loaded: set[int] = set()  # the output queues that hold something
        self.owners: dict[tuple[int, int], int] = {}  # (bank, port) -> the color whose message holds it
        self.sequence = [0] * COLORS  # wavelets sent by the core, for idents

    # --- what the other side of a link reads -------------------------------------------------------------------

    def readers(self, side: int, color: int) -> Readers:
        """The colors that look at what arrives from a side on a color: itself, its partner, both or none."""
        own, partner = self.channels[color], self.channels[color ^ 1]
        return [channel for channel in (own, partner) if channel.reads(side, color)]

    def _others(self, port: int, color: int) -> Readers | None:
        """The colors beyond a port on which a wavelet of a color would land, or None when it has to wait."""
        other = self.tile.neighbour(port)
        if other is None:
            return []
        side = OPPOSITE[port]
        readers = other.router.readers(side, color)
        for channel in readers:
            if not channel.takes(side):
                return None
        return readers

    def core_takes(self, wavelet: Wavelet) -> bool:
        """The input queue of the wavelet's color has room, or the color's filter drops the wavelet."""
        queue = self.tile.registers.queue_of(wavelet.color)
        return queue is not None and (not queue.full or self.tile.filters.drops(wavelet))

    def _queue_for(self, wavelet: Wavelet) -> InputQueue | None:
        """Where a wavelet goes that the core takes; None where a filter drops it."""
        return None if self.tile.filters.drops(wavelet) else self.tile.registers.queue_of(wavelet.color)

    # --- phase 1 -----------------------------------------------------------------------------------------------

    def outputs(self, channel: Channel, held: Held, now: int) -> int | None:
        """The ports that must take a color's head, or None while something other than a port holds it."""
        if held.ready > now or channel.down:
            return None
        if channel.bank is not None:
            return self._message_outputs(channel, held)
        if channel.adder is not None and not held.wavelet.ctrl:
            ready = channel.adder.ready()
            if ready is None or ready > now:
                return None
        return channel.needed(held)

    def _message_outputs(self, channel: Channel, held: Held) -> int | None:
        if channel.message is not None:
            return 1 << channel.message.port
        bank = channel.bank
        assert bank is not None
        registers = self.tile.registers
        port = messages.direction(held.wavelet.data, registers.column_id, registers.row_id)
        if port is None or (bank, port) in self.owners:
            return None
        return 1 << port

    def decide(self, now: int) -> list[Departure]:
        """What leaves this router's buffers in cycle `now`; changes nothing."""
        departures: list[Departure] = []
        # For each port the colors that could use it, each with where its wavelet would land.
        requests: list[list[tuple[Channel, Readers]]] = [[], [], [], [], []]
        heads: dict[int, tuple[Held, int]] = {}
        for color in sorted(self.busy):
            channel = self.channels[color]
            held = channel.buffer[0]
            ports = self.outputs(channel, held, now)
            if ports is None:
                continue
            open_ports = ports & ~channel.taken
            if not open_ports:
                departures.append(Departure(channel, held, [], None, True))
                continue
            heads[color] = (held, open_ports)
            for port in range(4):
                if open_ports >> port & 1:
                    wire = color if channel.bank is None else messages.color_for(channel.bank, OPPOSITE[port])
                    readers = self._others(port, wire)
                    if readers is not None:
                        requests[port].append((channel, readers))
            if open_ports >> C & 1 and self.core_takes(self.for_core(channel, held)):
                requests[C].append((channel, []))
        granted: dict[int, list[tuple[int, Readers]]] = {}
        for port, candidates in enumerate(requests):
            if candidates:
                channel, readers = self._turn(port, candidates)
                granted.setdefault(channel.color, []).append((port, readers))
        for color, ports_taken in sorted(granted.items()):
            held, open_ports = heads[color]
            channel = self.channels[color]
            mask = sum(1 << port for port, _ in ports_taken)
            queue = self._queue_for(self.for_core(channel, held)) if mask >> C & 1 else None
            departures.append(Departure(channel, held, ports_taken, queue, mask == open_ports))
        return departures

    def _turn(self, port: int, candidates: list[tuple[Channel, Readers]]) -> tuple[Channel, Readers]:
        """The candidate whose color comes next after the one that the port served last."""
        if len(candidates) == 1:
            return candidates[0]
        after = self.last[port] + 1
        return min(candidates, key=lambda candidate: (candidate[0].color - after) % COLORS)

    def decide_link(self, now: int) -> tuple[int, int, Readers] | None:
        """Which output queue sends on link R in cycle `now`: (queue, sends in its wavelet, where it lands)."""
        best: tuple[int, int, Readers] | None = None
        after = self.last_queue + 1
        for number in sorted(self.loaded, key=lambda q: (q - after) % QUEUES):
            queue = self.tile.output_queues[number]
            sends = queue.leaving(now)
            if not sends:
                continue
            color = queue.entries[0].color
            readers = self.readers(C, color)
            if all(channel.takes(C) for channel in readers):
                if best is None:
                    best = (number, sends, readers)
            elif not queue.blocked:
                queue.blocked = True
                observer = self.tile.fabric.observer
                if observer is not None:
                    observer.backpressure(now, self.tile, number, color)
        return best

    # --- phase 3 -----------------------------------------------------------------------------------------------

    def for_core(self, channel: Channel, held: Held) -> Wavelet:
        """The wavelet as the core gets it: as it came in, not popped; a message on the bank's core color; a sum."""
        if channel.bank is not None:
            return held.wavelet._replace(color=BANK_CORE_COLOR[channel.bank])
        if channel.adder is not None and not held.wavelet.ctrl:
            return channel.adder.sum(held.wavelet)
        return held.wavelet

    def apply(self, departure: Departure, now: int, landings: list[Landing]) -> None:
        """A head leaves by the ports it was granted; where it lands is added to `landings`."""
        channel, held, ports, queue, complete = departure
        tile = self.tile
        leaving = held.onward
        if channel.adder is not None and not leaving.ctrl:
            leaving = channel.adder.sum(leaving)
        observer = tile.fabric.observer
        if observer is not None:
            mask = sum(1 << port for port, _ in ports)
            observer.wavelet(now, tile, channel.color, leaving, mask)
        for port, readers in ports:
            channel.taken |= 1 << port
            self.last[port] = channel.color
            if port == C:
                self._to_core(self.for_core(channel, held), channel.color, queue, now)
                continue
            other = tile.neighbour(port)
            out = leaving
            if channel.bank is not None:
                out = leaving._replace(color=messages.color_for(channel.bank, OPPOSITE[port]))
            if other is None:
                tile.fabric.left_layout(tile, channel.color, port, out, now)
            elif not readers:
                raise _could_not_land(other, out, OPPOSITE[port], now + 1)
            else:
                landings += [Landing(reader, out, OPPOSITE[port]) for reader in readers]
        if complete:
            self._pop(channel, held, ports, now)
        tile.wake_router(now + 1)

    def _pop(self, channel: Channel, held: Held, ports: list[tuple[int, Readers]], now: int) -> None:
        """The head has been taken by all its outputs."""
        if len(channel.buffer) == ROUTER_DEPTH and 0 <= channel.input < C:
            upstream = self.tile.neighbour(channel.input)
            if upstream is not None:
                upstream.wake_router(now + 1)
        channel.buffer.popleft()
        if not channel.buffer:
            del self.busy[channel.color]
        if channel.adder is not None and not held.wavelet.ctrl:
            channel.adder.consume()
        if channel.bank is not None:
            self._message_went(channel, held.wavelet, ports, now)
        channel.left(held.wavelet, now)

    def _message_went(
        self, channel: Channel, wavelet: Wavelet, ports: list[tuple[int, Readers]], now: int
    ) -> None:
        """A wavelet of a message left: its output is held from the header to the last one."""
        assert channel.bank is not None
        if channel.message is None:
            port = ports[0][0]
            channel.message = messages.begin(wavelet.data, port)
            if channel.message is not None:
                self.owners[channel.bank, port] = channel.color
        else:
            port = channel.message.port
            channel.message = messages.advance(channel.message, wavelet.ctrl)
            if channel.message is None:
                del self.owners[channel.bank, port]

    def _to_core(self, wavelet: Wavelet, color: int, queue: InputQueue | None, now: int) -> None:
        """The core's port takes a wavelet: through the filter into the input queue."""
        tile = self.tile
        observer = tile.fabric.observer
        tile.filters.count(wavelet)
        if observer is not None:
            observer.to_core(now, tile, color, None if queue is None else queue.number, wavelet)
        if queue is None:
            return
        timing = tile.fabric.timing
        # Counted from the landing, which is hop - 1 cycles before the first cycle in which it can leave.
        ready = now - (timing.hop - 1) + timing.router_to_input_queue + timing.input_queue_to_wake
        queue.deliver(wavelet, ready)
        if tile.core is not None:
            tile.core.on_wavelet(queue.number, ready)
            tile.wake_core(ready)

    def apply_link(self, choice: tuple[int, int, Readers], now: int, landings: list[Landing]) -> None:
        """A wavelet leaves an output queue and lands on the router's link R in the next cycle."""
        number, sends, readers = choice
        tile = self.tile
        wavelet = tile.output_queues[number].pop(sends)
        if not tile.output_queues[number].entries:
            self.loaded.discard(number)
        color = wavelet.color
        ident = (tile.index << 8 | color) << 32 | self.sequence[color]
        self.sequence[color] += 1
        self.last_queue = number
        wavelet = wavelet._replace(ident=ident)
        observer = tile.fabric.observer
        if observer is not None:
            observer.sending(now, tile, number, wavelet)
        if not readers:
            raise _could_not_land(tile, wavelet, C, now + 1)
        landings += [Landing(reader, wavelet, C) for reader in readers]
        tile.wake_router(now + 1)
        if tile.core is not None:
            tile.core.on_space(number, now + 1)
            tile.wake_core(now + 1)


def _could_not_land(tile: Tile, wavelet: Wavelet, side: int, cycle: int) -> FabricFault:
    return FabricFault("FB401", cycle, tile.x, tile.y, wavelet.color, LINK_LETTER[side], born=wavelet.born)
