"""Measures the simulator's engine and writes a table: `python benchmarks/engine.py [quick] > FILE`.

Tiles x simulated cycles / stepping time on the frozen benchmark (exchange.s), start-up, size, and the whole wafer. Each
row is measured in a process of its own, with the code compiled ahead (but for the row that says otherwise); of speeds
and start-ups the best of some runs counts. Beside the wall clock stands the processor time: of a run on several threads
what they would do if each had a core of its own. `quick` leaves out what takes minutes: compiling, and the wafer.
"""

from __future__ import annotations

import json
import os
import platform
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

HERE = Path(__file__).parent
RUNS = 4
SMALL_CYCLES = 1000


class Row(NamedTuple):
    """One line of the table."""

    name: str
    goal: str
    wall: str
    processor: str


def machine() -> str:
    """The machine in one line."""
    model = platform.processor()
    memory = 0.0
    try:
        model = next(v for k, v in _pairs("/proc/cpuinfo") if k == "model name")
        memory = next(int(v.split()[0]) / 1e6 for k, v in _pairs("/proc/meminfo") if k == "MemTotal")
    except (OSError, StopIteration):
        pass
    import numba
    import numpy as np

    return (
        f"{model}, {os.cpu_count()} cores, {memory:.0f} GB, load {os.getloadavg()[0]:.1f}; {platform.system()}, Python "
        f"{platform.python_version()}, numba {numba.__version__}, numpy {np.__version__}"
    )


def _pairs(path: str) -> Iterator[tuple[str, str]]:
    for line in Path(path).read_text().splitlines():
        key, _, value = line.partition(":")
        yield key.strip(), value.strip()


def _status(key: str) -> int:
    """A size in /proc/self/status, in bytes."""
    return int(next(v for k, v in _pairs("/proc/self/status") if k == key).split()[0]) * 1024


# --- what a process measures: numbers by name -----------------------------------------------------------------------


