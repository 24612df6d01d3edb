"""What a core that waits may still do: whether code that can be reached from its waits sends on a queue or reads one,
fills a FIFO or empties it.

For explanations. The graph of instructions is that of `fabric.reference.serving`; it knows no values, so "may" errs on
the side of yes: every branch goes both ways, every handler and task that something may start counts, and a descriptor
that comes through a register, or from memory that the code writes, may be anything.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from fabric.arch import MAIN_WORDS, OUTPUT_QUEUE, QUEUES, TASK_TEARDOWN
from fabric.descriptor import FABIN, FABOUT, FIFO
from fabric.encode import SLOT_DD, SLOT_SA, SLOT_SB, Instr
from fabric.isa import FORM_DEST, FORM_SRC0, FORM_SRC1, TYPES
from fabric.reference.core import IDLE
from fabric.reference.serving import LINK, Code

if TYPE_CHECKING:
    from collections.abc import Iterable

    from fabric.reference.core import Core

# Where the DSRs of a load, and those of the operand that a form bit stands for, lie in `Core.dsrs`.
LOADS = {"ldd": 0, "lds0": SLOT_SA - SLOT_DD, "lds1": SLOT_SB - SLOT_DD}
REGISTER_LOADS = ("lddr", "lds0r", "lds1r")
FORMS = ((FORM_DEST, "dest", 0), (FORM_SRC0, "src0", LOADS["lds0"]), (FORM_SRC1, "src1", LOADS["lds1"]))
STORE_WORDS = {"st16": 1, "st32": 2, "st64": 4, "std": 4, "sts0": 4, "sts1": 4}


class Use(NamedTuple):
    """An instruction's access to a queue: `kind` FABIN or FABOUT, `words` of an element (1 or 2)."""

    kind: int
    queue: int
    words: int


