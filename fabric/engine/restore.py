"""The way back from a checkpoint into the engine: the inverse of `fabric.engine.convert.take`."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fabric import arch
from fabric.descriptor import ADVANCE_SWITCH, CONTROL, ENDLESS, FABIN, FABOUT, FIFO, ITERATOR, MEM1D, MEM4D
from fabric.encode import MAX_LENGTH
from fabric.engine import layout as y
from fabric.engine import step
from fabric.engine.machine import TABLE_WORDS, Machine
from fabric.engine.storage import address, bytes_at, copy_bytes
from fabric.reference import snapshot
from fabric.reference.operands import MANY, stride_limit


class TileWriter:
    """One tile of a machine, to be written; its registers and memory have been loaded."""

    def __init__(self, m: Machine, x: int, row: int) -> None:
        self.m, self.x, self.y = m, x, row
        self.p = m.place(x, row)
        self.record = m.inside(m.records, y.RECORD)[row, x]
        self.extension = m.inside(m.extensions, y.EXTENSION)[row, x]
        self._slots = 0

    def put(self, at: int, size: int, value: int) -> None:
        """A field of the record, as an unsigned number."""
        data = (value & (1 << 8 * size) - 1).to_bytes(size, "little")
        self.record[at : at + size] = np.frombuffer(data, np.uint8)

    def get(self, at: int, size: int) -> int:
        return int.from_bytes(self.record[at : at + size].tobytes(), "little")

    def flag(self, bit: int, on: bool) -> None:
        flags = self.get(y.R_FLAGS, 1)
        self.put(y.R_FLAGS, 1, flags | bit if on else flags & ~bit)

    def _beyond(self, at: int, *fields: tuple[int, int]) -> None:
        """Fields (value, size) of the extension, one behind the other."""
        data = b"".join((v & (1 << 8 * size) - 1).to_bytes(size, "little") for v, size in fields)
        self.extension[at : at + len(data)] = np.frombuffer(data, np.uint8)

    # --- wavelets ------------------------------------------------------------------------------------------------

    def _place(self, index: int) -> int:
        row, x = divmod(index, self.m.width)
        return self.m.place(x, row)

    def _slot_of(self, w: list[int], flags: int, ready: int) -> bytes:
        """A wavelet of a snapshot as the bytes of a slot, without the link."""
        data, color, ctrl, half, ident, lf, born, _, pc = w
        flags |= (y.F_CTRL if ctrl else 0) | (y.F_HALF if half else 0) | (y.F_LF if lf else 0) | color << y.F_COLOR
        sender = self._place(ident >> 40) << 5 | ident >> 32 & 31
        words = (data, flags, sender, ident & 0xFFFFFFFF, born, ready)
        return b"".join(v.to_bytes(4, "little") for v in words) + pc.to_bytes(2, "little")

    def _list(self, head: int, tail: int, slots: list[bytes]) -> None:
        """A list of slots, taken lowest first."""
        before = 0
        for data in slots:
            self._slots += 1
            number = self._slots
            if before == 0:
                self.put(head, 2, number)
            else:
                self._bytes(before, number.to_bytes(2, "little"), y.S_NEXT)
            self._bytes(number, data + b"\0\0")
            before = number
        self.put(tail, 2, before)

    def _bytes(self, number: int, data: bytes, offset: int = 0) -> None:
        if number <= y.HOT_SLOTS:
            at = y.R_SLOTS + (number - 1) * y.SLOT + offset
            self.record[at : at + len(data)] = np.frombuffer(data, np.uint8)
        else:
            at = y.X_SLOTS + (number - 1 - y.HOT_SLOTS) * y.SLOT + offset
            self.extension[at : at + len(data)] = np.frombuffer(data, np.uint8)

    def _used(self) -> None:
        """Marks the slots that have been taken."""
        self.put(y.R_USED, 8, (1 << min(self._slots, y.HOT_SLOTS)) - 1)
        more = max(self._slots - y.HOT_SLOTS, 0)
        if more:
            self._beyond(y.X_USED, *((((1 << more) - 1) >> 64 * w, 8) for w in range(y.MORE_WORDS)))

    def _channel(self, state: dict[str, Any]) -> None:
        color = state["color"]
        at = y.R_CHANNELS + color * y.CHANNEL
        slots = []
        for ready, wavelet, side, onward in state["buffer"]:
            flags = side << y.F_SIDE
            flags |= (y.F_POPPED if onward[0] != wavelet[0] else 0) | (y.F_LF_ON if onward[5] else 0)
            slots.append(self._slot_of(wavelet, flags, ready))
        self._list(at + y.H_HEAD, at + y.H_TAIL, slots)
        self.put(at + y.H_COUNT, 1, len(slots))
        self.put(at + y.H_TAKEN, 1, state["taken"])
        if slots:
            self.put(y.R_BUSY, 4, self.get(y.R_BUSY, 4) | 1 << color)
        if state["message"]:
            port, remaining = state["message"]
            self.put(at + y.H_PORT, 1, port + 1)
            self.put(at + y.H_REMAINING, 2, 0xFFFF if remaining < 0 else remaining)
        if state["operands"]:
            self._list(y.R_ADDER_HEAD, y.R_ADDER_TAIL, [self._slot_of(w, 0, ready) for ready, w in state["operands"]])
            self.put(y.R_OPERANDS, 1, len(state["operands"]))
            self.put(y.R_HALF, 1, state["half"])
        self.put(y.R_DIRTY, 4, self.get(y.R_DIRTY, 4) | 1 << color)

    def _queue(self, at: int, mask_at: int, number: int, flag: bool, slots: list[bytes]) -> None:
        q = at + number * y.QUEUE
        self._list(q + y.Q_HEAD, q + y.Q_TAIL, slots)
        self.put(q + y.Q_COUNT, 1, len(slots))
        self.put(q + y.Q_FLAG, 1, flag)
        if slots:
            self.put(mask_at, 1, self.get(mask_at, 1) | 1 << number)

    def restore(self, state: dict[str, Any]) -> None:
        """Takes the tile's part of a snapshot back."""
        self.m.grid(self.m.exists)[1:-1, 1:-1][self.y, self.x] = 1
        for channel in state["channels"]:
            self._channel(channel)
        *last, queue = state["last"]
        for port, color in enumerate(last):
            self.put(y.R_LAST + port, 1, color + 1)
        self.put(y.R_LAST_QUEUE, 1, queue + 1)
        for bank, port, color in state["owners"]:
            self.put(y.R_OWNERS + 5 * bank + port, 1, color + 1)
        self._each(y.R_SEQUENCE, 4, state["sequence"])
        self.put(y.R_COUNT, 8, state["clock"][0])
        self.put(y.R_COUNT_FROM, 4, state["clock"][1])
        for number, q in enumerate(state["in"]):
            slots = [self._slot_of(w, 0, ready) for ready, w in q["entries"]]
            self._queue(y.R_INPUT, y.R_FILLED, number, q["half"], slots)
        for number, q in enumerate(state["out"]):
            slots = []
            for ready, value, bits, color, ctrl, flip, born, _, pc in q["entries"]:
                w = [value, color, ctrl, bits == 16, 0, flip, born, 0, pc]
                slots.append(self._slot_of(w, 0, ready))
            self._queue(y.R_OUTPUT, y.R_LOADED, number, q["blocked"], slots)
        self._used()
        if state["core"] is not None and self.get(y.R_FLAGS, 1) & y.RF_CORE:
            self._core(state["core"])
        # A write of the row id that changes nothing, after which what neighbours see is brought up to date.
        c = self.m.contexts[0].address
        row = int(step.read_register_of(c, self.p, self.x + 1, self.y + 1, arch.ROW_ID))
        step.load_register(c, self.p, self.x + 1, self.y + 1, arch.ROW_ID, row)

    def lost(self, color: int, port: int, wavelets: int, cycle: int, first: list[int]) -> None:
        """Wavelets that left the layout here."""
        self.flag(y.RF_LOST, True)
        at = y.X_LOST + (4 * color + port) * y.LOST
        self._beyond(at, (wavelets, 4), (cycle, 4))
        self.extension[at + y.L_SLOT : at + y.L_SLOT + y.S_NEXT] = np.frombuffer(self._slot_of(first, 0, 0), np.uint8)

    # --- the core ------------------------------------------------------------------------------------------------

    def _each(self, at: int, size: int, values: Iterable[int]) -> None:
        for k, value in enumerate(values):
            self.put(at + size * k, size, value)

    def _core(self, state: dict[str, Any]) -> None:
        self._each(y.R_REGS, 2, state["regs"])
        self.put(y.R_PREDS, 1, sum(p << k for k, p in enumerate(state["preds"])))
        for k, dsd in enumerate(state["dsrs"]):
            self._each(y.R_DSRS + 8 * k, 2, dsd)
        self.put(y.R_ACC, 4, state["acc"])
        self._each(y.R_USABLE, 4, state["usable"])
        self.put(y.R_LATEST, 4, max(state["usable"]))
        self._tasks(state["tasks"])
        self.put(y.R_TASK, 4, state["task"] + 1)
        self.put(y.R_PC, 4, state["pc"])
        self.put(y.R_NEXT_ISSUE, 4, state["next_issue"])
        self.put(y.R_PIPE_FREE, 4, state["pipe_free"])
        self.put(y.R_LAST_EXECUTE, 4, state["last_execute"] + 1)
        self.flag(y.RF_CARRY, bool(state["carry"]))
        self.flag(y.RF_AFTER_VECTOR, state["after_vector"])
        self.flag(y.RF_HALTED, state["halted"])
        self.flag(y.RF_VECTOR, state["vector"] is not None)
        ops = {ut: op for ut, op in state["live"]}
        self.put(y.R_LIVE, 1, sum(1 << ut for ut in ops))
        if state["vector"] is not None:
            ops[y.MAIN] = state["vector"]
        filters = {thread for thread, op in ops.items() if self._op(thread, op) == y.K_FILTER}
        for kind, queue, users in state["users"]:
            threads = [y.MAIN if ut < 0 else ut for ut in users]
            at = y.R_USERS + 8 * (queue + (arch.QUEUES if kind == FABOUT else 0))
            self.put(at, 8, sum(thread + 1 << 4 * k for k, thread in enumerate(threads)))
            if kind == FABIN:
                self.put(y.R_HELD + queue, 1, len(threads))
                self.put(y.R_FILTERING + queue, 1, sum(thread in filters for thread in threads))
        self._each(y.R_DRAINING, 4, state["draining"])
        for k, (cycle, order, action, task) in enumerate(state["events"]):
            fields = ((cycle, 4), (order, 4), (action << 8 | task, 4))
            if k < y.HOT_EVENTS:
                self._each(y.R_EVENT + k * y.EVENT, 4, [v for v, _ in fields])
            else:
                self._beyond(y.X_EVENT + (k - y.HOT_EVENTS) * y.EVENT, *fields)
        self.put(y.R_EVENTS, 1, len(state["events"]))
        self.put(y.R_EVENT_COUNT, 4, state["event_count"])

    def _tasks(self, state: dict[str, Any]) -> None:
        words = [*state["entries"], *state["control_entries"], *state["catch_all"]]
        tables = np.array(words, np.uint16).tobytes()
        if bytes_at(self.get(y.R_TABLES, 8), 2 * TABLE_WORDS) != tables:
            own = self.extension[y.X_TABLES : y.X_TABLES + 2 * TABLE_WORDS]
            copy_bytes(address(own), tables)
            self.put(y.R_TABLES, 8, address(own))
            self.flag(y.RF_MORE, True)
        self.put(y.R_CODED, 4, sum(1 << t for t in arch.LOCAL_TASKS if state["entries"][t]))
        for at, mask in zip((y.R_BLOCKED, y.R_ACTIVE, y.R_HIGH), state["masks"], strict=True):
            self.put(at, 8, mask)
        self._each(y.R_JOINS, 2, state["joins"][:32])
        self.put(y.R_LAST_TASK, 1, state["last"] + 1)

    def _entry(self, thread: int, pc: int, words: list[int]) -> tuple[int, bytes]:
        """Where the decoded instruction of an operation lies: in the program, if it still stands there."""
        text = np.array(words + [0] * (MAX_LENGTH - len(words)), np.uint16)
        program = self.get(y.R_PROGRAM, 8)
        number = int.from_bytes(bytes_at(program + 2 * pc, 2), "little") if 0 < pc < arch.MAIN_WORDS else 0
        if number:
            at = program + y.B_ENTRIES + number * y.ENTRY
            e = bytes_at(at, y.ENTRY)
            if e[y.E_LENGTH] == len(words) and e[y.E_WORDS : y.E_WORDS + 2 * len(words)] == text[: len(words)].tobytes():
                return at, e
        at = address(self.extension) + y.X_SCRATCH + (thread + 1) * y.ENTRY
        if not step.decode_words(self.m.contexts[0].address, address(text), len(words), at):
            raise ValueError("an instruction under way is none")
        return at, bytes_at(at, y.ENTRY)

    def _op(self, thread: int, state: dict[str, Any]) -> int:
        """A live operation; the kind of its instruction."""
        o = y.R_OPS + thread * y.OP
        at, e = self._entry(thread, state["pc"], state["words"])
        self.put(o + y.O_ENTRY, 8, at)
        for field, value in (
            (y.O_PC, state["pc"]), (y.O_TASK, state["task"] + 1), (y.O_START, state["not_before"]),
            (y.O_TOTAL, state["total"]), (y.O_DONE, state["done"]),
        ):  # fmt: skip
            self.put(o + field, 4, value)
        width = int.from_bytes(e[y.E_GROUP : y.E_GROUP + 4], "little")
        places = [*range(e[y.E_COUNT]), *([3] if e[y.E_FORM] & 1 else [])]
        for k, dsd, position in zip(places, state["dsds"], state["positions"], strict=True):
            words = e[y.E_DEST_WORDS] if k == 3 else e[y.E_SOURCE_WORDS + k]
            constant = k != 3 and e[y.E_MODES + k] != y.M_DSR
            width = min(width, self._operand(thread, k, dsd, position, words, constant))
        kind = e[y.E_KIND]
        self.put(o + y.O_WIDTH, 4, MANY if kind == y.K_FILTER else width)
        return kind

    def _operand(
        self, thread: int, k: int, dsd: list[int], position: list[int], words: int, constant: bool
    ) -> int:
        """An operand of a live operation; the elements a cycle that it allows."""
        a = y.R_OPS + thread * y.OP + y.O_OPERANDS + k * y.OPERAND
        if constant:
            self.put(a + y.P_KIND, 1, y.KIND_CONSTANT)
            self.put(a + y.P_AT, 4, position[0])
            return MANY
        kind = dsd[0] & 15
        flags = y.PF_ENDLESS if dsd[0] & ENDLESS else 0
        limit = MANY
        if kind == MEM1D:
            stride = dsd[3] - 0x10000 if dsd[3] & 0x8000 else dsd[3]
            flags |= y.PF_BANK if stride else 0
            self.put(a + y.P_AT, 4, position[0])
            self.put(a + y.P_STEP, 4, stride * words)
            limit = stride_limit(stride)
        elif kind in (MEM4D, ITERATOR):
            n = len(position) // 3
            index, extents, steps = position[:n], position[n : 2 * n], position[2 * n :]
            flags |= y.PF_BANK if any(steps) else 0
            g = y.X_GRIDS + (4 * thread + k) * y.GRID
            self._beyond(g, (dsd[1], 4), (dsd[3], 4))
            for at, values in ((y.G_INDEX, index), (y.G_EXTENT, extents), (y.G_STEP, steps)):
                self._beyond(g + at, *((v, 4) for v in values))
            self.put(a + y.P_DIMS, 2, n)
            self.put(a + y.P_AT, 4, dsd[1] + sum(i * s for i, s in zip(index, steps, strict=True)) & 0xFFFF)
            self.put(a + y.P_STEP, 4, steps[0])
            limit = stride_limit(steps[0] // words)
        elif kind == FIFO:
            flags |= y.PF_PUSH if k == 3 else y.PF_BANK
            self.put(a + y.P_AT, 4, dsd[1])
            self.put(a + y.P_STEP, 4, position[0] | position[1] << 16)
        else:
            self.put(a + y.P_QUEUE, 1, dsd[1])
            if kind == FABOUT:
                flags |= (y.PF_CONTROL if dsd[0] & CONTROL else 0) | (y.PF_FLIP if dsd[0] & ADVANCE_SWITCH else 0)
                self.put(a + y.P_AT, 4, position[0])
        self.put(a + y.P_KIND, 1, kind)
        self.put(a + y.P_WORDS, 1, words)
        self.put(a + y.P_FLAGS, 1, flags)
        self.put(a + y.P_EXTENT, 2, dsd[2])
        return limit


def restore(m: Machine, state: dict[str, Any]) -> None:
    """Takes a checkpoint back into a machine just loaded from the words that were saved with it. Raises ValueError for
    a state of another version."""
    if state["version"] != snapshot.VERSION:
        raise ValueError(f"state of version {state['version']}, not {snapshot.VERSION}")
    for c in m.contexts:
        c[y.C_NOW], c[y.C_MOVED] = state["now"], state["last_moved"] + 1
    for saved in state["tiles"]:
        TileWriter(m, *saved["at"]).restore(saved)
    for index, color, port, wavelets, cycle, first in state["lost"]:
        row, x = divmod(index, m.width)
        TileWriter(m, x, row).lost(color, port, wavelets, cycle, first)
    dues = m.inside(m.dues, 16).view(np.uint64)
    dues[:] = 0
    for which, name in enumerate(("routers_due", "cores_due")):
        _set_due(dues, which, state[name], m.width)
    m.dues_changed()


def _set_due(dues: NDArray[np.uint64], which: int, due: list[list[int]], width: int) -> None:
    for cycle, index in due:
        row, x = divmod(index, width)
        dues[row, x, which] |= np.uint64(1 << cycle % 64)
