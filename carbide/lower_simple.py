"""Simple statements: assignments, accumulations, sums, sends, discards; receiving, and single transfers that run as
microthreads."""

from __future__ import annotations

from collections.abc import Callable

from carbide import patterns, select, walk
from carbide.address import Access
from carbide.builder import Value
from carbide.ir import Addr, Background, Imm, Mem1, Reg, Vector
from carbide.lower_call import Calls
from carbide.patterns import Pattern
from carbide.select import file_of, scalar
from carbide.tasks import in_background
from tungsten import tree as t
from tungsten.types import HP, SP, U32, Scalar


class Simple(Calls):
    """`waiting`: transfers of the current statement run as microthreads while the thread's task ends."""

    def statement_number(self, s: t.Stmt) -> None:
        """What is written from here on belongs to this statement."""
        self.number += 1
        self.span = s.span
        self.waiting = in_background(s, self.thread.deferred)

    def simple(self, s: t.Stmt) -> None:
        """An assignment, accumulation, sum, send or discard outside ∀."""
        if self.waiting and walk.transfers(s):
            p = self.recognise(s, (), True)
            if p is not None:
                self.transfer(p)
                return
        elif self.straight is not None and self.follows_vector():
            steps = self.recognise_all(s, (), True)
            if steps is not None and not (len(steps) == 1 and _is_store(steps[0])):
                for step in steps:
                    self.write(step)
                return
        if isinstance(s, t.Assign):
            self._assign_scalar(s)
        elif isinstance(s, t.Accumulate):
            self._accumulate_scalar(s)
        elif isinstance(s, t.Dot):
            self._dot_scalar(s)
        elif isinstance(s, t.Send):
            self._send_scalar(s)
        elif isinstance(s, t.Discard):
            self.value(s.value)

    def _assign_scalar(self, s: t.Assign) -> None:
        target = s.target
        if isinstance(target, t.StreamVar):
            where = Addr(self.kernel.storage.object(target.symbol, self.owner))
            self.op("st64", None, (self.value(s.value),), (where,))
        elif isinstance(target, t.BaseOf):
            pointer = self.kernel.storage.pointer(target.symbol, self.owner)
            self.op("st16", None, (self.value(s.value),), (Addr(pointer),))
        elif not isinstance(target.type, Scalar):
            self._copy_whole(s)
        elif isinstance(target, t.Var) and not self.in_memory(target.symbol):
            self.value_into(s.value, self.variable(target.symbol))
        else:
            self.assign(target, self.value(s.value))

    def _copy_whole(self, s: t.Assign) -> None:
        """A record or an array: as one value where it is small, else word by word."""
        assert isinstance(s.target, t.LValue) and isinstance(s.value, t.LValue)
        words, align = s.target.type.words, s.target.type.align
        whole = {1: Scalar("u16", 1, "uint"), 2: U32, 4: Scalar("u64", 4, "uint")}.get(words)
        if words == 0:
            return
        if whole is not None and align == min(words, 2):
            self.store(self.access(s.target), whole, self.load(self.access(s.value), whole))
            return
        p = self.recognise(s, ())
        if p is not None:
            self.write(p)
        else:
            self._copy_at_run_time(self.access(s.value), self.access(s.target), words)

    def _copy_at_run_time(self, source: Access, target: Access, words: int) -> None:
        """Two places of which only the run time knows how they lie: where they overlap in part, the copy begins at
        the end that keeps what is still to be read."""
        a = self.in_register(self.address_value(source.base, source.offset, source.terms), "R")
        b = self.in_register(self.address_value(target.base, target.offset, target.terms), "R")
        behind = self.reg("P")
        self.op("gtu16", behind, (b, a))
        last_a, last_b = (self.compute("add16", "R", (x, Imm(words - 1))) for x in (a, b))
        self.op("mov16", Mem1(last_b, words, -1, 1), (Mem1(last_a, words, -1, 1),), pred=behind)
        self.op("mov16", Mem1(b, words, 1, 1), (Mem1(a, words, 1, 1),), pred=behind, negated=True)

    def _accumulate_scalar(self, s: t.Accumulate) -> None:
        kind = scalar(s.target.type)
        file = file_of(kind)
        if s.factors is not None and kind.is_float:
            letter = select.letter(kind)
            row = ("fmss" if kind is SP else "fmsh") if s.op == "-" else f"fmac{letter}"
            values: tuple[Value, ...] = (self.value(s.factors[0]), self.value(s.factors[1]))
            if isinstance(values[0], Imm):
                values = (values[1], values[0])
        elif s.factors is not None:
            product = self.compute(select.binary("*", kind), file, (self.value(s.factors[0]), self.value(s.factors[1])))
            row, values = select.binary(s.op, kind), (product,)
        else:
            assert s.value is not None
            row, values = select.binary(s.op, kind), (self.value(s.value),)
        if isinstance(s.target, t.Var) and not self.in_memory(s.target.symbol):
            register = self.variable(s.target.symbol)
            self.compute(row, file, (register, *values), register)
            return
        place = self.pinned(self.access(s.target))
        before = self.load(place, s.target.type)
        self.store(place, s.target.type, self.compute(row, file, (before, *values)))

    def _dot_scalar(self, s: t.Dot) -> None:
        """A sum of a single term."""
        self._dot_step(s.a, s.b, s.keep, None if s.no_load else s.target)

    def _dot_step(self, a: t.Expr, b: t.Expr | None, keep: bool, target: t.LValue | None) -> None:
        halves = all(x is None or _is_half(x) for x in (a, b))
        letter, file, one = ("h", "R", 0x3C00) if halves else ("s", "D", 0x3F800000)
        left = self.in_register(self.value(_half_of(a) if halves else a), file)
        right = self.in_register(Imm(one) if b is None else self.value(_half_of(b) if halves else b), file)
        row = f"dot{letter}{'k' if keep else ''}{'' if target is not None else 'x'}"
        if target is None:
            self.op(row, None, (left, right))
            return
        out = self.reg("D")
        self.op(row, out, (left, right))
        self.assign(target, out)

    def _send_scalar(self, s: t.Send) -> None:
        row, v = select.move(s.value.type.words), self.value(s.value)
        dest = self.destination(s, 1)
        if self.waiting:
            self.in_microthread(lambda b: self.vector(row, dest, v, b))
        else:
            self.op(row, dest, (v,))

    # --- receiving

    def receive(self, node: t.Recv, into: Reg | None) -> Reg:
        """One element into a register: the main thread waits, or a microthread fetches it into memory."""
        words = node.type.words
        file = select.FILES[words]
        out = into if into is not None else self.reg(file)
        if words == 4:  # an iterator over 64 bits goes by halves
            whole = Addr(self.kernel.storage.new(f"{self.routine.name}.read", 4, "local"))
            self.op("mov32", Mem1(whole, 2, 1, 2), (self.queue(node.source, 2),))
            self.op("ld64", out, (), (whole,))
            return out
        row, source = select.move(words), self.queue(node.source, 1)
        if not (self.waiting and walk.waits(node.source)):
            self.op(row, out, (source,))
            return out
        temp = self.kernel.storage.new(f"{self.routine.name}.received", words, "local")
        dest = Mem1(Addr(temp), 1, 1, words)
        self.in_microthread(lambda b: self.vector(row, dest, source, b))
        self.op(f"ld{16 * words}", out, (), (Addr(temp),))
        return out

    def vector(self, row: str, dest: Vector, source: Value | Vector, background: Background) -> None:
        """One vector instruction with one source, as a microthread."""
        self.op(row, dest, (source,), background=background)

    def in_microthread(self, write: Callable[[Background], None]) -> None:
        """Runs one vector instruction as a microthread; the thread's task ends and goes on when it is done."""
        task = self.kernel.task_id(self.thread, self.span)
        resume = self.label("resume")
        self.op("settask", None, (), (task, resume))
        write(Background(self.microthread(), "activate", task))
        self.suspend(resume)
        self.put(resume)

    def microthread(self) -> int:
        """The number that the thread's own transfers use."""
        if not self.thread.microthreads:
            self.kernel.reporter.report("CB001", self.span, count=1, limit=0)
            return 0
        return self.thread.microthreads[0]

    def transfer(self, p: Pattern) -> None:
        """A recognised pattern as a microthread that the thread waits for."""
        after: list[Callable[[], None]] = []
        self.in_microthread(lambda b: after.append(self.write(p, b)))
        after[0]()


def _is_half(e: t.Expr) -> bool:
    return e.type is HP or isinstance(e, t.Cast) and e.operand.type is HP


def _half_of(e: t.Expr) -> t.Expr:
    return e.operand if isinstance(e, t.Cast) and e.type is not HP else e


def _is_store(p: Pattern) -> bool:
    """A register or constant that goes to memory: a store takes the same slot and needs no descriptor."""
    return p.form == "memory" and p.row in ("mov16", "mov32") and isinstance(p.sources[0], patterns.Scalar)
