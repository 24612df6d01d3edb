"""The engine's state as that of the reference: `fabric.reference.snapshot`, and a whole reference fabric.

So explanations, outcomes, checkpoints and core files have one form, whichever simulator ran.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fabric import arch
from fabric.corefile import LIVE_REGISTERS
from fabric.descriptor import ADVANCE_SWITCH, CONTROL, ENDLESS, FABIN, FABOUT, FIFO, ITERATOR, MEM1D, MEM4D
from fabric.engine import layout as y
from fabric.engine import step
from fabric.engine.machine import Machine
from fabric.engine.storage import bytes_at
from fabric.reference import snapshot
from fabric.reference.core import Core
from fabric.reference.fabric import Fabric
from fabric.reference.registers import RESET
from fabric.reference.storage import Cache
from fabric.reference.tile import Tile

RESET_LAST = arch.COLORS - 1


class Words:
    """Bytes with fields."""

    def __init__(self, data: bytes) -> None:
        self.data = data

    def u(self, at: int, size: int = 4) -> int:
        return int.from_bytes(self.data[at : at + size], "little")

    def i(self, at: int, size: int = 4) -> int:
        return int.from_bytes(self.data[at : at + size], "little", signed=True)

    def list(self, at: int, size: int, count: int) -> list[int]:
        return [self.u(at + size * k, size) for k in range(count)]


class TileState:
    """One tile of a machine, read out."""

    def __init__(self, m: Machine, x: int, row: int) -> None:
        self.m, self.x, self.y = m, x, row
        self.index = row * m.width + x
        self.p = m.place(x, row)
        self.extension = m.inside(m.extensions, y.EXTENSION)[row, x]
        self.r = Words(m.inside(m.records, y.RECORD)[row, x].tobytes())

    # --- wavelets ------------------------------------------------------------------------------------------------

    def _ext(self, at: int, size: int) -> Words:
        return Words(self.extension[at : at + size].tobytes())

    def slots(self, head: int) -> Iterable[Words]:
        """The slots of a list, from its head on."""
        number = head
        while number:
            if number <= y.HOT_SLOTS:
                at = y.R_SLOTS + (number - 1) * y.SLOT
                slot = Words(self.r.data[at : at + y.SLOT])
            else:
                slot = self._ext(y.X_SLOTS + (number - 1 - y.HOT_SLOTS) * y.SLOT, y.SLOT)
            yield slot
            number = slot.u(y.S_NEXT, 2)

    def _sender(self, word: int) -> int:
        p = word >> 5
        return (p // self.m.stride - 1) * self.m.width + p % self.m.stride - 1

    def wavelet(self, w: Words, data: int | None = None, lf: bool | None = None) -> list[int]:
        flags = w.u(y.S_FLAGS)
        sender = self._sender(w.u(y.S_IDENT))
        ident = (sender << 8 | w.u(y.S_IDENT) & 31) << 32 | w.u(y.S_SEQ)
        return [
            w.u(y.S_DATA) if data is None else data,
            flags >> y.F_COLOR & 31,
            bool(flags & y.F_CTRL),
            bool(flags & y.F_HALF),
            ident,
            bool(flags & y.F_LF) if lf is None else lf,
            w.u(y.S_BORN),
            sender,
            w.u(y.S_PC, 2),
        ]

    def _held(self, w: Words) -> list[Any]:
        from fabric.reference.wavelet import popped

        flags, data = w.u(y.S_FLAGS), w.u(y.S_DATA)
        onward = popped(data) if flags & y.F_POPPED else data
        whole = self.wavelet(w)
        return [w.u(y.S_READY), whole, flags >> y.F_SIDE & 7, self.wavelet(w, onward, bool(flags & y.F_LF_ON))]

    def channel(self, color: int) -> dict[str, Any] | None:
        at = y.R_CHANNELS + color * y.CHANNEL
        r = self.r
        head, taken, port = r.u(at + y.H_HEAD, 2), r.u(at + y.H_TAKEN, 1), r.u(at + y.H_PORT, 1)
        adder = r.u(at + y.H_FLAGS, 1) & y.CH_ADDER
        operands = [[w.u(y.S_READY), self.wavelet(w)] for w in self.slots(r.u(y.R_ADDER_HEAD, 2))] if adder else []
        if not (head or taken or port or operands):
            return None
        remaining = r.u(at + y.H_REMAINING, 2)
        return {
            "color": color,
            "buffer": [self._held(w) for w in self.slots(head)],
            "taken": taken,
            "message": [port - 1, -1 if remaining == 0xFFFF else remaining] if port else None,
            "operands": operands,
            "half": bool(r.u(y.R_HALF, 1)) if adder else False,
        }

    def _sent(self, w: Words) -> list[Any]:
        flags = w.u(y.S_FLAGS)
        return [
            w.u(y.S_READY), w.u(y.S_DATA), 16 if flags & y.F_HALF else 32, flags >> y.F_COLOR & 31,
            bool(flags & y.F_CTRL), bool(flags & y.F_LF), w.u(y.S_BORN), self.index, w.u(y.S_PC, 2),
        ]  # fmt: skip

    def take(self) -> dict[str, Any]:
        r = self.r
        last = [(v - 1 if v else RESET_LAST) for v in r.list(y.R_LAST, 1, 5)]
        turn = r.u(y.R_LAST_QUEUE, 1)
        owners = [[k // 5, k % 5, v - 1] for k, v in enumerate(r.list(y.R_OWNERS, 1, 10)) if v]
        queues = []
        for base in (y.R_INPUT, y.R_OUTPUT):
            queues.append([base + q * y.QUEUE for q in range(arch.QUEUES)])
        return {
            "at": [self.x, self.y],
            "channels": [c for c in map(self.channel, range(arch.COLORS)) if c is not None],
            "last": [*last, turn - 1 if turn else arch.QUEUES - 1],
            "owners": owners,
            "sequence": r.list(y.R_SEQUENCE, 4, arch.COLORS),
            "clock": [r.u(y.R_COUNT, 8), r.u(y.R_COUNT_FROM)],
            "in": [
                {
                    "half": bool(r.u(q + y.Q_FLAG, 1)),
                    "entries": [[w.u(y.S_READY), self.wavelet(w)] for w in self.slots(r.u(q + y.Q_HEAD, 2))],
                }
                for q in queues[0]
            ],
            "out": [
                {
                    "blocked": bool(r.u(q + y.Q_FLAG, 1)),
                    "entries": [self._sent(w) for w in self.slots(r.u(q + y.Q_HEAD, 2))],
                }
                for q in queues[1]
            ],
            "core": self.core() if self.has_core else None,
        }

    # --- the core ------------------------------------------------------------------------------------------------

    @property
    def has_core(self) -> bool:
        return bool(self.r.u(y.R_FLAGS, 1) & y.RF_CORE)

    def dsrs(self) -> list[list[int]]:
        return [self.r.list(y.R_DSRS + 8 * k, 2, 4) for k in range(48)]

    def _position(self, thread: int, k: int) -> list[int]:
        at = y.R_OPS + thread * y.OP + y.O_OPERANDS + k * y.OPERAND
        r = self.r
        kind = r.u(at + y.P_KIND, 1)
        if kind in (MEM1D, y.KIND_CONSTANT):
            return [r.u(at + y.P_AT)]
        if kind == FABOUT:
            return [r.i(at + y.P_AT)]
        if kind == FIFO:
            return [r.u(at + y.P_STEP) & 0xFFFF, r.u(at + y.P_STEP) >> 16]
        if kind in (MEM4D, ITERATOR):
            g = self._ext(y.X_GRIDS + (4 * thread + k) * y.GRID, y.GRID)
            n = r.u(at + y.P_DIMS, 2)
            return [g.i(base + 4 * d) for base in (y.G_INDEX, y.G_EXTENT, y.G_STEP) for d in range(n)]
        return []

    def _descriptor(self, thread: int, k: int) -> list[int]:
        """The words that an operand was captured from, as Operand.descriptor."""
        at = y.R_OPS + thread * y.OP + y.O_OPERANDS + k * y.OPERAND
        r = self.r
        kind, flags, extent = r.u(at + y.P_KIND, 1), r.u(at + y.P_FLAGS, 1), r.u(at + y.P_EXTENT, 2)
        if kind == y.KIND_CONSTANT:
            return [0, 0, 0, 0]
        word = kind | (ENDLESS if flags & y.PF_ENDLESS else 0)
        if kind == MEM1D:
            return [word, 0, extent, r.i(at + y.P_STEP) // r.u(at + y.P_WORDS, 1) & 0xFFFF]
        if kind in (MEM4D, ITERATOR):
            g = self._ext(y.X_GRIDS + (4 * thread + k) * y.GRID, y.GRID)
            return [word, g.u(y.G_BASE), extent, g.u(y.G_BLOCK)]
        if kind == FIFO:
            return [word, r.u(at + y.P_AT), extent, 0]
        word |= (CONTROL if flags & y.PF_CONTROL else 0) | (ADVANCE_SWITCH if flags & y.PF_FLIP else 0)
        return [word, r.u(at + y.P_QUEUE, 1), extent, 0]

    def op(self, thread: int) -> dict[str, Any]:
        """A live operation, as VectorOp.snapshot."""
        at = y.R_OPS + thread * y.OP
        r = self.r
        e = Words(bytes_at(r.u(at + y.O_ENTRY, 8), y.ENTRY))
        operands = list(range(e.u(y.E_COUNT, 1)))
        if e.u(y.E_FORM, 1) & 1:
            operands.append(3)
        return {
            "words": e.list(y.E_WORDS, 2, e.u(y.E_LENGTH, 1)),
            "pc": r.u(at + y.O_PC),
            "task": r.u(at + y.O_TASK) - 1,
            "not_before": r.u(at + y.O_START),
            "total": r.i(at + y.O_TOTAL),
            "done": r.i(at + y.O_DONE),
            "dsds": [self._descriptor(thread, k) for k in operands],
            "positions": [self._position(thread, k) for k in operands],
        }

    def _users(self) -> list[list[Any]]:
        out: list[list[Any]] = []
        for k in range(2 * arch.QUEUES):
            mask = self.r.u(y.R_USERS + 8 * k, 8)
            users = []
            while mask & 15:
                users.append(-1 if mask & 15 == y.MAIN + 1 else (mask & 15) - 1)
                mask >>= 4
            if users:
                out.append([FABIN if k < arch.QUEUES else FABOUT, k % arch.QUEUES, users])
        return out

    def _events(self) -> list[list[int]]:
        out = []
        for k in range(self.r.u(y.R_EVENTS, 1)):
            if k < y.HOT_EVENTS:
                v = Words(self.r.data[y.R_EVENT + k * y.EVENT :][: y.EVENT])
            else:
                v = self._ext(y.X_EVENT + (k - y.HOT_EVENTS) * y.EVENT, y.EVENT)
            what = v.u(y.V_WHAT)
            out.append([v.u(y.V_CYCLE), v.u(y.V_ORDER), what >> 8, what & 0xFF])
        return sorted(out)

    def tasks(self) -> dict[str, Any]:
        r = self.r
        tables = Words(bytes_at(r.u(y.R_TABLES, 8), 2 * (2 * arch.TASKS + arch.QUEUES)))
        last = r.u(y.R_LAST_TASK, 1)
        return {
            "entries": tables.list(0, 2, arch.TASKS),
            "control_entries": tables.list(2 * arch.TASKS, 2, arch.TASKS),
            "catch_all": tables.list(4 * arch.TASKS, 2, arch.QUEUES),
            "masks": [r.u(y.R_BLOCKED, 8), r.u(y.R_ACTIVE, 8), r.u(y.R_HIGH, 8)],
            "joins": r.list(y.R_JOINS, 2, 32) + [0] * (arch.TASKS - 32),
            "last": last - 1 if last else 30,
        }

    def core(self) -> dict[str, Any]:
        """As Core.snapshot."""
        r = self.r
        flags, live = r.u(y.R_FLAGS, 1), r.u(y.R_LIVE, 1)
        return {
            "regs": r.list(y.R_REGS, 2, 16),
            "preds": [r.u(y.R_PREDS, 1) >> k & 1 for k in range(8)],
            "dsrs": self.dsrs(),
            "acc": r.u(y.R_ACC),
            "carry": int(bool(flags & y.RF_CARRY)),
            "usable": r.list(y.R_USABLE, 4, 74),
            "tasks": self.tasks(),
            "task": r.u(y.R_TASK) - 1,
            "pc": r.u(y.R_PC),
            "next_issue": r.u(y.R_NEXT_ISSUE),
            "after_vector": bool(flags & y.RF_AFTER_VECTOR),
            "vector": self.op(y.MAIN) if flags & y.RF_VECTOR else None,
            "live": [[k, self.op(k)] for k in range(arch.MICROTHREADS) if live >> k & 1],
            "users": self._users(),
            "draining": r.list(y.R_DRAINING, 4, arch.MICROTHREADS),
            "events": self._events(),
            "event_count": r.u(y.R_EVENT_COUNT),
            "pipe_free": r.u(y.R_PIPE_FREE),
            "halted": bool(flags & y.RF_HALTED),
            "last_execute": r.u(y.R_LAST_EXECUTE) - 1,
            "trigger": self._trigger(),
        }

    def _trigger(self) -> list[int] | None:
        """[color, tile, pc] of the control wavelet that started a task last."""
        word = self.r.u(y.R_TRIGGER)
        return [word & 31, self._sender(word), self.r.u(y.R_TRIGGER_PC, 2)] if word else None

    # --- words ---------------------------------------------------------------------------------------------------

    def register(self, address: int) -> int:
        c = self.m.contexts[0].address
        return int(step.read_register_of(c, self.p, self.x + 1, self.y + 1, address)) & 0xFFFF

    def plain(self) -> dict[int, int]:
        """Register words that nobody owns and that are not 0."""
        end = y.X_PLAIN + 2 * (arch.CACHE_START - arch.CONFIG_START)
        words = self.extension[y.X_PLAIN : end].view(np.uint16)
        return {arch.CONFIG_START + int(k): int(words[k]) for k in np.flatnonzero(words)}

    def cache(self) -> NDArray[np.uint16]:
        n = arch.MEMORY_WORDS - arch.CACHE_START
        words: NDArray[np.uint16] = self.extension[y.X_CACHE : y.X_CACHE + 2 * n].view(np.uint16)
        return words

    def lost(self) -> list[list[Any]]:
        """Wavelets that left the layout here, as in a snapshot."""
        out: list[list[Any]] = []
        if self.r.u(y.R_FLAGS, 1) & y.RF_LOST:
            for k in range(4 * arch.COLORS):
                v = self._ext(y.X_LOST + k * y.LOST, y.LOST)
                if v.u(y.L_COUNT):
                    w = self.wavelet(Words(v.data[y.L_SLOT :]))
                    out.append([self.index, k // 4, k % 4, v.u(y.L_COUNT), v.u(y.L_CYCLE), w])
        return out


def existing(m: Machine) -> list[tuple[int, int]]:
    """The tiles that exist in the reference's sense."""
    inside = m.grid(m.exists)[1:-1, 1:-1]
    return [(int(x), int(row)) for row, x in np.argwhere(inside)]


