"""Instructions made ready to run: decoded once, with their scoreboard slots, their cost, and what they do.

A scalar instruction's `run(core)` does all of it at its issue; that results come later is what the scoreboard says
(`needs`, `sets`, `latency`). Vector instructions are run by `vectors`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from fabric.descriptor import MEM4D
from fabric.encode import SLOT_ACC, SLOT_DD, SLOT_SA, SLOT_SB, DecodeError, Instr, decode, reads, writes
from fabric.isa import TYPES
from fabric.timing import Timing

if TYPE_CHECKING:
    from fabric.reference.core import Core

Reader = Callable[["Core"], int]
Writer = Callable[["Core", int], None]
Run = Callable[["Core"], None]
DSR_SLOT = {"dd": SLOT_DD, "sa": SLOT_SA, "sb": SLOT_SB}


class Prepared:
    """One instruction as the core uses it.

    needs, sets: scoreboard slots (fabric.encode). latency: cycles from the issue to a dependent one. busy: cycles
    to the thread's next issue. `words`: its encoding.
    """

    __slots__ = ("instr", "words", "needs", "sets", "latency", "busy", "run", "vector", "pred", "negated", "terminate")

    def __init__(self, instr: Instr, words: tuple[int, ...], timing: Timing) -> None:
        self.instr = instr
        self.words = words
        # The accumulator goes from step to step within its unit: only what leaves it for a register comes later.
        self.needs = tuple(slot for slot in reads(instr) if slot != SLOT_ACC)
        self.sets = tuple(slot for slot in writes(instr) if slot != SLOT_ACC)
        self.vector = instr.vector
        self.pred = -1 if instr.pred is None else instr.pred
        self.negated = instr.negated
        self.terminate = instr.terminate
        self.latency = _latency(instr, timing)
        self.busy = _busy(instr, timing)
        self.run: Run = _vector if instr.vector else _scalar(instr, timing)

    def values(self, core: Core) -> list[int]:
        """The values of the scalar sources now, for traces."""
        sources = range(len(self.instr.row.sources))
        return [
            source_reader(self.instr, i)(core) for i in sources if self.instr.row.sources[i] not in ("dd", "sa", "sb")
        ]


def prepare(words: Sequence[int], timing: Timing) -> Prepared:
    """Decodes the instruction at the start of `words`. Raises DecodeError."""
    instr = decode(words)
    return Prepared(instr, tuple(words[: instr.length]), timing)


def _latency(instr: Instr, timing: Timing) -> int:
    row = instr.row
    if instr.vector:
        return timing.result_vector
    if row.kind in ("control", "task"):  # the counter of djnz, the link of call, the carry of setc
        return timing.result_integer
    return int(getattr(timing, row.latency))


def _busy(instr: Instr, timing: Timing) -> int:
    """A division stands for the sequence of steps that it costs; other instructions take one slot."""
    if instr.row.latency == "fp_divide":
        return timing.fp_divide
    return timing.branch_untaken if instr.row.name == "djnz" else timing.issue


def _vector(core: Core) -> None:
    raise AssertionError("a vector instruction is no scalar one")


def reader(kind: str, number: int) -> Reader:
    """The value of a scalar source register as a raw pattern."""
    file = TYPES[kind].file
    a, b, c, d = number, number + 1, number + 2, number + 3
    if file == "R":
        return lambda core: core.regs[a]
    if file == "D":
        return lambda core: core.regs[a] | core.regs[b] << 16
    if file == "P":
        return lambda core: core.preds[a]
    return lambda core: core.regs[a] | core.regs[b] << 16 | core.regs[c] << 32 | core.regs[d] << 48


def writer(kind: str, number: int) -> Writer:
    """Sets a destination register."""
    file = TYPES[kind].file
    n = number

    def one(core: Core, value: int) -> None:
        core.regs[n] = value

    def pair(core: Core, value: int) -> None:
        core.regs[n] = value & 0xFFFF
        core.regs[n + 1] = value >> 16

    def quad(core: Core, value: int) -> None:
        for k in range(4):
            core.regs[n + k] = value >> 16 * k & 0xFFFF

    def predicate(core: Core, value: int) -> None:
        core.preds[n] = value

    return {"R": one, "D": pair, "Q": quad, "P": predicate}[file]


def source_reader(instr: Instr, i: int) -> Reader:
    """Scalar source i: a register or the immediate."""
    if instr.imm is not None and i == len(instr.row.sources) - 1:
        value = instr.imm
        return lambda core: value
    return reader(instr.row.sources[i], instr.sources[i])


def _scalar(instr: Instr, timing: Timing) -> Run:
    kind = instr.row.kind
    if kind == "load":
        return _load(instr)
    if kind == "store":
        return _store(instr)
    if kind == "control":
        return _control(instr, timing)
    if kind == "task":
        return _task(instr)
    if kind == "dsr":
        return _dsr(instr, timing)
    return _compute(instr)


def _compute(instr: Instr) -> Run:
    """alu, rmw and dot (a dot product of two scalars is one step)."""
    row = instr.row
    function = row.semantics
    assert function is not None
    gets = [source_reader(instr, i) for i in range(len(row.sources))]
    put = writer(row.dest, instr.dest) if row.dest else None
    if row.kind == "dot":
        keep = "k" in row.name

        def dot(core: Core) -> None:
            core.acc = function(core.acc if keep else 0, gets[0](core), gets[1](core))
            if put is not None:
                put(core, core.acc)

        return dot
    assert put is not None and row.dest is not None
    if row.kind == "rmw":
        gets.insert(0, reader(row.dest, instr.dest))
    if row.carry:
        a, b = gets

        def add_with_carry(core: Core) -> None:
            value = function(a(core), b(core), core.carry)
            core.carry = value >> 16 & 1
            put(core, value & 0xFFFF)

        return add_with_carry
    if len(gets) == 1:
        first = gets[0]
        return lambda core: put(core, function(first(core)))
    if len(gets) == 2:
        first, second = gets
        return lambda core: put(core, function(first(core), second(core)))
    first, second, third = gets
    return lambda core: put(core, function(first(core), second(core), third(core)))


def _load(instr: Instr) -> Run:
    row = instr.row
    assert row.dest is not None
    words = TYPES[row.dest].words
    put = writer(row.dest, instr.dest)
    offset = instr.args[0]
    if not row.sources:
        return lambda core: put(core, core.load_wide(offset, words))
    base = reader(row.sources[0], instr.src0)
    return lambda core: put(core, core.load_wide((base(core) + offset) & 0xFFFF, words))


def _store(instr: Instr) -> Run:
    row = instr.row
    offset = instr.args[0]
    last = len(row.sources) - 1
    words = TYPES[row.sources[last]].words
    get = source_reader(instr, last)
    if last == 0:
        return lambda core: core.store_wide(offset, get(core), words)
    base = reader(row.sources[0], instr.src0)
    return lambda core: core.store_wide((base(core) + offset) & 0xFFFF, get(core), words)


def _control(instr: Instr, timing: Timing) -> Run:
    """Jumps change `core.pc`, which already points behind the instruction, and `core.next_issue`."""
    name = instr.row.name
    target = instr.args[0] if instr.args else 0

    def jump(core: Core) -> None:
        core.go(target, timing.branch_taken)

    def jump_register(core: Core) -> None:
        core.go(core.regs[instr.src0], timing.branch_taken)

    def call(core: Core) -> None:
        core.regs[15] = core.pc
        core.go(target, timing.call)

    def count_down(core: Core) -> None:
        left = (core.regs[instr.dest] - 1) & 0xFFFF
        core.regs[instr.dest] = left
        if left:
            core.go(target, timing.branch_taken)

    def terminate(core: Core) -> None:
        core.end_task()

    def nop(core: Core) -> None:
        pass

    def fault(core: Core) -> None:
        raise core.fault("FB510", number=target)

    def halt(core: Core) -> None:
        core.halt()

    runs: dict[str, Run] = {
        "nop": nop,
        "jmp": jump,
        "jmpr": jump_register,
        "call": call,
        "djnz": count_down,
        "terminate": terminate,
        "fault": fault,
        "halt": halt,
    }
    return runs[name]


def _task(instr: Instr) -> Run:
    name, args = instr.row.name, instr.args

    def set_carry(core: Core) -> None:
        core.carry = args[0]

    runs: dict[str, Run] = {
        "activate": lambda core: core.tasks.activate(args[0]),
        "block": lambda core: core.tasks.block(args[0]),
        "unblock": lambda core: core.tasks.unblock(args[0]),
        "settask": lambda core: core.tasks.set_entry(args[0], args[1]),
        "setjoin": lambda core: core.tasks.expect(args[0], args[1]),
        "arrive": lambda core: core.arrive(args[0], core.now),
        "setc": set_carry,
    }
    return runs[name]


def _dsr(instr: Instr, timing: Timing) -> Run:
    """Loads, setters and stores of descriptors. A changed DSR may be used from the next issue on."""
    name = instr.row.name
    if name.startswith("st"):
        kind = instr.row.sources[0]
        slot, address = DSR_SLOT[kind] + instr.src0 - SLOT_DD, instr.args[0]

        def store(core: Core) -> None:
            for k, word in enumerate(core.dsrs[slot]):
                core.store(address + k, word)

        return store
    assert instr.row.dest is not None
    slot = DSR_SLOT[instr.row.dest] + instr.dest - SLOT_DD
    if name.startswith("ld"):
        base: Reader | None = reader("u16", instr.src0) if instr.row.sources else None

        def load(core: Core) -> None:
            address = base(core) if base is not None else instr.args[0]
            words = [core.load((address + k) & 0xFFFF) for k in range(4)]
            core.dsrs[slot] = words
            if words[0] & 15 == MEM4D:
                core.next_issue = max(core.next_issue, core.now + timing.dsr_load_4d)

        return load
    word = 1 if name.endswith("base") else 2 if name.endswith("len") else 3
    get = source_reader(instr, 0)

    def change(core: Core) -> None:
        words = list(core.dsrs[slot])
        words[word] = get(core)
        core.dsrs[slot] = words

    return change


__all__ = ["DecodeError", "Prepared", "prepare", "reader", "source_reader", "writer"]
