"""Memory traffic within a block: a load of what was just stored or loaded becomes a move.

Only scalars at constant places of compiler-placed data take part; what may change behind the compiler's back (fixed
addresses, objects that a microthread writes, everything across calls, suspends and stores through pointers) is loaded
again. An access with a subscript stays in its object. Copies are then followed, so that the moves themselves mostly disappear.
"""

from __future__ import annotations

from carbide.flow import CLOBBERS, Block, code_of, defines, split
from carbide.ir import Addr, Data, Fabric, IterRef, Mem1, Mem4, Op, Operand, Reg, Routine, Unit

LOADS = {"ld16": ("mov16", 1), "ld32": ("mov32", 2), "ld64": ("mov64", 4)}
STORES = {"st16": 1, "st32": 2, "st64": 4}
THROUGH_POINTERS = frozenset(["st16x", "st32x", "st64x"])


def _root(place: Addr) -> tuple[Data | None, int]:
    data, offset = place.data, place.offset
    while data is not None and data.alias is not None:
        offset += data.alias[1]
        data = data.alias[0]
    return data, offset


def volatile_data(unit: Unit) -> set[Data]:
    """Objects that something else than the running code may write."""
    out: set[Data] = set()
    for routine in unit.routines:
        for op in routine.code:
            if isinstance(op, Op) and op.background is not None and isinstance(op.dest, Mem1 | Mem4 | IterRef):
                base = None if isinstance(op.dest, IterRef) else op.dest.base
                data, _ = _root(base if isinstance(base, Addr) else Addr(op.dest.root))
                if data is not None:
                    out.add(data)
    return out


def _writes_of_vector(op: Op, known: dict[tuple[Data, int], tuple[int, Reg]]) -> None:
    """Forgets what a vector destination may overwrite."""
    dest = op.dest
    if dest is None or isinstance(dest, Reg):
        return
    base = dest.base if isinstance(dest, Mem1 | Mem4) else None
    if isinstance(dest, Mem1 | Mem4 | IterRef) and (isinstance(base, Addr) or dest.root is not None):
        data, _ = _root(base if isinstance(base, Addr) else Addr(dest.root))
        if data is not None and data.address is None:
            for key in [k for k in known if k[0] is data]:
                del known[key]
            return
    if not isinstance(dest, Fabric):
        known.clear()


def _one_block(b: Block, volatile: set[Data]) -> None:
    known: dict[tuple[Data, int], tuple[int, Reg]] = {}
    copies: dict[Reg, Reg] = {}

    def forget(reg: Reg) -> None:
        for key in [k for k, (_, r) in known.items() if r is reg]:
            del known[key]
        copies.pop(reg, None)
        for other in [r for r, source in copies.items() if source is reg]:
            del copies[other]

    def follow(x: Operand) -> Operand:
        return copies.get(x, x) if isinstance(x, Reg) else x

    for op in b.ops:
        if not (isinstance(op.dest, Reg) and op.dest in op.sources):
            op.sources = tuple(follow(s) for s in op.sources)
        if op.pred is not None:
            op.pred = copies.get(op.pred, op.pred)
        if op.name in CLOBBERS:
            known.clear()
            copies.clear()
            continue
        if op.name in THROUGH_POINTERS:
            data = _root(op.args[0])[0] if isinstance(op.args[0], Addr) else None
            if data is None or data.address is not None:
                known.clear()  # it may point anywhere
            for key in [k for k in known if k[0] is data]:
                del known[key]
            continue
        if op.name in STORES and isinstance(op.args[0], Addr):
            data, offset = _root(op.args[0])
            size = STORES[op.name]
            if data is None or data.address is not None:
                known.clear()  # a fixed address may lie anywhere
                continue
            for key in [k for k, (n, _) in known.items() if k[0] is data and k[1] < offset + size and offset < k[1] + n]:
                del known[key]
            source = op.sources[0]
            if op.pred is None and isinstance(source, Reg) and data not in volatile:
                known[data, offset] = (size, source)
            continue
        if op.name in LOADS and isinstance(op.args[0], Addr) and isinstance(op.dest, Reg) and op.pred is None:
            move, size = LOADS[op.name]
            data, offset = _root(op.args[0])
            if data is not None and data.address is None and data not in volatile:
                have = known.get((data, offset))
                if have is not None and have[0] == size and have[1].file == op.dest.file and have[1] is not op.dest:
                    op.name, op.sources, op.args = move, (have[1],), ()
                else:
                    forget(op.dest)
                    known[data, offset] = (size, op.dest)
                    continue
        _writes_of_vector(op, known)
        d = defines(op)
        if d is not None:
            forget(d)
            if (
                op.name in ("mov16", "mov32", "mov64")
                and isinstance(source := op.sources[0], Reg)
                and source.file == d.file
                and source is not d
                and op.pred is None
            ):
                copies[d] = source


def forward(routine: Routine, volatile: set[Data]) -> None:
    """Rewrites the loads of one routine. Runs before vector operands become DSRs."""
    blocks = split(routine)
    for b in blocks:
        _one_block(b, volatile)
    routine.code = code_of(blocks)
