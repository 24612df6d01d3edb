"""Configuration registers, read and written at run time (hardware.md 10 and 16, docs/registers.md)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.arch import (
    ADDER_COLOR,
    CACHE_START,
    COLORS,
    COLUMN_ID,
    CONFIG_START,
    CYCLE_COUNTER,
    FILTER_COUNT,
    FILTER_WORDS,
    FILTERS,
    INPUT_QUEUE,
    NO_COLOR,
    OURS_FP16_SHIFT,
    OUTPUT_QUEUE,
    QUEUES,
    ROUTE,
    ROUTE_NONE,
    ROUTE_TEARDOWN,
    ROW_ID,
    SWITCH,
    SWITCH_OURS,
    SWITCH_RESET,
    SWITCH_WORDS,
    TEARDOWN_CLEAR,
    TEARDOWN_PENDING,
    TIMER_CONTROL,
    TIMER_COUNT,
)
from fabric.reference.adder import FORMATS
from fabric.reference.fault import FabricFault

if TYPE_CHECKING:
    from fabric.reference.queues import InputQueue
    from fabric.reference.tile import Tile

COUNTER_MASK = (1 << 48) - 1


class Registers:
    """The configuration range of one tile.

    What the router, the queues, the filters and the clock own is dispatched here; the core is asked for the rest
    (task table, masks); a word that nobody owns keeps what was written, in `plain`.
    """

    def __init__(self, tile: Tile) -> None:
        self.tile = tile
        self.plain: dict[int, int] = {}
        self.row_id = 0
        self.column_id = 0
        self.pending = 0  # colors that entered teardown and whose bit nobody has cleared
        self.timer_control = 0
        self._count = 0  # the cycle counter when it was last set or switched
        self._count_from = 0  # the cycle of that
        self._queue_of: dict[int, InputQueue] = {}
        self.output_words = [NO_COLOR << 4] * QUEUES
        self.input_words = [NO_COLOR] * QUEUES

    # --- reading ---------------------------------------------------------------------------------------------

    def read(self, address: int) -> int:
        """The word at an address of the configuration range."""
        router = self.tile.router
        if ROUTE <= address < ROUTE + COLORS:
            return router.channels[address - ROUTE].route
        if SWITCH <= address < SWITCH + SWITCH_WORDS * COLORS:
            color, word = divmod(address - SWITCH, SWITCH_WORDS)
            return router.channels[color].read_switch(word)
        if INPUT_QUEUE <= address < INPUT_QUEUE + 2 * QUEUES:
            number, odd = divmod(address - INPUT_QUEUE, 2)
            return self.tile.input_queues[number].mode if odd else self.input_words[number]
        if OUTPUT_QUEUE <= address < OUTPUT_QUEUE + QUEUES:
            return self.output_words[address - OUTPUT_QUEUE]
        if address == COLUMN_ID:
            return self.column_id
        if address == ROW_ID:
            return self.row_id
        if CYCLE_COUNTER <= address < CYCLE_COUNTER + 3:
            return self.cycle_count() >> 16 * (address - CYCLE_COUNTER) & 0xFFFF
        if address == TIMER_CONTROL:
            return self.timer_control
        if TEARDOWN_PENDING <= address < TEARDOWN_PENDING + 2:
            return self.pending >> 16 * (address - TEARDOWN_PENDING) & 0xFFFF
        if TEARDOWN_CLEAR <= address < TEARDOWN_CLEAR + 2:
            return 0
        if FILTERS <= address < FILTERS + FILTER_COUNT * FILTER_WORDS:
            return self.tile.filters.words[address - FILTERS]
        if self.tile.core is not None:
            value = self.tile.core.read_register(address)
            if value is not None:
                return value
        return self.plain.get(address, 0)

    def cycle_count(self) -> int:
        """The 48-bit cycle counter. Its words are read one by one; nothing holds them still in between."""
        if not self.timer_control & TIMER_COUNT:
            return self._count
        return self._count + self.tile.now - self._count_from & COUNTER_MASK

    def clock_state(self) -> list[int]:
        """Value and start of the cycle counter, for snapshots."""
        return [self._count, self._count_from]

    def restore_clock(self, state: list[int]) -> None:
        """Takes `clock_state` back."""
        self._count, self._count_from = state

    def queue_of(self, color: int) -> InputQueue | None:
        """The input queue that takes a color's wavelets: the lowest-numbered one that holds it (hardware.md 18)."""
        return self._queue_of.get(color)

    # --- writing ---------------------------------------------------------------------------------------------

    def write(self, address: int, value: int, loading: bool = False) -> None:
        """Writes a word. What the router decides in this cycle was decided before; the next cycle sees the word.

        `loading`: the image is being loaded, nothing runs yet. Raises FabricFault FB404-FB407.
        """
        if ROUTE <= address < ROUTE + COLORS:
            self._write_route(address - ROUTE, value, loading)
        elif SWITCH <= address < SWITCH + SWITCH_WORDS * COLORS:
            color, word = divmod(address - SWITCH, SWITCH_WORDS)
            self._write_switch(color, word, value, loading)
        elif INPUT_QUEUE <= address < INPUT_QUEUE + 2 * QUEUES:
            number, odd = divmod(address - INPUT_QUEUE, 2)
            self._write_input_queue(number, odd, value, loading)
        elif OUTPUT_QUEUE <= address < OUTPUT_QUEUE + QUEUES:
            number = address - OUTPUT_QUEUE
            self.output_words[number] = value
            self.tile.output_queues[number].color = self._queue_color(value >> 4 & 31, "output", number)
        elif address == COLUMN_ID:
            self.column_id = value
        elif address == ROW_ID:
            self.row_id = value
        elif CYCLE_COUNTER <= address < CYCLE_COUNTER + 3:
            shift = 16 * (address - CYCLE_COUNTER)
            self._set_count(self.cycle_count() & ~(0xFFFF << shift) | value << shift)
        elif address == TIMER_CONTROL:
            self._set_count(self.cycle_count())
            self.timer_control = value
        elif TEARDOWN_PENDING <= address < TEARDOWN_PENDING + 2:
            shift = 16 * (address - TEARDOWN_PENDING)
            self.pending = self.pending & ~(0xFFFF << shift) | value << shift
        elif TEARDOWN_CLEAR <= address < TEARDOWN_CLEAR + 2:
            self.pending &= ~(value << 16 * (address - TEARDOWN_CLEAR))
        elif FILTERS <= address < FILTERS + FILTER_COUNT * FILTER_WORDS:
            self.tile.filters.write(address, value)
            self.tile.wake_router(self.tile.now + 1)
        elif self.tile.core is None or not self.tile.core.write_register(address, value):
            self.plain[address] = value

    def _set_count(self, value: int) -> None:
        self._count = value & COUNTER_MASK
        self._count_from = self.tile.now

    def _fault(self, code: str, color: int, kind: str = "", number: int = 0) -> FabricFault:
        tile = self.tile
        pc = getattr(tile.core, "fault_pc", None)
        return FabricFault(code, tile.now, tile.x, tile.y, color, None, kind=kind, number=number, pc=pc)

    def _write_route(self, color: int, value: int, loading: bool) -> None:
        channel = self.tile.router.channels[color]
        was_down = channel.down
        channel.write_route(value)
        if loading:
            return
        self.tile.wake_around(self.tile.now + 1)
        observer = self.tile.fabric.observer
        if channel.down and not was_down:
            self._went_down(color, self.tile.now)
        elif was_down and not channel.down and observer is not None:
            observer.teardown(self.tile.now, self.tile, color, False)

    def enter_teardown(self, color: int, now: int) -> None:
        """A TEARDOWN command has been forwarded: the color goes down and task 29 becomes ready."""
        channel = self.tile.router.channels[color]
        if channel.down:
            return
        channel.route |= ROUTE_TEARDOWN
        channel.apply_positions()
        self._went_down(color, now)

    def _went_down(self, color: int, now: int) -> None:
        self.pending |= 1 << color
        observer = self.tile.fabric.observer
        if observer is not None:
            observer.teardown(now, self.tile, color, True)
        if self.tile.core is not None:
            self.tile.core.on_teardown(color, now + 1)
            self.tile.wake_core(now + 1)

    def _write_switch(self, color: int, word: int, value: int, loading: bool) -> None:
        channel = self.tile.router.channels[color]
        channel.write_switch(word, value)
        if word < 2 and channel.has_positions() and not channel.switches:
            raise self._fault("FB404", color)
        if word == SWITCH_OURS - SWITCH and channel.adder is not None:
            if color != ADDER_COLOR:
                raise self._fault("FB406", color)
            if value >> OURS_FP16_SHIFT & 3 not in FORMATS:
                raise self._fault("FB405", color)
        if not loading:
            self.tile.wake_around(self.tile.now + 1)

    def _write_input_queue(self, number: int, odd: int, value: int, loading: bool) -> None:
        queue = self.tile.input_queues[number]
        if odd:
            queue.mode = value
            return
        self.input_words[number] = value
        queue.color = self._queue_color(value & 31, "input", number)
        self._queue_of = {}
        for q in self.tile.input_queues:
            self._queue_of.setdefault(q.color, q)
        self._queue_of.pop(NO_COLOR, None)
        if not loading:
            self.tile.wake_router(self.tile.now + 1)

    def _queue_color(self, color: int, kind: str, number: int) -> int:
        if color >= COLORS and color != NO_COLOR:
            raise self._fault("FB407", color, kind=kind, number=number)
        return color

    def words(self) -> dict[int, int]:
        """Every word that differs from what an image without it would give: what a core file stores."""
        return {
            address: value
            for address in range(CONFIG_START, CACHE_START)
            if (value := self.read(address)) != RESET.get(address, 0)
        }


# What a register reads that nothing has set; all others read 0.
RESET: dict[int, int] = {
    **{ROUTE + c: ROUTE_NONE for c in range(COLORS)},
    **{SWITCH + SWITCH_WORDS * c + w: SWITCH_RESET[w] for c in range(COLORS) for w in range(SWITCH_WORDS)},
    **{INPUT_QUEUE + 2 * q: NO_COLOR for q in range(QUEUES)},
    **{OUTPUT_QUEUE + q: NO_COLOR << 4 for q in range(QUEUES)},
}
