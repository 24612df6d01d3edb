"""Calls watchers (`fabric.watch`) with what the compiled functions have recorded (`fabric.engine.watch`).

Records are read between two stretches of cycles; where nothing is to be noted, the code runs that records
nothing, or that only counts (the numbers of instructions, and waits that were said before).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from heapq import merge
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from fabric import arch
from fabric.arch import STEP, C
from fabric.descriptor import FIFO
from fabric.engine import layout as y
from fabric.engine import step, watch
from fabric.engine.seen import SeenCore, SeenFabric, SeenOp, SeenTile
from fabric.engine.storage import address, bytes_at, field, reserve
from fabric.isa import TYPES
from fabric.reference.operands import Receive, Send
from fabric.reference.prepared import Prepared, prepare, writer
from fabric.reference.wavelet import Born, Wavelet
from fabric.watch import HOOKS, Watcher

if TYPE_CHECKING:
    from fabric.engine.machine import Context, Machine
    from fabric.reference.tile import Tile
    from fabric.reference.vectors import VectorOp

BUFFER = 1 << 22  # bytes of records after which a thread pauses
LEAD = 64  # cycles before the first one to be noted: what is noted then may have issued earlier
COUNTED = {"scalar", "vector_started", "group", "waiting", "finished"}
OF_OPERATIONS = {"group", "waiting", "finished"}
WHY = ("advance", "reset", "flip")
MASK32 = 0xFFFFFFFF


class Watching:
    """The watchers of a machine. While `silent` they are told nothing: another simulator has told them."""

    def __init__(self, m: Machine, watchers: Sequence[Watcher]) -> None:
        self.m = m
        self.watchers = watchers
        self.silent = False
        self.fabric = SeenFabric(m.width)
        self._tiles: dict[int, SeenTile] = {}
        self._cores: dict[int, SeenCore] = {}
        self._prepared: dict[tuple[int, int, int], Prepared] = {}
        self._told = False  # the operations under way are known
        self._hooks: dict[tuple[bool, ...], list[list[Callable[..., None]]]] = {}
        self._hooks_of: dict[int, list[list[Callable[..., None]]]] = {}
        self.first = min(w.first for w in watchers)
        ends = [w.last for w in watchers]
        self.last = None if None in ends else max(cast(list[int], ends))
        wanted = {hook for w in watchers for hook in w.wants}
        self.counts = bool(wanted & COUNTED)
        tiles = m.stride * (m.height + 2)
        self.area = reserve(tiles * y.WATCH)
        masks = field(m.inside(self.area, y.WATCH), y.W_MASK, "<u4")
        for w in watchers:
            hooks = w.wants | {"vector_started", "finished"} if w.wants & OF_OPERATIONS else w.wants
            mask = sum(1 << HOOKS.index(hook) for hook in hooks)
            if w.rect is None:
                masks |= np.uint32(mask)
            else:
                masks[w.rect.slices()] |= np.uint32(mask)
        covered = int(np.count_nonzero(masks))
        room = 8 * watch.MOST_WORDS * watch.MOST_RECORDS * max(covered, 1)
        self.buffers = [reserve(BUFFER + room) for _ in m.contexts]
        for c, buffer in zip(m.contexts, self.buffers, strict=True):
            c[y.C_WATCHED] = 1
            c[y.C_WATCH] = address(self.area)
            c[y.C_RECORD_AT] = address(buffer)
            c[y.C_RECORD_STOP] = address(buffer) + BUFFER

    # --- which code runs -----------------------------------------------------------------------------------------

    def stretch(self, now: int, until: int) -> tuple[Callable[[int], int], int]:
        """The entry that runs the next cycles, and the cycle where that ends."""
        start = max(self.first - LEAD, 0)
        end = until
        telling = not self.silent and now >= start and (self.last is None or now <= self.last)
        if telling:
            end = until if self.last is None else min(until, self.last + 1)
            if not self._told:
                self._find_operations()
        elif not self.silent and now < start:
            end = min(until, start)
        counting = self.counts and (self.last is None or now <= self.last)
        for c in self.m.contexts:
            c[y.C_TELL] = -1 if telling else 0
        self._told = telling
        return (step.run_watched if telling or counting else step.run_band), end

    def _find_operations(self) -> None:
        """Stand-ins for the operations that are under way, of which no record has told."""
        from fabric.engine.convert import TileState

        m = self.m
        r = m.inside(m.records, y.RECORD)
        live = (r[..., y.R_LIVE] != 0) | ((r[..., y.R_FLAGS] & y.RF_VECTOR) != 0)
        live &= field(m.inside(self.area, y.WATCH), y.W_MASK, "<u4") != 0
        for row, x in np.argwhere(live):
            state = TileState(m, int(x), int(row))
            core = self._core(state.p)
            counts = m.inside(self.area, y.WATCH)[row, x].view(np.int32)
            for thread in _threads(state.r.u(y.R_LIVE, 1), state.r.u(y.R_FLAGS, 1)):
                at = y.R_OPS + thread * y.OP
                e = bytes_at(state.r.u(at + y.O_ENTRY, 8), y.ENTRY)
                words = [int.from_bytes(e[k : k + 8], "little") for k in (y.E_WORDS, y.E_WORDS + 8)]
                operands = []
                for k in range(4):
                    p = at + y.O_OPERANDS + k * y.OPERAND
                    kind, pushes = state.r.u(p + y.P_KIND, 1), state.r.u(p + y.P_FLAGS, 1) & y.PF_PUSH
                    block = state.r.u(p + y.P_AT) if kind == FIFO else 0
                    operands.append(kind | state.r.u(p + y.P_QUEUE, 1) << 8 | bool(pushes) << 16 | block << 32)
                op = SeenOp(
                    core, thread, self._prepare(e[y.E_LENGTH], *words),
                    [state.r.u(at + y.O_PC), state.r.u(at + y.O_TASK) - 1, int(counts[y.W_NUMBERS // 4 + thread]),
                     state.r.u(at + y.O_START), state.r.i(at + y.O_TOTAL), state.r.u(at + y.O_WIDTH), *operands],
                )  # fmt: skip
                op.done = state.r.i(at + y.O_DONE)
                op.said = int(counts[y.W_SAID // 4 + thread]) - 1
                core.ops[thread] = op

    # --- stand-ins -----------------------------------------------------------------------------------------------

    def _tile(self, p: int) -> SeenTile:
        found = self._tiles.get(p)
        if found is None:
            row, x = divmod(p, self.m.stride)
            found = self._tiles[p] = SeenTile(self.fabric, x - 1, row - 1)
        return found

    def _core(self, p: int) -> SeenCore:
        found = self._cores.get(p)
        if found is None:
            found = self._cores[p] = SeenCore(self._tile(p), self.m.timing)
        return found

    def _prepare(self, length: int, low: int, high: int) -> Prepared:
        key = (length, low, high)
        found = self._prepared.get(key)
        if found is None:
            text = (low & (1 << 64) - 1) | (high & (1 << 64) - 1) << 64
            words = [text >> 16 * k & 0xFFFF for k in range(length)]
            found = self._prepared[key] = prepare(words, self.m.timing)
        return found

    def _of(self, p: int) -> list[list[Callable[..., None]]]:
        """For each hook, whom to call about a tile."""
        found = self._hooks_of.get(p)
        if found is None:
            tile = cast(Any, self._tile(p))
            key = tuple(w.covers(tile) for w in self.watchers)
            if key not in self._hooks:
                there = [w for w, covers in zip(self.watchers, key, strict=True) if covers]
                self._hooks[key] = [[getattr(w, hook) for w in there if hook in w.wants] for hook in HOOKS]
            found = self._hooks_of[p] = self._hooks[key]
        return found

    def live(self) -> Iterator[tuple[SeenTile, SeenOp]]:
        """The operations under way, of each tile the main thread's first, as far as records have told."""
        flags = self.m.inside(self.m.records, y.RECORD)[..., y.R_FLAGS]
        for core in self._cores.values():
            if not flags[core.tile.y, core.tile.x] & y.RF_HALTED:
                for thread in sorted(core.ops, key=lambda k: (k != y.MAIN, k)):
                    yield core.tile, core.ops[thread]

    def take_over(self, live: Iterable[tuple[Tile, VectorOp]]) -> None:
        """Goes on where another simulator has told the watchers; `live` is what they noted of its operations."""
        self._find_operations()
        self._told = True
        for tile, op in live:
            core = self._core(self.m.place(tile.x, tile.y))
            seen = core.ops.get(y.MAIN if op.ut is None else op.ut)
            if seen is not None:
                seen.since, seen.trace, seen.said = op.since, op.trace, op.said

    # --- records -------------------------------------------------------------------------------------------------

    def drain(self, fault: Context | None = None) -> None:
        """Tells the watchers what has been recorded; of the cycle of a fault what the reference would have done."""
        streams = []
        for c, buffer in zip(self.m.contexts, self.buffers, strict=True):
            used = c[y.C_RECORD_AT] - address(buffer)
            c[y.C_RECORD_AT] = address(buffer)
            if used:
                streams.append(_records(buffer[:used].view(np.int64).tolist()))
        if not streams:
            return
        records = streams[0] if len(streams) == 1 else merge(*streams, key=lambda r: r[0])
        if fault is not None:
            records = _until(records, fault, self.m.stride)
        calls = _CALLS
        for now, kind, _, p, words, at in records:
            self.fabric.now = now
            calls[kind](self, now, p, words, at)

    def _landing(self, now: int, p: int, w: list[int], at: int) -> None:
        tile, wavelet = self._tile(p), self._wavelet(w, at + 2)
        for call in self._of(p)[watch.K_LANDING]:
            call(now + 1, tile, w[at], w[at + 1], wavelet)

    def _departure(self, now: int, p: int, w: list[int], at: int) -> None:
        tile, wavelet = self._tile(p), self._wavelet(w, at + 2)
        for call in self._of(p)[watch.K_WAVELET]:
            call(now, tile, w[at], wavelet, w[at + 1])

    def _switch(self, now: int, p: int, w: list[int], at: int) -> None:
        color, output, moved, codes, why = w[at : at + 5]
        old, new = moved & 0xFF, moved >> 8
        tile, wavelet = self._tile(p), self._wavelet(w, at + 5)
        tile.router.codes = {old: codes & 0xFF, new: codes >> 8}
        for call in self._of(p)[watch.K_SWITCH]:
            call(now if output else now + 1, tile, color, "output" if output else "input", old, new, WHY[why], wavelet)

    def _teardown(self, now: int, p: int, w: list[int], at: int) -> None:
        for call in self._of(p)[watch.K_TEARDOWN]:
            call(now, self._tile(p), w[at], bool(w[at + 1]))

    def _to_core(self, now: int, p: int, w: list[int], at: int) -> None:
        tile, wavelet = self._tile(p), self._wavelet(w, at + 2)
        for call in self._of(p)[watch.K_TO_CORE]:
            call(now, tile, w[at], w[at + 1] - 1 if w[at + 1] else None, wavelet)

    def _sending(self, now: int, p: int, w: list[int], at: int) -> None:
        tile, wavelet = self._tile(p), self._wavelet(w, at + 1)
        for call in self._of(p)[watch.K_SENDING]:
            call(now, tile, w[at], wavelet)

    def _backpressure(self, now: int, p: int, w: list[int], at: int) -> None:
        for call in self._of(p)[watch.K_BACKPRESSURE]:
            call(now, self._tile(p), w[at], w[at + 1])

    def _task(self, now: int, p: int, w: list[int], at: int) -> None:
        core = self._core(p)
        core.traced_task, core.next_issue = w[at], w[at + 1]
        for call in self._of(p)[watch.K_TASK]:
            call(now, core, w[at])

    def _scalar(self, now: int, p: int, w: list[int], at: int) -> None:
        core = self._core(p)
        pc, core.traced_task, core.number, skipped, core.next_issue = w[at : at + 5]
        prepared = self._prepare(*w[at + 5 : at + 8])
        row, instr = prepared.instr.row, prepared.instr
        values = None
        if not skipped:
            values = [
                w[at + 9 + k] & _ALL[kind] for k, kind in enumerate(row.sources) if kind not in ("dd", "sa", "sb")
            ]
            if row.dest is not None and row.dest not in ("dd", "sa", "sb"):
                writer(row.dest, instr.dest)(cast(Any, core), w[at + 8] & _ALL[row.dest])
        for call in self._of(p)[watch.K_SCALAR]:
            call(now, core, prepared, pc, values)

    def _started(self, now: int, p: int, w: list[int], at: int) -> None:
        core = self._core(p)
        thread, slot, pc, task, core.number, first, core.next_issue, total, width = w[at : at + 9]
        prepared = self._prepare(*w[at + 9 : at + 12])
        op = SeenOp(core, thread, prepared, [pc, task, core.number, first, total, width, *w[at + 12 : at + 16]])
        core.ops[thread] = op
        for call in self._of(p)[watch.K_STARTED]:
            call(now, core, op, bool(slot))

    def _group(self, now: int, p: int, w: list[int], at: int) -> None:
        core = self._core(p)
        thread, n, conflict, done, color, made, sources = w[at : at + 7]
        op = core.ops[thread]
        op.done = done
        at += 7
        op.made = w[at : at + made]
        at += made
        op.seen = [w[at + k * n : at + (k + 1) * n] for k in range(sources)]
        if isinstance(op.target, Send):
            op.target.output.color = color
        for call in self._of(p)[watch.K_GROUP]:
            call(now, core, op, n, bool(conflict))

    def _waiting(self, now: int, p: int, w: list[int], at: int) -> None:
        core = self._core(p)
        thread, done, blocker, said, color = w[at : at + 5]
        op = core.ops[thread]
        op.done = done
        if said:
            op.said = done
        op.waits_for = None if blocker < 0 else op.target if blocker == watch.TARGET else op.inputs[blocker]
        if isinstance(op.waits_for, Receive):
            op.waits_for.input.color = color
        for call in self._of(p)[watch.K_WAITING]:
            call(now, core, op)

    def _stall(self, now: int, p: int, w: list[int], at: int) -> None:
        for call in self._of(p)[watch.K_STALL]:
            call(now, self._core(p), w[at], w[at + 1])

    def _finished(self, now: int, p: int, w: list[int], at: int) -> None:
        core = self._core(p)
        op = core.ops.pop(w[at])
        op.done = w[at + 1]
        for call in self._of(p)[watch.K_FINISHED]:
            call(now, core, op)

    def _wavelet(self, w: list[int], at: int) -> Wavelet:
        """The wavelet of three words."""
        flags = w[at] >> 32
        place, sequence = w[at + 1] & MASK32, w[at + 1] >> 32 & MASK32
        row, x = divmod(place >> 5, self.m.stride)
        sender = (row - 1) * self.m.width + x - 1
        ident = (sender << 8 | place & 31) << 32 | sequence
        return Wavelet(
            w[at] & MASK32, flags >> y.F_COLOR & 31, bool(flags & y.F_CTRL), bool(flags & y.F_HALF), ident,
            bool(flags & y.F_LF), Born(w[at + 2] & MASK32, sender, w[at + 2] >> 32),
        )  # fmt: skip


