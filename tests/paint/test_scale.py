"""The whole wafer: one kernel with halo routes on every tile and a border ring (time and memory as promised)."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

import pytest

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
import resource, sys
from paint.cmd import main
code = main(sys.argv[1:])
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
sys.exit(code)
"""


@pytest.mark.parametrize(("width", "height", "seconds"), [(34, 34, 5.0), (762, 1172, 20.0)])
def test_halo(width: int, height: int, seconds: float, tmp_path: Path) -> None:
    (tmp_path / "bench.paint").write_text(HALO)
    (tmp_path / "cell.w").write_text(CELL)
    (tmp_path / "edge.w").write_text(EDGE)
    words = ["source=bench.paint", f"set=NX={width - 2}", f"set=NY={height - 2}", "image=b.img", "map=b.map"]
    start = time.monotonic()
    done = subprocess.run(
        [sys.executable, "-c", COMMAND, *words], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    took = time.monotonic() - start
    assert (done.returncode, done.stderr) == (0, "")
    assert took < seconds
    assert int(done.stdout.split()[-1]) < 2_000_000  # KB
    assert (tmp_path / "b.img").stat().st_size < 50_000_000
    grid = [line for line in (tmp_path / "b.map").read_text().splitlines() if line.startswith("grid.u ")]
    assert [line.partition("[")[2] for line in grid] == [f"y<{height - 2} x<{width - 2} _word<2] 1,1 1,1"]
