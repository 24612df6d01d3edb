"""The grid of tiles and its cycle."""

from __future__ import annotations

import heapq
from array import array
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from fabric.arch import (
    CACHE_START,
    COLUMN_ID,
    CONFIG_START,
    MAIN_WORDS,
    MAX_HEIGHT,
    MAX_WIDTH,
    ROW_ID,
    STEP,
)
from fabric.image import Fill, Ids, Image, Segment, unpack
from fabric.reference.router import Departure, Landing
from fabric.reference.tile import Core, Observer, Tile
from fabric.reference.wavelet import Wavelet
from fabric.timing import DEFAULT, Timing

if TYPE_CHECKING:
    from fabric.reference.vectors import VectorOp


def _index(tile: Tile) -> int:
    return tile.index


class Agenda:
    """Which tiles are due in which cycle. Tiles that are due in no cycle cost nothing."""

    def __init__(self) -> None:
        self._due: dict[int, dict[Tile, None]] = {}
        self._cycles: list[int] = []  # a heap of the keys of `_due`
        self.floor = 0  # the earliest cycle that has not begun

    def add(self, cycle: int, tile: Tile) -> None:
        """The tile is due in a cycle, or in the earliest one that has not begun."""
        if cycle < self.floor:
            cycle = self.floor
        tiles = self._due.get(cycle)
        if tiles is None:
            self._due[cycle] = {tile: None}
            heapq.heappush(self._cycles, cycle)
        else:
            tiles[tile] = None

    def next_cycle(self) -> int | None:
        """The first cycle in which a tile is due."""
        return self._cycles[0] if self._cycles else None

    def take(self, cycle: int) -> list[Tile]:
        """The tiles that are due in a cycle, which begins now, by index: logs have one order."""
        self.floor = cycle + 1
        if not self._cycles or self._cycles[0] != cycle:
            return []
        heapq.heappop(self._cycles)
        return sorted(self._due.pop(cycle), key=_index)

    def clear(self, floor: int) -> None:
        """Nothing is due; `floor` is the earliest cycle that has not begun."""
        self._due.clear()
        self._cycles.clear()
        self.floor = floor

    def content(self) -> list[tuple[int, int]]:
        """(cycle, tile index) of all that is due, in order."""
        return sorted((cycle, tile.index) for cycle, tiles in self._due.items() for tile in tiles)


class Lost(NamedTuple):
    """Wavelets that left the layout by a port of a tile: how many, the cycle of the first, and the first one."""

    wavelets: int
    cycle: int
    first: Wavelet


CoreFactory = Callable[[Tile], Core | None]