def speed(width: int, height: int, cycles: int, threads: int, fabric: int) -> dict[str, float]:
    """Million tile-cycles a second by the wall clock, and by processor time and core. `fabric`: the side of a fabric of
    silent tiles around the busy ones, 0 for none."""
    from exchange import image

    from fabric.engine.machine import Machine

    at = (fabric // 2, fabric // 2) if fabric else (0, 0)
    m = Machine.load(image(width, height, 60_000, (fabric, fabric) if fabric else None, at), threads=threads)
    m.run(200)
    walls, processor = [], []
    for _ in range(RUNS):
        first, wall, cpu = m.now, time.perf_counter(), time.process_time()
        m.run(first + cycles)
        done = (m.now - first) * width * height / 1e6
        walls.append(done / (time.perf_counter() - wall))
        processor.append(done / (time.process_time() - cpu) * threads)
    return {"wall": max(walls), "processor": max(processor)}


def size(side: int) -> dict[str, float]:
    """Bytes a tile after loading and after 1,000 cycles, page tables included, and bytes of the program's words."""
    from exchange import image

    from fabric.engine.machine import Machine

    what = image(side, side, 10)
    what.groups()
    Machine.load(image(4, 4, 2)).run(10)  # what is needed once
    before = _status("VmRSS") + _status("VmPTE")
    m = Machine.load(what)
    loaded = _status("VmRSS") + _status("VmPTE")
    m.run(1000)
    ran = _status("VmRSS") + _status("VmPTE")
    tiles = side * side
    return {"loaded": (loaded - before) / tiles, "ran": (ran - before) / tiles, "program": 2.0 * m.areas[0].words.shape[2]}


def wafer(threads: int) -> dict[str, float]:
    """762 x 1172 tiles: seconds until loaded, run and written; GB at the peak, bytes of the core."""
    from exchange import image

    from fabric.elf import to_elf
    from fabric.simulation import Simulation

    started = time.perf_counter()
    simulation = Simulation(image(762, 1172, 10), engine="fast", threads=threads)
    simulation.start()
    loaded = time.perf_counter()
    result = simulation.run(1000)
    ran = time.perf_counter()
    with tempfile.TemporaryDirectory() as directory:
        core = to_elf(result.image)
        (Path(directory) / "core").write_bytes(core)
    done = time.perf_counter()
    return {
        "load": loaded - started,
        "run": ran - loaded,
        "core": done - ran,
        "total": done - started,
        "processor": time.process_time(),
        "peak": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6,
        "bytes": float(len(core)),
    }


MEASURES: dict[str, Callable[..., dict[str, float]]] = {"speed": speed, "size": size, "wafer": wafer}


# --- processes ------------------------------------------------------------------------------------------------------


def apart(name: str, *args: int) -> dict[str, float]:
    """One of MEASURES in a process of its own."""
    words = [sys.executable, __file__, "measure", name, *map(str, args)]
    out = subprocess.run(words, check=True, stdout=subprocess.PIPE, text=True).stdout
    found: dict[str, float] = json.loads(out)
    return found


def command(words: list[str], **more: str) -> tuple[float, float]:
    """(seconds by the wall clock, by processor time) of a whole simfabric process."""
    before, started = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    call = [sys.executable, "-m", "fabric.cmd_simfabric", *words]
    subprocess.run(call, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env={**os.environ, **more})
    wall, after = time.perf_counter() - started, resource.getrusage(resource.RUSAGE_CHILDREN)
    return wall, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


# --- the table ------------------------------------------------------------------------------------------------------


def speeds() -> Iterator[Row]:
    alone: dict[str, float] = {}
    cases = [
        ("34 x 34, 1 thread", 34, 6000, 1, 0, "10 (aim 20)"),
        ("34 x 34, 2 threads", 34, 6000, 2, 0, "16 (aim 35)"),
        ("34 x 34 in 500 x 500 silent tiles, 1 thread", 34, 6000, 1, 500, "no more than 10 % slower"),
        ("256 x 256, 1 thread", 256, 400, 1, 0, ""),
        ("256 x 256, 2 threads", 256, 400, 2, 0, "6 (aim 12)"),
    ]
    for name, side, cycles, threads, fabric, goal in cases:
        found = apart("speed", side, side, cycles, threads, fabric)
        alone = alone or found
        shown = [f"{found[k]:.1f} M/s" for k in ("wall", "processor")]
        if fabric:
            shown = [f"{s} ({found[k] / alone[k] - 1:+.0%})" for s, k in zip(shown, ("wall", "processor"), strict=True)]
        yield Row(name, goal, *shown)


def starts(everything: bool) -> Iterator[Row]:
    """A whole process on four tiles and 1,000 cycles."""
    sys.path.insert(0, str(HERE))
    from exchange import image

    from fabric.elf import save_elf

    with tempfile.TemporaryDirectory() as directory:
        elf = str(Path(directory) / "four.elf")
        save_elf(image(2, 2, 20), elf)
        words = [f"elf={elf}", f"cycles={SMALL_CYCLES}"]
        cold = {"NUMBA_CACHE_DIR": str(Path(directory) / "cold")}
        cases = [
            ("4 tiles, 1,000 cycles, whole process: engine=auto, compiled", [], {}, RUNS, "0.8 s"),
            ("the same, not compiled", [], cold, RUNS, "0.8 s"),
            ("the same, engine=fast, compiled", ["engine=fast"], {}, RUNS, ""),
            ("the same, engine=python", ["engine=python"], {}, RUNS, ""),
        ]
        if everything:
            cases.append(("the same, engine=fast, compiling first", ["engine=fast"], cold, 1, "once a version"))
        for name, more, env, runs, goal in cases:
            found = [command(words + more, **env) for _ in range(runs)]
            yield Row(name, goal, f"{min(w for w, _ in found):.2f} s", f"{min(p for _, p in found):.2f} s")


def sizes() -> Iterator[Row]:
    found = apart("size", 256)
    beside = found["ran"] - found["program"]
    name = "bytes a tile beside its program's words, 256 x 256, after 1,000 cycles"
    yield Row(name, "4,096", f"{beside:,.0f}", f"({found['program']:,.0f} bytes of words)")


def wafers() -> Iterator[Row]:
    found = apart("wafer", min(2, os.cpu_count() or 1))
    parts = ", ".join(f"{k} {found[k]:.0f} s" for k in ("load", "run", "core"))
    yield Row(
        "762 x 1172: load, 1,000 cycles, core file, 2 threads", "10 min, 16 GB", f"{found['total']:.0f} s ({parts})",
        f"{found['processor']:.0f} s; {found['peak']:.1f} GB at the peak, core {found['bytes'] / 1e6:.0f} MB",
    )  # fmt: skip


def main(words: list[str]) -> None:
    if words[:1] == ["measure"]:
        sys.path.insert(0, str(HERE))
        print(json.dumps(MEASURES[words[1]](*map(int, words[2:]))))
        return
    everything = "quick" not in words
    from fabric.engine import step
    from fabric.engine.jit import prepare
    from fabric.engine.machine import prepare_all

    prepare_all()
    prepare(step.run_watched)
    print(f"Machine: {machine()}\n", flush=True)
    print("| benchmark | asked for | by the wall clock | by processor time |\n|---|---|---|---|")
    parts = [speeds(), starts(everything), sizes(), *([wafers()] if everything else [])]
    for part in parts:
        for row in part:
            print("| " + " | ".join(row) + " |", flush=True)
    print(f"\nLoad at the end: {os.getloadavg()[0]:.1f}")


if __name__ == "__main__":
    main(sys.argv[1:])
