"""Loops and branches: nests of ∀ as vector instructions or scalar loops, while, if."""

from __future__ import annotations

from collections.abc import Callable

from carbide import select, walk
from carbide.ir import Imm, Label, Reg
from carbide.lower_simple import Simple
from carbide.patterns import MAX_EXTENT, Level, level
from carbide.select import file_of, scalar
from carbide.variables import Loop
from tungsten import tree as t
from tungsten.types import XP

PIECE = 0x7FFF  # rounds that one vector instruction takes of a longer loop
SMALL_TEST = 10  # a loop's condition of at most this many nodes is written at its start and at its end


class Loops(Simple):
    """Writing loops and branches."""

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
            if self._in_pieces(ranges, levels, inner):
                return
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

    def _in_pieces(self, ranges: list[t.Range], levels: tuple[Level, ...], s: t.Stmt) -> bool:
        """One level of more rounds than a descriptor counts, around a statement that does not name its index: rounds
        of a count that fits, and what is left. A sum and a flip belong to the whole, and stay a scalar loop."""
        count = levels[0].count
        if len(levels) > 1 or count is None or count <= MAX_EXTENT:
            return False
        index = ranges[0].index
        if isinstance(s, t.Dot) or isinstance(s, t.Send) and s.flip or _names(s, index):
            return False
        piece = _counted(ranges[0], index, PIECE)
        if self.recognise(s, (level(piece),), self.waiting and walk.transfers(s)) is None:
            return False
        self.nest([_counted(ranges[0], t.Symbol("piece", XP, index.span, "index"), count // PIECE), piece], s)
        self.nest([_counted(ranges[0], index, count % PIECE)], s)
        return True

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


def _names(s: t.Stmt, symbol: t.Symbol) -> bool:
    return any(walk.mentions(e, {symbol}) for e in walk.expressions(s))


def _counted(r: t.Range, index: t.Symbol, count: int) -> t.Range:
    """Rounds from 0 on."""
    return t.Range(index, t.Const(r.low.span, index.type, 0), t.Const(r.low.span, index.type, count))


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
