"""Loops that count down: decrement, compare and branch become one `djnz`.

Runs when registers are given out. The counter is decremented where the branch stands, so nothing in between may read
it, and the predicate must have no other use.
"""

from __future__ import annotations

from carbide.flow import Block, code_of, defines, split, uses
from carbide.ir import Imm, Op, Reg, Routine


def _counter(b: Block, readers: dict[Reg, int]) -> tuple[int, int] | None:
    """Where decrement and compare of a block's final branch stand."""
    last = b.ops[-1] if b.ops else None
    if last is None or last.name != "jmp" or last.pred is None or last.negated or readers[last.pred] != 1:
        return None
    compares = [k for k, op in enumerate(b.ops) if defines(op) is last.pred]
    if len(compares) != 1:
        return None
    compare = b.ops[compares[0]]
    register = compare.sources[0] if compare.sources else None
    if compare.name != "ne16" or compare.sources[1:] != (Imm(0),) or compare.pred is not None:
        return None
    if not isinstance(register, Reg):
        return None
    touching = [k for k, op in enumerate(b.ops) if defines(op) is register or register in set(uses(op))]
    if touching[-1] != compares[0] or len(touching) < 2:
        return None
    step = b.ops[touching[-2]]
    if step.name != "sub16" or step.dest is not register or step.sources != (register, Imm(1)) or step.pred is not None:
        return None
    return touching[-2], compares[0]


def count_down(routine: Routine) -> None:
    """Rewrites the loops of one routine."""
    blocks = split(routine)
    readers: dict[Reg, int] = {}
    for b in blocks:
        for op in b.ops:
            for r in uses(op):
                readers[r] = readers.get(r, 0) + 1
    for b in blocks:
        found = _counter(b, readers)
        if found is None:
            continue
        last = b.ops[-1]
        step = b.ops[found[0]]
        branch = Op("djnz", step.dest, (), last.args, last.span, statement=last.statement)
        b.ops = [op for k, op in enumerate(b.ops[:-1]) if k not in found] + [branch]
    routine.code = code_of(blocks)
