"""Reads the log records of simfabric back (tools.md, "Logs of simfabric"), and the samples of S4:18592-18745 too.

    log = read(open("bench-sim.log"))
    log.width, log.height                      from the line `@0 dimX=W, dimY=H`
    log.of(Landing)                            the records of one kind, in order
    log.paths()[ident]                         a wavelet from its birth to its ends
    log.check()                                what does not fit together, as text; [] for a whole log

A line that is no record (the outcome, the speed) stands in `log.other`. Blanks between the columns of S4's samples
do not matter; an ident may have capital letters.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import TypeVar

STEP = {"E": (1, 0), "W": (-1, 0), "N": (0, -1), "S": (0, 1)}
OTHER_END = {"E": "W", "W": "E", "N": "S", "S": "N"}


@dataclass(frozen=True)
class Record:
    """A line: its cycle and tile."""

    cycle: int
    x: int
    y: int


@dataclass(frozen=True)
class Payload:
    """What a wavelet carries. `index` is the high half, `data` the low one."""

    ctrl: bool
    index: int
    data: int
    half: bool
    ident: int


@dataclass(frozen=True)
class Landing(Record):
    """A wavelet lands on a router from a link (E W N S, R from the core). `kind` is hwtile or iotile."""

    kind: str
    color: int
    link: str
    payload: Payload
    flip: bool


@dataclass(frozen=True)
class Wave(Record):
    """A wavelet in a router: `landing` is its link or "-", `departing` the links by which it leaves."""

    color: int
    payload: Payload
    landing: str
    departing: str
    flip: bool
    to_core: str  # "", "q" or "router"


@dataclass(frozen=True)
class Issue(Record):
    """An instruction is decoded. `operands` are the words behind Dest:, Src0: … Imm:, by their names."""

    number: int
    pc: int
    task: int
    ut: int | None
    opcode: str
    operands: dict[str, str]


@dataclass(frozen=True)
class Execute(Record):
    """An element executes: `values` in hex by operand, `flags` of u o x i z, `unit` of the SIMD units."""

    number: int
    element: int
    pc: int
    task: int
    ut: int | None
    opcode: str
    values: dict[str, int]
    flags: str
    unit: str


@dataclass(frozen=True)
class Idle(Record):
    """A tile executes nothing after a cycle in which it did."""


@dataclass(frozen=True)
class Stall(Record):
    """Something is held up. `queue` is the input queue that is empty, or None."""

    what: str
    color: int | None
    queue: int | None


@dataclass(frozen=True)
class Write(Record):
    """A core writes a wavelet to an output queue."""

    color: int
    queue: int


@dataclass(frozen=True)
class Send(Record):
    """An output queue sends a wavelet to its router, which gives it its ident."""

    color: int
    ident: int
    queue: int


@dataclass(frozen=True)
class Backpressure(Record):
    color: int
    queue: int


@dataclass(frozen=True)
class Delivery(Record):
    """A router hands a wavelet to its core; `queue` None where a filter dropped it."""

    color: int
    queue: int | None


@dataclass(frozen=True)
class Switch(Record):
    """A switch moves from a position to another; `links` are those of both. `why`: init, advance, reset, flip."""

    color: int
    side: str  # "input" or "output"
    old: int
    new: int
    links: tuple[str, str]
    why: str
    payload: Payload | None


@dataclass(frozen=True)
class Teardown(Record):
    color: int
    entered: bool


# --- lines ------------------------------------------------------------------------------------------------------------

_HEAD = re.compile(r"@(?P<cycle>\d+) P(?P<x>\d+)\.(?P<y>\d+)(?: \((?P<kind>\w+)\)|:) (?P<rest>.*)")
_DIM = re.compile(r"@\d+ dimX=(\d+), dimY=(\d+)")
_PAYLOAD = (
    r"ctrl=(?P<ctrl>[01]), idx=(?P<idx>[0-9a-fA-F]{4}), data=(?P<data>[0-9a-fA-F]{4}) \([^()]*\([^()]*\)\)"
    r"(?:, half=(?P<half>[01]))?, ident=(?P<ident>[0-9a-fA-F]{16})"
)
_SLOTS = r"/(?P<{}>[E ][N ][W ][S ][R ])/"
_LAND = re.compile(rf"landing C(?P<color>\d+) from link (?P<link>[WESNR]), {_PAYLOAD}(?:, lf=(?P<lf>[01]))?")
_WAVE = re.compile(
    rf"wavelet C(?P<color>\d+) {_PAYLOAD} landing=(?P<landing>[RENWS-]) departing={_SLOTS.format('departing')}"
    r"(?P<lf>, lf=1)?(?:, to_ce_from_(?P<to>q|router))?"
)
_POSITIONS = r"(?P<old>\d)=/(?P<from>.{5})/ -> (?P<new>\d)=/(?P<to>.{5})/ \((?P<why>\w+)\)"
_SWITCH = re.compile(rf"router: C(?P<color>\d+) : (?P<side>input|output) switch:? {_POSITIONS}(?: {_PAYLOAD})?")
_DOWN = re.compile(r"router: C(?P<color>\d+) : teardown (?P<what>entered|left)")
_CORE = re.compile(
    r"Id: \d+, Instr: (?P<number>\d+), Seq: (?P<seq>\d+), Pipe: \d+, Msg: \[ ?(?P<stage>IS|EX) OP\](?: \|)? "
    r"0x(?P<pc>[0-9a-fA-F]+): T(?P<task>\d+)(?:\.UT(?P<ut>\d))?\s+(?P<op>\w+)(?P<rest>.*)"
)
_IDLE = re.compile(r".*\[EX OP\] IDLE")
_STARVED = re.compile(r".*Msg: (?P<what>Not enough wavelets \(\d+/\d+\) for SRC\d with C(?P<color>\d+), IN_Q\[(?P<queue>\d)\].*)")
_STALL = re.compile(r".*Pipe: \d+, Msg: stall: (?P<what>.*)")
_WRITE = re.compile(r".*Writing wavelet C(?P<color>\d+) .* to OUT_Q\[(?P<queue>\d)\]")
_SEND = re.compile(r".*Sending wavelet C(?P<color>\d+) .* ident:(?P<ident>[0-9a-fA-F]{16}) on OUT_Q\[(?P<queue>\d)\]")
_PRESSED = re.compile(r".*Backpressure on C(?P<color>\d+) for OUT_Q\[(?P<queue>\d)\]")
_DELIVER = re.compile(r".*Delivering wavelet C(?P<color>\d+) .* (?:to IN_Q\[(?P<queue>\d)\]|dropped by a filter)")
_OPERAND = re.compile(r"(?P<name>Dest|Src\d|Imm):(?P<value>\S*)")
_FLAGS = re.compile(r"\[(?P<flags>[uoxiz ]{5})\] (?P<unit>U\S+)\s*$")

Match = re.Match[str]


def _payload(m: Match) -> Payload:
    return Payload(m["ctrl"] == "1", int(m["idx"], 16), int(m["data"], 16), m["half"] == "1", int(m["ident"], 16))


def _land(at: tuple[int, int, int], m: Match, kind: str) -> Record:
    return Landing(*at, kind, int(m["color"]), m["link"], _payload(m), m["lf"] == "1")


def _wave(at: tuple[int, int, int], m: Match, kind: str) -> Record:
    departing = m["departing"].replace(" ", "")
    return Wave(*at, int(m["color"]), _payload(m), m["landing"], departing, bool(m["lf"]), m["to"] or "")


def _switch(at: tuple[int, int, int], m: Match, kind: str) -> Record:
    links = m["from"].replace(" ", ""), m["to"].replace(" ", "")
    payload = None if m["ctrl"] is None else _payload(m)
    return Switch(*at, int(m["color"]), m["side"], int(m["old"]), int(m["new"]), links, m["why"], payload)


def _core(at: tuple[int, int, int], m: Match, kind: str) -> Record:
    operands = {k["name"]: k["value"] for k in _OPERAND.finditer(m["rest"]) if k["value"]}
    number, pc, task, ut = int(m["number"]), int(m["pc"], 16), int(m["task"]), _number(m, "ut")
    if m["stage"] == "IS":
        return Issue(*at, number, pc, task, ut, m["op"], operands)
    end = _FLAGS.search(m["rest"])
    flags, unit = ("", "") if end is None else (end["flags"].replace(" ", ""), end["unit"])
    values = {name: int(value, 16) for name, value in operands.items()}
    return Execute(*at, number, int(m["seq"]), pc, task, ut, m["op"], values, flags, unit)


def _number(m: Match, name: str) -> int | None:
    return None if m[name] is None else int(m[name])


Maker = Callable[[tuple[int, int, int], Match, str], Record]
FORMS: list[tuple[re.Pattern[str], Maker]] = [
    (_LAND, _land),
    (_WAVE, _wave),
    (_SWITCH, _switch),
    (_DOWN, lambda at, m, _: Teardown(*at, int(m["color"]), m["what"] == "entered")),
    (_CORE, _core),
    (_IDLE, lambda at, m, _: Idle(*at)),
    (_STARVED, lambda at, m, _: Stall(*at, m["what"], int(m["color"]), int(m["queue"]))),
    (_STALL, lambda at, m, _: Stall(*at, m["what"], None, None)),
    (_WRITE, lambda at, m, _: Write(*at, int(m["color"]), int(m["queue"]))),
    (_SEND, lambda at, m, _: Send(*at, int(m["color"]), int(m["ident"], 16), int(m["queue"]))),
    (_PRESSED, lambda at, m, _: Backpressure(*at, int(m["color"]), int(m["queue"]))),
    (_DELIVER, lambda at, m, _: Delivery(*at, int(m["color"]), _number(m, "queue"))),
]


def parse(line: str) -> Record | None:
    """The record of a line, or None for a line that is none."""
    head = _HEAD.fullmatch(line.rstrip("\n"))
    if head is None:
        return None
    at = int(head["cycle"]), int(head["x"]), int(head["y"])
    for form, make in FORMS:
        m = form.fullmatch(head["rest"])
        if m is not None:
            return make(at, m, head["kind"] or "")
    return None


# --- logs and paths ---------------------------------------------------------------------------------------------------

R = TypeVar("R", bound=Record)


@dataclass(frozen=True)
class Hop:
    """A stay in one router: it came in by `link` in cycle `landed`, and left by links at cycles."""

    x: int
    y: int
    color: int
    link: str
    landed: int
    left: tuple[tuple[int, str], ...]


@dataclass(frozen=True)
class Path:
    """A wavelet from its birth to its ends. `ends` are (kind, cycle, x, y): "core" (handed over), "edge" (left the
    layout), "gone" (a router took and discarded it), "held" (still in a router, or the operand of an adder)."""

    ident: int
    born: Send | None
    hops: tuple[Hop, ...]
    ends: tuple[tuple[str, int, int, int], ...]


@dataclass
class Log:
    """The records of a log, in its order."""

    records: list[Record] = field(default_factory=list)
    other: list[str] = field(default_factory=list)
    width: int = 0
    height: int = 0

    def of(self, kind: type[R]) -> list[R]:
        return [r for r in self.records if isinstance(r, kind)]

    def paths(self) -> dict[int, Path]:
        """Each wavelet's path, from the records of hwtile. Raises nothing: what is missing is missing."""
        sends: dict[int, Send] = {s.ident: s for s in self.of(Send)}
        waves: dict[int, list[Wave]] = {}
        for w in self.of(Wave):
            waves.setdefault(w.payload.ident, []).append(w)
        return {ident: self._path(ident, sends.get(ident), found) for ident, found in waves.items()}

    def _path(self, ident: int, born: Send | None, waves: list[Wave]) -> Path:
        # A wavelet may pass a router again, and lie there on two colors; it lands on each once before it leaves.
        hops: list[Hop] = []
        ends: list[tuple[str, int, int, int]] = []
        open_: dict[tuple[int, int, int], int] = {}
        gone: set[int] = set()
        for w in waves:
            key = (w.x, w.y, w.color)
            if w.landing != "-":
                open_[key] = len(hops)
                hops.append(Hop(w.x, w.y, w.color, w.landing, w.cycle, ()))
                continue
            number = open_.get(key)
            if number is None:  # the landing lies before the records begin
                number = open_[key] = len(hops)
                hops.append(Hop(w.x, w.y, w.color, "-", w.cycle, ()))
            h = hops[number]
            left = h.left + tuple((w.cycle, link) for link in w.departing)
            hops[number] = Hop(h.x, h.y, h.color, h.link, h.landed, left)
            if not w.departing:
                gone.add(number)
        for number, h in enumerate(hops):
            for cycle, link in h.left:
                if link == "R":
                    ends.append(("core", cycle, h.x, h.y))
                elif not self._inside(h.x + STEP[link][0], h.y + STEP[link][1]):
                    ends.append(("edge", cycle, h.x, h.y))
            if number in gone:
                ends.append(("gone", h.landed, h.x, h.y))
            elif not h.left:
                ends.append(("held", h.landed, h.x, h.y))
        return Path(ident, born, tuple(hops), tuple(ends))

    def _inside(self, x: int, y: int) -> bool:
        return 0 <= x < self.width and 0 <= y < self.height

    def check(self) -> list[str]:
        """What does not fit together in a log with hwtile and landing records of all tiles and cycles: a landing
        without a departure one cycle before on the other side of the link, a departure without its landing, a
        wavelet without a birth, a link that carries two wavelets in a cycle, records that disagree."""
        found: list[str] = []
        last = -1
        for r in self.records:
            if r.cycle < last:
                found.append(f"a record of cycle {r.cycle} after one of cycle {last}")
            last = max(last, r.cycle)
        used: set[tuple[int, int, int, str]] = set()
        for w in self.of(Wave):
            for link in w.departing:
                if (w.cycle, w.x, w.y, link) in used:
                    found.append(f"@{w.cycle} P{w.x}.{w.y}: two wavelets leave by {link}")
                used.add((w.cycle, w.x, w.y, link))
        for path in self.paths().values():
            found += self._check_path(path)
        landed = {(w.cycle, w.x, w.y, w.color, w.landing, w.payload.ident) for w in self.of(Wave) if w.landing != "-"}
        lands = {(k.cycle, k.x, k.y, k.color, k.link, k.payload.ident) for k in self.of(Landing)}
        if lands and lands != landed:
            found.append(f"{len(lands ^ landed)} landings stand only in one class of records")
        handed = sorted((d.cycle, d.x, d.y) for d in self.of(Delivery))
        taken = sorted((c, x, y) for p in self.paths().values() for kind, c, x, y in p.ends if kind == "core")
        if handed != taken:
            found.append(f"{len(handed)} wavelets were handed to cores, {len(taken)} left routers for them")
        return found

    def _check_path(self, path: Path) -> list[str]:
        name = f"{path.ident:016x}"
        if path.born is None:
            return [f"{name} was never sent"]
        if not path.hops or path.hops[0].link != "R":
            return [f"{name} does not begin on link R"]
        first, born = path.hops[0], path.born
        found = []
        if (first.x, first.y, first.landed) != (born.x, born.y, born.cycle + 1):
            found.append(f"{name} does not land on link R one cycle after it was sent")
        arrivals = [(h.landed, h.x, h.y, h.link) for h in path.hops if h.link != "R"]
        departures = []
        for h in path.hops:
            for cycle, link in h.left:
                if cycle <= h.landed:
                    found.append(f"{name} leaves P{h.x}.{h.y} before it has landed")
                x, y = (h.x + STEP[link][0], h.y + STEP[link][1]) if link != "R" else (-1, -1)
                if self._inside(x, y):
                    departures.append((cycle + 1, x, y, OTHER_END[link]))
        # A swap may lay one arrival on two colors; each departure has one landing or more.
        if set(arrivals) != set(departures):
            found.append(f"{name} lands where it was not sent, or is lost on a link")
        if len(departures) != len(set(departures)):
            found.append(f"{name} goes twice over one link in a cycle")
        return found


def read(lines: Iterable[str]) -> Log:
    """A log from its lines."""
    log = Log()
    for line in lines:
        record = parse(line)
        if record is not None:
            log.records.append(record)
            continue
        dim = _DIM.match(line)
        if dim is not None:
            log.width, log.height = int(dim[1]), int(dim[2])
        log.other.append(line.rstrip("\n"))
    return log
