"""Control flow of a routine: blocks, what each operation reads and writes, liveness, loop depth.

Liveness is kept in Python integers used as bit sets over the routine's virtual registers.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from carbide.ir import Addr, Dsr, Imm, Label, Op, Reg, Routine
from fabric.isa import BY_NAME

CLOBBERS = frozenset(["call", "suspend"])
ENDS = frozenset(["jmp", "jmpr", "ret", "end", "suspend", "terminate", "fault", "halt"])


def defines(op: Op) -> Reg | None:
    """The virtual register that an operation sets, if any."""
    return op.dest if isinstance(op.dest, Reg) else None


def uses(op: Op) -> list[Reg]:
    """The virtual registers that an operation reads, with repetitions."""
    out: list[Reg] = [] if op.pred is None else [op.pred]
    dest = op.dest
    for operand in op.sources:
        if isinstance(operand, Reg):
            if operand is not dest:
                out.append(operand)
        elif not isinstance(operand, _PLAIN):
            _parts_of_vector(operand, out)
    if isinstance(dest, Reg):
        row = BY_NAME.get(op.name)
        kept = op.pred is not None  # a skipped instruction leaves the old value
        if kept or op.name == "djnz" or (row is not None and row.reads_dest) or dest in op.sources:
            out.append(dest)
    elif dest is not None:
        _parts_of_vector(dest, out)
    return out


_PLAIN = (Imm, Addr, Dsr)


def _parts_of_vector(operand: object, out: list[Reg]) -> None:
    """The registers with base and extent of a vector operand."""
    base = getattr(operand, "base", None)
    if isinstance(base, Reg):
        out.append(base)
    extent = getattr(operand, "extent", None)
    if isinstance(extent, Reg):
        out.append(extent)


@dataclass(eq=False)
class Block:
    """A straight run of operations; `after` are the successors by number. Labels stand at its start."""

    number: int
    labels: list[Label] = field(default_factory=list)
    ops: list[Op] = field(default_factory=list)
    after: list[int] = field(default_factory=list)
    before: list[int] = field(default_factory=list)
    depth: int = 0


def split(routine: Routine) -> list[Block]:
    """The blocks of a routine in the order of its code, connected; what can't be reached is left out."""
    blocks: list[Block] = [Block(0)]
    for item in routine.code:
        block = blocks[-1]
        if isinstance(item, Label):
            if block.ops:
                blocks.append(block := Block(len(blocks)))
            block.labels.append(item)
        else:
            block.ops.append(item)
            if item.name in ENDS or item.name == "djnz":
                blocks.append(Block(len(blocks)))
    at = {label: b.number for b in blocks for label in b.labels}
    for b in blocks:
        last = b.ops[-1] if b.ops else None
        if last is not None:
            if last.name in ("jmp", "djnz"):
                b.after += [at[label] for label in last.args if isinstance(label, Label)]
            b.after += [at[label] for label in last.targets]
        falls = last is None or last.name not in ENDS or last.pred is not None
        if falls and b.number + 1 < len(blocks):
            b.after.append(b.number + 1)
    entry = at.get(routine.entry, 0)
    reached, todo = {entry}, [entry]
    # Labels that `settask` binds are entries of their own: the tasks that start there are started elsewhere.
    for b in blocks:
        for op in b.ops:
            if op.name == "settask":
                for label in op.args:
                    if isinstance(label, Label) and label in at and at[label] not in reached:
                        reached.add(at[label])
                        todo.append(at[label])
    while todo:
        for n in blocks[todo.pop()].after:
            if n not in reached:
                reached.add(n)
                todo.append(n)
    kept = [b for b in blocks if b.number in reached]
    renumber = {b.number: i for i, b in enumerate(kept)}
    for i, b in enumerate(kept):
        b.number = i
        b.after = sorted({renumber[n] for n in b.after})
    for b in kept:
        for n in b.after:
            kept[n].before.append(b.number)
    _depths(kept)
    return kept


def loops(blocks: list[Block]) -> list[tuple[int, set[int]]]:
    """The natural loops: (header, blocks), one for each header, inner ones after outer ones."""
    if not blocks:
        return []
    everything = (1 << len(blocks)) - 1
    entries = [b.number for b in blocks if not b.before]
    dominators = [1 << b.number if b.number in entries or b.number == 0 else everything for b in blocks]
    changed = True
    while changed:
        changed = False
        for b in blocks:
            if not b.before or b.number == 0:
                continue
            meet = everything
            for p in b.before:
                meet &= dominators[p]
            new = meet | 1 << b.number
            if new != dominators[b.number]:
                dominators[b.number] = new
                changed = True
    found: dict[int, set[int]] = {}
    for b in blocks:
        for h in b.after:
            if dominators[b.number] >> h & 1:
                body = found.setdefault(h, {h})
                todo = [b.number]
                while todo:
                    n = todo.pop()
                    if n not in body:
                        body.add(n)
                        todo += blocks[n].before
    return sorted(found.items(), key=lambda item: -len(item[1]))


def _depths(blocks: list[Block]) -> None:
    for _, body in loops(blocks):
        for n in body:
            blocks[n].depth += 1


@dataclass
class Liveness:
    """Registers live at the start and the end of each block, as bit sets over `numbers`."""

    numbers: dict[Reg, int]
    registers: list[Reg]
    start: list[int]
    end: list[int]

    def members(self, mask: int) -> list[Reg]:
        """The registers of a bit set."""
        out = []
        while mask:
            low = mask & -mask
            out.append(self.registers[low.bit_length() - 1])
            mask ^= low
        return out


def liveness(blocks: list[Block]) -> Liveness:
    """Backward data flow until nothing changes."""
    numbers: dict[Reg, int] = {}
    registers: list[Reg] = []
    generated, killed = [0] * len(blocks), [0] * len(blocks)
    for b in blocks:
        g = k = 0
        for op in b.ops:
            for r in uses(op):
                if r not in numbers:
                    numbers[r] = len(registers)
                    registers.append(r)
                bit = 1 << numbers[r]
                if not k & bit:
                    g |= bit
            d = defines(op)
            if d is not None:
                if d not in numbers:
                    numbers[d] = len(registers)
                    registers.append(d)
                k |= 1 << numbers[d]
        generated[b.number], killed[b.number] = g, k
    start, end = [0] * len(blocks), [0] * len(blocks)
    todo = set(range(len(blocks)))
    while todo:
        n = max(todo)
        todo.discard(n)
        out = 0
        for s in blocks[n].after:
            out |= start[s]
        new = generated[n] | (out & ~killed[n])
        end[n] = out
        if new != start[n]:
            start[n] = new
            todo.update(blocks[n].before)
    return Liveness(numbers, registers, start, end)


def code_of(blocks: list[Block]) -> list[Op | Label]:
    """The blocks as a straight list again."""
    out: list[Op | Label] = []
    for b in blocks:
        out += b.labels
        out += b.ops
    return out
