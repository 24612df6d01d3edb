"""A project outside the tree, written against tools.md alone, from sources to checked numbers with the real tools.

Its Makefile overrides bench.img (a copy, then several miset), one of its variables is shell arithmetic with blanks,
some of its lib= directories do not exist, and its kernels import a file and its layout includes one.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import time
from pathlib import Path

import numpy as np
import pytest

from .conftest import Project

MAKEFILE = """\
FLUTEMK ?= $(SYSROOT)/share/build/flute.mk
TESTMK ?= $(SYSROOT)/share/build/test.mk

N = 4
M = $$(( $(N) * 2 + 1 ))
UNUSED =
PAINTVARS = N M UNUSED
PAINTFLAGS = lib=/opt/original/tungsten lib=.. lib=../kernels lib=../none verbose arch=${ARCH}
SIMFLAGS = cycles=${CYCLES}
PIPELINEFLAGS = bench

include $(FLUTEMK)
include $(TESTMK)

all: test

a.raw g.raw: ../data.py
\tpython $< $(N)

bench.img: bench.obj a.raw g.raw
\tcp $< $@
\tmiset image=$@ map=bench.map symbol=send.a order="n" data=a.raw
\tmiset image=$@ map=bench.map symbol=recv.g order="y x n _word" data=g.raw

test: bench-$(MODE).core bench-$(MODE).log
\tmiget image=$< map=bench.map symbol=recv.b order=n data=b.raw
\tmiget image=$< map=bench.map symbol=recv.h order="n,_word" data=h.raw
\tmiget image=$< map=bench.map symbol=recv.total text
\tgrep -q 'cycles=' bench-$(MODE).log
\tpython ../check.py $(N) $(M)
\tfcmp a=h.raw b=want.raw limit=0 report=1

clean: cleanup

.PRECIOUS: %.img
"""
FILES = {
    "Makefile": MAKEFILE,
    "test.rc": """\
tutorial a N=4 ARCH=sdr CYCLES=20000
b N=7 ARCH=sdr
tutorial c N=1 M='$$((  20 - 3 ))' CYCLES=30000
""",
    "bench.paint": """\
