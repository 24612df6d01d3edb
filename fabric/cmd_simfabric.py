"""`simfabric`: runs an ELF cycle by cycle; the log goes to standard output (docs/simfabric.md)."""

from __future__ import annotations

import json
import signal
import sys
import time
from collections.abc import Sequence
from types import FrameType
from typing import TYPE_CHECKING, TextIO

from diag.driver import Command, Opt
from diag.driver import main as drive
from diag.files import check_apart, check_writable
from diag.report import fail, render
from diag.spans import nowhere

if TYPE_CHECKING:
    from fabric.image import Image
    from fabric.profile import Profile
    from fabric.rects import Rect
    from fabric.reference.fabric import Fabric
    from fabric.simulation import Result, RunFault, Simulation
    from fabric.timeline import Timeline
    from fabric.trace import Trace

DEFAULT_CYCLES = 1_000_000
MANY_WARNINGS = 8


class Progress:
    """A line on a terminal with cycles, speed, active tiles and the time left; nothing when redirected."""

    def __init__(self, limit: int, stream: TextIO) -> None:
        self.limit = limit
        self.stream = stream
        self.on = stream.isatty()
        self.start = time.perf_counter()
        self.next = self.start + 0.5

    def show(self, fabric: Fabric) -> None:
        now = time.perf_counter()
        if not self.on or now < self.next:
            return
        self.next = now + 0.25
        rate = fabric.now / (now - self.start)
        left = (self.limit - fabric.now) / rate if rate else 0
        active = fabric.active()
        text = f"cycle {fabric.now} of {self.limit}, {rate:.0f} cycles/s, {active} tiles active, {left:.0f} s left at most"
        self.stream.write(f"\r{text:<79.79}")
        self.stream.flush()

    def clear(self) -> None:
        if self.on:
            self.stream.write(f"\r{'':79}\r")
            self.stream.flush()


class Interrupt:
    """Ctrl-C asks the run to stop between two cycles; a second one stops at once."""

    def __init__(self) -> None:
        self.asked = False

    def __enter__(self) -> Interrupt:
        self._before = signal.signal(signal.SIGINT, self._handle)
        return self

    def __exit__(self, *_: object) -> None:
        signal.signal(signal.SIGINT, self._before)

    def _handle(self, number: int, frame: FrameType | None) -> None:
        if self.asked:
            raise KeyboardInterrupt
        self.asked = True


def _numbers(options: dict[str, object], image: Image) -> tuple[int, int | None, Rect | None]:
    """trace-from, trace-to, trace-rect. Raises UserError (FB521)."""
    from fabric.rects import Rect

    first = int(str(options["trace-from"]))
    last = None if options["trace-to"] is None else int(str(options["trace-to"]))
    if last is not None and last < first:
        raise fail("FB521", None, name="trace-to", value=last, why=f"it is before trace-from={first}")
    value = options["trace-rect"]
    if value is None:
        return first, last, None
    try:
        x, y, w, h = (int(part, 0) for part in str(value).split(","))
    except ValueError:
        raise fail("FB521", None, name="trace-rect", value=value, why="it takes four numbers, x,y,w,h") from None
    if w < 1 or h < 1 or x < 0 or y < 0 or x + w > image.width or y + h > image.height:
        why = f"it leaves the fabric of {image.width} x {image.height} tiles"
        raise fail("FB521", None, name="trace-rect", value=value, why=why)
    return first, last, Rect(x, y, w, h)


