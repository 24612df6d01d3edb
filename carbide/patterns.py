"""What a vector instruction is made of, before registers and descriptors: levels, sources, targets."""

from __future__ import annotations

from dataclasses import dataclass, field

from carbide.address import Access
from carbide.walk import constant
from tungsten import tree as t

MAX_EXTENT = 0xFFFF


@dataclass(frozen=True)
class Level:
    """One loop level. count: how many rounds where both bounds are constant; index None: the words of a record or
    array that is copied whole."""

    index: t.Symbol | None
    low: t.Expr | None
    high: t.Expr | None
    count: int | None
    endless: bool = False


def level(r: t.Range) -> Level:
    """The level of a range."""
    low, high = constant(r.low), constant(r.high)
    count = max(0, high - low) if low is not None and high is not None else None
    return Level(r.index, r.low, r.high, count, r.high is None)


@dataclass(frozen=True)
class Scalar:
    """An expression that does not change during the walk."""

    expr: t.Expr


@dataclass(frozen=True)
class Memory:
    """Elements in memory: the access as written, and as it starts."""

    access: Access
    start: Access
    words: int


@dataclass(frozen=True)
class Queue:
    """Elements of a socket, FIFO, iterator or stream."""

    recv: t.Recv


@dataclass(frozen=True)
class Running:
    """The target itself: its value so far."""


Source = Scalar | Memory | Queue | Running


@dataclass(eq=False)
class Pattern:
    """One vector instruction.

    form: "memory" (elements of an array), "queue" (a send), "running" (a reduction), "last" (every element is written
    to one place), "dot" (the accumulator). target: the lvalue, None for discards and sums that stay in the
    accumulator. place: the target as elements in memory, where it is there.
    """

    row: str
    form: str
    levels: tuple[Level, ...]
    sources: tuple[Source, ...]
    target: t.LValue | None = None
    place: Memory | None = None
    send: t.Send | None = None
    words: int = 1
    span_of: t.Stmt | None = field(default=None)

    @property
    def total(self) -> int | None:
        """Elements, where constant."""
        n = 1
        for x in self.levels:
            if x.count is None:
                return None
            n *= x.count
        return n

    @property
    def endless(self) -> bool:
        return any(x.endless for x in self.levels)

    @property
    def queues(self) -> list[t.Recv]:
        return [s.recv for s in self.sources if isinstance(s, Queue)]
