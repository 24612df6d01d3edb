"""One processing element: memory, router, queues, and the contract between fabric, core and observer."""

from __future__ import annotations

from array import array
from typing import TYPE_CHECKING, Any, Protocol

from fabric.arch import CACHE_START, CONFIG_START, MAIN_WORDS, MEMORY_WORDS, QUEUES, STEP
from fabric.reference.filters import Filters
from fabric.reference.queues import InputQueue, OutputQueue
from fabric.reference.registers import Registers
from fabric.reference.router import Router
from fabric.reference.wavelet import Wavelet

if TYPE_CHECKING:
    from fabric.reference.fabric import Fabric


class Core(Protocol):
    """What the fabric asks of a core. A core may be stepped in cycles that it did not ask for, and must then do
    what it does in any other cycle of that number: run what is ready, else nothing."""

    def step(self, now: int) -> int | None:
        """Runs cycle `now`; returns the next cycle (> now) in which it wants to run, or None to sleep until a
        wavelet, space, a teardown or a register write wakes it."""

    def on_wavelet(self, queue: int, ready: int) -> None:
        """A wavelet was put into input queue `queue`; an issue can read it from cycle `ready` on. The fabric
        steps the core at `ready`."""

    def on_space(self, queue: int, now: int) -> None:
        """A place of output queue `queue` was freed; an issue can take it from cycle `now` on. The fabric steps
        the core at `now`."""

    def on_teardown(self, color: int, now: int) -> None:
        """A color entered teardown; its bit is set in the pending mask. Task 29 becomes ready in cycle `now`, in
        which the fabric steps the core."""

    def read_register(self, address: int) -> int | None:
        """A configuration word that the core owns, or None when it is not the core's."""

    def write_register(self, address: int, value: int) -> bool:
        """Writes a configuration word that the core owns; False when it is not the core's."""

    def snapshot(self) -> Any:
        """The core's state as plain data (JSON)."""

    def restore(self, state: Any) -> None:
        """Takes a snapshot back."""


class Observer(Protocol):
    """Hooks for tracing. They see what happens and change nothing. Calls come in the order of their cycles.

    Ports are numbers of fabric.arch (L R U D C); `fabric.arch.LINK_LETTER[port]` is the log's letter.
    """

    def landing(self, now: int, tile: Tile, color: int, port: int, wavelet: Wavelet) -> None:
        """A wavelet landed on a color's buffer from a port (C = from the core, link R)."""

    def wavelet(self, now: int, tile: Tile, color: int, wavelet: Wavelet, departing: int) -> None:
        """A wavelet leaves the color's buffer by a mask of ports in this cycle (0: it is discarded here)."""

    def switch_change(
        self,
        now: int,
        tile: Tile,
        color: int,
        side: str,
        old: int,
        new: int,
        why: str,
        wavelet: Wavelet | None,
    ) -> None:
        """The "input" or "output" position of a color moved; `why` is advance, reset, flip or write."""

    def teardown(self, now: int, tile: Tile, color: int, entered: bool) -> None:
        """A color entered or left teardown."""

    def to_core(self, now: int, tile: Tile, color: int, queue: int | None, wavelet: Wavelet) -> None:
        """The router handed a wavelet to an input queue in this cycle; None: a filter dropped it."""

    def sending(self, now: int, tile: Tile, queue: int, wavelet: Wavelet) -> None:
        """A wavelet leaves an output queue in this cycle; it lands on link R in the next one."""

    def backpressure(self, now: int, tile: Tile, queue: int, color: int) -> None:
        """The head of an output queue could leave, but its color does not take it; once a head."""


class Tile:
    """One tile at column `x`, row `y`; `index` = y * width + x numbers it in logs and idents."""

    def __init__(self, fabric: Fabric, x: int, y: int) -> None:
        self.fabric = fabric
        self.x = x
        self.y = y
        self.index = y * fabric.width + x
        self.name = f"P{x}.{y}"
        self.memory = array("H", bytes(2 * MAIN_WORDS))
        self.cache = array("H", bytes(2 * (MEMORY_WORDS - CACHE_START)))
        self.filters = Filters()
        self.router = Router(self)
        self.input_queues = [InputQueue(self, q) for q in range(QUEUES)]
        self.output_queues = [OutputQueue(self, q) for q in range(QUEUES)]
        self.registers = Registers(self)
        self.core: Core | None = None
        self._near: dict[int, Tile] = {}

    def __repr__(self) -> str:
        return f"Tile({self.x}, {self.y})"

    @property
    def now(self) -> int:
        """The current cycle."""
        return self.fabric.now

    def read_word(self, address: int) -> int:
        """The 16-bit word at a word address: main memory, cache, register; reserved words read 0 (S0:239-250)."""
        if address < MAIN_WORDS:
            return self.memory[address]
        if address >= CACHE_START:
            return self.cache[(address - CACHE_START) & 0xFF]
        if address < CONFIG_START:
            return 0
        return self.registers.read(address)

    def write_word(self, address: int, value: int) -> None:
        """Writes a word; a register write takes effect at once (hardware.md 16), a reserved one has none."""
        if address < MAIN_WORDS:
            self.memory[address] = value
        elif address >= CACHE_START:
            self.cache[(address - CACHE_START) & 0xFF] = value
        elif address >= CONFIG_START:
            self.registers.write(address, value)

    def wake_router(self, cycle: int) -> None:
        """The router must look at its buffers in this cycle."""
        self.fabric.routers_due.add(cycle, self)

    def wake_core(self, cycle: int) -> None:
        """The core must be stepped in this cycle."""
        if self.core is not None:
            self.fabric.cores_due.add(cycle, self)

    def neighbour(self, port: int) -> Tile | None:
        """The tile on the other side of a port, or None beyond the edge of the fabric."""
        other = self._near.get(port)
        if other is None:
            other = self.fabric.beyond(self, port)
            if other is not None:
                self._near[port] = other
        return other

    def wake_around(self, cycle: int) -> None:
        """What this router takes in changed: the four neighbours and this tile must look again."""
        self.wake_router(cycle)
        for step_x, step_y in STEP[:4]:
            other = self.fabric.tiles.get((self.x + step_x, self.y + step_y))
            if other is not None:
                other.wake_router(cycle)
