"""Statements of one thread in order: assignments, loops, branches, calls (tungsten.md 4)."""

from __future__ import annotations

from abc import abstractmethod

from carbide.ir import Addr, Imm, Mem1
from carbide.lower_loop import Loops
from fabric.descriptor import IBLOCK_POSITION
from tungsten import tree as t
from tungsten.types import Scalar


class Statements(Loops):
    """Writing statements in their order."""

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

    @abstractmethod
    def sequence(self, body: list[t.Stmt]) -> None:
        """Statements that follow each other."""

    def statement(self, s: t.Stmt) -> None:
        """Writes one statement."""
        if isinstance(s, t.Block):
            self.sequence(s.body)
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