class Ahead:
    """The instructions that a core may still come to."""

    def __init__(self, core: Core, handler: int | None = None) -> None:
        """`handler`: an input queue, of which only the handlers count."""
        self.core = core
        self.code = Code(core)
        self.handler = handler

    def sends(self, queue: int) -> bool:
        """Some of them may send on an output queue."""
        return self._uses(FABOUT, queue)

    def reads(self, queue: int) -> bool:
        """Some of them may read an input queue; a handler of the queue does."""
        return bool(self.core.tasks.entries[queue]) or self._uses(FABIN, queue)

    def fills(self, block: int) -> bool:
        """Some of them may push into the FIFO with a block."""
        return self._uses(FIFO, block, (FORM_DEST,))

    def empties(self, block: int) -> bool:
        """Some of them may pop from it."""
        return self._uses(FIFO, block, (FORM_SRC0, FORM_SRC1))

    # --- the walk ------------------------------------------------------------------------------------------------

    def _starts(self) -> list[int]:
        """Where code may go on: behind waits, in what microthreads start, in tasks and handlers."""
        core, tasks = self.core, self.core.tasks
        if self.handler is not None:
            catch_all = tasks.catch_all[self.handler]
            return [tasks.entries[self.handler], *([catch_all] if catch_all else tasks.control_entries)]
        found = []
        if core.vector is not None:
            if not core.vector.prepared.terminate:
                found.append(core.vector.pc + len(core.vector.prepared.words))
        elif core.task != IDLE:
            found.append(core.pc)
        started = [op.background.task for op in core.live if op.background is not None and op.background.completion]
        started += [task for _, _, _, task in core.events]
        started += [task for task in range(len(tasks.entries)) if tasks.active >> task & 1]
        for queue in range(QUEUES):
            if not tasks.blocked >> queue & 1:
                started.append(queue)
                found.append(tasks.catch_all[queue])
        if not any(tasks.catch_all):
            found += tasks.control_entries
        return [*found, *(self.code.entry(task) for task in [*started, TASK_TEARDOWN])]

    @cached_property
    def _reached(self) -> dict[int, Instr]:
        """Every instruction that may run, by address."""
        code = self.code
        found: dict[int, Instr] = {}
        todo = [pc for pc in self._starts() if pc]
        while todo:
            pc = todo.pop()
            if pc in found:
                continue
            instr = code.at(pc)
            if instr is None:
                continue
            found[pc] = instr
            todo += [target for target in self._after(pc, instr) if target and target not in found]
        return found

    def _after(self, pc: int, instr: Instr) -> Iterable[int]:
        name, code = instr.row.name, self.code
        last = instr.terminate or name in ("terminate", "halt", "fault", "jmp", "jmpr")
        if not last or instr.pred is not None:
            yield pc + instr.length
        if name in ("jmp", "call", "djnz"):
            yield instr.args[0]
        elif name == "jmpr" and instr.src0 == LINK:
            yield from code.returns()
        elif name == "settask":
            yield instr.args[1]
        elif name in ("activate", "arrive", "unblock"):
            yield code.entry(instr.args[0])
        if instr.background is not None and instr.background.completion:
            yield code.entry(instr.background.task)

    @cached_property
    def _written(self) -> set[int]:
        """Addresses that reachable stores name."""
        return {
            instr.args[0] + k
            for instr in self._reached.values()
            for k in range(STORE_WORDS.get(instr.row.name, 0))
        }

    @cached_property
    def _unknown(self) -> bool:
        """Something that cannot be followed: a descriptor through a register, a jump through one, or a queue that gets
        another color."""
        names = {(i.row.name, i.src0) for i in self._reached.values()}
        if any(name in REGISTER_LOADS or (name == "jmpr" and reg != LINK) for name, reg in names):
            return True
        return any(OUTPUT_QUEUE <= address < OUTPUT_QUEUE + QUEUES for address in self._written)

    def _uses(self, kind: int, where: int, forms: tuple[int, ...] = (FORM_DEST, FORM_SRC0, FORM_SRC1)) -> bool:
        """A descriptor of a kind, with the queue or block `where`, is loaded for one of the forms, or used."""
        if self._unknown:
            return True
        bases = {base for bit, _, base in FORMS if bit in forms}
        for instr in self._reached.values():
            if LOADS.get(instr.row.name) in bases:
                at = instr.args[0]
                if any(at + k in self._written for k in range(4)) or _is(self._words(at), kind, where):
                    return True
            for bit, field, base in FORMS:
                if bit in forms and instr.form & bit and _is(self.core.dsrs[base + getattr(instr, field)], kind, where):
                    return True
        return False

    def _words(self, address: int) -> list[int]:
        memory = self.core.memory
        return [int(w) for w in memory[address : address + 4]] if address + 4 <= MAIN_WORDS else [0] * 4


def _is(dsd: list[int], kind: int, where: int) -> bool:
    return dsd[0] & 15 == kind and dsd[1] == where


def uses(core: Core, addresses: Iterable[int]) -> list[Use]:
    """What the instructions at some addresses, in ascending order, do with queues. A DSR holds what the last load
    before an instruction put there, which is how compilers lay code out: good for a hint, not for a proof."""
    code = Code(core)
    held: dict[int, list[int]] = {}
    found = []
    for pc in addresses:
        instr = code.at(pc)
        if instr is None:
            continue
        base = LOADS.get(instr.row.name)
        if base is not None:
            at = instr.args[0]
            held[base + instr.dest] = [int(w) for w in core.memory[at : at + 4]]
        for bit, field, first in FORMS:
            dsd = held.get(first + getattr(instr, field)) if instr.form & bit else None
            if dsd and dsd[0] & 15 in (FABIN, FABOUT):
                row = instr.row
                type_ = row.dest if bit == FORM_DEST else row.sources[0 if bit == FORM_SRC0 else 1]
                if type_ is not None:
                    found.append(Use(dsd[0] & 15, dsd[1], TYPES[type_].words))
    return found
