"""A bench for tests of the core: kernels in assembly on tiles, routes, and a recorder of every issue slot.

    m = Machine(2, 1)
    m.kernel(0, 0, '''...''')             colors of sockets by `colors=`: {"tx": 3}
    m.route(0, 0, 3, "C>R")
    m.run()
    m.slots(0, 0)                         [(cycle, what)] with the listing's text, groups as "text #n"

The cycles of a table count from the first slot of task 8: `TASK_START` cycles after cycle 0.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from diag.report import Reporter
from diag.spans import Source
from fabric import arch
from fabric.asm import assemble
from fabric.disasm import text
from fabric.image import Image
from fabric.program import Program
from fabric.rects import Rect
from fabric.reference.core import Core
from fabric.reference.fabric import Fabric
from fabric.reference.prepared import Prepared
from fabric.reference.tile import Tile
from fabric.reference.vectors import VectorOp
from fabric.timing import DEFAULT, Timing

TASK_START = 4


def program(code: str) -> Program:
    """A kernel from assembly text without errors."""
    reporter = Reporter()
    p = assemble(Source("test.s", code), reporter)
    reporter.raise_if_errors()
    return p


@dataclass
class Slots:
    """A probe: (cycle, core name, what). Groups are "mnemonic #elements", set-ups "mnemonic set-up"."""

    seen: list[tuple[int, str, str]] = field(default_factory=list)
    picks: list[tuple[int, str, int]] = field(default_factory=list)
    waits: list[tuple[int, str, int | None]] = field(default_factory=list)
    ends: list[tuple[int, str, int | None]] = field(default_factory=list)

    def task_started(self, now: int, core: Core, task: int) -> None:
        self.picks.append((now, core.tile.name, task))

    def scalar(self, now: int, core: Core, prepared: Prepared, pc: int, sources: list[int] | None) -> None:
        what = text(prepared.instr).rstrip(";").replace("; terminate", "")
        self.seen.append((now, core.tile.name, what if sources is not None else f"skip {what}"))

    def vector_started(self, now: int, core: Core, op: VectorOp, slot: bool) -> None:
        if slot:
            ut = "" if op.ut is None else f".ut{op.ut}"
            self.seen.append((now, core.tile.name, f"{op.instr.row.name}{ut} set-up"))

    def group(self, now: int, core: Core, op: VectorOp, n: int, conflict: bool) -> None:
        ut = "" if op.ut is None else f".ut{op.ut}"
        self.seen.append((now, core.tile.name, f"{op.instr.row.name}{ut} #{n}"))

    def waiting(self, now: int, core: Core, op: VectorOp) -> None:
        self.waits.append((now, core.tile.name, op.ut))

    def operand_stall(self, now: int, core: Core, pc: int, until: int) -> None:
        pass

    def finished(self, now: int, core: Core, op: VectorOp) -> None:
        self.ends.append((now, core.tile.name, op.ut))


class Machine:
    """A small fabric under test."""

    def __init__(self, width: int = 1, height: int = 1, timing: Timing = DEFAULT) -> None:
        self.image = Image(width, height)
        self.image.linked = True
        self.timing = timing
        self.programs: dict[tuple[int, int], Program] = {}
        self.colors: dict[tuple[int, int], dict[str, int]] = {}
        self.probe = Slots()
        self.fabric: Fabric | None = None

    def kernel(self, x: int, y: int, code: str, colors: dict[str, int] | None = None) -> Program:
        """Puts a kernel on a tile; `colors` gives the color of each socket."""
        p = program(code)
        self.programs[x, y] = p
        self.colors[x, y] = colors or {}
        where = Rect(x, y, 1, 1)
        for address, words in p.sections:
            self.image.add_fill(where, address, words)
        for address, word in p.registers.items():
            self.image.add_fill(where, address, [word])
        for use in p.sockets:
            color = (colors or {})[use.socket]
            if use.dir == "in":
                self.image.add_fill(where, arch.INPUT_QUEUE + 2 * use.queue, [color])
            else:
                self.image.add_fill(where, arch.OUTPUT_QUEUE + use.queue, [color << 4])
        return p

    def route(self, x: int, y: int, color: int, rule: str) -> None:
        """A rule such as `C>R` or `L>RC`."""
        source, outputs = rule.split(">")
        mask = sum(1 << arch.PORTS.index(p) for p in outputs)
        code = arch.route_code(arch.PORTS.index(source), mask)
        self.image.add_fill(Rect(x, y, 1, 1), arch.ROUTE + color, [code])

    def load(self) -> Fabric:
        cache: dict[tuple[int, ...], Prepared] = {}

        def core(tile: Tile) -> Core | None:
            return Core(tile, cache, self.probe) if (tile.x, tile.y) in self.programs else None

        self.fabric = Fabric.load(self.image, core, self.timing)
        return self.fabric

    def run(self, cycles: int = 2000) -> bool:
        """Runs to the end or for so many cycles; True when nothing is due any more."""
        return (self.fabric or self.load()).run(cycles)

    def core(self, x: int = 0, y: int = 0) -> Core:
        assert self.fabric is not None
        core = self.fabric.tiles[x, y].core
        assert isinstance(core, Core)
        return core

    def slots(self, x: int = 0, y: int = 0) -> list[tuple[int, str]]:
        """What issued on a tile, by cycle, counted from the first slot of the task that starts in cycle 0."""
        return [(c - TASK_START, what) for c, name, what in self.probe.seen if name == f"P{x}.{y}"]

    def when(self, what: str, x: int = 0, y: int = 0) -> list[int]:
        """The cycles (as in `slots`) of the slots whose text begins so."""
        return [c for c, w in self.slots(x, y) if w.startswith(what)]

    def address(self, name: str, x: int = 0, y: int = 0) -> int:
        return next(s.address for s in self.programs[x, y].symbols if s.name == name)

    def words(self, name: str, n: int, x: int = 0, y: int = 0) -> list[int]:
        """n words of a symbol."""
        assert self.fabric is not None
        tile = self.fabric.tiles[x, y]
        at = self.address(name, x, y)
        return [tile.read_word(at + k) for k in range(n)]

    def longs(self, name: str, n: int, x: int = 0, y: int = 0) -> list[int]:
        """n 32-bit values of a symbol."""
        w = self.words(name, 2 * n, x, y)
        return [w[2 * k] | w[2 * k + 1] << 16 for k in range(n)]


def with_meta(m: Machine, names: dict[int, str] | None = None) -> Image:
    """The machine's image with line tables, sockets and color names, as a layout's build makes it."""
    rows = []
    for (x, y), p in m.programs.items():
        sockets = [
            {
                "name": s.socket,
                "dir": s.dir,
                "queue": s.queue,
                "color": m.colors[x, y][s.socket],
                "color_name": (names or {}).get(m.colors[x, y][s.socket], ""),
                "span": s.span,
            }
            for s in p.sockets
        ]
        lines = [[i.address, i.words, f"k{x}{y}.s", i.line, i.col, i.function, i.text] for i in p.lines]
        rows.append({"name": f"k{x}{y}", "rects": [[x, y, 1, 1]], "lines": lines, "sockets": sockets,
                     "tasks": {str(k): v for k, v in p.tasks.items()}})  # fmt: skip
    m.image.meta["programs"] = rows
    m.image.meta["colors"] = [{"number": c, "name": n, "rects": []} for c, n in (names or {}).items()]
    return m.image
