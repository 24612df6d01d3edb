"""Concurrency (tungsten.md 7): `parallel` with its arms and join, dispatch, endless transfers in the background.

A transfer arm is one microthread whose completion arrives at the join. A block arm is a thread of its own: a chain of
local tasks, cut at its transfers. An arm that never waits runs at once, before the block's own task ends. The join is
the continuation of the thread that the block stands in, activated by the last arrival. Arms for which no microthread
is left wait their turn: each microthread becomes a slot with a task, which on completion takes the next arm.
"""

from __future__ import annotations

from dataclasses import dataclass

from carbide import walk
from carbide.ir import Addr, Background, Data, Imm, Label
from carbide.lower_stmt import Statements
from carbide.patterns import Pattern, level
from carbide.tasks import Thread
from tungsten import tree as t


@dataclass(eq=False)
class Arm:
    """An arm that takes microthreads: a transfer (`pattern`) or a block; `need`: how many."""

    body: t.Stmt
    pattern: Pattern | None
    need: int


@dataclass(eq=False)
class Slot:
    """A microthread that arms take in turn: the counter of the next arm, the first one that waits, all arms, and
    where the slot goes on when its arm is done; falls: the code of its first arm comes before that place."""

    counter: Data
    first: int
    arms: list[Arm]
    done: Label
    falls: bool = False


Later = tuple[Label, Thread, t.Stmt | None, Slot | None]  # label, thread, body, slot of code that follows a start


