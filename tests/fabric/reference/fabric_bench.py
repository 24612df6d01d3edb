"""A bench for tests of the fabric: rules written as in Paint, scripted cores, and a recorder of all that happens.

A scripted core issues sends and reads at given cycles, so that a test decides every cycle by itself. The timing
of hardware.md 17 gives the numbers that recur in the tables of the tests:

    a send that issues at t is in the output queue at t + 4 and lands on link R at t + 5
    a wavelet that lands at t leaves at t + 1 at the earliest and lands in the neighbour at t + 2
    a wavelet that lands at t in its last router can be read by an issue at t + 3
"""

from __future__ import annotations

import struct
from dataclasses import dataclass, field
from typing import Any

from fabric import arch
from fabric.reference.fabric import Fabric
from fabric.reference.tile import Tile
from fabric.reference.wavelet import Wavelet

TO_QUEUE = 4  # issue to output queue: decode to execute 3, execute to output queue 1


@dataclass
class Send:
    queue: int
    value: int
    bits: int = 32
    ctrl: bool = False
    flip: bool = False


class ScriptedCore:
    """Issues the sends of its script, each at its cycle or, when the queue is full, as soon as there is room; reads
    what a test tells it to read. `got` lists (cycle, queue, value) of what was read, `events` the wake-up calls."""

    def __init__(self, tile: Tile) -> None:
        self.tile = tile
        self.sends: dict[int, list[Send]] = {}
        self.late: dict[int, list[Send]] = {}
        self.takes: dict[int, list[tuple[int, str]]] = {}
        self.drains: dict[int, tuple[int, str, int]] = {}
        self.writes: dict[int, list[tuple[int, int]]] = {}
        self.got: list[tuple[int, int, int]] = []
        self.issued: list[tuple[int, int]] = []
        self.events: list[tuple[str, int, int]] = []
        self.rewrite: dict[int, tuple[int, int]] = {}  # what "task 29" does: color -> (delay, new route)

    def at(self, cycle: int, *sends: Send) -> None:
        self.sends.setdefault(cycle, []).extend(sends)
        self.tile.wake_core(cycle)

    def send(self, cycle: int, queue: int, value: int, bits: int = 32, ctrl: bool = False, flip: bool = False) -> None:
        self.at(cycle, Send(queue, value, bits, ctrl, flip))

    def stream(self, cycle: int, queue: int, values: Any, bits: int = 32) -> None:
        """One send a cycle, from a cycle on."""
        for i, value in enumerate(values):
            self.send(cycle + i, queue, value, bits)

    def take(self, cycle: int, queue: int, how: str = "wavelet") -> None:
        """One read in that very cycle; the test fails when it can't be done then. `how`: 16, 32 or wavelet."""
        self.takes.setdefault(cycle, []).append((queue, how))
        self.tile.wake_core(cycle)

    def drain(self, queue: int, start: int = 0, how: str = "wavelet", every: int = 1) -> None:
        """One read whenever there is something, from a cycle on, at most one in `every` cycles."""
        self.drains[queue] = (start, how, every)
        self.tile.wake_core(start)

    def write(self, cycle: int, address: int, value: int) -> None:
        """A register write in that cycle."""
        self.writes.setdefault(cycle, []).append((address, value))
        self.tile.wake_core(cycle)

    def step(self, now: int) -> int | None:
        for address, value in self.writes.pop(now, []):
            self.tile.write_word(address, value)
        for queue, how in self.takes.pop(now, []):
            assert self.readable(queue, how, now), f"nothing to read in queue {queue} at {now}"
            self.read(queue, how, now)
        for send in self.sends.pop(now, []):
            self.late.setdefault(send.queue, []).append(send)
        for waiting in self.late.values():
            while waiting and self.tile.output_queues[waiting[0].queue].room(waiting[0].bits) > 0:
                s = waiting.pop(0)
                self.tile.output_queues[s.queue].push(s.value, s.bits, s.ctrl, s.flip, now + TO_QUEUE, pc=now)
                self.issued.append((now, s.value))
        for queue, (start, how, every) in self.drains.items():
            if start <= now and self.readable(queue, how, now):
                self.read(queue, how, now)
                self.drains[queue] = (now + every, how, every)
        later = [t for script in (self.sends, self.takes, self.writes) for t in script]
        later += [start for start, _, _ in self.drains.values() if start > now]
        return min(later, default=None)

    def readable(self, queue: int, how: str, now: int) -> bool:
        q = self.tile.input_queues[queue]
        if how == "16":
            return q.available_halves(now) > 0
        if how == "32":
            return q.available_words(now) > 0
        return q.peek(now) is not None

    def read(self, queue: int, how: str, now: int) -> None:
        q = self.tile.input_queues[queue]
        value = q.take16(now) if how == "16" else q.take32(now) if how == "32" else q.take_wavelet(now).data
        self.got.append((now, queue, value))

    def on_wavelet(self, queue: int, ready: int) -> None:
        self.events.append(("wavelet", queue, ready))

    def on_space(self, queue: int, now: int) -> None:
        self.events.append(("space", queue, now))

    def on_teardown(self, color: int, now: int) -> None:
        self.events.append(("teardown", color, now))
        if color in self.rewrite:
            delay, route = self.rewrite[color]
            self.write(now + delay, arch.TEARDOWN_CLEAR + color // 16, 1 << color % 16)
            self.write(now + delay, arch.ROUTE + color, route)

    def read_register(self, address: int) -> int | None:
        return None

    def write_register(self, address: int, value: int) -> bool:
        return False

    def snapshot(self) -> Any:
        return {"got": [list(g) for g in self.got]}

    def restore(self, state: Any) -> None:
        self.got = [tuple(g) for g in state["got"]]


@dataclass
class Recorder:
    """All hooks, as tuples. Landings: (cycle, tile, color, link, data)."""

    landings: list[tuple[int, str, int, str, int]] = field(default_factory=list)
    idents: list[tuple[int, str, int, int]] = field(default_factory=list)  # (cycle, tile, color, ident)
    departures: list[tuple[int, str, int, str, int]] = field(default_factory=list)  # links as letters
    switches: list[tuple[int, str, int, str, int, int, str]] = field(default_factory=list)
    downs: list[tuple[int, str, int, bool]] = field(default_factory=list)
    delivered: list[tuple[int, str, int, int | None, int]] = field(default_factory=list)
    sent: list[tuple[int, str, int, Wavelet]] = field(default_factory=list)
    pressed: list[tuple[int, str, int, int]] = field(default_factory=list)
    cycles: list[int] = field(default_factory=list)

    def landing(self, now: int, tile: Tile, color: int, port: int, wavelet: Wavelet) -> None:
        self.cycles.append(now)
        self.landings.append((now, tile.name, color, arch.LINK_LETTER[port], wavelet.data))
        self.idents.append((now, tile.name, color, wavelet.ident))

    def wavelet(self, now: int, tile: Tile, color: int, wavelet: Wavelet, departing: int) -> None:
        self.cycles.append(now)
        links = "".join(arch.LINK_LETTER[p] for p in range(5) if departing >> p & 1)
        self.departures.append((now, tile.name, color, links, wavelet.data))

    def switch_change(
        self, now: int, tile: Tile, color: int, side: str, old: int, new: int, why: str, wavelet: Wavelet | None
    ) -> None:
        self.cycles.append(now)
        self.switches.append((now, tile.name, color, side, old, new, why))

    def teardown(self, now: int, tile: Tile, color: int, entered: bool) -> None:
        self.cycles.append(now)
        self.downs.append((now, tile.name, color, entered))

    def to_core(self, now: int, tile: Tile, color: int, queue: int | None, wavelet: Wavelet) -> None:
        self.cycles.append(now)
        self.delivered.append((now, tile.name, color, queue, wavelet.data))

    def sending(self, now: int, tile: Tile, queue: int, wavelet: Wavelet) -> None:
        self.cycles.append(now)
        self.sent.append((now, tile.name, queue, wavelet))

    def backpressure(self, now: int, tile: Tile, queue: int, color: int) -> None:
        self.cycles.append(now)
        self.pressed.append((now, tile.name, queue, color))


def rule_words(rule: str, fp16: int = 10) -> tuple[int, int, int, int]:
    """(route, switch word 0, word 1, our word 2) of a rule as Paint writes it: `[L>R ; C>R ; ring pop=adv]`."""
    sections = [s.strip() for s in rule.strip("[]").split(";")]
    flags: list[str] = []
    codes = []
    start = 0
    swap = 0
    for section in sections:
        sign = next((k for k in ">HVX" if k in section), None)
        if sign is None:
            flags += section.split()
            continue
        if section.endswith("*"):
            start = len(codes)
        a, _, b = section.strip("* ").partition(sign)
        swap = {">": 0, "H": 1, "V": 2, "X": 7}[sign]
        outputs = sum(1 << arch.PORTS.index(c) for c in b)
        codes.append((arch.PORTS.index(a) if a else 5) << 5 | outputs)
    codes += [0xA0] * (4 - len(codes))
    word0 = codes[1] | (1 << 12 if "ring" in flags else 0) | (1 << 14 if "pop=adv" in flags else 0)
    ours = swap | start << 5 | start << 7
    ours |= (8 if "pop=always" in flags else 0) | (16 if "pop=advnop" in flags else 0)
    if "fabadder" in flags:
        ours |= 1 << 9 | {10: 1, 16: 2, 15: 3}[fp16] << 10
    return codes[0], word0, codes[2] | codes[3] << 8, ours


class Bench:
    """A fabric with a recorder and a scripted core on every tile that has a queue."""

    def __init__(self, width: int, height: int = 1) -> None:
        self.seen = Recorder()
        self.fabric = Fabric(width, height, observer=self.seen)

    def core(self, x: int, y: int = 0) -> ScriptedCore:
        tile = self.fabric.tile(x, y)
        if tile.core is None:
            self.fabric.start_core(tile, ScriptedCore(tile))
        assert isinstance(tile.core, ScriptedCore)
        return tile.core

    def rule(self, x: int, y: int, color: int, rule: str, fp16: int = 10) -> None:
        tile = self.fabric.tile(x, y)
        route, word0, word1, ours = rule_words(rule, fp16)
        at = arch.SWITCH + 4 * color
        words = ((arch.ROUTE + color, route), (at, word0), (at + 1, word1), (at + 2, ours))
        for address, word in words:
            tile.registers.write(address, word, loading=True)

    def bank(self, x: int, y: int, bank: int) -> None:
        for color in arch.BANK_COLORS[bank]:
            self.fabric.tile(x, y).registers.write(arch.SWITCH + 4 * color + 2, (bank + 1) << 12, loading=True)

    def out(self, x: int, y: int, queue: int, color: int) -> ScriptedCore:
        self.fabric.tile(x, y).registers.write(arch.OUTPUT_QUEUE + queue, color << 4, loading=True)
        return self.core(x, y)

    def inp(self, x: int, y: int, queue: int, color: int) -> ScriptedCore:
        self.fabric.tile(x, y).registers.write(arch.INPUT_QUEUE + 2 * queue, color, loading=True)
        return self.core(x, y)

    def run(self, until: int = 10_000) -> bool:
        return self.fabric.run(until)

    def landed(self, tile: str, color: int | None = None) -> list[tuple[int, str, int]]:
        """(cycle, link, data) of the landings on a tile, of one color or of all."""
        return [(t, k, d) for t, p, c, k, d in self.seen.landings if p == tile and color in (None, c)]

    def held(self, x: int, y: int, color: int) -> list[int]:
        """The data in a color's buffer."""
        return [h.wavelet.data for h in self.fabric.tile(x, y).router.channels[color].buffer]


def bits(value: float) -> int:
    """The bits of an fp32 value."""
    return int(struct.unpack("<I", struct.pack("<f", value))[0])


def half(value: float) -> int:
    """The bits of an IEEE fp16 value."""
    return int(struct.unpack("<H", struct.pack("<e", value))[0])