class Session:
    """One run of the command: what watches it, and what it writes."""

    def __init__(self, options: dict[str, object]) -> None:
        from fabric.simulation import Simulation, load

        self.options = options
        self.log = sys.stdout
        check_apart(options, ("elf",), ("core", "profile", "timeline"))
        for name in ("core", "profile", "timeline"):
            if options[name]:
                check_writable(str(options[name]))
        image, path = load(str(options["elf"]))
        if not image.linked:
            raise fail("FB501", nowhere(path), path=path)
        self.trace: Trace | None = None
        self.profile: Profile | None = None
        self.timeline: Timeline | None = None
        first, last, rect = _numbers(options, image)
        if options["debug"]:
            from fabric.trace import Trace, classes

            self.trace = Trace(classes(str(options["debug"])), self.log.write, first, last, rect)
        self.simulation: Simulation = Simulation(
            image,
            engine=str(options["engine"]),
            threads=int(str(options["threads"])),
            told=self._told,
        )
        self.simulation.path = path
        if options["profile"]:
            from fabric.profile import Profile

            self.profile = Profile()
        if options["timeline"]:
            from fabric.timeline import Timeline

            self.timeline = Timeline(self.simulation.places)
        self.simulation.watch(*(w for w in (self.trace, self.profile, self.timeline) if w is not None))
        if options["restart"]:
            self.simulation.resume(str(options["restart"]))

    def _told(self, text: str) -> None:
        """What simulates, where it is asked for; that the engine is being compiled, always on a terminal."""
        if self.options["verbose"] or (sys.stderr.isatty() and "compil" in text):
            print(f"simfabric: {text}", file=sys.stderr, flush=True)

    def line(self, text: str) -> None:
        self.log.write(text + "\n")

    def begin(self) -> Fabric:
        """Loads the fabric and writes the log's first lines."""
        fabric = self.simulation.start()
        cores = fabric.cores()
        self.line(f"@0 dimX={fabric.width}, dimY={fabric.height}")
        self.line(f"@0 Architecture is: {self.simulation.image.arch.upper()}")
        self.line("@0 Simtile is: hwtile")
        self.line(f"@0 Sim stats: tiles={fabric.width * fabric.height}, simulated_tiles={cores}")
        if fabric.now:
            self.line(f"@{fabric.now} Going on from {self.options['restart']}")
        if self.trace is not None:
            self.trace.begin(fabric)
        return fabric

    def files(self, cycles: int, status: str, core: Image | None) -> None:
        """Writes core, profile and timeline, all of them or none."""
        from diag.files import Outputs

        fabric = self.simulation.fabric
        assert fabric is not None
        with Outputs() as out:
            if self.options["core"]:
                from fabric.elf import to_elf

                out.add(str(self.options["core"]), to_elf(core or self.simulation.core(cycles, status)))
            if self.profile is not None:
                self.profile.close(fabric, cycles)
                text = self.profile.text(fabric, self.simulation.places, cycles)
                out.add(str(self.options["profile"]), text)
            if self.timeline is not None:
                out.add(str(self.options["timeline"]), self.timeline.close(fabric, cycles))

    def end(self, result: Result, seconds: float, ran: int) -> None:
        """The log's last lines: idle, orphans, outcome, speed."""
        from fabric.explain import orphan_lines, text
        from fabric.outcome import BLOCKED, DONE, INTERRUPTED

        fabric = self.simulation.fabric
        assert fabric is not None
        if self.trace is not None:
            self.trace.flush()
        idle, n = self.options["idle"], result.cycles
        if result.status == DONE or (result.status == BLOCKED and not result.outcome.left):
            self.line(f"@{n} {idle} cycles since an instruction was executed on any tile")
        elif result.status == BLOCKED:
            self.line(f"@{n} No data movement in the last {idle} cycles")
        elif result.status == INTERRUPTED:
            self.line(f"@{n} Interrupted")
        else:
            self.line(f"@{n} Cycle limit reached")
        for text_line in orphan_lines(fabric, result.outcome, self.simulation.places):
            self.line(text_line)
        lines = text(result.explanation)
        if self.options["json"]:
            self.line(json.dumps(result.json(), ensure_ascii=False))
        else:
            for text_line in lines:
                self.line(text_line)
        self.speed(seconds, n, ran)
        if result.status != DONE and not (sys.stderr.isatty() and self.log.isatty()):
            print("\n".join(lines), file=sys.stderr)
        for warning in result.warnings[:MANY_WARNINGS]:
            print(render(warning), file=sys.stderr)

    def speed(self, seconds: float, cycles: int, ran: int) -> None:
        rate = ran / seconds if seconds > 0 else 0.0
        self.line(f"Simulation used {seconds:.3f} seconds, cycles={cycles}, cyc/sec={rate:.1f}")
        self.log.flush()

    def fault(self, fault: RunFault, seconds: float, ran: int) -> None:
        """What a stopped run still writes: the fault in the log, and the core so far."""
        if self.trace is not None:
            self.trace.flush()
        for d in fault.diagnostics:
            place = f" at {d.span.label()}" if d.span is not None else ""
            self.line(f"@{fault.cycle} fault {d.code.code}{place}: {d.message}")
        self.speed(seconds, fault.cycle, ran)
        self.files(fault.cycle, fault.status, None)