def _due(m: Machine, points: list[tuple[int, int]], which: int) -> list[list[int]]:
    """[cycle, tile index] of all that is due."""
    dues = m.inside(m.dues, 16)
    out = []
    now = m.now
    wake = m.grid(m.wake[now & 1])[1:-1, 1:-1]
    for x, row in points:
        mask = int(dues[row, x, 8 * which : 8 * which + 8].view(np.uint64)[0])
        index = row * m.width + x
        cycles = {now + (bit - now) % 64 for bit in range(64) if mask >> bit & 1} if mask else set()
        if which == 0 and wake[row, x]:
            cycles.add(now)
        out += [[cycle, index] for cycle in cycles]
    return sorted(out)


def take(m: Machine, points: list[tuple[int, int]] | None = None) -> dict[str, Any]:
    """The state between two cycles as `fabric.reference.snapshot.take` gives it, of all tiles that exist."""
    points = existing(m) if points is None else points
    tiles = [TileState(m, x, row) for x, row in points]
    return {
        "version": snapshot.VERSION,
        "now": m.now,
        "last_moved": m.last_moved,
        "lost": [entry for tile in tiles for entry in tile.lost()],
        "tiles": [tile.take() for tile in tiles],
        "routers_due": _due(m, points, 0),
        "cores_due": _due(m, points, 1),
    }


def reference(m: Machine, points: list[tuple[int, int]] | None = None) -> Fabric:
    """A reference fabric in the state of the machine. It runs on as the machine would."""
    points = existing(m) if points is None else points
    fabric = Fabric(m.width, m.height, m.timing)
    cache: Cache = {}
    for x, row in points:
        _words(TileState(m, x, row), fabric.tile(x, row), cache)
    snapshot.restore(fabric, take(m, points))
    return fabric


def bring(m: Machine, tile: Tile) -> None:
    """Gives one new reference tile the machine's state, to be looked at."""
    state = TileState(m, tile.x, tile.y)
    _words(state, tile, {})
    snapshot.restore_tile(tile, state.take())


def _words(state: TileState, tile: Tile, cache: Cache) -> None:
    tile.memory = array("H", state.m.main_words(state.x, state.y).tobytes())
    tile.cache = array("H", state.cache().tobytes())
    for address in sorted({*LIVE_REGISTERS, arch.COLUMN_ID, arch.ROW_ID}):
        value = state.register(address)
        if value != RESET.get(address, 0):
            tile.registers.write(address, value, loading=True)
    tile.registers.plain.update(state.plain())
    if state.has_core:
        tile.core = Core(tile, cache)
