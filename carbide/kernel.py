"""What the routines of one kernel share while they are lowered: memory, copies of functions, handlers, threads."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from carbide import walk
from carbide.address import Access
from carbide.ir import Data, Label, Routine, Unit
from carbide.storage import Storage
from carbide.tasks import (
    ALL_MICROTHREADS,
    FREE_TASKS,
    MAIN_TASK,
    Needs,
    TaskIds,
    Thread,
    dispatches,
    symbols_of,
)
from diag.report import Reporter
from diag.spans import Span
from tungsten import tree as t
from tungsten.types import VOID, Scalar

INLINE_NODES = 24  # a function of at most this many nodes is written where it is called
INLINE_NESTED = 96  # and with all that its calls bring
MAX_COPIES = 8  # copies of one function for different arguments by reference


@dataclass(eq=False)
class Copy:
    """A function as code: for one set of arguments by reference, and for one thread where it may wait.

    bindings: the place of each parameter by reference; pointers: the variable that holds its address where that is
    known at run time only; params: the variable of each scalar parameter; result: that of the value.
    """

    function: t.Function
    routine: Routine
    thread: Thread
    bindings: dict[t.Symbol, Access]
    pointers: dict[t.Symbol, Data]
    params: dict[t.Symbol, Data]
    result: Data | None


@dataclass(eq=False)
class Entry:
    """A task's code that waits to be lowered: a handler or the teardown task."""

    routine: Routine
    thread: Thread
    handlers: list[t.Handler]
    body: t.Stmt | None


