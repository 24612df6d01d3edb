"""A fabric that starts as the reference and goes on as the fast engine when there is enough to do.

It is a `fabric.reference.fabric.Fabric` to all who look at it: its tiles come into being, in the machine's present
state, when somebody asks for them after a run: at first those where something is left to do or to take (of a large
fabric no more than MANY), the others when they are looked up. `unseen` counts the cores that are not there.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from fabric.engine import support
from fabric.reference.fabric import Fabric, Lost
from fabric.reference.tile import Tile
from fabric.watch import observer_of, probe_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from fabric.engine.machine import Machine
    from fabric.image import Image
    from fabric.reference.vectors import VectorOp
    from fabric.timing import Timing
    from fabric.watch import Watcher

SMALL = 100_000  # tile-cycles that the reference does in less time than the compiled code takes to load
COLD = 2_000_000  # the same where the code has to be compiled first
SLICE = 16  # cycles between two looks at how much has been done
LARGE = 20_000  # tiles that an image has where the reference is not even loaded
NEVER = 1 << 64  # tile-cycles: the machine does not take over
MANY = 2_500  # tiles of a large fabric that come into being by themselves


class _Tiles(dict[tuple[int, int], Tile]):
    """Tiles by place; one that is looked up comes into being."""

    def __init__(self, fabric: FastFabric, machine: Machine) -> None:
        super().__init__()
        self._fabric, self._machine = fabric, machine

    def __missing__(self, key: tuple[int, int]) -> Tile:
        from fabric.engine.convert import bring

        if not self._machine.exists_at(*key):
            raise KeyError(key)
        found = self[key] = Tile(self._fabric, *key)
        bring(self._machine, found)
        return found

    def get(self, key: tuple[int, int], default: Any = None) -> Any:
        return self[key] if key in self or self._machine.exists_at(*key) else default


class FastFabric(Fabric):
    """`plain` is the fabric that the reference has loaded, None where it would be too large: then the machine runs
    from the first cycle on. `start_at`: tile-cycles after which the machine takes over. `told` is called with a line
    when that happens; `resume` takes a checkpoint into a machine just loaded."""

    def __init__(
        self, plain: Fabric | None, image: Image, timing: Timing, start_at: int, threads: int,
        told: Callable[[str], None], watchers: Sequence[Watcher] = (),
        resume: Callable[[Machine], None] | None = None,
    ) -> None:  # fmt: skip
        self._stale = False
        self._machine: Machine | None = None
        self._first: int | None = None  # the first cycle that runs
        super().__init__(image.width, image.height, timing)
        self._image = image
        self._start_at = start_at
        self._threads = threads
        self._told = told
        self._watchers = watchers
        self._resume = resume
        if plain is not None:
            self.observer = plain.observer
            self._adopt(plain)
        else:
            self._machine = self._load()
            self._stale = True
            self.now, self.last_moved = self._machine.now, self._machine.last_moved

    def _load(self) -> Machine:
        from fabric.engine.support import warm

        if not warm(bool(self._watchers)):
            self._told("compiling the fast engine, once for this version (simfabric warmup does it ahead) …")
        from fabric.engine.machine import Machine

        machine = Machine.load(self._image, self.timing, self._threads)
        if self._resume is not None:
            self._resume(machine)
        self._told(f"from cycle {max(self.now, machine.now)} on the fast engine, threads={self._threads}")
        if self._watchers:
            machine.watch(self._watchers)
        return machine

    def _adopt(self, other: Fabric) -> None:
        """Takes another fabric's tiles as its own."""
        self._tiles = other.tiles
        self.routers_due, self.cores_due = other.routers_due, other.cores_due
        self._lost = other.lost
        self.now, self.last_moved = other.now, other.last_moved
        for tile in self._tiles.values():
            tile.fabric = self

    # --- what others see -----------------------------------------------------------------------------------------

    def _sync(self) -> None:
        if self._stale and self._machine is not None:
            from fabric.engine import survey
            from fabric.engine.convert import reference

            self._stale = False
            other = reference(self._machine, survey.worth_seeing(self._machine, MANY))
            tiles = _Tiles(self, self._machine)
            tiles.update(other.tiles)
            other.tiles = tiles
            self._adopt(other)

    @property
    def tiles(self) -> dict[tuple[int, int], Tile]:
        self._sync()
        return self._tiles

    @tiles.setter
    def tiles(self, value: dict[tuple[int, int], Tile]) -> None:
        self._tiles = value

    @property
    def lost(self) -> dict[tuple[int, int, int], Lost]:
        self._sync()
        return self._lost

    @lost.setter
    def lost(self, value: dict[tuple[int, int, int], Lost]) -> None:
        self._lost = value

    @property
    def loaded(self) -> Image:
        """The image that it was loaded from."""
        return self._image

    @property
    def machine(self) -> Machine | None:
        """The fast engine, once it has taken over."""
        return self._machine

    def switching(self) -> Iterator[Tile]:
        if self._machine is None:
            yield from super().switching()
        else:
            from fabric.engine import survey

            yield from (self.tiles[at] for at in survey.switching(self._machine))

    def live(self) -> Iterator[tuple[Tile, VectorOp]]:
        if self._machine is None or self._machine.watching is None:
            return super().live()
        return cast("Iterator[tuple[Tile, VectorOp]]", self._machine.watching.live())

    def active(self) -> int:
        return super().active() if self._machine is None else self._machine.active()

    def cores(self) -> int:
        return super().cores() if self._machine is None else self._machine.cores

    def unseen(self, seen: Mapping[tuple[int, int], str]) -> dict[str, int]:
        if self._machine is None:
            return {}
        from fabric.engine import survey

        found = survey.unseen(self._machine, seen)
        found["holding"] = survey.holding(self._machine, self.tiles.keys())
        return found

    def last_execute(self) -> int:
        return super().last_execute() if self._machine is None else self._machine.last_execute()

    # --- running -------------------------------------------------------------------------------------------------

    def run(self, until: int) -> bool:
        """As in the reference."""
        if self._machine is None and not self._take_over(until):
            return super().run(until)
        machine = self._machine
        assert machine is not None
        machine.stopping = self.stopping
        try:
            quiet = machine.run(min(until, support.MOST_CYCLES))
        finally:
            self._stale = True
            self.now, self.last_moved = machine.now, machine.last_moved
        if quiet or self.stopping or until <= support.MOST_CYCLES:
            return quiet
        self._hand_back(machine)
        return super().run(until)

    def _hand_back(self, machine: Machine) -> None:
        """The machine has counted as far as it can: the reference goes on. (The logs' numbers of instructions begin
        anew then.)"""
        from fabric.engine.convert import reference
        from fabric.reference.core import Core

        self._told(f"from cycle {self.now} on the reference simulator: the fast engine counts no further")
        self._adopt(reference(machine))
        self._machine, self._stale, self._start_at = None, False, NEVER
        self.observer = observer_of(self._watchers)
        for tile in self._tiles.values():
            if isinstance(tile.core, Core):
                tile.core.probe = probe_of(self._watchers, tile)

    def _take_over(self, until: int) -> bool:
        """Lets the reference do the first cycles; True when there is more to do than it should."""
        if self._first is None:
            self._first = self.now
        cores, first = super().cores(), self._first
        while cores * (self.now - first) < self._start_at:
            if self.now >= until or super().run(min(until, self.now + SLICE)) or self.stopping:
                return False
        machine = self._load()
        watching = machine.watching
        if watching is None:
            machine.run(self.now)
        else:  # the reference has told of these cycles
            watching.silent = True
            machine.run(self.now)
            watching.silent = False
            watching.take_over(super().live())
        self._machine = machine
        return True


