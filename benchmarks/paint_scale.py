"""How painting grows with the fabric: `python benchmarks/paint_scale.py [repetitions]` prints the tables of docs/performance.md.

The layout is a halo exchange: one kernel on every tile, eight colors with swaps and boundary operators, a border ring
with a kernel of its own. Each figure is of a whole process, the best of some repetitions: seconds on the clock, seconds
of a core (what the clock would show on a free machine), peak of memory. Last the whole wafer with `miset` of one
array, four floats a tile, over all tiles.
"""

from __future__ import annotations

import os
import platform
import shutil
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

LAYOUT = """
let W = NX+2 let H = NY+2
let e = color() let ep = color() let w = color() let wp = color()
let n = color() let np = color() let s = color() let sp = color()
let all = rect(0 0 W H)
all : paint(ep [CXR|R]) all : paint(e [L|LXC]) all : colorpair(e ep)
all : paint(wp [CXL|L]) all : paint(w [R|RXC]) all : colorpair(w wp)
all : paint(np [CXU|U]) all : paint(n [D|DXC]) all : colorpair(n np)
all : paint(sp [CXD|D]) all : paint(s [U|UXC]) all : colorpair(s sp)
let grid = rect(1 1 NX NY)
grid : code('cell [e:e w:w n:n s:s])
grid : name('grid)
define moat(x y width height) {
  let r = rect(x y width height)
  r : code('edge [e:e w:w n:n s:s])
  r : name('moat)
}
union(all grid moat(0 0 W 1) moat(0 H-1 W 1) moat(0 1 1 NY) moat(W-1 1 1 NY))
"""
CELL = """
sp socket e, w, n, s;
sp x[n=4]; sp u;
main {
  t in [0, 10) {
    parallel { e[] <- u; w[] <- u; n[] <- u; s[] <- u; x[0] <- e[]; x[1] <- w[]; x[2] <- n[]; x[3] <- s[]; }
    u = x[0] + x[1] + x[2] + x[3];
  }
}
"""
EDGE = """
sp socket e, w, n, s;
main {
  parallel {
    forever dispatch(e) { wavelet(sp x) { e[] <- x; } }
    forever dispatch(w) { wavelet(sp x) { w[] <- x; } }
    forever dispatch(n) { wavelet(sp x) { n[] <- x; } }
    forever dispatch(s) { wavelet(sp x) { s[] <- x; } }
  }
}
"""
SIZES = [(10, 10), (32, 32), (34, 34), (100, 100), (316, 316), (762, 1172), (1000, 1000)]
WAFER = (762, 1172)


@dataclass
class Run:
    """What a process took. `memory` in KB."""

    clock: float
    core: float
    memory: int


def machine() -> str:
    """The machine in one line."""
    name = platform.machine()
    try:
        for line in Path("/proc/cpuinfo").read_text().splitlines():
            if line.startswith("model name"):
                name = line.partition(":")[2].strip()
                break
    except OSError:
        pass
    return f"{name}, {os.cpu_count()} cores, Python {platform.python_version()}, {platform.system()}"


def run(command: str, words: list[str], directory: Path, cache: str) -> Run:
    """Runs a command of the toolchain, given by its module."""
    program = f"import sys; from {command} import main; sys.exit(main(sys.argv[1:]))"
    home = str(Path(__file__).resolve().parent.parent)
    paths = os.pathsep.join(filter(None, [home, os.environ.get("PYTHONPATH")]))
    environment = {**os.environ, "TUNGSTEN_CACHE": cache, "PYTHONPATH": paths}
    start = time.perf_counter()
    process = subprocess.Popen([sys.executable, "-c", program, *words], cwd=directory, env=environment)
    _, status, usage = os.wait4(process.pid, 0)
    clock = time.perf_counter() - start
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        sys.exit(f"{command} failed: {' '.join(words)}")
    return Run(clock, usage.ru_utime + usage.ru_stime, usage.ru_maxrss)


def best(runs: list[Run]) -> Run:
    return Run(min(r.clock for r in runs), min(r.core for r in runs), max(r.memory for r in runs))


def size(path: Path) -> str:
    n = path.stat().st_size
    return f"{n / 1e6:.1f} MB" if n >= 1e6 else f"{n / 1e3:.1f} KB"


def paint(directory: Path, width: int, height: int, cache: str) -> Run:
    words = ["source=bench.paint", f"set=NX={width - 2}", f"set=NY={height - 2}", f"fabric={width},{height}"]
    outputs = ["image=b.img", "map=b.map", "report=b.html"]
    return run("paint.cmd", [*words, *outputs], directory, cache)


def main() -> None:
    repetitions = int(sys.argv[1]) if len(sys.argv) > 1 else 3
    with tempfile.TemporaryDirectory() as name:
        directory = Path(name)
        (directory / "bench.paint").write_text(LAYOUT)
        (directory / "cell.w").write_text(CELL)
        (directory / "edge.w").write_text(EDGE)
        print(f"Machine: {machine()}\n")
        cold: dict[tuple[int, int], list[Run]] = {}
        warm: dict[tuple[int, int], list[Run]] = {}
        files: dict[tuple[int, int], tuple[str, str]] = {}
        # Round after round over all sizes, so that a busy moment of the machine does not hit one of them alone.
        for _ in range(repetitions):
            for fabric in SIZES:
                cache = str(directory / "cache")
                cold.setdefault(fabric, []).append(paint(directory, *fabric, cache))
                warm.setdefault(fabric, []).append(paint(directory, *fabric, cache))
                shutil.rmtree(cache)
                files[fabric] = size(directory / "b.img"), size(directory / "b.html")
        print(
            "| fabric | tiles | first time: s | core s | kernels cached: s | core s | memory | image | page |"
        )
        print("|---|---|---|---|---|---|---|---|---|")
        for fabric in SIZES:
            c, w = best(cold[fabric]), best(warm[fabric])
            memory = max(c.memory, w.memory) / 1000
            print(
                f"| {fabric[0]} x {fabric[1]} | {fabric[0] * fabric[1]:,} | {c.clock:.2f} | {c.core:.2f} | {w.clock:.2f} "
                f"| {w.core:.2f} | {memory:.0f} MB | {files[fabric][0]} | {files[fabric][1]} |"
            )
        width, height = WAFER
        paint(directory, width, height, "")
        tiles = (width - 2) * (height - 2)
        with open(directory / "x.raw", "wb") as f:
            for _ in range(height - 2):
                f.write(os.urandom(16 * (width - 2)))  # what cannot be packed, the worst case
        print("\n| miset over all tiles | tiles | data | s | core s | memory | image |")
        print("|---|---|---|---|---|---|---|")
        words = ["image=b.img", "out=c.img", "map=b.map", "symbol=grid.x", "data=x.raw"]
        m = best([run("fabric.cmd_miset", words, directory, "") for _ in range(repetitions)])
        print(
            f"| {width - 2} x {height - 2} | {tiles:,} | {size(directory / 'x.raw')} | {m.clock:.2f} | {m.core:.2f} "
            f"| {m.memory / 1000:.0f} MB | {size(directory / 'c.img')} |"
        )


if __name__ == "__main__":
    main()
