"""Transfers under `uthread enable on` that go side by side (tungsten.md 7).

Program order is kept: a statement starts when what it depends on is complete. So transfers that follow each other and
do not depend on each other start together, each as a microthread; the task ends, and their join resumes the thread.
What a transfer depends on: values, elements and queues that one before it uses; a send, on the receives before it,
since what a tile tells others may rest on what it was told; control wavelets and flips, on everything, as what comes
through a switch depends on them. What handlers use as well as a transfer, they may change until it starts in its turn.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from carbide import walk
from carbide.address import Access, Steps, relation, start
from carbide.ir import Background
from carbide.lower_parallel import Parallels
from carbide.operands import Walk
from carbide.patterns import Memory, Pattern, Scalar
from carbide.tasks import in_background
from tungsten import tree as t
from tungsten.types import Scalar as ScalarType

Place = tuple[Access, Steps]
STILL = Steps()


class Together(Parallels):
    """Writing statements in their order, independent transfers side by side."""

    def sequence(self, body: list[t.Stmt]) -> None:
        at = 0
        while at < len(body):
            group = self._group(body, at)
            if len(group) < 2:
                self.statement(body[at])
                at += 1
            else:
                self._side_by_side(group)
                at += len(group)

    def _group(self, body: list[t.Stmt], at: int) -> list[Pattern | t.Stmt]:
        """Transfers from a place on that may start together, as many as the thread has microthreads, and what sets
        variables between them."""
        group: list[Pattern | t.Stmt] = []
        running: list[Pattern] = []
        size = 0
        for s in body[at:]:
            p = self._alone(s)
            if p is not None:
                if len(running) == len(self.thread.microthreads):
                    break
                if running and (self._shared(p) or any(self._depends(p, before) for before in running)):
                    break
                group.append(p)
                running.append(p)
                size = len(group)
            elif running and self._between(s, running):
                group.append(s)
            else:
                break
        return group[:size] if len(running) > 1 else []

    def _between(self, s: t.Stmt, running: list[Pattern]) -> bool:
        """A statement that sets a variable in a register and does not depend on the transfers that run."""
        if isinstance(s, t.LocalInit):
            constant = t.Var(s.span, s.symbol.type, s.symbol)
            if s.words is not None and (not self.is_register(constant) or s.symbol in map(_register, running)):
                return False
            return all(self._between(x, running) for x in s.assigns)
        if not isinstance(s, t.Assign) or not isinstance(s.target, t.Var) or not self.is_register(s.target):
            return False
        exprs = walk.expressions(s)
        if any(walk.has_effects(e) for e in exprs) or self._names_shared(exprs):
            return False
        read = list(self._still(exprs, {}))
        for p in running:
            register, made = _register(p), self._written(p)
            if register is not None and any(walk.mentions(e, {register}) for e in exprs):
                return False
            if any(x[0].base.absolute or made is not None and _meet(made, x) for x in read):
                return False
        return True

    def _alone(self, s: t.Stmt) -> Pattern | None:
        """A transfer over sockets that `uthread enable on` holds for, if it is a single instruction."""
        if s in self.kernel.background:
            return None
        inner = walk.innermost(s)
        if isinstance(inner, t.LocalInit) and len(inner.assigns) == 1:
            inner = inner.assigns[0]
        if not (walk.transfers(inner) and in_background(inner, False)):
            return None
        p = self._pattern(s)
        if p is None or p.endless or isinstance(inner, t.Discard):  # a discard waits for a sign: all follows it
            return None
        if isinstance(inner, t.Send) and (inner.control or inner.flip or not isinstance(inner.dest, t.Socket)):
            return None
        return p if all(isinstance(r.source, t.Socket) for r in p.queues) else None

    def _shared(self, p: Pattern) -> bool:
        """Code that runs while the thread waits may change what the transfer uses, or see what it makes."""
        assert p.span_of is not None
        return self._names_shared((*walk.expressions(p.span_of), *_bounds(p)))

    def _names_shared(self, exprs: Iterable[t.Expr]) -> bool:
        shared = self.kernel.in_other_tasks
        if shared is None:
            return False
        for e in exprs:
            for n in walk.nodes(e):
                if isinstance(n, t.Var | t.BaseOf):
                    x = n.symbol
                    if x in shared or x.by_reference or x.address is not None or x.alias is not None:
                        return True
        return False

    def _depends(self, p: Pattern, before: Pattern) -> bool:
        if p.send is not None and before.queues or p.form == before.form == "dot":
            return True
        if p.send is not None and before.send is not None and p.send.dest is before.send.dest:
            return True
        if {r.source for r in p.queues} & {r.source for r in before.queues}:
            return True
        register = _register(before)
        if register is not None:
            assert p.span_of is not None
            if any(walk.mentions(e, {register}) for e in (*walk.expressions(p.span_of), *_bounds(p))):
                return True
        written, mine = self._written(p), list(self._read(p))
        made = self._written(before)
        if made is not None and any(_meet(made, x) for x in (*mine, *([written] if written is not None else []))):
            return True
        return written is not None and any(_meet(written, x) for x in self._elements(before))

    def _written(self, p: Pattern) -> Place | None:
        return None if p.place is None else self._place(p, p.place)

    def _place(self, p: Pattern, m: Memory) -> Place:
        return m.start, self.steps_of(Walk(p.levels, set(), {}), m)

    def _elements(self, p: Pattern) -> Iterator[Place]:
        """Memory that a transfer reads while it runs; its scalars are read as it starts."""
        for x in p.sources:
            if isinstance(x, Memory):
                yield self._place(p, x)

    def _read(self, p: Pattern) -> Iterator[Place]:
        """All memory that a transfer reads, its addresses and bounds included."""
        yield from self._elements(p)
        moving = {x.index for x in p.levels if x.index is not None}
        lows = {x.index: x.low for x in p.levels if x.index is not None and x.low is not None}
        exprs = [x.expr for x in p.sources if isinstance(x, Scalar)] + list(_bounds(p))
        for m in (*p.sources, p.place):
            if isinstance(m, Memory):
                exprs += [x.expr for x in m.access.without(moving)]
        yield from self._still(exprs, lows)

    def _still(self, exprs: Iterable[t.Expr], lows: dict[t.Symbol, t.Expr]) -> Iterator[Place]:
        """Scalars in memory."""
        for e in exprs:
            for n in walk.nodes(e):
                if isinstance(n, t.LValue) and isinstance(n.type, ScalarType) and not self.is_register(n):
                    yield start(self.access(n), lows), STILL

    def _side_by_side(self, group: list[Pattern | t.Stmt]) -> None:
        """Starts transfers, ends the task, and goes on when all are complete."""
        assert isinstance(group[0], Pattern) and group[0].span_of is not None
        self.statement_number(group[0].span_of)
        task, resume = self.kernel.task_id(self.thread, self.span), self.label("resume")
        self.op("settask", None, (), (task, resume))
        self.op("setjoin", None, (), (task, sum(isinstance(p, Pattern) for p in group)))
        after, numbers = [], iter(self.thread.microthreads)
        for p in group:
            if isinstance(p, t.Stmt):
                self.statement(p)
                continue
            number = next(numbers)
            assert p.span_of is not None
            self.statement_number(p.span_of)
            after.append(self.write(p, Background(number, "arrive", task)))
        self.suspend(resume)
        self.put(resume)
        for fetch in after:
            fetch()


def _register(p: Pattern) -> t.Symbol | None:
    """The variable in a register that a transfer sets when it is complete."""
    return p.target.symbol if p.place is None and isinstance(p.target, t.Var) else None


def _bounds(p: Pattern) -> Iterator[t.Expr]:
    for x in p.levels:
        for bound in (x.low, x.high):
            if bound is not None:
                yield bound


def _meet(a: Place, b: Place) -> bool:
    """They may have a word in common; a fixed address may be a register."""
    if a[0].base.absolute or b[0].base.absolute:
        return True
    return relation(a[0], a[1], b[0], b[1]) != "apart"
