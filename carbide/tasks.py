"""Threads of a kernel: which of its code may wait as a task, how many microthreads that takes, and task ids.

A *thread* is code that runs in program order: the main code, a handler, an arm of a `parallel` block. When it waits
without holding the core its task ends, and the thread goes on as a local task of its own id. Microthread numbers and
task ids are given out at compile time: code that may run at the same time has different ones.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from carbide import walk
from fabric.arch import LOCAL_TASKS, MICROTHREADS, TASK_TEARDOWN, TASK_TIMER
from tungsten import tree as t

MAIN_TASK = LOCAL_TASKS.start
FREE_TASKS = tuple(n for n in LOCAL_TASKS if n not in (TASK_TEARDOWN, TASK_TIMER))


@dataclass(eq=False)
class Thread:
    """name: for labels; task: the id of its continuations, None until it needs one; microthreads: the numbers that
    it and its arms may use; deferred: transfers run as microthreads where nothing else is said; guard: the task (of a
    handler: its input queue) that is blocked while the thread waits, so that it does not start anew."""

    name: str
    task: int | None
    microthreads: tuple[int, ...]
    deferred: bool = False
    guard: int | None = None


def in_background(s: t.Stmt, deferred: bool) -> bool:
    """Transfers of a statement run as microthreads (tungsten.md 7, uthread)."""
    word = s.options.get("uthread.enable")
    return deferred if word not in ("on", "off") else word == "on"


@dataclass
class Needs:
    """What pieces of code need, functions included (there is no recursion)."""

    _threads: dict[tuple[t.Function, bool], int] = field(default_factory=dict)
    _suspends: dict[tuple[t.Function, bool], bool] = field(default_factory=dict)

    def microthreads(self, s: t.Stmt, deferred: bool) -> int:
        """How many microthreads a statement can have live at once."""
        if isinstance(s, t.Parallel):
            return sum(self._of_arm(arm) for arm in s.arms)
        own = 1 if walk.transfers(s) and in_background(s, deferred) else 0
        inner = max((self.microthreads(x, deferred) for x in walk.statements(s)), default=0)
        called = max((self._of_function(f, deferred) for f in called_in(s)), default=0)
        return max(own, inner, called)

    def _of_arm(self, arm: t.Stmt) -> int:
        if isinstance(walk.only(arm), t.Dispatch):
            return 0
        single = walk.only(arm)
        body = walk.only(single.body) if isinstance(single, t.ForAll) else single
        return max(1 if walk.transfers(body) else 0, self.microthreads(arm, True))

    def _of_function(self, f: t.Function, deferred: bool) -> int:
        if (f, deferred) not in self._threads:
            self._threads[f, deferred] = 0
            self._threads[f, deferred] = self.microthreads(f.body, deferred)
        return self._threads[f, deferred]

    def suspends(self, s: t.Stmt, deferred: bool) -> bool:
        """The statement may end its task and go on in another."""
        if isinstance(s, t.Parallel):
            return True
        if walk.transfers(s) and in_background(s, deferred):
            return True
        if any(self.function_suspends(f, deferred) for f in called_in(s)):
            return True
        return any(self.suspends(x, deferred) for x in walk.statements(s))

    def function_suspends(self, f: t.Function, deferred: bool) -> bool:
        if (f, deferred) not in self._suspends:
            self._suspends[f, deferred] = False
            self._suspends[f, deferred] = self.suspends(f.body, deferred)
        return self._suspends[f, deferred]


def called_in(s: t.Stmt) -> list[t.Function]:
    """The functions called in a statement's own expressions."""
    return [n.function for e in walk.expressions(s) for n in walk.nodes(e) if isinstance(n, t.Call)]


def symbols_of(s: t.Stmt, seen: set[t.Function]) -> Iterator[t.Symbol]:
    """Every variable that a statement names, in the functions that it calls too."""
    for x in walk.all_statements(s):
        for e in walk.expressions(x):
            for n in walk.nodes(e):
                if isinstance(n, t.Var | t.BaseOf):
                    yield n.symbol
        if isinstance(x, t.Assign) and isinstance(x.target, t.BaseOf):
            yield x.target.symbol
        for f in called_in(x):
            if f not in seen:
                seen.add(f)
                yield from symbols_of(f.body, seen)


def dispatches(roots: list[t.Stmt]) -> list[t.Dispatch]:
    """Every dispatch that the code can reach, handlers' bodies and called functions included."""
    out: list[t.Dispatch] = []
    seen: set[t.Function] = set()
    todo = list(roots)
    while todo:
        root = todo.pop(0)
        for s in walk.all_statements(root):
            if isinstance(s, t.Dispatch):
                out.append(s)
                todo += [h.body for h in s.handlers]
            for f in called_in(s):
                if f not in seen:
                    seen.add(f)
                    todo.append(f.body)
    return out


@dataclass
class TaskIds:
    """Local task ids. `take` gives out the lowest one above those in use; `high` is the most that were in use within
    the code that is being looked at."""

    used: int = 1  # the main task
    high: int = 1

    def take(self) -> int | None:
        """A new id, None when there is none left."""
        if self.used >= len(FREE_TASKS):
            return None
        task = FREE_TASKS[self.used]
        self.used += 1
        self.high = max(self.high, self.used)
        return task


ALL_MICROTHREADS = tuple(range(MICROTHREADS))
