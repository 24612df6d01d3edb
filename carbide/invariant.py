"""What a loop computes again and again goes before it.

Only loops without calls and suspends take part. Integer arithmetic on values that the loop does not change moves
whatever branches stand around it; floating-point arithmetic and loads move from loops of a single block, loads only
where nothing in the loop can write what they read. Settings of a vector operand's base or length move too, where the
loop sets it once.
"""

from __future__ import annotations

from carbide.flow import CLOBBERS, Block, Liveness, code_of, defines, liveness, loops, split
from carbide.ir import Addr, Data, Dsr, FifoRef, Imm, IterRef, Mem1, Mem4, Op, Reg, Routine, StreamRef
from fabric.isa import BY_NAME

ROOM = 12  # 16-bit registers that values living through a loop may fill
_WORDS = {"R": 1, "D": 2, "Q": 4, "P": 0}


def _root(place: Addr) -> Data | None:
    data = place.data
    while data is not None and data.alias is not None:
        data = data.alias[0]
    return data


class _Loop:
    """One loop: what it defines, and what it may write."""

    def __init__(self, blocks: list[Block], body: set[int]) -> None:
        self.ops = [op for n in sorted(body) for op in blocks[n].ops]
        self.defined: dict[Reg, int] = {}
        self.set: dict[Dsr, int] = {}
        self.written: set[Data] = set()
        self.writes_anywhere = False
        for op in self.ops:
            d = defines(op)
            if d is not None:
                self.defined[d] = self.defined.get(d, 0) + 1
            row = BY_NAME.get(op.name)
            if row is not None and row.kind == "dsr" and isinstance(op.dest, Dsr):
                self.set[op.dest] = self.set.get(op.dest, 0) + 1
            self._note_writes(op, row.kind if row is not None else "")

    def _note_writes(self, op: Op, kind: str) -> None:
        dest = op.dest
        places: list[Addr] = []
        if kind == "store":
            places = [a for a in op.args if isinstance(a, Addr)]
            self.writes_anywhere |= not places
        elif isinstance(dest, Mem1 | Mem4):
            places = [dest.base] if isinstance(dest.base, Addr) else [Addr(dest.root)] if dest.root is not None else []
            self.writes_anywhere |= not places
        elif isinstance(dest, IterRef) and dest.root is not None:
            places = [Addr(dest.root)]
        elif isinstance(dest, FifoRef | IterRef | StreamRef | Dsr) and kind != "dsr":
            self.writes_anywhere = True
        for a in places:
            root = _root(a)
            if root is None or root.address is not None:
                self.writes_anywhere = True
            else:
                self.written.add(root)
        # FIFOs and iterators keep their state in memory of their own, which no load names.

    def steady(self, op: Op) -> bool:
        """The operation's sources do not change in the loop."""
        return all(isinstance(s, Imm | Addr) or isinstance(s, Reg) and s not in self.defined for s in op.sources)

    def may_load(self, op: Op, volatile: set[Data]) -> bool:
        places = [a for a in op.args if isinstance(a, Addr)]
        if not places or self.writes_anywhere:
            return False
        root = _root(places[0])
        return root is not None and root.address is None and root not in volatile and root not in self.written


def _definitions(routine: Routine) -> dict[Reg, int]:
    out: dict[Reg, int] = {}
    for item in routine.code:
        d = defines(item) if isinstance(item, Op) else None
        if d is not None:
            out[d] = out.get(d, 0) + 1
    for _, reg in routine.entry_regs:
        out[reg] = out.get(reg, 0) + 1
    return out


def _before(blocks: list[Block], header: int, body: set[int]) -> Block | None:
    """The block through which alone the loop is entered."""
    outside = [p for p in blocks[header].before if p not in body]
    if len(outside) != 1 or blocks[outside[0]].after != [header]:
        return None
    return blocks[outside[0]]


def _movable(op: Op, loop: _Loop, single: bool, volatile: set[Data], count: dict[Reg, int]) -> bool:
    row = BY_NAME.get(op.name)
    if row is None or op.pred is not None or op.background is not None or not loop.steady(op):
        return False
    if row.kind == "dsr":
        return isinstance(op.dest, Dsr) and op.name.startswith("set") and loop.set[op.dest] == 1
    if not isinstance(op.dest, Reg) or count.get(op.dest) != 1 or op.dest.file == "P":
        return False
    if row.kind == "load":
        return single and loop.may_load(op, volatile)
    if row.kind != "alu" or row.carry or op.dest in op.sources:
        return False
    return row.latency == "result_integer" or single


def hoist(routine: Routine, volatile: set[Data]) -> None:
    """Moves what does not change out of the loops of one routine, inner loops first."""
    if not any(isinstance(x, Op) and x.name == "jmp" for x in routine.code):
        return
    blocks = split(routine)
    count = _definitions(routine)
    live: Liveness | None = None  # of the code as it came: what moves changes little
    for header, body in reversed(loops(blocks)):
        before = _before(blocks, header, body)
        if before is None or any(op.name in CLOBBERS for n in body for op in blocks[n].ops):
            continue
        full = -1  # registers that are taken, counted when there is something to move
        moved: list[Op] = []
        changed = True
        while changed:
            changed = False
            loop = _Loop(blocks, body)
            for n in sorted(body):
                for op in list(blocks[n].ops):
                    if not _movable(op, loop, len(body) == 1, volatile, count):
                        continue
                    if full < 0:
                        live = live or liveness(blocks)
                        at_start = live.start[header]
                        full = sum(_WORDS[r.file] for r, n in live.numbers.items() if at_start >> n & 1)
                    words = _WORDS[op.dest.file] if isinstance(op.dest, Reg) else 0
                    if full + words > ROOM:
                        continue
                    full += words
                    blocks[n].ops.remove(op)
                    moved.append(op)
                    changed = True
        if moved:
            _append(before, moved)
    routine.code = code_of(blocks)


def _append(b: Block, moved: list[Op]) -> None:
    """At the end of a block, before its jump, with the number of its last statement."""
    at = len(b.ops)
    if b.ops and b.ops[-1].name == "jmp":
        at -= 1
    if b.ops:
        for op in moved:
            op.statement = b.ops[max(0, at - 1)].statement
    b.ops[at:at] = moved
