"""Which simulator runs, threads, large fabrics, what a run leaves behind."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import exchange
import pytest
from core_bench import program
from engine_compare import differences, normal

from diag.report import UserError
from fabric import arch
from fabric.engine import cache, convert, fast, support
from fabric.engine.machine import Machine
from fabric.image import Image
from fabric.rects import Rect
from fabric.simulation import Result, Simulation
from fabric.timing import Timing
from fabric.trace import Trace


def words(image: Image) -> dict[tuple[int, int], dict[int, int]]:
    places = [(x, y) for y in range(image.height) for x in range(image.width)]
    return {at: {a: w for a, w in image.tile_words(*at).items() if w} for at in places}


def same(a: Result, b: Result) -> None:
    assert (a.status, a.cycles) == (b.status, b.cycles)
    assert a.why_blocked() == b.why_blocked()
    assert words(a.image) == words(b.image)


@pytest.mark.parametrize("cycles", [1, 100, 700, 100_000])
def test_same_result(cycles: int) -> None:
    image = exchange.image(5, 4, 3, (8, 7), (2, 1))
    reference = Simulation(image, engine="python").run(cycles)
    same(reference, Simulation(image, engine="fast").run(cycles))
    same(reference, Simulation(image, engine="fast", threads=3).run(cycles))


def test_the_frozen_benchmark_takes_what_it_says() -> None:
    """300 to 390 cycles a step; 20 steps and 10 differ by ten of them."""
    ends = [Simulation(exchange.image(6, 6, n), engine="fast").run(100_000).cycles for n in (10, 20)]
    assert 300 <= (ends[1] - ends[0]) / 10 <= 390


def test_any_number_of_threads() -> None:
    image = exchange.image(9, 11, 4)
    states = []
    for threads in (1, 2, 3, 5):
        m = Machine.load(image, threads=threads)
        m.run(777)
        states.append(normal(convert.take(m)))
    assert not any(differences(states[0], other) for other in states[1:])


def test_a_large_fabric_makes_only_the_tiles_that_matter(monkeypatch: pytest.MonkeyPatch) -> None:
    image = exchange.image(5, 4, 3, (8, 7), (2, 1))
    for cycles in (500, 100_000):
        reference = Simulation(image, engine="python").run(cycles)
        monkeypatch.setattr(fast, "MANY", 4)
        monkeypatch.setattr(fast, "LARGE", 4)
        large = Simulation(image).run(cycles)
        assert (large.status, large.cycles) == (reference.status, reference.cycles)
        ends = [(o.running, o.ended, o.serving) for o in (large.outcome, reference.outcome)]
        assert ends[0] == ends[1]
        waits = len({w.tile.index for w in large.outcome.finite}) + large.outcome.unseen
        assert waits == len({w.tile.index for w in reference.outcome.finite})
        assert words(large.image) == words(reference.image)
        monkeypatch.undo()


def blocked() -> Image:
    """A receive of two values, of which one comes."""
    kernel = program("""
.socket tx out 0 sp
.socket rx in 0 sp
.var y sp 2
from: .dsd fabin queue=rx extent=2
to: .dsd mem1d base=y extent=2
out: .dsd fabout queue=tx extent=1
.func main
.entry
    ldd DD0 = [out];
    ldd DD1 = [to];
    lds0 SA0 = [from];
    mov32 [DD0] = 5;
    mov32 [DD1] = [SA0];
    terminate;
