"""A live vector instruction: on the main thread or as a microthread, it goes group by group (S0:76-85).

A group is as many elements as the row's width, the strides, the end of the vector, and the queues and FIFOs of its
operands allow in one cycle (hardware.md 6, 10, 14). All elements of a group are read before any is written.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fabric.descriptor import FABOUT, FIFO, KINDS
from fabric.encode import SLOT_DD, SLOT_SA, SLOT_SB, Async, Instr
from fabric.isa import FORM_DEST, FORM_SRC0, TYPES
from fabric.reference.operands import MANY, Constant, Operand, Receive, destination, snapshot, source
from fabric.reference.prepared import Prepared, prepare, reader, source_reader, writer

if TYPE_CHECKING:
    from fabric.reference.core import Core

DSR_INDEX = {"dd": 0, "sa": SLOT_SA - SLOT_DD, "sb": SLOT_SB - SLOT_DD}
ENDLESS = -1


class VectorOp:
    """One live instruction. `pc` and `task` say where it came from; `background` is its microthread's word or None;
    `total` the number of elements, ENDLESS for one without end; `done` how many have gone; `not_before` the first
    cycle in which its next group may issue."""

    def __init__(self, core: Core, prepared: Prepared, pc: int, task: int, not_before: int) -> None:
        instr = prepared.instr
        self.core = core
        self.prepared = prepared
        self.instr = instr
        self.pc = pc
        self.task = task
        self.background: Async | None = instr.background
        self.not_before = not_before
        self.since = not_before  # for the profile: the cycle from which its next group could have gone
        self.trace = 0  # the trace's number of this instruction
        self.said = -1  # how much was done when the trace last said that it waits
        self.seen: list[list[int]] = []  # source values of the last group, kept where a probe looks
        self.made: list[int] = []  # and its results
        row = instr.row
        self.kind = row.kind
        self.function = row.semantics
        self.busy = prepared.busy
        self.target: Operand | None = None
        if instr.form & FORM_DEST:
            assert row.dest is not None
            dsd = core.dsrs[instr.dest]
            self.target = destination(core, dsd, TYPES[row.dest].words, f"DD{instr.dest}")
            if row.reads_dest and self.target.kind in (FABOUT, FIFO):
                what = KINDS[self.target.kind]
                raise core.fault("FB512", dsr=f"DD{instr.dest}", kind=what, role="a destination that is read too")
        self.inputs: list[Operand] = []
        for i, kind in enumerate(row.sources):
            if i < 2 and instr.form & (FORM_SRC0 << i):
                number = instr.sources[i]
                dsd = core.dsrs[DSR_INDEX["sa" if i == 0 else "sb"] + number]
                self.inputs.append(source(core, dsd, TYPES[kind].words, f"{'SA' if i == 0 else 'SB'}{number}"))
            else:
                self.inputs.append(Constant(source_reader(instr, i)(core)))
        self._prepare_steps(instr)
        operand = self._length_operand(instr)
        self.total = ENDLESS if operand.endless else operand.extent
        if self.kind == "dot" and "k" not in row.name:
            core.acc = 0
        self.done = 0

    def _prepare_steps(self, instr: Instr) -> None:
        """What follows from the instruction and its operands alone."""
        row = instr.row
        self.operands = [*self.inputs, self.target] if self.target is not None else list(self.inputs)
        self.queues = [(o.kind, o.queue) for o in self.operands if o.queue is not None]
        limits = [o.limit() for o in self.operands]
        self.width = min([instr.group, *limits])
        self.banks = [o for o in self.inputs if o.bank]
        self.put = writer(row.dest, instr.dest) if row.dest and self.target is None else None
        self.get = reader(row.dest, instr.dest) if row.dest and self.target is None else None
        # The scalar source that is the running value of a reduction.
        self.running = -1
        if row.kind == "alu" and self.target is None and len(row.sources) > 1:
            self.running = 1 if instr.form & FORM_SRC0 else 0
        if row.kind == "filter":
            self.width = MANY

    def _length_operand(self, instr: Instr) -> Operand:
        bit = instr.length_from
        if bit == FORM_DEST:
            assert self.target is not None
            return self.target
        return self.inputs[0 if bit == FORM_SRC0 else 1]

    @property
    def ut(self) -> int | None:
        """The microthread, or None on the main thread."""
        return None if self.background is None else self.background.ut

    @property
    def finished(self) -> bool:
        return self.done == self.total

    def group(self, now: int) -> int:
        """How many elements can go in this cycle; 0 when a queue or FIFO makes it wait (`blocker` says which)."""
        if self.kind == "filter":
            return 1 if self._filter_input().input.peek(now) is not None else 0
        n = self.width
        left = self.total - self.done
        if 0 <= left < n:
            n = left
        dot = self.kind == "dot"
        for operand in self.operands:
            # The destination of a dot product takes one element, with the last step.
            if dot and operand is self.target and self.done + 1 != self.total:
                continue
            ready = operand.ready(now)
            if ready < n:
                n = ready
        return n

    def blocker(self, now: int) -> Operand | None:
        """The first operand that has nothing ready, sources first."""
        if self.kind == "filter":
            return self.inputs[0]
        return next((o for o in self.operands if o.ready(now) == 0), None)

    def conflict(self) -> bool:
        """The next group of two memory sources starts in banks that collide (hardware.md 10 and 14.4)."""
        banks = self.banks
        return len(banks) == 2 and banks[0].address() % 4 == banks[1].address() % 4

    def step(self, n: int, now: int) -> None:
        """Does n elements; `done` moves on."""
        if self.kind == "alu":
            self._alu(n, now)
        elif self.kind == "rmw":
            self._multiply_add(n, now)
        elif self.kind == "dot":
            self._dot(n, now)
        else:
            self._filter(now)
            return
        if self.total != ENDLESS:
            self.done += n

    def _alu(self, n: int, now: int) -> None:
        core, function = self.core, self.function
        assert function is not None
        if self.running >= 0:
            self._reduce(n, now)
            return
        self.seen = seen = [o.read(n, now) for o in self.inputs]
        if self.instr.row.carry:
            values = self._add_with_carry(*seen)
        elif len(seen) == 1:
            values = [function(a) for a in seen[0]]
        else:
            values = [function(*elements) for elements in zip(*seen, strict=True)]
        self.made = values
        if self.target is not None:
            self.target.write(values, now)
        else:
            assert self.put is not None
            self.put(core, values[-1])

    def _add_with_carry(self, first: list[int], second: list[int]) -> list[int]:
        core, function = self.core, self.function
        assert function is not None
        values = []
        for a, b in zip(first, second, strict=True):
            total = function(a, b, core.carry)
            core.carry = total >> 16 & 1
            values.append(total & 0xFFFF)
        return values

    def _reduce(self, n: int, now: int) -> None:
        """The running value stands in the destination register; every element goes through the scalar form."""
        core, function = self.core, self.function
        assert function is not None and self.get is not None and self.put is not None
        self.seen = [o.read(n, now) for o in self.inputs]
        for k in range(n):
            elements = [column[k] for column in self.seen]
            elements[self.running] = self.get(core)
            if self.instr.row.carry:
                total = function(*elements, core.carry)
                core.carry = total >> 16 & 1
                self.put(core, total & 0xFFFF)
            else:
                self.put(core, function(*elements))
        self.made = [self.get(core)] * n

    def _multiply_add(self, n: int, now: int) -> None:
        function = self.function
        assert function is not None
        a, b = self.seen = [o.read(n, now) for o in self.inputs]
        if self.target is not None:
            old = self.target.peek(n, now)
            self.made = [function(c, x, y) for c, x, y in zip(old, a, b, strict=True)]
            self.target.write(self.made, now)
            return
        assert self.get is not None and self.put is not None
        value = self.get(self.core)
        for x, y in zip(a, b, strict=True):
            value = function(value, x, y)
        self.put(self.core, value)
        self.made = [value] * n

    def _dot(self, n: int, now: int) -> None:
        core, function = self.core, self.function
        assert function is not None
        a, b = self.seen = [o.read(n, now) for o in self.inputs]
        for x, y in zip(a, b, strict=True):
            core.acc = function(core.acc, x, y)
        self.made = [core.acc] * n
        if self.done + n == self.total:
            self.write_dot(now)

    def write_dot(self, now: int) -> None:
        """The end of a dot product: the accumulator goes to its destination, if it has one."""
        if self.target is not None:
            self.target.write([self.core.acc], now)
        elif self.put is not None:
            self.put(self.core, self.core.acc)

    def _filter_input(self) -> Receive:
        operand = self.inputs[0]
        if not isinstance(operand, Receive):
            raise self.core.fault("FB516")
        return operand

    def _filter(self, now: int) -> None:
        """dfilt: one wavelet; data wavelets are dropped, control wavelets counted (hardware.md 6)."""
        wavelet = self._filter_input().input.take_wavelet(now)
        self.seen, self.made = [[wavelet.data]], []
        if wavelet.ctrl:
            self.done += 1

    def snapshot(self) -> dict[str, Any]:
        """Plain data from which `restore` makes the operation again."""
        return {
            "words": list(self.prepared.words),
            "pc": self.pc,
            "task": self.task,
            "not_before": self.not_before,
            "total": self.total,
            "done": self.done,
            "dsds": [o.descriptor() for o in self.operands],
            "positions": [snapshot(o) for o in self.operands],
        }

    @staticmethod
    def restore(core: Core, state: dict[str, Any]) -> VectorOp:
        prepared = prepare(state["words"], core.timing)
        acc = core.acc
        dsrs = core.dsrs
        core.dsrs = [list(d) for d in dsrs]
        for number, dsd in zip(_dsrs_of(prepared.instr), state["dsds"], strict=True):
            if number is not None:
                core.dsrs[number] = dsd
        op = VectorOp(core, prepared, state["pc"], state["task"], state["not_before"])
        core.dsrs, core.acc = dsrs, acc
        op.total, op.done = state["total"], state["done"]
        for operand, position in zip(op.operands, state["positions"], strict=True):
            operand.resume(position)
        return op


def _dsrs_of(instr: Instr) -> list[int | None]:
    """The DSR of each operand, sources first; None where it is a scalar."""
    found: list[int | None] = []
    for i in range(len(instr.row.sources)):
        file = DSR_INDEX["sa" if i == 0 else "sb"]
        found.append(file + instr.sources[i] if i < 2 and instr.form & (FORM_SRC0 << i) else None)
    return [*found, instr.dest] if instr.form & FORM_DEST else found
