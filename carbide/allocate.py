"""Registers: virtual ones of a routine to R0-R15, their pairs and quads, and P0-P7.

Method. First, values that must survive a clobber (a call, a suspend) get a home in memory: stored after each
definition, loaded before the first use that a clobber may precede, and before a loop without clobbers rather than
in it. Then registers are colored greedily over the interference graph, the dearest first (uses weighted by loop
depth, against the length of life), moves preferring the same register on both sides. A register that finds no
place gets a home too, and coloring starts again with short-lived stand-ins around each use.
"""

from __future__ import annotations

from carbide.flow import CLOBBERS, Block, code_of, defines, liveness, loops, split, uses
from carbide.ir import Addr, Data, Dsr, Imm, Label, Op, Reg, Routine
from fabric.isa import BY_NAME

WORDS = {"R": 1, "D": 2, "Q": 4, "P": 1}
PLACES = {
    "R": tuple(range(16)),
    "D": tuple(range(0, 16, 2)),
    "Q": tuple(range(0, 16, 4)),
    "P": tuple(range(8)),
}
LINK_REGISTER = 15


def _store(reg: Reg, home: Data, like: Op) -> list[Op]:
    """Operations that put a register into its home."""
    if reg.file == "P":
        flag = Reg("R")
        ops = [
            Op("mov16", flag, (Imm(0),), span=like.span),
            Op("mov16", flag, (Imm(1),), span=like.span, pred=reg),
            Op("st16", None, (flag,), (Addr(home),), like.span),
        ]
    else:
        ops = [Op(f"st{16 * WORDS[reg.file]}", None, (reg,), (Addr(home),), like.span)]
    for op in ops:
        op.statement, op.function = like.statement, like.function
    return ops


def _load(reg: Reg, home: Data, like: Op) -> list[Op]:
    """Operations that bring a register back from its home."""
    if reg.file == "P":
        flag = Reg("R")
        ops = [Op("ld16", flag, (), (Addr(home),), like.span), Op("ne16", reg, (flag, Imm(0)), span=like.span)]
    else:
        ops = [Op(f"ld{16 * WORDS[reg.file]}", reg, (), (Addr(home),), like.span)]
    for op in ops:
        op.statement, op.function = like.statement, like.function
    return ops


def _home(reg: Reg, homes: list[Data], routine: Routine) -> Data:
    words = WORDS[reg.file]
    home = Data(f"{routine.name}.{reg.name or 'value'}.{len(homes)}", words, min(words, 2), kind="home")
    homes.append(home)
    return home


def _crossing(blocks: list[Block]) -> set[Reg]:
    """Registers that are live across some clobber."""
    live = liveness(blocks)
    out = 0
    for b in blocks:
        now = live.end[b.number]
        for op in reversed(b.ops):
            d = defines(op)
            if d is not None:
                now &= ~(1 << live.numbers[d])
            if op.name in CLOBBERS:
                out |= now
            for r in uses(op):
                now |= 1 << live.numbers[r]
    return {r for r, n in live.numbers.items() if out >> n & 1}


def _in_register(blocks: list[Block], number: dict[Reg, int]) -> list[int]:
    """At the start of each block: which homed registers hold their value on every path (a forward must-analysis)."""
    everything = (1 << len(number)) - 1
    # A value is taken as present where it has no definition yet on any path: entry holds "everything", since a
    # use before any definition has no meaning; only clobbers make values absent.
    start = [everything] * len(blocks)
    end = [everything] * len(blocks)
    changed = True
    while changed:
        changed = False
        for b in blocks:
            now = everything if b.before or b.number == 0 else 0  # a task that starts elsewhere finds nothing
            for p in b.before:
                now &= end[p]
            start[b.number] = now
            for op in b.ops:
                for r in uses(op):
                    if r in number:
                        now |= 1 << number[r]
                if op.name in CLOBBERS:
                    now = 0
                d = defines(op)
                if d is not None and d in number:
                    now |= 1 << number[d]
            if now != end[b.number]:
                end[b.number] = now
                changed = True
    return start


def _keep_across_clobbers(routine: Routine, homes: list[Data]) -> None:
    """Gives registers that cross a clobber a home in memory."""
    blocks = split(routine)
    crossing = _crossing(blocks)
    if not crossing:
        routine.code = code_of(blocks)
        return
    ordered = [r for r in liveness(blocks).registers if r in crossing]
    number = {r: i for i, r in enumerate(ordered)}
    home = {r: _home(r, homes, routine) for r in ordered}
    _load_before_loops(blocks, number, home)
    start = _in_register(blocks, number)
    for b in blocks:
        now = start[b.number]
        ops: list[Op] = []
        for op in b.ops:
            for r in dict.fromkeys(uses(op)):
                if r in number and not now >> number[r] & 1:
                    ops += _load(r, home[r], op)
                    now |= 1 << number[r]
            ops.append(op)
            if op.name in CLOBBERS:
                now = 0
            d = defines(op)
            if d is not None and d in number:
                ops += _store(d, home[d], op)
                now |= 1 << number[d]
        b.ops = ops
    routine.code = code_of(blocks)