def run(options: dict[str, object]) -> int:
    from fabric.outcome import CYCLES, DONE, INTERRUPTED
    from fabric.simulation import RunFault

    session = Session(options)
    limit = int(str(options["cycles"]))
    fabric = session.begin()
    first = fabric.now
    progress = Progress(limit, sys.stderr)
    started = time.perf_counter()
    with Interrupt() as interrupt:

        def tick(fabric: Fabric) -> bool:
            if session.trace is not None:
                session.trace.flush(fabric.now)
            progress.show(fabric)
            return interrupt.asked

        try:
            result = session.simulation.run(limit, tick)
        except RunFault as fault:
            progress.clear()
            session.fault(fault, time.perf_counter() - started, fault.cycle - first)
            raise
        seconds = time.perf_counter() - started
        progress.clear()
        session.end(result, seconds, fabric.now - first)
        session.files(result.cycles, result.status, result.image if options["core"] else None)
    if result.status == INTERRUPTED:
        return 130
    if options["strict"] and result.status != DONE:
        raise fail("FB531" if result.status == CYCLES else "FB530")
    return 0


COMMAND = Command(
    "simfabric",
    "runs an ELF on the simulated fabric, cycle by cycle; the log goes to standard output",
    (
        Opt("elf", "the program to run (from mielf)", kind="path", required=True, what="FILE"),
        Opt("core", "the final state of all tiles, which elfmi turns into an image", kind="path", what="FILE"),
        Opt("cycles", "the most cycles to run", DEFAULT_CYCLES, kind="int", low=1, what="N"),
        Opt("restart", "go on from the core of a run that was stopped (same elf=)", kind="path", what="FILE"),
        Opt("json", "write the outcome into the log as one line of JSON", False, kind="flag", what="0|1"),
        Opt("strict", "exit with 1 when the run ends blocked or out of cycles", False, kind="flag", what="0|1"),
        Opt("debug", "log records: landing, inst_trace, router, stalls, hwtile, joined by commas", what="CLASSES"),
        Opt("trace-from", "first cycle of the records", 0, kind="int", low=0, what="N"),
        Opt("trace-to", "last cycle of the records", kind="int", low=0, what="N"),
        Opt("trace-rect", "tiles of the records", what="x,y,w,h"),
        Opt("idle", "cycles without activity that the log names at the end", 50, kind="int", low=1, what="N"),
        Opt("profile", "write cycles by source line: issued, and lost by cause", kind="path", what="FILE"),
        Opt("timeline", "write Chrome/Perfetto trace JSON", kind="path", what="FILE"),
        Opt("threads", "threads of the fast engine", 1, kind="int", low=1, high=64, what="N"),
        Opt("engine", "what simulates: fast (compiled), python (the reference), or auto, by the size of the run", "auto",
            kind="choice", choices=("auto", "fast", "python")),
        Opt("verbose", "say what simulates", False, kind="flag", what="0|1"),
    ),
    run,
    "simfabric elf=bench.elf core=bench.core cycles=100000 > bench-sim.log",
)


def warmup() -> int:
    """Compiles the engine, or says that it is compiled."""
    from fabric.engine.support import warm

    if warm(watched=True):
        print("the engine is compiled")
        return 0
    started = time.perf_counter()
    print("compiling the engine, once for this version …", flush=True)
    from fabric.engine import step
    from fabric.engine.jit import prepare
    from fabric.engine.machine import prepare_all

    prepare_all()
    prepare(step.run_watched)
    print(f"done in {time.perf_counter() - started:.0f} s")
    return 0


def main(argv: Sequence[str] | None = None) -> int:
    words = list(sys.argv[1:] if argv is None else argv)
    if words == ["warmup"]:
        return warmup()
    return drive(COMMAND, argv)


if __name__ == "__main__":
    sys.exit(main())
