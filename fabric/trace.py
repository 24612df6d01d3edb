"""Log records of a run (`debug=`), in the grammar of tools.md and S4:18592-18745. Tracing never changes timing.

    landing      a wavelet lands on a color's buffer
    router       switches: their start, each move, teardown
    inst_trace   instructions: decode [IS OP] in the cycle of the issue slot, execution [EX OP] three cycles later, IDLE
    stalls       what holds a thread or a queue up
    hwtile       all lines of pipeline and queues: inst_trace, stalls, and the wavelets' departures, writes and sends

Records come by cycle; those of one cycle by tile, then in the order router, landings, wavelets, stalls, decode,
execution, queues. A tile whose pipeline executes nothing after a cycle in which it did writes one IDLE.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING

from diag.report import fail, suggest
from fabric.arch import LINK_LETTER
from fabric.descriptor import FABIN, FABOUT, FIFO
from fabric.disasm import operand
from fabric.encode import Instr
from fabric.fpflags import flags
from fabric.isa import TYPES
from fabric.rects import Rect
from fabric.reference.operands import Fifo, Receive, Send
from fabric.watch import Watcher

if TYPE_CHECKING:
    from fabric.reference.core import Core
    from fabric.reference.fabric import Fabric
    from fabric.reference.prepared import Prepared
    from fabric.reference.tile import Tile
    from fabric.reference.vectors import VectorOp
    from fabric.reference.wavelet import Wavelet

CLASSES = ("landing", "inst_trace", "router", "stalls", "hwtile")
ROUTER, LANDING, WAVE, STALL, DECODE, EXECUTE, QUEUE = range(7)
SLOTS = "ENWSR"
NO_FLAGS = "     "  # fabric.fpflags


def classes(value: str) -> frozenset[str]:
    """The classes of a debug= value. Raises UserError (FB520)."""
    names = [name.strip() for name in value.split(",") if name.strip()]
    for name in names:
        if name not in CLASSES:
            raise fail("FB520", None, name=name, hint=suggest(name, CLASSES) or f"the classes are {', '.join(CLASSES)}")
    return frozenset(names)


def half_text(bits: int) -> str:
    """An fp16 pattern as logs show it: sign, significand, exponent, as `+0.000(-15)`."""
    field = bits >> 10 & 31
    significand = (1 if field else 0) + (bits & 0x3FF) / 1024
    return f"{'-' if bits & 0x8000 else '+'}{significand:.3f}({field - 15})"


def payload(wavelet: Wavelet) -> str:
    """`ctrl=0, idx=0000, data=0000 (+0.000(-15)), half=0, ident=…`."""
    return (
        f"ctrl={int(wavelet.ctrl)}, idx={wavelet.high:04x}, data={wavelet.low:04x} ({half_text(wavelet.low)}), "
        f"half={int(wavelet.half)}, ident={wavelet.ident:016x}"
    )


def slots(mask: int) -> str:
    """A mask of ports as the five columns E N W S R."""
    return "".join(letter if mask >> LINK_LETTER.index(letter) & 1 else " " for letter in SLOTS)


class Trace(Watcher):
    """Observer and probe that write records. `first` and `last` bound the cycles, `rect` the tiles."""

    def __init__(
        self,
        debug: Iterable[str],
        write: Callable[[str], object],
        first: int = 0,
        last: int | None = None,
        rect: Rect | None = None,
    ) -> None:
        names = set(debug)
        everything = "hwtile" in names
        self.landings = "landing" in names
        self.waves = everything
        self.queues = everything
        self.switches = "router" in names
        self.instructions = everything or "inst_trace" in names
        self.stalls = everything or "stalls" in names
        self.first = first
        self.last = last
        self.rect = rect
        self._write = write
        self._pending: dict[int, list[tuple[int, int, str]]] = {}
        self._executing: dict[int, dict[int, Tile]] = {}  # cycle -> tiles that execute in it, by index
        self.wants = frozenset(
            hook
            for on, hooks in (
                (self.landings, ("landing",)),
                (self.waves, ("landing", "wavelet")),
                (self.switches, ("switch_change", "teardown")),
                (self.queues, ("to_core", "sending", "group")),
                (self.instructions, ("scalar", "vector_started", "group")),
                (self.stalls, ("backpressure", "vector_started", "group", "waiting", "operand_stall")),
            )
            if on
            for hook in hooks
        )

    @property
    def needs_core(self) -> bool:
        """A core has to be watched."""
        return self.instructions or self.stalls or self.queues

    def _add(self, cycle: int, tile: Tile, rank: int, text: str, core: bool = False) -> None:
        if cycle < self.first or (self.last is not None and cycle > self.last) or not self.covers(tile):
            return
        if cycle not in self._pending:
            self.flush(tile.fabric.now)
        where = f"@{cycle} {tile.name}: " if core else f"@{cycle} {tile.name} (hwtile) "
        self._pending.setdefault(cycle, []).append((tile.index, rank, where + text))

    def flush(self, before: int | None = None) -> None:
        """Writes the records of the cycles before one, or all."""
        while True:
            cycle = min(self._pending, default=None)
            if cycle is None or (before is not None and cycle >= before):
                return
            records = self._pending.pop(cycle, [])
            for tile in self._executing.pop(cycle - 1, {}).values():
                if tile.index not in self._executing.get(cycle, {}):
                    self._idle(cycle, tile, records)
            executing = self._executing.get(cycle)
            if executing is not None and cycle + 1 not in self._pending:
                self._pending[cycle + 1] = []  # so that the tiles that go idle then are seen
            for _, _, text in sorted(records, key=lambda r: r[:2]):
                self._write(text + "\n")

    def _idle(self, cycle: int, tile: Tile, records: list[tuple[int, int, str]]) -> None:
        if cycle >= self.first and (self.last is None or cycle <= self.last) and self.covers(tile):
            text = f"@{cycle} {tile.name}: Id: {tile.index}, Msg: [EX OP] IDLE"
            records.append((tile.index, EXECUTE, text))

    # --- the fabric --------------------------------------------------------------------------------------------------

    def begin(self, fabric: Fabric) -> None:
        """Before the run: where the switches stand."""
        if not self.switches:
            return
        for tile in sorted((t for t in fabric.switching() if self.covers(t)), key=lambda t: t.index):
            for channel in tile.router.channels:
                if channel.has_positions():
                    for side, at in (("input", channel.in_pos), ("output", channel.out_pos)):
                        place = f"{at}=/{channel.describe(side, at)}/"
                        self._switch(fabric.now, tile, channel.color, side, f"{place} -> {place} (init)")

    def _switch(self, now: int, tile: Tile, color: int, side: str, text: str) -> None:
        colon = ":" if side == "input" else ""  # as the original writes it
        self._add(now, tile, ROUTER, f"router: C{color} : {side} switch{colon} {text}")

    def landing(self, now: int, tile: Tile, color: int, port: int, wavelet: Wavelet) -> None:
        link = LINK_LETTER[port]
        if self.landings:
            text = f"landing C{color} from link {link}, {payload(wavelet)}, lf={int(wavelet.lf)}"
            self._add(now, tile, LANDING, text)
        if self.waves:
            flip = ", lf=1" if wavelet.lf else ""
            self._add(now, tile, WAVE, f"wavelet C{color} {payload(wavelet)} landing={link} departing=/     /{flip}")

    def wavelet(self, now: int, tile: Tile, color: int, wavelet: Wavelet, departing: int) -> None:
        if self.waves:
            ports = slots(departing)
            to_core = ", to_ce_from_router" if ports[-1] == "R" else ""
            self._add(now, tile, WAVE, f"wavelet C{color} {payload(wavelet)} landing=- departing=/{ports}/{to_core}")

    def switch_change(
        self, now: int, tile: Tile, color: int, side: str, old: int, new: int, why: str, wavelet: Wavelet | None
    ) -> None:
        if self.switches:
            channel = tile.router.channels[color]
            moved = f"{old}=/{channel.describe(side, old)}/ -> {new}=/{channel.describe(side, new)}/ ({why})"
            self._switch(now, tile, color, side, moved + (f" {payload(wavelet)}" if wavelet is not None else ""))

    def teardown(self, now: int, tile: Tile, color: int, entered: bool) -> None:
        if self.switches:
            self._add(now, tile, ROUTER, f"router: C{color} : teardown {'entered' if entered else 'left'}")

    def to_core(self, now: int, tile: Tile, color: int, queue: int | None, wavelet: Wavelet) -> None:
        if self.queues:
            text = "dropped by a filter" if queue is None else f"to IN_Q[{queue}]"
            self._add(now, tile, QUEUE, f"Id: {tile.index}, Msg: Delivering wavelet C{color} {_short(wavelet)} {text}", True)

    def sending(self, now: int, tile: Tile, queue: int, wavelet: Wavelet) -> None:
        if self.queues:
            ident = f"ident:{wavelet.ident:016x}"
            text = f"Sending wavelet C{wavelet.color} {_short(wavelet)} {ident} on OUT_Q[{queue}]"
            self._add(now, tile, QUEUE, f"Id: {tile.index}, Msg: {text}", True)

    def backpressure(self, now: int, tile: Tile, queue: int, color: int) -> None:
        if self.stalls:
            self._add(now, tile, QUEUE, f"Id: {tile.index}, Msg: Backpressure on C{color} for OUT_Q[{queue}]", True)

    # --- cores -------------------------------------------------------------------------------------------------------

    def _decode(self, now: int, core: Core, instr: Instr, pc: int, thread: str, number: int) -> None:
        names = [f"Dest:{_name(instr, 'd') if instr.row.dest else ''}"]
        count = len(instr.row.sources)
        for i in range(3):
            immediate = instr.imm is not None and i == count - 1
            names.append(f"Src{i}:{_name(instr, f's{i}') if i < count and not immediate else ''}")
        imm = [] if instr.imm is None else [f"0x{instr.imm:x}"]
        names.append(f"Imm:{','.join(imm + [f'0x{a:x}' for a in instr.args])}")
        text = f"Pipe: 3, Msg: [IS OP] | 0x{pc:04x}: {thread} {instr.row.name.upper()} {' '.join(names)}"
        tile = core.tile
        self._add(now, tile, DECODE, f"Id: {tile.index}, Instr: {number}, Seq: 0, {text}", True)

    def _execute(
        self,
        now: int,
        core: Core,
        instr: Instr,
        pc: int,
        thread: str,
        number: int,
        seq: int,
        values: list[str],
        unit: int,
        flag: str = NO_FLAGS,
    ) -> None:
        cycle = now + core.timing.decode_to_execute
        tile = core.tile
        if self.covers(tile):
            self._executing.setdefault(cycle, {})[tile.index] = tile
            self._pending.setdefault(cycle, [])
        what = " ".join([instr.row.name.upper(), *values, f"[{flag}]", f"U{unit}"])
        text = f"Instr: {number}, Seq: {seq}, Pipe: 6, Msg: [EX OP] | 0x{pc:04x}: {thread} {what}"
        self._add(cycle, tile, EXECUTE, f"Id: {tile.index}, {text}", True)

    def scalar(self, now: int, core: Core, prepared: Prepared, pc: int, sources: list[int] | None) -> None:
        if not self.instructions:
            return
        instr = prepared.instr
        number = core.number
        # A task that ends with this instruction has no id any more.
        thread = f"T{core.traced_task:02d}"
        self._decode(now, core, instr, pc, thread, number)
        dest = _dest_value(core, instr) if sources is not None else None
        values = _values(instr, dest, sources or [])
        if sources is None:
            values.append("(predicate false)")
        flag = _flags(instr, sources or [], dest)
        self._execute(now, core, instr, pc, thread, number, 0, values, 0, flag)

    def vector_started(self, now: int, core: Core, op: VectorOp, slot: bool) -> None:
        op.trace = core.number
        if self.instructions:
            self._decode(now, core, op.instr, op.pc, _thread(op), op.trace)

    def group(self, now: int, core: Core, op: VectorOp, n: int, conflict: bool) -> None:
        tile = core.tile
        if self.instructions:
            done = op.done if op.total < 0 else op.done - n
            for k in range(n):
                sources = [column[k] for column in op.seen if k < len(column)]
                made = op.made[k] if k < len(op.made) else None
                seq = 0 if op.total < 0 else done + k
                values = _values(op.instr, made, sources)
                # Of a reduction, and where the destination is read too, the running value is not seen here.
                whole = op.target is not None and not op.instr.row.reads_dest
                flag = _flags(op.instr, sources, made) if whole else NO_FLAGS
                self._execute(now, core, op.instr, op.pc, _thread(op), op.trace, seq, values, k, flag)
        if self.queues and isinstance(op.target, Send):
            target = op.target
            for value in op.made:
                data = f"idx={value >> 16:04x}, data={value & 0xFFFF:04x}"
                text = f"Writing wavelet C{target.output.color} {data} to OUT_Q[{target.queue}]"
                self._add(now + target.delay, tile, QUEUE, f"Id: {tile.index}, Msg: {text}", True)
        if self.stalls and conflict:
            self._add(now, tile, STALL, f"Id: {tile.index}, Pipe: 3, Msg: stall: bank conflict", True)

    def waiting(self, now: int, core: Core, op: VectorOp) -> None:
        if not self.stalls:
            return
        tile = core.tile
        if op.said == op.done:
            return
        op.said = op.done
        operand_ = op.blocker(now)
        if operand_ is None:
            return
        where = f"Id: {tile.index}, Instr: {op.trace}, Seq: {op.done}, Pipe: 3, Msg: "
        if operand_.kind == FABIN:
            assert isinstance(operand_, Receive)
            source = op.inputs.index(operand_)
            q = operand_.input
            text = f"Not enough wavelets (0/1) for SRC{source} with C{q.color}, IN_Q[{q.number}], SIMD-{op.width}"
        elif operand_.kind == FABOUT:
            text = f"stall: OUT_Q[{operand_.queue}] is full"
        elif operand_.kind == FIFO:
            assert isinstance(operand_, Fifo)
            text = f"stall: FIFO at 0x{operand_.block:04x} is {'full' if operand_.pushes else 'empty'}"
        else:
            return
        self._add(now, tile, STALL, where + text, True)

    def operand_stall(self, now: int, core: Core, pc: int, until: int) -> None:
        if self.stalls:
            text = f"stall: 0x{pc:04x} waits for a register until @{until}"
            self._add(now, core.tile, STALL, f"Id: {core.tile.index}, Pipe: 3, Msg: {text}", True)


def _short(wavelet: Wavelet) -> str:
    return f"ctrl={int(wavelet.ctrl)}, idx={wavelet.high:04x}, data={wavelet.low:04x}"


def _thread(op: VectorOp) -> str:
    return f"T{op.task:02d}" + ("" if op.ut is None else f".UT{op.ut}")


def _name(instr: Instr, slot: str) -> str:
    """An operand in the form of S4:18642: [DDS1], [S0DS1], R5, and pairs as R13,R12."""
    text = operand(instr, slot)
    for ours, theirs in (("[DD", "[DDS"), ("[SA", "[S0DS"), ("[SB", "[S1DS")):
        if text.startswith(ours):
            return theirs + text[len(ours) :]
    if text[0] in "DQ" and text[1:].isdigit():
        low, words = int(text[1:]), 2 if text[0] == "D" else 4
        return ",".join(f"R{low + k}" for k in reversed(range(words)))
    return text


def _values(instr: Instr, dest: int | None, sources: Sequence[int]) -> list[str]:
    """`Dest:3f800000 Src0:…` with the digits of the operand's size."""
    row = instr.row
    out = []
    if dest is not None and row.dest is not None:
        out.append(f"Dest:{dest:0{_digits(row.dest)}x}")
    for i, value in enumerate(sources):
        out.append(f"Src{i}:{value:0{_digits(row.sources[i])}x}")
    return out


def _flags(instr: Instr, sources: Sequence[int], result: int | None) -> str:
    row = instr.row
    if result is None or row.name[0] not in "fixu" or row.semantics is None:
        return NO_FLAGS
    return flags(row.name, row.sources, row.dest, sources, result)


def _digits(kind: str) -> int:
    return max(4 * TYPES[kind].words, 1) if TYPES[kind].file in "RDQ" else 1


def _dest_value(core: Core, instr: Instr) -> int | None:
    from fabric.reference.prepared import reader

    if instr.row.dest is None or TYPES[instr.row.dest].file not in ("R", "D", "Q", "P"):
        return None
    return reader(instr.row.dest, instr.dest)(core)
