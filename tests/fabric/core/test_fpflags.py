"""The flags [uoxiz] of traces: by hand, against numpy's where it reports them, and in the EX lines of a program."""

from __future__ import annotations

import struct
import warnings

import numpy as np
import pytest
from core_bench import Machine, with_meta

from fabric.fpflags import flags
from fabric.isa import BY_NAME
from fabric.logreader import Execute, read
from fabric.simulation import Simulation
from fabric.trace import Trace


def s(value: float) -> int:
    return int(struct.unpack("<I", struct.pack("<f", value))[0])


def h(value: float) -> int:
    return int(struct.unpack("<H", struct.pack("<e", value))[0])


def of(name: str, *sources: int) -> str:
    row = BY_NAME[name]
    assert row.semantics is not None and row.dest is not None
    return flags(name, row.sources, row.dest, sources, row.semantics(*sources)).replace(" ", "")


NAN, SNAN, INF, HUGE, TINY = 0x7FC00000, 0x7F800001, 0x7F800000, s(3e38), s(1e-38)


@pytest.mark.parametrize(
    ("name", "sources", "want"),
    [
        ("fadds", (s(1.5), s(2.25)), ""),
        ("fadds", (s(1.0), s(2.0**-30)), "x"),
        ("fadds", (HUGE, HUGE), "ox"),
        ("fadds", (INF, INF ^ 1 << 31), "i"),
        ("fadds", (INF, s(1.0)), ""),
        ("fadds", (NAN, s(1.0)), ""),
        ("fadds", (SNAN, s(1.0)), "i"),
        ("fsubs", (s(1.0), s(1.0)), ""),
        ("fmuls", (TINY, s(0.3)), "ux"),
        ("fmuls", (s(2.0**-100), s(2.0**-30)), ""),  # subnormal, and exact
        ("fmuls", (INF, 0), "i"),
        ("fdivs", (s(1.0), 0), "z"),
        ("fdivs", (0, 0), "i"),
        ("fdivs", (s(1.0), s(3.0)), "x"),
        ("fmacs", (s(1.0), s(3.0), s(0.5)), ""),
        ("fmacs", (s(1.0), s(1.0 + 2.0**-20), s(1.0 + 2.0**-20)), "x"),
        ("fmach", (h(60000.0), h(100.0), h(100.0)), "ox"),
        ("fs2h", (s(65520.0),), "ox"),
        ("fs2h", (s(0.1),), "x"),
        ("fs2h", (s(2.0**-24),), ""),
        ("fs2h", (s(1e-7),), "ux"),
        ("fh2s", (h(0.1),), ""),
        ("fs2xp16", (s(7.0),), ""),
        ("fs2xp16", (s(-7.5),), "x"),
        ("fs2xp16", (s(40000.0),), "i"),
        ("fs2u16", (s(-1.0),), "i"),
        ("fs2i32", (NAN,), "i"),
        ("i322fs", (2**24 + 1,), "x"),
        ("i322fs", (0xFFFFFFFF,), ""),
        ("u162fh", (65535,), "ox"),
        ("xp162fh", (2049,), "x"),
        ("fscales", (s(1.0), 0xFF6C), ""),  # 2**-148, which fp32 has
        ("fscales", (s(1.5), 0xFF6B), "ux"),  # 1.5 * 2**-149 lies between two subnormals
        ("flts", (NAN, s(1.0)), "i"),
        ("feqs", (NAN, s(1.0)), ""),
        ("fabss", (SNAN,), ""),
        ("fmaxs", (s(1.0), s(0.1)), ""),
        ("add16", (1, 2), ""),
    ],
)
def test_by_hand(name: str, sources: tuple[int, ...], want: str) -> None:
    assert of(name, *sources) == want


@pytest.mark.parametrize("name", ["fadds", "fsubs", "fmuls", "fdivs"])
def test_against_numpy(name: str) -> None:
    """Overflow, invalid and division by zero as numpy reports them; what it does not report is inexact or exact."""
    rng = np.random.default_rng(5)
    values = np.concatenate([rng.integers(0, 2**32, 60, dtype=np.uint32), [0, 1 << 31, INF, s(1.0), HUGE, TINY, 1]])
    operation = {"fadds": np.add, "fsubs": np.subtract, "fmuls": np.multiply, "fdivs": np.divide}[name]
    words = {"overflow": "o", "invalid": "i", "divide by zero": "z"}
    for a in values:
        for b in values[::3]:
            x, y = (np.array([v], dtype=np.uint32).view(np.float32) for v in (a, b))
            if not (np.isnan(x[0]) or np.isnan(y[0])):
                with warnings.catch_warnings(record=True) as told:
                    warnings.simplefilter("always")
                    operation(x, y)
                want = {letter for t in told for word, letter in words.items() if word in str(t.message)}
                assert set(of(name, int(a), int(b))) & set("oiz") == want, (hex(a), hex(b))


def test_in_the_lines_of_a_program() -> None:
    m = Machine()
    m.kernel(0, 0, """.symbol a sp n=3
.float 1.0, 3e38, 0.0
.var b sp n=3
from: .dsd mem1d base=a extent=3
to: .dsd mem1d base=b extent=3
.func main
.entry
 ldd DD0 = [to];
 lds0 SA0 = [from];
 mov32 D0 = 0x7f000000;
 fadds [DD0] = [SA0], D0;
 fdivs D4 = D0, 0x0;
 add16 R0 = R1, 2; terminate;""")  # fmt: skip
    out: list[str] = []
    t = Trace(["inst_trace"], out.append)
    sim = Simulation(with_meta(m), probe=lambda tile: t)
    assert sim.run(500).status == "done"
    t.flush()
    shown = [(e.opcode, e.element, e.flags) for e in read(out).of(Execute) if e.opcode in ("FADDS", "FDIVS", "ADD16")]
    # 2**127 + 1 is inexact, 2**127 + 3e38 too large, 2**127 + 0 exact
    assert shown == [("FADDS", 0, "x"), ("FADDS", 1, "ox"), ("FADDS", 2, ""), ("FDIVS", 0, "z"), ("ADD16", 0, "")]