def _load_before_loops(blocks: list[Block], number: dict[Reg, int], home: dict[Reg, Data]) -> None:
    """For a loop without clobbers, loads what it reads before it begins, not in every round."""
    for header, body in loops(blocks):
        if any(op.name in CLOBBERS for n in body for op in blocks[n].ops):
            continue
        outside = [p for p in blocks[header].before if p not in body]
        if len(outside) != 1 or len(blocks[outside[0]].after) != 1:
            continue
        live = liveness(blocks)
        needed = [r for r in number if live.start[header] >> live.numbers.get(r, 0) & 1 and r in live.numbers]
        read = {r for n in body for op in blocks[n].ops for r in uses(op)}
        start = _in_register(blocks, number)
        before = blocks[outside[0]]
        now = start[before.number]
        for op in before.ops:
            for r in uses(op):
                if r in number:
                    now |= 1 << number[r]
            if op.name in CLOBBERS:
                now = 0
            d = defines(op)
            if d is not None and d in number:
                now |= 1 << number[d]
        loads: list[Op] = []
        like = before.ops[-1] if before.ops else blocks[header].ops[0] if blocks[header].ops else Op("nop")
        for r in needed:
            if r in read and not now >> number[r] & 1 and sum(WORDS[x.file] for x in needed) <= 14:
                loads += _load(r, home[r], like)
        if before.ops and before.ops[-1].name == "jmp":
            before.ops[-1:-1] = loads
        else:
            before.ops += loads


class _Graph:
    """Interference of a routine's registers, with their costs and the moves between them."""

    def __init__(self, blocks: list[Block]) -> None:
        live = liveness(blocks)
        self.registers = live.registers
        self.numbers = live.numbers
        n = len(self.registers)
        self.neighbours = [0] * n
        self.cost = [0.0] * n
        self.length = [1] * n
        self.friends: list[set[int]] = [set() for _ in range(n)]
        for b in blocks:
            now = live.end[b.number]
            weight = 10.0 ** min(b.depth, 6)
            for op in reversed(b.ops):
                d = defines(op)
                if d is not None:
                    i = self.numbers[d]
                    others = now & ~(1 << i)
                    source = op.sources[0] if op.name.startswith("mov") and op.sources and op.pred is None else None
                    if isinstance(source, Reg) and source is not d and source.file == d.file:
                        j = self.numbers[source]
                        others &= ~(1 << j)
                        self.friends[i].add(j)
                        self.friends[j].add(i)
                    self.neighbours[i] |= others
                    self.cost[i] += weight
                    now &= ~(1 << i)
                for r in uses(op):
                    i = self.numbers[r]
                    now |= 1 << i
                    self.cost[i] += weight
                _lengthen(self.length, now)
        for i in range(n):
            mask = self.neighbours[i]
            for j in _bits(mask):
                self.neighbours[j] |= 1 << i


def _bits(mask: int) -> list[int]:
    out = []
    while mask:
        low = mask & -mask
        out.append(low.bit_length() - 1)
        mask ^= low
    return out


def _lengthen(length: list[int], live: int) -> None:
    for i in _bits(live):
        length[i] += 1


def _color(
    graph: _Graph, fixed: dict[Reg, int], pinned: set[Reg], reserved: int
) -> tuple[dict[Reg, int], Reg | None]:
    """A place for every register, or the register to give a home. `pinned` must not get one; `reserved` is a mask
    of R registers that may not be used."""
    place: dict[int, int] = {}
    taken = [0] * len(graph.registers)  # mask of R (low 16 bits) or P (high 8 bits) that neighbours hold

    def put(i: int, at: int) -> None:
        r = graph.registers[i]
        mask = ((1 << WORDS[r.file]) - 1) << (at + 16 * (r.file == "P"))
        place[i] = at
        for j in _bits(graph.neighbours[i]):
            taken[j] |= mask

    for r, at in fixed.items():
        if r in graph.numbers:
            put(graph.numbers[r], at)
    order = sorted(
        (i for i in range(len(graph.registers)) if i not in place),
        key=lambda i: (graph.registers[i] not in pinned, -graph.cost[i] / graph.length[i], i),
    )
    for i in order:
        r = graph.registers[i]
        shift = 16 * (r.file == "P")
        unit = (1 << WORDS[r.file]) - 1
        busy = taken[i] | (reserved if r.file != "P" else 0)
        free = [at for at in PLACES[r.file] if not busy & unit << (at + shift)]
        if not free:
            victim = i
            if r in pinned:
                rivals = [j for j in _bits(graph.neighbours[i]) if graph.registers[j] not in pinned and j in place]
                rivals = [j for j in rivals if graph.registers[j] not in fixed] or rivals
                if not rivals:
                    raise AssertionError(f"no register for {r.file} {r.name}")
                victim = min(rivals, key=lambda j: (graph.cost[j] / graph.length[j], j))
            return {}, graph.registers[victim]
        wanted = [place[j] for j in graph.friends[i] if j in place and place[j] in free]
        put(i, wanted[0] if wanted else _best(r.file, free, busy))
    return {graph.registers[i]: at for i, at in place.items()}, None