class Fabric:
    """A fabric of `width` x `height` tiles. Tiles come into being when an image or a wavelet reaches them.

    `run` goes from one cycle in which something is due to the next; when nothing is due any more, nothing will
    ever happen again. `now` is the cycle that runs, or the next one between calls. `last_moved` is the last cycle
    in which a wavelet landed or left (-1: none so far).
    """

    def __init__(
        self, width: int, height: int, timing: Timing = DEFAULT, observer: Observer | None = None
    ) -> None:
        if not (1 <= width <= MAX_WIDTH and 1 <= height <= MAX_HEIGHT):
            raise ValueError(f"a fabric of {width} x {height} tiles")
        self.width = width
        self.height = height
        self.timing = timing
        self.observer = observer
        self.now = 0
        self.tiles: dict[tuple[int, int], Tile] = {}
        self.routers_due = Agenda()
        self.cores_due = Agenda()
        self.lost: dict[tuple[int, int, int], Lost] = {}  # (tile index, color, port)
        self.last_moved = -1
        self.stopping = False  # set by a signal handler: `run` ends before the next cycle, between whole cycles

    @staticmethod
    def load(
        image: Image,
        core: CoreFactory,
        timing: Timing = DEFAULT,
        observer: Observer | None = None,
    ) -> Fabric:
        """A fabric with the words of a linked image; `core` makes a tile's core, or None for a tile without code.
        Raises FabricFault FB404-FB407 for register words that the machine does not take."""
        fabric = Fabric(image.width, image.height, timing, observer)
        for group in image.groups():
            if all(isinstance(segment, Ids) for segment in group.segments):
                continue  # a tile without words of its own knows its place when something reaches it
            for rect in group.rects:
                for x, y in rect.points():
                    load_tile(fabric.tile(x, y), group.segments)
        for tile in list(fabric.tiles.values()):
            fabric.start_core(tile, core(tile))
        return fabric

    def start_core(self, tile: Tile, core: Core | None) -> None:
        """Gives a tile its core, which is stepped in the current cycle."""
        tile.core = core
        tile.wake_core(self.now)

    def tile(self, x: int, y: int) -> Tile:
        """The tile at a place; IndexError outside the fabric."""
        found = self.tiles.get((x, y))
        if found is None:
            if not (0 <= x < self.width and 0 <= y < self.height):
                raise IndexError(f"no tile {x}, {y}")
            found = self.tiles[x, y] = Tile(self, x, y)
            found.registers.write(COLUMN_ID, x, loading=True)
            found.registers.write(ROW_ID, y, loading=True)
        return found

    def beyond(self, tile: Tile, port: int) -> Tile | None:
        """The tile beyond a port of a tile, or None beyond the edge."""
        x, y = tile.x + STEP[port][0], tile.y + STEP[port][1]
        return self.tile(x, y) if 0 <= x < self.width and 0 <= y < self.height else None

    def left_layout(self, tile: Tile, color: int, port: int, wavelet: Wavelet, now: int) -> None:
        """A wavelet left the layout; it is counted and gone."""
        key = (tile.index, color, port)
        before = self.lost.get(key)
        self.lost[key] = (
            Lost(1, now, wavelet) if before is None else before._replace(wavelets=before.wavelets + 1)
        )

    # --- running -----------------------------------------------------------------------------------------------

    def active(self) -> int:
        """Tiles whose core is due in some cycle."""
        return len({index for _, index in self.cores_due.content()})

    def cores(self) -> int:
        """Tiles with a core."""
        return sum(1 for tile in self.tiles.values() if tile.core is not None)

    def unseen(self, seen: Mapping[tuple[int, int], str]) -> dict[str, int]:
        """How many cores that `tiles` leaves out are in which state, as far as those that are there, `seen`, tell; and
        how many tiles there hold wavelets ("holding"). The reference leaves out none."""
        return {}

    def switching(self) -> Iterator[Tile]:
        """The tiles where a color has a position to switch to."""
        for tile in self.tiles.values():
            if any(channel.has_positions() for channel in tile.router.channels):
                yield tile

    def live(self) -> Iterator[tuple[Tile, VectorOp]]:
        """The vector instructions under way, of each tile the main thread's first, with what watchers noted of them."""
        from fabric.reference.core import Core

        for tile in self.tiles.values():
            core = tile.core
            if isinstance(core, Core):
                for op in [*([core.vector] if core.vector is not None else []), *core.live]:
                    yield tile, op

    def last_execute(self) -> int:
        """The last cycle in which an instruction executes, so far; -1 for none."""
        executed = (int(getattr(tile.core, "last_execute", -1)) for tile in self.tiles.values())
        return max(executed, default=-1)

    def next_cycle(self) -> int | None:
        """The next cycle in which something can happen; None: nothing ever will."""
        due = [c for c in (self.routers_due.next_cycle(), self.cores_due.next_cycle()) if c is not None]
        return min(due, default=None)

    def run(self, until: int) -> bool:
        """Runs the cycles before `until`. True when nothing is due any more (`now` is then the cycle after the
        last one in which something was), False when the cycles are used up or `stopping` is set. Raises
        FabricFault."""
        while True:
            due = self.next_cycle()
            if due is None:
                return True
            if self.stopping:
                return False
            if due >= until:
                self.now = max(self.now, until)
                return False
            self.now = due
            self.cycle()

    def cycle(self) -> None:
        """Runs the cycle `now`, in three phases, and goes on to the next one. Raises FabricFault."""
        now = self.now
        routers = self.routers_due.take(now)
        cores = self.cores_due.take(now)

        departures: list[tuple[Tile, list[Departure]]] = []
        links = []
        for tile in routers:
            if tile.router.busy:
                leaving = tile.router.decide(now)
                if leaving:
                    departures.append((tile, leaving))
            if tile.router.loaded:
                choice = tile.router.decide_link(now)
                if choice is not None:
                    links.append((tile, choice))

        for tile in cores:
            assert tile.core is not None
            wanted = tile.core.step(now)
            if wanted is not None:
                self.cores_due.add(wanted, tile)

        landings: list[Landing] = []
        for tile, leaving in departures:
            for departure in leaving:
                tile.router.apply(departure, now, landings)
        for tile, choice in links:
            tile.router.apply_link(choice, now, landings)
        self.now = now + 1
        for channel, wavelet, side in landings:
            if self.observer is not None:
                self.observer.landing(now + 1, channel.tile, channel.color, side, wavelet)
            channel.land(wavelet, side, now + 1)
        if landings:
            self.last_moved = now + 1
        elif departures:
            self.last_moved = now


def load_tile(tile: Tile, segments: Sequence[Segment]) -> None:
    """Writes the words that an image's segments give to a tile; the later segment wins. Registers are written in
    order of their addresses: routes before the words that set positions, which a route resets."""
    registers: dict[int, int] = {}
    for segment in segments:
        words = segment.words if isinstance(segment, Fill) else unpack(segment.tile(tile.x, tile.y))
        end = segment.addr + segment.n
        if end <= MAIN_WORDS:
            tile.memory[segment.addr : end] = array("H", words)
            continue
        for address, word in zip(range(segment.addr, end), words, strict=True):
            if CONFIG_START <= address < CACHE_START:
                registers[address] = word
            else:
                tile.write_word(address, word)
    for address in sorted(registers):
        tile.registers.write(address, registers[address], loading=True)
