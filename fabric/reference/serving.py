"""Whether a waiting thread serves: whether its wait is one of a loop without end (tools.md, outcomes).

A wait on an empty queue in a `forever` is no hang. The loop is found in the code: from the waiting instruction one
gets back to it, and by no way to an end of the program. Microthreads and activated tasks carry the program on: a task
that ends after it has started one is no end. What is not known (a jump through a register) counts as an end.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.arch import LOCAL_TASKS, MAIN_WORDS
from fabric.encode import COMPLETIONS, MAX_LENGTH, DecodeError, Instr, decode
from fabric.reference.vectors import ENDLESS, VectorOp

if TYPE_CHECKING:
    from fabric.reference.core import Core

LINK = 15  # the register with the return address


class Code:
    """The program of a core as a graph of instructions."""

    def __init__(self, core: Core) -> None:
        self.core = core
        self._seen: dict[int, Instr | None] = {}
        self._returns: list[int] | None = None

    def at(self, pc: int) -> Instr | None:
        if pc not in self._seen:
            instr = None
            if 0 < pc < MAIN_WORDS:
                try:
                    instr = decode(self.core.memory[pc : pc + MAX_LENGTH].tolist())
                except DecodeError:
                    pass
            self._seen[pc] = instr
        return self._seen[pc]

    def entry(self, task: int) -> int:
        return self.core.tasks.entries[task]

    def returns(self) -> list[int]:
        """Every place behind a call that can be reached from a task's entry."""
        if self._returns is None:
            self._returns = []
            tasks = self.core.tasks
            todo = [e for e in (*tasks.entries, *tasks.control_entries, *tasks.catch_all) if e]
            seen = set(todo)
            while todo:
                pc = todo.pop()
                instr = self.at(pc)
                if instr is None:
                    continue
                name, after = instr.row.name, pc + instr.length
                follow = [] if name in ("jmp", "jmpr", "terminate", "halt") and instr.pred is None else [after]
                if name in ("jmp", "call", "djnz"):
                    follow.append(instr.args[0])
                if name == "call":
                    self._returns.append(after)
                for target in follow:
                    if target not in seen:
                        seen.add(target)
                        todo.append(target)
        return self._returns


def _carries_on(instr: Instr) -> int | None:
    """The local task that an instruction, or its microthread, starts or lets start."""
    background = instr.background
    if background is not None and background.completion:
        task = background.task
    elif instr.row.kind == "task" and instr.row.name in ("activate", "arrive", "unblock"):
        task = instr.args[0]
    else:
        return None
    return task if task in LOCAL_TASKS else None


def _is_end(instr: Instr) -> bool:
    return instr.terminate or instr.row.name == "terminate"


def in_endless_loop(code: Code, op: VectorOp) -> bool:
    """Whether the statement of a live vector instruction stands in a loop that the program never leaves."""
    # A state is an address, and whether this task has started something that carries the program on.
    todo: list[tuple[int, bool]] = []
    if op.background is None:
        if op.prepared.terminate:
            return False
        todo.append((op.pc + len(op.prepared.words), False))
    else:
        task = op.background.task
        if not COMPLETIONS[op.background.completion] or task not in LOCAL_TASKS:
            return False
        todo.append((code.entry(task), False))
    seen = set(todo)
    back = False
    while todo:
        pc, carried = todo.pop()
        if pc == op.pc:
            back = True
        instr = code.at(pc)
        if instr is None:
            return False
        follow: list[tuple[int, bool]] = []
        task_started = _carries_on(instr)
        if task_started is not None:
            carried = True
            follow.append((code.entry(task_started), False))
        after = (pc + instr.length, carried)
        name = instr.row.name
        if name == "settask":  # the task may go on there as well as where its entry is now
            follow.append((instr.args[1], False))
        if name in ("halt", "fault"):
            return False
        if _is_end(instr):
            if not carried:
                return False
            if instr.pred is not None:
                follow.append(after)
        elif name == "jmpr":
            if instr.src0 != LINK:
                return False
            follow += [(target, carried) for target in code.returns()]
        elif name == "jmp":
            follow.append((instr.args[0], carried))
            if instr.pred is not None:
                follow.append(after)
        elif name == "call":
            follow.append((instr.args[0], carried))
            if instr.pred is not None:
                follow.append(after)
        elif name == "djnz":
            follow += [after, (instr.args[0], carried)]
        else:
            follow.append(after)
        for state in follow:
            if state not in seen:
                seen.add(state)
                todo.append(state)
    return back


def serves(code: Code, op: VectorOp) -> bool:
    """A live instruction that waits on an empty queue serves: it has no end, or stands in a loop without one."""
    return op.total == ENDLESS or in_endless_loop(code, op)