(* N numbers go from send to recv *)
let c = color()
include "sender.paint"
let recv = rect(1 0 1 1)
recv : code('recv [rx:c N:N M:M])
recv : paint(c [L>C])
recv : name('recv)
union(send recv)
""",
    "kernels/sender.paint": """\
let send = rect(0 0 1 1)
send : code('send [tx:c N:N])
send : paint(c [C>R])
send : name('send)
""",
    "send.w": """\
xp param N;
socket tx;
xp a[n=N];
{
  let i in [0, N);
  ∀i tx[] <- a[i];
}
""",
    "recv.w": """\
import bias;
xp param N;
xp param M;
socket rx;
xp b[n=N];
sp g[n=N];
sp h[n=N];
xp total;
{
  let i in [0, N);
  ∀i b[i] <- rx[] + M;
  ∀i h[i] <- g[i] * 3.0;
  total = BIAS;
  ∀i total += b[i];
}
""",
    "kernels/bias.w": "xp const BIAS = 100;\n",
    "data.py": """\
import sys
import numpy as np
n = int(sys.argv[1])
np.arange(5, 5 + n, dtype="<i2").tofile("a.raw")
np.linspace(0.1, 2, n).astype("<f4").tofile("g.raw")
""",
    "check.py": """\
import sys
import numpy as np
n, m = int(sys.argv[1]), int(sys.argv[2])
b = np.fromfile("b.raw", dtype="<i2")
want = np.arange(5, 5 + n) + m
assert b.tolist() == want.tolist(), (b, want)
(np.fromfile("g.raw", dtype="<f4") * np.float32(3)).tofile("want.raw")
print(f"result: {b.tolist()}")
""",
}


@pytest.fixture
def user(tmp_path: Path, real_sysroot: Path) -> Project:
    path = tmp_path / "some project".replace(" ", "-")
    path.mkdir()
    project = Project(path, real_sysroot, tmp_path / "unused")
    for name, text in FILES.items():
        project.write(name, text)
    return project


def test_the_whole_way(user: Project) -> None:
    s = f"SYSROOT={user.sysroot}"
    out = user.make("TEST=a", "MODE=sim", s)
    assert re.fullmatch(r"result: \[14, 15, 16, 17\]\nPASS test-a: \d+ cycles\n", out)
    row = user.path / "test-a"
    log = (row / "make-log").read_text()
    assert "# recv.total xp [y<1 x<1]\n162\n" in log
    assert "4 elements, 0 over the limit 0" in log
    assert (row / "bench-sim.log").read_text().startswith("@0 dimX=2, dimY=1\n@0 Architecture is: SDR\n")
    entries = json.loads((row / "bench-listing.json").read_text())
    assert "add16" in json.dumps(entries)
    for line in (row / "bench.map").read_text().splitlines():
        assert re.fullmatch(r"(send|recv)\.\w+ \w+ 0x[0-9a-f]{4} \[y<1 x<1[^\]]*\] [01],0 1,1", line)

    out = user.make("TEST=2", s)
    assert out.startswith("result: [20, 21, 22, 23, 24, 25, 26]\nPASS test-b: ")

    out = user.make("check", "TEST=*", "-j2", s)
    results = sorted(line for line in out.splitlines() if line.startswith(("PASS", "FAIL")))
    assert [r.split(":")[0] for r in results] == ["PASS test-a", "PASS test-b", "PASS test-c"]
    assert "result: [22]" in out, "row c's M, shell arithmetic quoted in test.rc"

    # The command line wins over the row.
    assert user.make("TEST=a", "N=2", s).startswith("result: [10, 11]\n")


def test_a_file_of_a_row_and_what_makes_it_again(user: Project) -> None:
    s = f"SYSROOT={user.sysroot}"
    row = user.path / "test-a"
    user.make("test-a/bench-sim.core", s)
    assert (row / "bench-sim.core").exists() and not (row / "b.raw").exists()
    stamp = (row / "bench-sim.core").stat().st_mtime_ns
    assert "paint" not in user.make("test-a/bench-sim.core", "test-a/bench.map", s)
    assert (row / "bench-sim.core").stat().st_mtime_ns == stamp

    def total() -> str:
        user.make("test-a/bench-sim.core", s)
        words = [user.sysroot / "bin" / "miget", "image=bench-sim.core", "map=bench.map", "symbol=total", "text"]
        return subprocess.run(words, cwd=row, text=True, capture_output=True, check=True).stdout.splitlines()[1]

    assert total() == "162"
    for name, text, want in [
        ("kernels/bias.w", "xp const BIAS = 200;\n", "262"),
        ("recv.w", FILES["recv.w"].replace("rx[] + M", "rx[] + M + 1"), "266"),
        ("kernels/sender.paint", FILES["kernels/sender.paint"] + "(* edited *)\n", "266"),
        ("bench.paint", FILES["bench.paint"].replace("M:M", "M:M+1"), "270"),
    ]:
        before = (row / "bench.obj").stat().st_mtime_ns
        time.sleep(0.02)
        user.write(name, text)
        assert total() == want, name
        assert (row / "bench.obj").stat().st_mtime_ns > before, name


def test_what_is_wrong_in_a_source_is_shown_and_fails(user: Project) -> None:
    s = f"SYSROOT={user.sysroot}"
    user.write("recv.w", FILES["recv.w"].replace("total = BIAS", "total = BAIS"))
    out = user.make("TEST=[ab]", s, code=2)
    assert out.count("FAIL test-") == 2 and "2 of the tests FAILED" in out
    assert re.search(r"\| \S*recv\.w:13:11: error TW\d+: ", out), out
    assert not (user.path / "test-a" / "bench.obj").exists()
    assert "Traceback" not in out + user.logs()


@pytest.mark.skipif(shutil.which("readelf") is None, reason="readelf is not installed")
def test_the_elf_and_the_core(user: Project) -> None:
    """readelf takes the ELF of a real program without a word; the core holds the program and more."""
    s = f"SYSROOT={user.sysroot}"
    user.make("test-a/bench.elf", "test-a/bench-sim.core", s)
    row = user.path / "test-a"
    run = subprocess.run(["readelf", "-hlS", row / "bench.elf"], text=True, capture_output=True, check=True)
    assert run.stderr == "" and "EXEC" in run.stdout

    from fabric.image import Image
    from fabric.rects import Rect

    image, core = Image.load(str(row / "bench.img")), Image.load(str(row / "bench-sim.core"))
    assert image.linked and (core.width, core.height) == (image.width, image.height) == (2, 1)
    ids = core.read(0x7C45, 2, Rect(0, 0, 2, 1))
    assert np.array_equal(ids, [[[0, 0], [0, 1]]])
    code = min(min(image.tile_words(x, 0)) for x in (0, 1))
    assert code >= 2, "word 0 never holds code"
