"""Measures the simulator's engine and writes a table: `python benchmarks/engine.py [all] > FILE`.

Tiles x simulated cycles / stepping time on the frozen benchmark (exchange.s), with the code compiled ahead. Each
figure is the best of several runs; beside the wall clock stands the processor time of the process, which says what
one undisturbed core would do when others use the machine. `all` adds the large fabrics (16 GB, some minutes).
"""

from __future__ import annotations

import os
import platform
import resource
import sys
import time
from collections.abc import Iterator

import numpy as np
from exchange import image as exchange

from fabric.engine.machine import Machine

RUNS = 3


def machine() -> str:
    """The machine in one line."""
    model = platform.processor()
    try:
        with open("/proc/cpuinfo") as f:
            model = next(line.split(":")[1].strip() for line in f if line.startswith("model name"))
    except (OSError, StopIteration):
        pass
    import numba

    load = os.getloadavg()[0]
    return (
        f"{model}, {os.cpu_count()} cores, load {load:.1f}; Python {platform.python_version()}, "
        f"numba {numba.__version__}, numpy {np.__version__}"
    )


def speed(width: int, height: int, cycles: int, threads: int, fabric: tuple[int, int] | None = None) -> tuple[float, float]:
    """(million tile-cycles a second by the wall clock, by processor time and core), the best of some runs."""
    at = (fabric[0] // 2, fabric[1] // 2) if fabric else (0, 0)
    m = Machine.load(exchange(width, height, 60_000, fabric, at), threads=threads)
    m.run(200)
    walls, cpus = [], []
    for _ in range(RUNS):
        first, wall, cpu = m.now, time.perf_counter(), time.process_time()
        m.run(first + cycles)
        done = (m.now - first) * width * height / 1e6
        walls.append(done / (time.perf_counter() - wall))
        cpus.append(done / (time.process_time() - cpu) * threads)
    return max(walls), max(cpus)


def peak() -> float:
    """The process's largest memory so far, in GB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6


def rows(everything: bool) -> Iterator[tuple[str, str, str]]:
    """(what, by the wall clock, by processor time)."""
    cases = [
        ("34 x 34, 1 thread", 34, 34, 6000, 1, None),
        ("34 x 34, 2 threads", 34, 34, 6000, 2, None),
        ("34 x 34 inside 500 x 500 silent tiles, 1 thread", 34, 34, 6000, 1, (500, 500)),
        ("256 x 256, 1 thread", 256, 256, 400, 1, None),
        ("256 x 256, 2 threads", 256, 256, 400, 2, None),
    ]
    for name, width, height, cycles, threads, fabric in cases:
        wall, cpu = speed(width, height, cycles, threads, fabric)
        yield name, f"{wall:.1f} M/s", f"{cpu:.1f} M/s"
    before = peak()
    started = time.perf_counter()
    m = Machine.load(exchange(256, 256, 10))
    loaded = time.perf_counter() - started
    m.run(1000)
    yield "256 x 256: load", f"{loaded:.1f} s", f"{max(peak() - before, 0):.2f} GB more"
    if everything:
        yield whole_wafer()


def whole_wafer() -> tuple[str, str, str]:
    """762 x 1172: load, 1,000 cycles, core file."""
    from fabric.simulation import Simulation

    simulation = Simulation(exchange(762, 1172, 10), engine="fast", threads=min(2, os.cpu_count() or 1))
    started = time.perf_counter()
    result = simulation.run(1000)
    ran = time.perf_counter() - started
    size = len(result.image.to_bytes())
    total = time.perf_counter() - started
    return "762 x 1172: load, 1,000 cycles, core", f"{ran:.0f} s, {total:.0f} s with the core", f"{peak():.1f} GB, core {size / 1e6:.0f} MB"


def main() -> None:
    print(f"Machine: {machine()}\n")
    print("| benchmark | by the wall clock | by processor time |\n|---|---|---|")
    for row in rows("all" in sys.argv[1:]):
        print("| " + " | ".join(row) + " |", flush=True)


if __name__ == "__main__":
    main()