class Kernel:
    """Shared state; `todo` are copies and entries whose bodies are still to be lowered."""

    def __init__(self, program: t.Program, reporter: Reporter) -> None:
        self.program = program
        self.reporter = reporter
        self.unit = Unit()
        self.needs = Needs()
        self.ids = TaskIds()
        roots: list[t.Stmt] = [*program.body, *([program.teardown] if program.teardown is not None else [])]
        self.dispatches = dispatches(roots)
        self.memory_locals = _shared_locals(program, self.dispatches) | _targets_of_arms(program, self.dispatches)
        self.storage = Storage(program, self.unit, reporter)
        self.todo: list[Copy | Entry] = []
        self.copies: dict[object, Copy] = {}
        self.count: dict[t.Function, int] = {}
        self.entered: set[t.Dispatch] = set()
        self._names: dict[str, int] = {}
        self._small: dict[t.Function, bool] = {}
        self._written: dict[t.Function, int] = {}
        self._owners: dict[object, object] = {}
        self._share_out()

    # --- threads

    def _share_out(self) -> None:
        """Microthreads for endless transfers, handlers and the main code (the rest)."""
        program, left = self.program, list(ALL_MICROTHREADS)
        self.background: dict[t.ForAll, int] = {}
        for s in program.background:
            if len(left) == 0:
                self.reporter.report("CB001", s.span, count=len(program.background), limit=len(ALL_MICROTHREADS))
                left = [0]
            self.background[s] = left.pop()
        self.handler_microthreads: dict[t.Dispatch, tuple[int, ...]] = {}
        for d in self.dispatches:
            need = max((self.needs.microthreads(h.body, False) for h in d.handlers), default=0)
            self.handler_microthreads[d] = self._take(left, need, d.span)
        need = self.needs.microthreads(program.teardown, False) if program.teardown is not None else 0
        self.teardown_microthreads = self._take(left, need, program.span)
        main = max((self.needs.microthreads(s, False) for s in program.body), default=0)
        if main and not left:
            self.reporter.report("CB001", program.span, count=main, limit=0)
            left = [0]
        self.main = Thread("main", MAIN_TASK, tuple(left))

    def _take(self, left: list[int], need: int, span: Span) -> tuple[int, ...]:
        if need > len(left):
            self.reporter.report("CB001", span, count=need, limit=len(left))
        taken = tuple(left[max(0, len(left) - need) :])
        del left[max(0, len(left) - need) :]
        return taken

    def task_id(self, thread: Thread, span: Span | None) -> int:
        """The id of a thread's continuations."""
        if thread.task is None:
            task = self.ids.take()
            if task is None:
                self.reporter.report("CB002", span, limit=len(FREE_TASKS))
                task = MAIN_TASK
            thread.task = task
        return thread.task

    @cached_property
    def in_other_tasks(self) -> set[t.Symbol] | None:
        """What handlers, the teardown task and endless transfers name; None where there are none of these."""
        program = self.program
        bodies: list[t.Stmt] = [h.body for d in self.dispatches for h in d.handlers] + list(program.background)
        if program.teardown is not None:
            bodies.append(program.teardown)
        seen: set[t.Function] = set()
        return {x for b in bodies for x in symbols_of(b, seen)} if bodies else None

    def touched(self, source: t.Source) -> set[Data] | None:
        """The objects that a read of a source may touch, None = any; a stream may be any iterator of the kernel."""
        if not isinstance(source, t.StreamVar):
            return self.storage.roots_of(source)
        out: set[Data] = set()
        for it in self.program.iterators:
            roots = self.storage.roots_of(it)
            if roots is None:
                return None
            out |= roots
        return out

    # --- functions in place

    def is_small(self, f: t.Function) -> bool:
        """The function is written where it is called: few nodes, no loops, and no `return` but at its end."""
        if f not in self._small:
            inner = f.body.body[:-1] if f.body.body and isinstance(f.body.body[-1], t.Return) else f.body.body
            every = [s for x in inner for s in walk.all_statements(x)]
            big = any(isinstance(s, t.Return | t.ForAll | t.While | t.Forever | t.Dispatch | t.Parallel) for s in every)
            nodes = list(walk.all_nodes(f.body))
            size = len(every) + len(nodes)
            # What it calls may be written in place too, and so on: functions that call each other twice would double
            # the text with every step.
            within = [n.function for n in nodes if isinstance(n, t.Call)]
            self._written[f] = size + sum(self._written[g] for g in within if self.is_small(g))
            self._small[f] = not big and size <= INLINE_NODES and self._written[f] <= INLINE_NESTED
        return self._small[f]

    def assigned(self, f: t.Function) -> set[t.Symbol]:
        """The variables that a function's body gives values to."""
        out: set[t.Symbol] = set()
        for s in walk.all_statements(f.body):
            if isinstance(s, t.Assign | t.Accumulate | t.Dot) and isinstance(s.target, t.Var):
                out.add(s.target.symbol)
            elif isinstance(s, t.LocalInit):
                out.add(s.symbol)
        return out

    def inline_owner(self, f: t.Function, thread: Thread) -> object:
        """Whose locals a function written in place uses: one set for all, or one for each thread where it waits."""
        key = (f, thread if self.needs.function_suspends(f, thread.deferred) else None)
        return self._owners.setdefault(key, key)

    # --- handlers

    def enter(self, s: t.Dispatch) -> int:
        """Makes the tasks of a dispatch, once; its queue."""
        queue = s.socket.in_queue or 0
        if s in self.entered:
            return queue
        self.entered.add(s)
        unit, threads = self.unit, self.handler_microthreads[s]
        unit.blocked.add(queue)
        thread = Thread(f"{s.socket.name}.wavelet", None, threads, guard=queue)
        data = [h for h in s.handlers if not h.control]
        control = [h for h in s.handlers if h.control]
        for group, table in ((data[:1], "task"), (control, "queue_control")):
            if not group:
                continue
            what = f"{s.socket.name}.{'control' if group is control else 'wavelet'}"
            routine = self.routine(what, group[0].span)
            unit.tasks.append((table, queue, routine.entry, what))
            self.todo.append(Entry(routine, thread, group, None))
        if data and data[0].value is not None and data[0].value.type.words == 1 and data[0].index is None:
            unit.halves.add(queue)
        return queue

    # --- routines

    def routine(self, name: str, span: Span) -> Routine:
        """A new routine; names of copies get a number."""
        n = self._names.get(name, 0)
        self._names[name] = n + 1
        unique = name if n == 0 else f"{name}.{n}"
        r = Routine(unique, Label(unique), span=span)
        self.unit.routines.append(r)
        return r

    def copy(self, f: t.Function, places: list[Access | None], thread: Thread) -> Copy:
        """The code of a function for arguments by reference at `places` (None for scalar parameters), whose
        constant ones are built in as long as there are not too many copies."""
        waits = self.needs.function_suspends(f, thread.deferred)
        shared: object = thread if waits else thread.deferred
        fixed = self.count.get(f, 0) < MAX_COPIES
        key = (f, shared, tuple(_place_key(p, True) for p in places))
        found = self.copies.get(key)
        if found is None and not fixed:
            key = (f, shared, tuple(_place_key(p, False) for p in places))
            found = self.copies.get(key)
        if found is None:
            self.count[f] = self.count.get(f, 0) + 1
            found = self.copies[key] = self._new_copy(f, places, thread, fixed)
            self.todo.append(found)
        return found

    def _new_copy(self, f: t.Function, places: list[Access | None], thread: Thread, fixed: bool) -> Copy:
        routine = self.routine(f.name, f.span)
        new = self.storage.new
        routine.link = new(f"{routine.name}.return", 1, "local")
        c = Copy(f, routine, thread, {}, {}, {}, None)
        for p, place in zip(f.params, places, strict=True):
            if place is None:
                c.params[p] = new(f"{routine.name}.{p.name}", p.type.words, "local", span=p.span)
                continue
            c.bindings[p] = place
            if not (fixed and place.base.data is not None and not place.terms) or p.rebased:
                c.pointers[p] = new(f"{routine.name}.{p.name}", 1, "pointer", span=p.span)
        if f.result is not VOID and isinstance(f.result, Scalar):
            c.result = new(f"{routine.name}.value", f.result.words, "local")
        return c


