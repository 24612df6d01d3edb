"""Statements of one thread in order: assignments, loops, branches, calls (tungsten.md 4)."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable

from carbide import select, walk
from carbide.address import Access
from carbide.builder import Value
from carbide.ir import Addr, Background, Imm, Label, Mem1, Reg, Vector
from carbide.lower_call import Calls
from carbide.patterns import Level, Pattern, level
from carbide.select import file_of, scalar
from carbide.tasks import in_background
from carbide.variables import Loop
from fabric.descriptor import IBLOCK_POSITION
from tungsten import tree as t
from tungsten.types import HP, SP, U32, XP, Scalar

SMALL_TEST = 10  # a loop's condition of at most this many nodes is written at its start and at its end


class Statements(Calls):
    """`thread`: the thread whose code is written; `waiting`: transfers of the current statement run as microthreads
    while the thread's task ends."""

    @abstractmethod
    def parallel(self, s: t.Parallel) -> None:
        """Arms that start together, and their join."""

    @abstractmethod
    def dispatch(self, s: t.Dispatch) -> None:
        """Opens a queue to its handlers and ends the thread."""

    @abstractmethod
    def start_background(self, s: t.ForAll) -> None:
        """An endless transfer that does not hold up what follows."""

    @abstractmethod
    def leave(self, s: t.Return) -> None:
        """`return`."""

    def statement(self, s: t.Stmt) -> None:
        """Writes one statement."""
        if isinstance(s, t.Block):
            for inner in s.body:
                self.statement(inner)
            return
        self.statement_number(s)
        if isinstance(s, t.Assign | t.Accumulate | t.Dot | t.Send | t.Discard):
            self.simple(s)
        elif isinstance(s, t.CallStmt):
            self.call(s.call, None)
        elif isinstance(s, t.ForAll):
            if s in self.kernel.background:
                self.start_background(s)
            else:
                self.nest(list(s.ranges), s.body)
        elif isinstance(s, t.LocalInit):
            self.initialise(s)
        elif isinstance(s, t.If | t.While | t.Forever):
            around, self.straight = self.straight, None
            self._branching(s)
            self.straight = around
        elif isinstance(s, t.Dispatch):
            self.dispatch(s)
        elif isinstance(s, t.Parallel):
            self.parallel(s)
        elif isinstance(s, t.Reset):
            _, block = self.kernel.storage.iterator(s.iterator)
            self.op("st64", None, (Imm(0),), (Addr(block, IBLOCK_POSITION),))
        elif isinstance(s, t.Return):
            self.leave(s)

    def _branching(self, s: t.If | t.While | t.Forever) -> None:
        if isinstance(s, t.If):
            self._if(s)
        elif isinstance(s, t.While):
            self._while(s)
        else:
            top = self.label("forever")
            self.put(top)
            self.statement(s.body)
            self.jump(top)

    def statement_number(self, s: t.Stmt) -> None:
        """What is written from here on belongs to this statement."""
        self.number += 1
        self.span = s.span
        self.waiting = in_background(s, self.thread.deferred)

    # --- simple statements

    def simple(self, s: t.Stmt) -> None:
        """An assignment, accumulation, sum, send or discard outside ∀."""
        if self.waiting and walk.transfers(s):
            p = self.recognise(s, (), True)
            if p is not None:
                self.transfer(p)
                return
        elif self.straight is not None and self.follows_vector():
            steps = self.recognise_all(s, (), True)
            if steps is not None:
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

    # --- loops

    def nest(self, ranges: list[t.Range], body: t.Stmt) -> None:
        """A nest of ∀ loops: one vector instruction, or a scalar loop around the rest.

        Braces change nothing, except that a sum ends at those around its own loops: `∀i { ∀j s = ∑ a[j]; }` is one
        sum over j for each i, `∀i ∀j s = ∑ a[j];` a single one.
        """
        sums = isinstance(walk.innermost(body), t.Dot)
        inner = body if sums else walk.only(body)
        while isinstance(inner, t.ForAll) and inner not in self.kernel.background:
            ranges, body = [*ranges, *inner.ranges], inner.body
            inner = body if sums else walk.only(body)
        if isinstance(walk.only(inner), t.Dot):
            inner = walk.only(inner)
        levels = tuple(level(r) for r in ranges)
        if any(x.count == 0 for x in levels) and not isinstance(inner, t.Dot):
            return
        if isinstance(inner, t.Assign | t.Accumulate | t.Dot | t.Send | t.Discard):
            self.statement_number(inner)
            waits = self.waiting and walk.transfers(inner)
            if 0 not in (x.count for x in levels):
                p = self.recognise(inner, levels, True) if waits else None
                steps = None if waits else self.recognise_all(inner, levels)
                if p is not None:
                    self.transfer(p)
                    return
                if steps is not None:
                    for step in steps:
                        self.write(step)
                    return
            if isinstance(inner, t.Dot):
                self._dot_nest(ranges, levels, inner)
                return
            if isinstance(inner, t.Send) and inner.flip:
                body = _flip_at_the_end(inner, ranges)
        self._loop(ranges[0], lambda: self._rest(ranges[1:], body))

    def _rest(self, ranges: list[t.Range], body: t.Stmt) -> None:
        if ranges:
            self.nest(ranges, body)
        else:
            self.statement(body)

    def _dot_nest(self, ranges: list[t.Range], levels: tuple[Level, ...], s: t.Dot) -> None:
        """A sum that is no single instruction: levels that the target depends on go around it; the accumulator is
        cleared, stepped in loops, and read."""
        outer = 0
        if s.target is not None:
            for k, r in enumerate(ranges):
                if walk.mentions(s.target, {r.index}):
                    outer = k + 1
        if outer:
            first, rest = ranges[0], ranges[1:]
            self._loop(first, lambda: self._rest(rest, s))
            return
        if not s.keep:
            self._accumulator("x", None)
        if 0 not in (x.count for x in levels):
            step = t.Dot(s.span, s.options, None, s.a, s.b, True, True)
            self._loop(ranges[0], lambda: self._rest(ranges[1:], step))
        if s.target is not None and not s.no_load:
            self._accumulator("k", s.target)

    def _accumulator(self, mode: str, target: t.LValue | None) -> None:
        """Clears ("x") or reads ("k") the accumulator: 0 * -0 added to it changes nothing."""
        zero, minus = self.in_register(Imm(0), "D"), self.in_register(Imm(1 << 31), "D")
        if target is None:
            self.op(f"dots{mode}", None, (zero, minus))
            return
        out = self.reg("D")
        self.op(f"dots{mode}", out, (zero, minus))
        self.assign(target, out)

    def _loop(self, r: t.Range, body: Callable[[], None]) -> None:
        """A scalar loop over one range."""
        kind = scalar(r.index.type)
        low = self.value(r.low)
        end = self.label("end")
        counter: Reg | None = None
        count: int | None = None
        bounds: tuple[int, int] | None = None
        if r.high is not None:
            lows, highs = walk.constant(r.low), walk.constant(r.high)
            if lows is not None and highs is not None:
                count, bounds = highs - lows, (lows, highs)
                if count <= 0:
                    return
                if count > 1:
                    counter = self.reg("R" if count <= 0xFFFF else "D", "count")
                    self.move(counter, Imm(count))
            else:
                high = self.value(r.high)
                empty = self.reg("P")
                left = self.in_register(high, file_of(kind))
                self.op(select.compare("<=", kind), empty, (left, low))
                self.jump(end, empty)
                counter = self.reg(file_of(kind), "count")
                self.compute(f"sub{kind.bits}", counter.file, (high, low), counter)
        loop = Loop(r.index, low, len(self.code), len(self.loops), bounds, self.span, self.number)
        before, around = self.loops.get(r.index), self.straight
        self.loops[r.index] = self.straight = loop
        top = self.label("loop")
        if r.high is None or counter is not None:
            self.put(top)
        body()
        self.straight = around
        self.span = loop.span  # the steps share the number of the last statement, so that they may go between it
        if self.reachable():
            self.step(loop)
            if counter is not None:
                self._count_down(counter, top)
            elif r.high is None:
                self.jump(top)
        self.prepare(loop)
        if before is None:
            del self.loops[r.index]
        else:
            self.loops[r.index] = before
        self.put(end)

    def _count_down(self, counter: Reg, top: Label) -> None:
        bits = 16 if counter.file == "R" else 32
        self.op(f"sub{bits}", counter, (counter, Imm(1)))
        more = self.reg("P")
        self.op(f"ne{bits}", more, (counter, Imm(0)))
        self.jump(top, more)

    def _while(self, s: t.While) -> None:
        top, end = self.label("while"), self.label("end")
        small = sum(1 for _ in walk.nodes(s.test)) <= SMALL_TEST and not walk.has_effects(s.test)
        if small:
            self.branch(s.test, end, False)
            self.put(top)
            self.statement(s.body)
            self.statement_number(s)
            self.branch(s.test, top, True)
        else:
            self.put(top)
            self.branch(s.test, end, False)
            self.statement(s.body)
            self.jump(top)
        self.put(end)

    def _if(self, s: t.If) -> None:
        other, end = self.label("else"), self.label("end")
        self.branch(s.test, other, False)
        self.statement(s.then)
        if s.other is None:
            self.put(other)
            return
        self.jump(end)
        self.put(other)
        self.statement(s.other)
        self.put(end)

    # --- locals

    def initialise(self, s: t.LocalInit) -> None:
        """A local's initialiser, each time it is reached."""
        symbol = s.symbol
        if s.words is not None:
            if isinstance(symbol.type, Scalar):
                bits = sum((w & 0xFFFF) << 16 * k for k, w in enumerate(s.words))
                self.assign(t.Var(s.span, symbol.type, symbol), Imm(bits))
            else:
                self._fill(symbol, s.words)
        for inner in s.assigns:
            self.statement(inner)

    def _fill(self, symbol: t.Symbol, words: list[int]) -> None:
        """Constant words of an array or record."""
        size = symbol.type.words
        words = [w & 0xFFFF for w in (*words, *[0] * size)][:size]
        data = self.kernel.storage.object(symbol, self.owner)
        if not words:
            return
        if size > 2 and len(set(words)) == 1:
            self.op("mov16", Mem1(Addr(data), size, 1, 1), (Imm(words[0]),))
        elif size <= 4:
            for k, w in enumerate(words):
                self.op("st16", None, (Imm(w),), (Addr(data, k),))
        else:
            image: list[int | Addr] = [*words]
            source = self.kernel.storage.new(f"{symbol.name}.start", size, "local", image, symbol.span)
            self.op("mov16", Mem1(Addr(data), size, 1, 1), (Mem1(Addr(source), size, 1, 1),))


def _flip_at_the_end(s: t.Send, ranges: list[t.Range]) -> t.Stmt:
    """A send in a scalar loop, of which only the last round flips the switch."""
    plain = t.Send(s.span, s.options, s.dest, s.value, s.control)
    last: t.Expr | None = None
    for r in ranges:
        if r.high is None:
            return plain
        kind = r.index.type
        high = walk.constant(r.high)
        end: t.Expr = t.Binary(s.span, kind, "-", r.high, t.Const(s.span, kind, 1))
        if high is not None:
            end = t.Const(s.span, kind, high - 1 & (1 << 16 * kind.words) - 1)
        here = t.Compare(s.span, XP, "==", t.Var(s.span, kind, r.index), end)
        last = here if last is None else t.Logic(s.span, XP, "&&", last, here)
    return plain if last is None else t.If(s.span, s.options, last, s, plain)


def _is_half(e: t.Expr) -> bool:
    return e.type is HP or isinstance(e, t.Cast) and e.operand.type is HP


def _half_of(e: t.Expr) -> t.Expr:
    return e.operand if isinstance(e, t.Cast) and e.type is not HP else e
