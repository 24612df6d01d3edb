"""Statements of the evaluator (tungsten.md 4, 5, 7), in the sequential order that the language promises."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields
from itertools import count
from typing import TYPE_CHECKING

from tungsten import tree as t
from tungsten.evaluate_expr import FREE, HOLD, Expressions, Returned, Steps
from tungsten.evaluate_memory import Frame, offset
from tungsten.evaluate_numbers import (
    Value,
    binary,
    convert,
    from_bits,
    from_int,
    fused,
    scalar,
    to_bits,
    truth,
    zero,
)
from tungsten.evaluate_wire import Wave
from tungsten.types import SP, Scalar

if TYPE_CHECKING:
    from tungsten.evaluate_tile import Tile

class Ended(Exception):  # noqa: N818 - it is no error
    """The thread ends here without end: it has reached a dispatch."""


class Statements(Expressions):
    """One thread of a tile; `background`: it is an endless transfer that the top-level code has left behind."""

    def __init__(self, tile: Tile, frame: Frame, in_arm: bool, background: bool) -> None:
        super().__init__(tile, frame, in_arm)
        self.background = background

    def run(self, s: t.Stmt) -> Steps[None]:
        """Does one statement."""
        self.tile.count_step(s)
        outer = self.wait
        word = s.options.get("uthread.enable")
        self.wait = FREE if word == "on" or (word is None and self.in_arm) else HOLD
        yield from self._run(s)
        self.wait = outer

    def _run(self, s: t.Stmt) -> Steps[None]:
        if isinstance(s, t.Assign):
            yield from self._assign(s)
        elif isinstance(s, t.Accumulate):
            yield from self._accumulate(s)
        elif isinstance(s, t.Dot):
            yield from self._dot(s, [])
        elif isinstance(s, t.Send):
            yield from self._send(s)
        elif isinstance(s, t.Discard):
            yield from self.value(s.value)
        elif isinstance(s, t.CallStmt):
            yield from self.call(s.call)
        elif isinstance(s, t.ForAll):
            yield from self._for_all(s)
        elif isinstance(s, t.Block):
            for one in s.body:
                yield from self.run(one)
        elif isinstance(s, t.LocalInit):
            yield from self._local(s)
        elif isinstance(s, t.If):
            chosen: t.Stmt | None = s.then if truth((yield from self.value(s.test))) else s.other
            while chosen is not s.then and isinstance(chosen, t.If) and chosen.options == s.options:
                s = chosen  # the next link of a chain, however long
                chosen = s.then if truth((yield from self.value(s.test))) else s.other
            if chosen is not None:
                yield from self.run(chosen)
        elif isinstance(s, t.While):
            while truth((yield from self.value(s.test))):
                yield from self.run(s.body)
        elif isinstance(s, t.Forever):
            while True:
                yield from self.run(s.body)
        elif isinstance(s, t.Dispatch):
            self.tile.open(s, self.frame)
            raise Ended
        elif isinstance(s, t.Parallel):
            yield from self._parallel(s)
        elif isinstance(s, t.Reset):
            self.tile.walks[s.iterator].reset()
        elif isinstance(s, t.SetLength):
            yield from self.value(s.value)
        else:
            raise Returned(None if s.value is None else (yield from self.value(s.value)))

    # --- memory

    def _assign(self, s: t.Assign) -> Steps[None]:
        target = s.target
        if isinstance(target, t.Var | t.Index | t.Member) and not isinstance(target.type, Scalar):
            source = yield from self.address(s.value)
            words = self.memory.words(source, target.type.words)
            self.memory.set_words((yield from self.address(target)), words)
            return
        value = yield from self.value(s.value)
        if isinstance(target, t.StreamVar):
            at = self.tile.places.base(target.symbol, self.frame)
            self.memory.store(at, target.symbol.type, value)
        elif isinstance(target, t.BaseOf):
            self.tile.places.set_base(target.symbol, self.frame, int(value) & 0xFFFF)
        else:
            yield from self._store(target, value)

    def _store(self, target: t.LValue, value: Value) -> Steps[None]:
        self.memory.store((yield from self.address(target)), target.type, value)

    def _local(self, s: t.LocalInit) -> Steps[None]:
        if s.words is not None:
            at = self.tile.places.base(s.symbol, self.frame)
            words = s.words + [0] * (s.symbol.type.words - len(s.words))
            self.memory.set_words(at, words)
        for one in s.assigns:
            yield from self.run(one)

    def _accumulate(self, s: t.Accumulate) -> Steps[None]:
        kind = scalar(s.target.type)
        if s.factors is not None:
            a = yield from self.value(s.factors[0])
            b = yield from self.value(s.factors[1])
            at = yield from self.address(s.target)
            old = self.memory.load(at, kind)
            if kind.is_float:
                new = fused(old, a, b, kind, s.op == "-")
            else:
                new = binary(s.op, old, binary("*", a, b, kind), kind)
        else:
            assert s.value is not None
            value = yield from self.value(s.value)
            at = yield from self.address(s.target)
            new = binary(s.op, self.memory.load(at, kind), value, kind)
        self.memory.store(at, kind, new)

    # --- loops and the accumulator

    def _for_all(self, s: t.ForAll) -> Steps[None]:
        if s in self.tile.program.background and not self.background:
            self.tile.start(s, self.frame, in_arm=True, background=True)
            return
        # Loops right inside each other are one nest: `i in [0, 2) j in [0, 3) s` is `∀i ∀j s`.
        ranges, inner = list(s.ranges), s.body
        while isinstance(inner, t.ForAll):
            ranges, inner = [*ranges, *inner.ranges], inner.body
        body = only(inner)
        if not isinstance(body, t.Dot):
            yield from self._loops(s.ranges, lambda: self.run(s.body))
            return
        # The levels that the target moves with are loops over sums, the ones within are summed over.
        moving = [k for k, r in enumerate(ranges) if body.target is not None and mentions(body.target, r.index)]
        outer = moving[-1] + 1 if moving else 0
        yield from self._loops(ranges[:outer], lambda: self._dot(body, ranges[outer:]))

    def _loops(self, ranges: list[t.Range], body: Callable[[], Steps[None]]) -> Steps[None]:
        """Nested loops, the first one outermost; each bound is evaluated when its loop starts."""
        if not ranges:
            yield from body()
            return
        first, rest = ranges[0], ranges[1:]
        low = int((yield from self.value(first.low)))
        high = None if first.high is None else int((yield from self.value(first.high)))
        kind = scalar(first.index.type)
        for number in count(low) if high is None else range(low, high):
            self.frame.indices[first.index] = from_int(number, kind)
            yield from self._loops(rest, body)

    def _dot(self, s: t.Dot, ranges: list[t.Range]) -> Steps[None]:
        """The sum over some loops: clear the accumulator, one fused step an element, write."""
        if not s.keep:
            self.tile.accumulator = zero(SP)
        yield from self._loops(ranges, lambda: self._dot_step(s))
        if s.target is not None and not s.no_load:
            yield from self._store(s.target, convert(self.tile.accumulator, SP, scalar(s.target.type)))

    def _dot_step(self, s: t.Dot) -> Steps[None]:
        self.tile.count_step(s)
        a = convert((yield from self.value(s.a)), scalar(s.a.type), SP)
        b = from_bits(ONE, SP) if s.b is None else convert((yield from self.value(s.b)), scalar(s.b.type), SP)
        self.tile.accumulator = fused(self.tile.accumulator, a, b, SP)

    # --- sends

    def _send(self, s: t.Send) -> Steps[None]:
        kind = scalar(s.value.type)
        value = yield from self.value(s.value)
        if isinstance(s.dest, t.Socket):
            self.tile.send(s.dest, Wave(kind.bits, to_bits(value, kind), s.control, s.flip))
            return
        ring = self.tile.rings[s.dest]
        while ring.count >= ring.capacity:
            yield self.wait
        self.tile.progress += 1
        at = self.tile.places.base(s.dest.memory, self.frame)
        self.memory.store(offset(at, ring.push() * s.dest.elem.words), kind, value)

    # --- threads

    def _parallel(self, s: t.Parallel) -> Steps[None]:
        """All arms start together; the join gives the core up. An arm that ends in a dispatch never ends."""
        threads = [self.tile.start(arm, self.frame, in_arm=True) for arm in s.arms]
        while not all(thread.done for thread in threads):
            yield FREE


ONE = 0x3F800000  # 1.0


def only(s: t.Stmt) -> t.Stmt:
    """The statement that blocks of one statement come down to."""
    while isinstance(s, t.Block) and len(s.body) == 1:
        s = s.body[0]
    return s


def mentions(e: t.Expr, index: t.Symbol) -> bool:
    """A loop index stands in a subscript of an lvalue."""
    if isinstance(e, t.Var):
        return e.symbol is index
    return any(mentions(x, index) for x in children(e))


def children(e: t.Expr) -> list[t.Expr]:
    """The expressions right under one, whatever its kind."""
    out: list[t.Expr] = []
    for f in fields(e):
        part = getattr(e, f.name)
        for one in part if isinstance(part, list) else [part]:
            if isinstance(one, t.Node):
                out.append(one)  # type: ignore[arg-type]
    return out


def is_transfer(s: t.Stmt) -> bool:
    """A send or receive, alone or under loops: as an arm it is a microthread and needs no core."""
    s = only(s)
    while isinstance(s, t.ForAll):
        s = only(s.body)
    if isinstance(s, t.Send):
        return True
    if isinstance(s, t.Assign | t.Discard):
        return receives(s.value)
    if isinstance(s, t.Accumulate):
        return any(receives(e) for e in (s.value, *(s.factors or ())) if e is not None)
    return isinstance(s, t.Dot) and (receives(s.a) or (s.b is not None and receives(s.b)))


def receives(e: t.Expr) -> bool:
    """The expression reads something that can be empty."""
    if isinstance(e, t.Recv):
        return not isinstance(e.source, t.Iterator)
    return any(receives(x) for x in children(e))