def choose(
    load: Callable[[], Fabric], image: Image, timing: Timing, engine: str, threads: int, told: Callable[[str], None],
    watchers: Sequence[Watcher] = (), resume: Callable[[Machine], None] | None = None,
) -> Fabric:  # fmt: skip
    """The fabric that simulates: what `load` gives (the reference), or one that goes over to the fast engine.
    `engine`: auto, fast or python. Raises UserError (FB532) for engine=fast where the engine does not take the run."""
    from diag.report import fail
    from fabric.engine.support import unsupported, warm

    if engine == "python":
        told("the reference simulator (engine=python)")
        return load()
    why = unsupported(timing)
    if why is not None:
        if engine == "fast":
            raise fail("FB532", None, why=why)
        told(f"the reference simulator: the fast engine does not take this run; {why}")
        return load()
    if engine == "fast" or _tiles_of(image) > LARGE:
        return FastFabric(None, image, timing, 0, threads, told, watchers, resume)
    start = SMALL if warm(bool(watchers)) else COLD
    told(f"the reference simulator up to {start} tile-cycles, then the fast engine")
    return FastFabric(load(), image, timing, start, threads, told, watchers, resume)


def _tiles_of(image: Image) -> int:
    """About how many tiles the image gives something."""
    return max((sum(r.tiles for r in s.rects) for s in image.segments), default=0)
