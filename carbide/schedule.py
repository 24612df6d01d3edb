"""The order of instructions within a block.

The core issues in order and waits for operands (hardware.md 17: 3 cycles for a load, 4 for floating point), so
independent work should stand between an instruction and the use of its result. List scheduling over the dependence
graph of a block: of the ready operations the one with the longest way to the end of the block goes first. At opt=1
the statements keep their order, each one scheduled by itself, with loads of the next one where it would wait; at opt=2
whole blocks are. What is observable keeps its order at any level: queue operations among themselves, tasks and
microthreads, stores against loads of the same object.
"""

from __future__ import annotations

from collections.abc import Iterable

from carbide.flow import ENDS, Block, code_of, defines, liveness, split, uses
from carbide.ir import Addr, Data, Dsr, Mem1, Mem4, Op, Reg, Routine
from fabric.arch import CACHE_START, CONFIG_START
from fabric.isa import BY_NAME
from fabric.timing import DEFAULT

FENCES = ENDS | frozenset(["call", "djnz", "halt"])
MAX_WINDOW = 400
PRESSURE = {"R": 1, "D": 2, "Q": 4, "P": 0}
VECTOR_RUN = 64  # settings go before the vector instructions of their statement
REGISTERS = 13  # 16-bit registers that a schedule may fill before it stops hoisting loads


def latency(op: Op) -> int:
    """Cycles from the issue of an operation to that of one that needs its result."""
    row = BY_NAME.get(op.name)
    if row is None:
        return 1
    if isinstance(op.dest, Reg) and any(isinstance(s, Dsr) for s in op.sources):
        return DEFAULT.result_vector
    return int(getattr(DEFAULT, row.latency))


def _data(op: Op) -> Data | None:
    for a in op.args:
        if isinstance(a, Addr) and a.data is not None:
            data = a.data
            while data.alias is not None:
                data = data.alias[0]
            return data if data.address is None else None
    return None


def _touches_memory(op: Op) -> bool:
    row = BY_NAME.get(op.name)
    return row is not None and row.kind in ("load", "store")


def _fetches(op: Op) -> bool:
    """A load of an object that the compiler placed: no part of what a statement does to others."""
    row = BY_NAME.get(op.name)
    return row is not None and row.kind == "load" and op.pred is None and _data(op) is not None


def _touches_register(op: Op) -> bool:
    """A load or store of a configuration word: what it reads may change by itself, what it writes acts at once."""
    for a in op.args:
        data = a.data if isinstance(a, Addr) else None
        while data is not None and data.alias is not None:
            data = data.alias[0]
        if data is not None and data.address is not None and CONFIG_START <= data.address < CACHE_START:
            return _touches_memory(op)
    return False


def _loads_descriptor(op: Op) -> bool:
    """A DSR is loaded from words that nothing changes."""
    return all(isinstance(a, Addr) and a.data is not None and a.data.kind == "descriptor" for a in op.args)


def _ordered(op: Op) -> bool:
    """Operations whose order among themselves is part of the meaning: vectors, tasks, settings, carry."""
    row = BY_NAME.get(op.name)
    if row is None or row.kind in ("task", "dot", "filter", "control") or row.carry:
        return True
    if _touches_register(op):
        return True
    if row.kind == "dsr":
        return not (isinstance(op.dest, Dsr) and (not op.name.startswith("ld") or _loads_descriptor(op)))
    return any(isinstance(x, Dsr | Mem1 | Mem4) for x in (op.dest, *op.sources))


def _graph(ops: list[Op]) -> tuple[list[dict[int, int]], list[int]]:
    """Edges (successor -> cycles) and the number of predecessors of each operation."""
    after: list[dict[int, int]] = [{} for _ in ops]
    count = [0] * len(ops)

    def edge(a: int, b: int, cycles: int) -> None:
        if b not in after[a]:
            count[b] += 1
            after[a][b] = cycles
        else:
            after[a][b] = max(after[a][b], cycles)

    wrote: dict[Reg, int] = {}
    read: dict[Reg, list[int]] = {}
    set_dsr: dict[Dsr, int] = {}
    used_dsr: dict[Dsr, list[int]] = {}
    last_ordered = -1
    loads: list[int] = []
    stores: list[int] = []
    since: list[int] = []  # memory operations since the last ordered one
    for i, op in enumerate(ops):
        for r in uses(op):
            if r in wrote:
                edge(wrote[r], i, latency(ops[wrote[r]]))
            read.setdefault(r, []).append(i)
        d = defines(op)
        if d is not None:
            if d in wrote:
                edge(wrote[d], i, 1)
            for j in read.get(d, []):
                if j != i:
                    edge(j, i, 0)
            wrote[d] = i
            read[d] = []
        row = BY_NAME.get(op.name)
        setting = op.dest if row is not None and row.kind == "dsr" and isinstance(op.dest, Dsr) else None
        for x in (op.dest, *op.sources):
            if isinstance(x, Dsr) and x is not setting:
                if x in set_dsr:
                    edge(set_dsr[x], i, DEFAULT.dsr_load)
                used_dsr.setdefault(x, []).append(i)
        if setting is not None:
            for j in used_dsr.pop(setting, []):
                edge(j, i, 1)
            if setting in set_dsr:
                edge(set_dsr[setting], i, 1)
            set_dsr[setting] = i
        memory = _touches_memory(op)
        if memory:
            mine = _data(op)
            is_store = op.name.startswith("st")
            for j in stores if not is_store else [*stores, *loads]:
                other = _data(ops[j])
                if mine is None or other is None or mine is other:
                    edge(j, i, 1)
            (stores if is_store else loads).append(i)
            if last_ordered >= 0:
                edge(last_ordered, i, 1)
            since.append(i)
        if _ordered(op):
            if last_ordered >= 0:
                edge(last_ordered, i, 1)
            for j in since:
                if j != i:
                    edge(j, i, 1)
            since = []
            last_ordered = i
            loads, stores = [], []
    return after, count


