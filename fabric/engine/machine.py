"""The fast engine: a fabric of an image, run by the compiled functions (docs/engine.md).

`Machine.load(image)` and `run(until)` are those of `fabric.reference.fabric.Fabric`; `reference()` gives the state as
such a fabric, for explanations and core files.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fabric import arch
from fabric.engine import layout as y
from fabric.engine import step
from fabric.engine.decode import table
from fabric.engine.faults import fault_of
from fabric.engine.jit import prepare
from fabric.engine.mode import COMPILED
from fabric.engine.programs import Programs
from fabric.engine.storage import Arena, address, bytes_at, field, reserve
from fabric.engine.support import unsupported
from fabric.image import Data, Fill, Group, Ids, Image
from fabric.rects import Rect
from fabric.reference.core import OWN_REGISTERS
from fabric.timing import DEFAULT, Timing

if TYPE_CHECKING:
    from fabric.engine.watching import Watching
    from fabric.watch import Watcher

TABLE_WORDS = 2 * arch.TASKS + arch.QUEUES
ENTRIES = (step.decode_words, step.load_register, step.read_register_of, step.group_of, step.run_band)
BUDGET = 3_000_000  # steps of tiles after which `run` looks whether it is to stop


class Context:
    """A thread's context, by field."""

    def __init__(self) -> None:
        self.bytes = reserve(y.CONTEXT)
        self.address = address(self.bytes)

    def __getitem__(self, at: int) -> int:
        return int(self.bytes[at : at + 8].view(np.int64)[0])

    def __setitem__(self, at: int, value: int) -> None:
        self.bytes[at : at + 8].view(np.int64)[0] = value


def prepare_all() -> bool:
    """Compiles what is not in the cache, but what watching alone needs; True when there was something to compile."""
    return any([prepare(f) for f in ENTRIES])


class Area(NamedTuple):
    """Tiles that were loaded together: where, their main memory [h, w, words], and the register words they got."""

    rect: Rect
    words: NDArray[np.uint16]
    config: dict[int, int]


