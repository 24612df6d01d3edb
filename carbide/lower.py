"""Lowering: from the typed tree to the intermediate form (`carbide.ir`).

`lower` is the only entry. The main code becomes the routine of local task 8, which is active from the start; every
handler, the teardown body and every copy of a function a routine of its own. The classes build on each other, each
in a file of its own: builder (operations), variables (where things are), lower_expr (values and conditions),
operands, recognise, lower_vector and split (vector instructions), lower_call, lower_simple, lower_loop and lower_stmt
(statements), lower_parallel and lower_together (concurrency).
"""

from __future__ import annotations

from carbide.address import Access, Base
from carbide.ir import Addr, Imm, Label, Reg, Routine, Unit
from carbide.kernel import Copy, Entry, Kernel
from carbide.lower_together import Together
from carbide.select import file_of
from carbide.storage import Owner
from carbide.tasks import MAIN_TASK, Thread
from diag.report import Reporter
from fabric.arch import TASK_NONE, TASK_TEARDOWN
from tungsten import tree as t
from tungsten.types import Scalar

UNEXPECTED_CONTROL = 1  # code of the `fault` for a control wavelet that no handler of its queue takes


class Body(Together):
    """The code of one routine."""

    def __init__(self, kernel: Kernel, routine: Routine, owner: Owner, thread: Thread) -> None:
        super().__init__(kernel, routine, owner)
        self.thread = thread
        self.copy: Copy | None = None
        self.exit: Label | None = None  # where a handler ends

    def leave(self, s: t.Return) -> None:
        if self.copy is not None:
            if s.value is not None and self.copy.result is not None:
                bits = 16 * self.copy.result.words
                self.op(f"st{bits}", None, (self.value(s.value),), (Addr(self.copy.result),))
            self.op("ret")
        elif self.exit is not None:
            self.jump(self.exit)
        else:
            self.op("end")

    # --- routines

    def main(self, program: t.Program) -> None:
        self.sequence(program.body)
        if self.reachable():
            self.op("end")

    def function(self, c: Copy) -> None:
        """A copy of a function: arguments into registers, then the body."""
        self.copy = c
        for p, data in c.params.items():
            if self.in_memory(p):
                register = self.reg(file_of(p.type))
                self.op(f"ld{16 * p.type.words}", register, (), (Addr(data),))
                self.store(self.access(t.Var(p.span, p.type, p)), p.type, register)
            else:
                self.op(f"ld{16 * p.type.words}", self.variable(p), (), (Addr(data),))
        for p, place in c.bindings.items():
            pointer = c.pointers.get(p)
            if pointer is None:
                self.bindings[p] = place
                continue
            register = self.reg("R", p.name)
            self.op("ld16", register, (), (Addr(pointer),))
            if p.rebased:
                base = self.kernel.storage.base(p, self.owner)
                assert base.pointer is not None and not isinstance(base.pointer, Reg)
                self.op("st16", None, (register,), (Addr(base.pointer),))
            else:
                base = Base(place.base.root, pointer=register)
            self.bindings[p] = Access(base, 0, (), place.type)
        self.statement(c.function.body)
        if self.reachable():
            self.op("ret")

    def entry(self, e: Entry) -> None:
        """A handler's task, or the teardown task."""
        self.exit = self.label("exit")
        waits = e.body is not None and self.kernel.needs.suspends(e.body, False)
        waits = waits or any(self.kernel.needs.suspends(h.body, False) for h in e.handlers)
        if waits and e.thread.guard is not None:
            self.op("block", None, (), (e.thread.guard,))
        if e.body is not None:
            self.statement(e.body)
        elif e.handlers[0].control:
            self._control(e.handlers)
        else:
            self._data(e.handlers[0])
        self.put(self.exit)
        if waits and e.thread.guard is not None:
            self.op("unblock", None, (), (e.thread.guard,))
        self.op("end")

    def _data(self, h: t.Handler) -> None:
        """A data wavelet: its value, or value and index, are in R0 and R1."""
        held: list[tuple[t.Symbol, Reg]] = []
        if h.value is not None:
            assert isinstance(h.value.type, Scalar)
            held.append((h.value, self.reg(file_of(h.value.type), h.value.name)))
            self.routine.entry_regs.append((0, held[-1][1]))
        if h.index is not None:
            held.append((h.index, self.reg("R", h.index.name)))
            self.routine.entry_regs.append((1, held[-1][1]))
        for symbol, register in held:
            self._bind(symbol, register)
        self.statement(h.body)

    def _bind(self, symbol: t.Symbol, value: Reg) -> None:
        """Gives a handler's parameter its value."""
        if symbol.storage == "index" or not self.in_memory(symbol):
            self.regs[symbol] = value
        else:
            self.store(self.access(t.Var(symbol.span, symbol.type, symbol)), symbol.type, value)

    def _control(self, handlers: list[t.Handler]) -> None:
        """A control wavelet of this queue: the handler of its task id, else the one for any."""
        assert self.exit is not None
        value, index = self.reg("R", "value"), self.reg("R", "index")
        self.routine.entry_regs += [(0, value), (1, index)]
        named = [h for h in handlers if h.control_id is not None]
        general = [h for h in handlers if h.control_id is None]
        starts: list[tuple[Label, t.Handler]] = []
        if named:
            task = self.compute("and16", "R", (index, Imm(0x3F)))
            for h in named:
                mine, here = self.reg("P"), self.label("control")
                self.op("eq16", mine, (task, Imm((h.control_id or 0) & 0x3F)))
                self.jump(here, mine)
                starts.append((here, h))
            if not general:
                none = self.reg("P")
                self.op("eq16", none, (task, Imm(TASK_NONE)))
                self.jump(self.exit, none)
                self.op("fault", None, (), (UNEXPECTED_CONTROL,))
        for h in general[:1]:
            self._control_body(h, value)
        for here, h in starts:
            self.put(here)
            self._control_body(h, value)

    def _control_body(self, h: t.Handler, value: Reg) -> None:
        assert self.exit is not None
        if h.value is not None:
            register = value
            if h.value.type.words == 2:
                register = self.compute("zext32", "D", (value,), files="R")
            self._bind(h.value, register)
        self.statement(h.body)
        if self.reachable():
            self.jump(self.exit)


def lower(program: t.Program, reporter: Reporter) -> Unit:
    """The intermediate form of a kernel. Errors (CB0xx) go to the reporter; the result is meaningful without them."""
    kernel = Kernel(program, reporter)
    unit = kernel.unit
    routine = kernel.routine("main", program.span)
    unit.tasks.append(("task", MAIN_TASK, routine.entry, "main"))
    unit.active.add(MAIN_TASK)
    Body(kernel, routine, None, kernel.main).main(program)
    if program.teardown is not None:
        r = kernel.routine("teardown", program.teardown.span)
        unit.tasks.append(("task", TASK_TEARDOWN, r.entry, "teardown"))
        thread = Thread("teardown", None, kernel.teardown_microthreads, guard=TASK_TEARDOWN)
        kernel.todo.append(Entry(r, thread, [], program.teardown))
    while kernel.todo:
        item = kernel.todo.pop(0)
        kernel.ids.used = kernel.ids.high
        if isinstance(item, Copy):
            Body(kernel, item.routine, item, item.thread).function(item)
        else:
            Body(kernel, item.routine, None, item.thread).entry(item)
    return unit