class Parallels(Statements):
    """Writing concurrent code."""

    # --- arms

    def _pattern(self, arm: t.Stmt) -> Pattern | None:
        """The transfer that an arm is, if it is a single one."""
        ranges: list[t.Range] = []
        inner = walk.only(arm)
        while isinstance(inner, t.ForAll):
            ranges += inner.ranges
            inner = walk.only(inner.body)
        if isinstance(inner, t.LocalInit) and len(inner.assigns) == 1 and inner.words is None:
            inner = inner.assigns[0]
        if not walk.transfers(inner):
            return None
        p = self.recognise(inner, tuple(level(r) for r in ranges), True)
        if p is None or p.total == 0:
            return None
        p.span_of = inner
        return p

    def parallel(self, s: t.Parallel) -> None:
        arms: list[Arm] = []
        at_once: list[t.Stmt] = []
        opened: list[t.Dispatch] = []
        needs = self.kernel.needs
        for body in s.arms:
            inner = walk.only(body)
            if isinstance(inner, t.Dispatch):
                opened.append(inner)
                continue
            p = self._pattern(body)
            if p is not None:
                arms.append(Arm(body, p, 1))
            elif needs.suspends(body, True) or _never_ends(body):
                arms.append(Arm(body, None, needs.microthreads(body, True)))
            else:
                at_once.append(body)
        if arms or opened:
            self._start(s, arms, opened, at_once)
        else:
            for body in at_once:
                self.statement(body)

    def _start(self, s: t.Parallel, arms: list[Arm], opened: list[t.Dispatch], at_once: list[t.Stmt]) -> None:
        thread, ids, around = self.thread, self.kernel.ids, self.straight
        join = self.label("join")
        task = self.kernel.task_id(thread, s.span)
        self.op("settask", None, (), (task, join))
        self.op("setjoin", None, (), (task, len(arms) + len(opened)))
        outer_high, mark = ids.high, ids.used
        for d in opened:
            self._open(d)
        pool = list(thread.microthreads)
        enough = sum(a.need for a in arms) <= len(pool)
        if enough:
            later = self._start_all(arms, pool, task)
        else:
            later = self._start_in_turn(arms, pool, task)
        for inline in at_once:
            self.statement(inline)
        self.statement_number(s)
        self.suspend(join, *(label for label, _, _, _ in later))
        for label, own, body, after in later:
            ids.high = ids.used
            self.straight = None
            self._run_arm(label, own, body, after, task, join)
            ids.used = ids.high
        ids.high, ids.used = max(outer_high, ids.used), mark
        self.thread, self.straight = thread, around
        self.statement_number(s)
        self.put(join)

    def _start_all(self, arms: list[Arm], pool: list[int], task: int) -> list[Later]:
        """Starts every arm; what has to be written after the block's task: (label, thread, body, slot)."""
        later: list[Later] = []
        for arm in arms:
            taken = tuple(pool[: arm.need])
            del pool[: arm.need]
            if arm.pattern is not None:
                self._begin(arm.pattern, Background(taken[0], "arrive", task))
                continue
            own = Thread(f"{self.thread.name}.arm", None, taken, True)
            label = self.label("arm")
            own_task = self.kernel.task_id(own, arm.body.span)
            self.op("settask", None, (), (own_task, label))
            self.op("activate", None, (), (own_task,))
            later.append((label, own, arm.body, None))
        return later

    def _begin(self, p: Pattern, background: Background) -> None:
        assert p.span_of is not None
        self.statement_number(p.span_of)
        self.write(p, background)

    def _run_arm(self, label: Label, own: Thread, body: t.Stmt | None, slot: Slot | None, task: int, join: Label) -> None:
        """The code of a block arm, or what a slot does when its arm is done."""
        self.put(label)
        self.thread = own
        if body is not None:
            self.statement(body)
        if self.reachable():
            if slot is not None:
                self._next_arm(slot, own, task, join)
            else:
                self.op("arrive", None, (), (task,))
                self.suspend(join)

    # --- arms that wait their turn

    def _start_in_turn(self, arms: list[Arm], pool: list[int], task: int) -> list[Later]:
        later: list[Later] = []
        self.straight = None  # the code of an arm is there more than once
        if not pool:
            self.kernel.reporter.report("CB001", self.span, count=len(arms), limit=0)
            pool = [0]
        slots = min(len(pool), len(arms))
        counter = self.kernel.storage.new(f"{self.routine.name}.turn", 1, "local")
        self.op("st16", None, (Imm(slots),), (Addr(counter),))
        for k in range(slots):
            own = Thread(f"{self.thread.name}.slot", None, (pool[k],), True)
            own_task = self.kernel.task_id(own, self.span)
            slot = Slot(counter, slots, arms, self.label("done"))
            arm = arms[k]
            if arm.pattern is not None:
                self.op("settask", None, (), (own_task, slot.done))
                self._begin(arm.pattern, Background(pool[k], "activate", own_task))
                later.append((slot.done, own, None, slot))
            else:
                label = self.label("arm")
                self.op("settask", None, (), (own_task, label))
                self.op("activate", None, (), (own_task,))
                slot.falls = True
                later.append((label, own, arm.body, slot))
        return later

    def _next_arm(self, slot: Slot, own: Thread, task: int, join: Label) -> None:
        """An arm of a slot is done: it arrives, and the slot takes the next one that waits."""
        if slot.falls:
            self.put(slot.done)
        own_task = self.kernel.task_id(own, self.span)
        self.op("arrive", None, (), (task,))
        turn = self.reg("R", "turn")
        self.op("ld16", turn, (), (Addr(slot.counter),))
        self.op("st16", None, (self.compute("add16", "R", (turn, Imm(1))),), (Addr(slot.counter),))
        starts: list[tuple[Label, Arm]] = []
        for n in range(slot.first, len(slot.arms)):
            mine, here = self.reg("P"), self.label("turn")
            self.op("eq16", mine, (turn, Imm(n)))
            self.jump(here, mine)
            starts.append((here, slot.arms[n]))
        self.suspend(join)
        for here, arm in starts:
            self.put(here)
            if arm.pattern is not None:
                self.op("settask", None, (), (own_task, slot.done))
                self._begin(arm.pattern, Background(own.microthreads[0], "activate", own_task))
                self.suspend(slot.done)
            else:
                self.statement(arm.body)
                if self.reachable():
                    self.jump(slot.done)

    # --- endless transfers and dispatch

    def start_background(self, s: t.ForAll) -> None:
        ut = self.kernel.background[s]
        p = self._pattern(s)
        if p is not None:
            self._begin(p, Background(ut))
            return
        thread = self.thread
        task = self.kernel.task_id(thread, s.span)
        own = Thread("background", None, (ut,), True)
        own_task = self.kernel.task_id(own, s.span)
        resume, label = self.label("resume"), self.label("background")
        for number, where in ((task, resume), (own_task, label)):
            self.op("settask", None, (), (number, where))
            self.op("activate", None, (), (number,))
        self.suspend(resume, label)
        self.put(label)
        self.thread = own
        self.nest(list(s.ranges), s.body)
        if self.reachable():
            self.op("end")
        self.thread = thread
        self.put(resume)

    def dispatch(self, s: t.Dispatch) -> None:
        self._open(s)
        self.op("end")

    def _open(self, s: t.Dispatch) -> None:
        """Lets the handlers of a socket start; what waits in the queue starts them first."""
        queue = self.kernel.enter(s)
        self.op("unblock", None, (), (queue,))


def _never_ends(s: t.Stmt) -> bool:
    """The arm is endless, so that it can't run before the others."""
    for x in walk.all_statements(s):
        if isinstance(x, t.Forever | t.Dispatch) or isinstance(x, t.ForAll) and any(r.high is None for r in x.ranges):
            return True
    return False
