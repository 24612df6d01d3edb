"""Settings of vector operands (base, length): not done twice, and done before a run of vector instructions, since a
vector instruction that follows another one directly needs no set-up slot (hardware.md 17)."""

from __future__ import annotations

from carbide.flow import CLOBBERS, Block, code_of, defines, split, uses
from carbide.ir import Addr, Dsr, Imm, Op, Operand, Reg, Routine
from fabric.isa import BY_NAME


def _is_setting(op: Op) -> bool:
    row = BY_NAME.get(op.name)
    return row is not None and row.kind == "dsr" and isinstance(op.dest, Dsr)


def _once(b: Block) -> None:
    """Leaves out settings of what the operand has already."""
    have: dict[tuple[Dsr, str], Operand] = {}
    kept: list[Op] = []
    for op in b.ops:
        if op.name in CLOBBERS:
            have.clear()
        elif _is_setting(op):
            assert isinstance(op.dest, Dsr)
            if op.name.startswith("ld"):  # all of it is new
                have = {k: v for k, v in have.items() if k[0] != op.dest}
            else:
                key, value = (op.dest, op.name), op.sources[0]
                if have.get(key) == value and op.pred is None:
                    continue
                have.pop(key, None)
                if op.pred is None:
                    have[key] = value
        d = defines(op)
        if d is not None:
            have = {k: v for k, v in have.items() if v is not d}
        kept.append(op)
    b.ops = kept


def _continues(op: Op) -> bool:
    """The operation may stand in a run of vector instructions: one of them, a setting, or 16-bit arithmetic."""
    row = BY_NAME.get(op.name)
    if row is None or op.pred is not None:
        return False
    if _is_setting(op) or any(isinstance(x, Dsr) for x in (op.dest, *op.sources)):
        return True
    return row.kind == "alu" and isinstance(op.dest, Reg) and op.dest.file == "R" and row.latency == "result_integer"


def _early(b: Block) -> None:
    """Gives settings in a run of vector instructions, and the arithmetic for them, the number of its first
    statement, so that the schedule puts them there."""
    first: int | None = None
    maker: dict[Reg, Op] = {}
    for op in b.ops:
        if not _continues(op):
            first = None
            maker.clear()
            continue
        if first is None:
            first = op.statement
        d = defines(op)
        if _is_setting(op):
            todo = [op]
            while todo:
                x = todo.pop()
                if x.statement > first:
                    x.statement = first
                    todo += [maker[r] for r in uses(x) if r in maker]
        elif d is not None and not any(isinstance(x, Dsr) for x in op.sources):
            if all(isinstance(s, Imm | Addr | Reg) for s in op.sources) and d not in op.sources:
                maker[d] = op


def arrange(routine: Routine) -> None:
    """Thins out and moves the settings of one routine. Runs between descriptors and schedule."""
    blocks = split(routine)
    for b in blocks:
        _once(b)
        _early(b)
    routine.code = code_of(blocks)