_ALL = {name: (1 << max(16 * kind.words, 1)) - 1 for name, kind in TYPES.items()}  # the bits of a value
_CALLS = (
    Watching._landing, Watching._departure, Watching._switch, Watching._teardown, Watching._to_core, Watching._sending,
    Watching._backpressure, Watching._task, Watching._scalar, Watching._started, Watching._group, Watching._waiting,
    Watching._stall, Watching._finished,
)  # fmt: skip

Record = tuple[int, int, int, int, list[int], int]  # cycle, kind, phase, tile, words, where its own begin


def _threads(live: int, flags: int) -> list[int]:
    """The threads with an operation under way, the main thread first."""
    main = [y.MAIN] if flags & y.RF_VECTOR else []
    return main + [k for k in range(arch.MICROTHREADS) if live >> k & 1]


def _records(words: list[int]) -> Iterator[Record]:
    at, end = 0, len(words)
    while at < end:
        head = words[at]
        yield words[at + 1], head & 0xFF, head >> 16 & 0xFF, head >> 24, words, at + 2
        at += head >> 8 & 0xFF


def _until(records: Iterator[Record], fault: Context, stride: int) -> Iterator[Record]:
    """The records up to a fault, in the order in which the reference works: it ends in the middle of a cycle."""
    cycle, p = fault[y.C_FAULT_CYCLE], fault[y.C_FAULT_TILE]
    last = (fault[y.C_FAULT_KEY] - 1 >> 40) + 1  # its phase
    port = fault[y.C_FAULT_ARGS + 8] ^ 1 if last == 2 else -1  # by which a wavelet left that could not land
    side = fault[y.C_FAULT_ARGS + 8] if last == 4 else -1
    bound = _order(p, side, stride) if last == 4 else (0, p)
    landed: dict[int, tuple[int, int]] = {}  # tile -> order of its latest landing
    left = False
    for record in records:
        now, kind, phase, tile, words, at = record
        if now < cycle or phase < last:
            yield record
            continue
        if phase > last:
            continue
        order = (0, tile)
        if phase == 4:
            if kind == watch.K_LANDING:
                landed[tile] = _order(tile, words[at + 1], stride)
            order = landed.get(tile, (0, 0))
        if order > bound or (left and tile == p):
            continue
        yield record
        left = left or (phase == 2 and tile == p and kind == watch.K_WAVELET and bool(words[at + 1] >> port & 1))


def _order(tile: int, side: int, stride: int) -> tuple[int, int]:
    """When a landing comes: those from neighbours by the sender's place, then those from the cores."""
    if side == C:
        return 1, tile
    step_x, step_y = STEP[side]
    return 0, tile + step_x + step_y * stride