class _Pressure:
    """Which registers hold values that are still needed, as a schedule grows."""

    def __init__(self, ops: list[Op], live_out: Iterable[Reg]) -> None:
        self.left: dict[Reg, int] = {}
        self.held: set[Reg] = set()
        for r in [*(r for op in ops for r in uses(op)), *live_out]:
            self.left[r] = self.left.get(r, 0) + 1
        self.words = 0

    def grows(self, op: Op) -> bool:
        """True when issuing the operation now would need more registers than there are."""
        d = defines(op)
        if d is None or d in self.held or self.words + PRESSURE[d.file] <= REGISTERS:
            return False
        return not any(self.left.get(r, 0) == 1 for r in uses(op))

    def issue(self, op: Op) -> None:
        for r in uses(op):
            self.left[r] -= 1
            if self.left[r] == 0 and r in self.held:
                self.held.discard(r)
                self.words -= PRESSURE[r.file]
        d = defines(op)
        if d is not None and self.left.get(d, 0) > 0 and d not in self.held:
            self.held.add(d)
            self.words += PRESSURE[d.file]


def _schedule(ops: list[Op], keep_statements: bool, live_out: Iterable[Reg]) -> list[Op]:
    if len(ops) < 3:
        return ops
    after, count = _graph(ops)
    way = [0] * len(ops)
    for i in range(len(ops) - 1, -1, -1):
        way[i] = max((cycles + way[j] for j, cycles in after[i].items()), default=0) + 1
        if ops[i].name.startswith("set") and isinstance(ops[i].dest, Dsr):
            way[i] += VECTOR_RUN
    pressure = _Pressure(ops, live_out)
    ready = [i for i in range(len(ops)) if count[i] == 0]
    earliest = [0] * len(ops)
    remaining: dict[int, int] = {}
    for op in ops:
        remaining[op.statement] = remaining.get(op.statement, 0) + 1
    statements = sorted(remaining)
    out: list[Op] = []
    now = 0
    while ready:
        while keep_statements and not remaining[statements[0]]:
            statements.pop(0)
        following = statements[1] if len(statements) > 1 else -1
        best, best_rank = -1, (9, 0, 0, 0)
        for i in ready:
            op = ops[i]
            stalls = max(0, earliest[i] - now)
            rank = (1 if stalls else 0, stalls, -way[i], i)
            if keep_statements and op.statement != statements[0]:
                rank = (3, op.statement, 0, i)
                if op.statement == following and not stalls and _fetches(op) and not pressure.grows(op):
                    rank = (0, 1, -way[i], i)  # where the statement would wait
            elif pressure.grows(op):
                rank = (2, i, 0, i)
            if rank < best_rank:
                best, best_rank = i, rank
        ready.remove(best)
        op = ops[best]
        remaining[op.statement] -= 1
        now = max(now, earliest[best]) + 1
        out.append(op)
        pressure.issue(op)
        for j, cycles in after[best].items():
            earliest[j] = max(earliest[j], now - 1 + cycles)
            count[j] -= 1
            if count[j] == 0:
                ready.append(j)
    return out


def _windows(ops: list[Op]) -> list[list[Op]]:
    """Runs without fences; a fence is a run of its own."""
    out: list[list[Op]] = [[]]
    for op in ops:
        if op.name in FENCES:
            out += [[op], []]
        else:
            if len(out[-1]) >= MAX_WINDOW:
                out.append([])
            out[-1].append(op)
    return [w for w in out if w]


def _block(b: Block, keep_statements: bool, live_out: list[Reg]) -> None:
    ops: list[Op] = []
    windows = _windows(b.ops)
    for k, w in enumerate(windows):
        later = [r for following in windows[k + 1 :] for op in following for r in uses(op)]
        ops += _schedule(w, keep_statements, [*dict.fromkeys([*later, *live_out])])
    b.ops = ops


def schedule(routine: Routine, opt: int) -> None:
    """Schedules the blocks of a routine, before registers are given out and after DSRs are."""
    blocks = split(routine)
    live = liveness(blocks)
    for b in blocks:
        _block(b, opt < 2, live.members(live.end[b.number]))
    routine.code = code_of(blocks)
