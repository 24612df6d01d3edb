"""The whole wafer: one kernel with halo routes on every tile and a border ring.

The work is counted in calls, since clocks are wrong on a busy machine; benchmarks/paint_scale.py has the seconds."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from counting import calls

from paint import pipeline
from paint.link import link

HALO = """
let W = NX+2 let H = NY+2
let e = color() let ep = color() let w = color() let wp = color()
let n = color() let np = color() let s = color() let sp = color()
let all = rect(0 0 W H)
all : paint(ep [CXR|R]) all : paint(e [L|LXC]) all : colorpair(e ep)
all : paint(wp [CXL|L]) all : paint(w [R|RXC]) all : colorpair(w wp)
all : paint(np [CXU|U]) all : paint(n [D|DXC]) all : colorpair(n np)
all : paint(sp [CXD|D]) all : paint(s [U|UXC]) all : colorpair(s sp)
let grid = rect(1 1 NX NY)
grid : code('cell [e:e w:w n:n s:s]) grid : name('grid)
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
COMMAND = """
import sys
from paint.cmd import main
code = main(sys.argv[1:])
# The peak since this program began; getrusage would count what the process was forked from.
print([line.split()[1] for line in open("/proc/self/status") if line.startswith("VmHWM")][0])
sys.exit(code)
"""


def write(directory: Path) -> None:
    (directory / "bench.paint").write_text(HALO)
    (directory / "cell.w").write_text(CELL)
    (directory / "edge.w").write_text(EDGE)


def test_the_whole_wafer(tmp_path: Path) -> None:
    write(tmp_path)
    words = ["source=bench.paint", "set=NX=760", "set=NY=1170", "image=b.img", "map=b.map"]
    done = subprocess.run(
        [sys.executable, "-c", COMMAND, *words], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
    # Far below what is promised (2 GB, 50 MB), so that growth is seen; KB.
    assert int(done.stdout.split()[-1]) < 200_000
    assert (tmp_path / "b.img").stat().st_size < 20_000
    grid = [line for line in (tmp_path / "b.map").read_text().splitlines() if line.startswith("grid.u ")]
    assert [line.partition("[")[2] for line in grid] == ["y<1170 x<760 _word<2] 1,1 1,1"]


def test_painting_does_not_grow_with_the_tiles(tmp_path: Path) -> None:
    """From layout to linked image, the kernels compiled before: a few calls for each row and column, none for a tile."""
    write(tmp_path)
    cache = str(tmp_path / "cache")

    def painted(width: int, height: int) -> tuple[pipeline.Built, int]:
        given = {"NX": str(width - 2), "NY": str(height - 2)}
        options = pipeline.Options(given=given, cache=cache)

        def whole() -> pipeline.Built:
            built = pipeline.run(str(tmp_path / "bench.paint"), options)
            link(built.object).to_bytes()
            return built

        return calls(whole)

    painted(34, 34)
    built, small = painted(34, 34)
    assert len(built.layout.classes) == 9
    built, large = painted(762, 1172)
    # The middle, four sides, four corners; two programs on them.
    assert len(built.layout.classes) == 9 and len(built.programs) == 2
    assert sum(c.tiles.count() for c in built.layout.classes) == 762 * 1172
    assert large < small + 60 * (762 + 1172)
    assert small < 250_000
