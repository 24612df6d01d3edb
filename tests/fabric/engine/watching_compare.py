"""What watchers note of a run, on either simulator."""

from __future__ import annotations

from typing import NamedTuple

from fabric.image import Image
from fabric.places import Places
from fabric.profile import Profile
from fabric.rects import Rect
from fabric.simulation import RunFault, Simulation
from fabric.timeline import Timeline
from fabric.trace import CLASSES, Trace

Window = tuple[int, int | None, Rect | None]


class Noted(NamedTuple):
    """The log's records, and the files of profile and timeline."""

    lines: list[str]
    profile: str
    timeline: str
    end: str


def note(
    image: Image, engine: str, cycles: int, debug: tuple[str, ...] = CLASSES, window: Window = (0, None, None),
    threads: int = 1, files: bool = True, core: Image | None = None,
) -> Noted:  # fmt: skip
    """Runs an image under the watchers of simfabric."""
    lines: list[str] = []
    trace, profile, timeline = Trace(debug, lines.append, *window), Profile(), Timeline(Places(image))
    watchers = (trace, profile, timeline) if files else (trace,)
    simulation = Simulation(image, watchers=watchers, engine=engine, threads=threads)
    if core is not None:
        simulation.resume(core)
    fabric = simulation.start()
    trace.begin(fabric)
    try:
        result = simulation.run(cycles)
        count, end = result.cycles, result.status
    except RunFault as fault:
        count, end = fault.cycle, str(fault)
    trace.flush()
    if not files:
        return Noted(lines, "", "", f"{end} {count}")
    profile.close(fabric, count)
    text = profile.text(fabric, simulation.places, count)
    return Noted(lines, text, timeline.close(fabric, count), f"{end} {count}")


def same(a: Noted, b: Noted) -> None:
    """Both noted the same, line for line."""
    for k, (x, y) in enumerate(zip(a.lines, b.lines, strict=False)):
        assert x == y, (k, a.lines[max(k - 3, 0) : k])
    assert len(a.lines) == len(b.lines), (a.lines[len(b.lines) :][:3], b.lines[len(a.lines) :][:3])
    assert a.end == b.end
    assert a.profile == b.profile
    assert a.timeline == b.timeline
