"""Expressions of the evaluator (tungsten.md 4 to 6).

Everything that may have to wait is a generator, which yields while it waits: HOLD keeps the core, so that no other
task can start meanwhile, FREE gives it up (tungsten.md 7). What it returns is the value.
"""

from __future__ import annotations

from collections.abc import Generator
from typing import TYPE_CHECKING, TypeVar

from tungsten import tree as t
from tungsten.evaluate_memory import Frame, offset
from tungsten.evaluate_numbers import (
    Value,
    binary,
    compare,
    convert,
    from_bits,
    from_int,
    fused,
    scalar,
    to_bits,
    truth,
    unary,
)
from tungsten.evaluate_wire import Walk
from tungsten.types import Array, Scalar, Type

if TYPE_CHECKING:
    from tungsten.evaluate_tile import Tile

R = TypeVar("R")
Steps = Generator[bool, None, R]
HOLD, FREE = True, False


class Returned(Exception):  # noqa: N818 - it is no error
    """A function returns `value`."""

    def __init__(self, value: Value | None) -> None:
        super().__init__()
        self.value = value


class Expressions:
    """What one thread of a tile computes; `wait` is what it yields while it waits."""

    def __init__(self, tile: Tile, frame: Frame, in_arm: bool) -> None:
        self.tile = tile
        self.memory = tile.memory
        self.frame = frame
        self.in_arm = in_arm
        self.wait = FREE if in_arm else HOLD

    def run(self, s: t.Stmt) -> Steps[None]:
        """statements: does one."""
        raise AssertionError

    # --- where things lie

    def address(self, lv: t.Expr) -> Steps[int]:
        """The address of an lvalue's first word."""
        if isinstance(lv, t.Var):
            return self.tile.places.base(lv.symbol, self.frame)
        assert isinstance(lv, t.Index | t.Member), lv
        at = yield from self.address(lv.base)
        if isinstance(lv, t.Member):
            return offset(at, lv.offset)
        kind: Type = lv.base.type
        words = 0
        for e in lv.indices:
            assert isinstance(kind, Array)
            kind = kind.inner()
            words += int((yield from self.value(e))) * kind.words
        return offset(at, words)

    def load(self, lv: t.LValue) -> Steps[Value]:
        """The scalar in an lvalue."""
        if isinstance(lv, t.Var) and lv.symbol.storage == "index":
            return self.frame.indices[lv.symbol]
        at = yield from self.address(lv)
        return self.memory.load(at, lv.type)

    # --- values

    def value(self, e: t.Expr) -> Steps[Value]:
        """The value of a scalar expression, left to right."""
        kind = e.type
        if isinstance(e, t.Const):
            return from_bits(e.bits, scalar(kind))
        if isinstance(e, t.Var | t.Index | t.Member):
            return (yield from self.load(e))
        if isinstance(e, t.BaseOf):
            return from_int(self.tile.places.base(e.symbol, self.frame), scalar(kind))
        if isinstance(e, t.Recv):
            return (yield from self._receive(e))
        if isinstance(e, t.Unary):
            return unary(e.op, (yield from self.value(e.operand)), scalar(kind))
        if isinstance(e, t.Binary):
            left = yield from self.value(e.left)
            right = yield from self.value(e.right)
            return binary(e.op, left, right, scalar(kind))
        if isinstance(e, t.Compare):
            left = yield from self.value(e.left)
            right = yield from self.value(e.right)
            return from_int(compare(e.op, left, right), scalar(kind))
        if isinstance(e, t.Logic):
            return from_int((yield from self._logic(e)), scalar(kind))
        if isinstance(e, t.Cond):
            chosen = e.then if truth((yield from self.value(e.test))) else e.other
            return (yield from self.value(chosen))
        if isinstance(e, t.Cast):
            return convert((yield from self.value(e.operand)), scalar(e.operand.type), scalar(kind))
        if isinstance(e, t.Fma):
            a = yield from self.value(e.a)
            b = yield from self.value(e.b)
            c = yield from self.value(e.c)
            return fused(a, b, c, scalar(kind), e.negate)
        if isinstance(e, t.Wavelet):
            low = to_bits((yield from self.value(e.value)), scalar(e.value.type)) & 0xFFFF
            high = to_bits((yield from self.value(e.index)), scalar(e.index.type)) & 0xFFFF
            return from_bits(high << 16 | low, scalar(kind))
        if isinstance(e, t.Call):
            return (yield from self.call(e))
        yield from ()
        return from_bits(self.tile.capture(e.source), scalar(kind))

    def _logic(self, e: t.Logic) -> Steps[bool]:
        left = truth((yield from self.value(e.left)))
        if e.right is None:
            return not left
        if left == (e.op == "||"):
            return left
        return truth((yield from self.value(e.right)))

    def call(self, e: t.Call) -> Steps[Value | None]:
        """A function: scalars by value, arrays and records by address, in a frame of its own."""
        frame = self.tile.places.enter(e.function)
        for symbol, arg in zip(e.function.params, e.args, strict=True):
            if symbol.by_reference:
                frame.places[symbol] = yield from self.address(arg)
            else:
                value = yield from self.value(arg)
                self.memory.store(self.tile.places.place(symbol, frame), symbol.type, value)
        before, wait = self.frame, self.wait
        self.frame = frame
        try:
            yield from self.run(e.function.body)
        except Returned as done:
            return done.value
        finally:
            self.frame, self.wait = before, wait
        return None

    # --- reads

    def _receive(self, e: t.Recv) -> Steps[Value]:
        kind = scalar(e.type)
        source = e.source
        if isinstance(source, t.StreamVar):
            held = self.tile.held(self.memory.load(self.tile.places.base(source.symbol, self.frame), source.symbol.type))
            if isinstance(held, Walk):
                return (yield from self._step(held, kind))
            source = held
        if isinstance(source, t.Socket):
            channel = self.tile.channels[source]
            while not channel.ready(kind.bits):
                yield self.wait
            self.tile.progress += 1
            return from_bits(channel.read(kind.bits), kind)
        if isinstance(source, t.Fifo):
            ring = self.tile.rings[source]
            while not ring.count:
                yield self.wait
            self.tile.progress += 1
            at = offset(self.tile.places.base(source.memory, self.frame), ring.pop() * source.elem.words)
            return self.memory.load(at, kind)
        return (yield from self._step(self.tile.walks[source], kind))

    def _step(self, walk: Walk, kind: Scalar) -> Steps[Value]:
        """The element that an iterator stands on; it moves to the next."""
        counts = []
        for level, at in zip(walk.iterator.levels, walk.position, strict=True):
            low = int((yield from self.value(level.low)))
            high = low if level.high is None else int((yield from self.value(level.high)))
            counts.append(high - low)
            self.frame.indices[level.index] = from_int(low + at, scalar(level.index.type))
        address = yield from self.address(walk.iterator.element)
        walk.step(counts)
        return self.memory.load(address, kind)