def _best(file: str, free: list[int], busy: int) -> int:
    """A place that breaks up as few free pairs and quads as possible: small registers fill begun pairs first."""
    if file not in ("R", "D"):
        return free[0]

    def room(at: int) -> tuple[int, int]:
        pair, quad = at & ~1, at & ~3
        whole_pair = file == "R" and not busy >> pair & 3
        whole_quad = not busy >> quad & 15
        return whole_pair + whole_quad, at

    return min(free, key=room)


def _give_home(routine: Routine, victim: Reg, homes: list[Data], pinned: set[Reg]) -> None:
    """Puts a register into memory: a stand-in for every operation that touches it."""
    home = _home(victim, homes, routine)
    code: list[Op | Label] = []
    for item in routine.code:
        if not isinstance(item, Op):
            code.append(item)
            continue
        reads = victim in set(uses(item))
        writes = defines(item) is victim
        if not reads and not writes:
            code.append(item)
            continue
        stand_in = Reg(victim.file, victim.name)
        pinned.add(stand_in)
        if reads:
            loads = _load(stand_in, home, item)
            pinned.update(d for op in loads if (d := defines(op)) is not None)
            code += loads
        item.sources = tuple(stand_in if x is victim else x for x in item.sources)
        if item.dest is victim:
            item.dest = stand_in
        if item.pred is victim:
            item.pred = stand_in
        code.append(item)
        if writes:
            stores = _store(stand_in, home, item)
            pinned.update(d for op in stores if (d := defines(op)) is not None)
            code += stores
    routine.code = code


def allocate(routine: Routine, homes: list[Data]) -> dict[Reg, int]:
    """The physical number of every virtual register of a routine, whose code is changed where values need homes.

    `homes` takes the data objects of these homes. A function without calls keeps its return address in R15.
    """
    fixed: dict[Reg, int] = {}
    if routine.entry_regs:
        moves: list[Op] = []
        for at, reg in routine.entry_regs:
            held = Reg(reg.file, reg.name)
            fixed[held] = at
            name = {"R": "mov16", "D": "mov32", "Q": "mov64"}[reg.file]
            moves.append(Op(name, reg, (held,), span=routine.span))
        where = routine.code.index(routine.entry) + 1
        routine.code[where:where] = moves
        routine.entry_regs = []
    _keep_across_clobbers(routine, homes)
    leaf = routine.link is not None and not any(isinstance(x, Op) and x.name in CLOBBERS for x in routine.code)
    reserved = 1 << LINK_REGISTER if leaf else 0
    if leaf:
        routine.link = None
    pinned: set[Reg] = set()
    for _ in range(2000):
        blocks = split(routine)
        _drop_unused(blocks)
        routine.code = code_of(blocks)
        place, victim = _color(_Graph(blocks), fixed, pinned, reserved)
        if victim is None:
            return place
        _give_home(routine, victim, homes, pinned)
    raise AssertionError("register allocation does not come to an end")


def _drop_unused(blocks: list[Block]) -> None:
    """Removes pure operations whose result nothing reads."""
    live = liveness(blocks)
    for b in blocks:
        now = live.end[b.number]
        kept: list[Op] = []
        for op in reversed(b.ops):
            d = defines(op)
            if d is not None:
                bit = 1 << live.numbers[d]
                if not now & bit and _pure(op):
                    continue
                now &= ~bit
            for r in uses(op):
                now |= 1 << live.numbers[r]
            kept.append(op)
        b.ops = kept[::-1]


def _pure(op: Op) -> bool:
    row = BY_NAME.get(op.name)
    if row is None or op.background is not None or row.carry:
        return False
    if row.kind == "load":
        # A fixed address may be a register of the machine; a placed object has no side effects.
        place = op.args[0] if op.args else None
        return isinstance(place, Addr) and place.data is not None and place.data.address is None
    return row.kind == "alu" and not any(isinstance(s, Dsr) for s in op.sources)
