"""fcmp: the error of an element is |a-b| / max(1, |b|); NaN differs from everything."""

from __future__ import annotations

import math
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fabric.cmd_fcmp import main
from fabric.fcmp import FORMATS, compare, errors, parse

INF, NAN = math.inf, math.nan


@pytest.mark.parametrize(
    "a,b,want",
    [
        *[(1.5, 1.0, 0.5), (0.5, 0.25, 0.25), (110.0, 100.0, 0.1), (-3.0, 3.0, 2.0), (0.0, -0.0, 0.0)],
        *[(NAN, NAN, INF), (NAN, 1.0, INF), (1.0, NAN, INF)],
        *[(INF, INF, 0.0), (-INF, -INF, 0.0), (INF, -INF, INF), (INF, 1.0, INF), (1.0, INF, INF)],
    ],
)
def test_errors_worked_out_by_hand(a: float, b: float, want: float) -> None:
    assert errors(np.array([a]), np.array([b]))[0] == want


@given(st.sampled_from(sorted(FORMATS)), st.sampled_from(sorted(FORMATS)), st.binary(min_size=8, max_size=8), st.binary(min_size=8, max_size=8))
def test_errors_agree_with_exact_arithmetic(fa: str, fb: str, ra: bytes, rb: bytes) -> None:
    a, b = parse(ra, fa, "a")[:1], parse(rb, fb, "b")[:1]
    got = float(errors(a, b)[0])
    va, vb = a[0].item(), b[0].item()
    if not (math.isfinite(va) and math.isfinite(vb)):
        assert got == (0.0 if va == vb else INF)
        return
    exact = abs(Fraction(va) - Fraction(vb)) / max(1, abs(Fraction(vb)))
    assert got == pytest.approx(float(exact), rel=1e-15, abs=0) or exact == 0 == got


def test_wide_integers_are_exact() -> None:
    big = np.array([(1 << 63) + 1], dtype=np.uint64)
    assert errors(big, big - np.uint64(1))[0] > 0
    assert errors(big, big)[0] == 0


def test_the_worst_elements_come_first() -> None:
    b = np.zeros(50)
    a = b.copy()
    a[[7, 9, 30]] = [0.5, 2.0, NAN]
    r = compare(a, b, 0.1)
    assert (r.count, r.over, r.worst) == (50, 3, INF)
    assert [p[0] for p in r.places[:3]] == [30, 9, 7]
    assert compare(a, b, 2.0).over == 1 and compare(b, b, 0.0).over == 0


def test_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.chdir(tmp_path)
    np.array([1, 2, 3, 400], dtype="<f4").tofile("a")
    np.array([1, 2, 3, 402], dtype="<i2").tofile("b")
    assert main(["a=a", "b=b", "bformat=xp", "report=1"]) == 0
    assert capsys.readouterr().out == "4 elements, 0 over the limit 0.01; worst error 0.00497512, mean 0.00124378\n"
    assert main(["a=a", "b=b", "bformat=xp"]) == 0
    assert capsys.readouterr().out == ""
    assert main(["a=a", "b=b", "bformat=xp", "limit=0.001", "report=1"]) == 1
    out, err = capsys.readouterr()
    assert out.splitlines()[1:] == ["  [3] 400.0 402 error 0.00497512"]
    assert "1 of 4 elements differ by more than 0.001; the worst at 3: 400.0 and 402" in err
    for words in (["limit=-1"], ["limit=nan"], ["aformat=fp"], ["aformat=dp"], ["aformat=hp"], ["report=2"]):
        assert main(["a=a", "b=b", "bformat=xp", *words]) == 1
    Path("c").write_bytes(b"")
    assert main(["a=c", "b=c"]) == 1, "nothing compared is not right"