class Machine:
    """A running fabric. `now` is the next cycle that has not begun."""

    def __init__(self, width: int, height: int, timing: Timing = DEFAULT, threads: int = 1) -> None:
        why = unsupported(timing)
        if why is not None:
            raise ValueError(why)
        self.width, self.height, self.timing = width, height, timing
        self.stride = width + 2
        self.compiled = prepare_all()
        self.stopping = False
        tiles = self.stride * (height + 2)
        blocks = (self.stride + y.BLOCK - 1) >> y.BLOCK_SHIFT
        rows = height + 2
        self.records = reserve(tiles * y.RECORD)
        self.extensions = reserve(tiles * y.EXTENSION)
        self.dues = reserve(16 * tiles)
        self.wake = [reserve(tiles) for _ in range(2)]
        self.visits = reserve(8 * tiles)
        self.block_due = reserve(8 * blocks * rows)
        self.block_wake = [reserve(blocks * rows) for _ in range(2)]
        self.block_visit = reserve(blocks * rows)
        self.row_due = reserve(8 * rows)
        self.row_wake = [reserve(rows) for _ in range(2)]
        self.row_visit = reserve(rows)
        self.exists = reserve(tiles)
        self.dead = reserve(tiles)
        self.shared = reserve(y.SHARED)
        self.rows = np.frombuffer(table(timing), np.uint8)
        self.blocks = blocks
        self.arena = Arena()
        self.areas: list[Area] = []
        self.programs = Programs(self.arena, self._decode)
        self.cores = 0
        self.watching: Watching | None = None
        dead = self.grid(self.dead)
        dead[0], dead[-1], dead[:, 0], dead[:, -1] = 1, 1, 1, 1
        self.contexts = [self._context(k, threads if COMPILED else 1) for k in range(threads if COMPILED else 1)]
        self.share_rows()

    # --- layout --------------------------------------------------------------------------------------------------

    def grid(self, area: NDArray[np.uint8]) -> NDArray[np.uint8]:
        """One byte a tile as [row, column], border included."""
        return area[: self.stride * (self.height + 2)].reshape(self.height + 2, self.stride)

    def inside(self, area: NDArray[np.uint8], size: int) -> NDArray[np.uint8]:
        """`size` bytes a tile as [y, x, size], without the border."""
        tiles = self.stride * (self.height + 2)
        return area[: tiles * size].reshape(self.height + 2, self.stride, size)[1:-1, 1:-1]

    def place(self, x: int, y_: int) -> int:
        """A tile's place."""
        return (y_ + 1) * self.stride + x + 1

    def _context(self, thread: int, threads: int) -> Context:
        c = Context()
        for k, name in enumerate(y.TIMINGS):
            c[y.C_TIMING + 8 * k] = getattr(self.timing, name)
        for at, area in (
            (y.C_RECORDS, self.records), (y.C_EXTENSIONS, self.extensions), (y.C_DUES, self.dues),
            (y.C_WAKE, self.wake[0]), (y.C_WAKE + 8, self.wake[1]), (y.C_VISIT, self.visits),
            (y.C_BLOCK_DUE, self.block_due), (y.C_BLOCK_WAKE, self.block_wake[0]),
            (y.C_BLOCK_WAKE + 8, self.block_wake[1]), (y.C_BLOCK_VISIT, self.block_visit),
            (y.C_ROW_DUE, self.row_due), (y.C_ROW_WAKE, self.row_wake[0]), (y.C_ROW_WAKE + 8, self.row_wake[1]),
            (y.C_ROW_VISIT, self.row_visit), (y.C_EXISTS, self.exists), (y.C_DEAD, self.dead),
            (y.C_ROWS, self.rows), (y.C_SHARED, self.shared),
        ):  # fmt: skip
            c[at] = address(area)
        c[y.C_STRIDE], c[y.C_BLOCKS], c[y.C_WIDTH] = self.stride, self.blocks, self.width
        c[y.C_THREAD], c[y.C_THREADS] = thread, threads
        return c

    def share_rows(self) -> None:
        """Gives each thread a band of rows, by the number of tiles in them that have a core."""
        flags = self.inside(self.records, y.RECORD)[:, :, y.R_FLAGS]
        weight = np.cumsum((flags & y.RF_CORE).sum(axis=1, dtype=np.int64) + 1)
        n = len(self.contexts)
        ends = [int(np.searchsorted(weight, weight[-1] * (k + 1) / n)) + 1 for k in range(n - 1)]
        bounds = [0, *ends, self.height]
        row_due = self.row_due[: 8 * (self.height + 2)].view(np.int64)
        for k, c in enumerate(self.contexts):
            c[y.C_FIRST], c[y.C_END] = bounds[k] + 1, bounds[k + 1] + 1
            c[y.C_MASK] = int(np.bitwise_or.reduce(row_due[bounds[k] + 1 : bounds[k + 1] + 1], initial=0))

    # --- loading -------------------------------------------------------------------------------------------------

    @staticmethod
    def load(image: Image, timing: Timing = DEFAULT, threads: int = 1) -> Machine:
        """A machine with the words of a linked image. Raises FabricFault FB404-FB407 for register words that the
        machine does not take."""
        m = Machine(image.width, image.height, timing, threads)
        m.contexts[0][y.C_LOADING] = 1
        for group in image.groups():
            if not all(isinstance(segment, Ids) for segment in group.segments):
                m._load_group(image, group)
        m.contexts[0][y.C_LOADING] = 0
        m.dues_changed()
        return m

    def dues_changed(self) -> None:
        """Brings the masks of blocks and rows up to those of the tiles."""
        tiles = self.stride * (self.height + 2)
        both = self.dues[: 16 * tiles].view(np.int64).reshape(self.height + 2, self.stride, 2)
        due = np.bitwise_or.reduce(both, axis=2)
        wide = np.zeros((self.height + 2, self.blocks * y.BLOCK), np.int64)
        wide[:, : self.stride] = due
        blocks = np.bitwise_or.reduce(wide.reshape(self.height + 2, self.blocks, y.BLOCK), axis=2)
        self.block_due[: 8 * blocks.size].view(np.int64)[:] = blocks.ravel()
        self.row_due[: 8 * (self.height + 2)].view(np.int64)[:] = np.bitwise_or.reduce(blocks, axis=1)
        self.share_rows()

    def _decode(self, words: int, available: int, entry: int) -> int:
        return int(step.decode_words(self.contexts[0].address, words, available, entry))

    def _load_group(self, image: Image, group: Group) -> None:
        """Loads the tiles of a group: one of them, then the others as copies of it."""
        first = next(iter(group.rects[0].points()))
        single = sum(r.tiles for r in group.rects) == 1
        extent = 0
        for segment in group.segments:
            end = segment.addr + segment.n
            if segment.addr < arch.MAIN_WORDS:
                extent = max(extent, min(end, arch.MAIN_WORDS))
            if end > arch.MAIN_WORDS and isinstance(segment, Data) and not single:
                # Registers or cache words that are each tile's own.
                for rect in group.rects:
                    for x, y_ in rect.points():
                        self._load_group(image, Group((Rect(x, y_, 1, 1),), group.segments))
                return
        config: dict[int, int] = {}
        memory = np.zeros(extent + -extent % 2, np.uint16)
        patches: list[Data] = []
        for segment in group.segments:
            if isinstance(segment, Fill):
                words = np.frombuffer(segment.data, "<u2")
            elif isinstance(segment, Data) and (single or segment.addr < arch.MAIN_WORDS):
                patches.append(segment)
                words = np.frombuffer(segment.tile(*first), "<u2")
            else:
                continue
            inside = words[: max(arch.MAIN_WORDS - segment.addr, 0)]
            memory[segment.addr : segment.addr + len(inside)] = inside
            config.update(_beyond(segment.addr, words))
        patches = [s for s in patches if s.addr < arch.MAIN_WORDS]
        tables = np.zeros(TABLE_WORDS, np.uint16)
        core = any(config.get(a) for a in range(arch.TASK_TABLE, arch.TASK_TABLE + 2 * arch.TASKS))
        x, y_ = first
        p = self.place(x, y_)
        tiles = self.inside(self.records, y.RECORD)
        record = tiles[y_, x]
        self._load_registers(p, x, y_, record, config, core, tables)
        entries = [int(e) for e in tables if e]
        program = self.programs.find(memory, entries)
        if core:
            record[y.R_FLAGS] |= y.RF_CORE
        if any(program.code[s.addr : s.addr + s.n].any() for s in patches):
            record[y.R_FLAGS] |= y.RF_PRIVATE
        shared = self.arena.take(2 * TABLE_WORDS)[: 2 * TABLE_WORDS].view(np.uint16)
        shared[:] = tables
        field(record, y.R_TABLES, "<i8")[...] = address(shared)
        field(record, y.R_PROGRAM, "<i8")[...] = program.address
        field(record, y.R_LENGTH, "<u4")[...] = len(memory)
        self._spread(image, group, record.copy(), memory, patches, (x, y_), config)

    def _load_registers(
        self, p: int, x: int, y_: int, record: NDArray[np.uint8], config: dict[int, int], core: bool,
        tables: NDArray[np.uint16],
    ) -> None:  # fmt: skip
        """Writes the register words of a tile; those of a core's tasks go to its tables and masks."""
        c = self.contexts[0]
        masks = {arch.TASK_BLOCKED: 0, arch.TASK_ACTIVE: 0, arch.TASK_HIGH: 0}
        for a in sorted(config):
            value = config[a]
            if core and a in _OWN:
                if arch.TASK_TABLE <= a < arch.TASK_TABLE + 2 * arch.TASKS:
                    tables[a - arch.TASK_TABLE] = value
                elif arch.INPUT_CONTROL <= a < arch.INPUT_CONTROL + arch.QUEUES:
                    tables[a - arch.INPUT_CONTROL + 2 * arch.TASKS] = value
                else:
                    masks[a & ~3] |= value << 16 * (a & 3)
            elif a >= arch.CACHE_START:
                extension = self.inside(self.extensions, y.EXTENSION)[y_, x]
                field(extension, y.X_CACHE + 2 * (a - arch.CACHE_START), "<u2")[...] = value
            elif not step.load_register(c.address, p, x + 1, y_ + 1, a, value):
                raise fault_of(self, c)
        for base, at in ((arch.TASK_BLOCKED, y.R_BLOCKED), (arch.TASK_ACTIVE, y.R_ACTIVE), (arch.TASK_HIGH, y.R_HIGH)):
            field(record, at, "<u8")[...] = masks[base]
        coded = sum(1 << t for t in arch.LOCAL_TASKS if tables[t])
        field(record, y.R_CODED, "<u4")[...] = coded

    def _spread(
        self, image: Image, group: Group, record: NDArray[np.uint8], memory: NDArray[np.uint16], patches: list[Data],
        first: tuple[int, int], config: dict[int, int],
    ) -> None:  # fmt: skip
        """Gives all tiles of a group the record and the memory of the first one."""
        total = sum(r.tiles for r in group.rects)
        size = 2 * len(memory)
        size += -size % 64
        if size % 128 == 0:
            size += 64  # an odd number of cache lines
        arena = self.arena.take(total * size)
        base = address(arena)
        tiles = self.inside(self.records, y.RECORD)
        exists = self.grid(self.exists)[1:-1, 1:-1]
        wakes = self.inside(self.dues, 16)
        core = bool(record[y.R_FLAGS] & y.RF_CORE)
        extension = self._touched(first, config)
        at = 0
        for rect in regular(group.rects):
            rows = rect.slices()
            tiles[rows] = record
            exists[rows] = 1
            where = base + size * (at + np.arange(rect.tiles, dtype=np.int64).reshape(rect.h, rect.w))
            field(tiles[rows], y.R_MEMORY, "<i8")[...] = where
            part = arena[at * size : (at + rect.tiles) * size].reshape(rect.h, rect.w, size)
            words = field(part, 0, "<u2", max(len(memory), 2))
            if len(memory):
                words[..., : len(memory)] = memory
            for patch in patches:
                if rect.meet(patch.rect) is not None:
                    end = min(patch.addr + patch.n, arch.MAIN_WORDS)
                    words[..., patch.addr : end] = image.read(patch.addr, end - patch.addr, rect)
            self.areas.append(Area(rect, words[..., : len(memory)], config))
            if extension:
                others = self.inside(self.extensions, y.EXTENSION)[rows]
                for offset, data in extension:
                    others[..., offset : offset + len(data)] = data
            due = field(wakes[rows], 8 if core else 0, "<i8")
            due[...] |= 1 if core else 0
            at += rect.tiles
        if core:
            self.cores += total

    def _touched(self, first: tuple[int, int], config: dict[int, int]) -> list[tuple[int, NDArray[np.uint8]]]:
        """The parts of the first tile's extension that loading has written: (offset, bytes)."""
        x, y_ = first
        source = self.inside(self.extensions, y.EXTENSION)[y_, x]
        out = []
        if any(arch.FILTERS <= a < arch.FILTERS + arch.FILTER_COUNT * arch.FILTER_WORDS for a in config):
            end = y.X_FILTER_OF + 2 * arch.COLORS
            out.append((y.X_FILTERS, source[y.X_FILTERS : end].copy()))
        for a in config:
            if arch.CONFIG_START <= a < arch.CACHE_START:
                at = y.X_PLAIN + 2 * (a - arch.CONFIG_START)
            elif a >= arch.CACHE_START:
                at = y.X_CACHE + 2 * (a - arch.CACHE_START)
            else:
                continue
            if source[at : at + 2].any():
                out.append((at, source[at : at + 2].copy()))
        return out

    def main_words(self, x: int, y_: int) -> NDArray[np.uint16]:
        """A copy of a tile's main memory."""
        record = self.inside(self.records, y.RECORD)[y_, x]
        length = int(field(record, y.R_LENGTH, "<u4"))
        extension = self.inside(self.extensions, y.EXTENSION)[y_, x]
        out = np.array(field(extension, y.X_MEMORY, "<u2", arch.MAIN_WORDS))
        if length:
            out[:length] = np.frombuffer(bytes_at(int(field(record, y.R_MEMORY, "<i8")), 2 * length), "<u2")
        return out

    def active(self) -> int:
        """Tiles whose core is due in some cycle."""
        return int(np.count_nonzero(field(self.inside(self.dues, 16), 8, "<i8")))

    def existing(self) -> int:
        """How many tiles exist in the reference's sense."""
        return int(np.count_nonzero(self.grid(self.exists)[1:-1, 1:-1]))

    def exists_at(self, x: int, y_: int) -> bool:
        """There is such a tile, and it exists in the reference's sense."""
        inside = 0 <= x < self.width and 0 <= y_ < self.height
        return inside and bool(self.grid(self.exists)[y_ + 1, x + 1])

    def last_execute(self) -> int:
        """The last cycle in which an instruction executes, so far; -1 for none."""
        return int(field(self.inside(self.records, y.RECORD), y.R_LAST_EXECUTE, "<u4").max(initial=0)) - 1

    # --- running -------------------------------------------------------------------------------------------------

    @property
    def now(self) -> int:
        return self.contexts[0][y.C_NOW]

    @property
    def last_moved(self) -> int:
        return max(c[y.C_MOVED] for c in self.contexts) - 1

    def watch(self, watchers: Sequence[Watcher]) -> Watching:
        """From now on watchers are told what happens."""
        from fabric.engine.watching import Watching

        self.watching = Watching(self, watchers)
        return self.watching

    def run(self, until: int) -> bool:
        """Runs the cycles before `until`. True when nothing is due any more, False when the cycles are used up or
        `stopping` is set. Raises FabricFault and CoreFault."""
        if self.watching is None:
            return self._run(until, step.run_band) == step.QUIET
        while True:
            entry, end = self.watching.stretch(self.now, until)
            if self._run(end, entry) == step.QUIET:
                return True
            if self.now >= until or self.stopping:
                return False

    def _run(self, until: int, entry: Callable[[int], int]) -> int:
        """Lets an entry run; what ended it: QUIET, UNTIL, or PAUSED where `stopping` is set."""
        if entry is not step.run_band and COMPILED:
            prepare(entry)
        while True:
            for c in self.contexts:
                c[y.C_UNTIL], c[y.C_WORK], c[y.C_BUDGET] = until, 0, BUDGET
            end = self._run_bands(entry)
            fault = None
            if end == step.FAULTED:
                fault = min((c for c in self.contexts if c[y.C_FAULT_KEY]), key=lambda c: c[y.C_FAULT_KEY])
            if self.watching is not None:
                self.watching.drain(fault)
            if fault is not None:
                raise fault_of(self, fault)
            if end != step.PAUSED or self.stopping:
                return end

    def _run_bands(self, entry: Callable[[int], int]) -> int:
        if len(self.contexts) == 1:
            return int(entry(self.contexts[0].address))
        ends: list[int] = []
        bands = [
            threading.Thread(target=lambda c=c: ends.append(int(entry(c.address)))) for c in self.contexts[1:]
        ]
        for band in bands:
            band.start()
        end = int(entry(self.contexts[0].address))
        for band in bands:
            band.join()
        return end


_OWN = frozenset(OWN_REGISTERS)


def regular(rects: Sequence[Rect]) -> Sequence[Rect]:
    """The same tiles as one grid where they are one (every second tile of a region comes as single tiles)."""
    if len(rects) < 2:
        return rects
    corners = np.array([(r.x, r.y, r.w, r.h, r.dx, r.dy) for r in rects])
    if (corners[:, 2:4] != 1).any():
        return rects
    xs, ys = np.unique(corners[:, 0]), np.unique(corners[:, 1])
    if len(xs) * len(ys) != len(rects):
        return rects
    steps = [np.unique(np.diff(places)) if len(places) > 1 else np.array([1]) for places in (xs, ys)]
    if any(len(step_) != 1 for step_ in steps):
        return rects
    dx, dy = (int(step_[0]) for step_ in steps)
    return [Rect(int(xs[0]), int(ys[0]), len(xs), len(ys), dx, dy)]


def _beyond(start: int, words: NDArray[np.uint16]) -> dict[int, int]:
    """The words from an address on that are not main memory: registers and cache."""
    skip = max(arch.CONFIG_START - start, 0)
    return {a: int(w) for a, w in enumerate(words[skip:], start + skip)}


__all__ = ["Machine", "unsupported"]
