"""Vector instructions: the operands of a recognised pattern, and the instruction itself."""

from __future__ import annotations

from collections.abc import Callable

from carbide import select
from carbide.address import signed16
from carbide.builder import Value
from carbide.ir import (
    Addr,
    Background,
    Data,
    Fabric,
    FifoRef,
    Imm,
    IterRef,
    Mem1,
    Mem4,
    Operand,
    Reg,
    StreamRef,
    Vector,
)
from carbide.patterns import Memory, Pattern, Queue, Running, Scalar
from carbide.recognise import Recognition
from carbide.select import file_of
from fabric.descriptor import MAX_DIMENSIONS
from fabric.isa import BY_NAME, TYPES
from tungsten import tree as t
from tungsten.types import Scalar as ScalarType

Extent = int | Reg | None
After = Callable[[], None]


def _nothing() -> None:
    """Nothing is left to do after the instruction."""


class Vectors(Recognition):
    """Writing vector instructions."""

    # --- extents

    def extent(self, p: Pattern) -> Extent:
        """How many elements: a constant, a register, or None without end."""
        if p.endless:
            return None
        total = p.total
        if total is not None:
            return total
        (running,) = [x for x in p.levels if x.count is None]
        assert running.index is not None and running.low is not None and running.high is not None
        return self.trip_count(running.index.type, self.value(running.low), self.value(running.high))

    def trip_count(self, kind: object, low: Value, high: Value) -> Reg:
        """high - low, 0 when that is negative, for bounds of a 16-bit type."""
        assert isinstance(kind, ScalarType)
        if isinstance(low, Imm) and low.bits == 0:
            if not kind.is_signed:
                return self.in_register(high, "R")
            return self.compute("maxs16", "R", (high, Imm(0)))
        n = self.compute("sub16", "R", (high, low))
        out = self.reg("R", "count")
        self.move(out, n)
        less = self.reg("P")
        self.op(select.compare("<", kind), less, (self.in_register(low, "R"), high))
        self.op("mov16", out, (Imm(0),), pred=less, negated=True)
        return out

    # --- operands

    def memory(self, p: Pattern, m: Memory, extent: Extent) -> Mem1 | Mem4 | IterRef:
        """Elements in memory as a vector operand."""
        a = m.start
        walking = self._walking(p, m, extent)
        if walking is not None:
            return walking
        register, rest = self.point(a.base, a.offset, a.terms)
        if register is None:
            base: Addr | Reg = rest if isinstance(rest, Addr) else Addr(None, rest)
        elif rest == 0:
            base = register
        else:
            base = self.address("add16", (register, Imm(rest) if isinstance(rest, int) else rest))
        dims = self.layout(p, m)
        if len(dims) > 1:
            return Mem4(base, dims, m.words, a.base.root)
        count, stride = dims[0]
        return Mem1(base, 0xFFFF if extent is None else extent, stride, m.words, a.base.root)

    def _walking(self, p: Pattern, m: Memory, extent: Extent) -> IterRef | None:
        """Elements that move with the innermost loop as a descriptor that keeps its position from round to round:
        nothing has to be set in the loop."""
        a = m.start
        loop = self.steps_with(a, m.words)
        if loop is None or not isinstance(extent, int):
            return None
        step = (1, signed16(a.terms[0].coef) // m.words)
        dims = [step] if extent == 1 else [*self.layout(p, m), step]
        if len(dims) > MAX_DIMENSIONS:
            return None
        assert isinstance(loop.low, Imm) and a.base.data is not None
        start = Addr(a.base.data, a.offset + loop.low.bits * a.terms[0].coef & 0xFFFF)
        descriptor, block = self.kernel.storage.walk(f"{a.base.data.name}.step", start, dims)
        loop.walks.append(block)
        return IterRef(descriptor, extent, a.base.root)

    def queue(self, source: t.Source, extent: Extent) -> Vector:
        """A socket, FIFO, iterator or stream as a source."""
        storage = self.kernel.storage
        if isinstance(source, t.Socket):
            return Fabric(source.in_queue or 0, extent)
        if isinstance(source, t.Fifo):
            return FifoRef(storage.fifo(source), extent)
        if isinstance(source, t.Iterator):
            return IterRef(storage.iterator(source)[0], extent)
        assert extent is not None
        return StreamRef(Addr(storage.object(source.symbol, self.owner)), extent)

    def destination(self, s: t.Send, extent: Extent) -> Vector:
        """A socket or FIFO as a destination."""
        if isinstance(s.dest, t.Socket):
            return Fabric(s.dest.out_queue or 0, extent, s.control, s.flip)
        return FifoRef(self.kernel.storage.fifo(s.dest), extent)

    def _one_place(self, p: Pattern, place: Addr | Reg, extent: Extent, alone: bool) -> Mem1 | Mem4:
        """The same place for every element. alone: one element a step, since each needs the one before."""
        words, root = p.words, p.place.start.base.root if p.place is not None else None
        if alone and isinstance(extent, int) and extent > 1:
            return Mem4(place, ((1, 0), (extent, 0)), words, root)
        return Mem1(place, 0xFFFF if extent is None else extent, 0 if extent != 1 else 1, words, root)

    def place_of(self, m: Memory) -> Addr | Reg:
        """The address of a target that does not move."""
        at = self.address_value(m.start.base, m.start.offset, m.start.terms)
        return Addr(None, at.bits) if isinstance(at, Imm) else at

    def _sources(self, p: Pattern, extent: Extent, running: Operand | None) -> tuple[Operand, ...]:
        """The operands in the order of the row."""
        row = BY_NAME[p.row]
        scalars: dict[int, Value] = {}
        for k, s in enumerate(p.sources):
            if isinstance(s, Scalar):
                v = self.value(s.expr)
                last = k + 1 == len(p.sources) and row.immediate
                scalars[k] = v if last else self.in_register(v, TYPES[row.sources[k]].file)
        out: list[Operand] = []
        for k, s in enumerate(p.sources):
            if isinstance(s, Scalar):
                out.append(scalars[k])
            elif isinstance(s, Memory):
                out.append(self.memory(p, s, extent))
            elif isinstance(s, Queue):
                out.append(self.queue(s.recv.source, extent))
            else:
                assert isinstance(s, Running) and running is not None
                out.append(running)
        self._note_meeting(out)
        return tuple(out)

    def _note_meeting(self, sources: list[Operand]) -> None:
        """Objects that are read together are placed in different banks."""
        roots: list[Data] = []
        for s in sources[:2]:
            if isinstance(s, Mem1 | Mem4) and isinstance(s.base, Addr) and s.base.data is not None:
                if not isinstance(s, Mem1) or s.stride != 0:
                    roots.append(s.base.data)
            elif isinstance(s, Mem1 | Mem4 | IterRef) and s.root is not None:
                roots.append(s.root)
        if len(roots) == 2 and roots[0] is not roots[1]:
            self.kernel.unit.meets.append((roots[0], roots[1]))

    # --- the instruction

    def write(self, p: Pattern, background: Background | None = None) -> After:
        """Writes a recognised pattern; what it returns is to be called where the instruction is known to be done."""
        if p.total == 0 and p.form != "dot":
            return _nothing
        extent = self.extent(p)
        if p.form == "queue":
            assert p.send is not None
            self._emit(p, self.destination(p.send, extent), self._sources(p, extent, None), background)
            return _nothing
        if p.form == "memory":
            assert p.place is not None
            self._emit(p, self.memory(p, p.place, extent), self._sources(p, extent, None), background)
            return _nothing
        if p.form == "dot":
            return self._write_dot(p, extent, background)
        if p.form == "running":
            return self._write_running(p, extent, background)
        return self._write_last(p, extent, background)

    def _emit(
        self, p: Pattern, dest: Reg | Vector | None, sources: tuple[Operand, ...], background: Background | None
    ) -> None:
        self.op(p.row, dest, sources, background=background)

    def _write_running(self, p: Pattern, extent: Extent, background: Background | None) -> After:
        assert p.target is not None
        file = file_of(p.target.type)
        if background is not None:
            temp = self._temporary(p) if p.place is None else None
            place = Addr(temp) if temp is not None else self.place_of(p.place) if p.place is not None else None
            assert place is not None
            if temp is not None:
                self.op(f"st{16 * p.words}", None, (self.value(p.target),), (Addr(temp),))
            operand = self._one_place(p, place, extent, True)
            self._emit(p, operand, self._sources(p, extent, operand), background)
            return self._fetch(p, temp)
        if p.place is None:
            assert isinstance(p.target, t.Var)
            register = self.variable(p.target.symbol)
            self._emit(p, register, self._sources(p, extent, register), None)
            return _nothing
        register = self.reg(file)
        start = p.place.start
        where = self.point(start.base, start.offset, start.terms)
        sources = self._sources(p, extent, register)
        bits = 16 * p.words
        if where[0] is None:
            assert isinstance(where[1], Addr)
            self.op(f"ld{bits}", register, (), (where[1],))
        else:
            self.op(f"ld{bits}x", register, (where[0],), (where[1],))
        self._emit(p, register, sources, None)
        if where[0] is None:
            self.op(f"st{bits}", None, (register,), (where[1],))
        else:
            self.op(f"st{bits}x", None, (where[0], register), (where[1],))
        return _nothing

    def _write_last(self, p: Pattern, extent: Extent, background: Background | None) -> After:
        if p.place is not None:
            operand = self._one_place(p, self.place_of(p.place), extent, False)
            self._emit(p, operand, self._sources(p, extent, None), background)
            return _nothing
        if background is None and len(p.sources) == 1:
            register = self.reg(select.FILES[p.words])
            if p.target is not None:
                assert isinstance(p.target, t.Var)
                register = self.variable(p.target.symbol)
            self._emit(p, register, self._sources(p, extent, None), None)
            return _nothing
        temp = self._temporary(p)
        if p.target is not None and not isinstance(extent, int):
            self.op(f"st{16 * p.words}", None, (self.value(p.target),), (Addr(temp),))
        operand = self._one_place(p, Addr(temp), extent, False)
        self._emit(p, operand, self._sources(p, extent, None), background)
        fetch = self._fetch(p, temp)
        if background is None:
            fetch()
            return _nothing
        return fetch

    def _write_dot(self, p: Pattern, extent: Extent, background: Background | None) -> After:
        """The sum goes to a register where its variable is one, else straight to memory."""
        if p.target is None:
            self._emit(p, None, self._sources(p, extent, None), background)
            return _nothing
        if background is None and p.place is None:
            assert isinstance(p.target, t.Var)
            self._emit(p, self.variable(p.target.symbol), self._sources(p, extent, None), None)
            return _nothing
        temp = self._temporary(p) if p.place is None else None
        sources = self._sources(p, extent, None)
        operand = self._one_place(p, Addr(temp) if p.place is None else self.place_of(p.place), 1, False)
        self._emit(p, operand, sources, background)
        return self._fetch(p, temp)

    def _temporary(self, p: Pattern) -> Data:
        """A word or two in memory for what a microthread makes of a variable in a register."""
        return self.kernel.storage.new(f"{self.routine.name}.received", p.words, "local")

    def _fetch(self, p: Pattern, temp: Data | None) -> After:
        """Brings the value of a temporary into its variable."""
        if temp is None or p.target is None:
            return _nothing
        target = p.target
        assert isinstance(target, t.Var)

        def fetch() -> None:
            self.op(f"ld{16 * p.words}", self.variable(target.symbol), (), (Addr(temp),))

        return fetch