def _place_key(a: Access | None, exactly: bool) -> object:
    if a is None:
        return None
    root = a.base.root
    if exactly and a.base.data is not None and not a.terms:
        return a.base.data, a.offset, a.type
    return root, a.base.absolute, a.type


# ---------------------------------------------------------------- locals that need memory


def _symbols(s: t.Stmt) -> set[t.Symbol]:
    out = {n.symbol for n in walk.all_nodes(s) if isinstance(n, t.Var) and n.symbol.storage == "local"}
    return out | {x.symbol for x in walk.all_statements(s) if isinstance(x, t.LocalInit)}


def _shared_locals(program: t.Program, found: list[t.Dispatch]) -> set[t.Symbol]:
    """Locals that code of several tasks without a common routine uses: handlers, teardown and what is around."""
    bodies: list[t.Stmt] = [h.body for d in found for h in d.handlers]
    if program.teardown is not None:
        bodies.append(program.teardown)
    seen: set[t.Symbol] = set()
    shared: set[t.Symbol] = set()
    for group in ([*program.body], *([b] for b in bodies)):
        mine = {x for s in group for x in _symbols(s)}
        shared |= seen & mine
        seen |= mine
    return shared


def _targets_of_arms(program: t.Program, found: list[t.Dispatch]) -> set[t.Symbol]:
    """Scalar locals that an arm of one transfer writes: a microthread can write memory only."""
    roots: list[t.Stmt] = [*program.body, *(f.body for f in program.functions), *program.background]
    roots += [h.body for d in found for h in d.handlers]
    if program.teardown is not None:
        roots.append(program.teardown)
    out: set[t.Symbol] = set()
    for root in roots:
        for s in walk.all_statements(root):
            if not isinstance(s, t.Parallel):
                continue
            for arm in s.arms:
                inner = walk.only(arm)
                while isinstance(inner, t.ForAll):
                    inner = walk.only(inner.body)
                if isinstance(inner, t.LocalInit) and len(inner.assigns) == 1:
                    inner = inner.assigns[0]
                if isinstance(inner, t.Assign | t.Accumulate | t.Dot) and isinstance(inner.target, t.Var):
                    out.add(inner.target.symbol)
    return out
