"""Running an image from Python; simfabric is thin over it.

    result = fabric.run(image, cycles=10_000)          an Image, or the path of an image or ELF
    result.status                                      "done", "blocked", "cycles"
    result.cycles                                      cycles up to the last activity
    result.get("grid.eta")                             numpy array [y, x, dims …]
    result.get("grid.eta", order="x y n _word")        16-bit words in that order of axes
    print(result.why_blocked())                        the explanation as text

Values are set before the run:

    sim = fabric.Simulation(image, map="bench.map")
    sim.set("grid.eta", array)
    result = sim.run(cycles=10_000)

Names come from the map: `map=` (a path, the text, or entries of fabric.map), else the image's own, in meta["map"].
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from diag.report import Diagnostic, UserError, fail, make
from diag.spans import Source, Span, nowhere
from fabric.arch import PORTS, TASK_TABLE, TASKS
from fabric.chain import SIDES, Namer
from fabric.corefile import CHECKPOINT, core_image, restore
from fabric.explain import Explanation, explain, text, to_json
from fabric.image import Image
from fabric.outcome import BLOCKED, CYCLES, FAULT, INTERRUPTED, Outcome, judge, last_activity
from fabric.places import Places
from fabric.reference.core import Core
from fabric.reference.core_fault import CoreFault
from fabric.reference.fabric import Fabric
from fabric.reference.fault import FabricFault
from fabric.reference.messages import describe
from fabric.reference.storage import Cache
from fabric.reference.tile import Observer, Tile
from fabric.timing import DEFAULT, Timing
from fabric.watch import observer_of, probe_of

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from fabric.map import Entry
    from fabric.reference.probe import Probe
    from fabric.symbols import Symbol
    from fabric.watch import Watcher

    ProbeOf = Callable[[Tile], Probe | None]

FAULT_CONTROL = 1  # the number of the fault instruction that Carbide ends a dispatch's control handlers with
SLICE = 0.05  # seconds between two calls of a run's `tick`


def load(source: Image | str | Path) -> tuple[Image, str]:
    """An image and its path for messages; files may be images or ELFs. Raises UserError."""
    if isinstance(source, Image):
        return source, "image"
    path = str(source)
    from diag.files import read_bytes

    data = read_bytes(path)
    if data[:4] == b"\x7fELF":
        from fabric.elf import from_elf

        return from_elf(data, path), path
    return Image.from_bytes(data, path), path


def _silent(text: str) -> None:
    """Says nothing."""


class Simulation:
    """One run of an image. `watchers` (fabric.watch) see what happens, on either simulator. `observer` sees the fabric
    itself, `probe(tile)` gives what sees a tile's core itself: with them the run is the reference simulator's.
    `engine`: auto, fast or python; `told` gets what was chosen, as text."""

    def __init__(
        self,
        image: Image | str | Path,
        *,
        map: str | Path | Iterable[Entry] | None = None,  # noqa: A002 - the tools' word
        timing: Timing = DEFAULT,
        observer: Observer | None = None,
        probe: ProbeOf | None = None,
        watchers: Sequence[Watcher] = (),
        engine: str = "auto",
        threads: int = 1,
        told: Callable[[str], None] = _silent,
    ) -> None:
        self.image, self.path = load(image)
        if not self.image.linked:
            raise fail("FB501", nowhere(self.path), path=self.path)
        self.places = Places(self.image)
        self._map = map
        self._entries: list[Entry] | None = None
        self._timing = timing
        self._observer = observer
        self._probe = probe
        self._watchers = tuple(watchers)
        self._engine = engine
        self._threads = threads
        self._told = told
        self.fabric: Fabric | None = None
        self._restore_from: tuple[Image, str] | None = None

    def watch(self, *watchers: Watcher) -> None:
        """Further watchers, before the start."""
        self._watchers += watchers

    # --- values by name ------------------------------------------------------------------------------------------

    def entries(self) -> list[Entry]:
        """The lines of the map. Raises UserError (FB522 without one)."""
        if self._entries is None:
            self._entries = _entries(self._map, self.image)
        return self._entries

    def symbol(self, name: str) -> Symbol:
        """The symbol of a name. Raises UserError: FB522 without a map, FB301, FB302, and FB231 when the map that was
        given is not the image's."""
        from fabric import symbols

        found = symbols.find(self.entries(), name, "map")
        if self._map is not None:
            symbols.check_belongs(self.image, self.path, self.entries(), found, "map")
        return found

    def set(self, name: str, values: Any, order: str | None = None) -> None:
        """Sets a symbol before the run: typed values [y, x, dims …] (or what broadcasts to that); with `order`,
        16-bit words in that order of axes. Raises UserError for an unknown name or a wrong size."""
        from fabric import symbols

        if self.fabric is None:
            self.image = self.image.copy()
        symbol = self.symbol(name)
        if order is None:
            symbols.set_values(self.image, symbol, values)
        else:
            import numpy as np

            raw = np.ascontiguousarray(values, dtype="<u2").tobytes()
            symbols.set_raw(self.image, symbol, symbols.parse_order(order, symbol), raw, name)

    def resume(self, core: Image | str | Path) -> None:
        """Goes on from the core of a stopped run (restart=). Raises UserError (FB509)."""
        image, path = load(core)
        if CHECKPOINT not in image.extra:
            raise fail("FB509", nowhere(path), path=path, why="its run had ended, or it is no core")
        if (image.width, image.height) != (self.image.width, self.image.height):
            raise fail("FB509", nowhere(path), path=path, why="its fabric has another size than the program's")
        self._restore_from = image, path

    # --- running -------------------------------------------------------------------------------------------------

    def start(self) -> Fabric:
        """Loads the fabric; later changes of the image have no effect. Raises UserError."""
        cache: Cache = {}
        watchers = [w for w in self._watchers if w.wants]

        def core(tile: Tile) -> Core | None:
            if not _has_code(tile):
                return None
            own = self._probe(tile) if self._probe is not None else None
            return Core(tile, cache, probe_of(watchers, tile, own))

        image = self.image if self._restore_from is None else self._restore_from[0]

        def reference() -> Fabric:
            fabric = Fabric.load(image, core, self._timing, observer_of(watchers, self._observer))
            if self._restore_from is not None:
                restore(fabric, *self._restore_from)
            return fabric

        resume = None if self._restore_from is None else partial(restore, image=image, path=self._restore_from[1])
        if self._observer is None and self._probe is None:
            from fabric.engine.fast import choose

            self.fabric = choose(
                reference, image, self._timing, self._engine, self._threads, self._told, watchers, resume
            )
        else:
            self._told("the reference simulator: an observer or a probe sees its own tiles and cores")
            self.fabric = reference()
        return self.fabric

    def run(self, cycles: int, tick: Callable[[Fabric], bool] | None = None) -> Result:
        """Runs up to cycle `cycles`, counted from the start of the program, and says how it ended. `tick` is called
        some twenty times a second between two cycles; the run stops when it returns True. Raises UserError: FB502,
        FB523, and `RunFault` for what a program did wrong (FB4xx, FB5xx)."""
        if cycles < 1:
            raise fail("FB502", None, cycles=cycles)
        fabric = self.fabric or self.start()
        if self._restore_from is not None and fabric.now >= cycles:
            raise fail("FB523", nowhere(self._restore_from[1]), path=self._restore_from[1], now=fabric.now)
        quiet = stopped = False
        try:
            if tick is None:
                quiet = fabric.run(cycles)
            else:
                quiet, stopped = self._run_in_slices(fabric, cycles, tick)
        except CoreFault as fault:
            raise RunFault(self, [self._diagnostic(fault)], fault.cycle) from None
        except FabricFault as fault:
            raise RunFault(self, [self._of_fabric(fault)], fault.cycle) from None
        count = last_activity(fabric) + 1 if quiet else fabric.now
        if count > cycles:  # the last instruction has issued, and executes after the limit
            quiet, count = False, cycles
        outcome = judge(fabric, quiet, count)
        if stopped and not quiet:
            outcome.status = INTERRUPTED
        return Result(self, outcome)

    @staticmethod
    def _run_in_slices(fabric: Fabric, cycles: int, tick: Callable[[Fabric], bool]) -> tuple[bool, bool]:
        """(quiet, stopped)."""
        chunk = 64
        while fabric.now < cycles:
            start = time.perf_counter()
            if fabric.run(min(cycles, fabric.now + chunk)):
                tick(fabric)
                return True, False
            taken = time.perf_counter() - start
            chunk = chunk * 2 if taken < SLICE / 2 else max(chunk // 2, 1) if taken > SLICE else chunk
            if tick(fabric):
                return False, True
        return False, False

    def _diagnostic(self, fault: CoreFault) -> Diagnostic:
        args = dict(fault.args_of_code)
        x, y = fault.x, fault.y
        code = fault.code
        span = None if fault.pc is None else self.span(x, y, fault.pc)
        if code == "FB510" and args["number"] == FAULT_CONTROL:
            assert self.fabric is not None
            core = self.fabric.tiles[x, y].core
            if isinstance(core, Core) and core.trigger is not None:  # register 1 has its index, or six bits of it
                code, by = "FB511", core.trigger
                sent_y, sent_x = divmod(by.tile, self.fabric.width)
                args = {"task": core.regs[1] & 63, "color_name": self.places.color(x, y, by.color)}
                args |= {"sender_x": sent_x, "sender_y": sent_y, "sender": self.places.label(sent_x, sent_y, by.pc)}
        if fault.code == "FB503":  # no instruction of this tile is at fault: the sender's is shown
            color = int(str(args["color"]))
            args["color_name"] = self.places.color(x, y, color)
            at = (int(str(args["sender_x"])), int(str(args["sender_y"])), int(str(args["sender_pc"])))
            args["sender"] = self.places.label(*at)
            span = self.span(*at)
        notes = [(s, what) for pc, what in fault.others if (s := self.span(x, y, pc)) is not None]
        hint = None
        if fault.pc is not None and span is None:
            hint = f"at address 0x{fault.pc:04x}; the image has no line for it"
        return make(code, span, notes=notes, hint=hint, cycle=fault.cycle, x=x, y=y, **args)

    def _of_fabric(self, fault: FabricFault) -> Diagnostic:
        """The message of a router's fault, at the statement that sent the wavelet or wrote the register."""
        assert self.fabric is not None
        args, hint = dict(fault.args_of_code), None
        if fault.born is not None:
            y, x = divmod(fault.born.tile, self.fabric.width)
            span = self.span(x, y, fault.born.pc)
            args["color"] = self.places.color(fault.x, fault.y, fault.color or 0)
            hint = f"P{x}.{y} sent the wavelet in cycle {fault.born.cycle}"
        else:
            span = None if fault.pc is None else self.span(fault.x, fault.y, fault.pc)
        return make(fault.code, span, hint=hint, **args)

    def span(self, x: int, y: int, pc: int) -> Span | None:
        """The source place of an instruction; the text is there when the file can still be read."""
        place = self.places.at(x, y, pc)
        if place is None:
            return None
        try:
            source = Source.load(place.file)
        except (OSError, UnicodeDecodeError):
            source = Source(place.file, "\n" * (place.line - 1) + " " * place.col)
        lines = source.text.split("\n")
        if place.line > len(lines):
            return nowhere(place.file)
        start = sum(len(line) + 1 for line in lines[: place.line - 1]) + place.col - 1
        return source.span(start, start + 1)

    def core(self, cycles: int, status: str, checkpoint: bool = False) -> Image:
        """The state of all tiles now, as an image."""
        assert self.fabric is not None
        return core_image(self.fabric, self.image, cycles, status, checkpoint)


class RunFault(UserError):
    """The program did what the machine does not do. The simulation is as it was then."""

    def __init__(self, simulation: Simulation, diagnostics: Sequence[Diagnostic], cycle: int) -> None:
        super().__init__(diagnostics)
        self.simulation = simulation
        self.cycle = cycle
        self.status = FAULT


class Result:
    """The end of a run."""

    def __init__(self, simulation: Simulation, outcome: Outcome) -> None:
        self.simulation = simulation
        self.outcome = outcome
        self._image: Image | None = None
        self._explanation: Explanation | None = None

    @property
    def status(self) -> str:
        """"done", "blocked", "cycles" (out of cycles), or "interrupted"."""
        return self.outcome.status

    @property
    def cycles(self) -> int:
        """Cycles up to the last activity, or the limit."""
        return self.outcome.cycles

    @property
    def image(self) -> Image:
        """The core: the final state as an image."""
        if self._image is None:
            self._image = self.simulation.core(self.cycles, self.status, self.status in (CYCLES, INTERRUPTED))
        return self._image

    @property
    def explanation(self) -> Explanation:
        if self._explanation is None:
            assert self.simulation.fabric is not None
            self._explanation = explain(self.simulation.fabric, self.outcome, self.simulation.places)
        return self._explanation

    def get(self, name: str, order: str | None = None) -> NDArray[Any]:
        """The final values of a symbol: typed, with axes [y, x, dims …]; with `order`, 16-bit words with those axes
        (outermost first, as miget's order=). Raises UserError for an unknown name."""
        from fabric import symbols

        symbol = self.simulation.symbol(name)
        if order is None:
            return symbols.get_values(self.image, symbol)
        words: NDArray[np.uint16] = symbols.get_words(self.image, symbol, symbols.parse_order(order, symbol))
        return words

    def why_blocked(self) -> str:
        """The explanation as text: the outcome, and of a blocked run its causes hop by hop."""
        return "\n".join(text(self.explanation))

    def json(self) -> dict[str, Any]:
        """The same as plain data."""
        assert self.simulation.fabric is not None
        return to_json(self.explanation, self.simulation.fabric)

    @property
    def warnings(self) -> list[Diagnostic]:
        """What a run that ended may have done wrong: wavelets that left the layout (FB408), at the statement that
        sent the first of them."""
        fabric = self.simulation.fabric
        assert fabric is not None
        places = self.simulation.places
        found = []
        for (index, color, port), lost in sorted(fabric.lost.items()):
            y, x = divmod(index, fabric.width)
            born = lost.first.born
            from_y, from_x = divmod(born.tile, fabric.width)
            span = self.simulation.span(from_x, from_y, born.pc)
            tile = fabric.tiles[x, y]
            of, side = Namer(places, 0).color(tile, color), SIDES[PORTS[port]]
            hint = None
            if tile.router.channels[color].bank is not None:
                hint = f"the first is the header of a message {describe(lost.first.data)}"
            found.append(
                make("FB408", span, hint=hint, color=of, x=x, y=y, side=side, count=lost.wavelets, cycle=lost.cycle)
            )
        return found

    @property
    def blocked(self) -> bool:
        return self.status == BLOCKED


def run(
    image: Image | str | Path,
    cycles: int,
    *,
    map: str | Path | Iterable[Entry] | None = None,  # noqa: A002
    timing: Timing = DEFAULT,
    set: dict[str, Any] | None = None,  # noqa: A002
) -> Result:
    """Runs an image for at most `cycles` cycles; `set` gives values of symbols before. Raises UserError."""
    simulation = Simulation(image, map=map, timing=timing)
    for name, values in (set or {}).items():
        simulation.set(name, values)
    return simulation.run(cycles)


def _has_code(tile: Tile) -> bool:
    """The image gives the tile a task."""
    plain = tile.registers.plain
    return any(plain.get(address) for address in range(TASK_TABLE, TASK_TABLE + 2 * TASKS))


def _entries(map: str | Path | Iterable[Entry] | None, image: Image) -> list[Entry]:  # noqa: A002
    from fabric.map import parse_map, read_map

    if map is None:
        map = image.meta.get("map")  # noqa: A001
        if not map:
            raise fail("FB522")
        return parse_map(Source("map", str(map)))
    if isinstance(map, Path) or (isinstance(map, str) and "\n" not in map and "[" not in map):
        return read_map(str(map))
    if isinstance(map, str):
        return parse_map(Source("map", map))
    return list(map)


__all__ = ["Result", "RunFault", "Simulation", "load", "run"]