""")
    image = Image(1, 1)
    image.linked = True
    here = Rect(0, 0, 1, 1)
    for address, section in kernel.sections:
        image.add_fill(here, address, section)
    for address, word in {**kernel.registers, arch.OUTPUT_QUEUE: 3 << 4, arch.INPUT_QUEUE: 3}.items():
        image.add_fill(here, address, [word])
    image.add_fill(here, arch.ROUTE + 3, [arch.route_code(arch.C, 1 << arch.C)])
    return image


def test_a_hang_is_explained_alike() -> None:
    reference = Simulation(blocked(), engine="python").run(1000)
    assert reference.blocked
    same(reference, Simulation(blocked(), engine="fast").run(1000))


def test_auto_goes_over_when_there_is_enough_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[str] = []
    image = exchange.image(4, 4, 3)
    monkeypatch.setattr(fast, "SMALL", 4000)
    monkeypatch.setattr(fast, "COLD", 4000)
    result = Simulation(image, told=told.append).run(100_000)
    assert any("from cycle 256" in line for line in told)  # 16 tiles
    same(Simulation(image, engine="python").run(100_000), result)


def test_a_checkpoint_of_the_engine_goes_on(tmp_path: object) -> None:
    image = exchange.image(3, 3, 3)
    whole = Simulation(image, engine="fast").run(100_000)
    first = Simulation(image, engine="fast").run(500)
    second = Simulation(image)
    second.resume(first.image)
    same_end = second.run(100_000)
    assert (same_end.status, same_end.cycles) == (whole.status, whole.cycles)
    assert words(same_end.image) == words(whole.image)


def test_the_core_of_many_tiles_takes_each_tile_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Tiles that wrote their task tables: the image is asked once for each, and tiles alike share a segment."""
    asked: list[tuple[int, int]] = []
    original = Image.tile_words
    monkeypatch.setattr(Image, "tile_words", lambda self, x, y: asked.append((x, y)) or original(self, x, y))
    segments = []
    for n in (4, 8):
        asked.clear()
        image = Simulation(exchange.image(n, n, 2), engine="fast").run(100_000).image
        assert len(asked) == len(set(asked)) <= n * n
        segments.append(len(image.segments))
    assert segments[0] == segments[1]


def test_what_the_engine_does_not_take() -> None:
    timing = Timing(hop=50, fabric_adder=20)
    image = exchange.image(2, 2, 1)
    with pytest.raises(UserError, match="hop \\+ fabric_adder are 70 cycles"):
        Simulation(image, timing=timing, engine="fast").run(10)
    told: list[str] = []
    Simulation(image, timing=timing, told=told.append).run(10)
    assert "does not take this run" in told[0]


@pytest.mark.parametrize("watched", [False, True])
def test_the_reference_goes_on_where_the_engine_counts_no_further(
    monkeypatch: pytest.MonkeyPatch, watched: bool
) -> None:
    monkeypatch.setattr(support, "MOST_CYCLES", 555)
    image = exchange.image(3, 2, 3)
    told: list[str] = []
    logs: list[list[str]] = [[], []]
    results = []
    for log, engine in zip(logs, ("python", "fast"), strict=True):
        trace = Trace(["landing"], log.append)
        simulation = Simulation(image, engine=engine, told=told.append, watchers=[trace] if watched else [])
        results.append(simulation.run(100_000))
        trace.flush()
    same(*results)
    assert logs[0] == logs[1] and bool(logs[0]) == watched
    assert "from cycle 555 on the reference simulator" in told[-1]


def test_the_compiler_is_not_loaded_for_small_runs() -> None:
    code = (
        "import sys; sys.path[:0] = sys.argv[1:]; import exchange; from fabric.simulation import Simulation;"
        "Simulation(exchange.image(2, 2, 2)).run(1000); assert 'numba' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code, *sys.path], check=True)


def test_the_cache_notices_every_change(monkeypatch: pytest.MonkeyPatch) -> None:
    before = cache.source_hash()
    assert before in cache.cache_directory().name
    original = cache.Path.read_bytes
    monkeypatch.setattr(cache.Path, "read_bytes", lambda p: original(p) + (b"#" if p.name == "queues.py" else b""))
    assert cache.source_hash() != before


def test_warm_is_what_this_installation_can_load(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Code of another installation would be compiled again."""
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    assert not support.warm()
    here = cache.code_directory()
    for directory in (here.parent / "engine_elsewhere", here):
        assert not support.warm()
        directory.mkdir(parents=True)
        (directory / f"{support.STEM}-1.py311.1.nbc").write_bytes(b"")
    assert support.warm() and not support.warm(watched=True)
    (here / f"{support.WATCHED}-1.py311.1.nbc").write_bytes(b"")
    assert support.warm(watched=True)
