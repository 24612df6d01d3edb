"""The lessons' pictures: the command in the README makes them, and what is drawn is what numpy gets.

A picture is made of the lesson's small row by make, as a reader does; then plot.py runs once more in this process, with
the words that make gave it, and the figure is looked at.
"""

from __future__ import annotations

import re
import runpy
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from .conftest import ROOT, Project

LESSONS = sorted(path.parent.name for path in ROOT.glob("tutorial/*/plot.py"))
MOST_BYTES = 100_000


def draw(name: str, tmp_path: Path, sysroot: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[Any, Path]:
    """The figure of a lesson's small row, and the row's directory."""
    pytest.importorskip("matplotlib")
    lesson = tmp_path / name
    shutil.copytree(ROOT / "tutorial" / name, lesson, ignore=shutil.ignore_patterns("test-*"))
    row = (lesson / "test.rc").read_text().split("\n")[0].split()
    label = next(row[k - 1] for k, word in enumerate(row) if "=" in word)
    out = Project(lesson, sysroot, tmp_path / "calls").make(f"test-{label}/picture.png", f"SYSROOT={sysroot}")
    where = lesson / f"test-{label}"
    assert (where / "picture.png").read_bytes()[:8] == b"\x89PNG\r\n\x1a\n"
    words = re.findall(r"^python (\S*plot\.py .*)$", out, re.M)[-1].split()
    monkeypatch.chdir(where)
    monkeypatch.setattr(sys, "argv", words)
    return runpy.run_path(words[0], run_name="__main__")["figure"], where


def raw(path: Path, *shape: int, kind: str = "<f4") -> np.ndarray:
    return np.fromfile(path, dtype=kind).reshape(shape or -1).astype(float)


def frames(figure: Any) -> list[np.ndarray]:
    return [np.asarray(axis.images[0].get_array()) for axis in figure.axes if axis.images]


def lines(axis: Any) -> dict[str, Any]:
    return {line.get_label(): line for line in axis.lines}


def test_every_picture_stands_in_its_readme_and_is_small() -> None:
    assert len(LESSONS) >= 11
    for name in LESSONS:
        picture = ROOT / "tutorial" / name / f"{name.split('-', 1)[1]}.png"
        assert 5_000 < picture.stat().st_size < MOST_BYTES, picture
        text = (picture.parent / "README.md").read_text(encoding="utf-8")
        assert f"]({picture.name})" in text and "`make picture`" in text, name
        assert re.search(r"^lesson \d+ picture ", (picture.parent / "test.rc").read_text(), re.M)


def test_histogram(tmp_path: Path, real_sysroot: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    figure, where = draw("06-histogram", tmp_path, real_sysroot, monkeypatch)
    pixels = raw(where / "pixels.raw", 8, 8, kind="<i2")
    assert np.array_equal(frames(figure)[0], pixels)
    heights = [bar.get_height() for bar in figure.axes[1].patches]
    assert heights == np.histogram(pixels, bins=16, range=(0, 256))[0].tolist()


def test_timeline(tmp_path: Path, real_sysroot: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    figure, _ = draw("07-parallel", tmp_path, real_sysroot, monkeypatch)
    assert len(figure.axes) == 3
    for axis in figure.axes:
        lanes = [tick.get_text() for tick in axis.get_yticklabels()]
        bars = {lane: [p.get_extents() for p in c.get_paths()] for lane, c in zip(lanes, axis.collections, strict=True)}
        # Eight numbers go out and come in, one a cycle each; the two sums are one vector instruction each.
        assert [sum(b.width for b in bars[lane]) for lane in ("wavelets out", "wavelets in")] == [8, 8]
        assert [len(bars[lane]) for lane in ("norm, sum", "send", "receive")] == [2, 1, 1]
        assert bars["norm, sum"][1].x0 >= bars["receive"][0].x1, "what follows the block starts after it"


def test_scores(tmp_path: Path, real_sysroot: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    figure, where = draw("08-smith-waterman", tmp_path, real_sysroot, monkeypatch)
    query, target = (raw(where / f"{name}.raw", kind="<i2") for name in ("query", "target"))
    h = np.zeros((len(query) + 1, len(target) + 1))
    for i, a in enumerate(query):
        for j, b in enumerate(target):
            h[i + 1, j + 1] = max(0, h[i, j] + (2 if a == b else -1), h[i, j + 1] - 1, h[i + 1, j] - 1)
    assert np.array_equal(frames(figure)[0], h[1:, 1:])
    # The way that is drawn is worth the best score.
    xs, ys = (np.asarray(v)[::-1] for v in figure.axes[0].lines[0].get_data())
    score = 0.0
    for k, (j, i) in enumerate(zip(xs, ys, strict=True)):
        diagonal = k == 0 or (j != xs[k - 1] and i != ys[k - 1])
        score += -1 if not diagonal else 2 if query[i] == target[j] else -1
    assert score == h.max()


def test_profile(tmp_path: Path, real_sysroot: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    figure, where = draw("10-cycle-counter", tmp_path, real_sysroot, monkeypatch)
    axis = figure.axes[0]
    names = [tick.get_text().split(":")[0] for tick in axis.get_yticklabels()]
    widths = {name: 0.0 for name in names}
    for bars in axis.containers:
        for name, bar in zip(names, bars, strict=True):
            widths[name] += bar.get_width()
    spent = {}
    for text in (where / "profile.txt").read_text().splitlines():
        if found := re.match(r"([\s\d]+?)\s+\S*timing\.w:(\d+) ", text):
            spent[f"line {found[2]}"] = sum(map(int, found[1].split()))
    assert len(widths) == 4
    assert all(width == pytest.approx(spent[name] / 64) for name, width in widths.items())


def test_landings(tmp_path: Path, real_sysroot: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    figure, _ = draw("12-scan", tmp_path, real_sysroot, monkeypatch)
    axis = figure.axes[0]
    # Five tiles send a sum and an ADVANCE in each of three rounds, four of them a RESET.
    assert [text.get_text() for text in axis.get_legend().get_texts()] == [
        "sum: 15 wavelets",
        "ADVANCE: 15 wavelets",
        "RESET: 12 wavelets",
    ]
    ways = [line for line in axis.lines if line.get_linestyle() == "-" and len(line.get_xdata()) > 1]
    assert all((np.diff(line.get_xdata()) >= 2).all() and (np.diff(line.get_ydata()) == 1).all() for line in ways)


def test_filter(tmp_path: Path, real_sysroot: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    figure, where = draw("19-fir", tmp_path, real_sysroot, monkeypatch)
    signal, weights = raw(where / "input.raw"), raw(where / "weights.raw")
    drawn = lines(figure.axes[0])
    assert np.array_equal(drawn["before"].get_ydata(), signal)
    assert np.allclose(drawn["after"].get_ydata(), np.convolve(signal, weights)[: len(signal)], atol=1e-6)


def _stencil(u: np.ndarray, mode: str, share: float) -> np.ndarray:
    x = np.pad(u, 1, mode=mode)  # type: ignore[call-overload]
    return share * (x[1:-1, :-2] + x[1:-1, 2:] + x[:-2, 1:-1] + x[2:, 1:-1] - 4 * u)


def test_wave(tmp_path: Path, real_sysroot: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    figure, where = draw("27-wave", tmp_path, real_sysroot, monkeypatch)
    u = old = raw(where / "start.raw", 4, 4)
    film = [u]
    for _ in range(5):
        u, old = 2 * u - old + _stencil(u, "constant", 0.25), u
        film.append(u)
    assert np.allclose(frames(figure), [film[t] for t in (0, 1, 3, 5)], atol=1e-5)
    assert [axis.get_title() for axis in figure.axes[1:4]] == ["after 1 step", "after 3 steps", "after 5 steps"]


def test_heat(tmp_path: Path, real_sysroot: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    figure, where = draw("28-heat", tmp_path, real_sysroot, monkeypatch)
    film = [raw(where / "start.raw", 4, 4)]
    for _ in range(5):
        film.append(film[-1] + _stencil(film[-1], "edge", 0.2))
    assert np.allclose(frames(figure), [film[t] for t in (0, 1, 3, 5)], atol=1e-5)


def test_cylinder(tmp_path: Path, real_sysroot: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    figure, where = draw("24-nine-point", tmp_path, real_sysroot, monkeypatch)
    film = [raw(where / "start.raw", 3, 4)]
    for _ in range(5):
        u = np.pad(film[-1], ((1, 1), (0, 0)), mode="edge")
        rows = u / 2 + np.roll(u, 1, axis=1) / 4 + np.roll(u, -1, axis=1) / 4  # the weights are a product of two
        film.append(rows[1:-1] / 2 + rows[:-2] / 4 + rows[2:] / 4)
    assert np.allclose(frames(figure), [film[t] for t in (0, 1, 3, 5)], atol=1e-5)


def test_box(tmp_path: Path, real_sysroot: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    figure, where = draw("25-stencil-3d", tmp_path, real_sysroot, monkeypatch)
    start = u = raw(where / "start.raw", 5, 2, 3)
    for _ in range(3):
        x = np.pad(u, 1)
        around = sum(np.roll(x, s, axis) for s in (1, -1) for axis in range(3))
        u = (around / 8 + x / 4)[1:-1, 1:-1, 1:-1]
    y = np.unravel_index(np.abs(start).argmax(), start.shape)[1]
    assert np.allclose(frames(figure), [start[:, y], u[:, y]], atol=1e-5)


def test_convergence(tmp_path: Path, real_sysroot: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    figure, where = draw("26-conjugate-gradients", tmp_path, real_sysroot, monkeypatch)
    b = raw(where / "b.raw", 4, 2, 3)

    def line(n: int) -> np.ndarray:
        return 2 * np.eye(n) - np.eye(n, k=1) - np.eye(n, k=-1)

    one = [np.eye(n) for n in b.shape]
    A = 0.0
    for k in range(3):  # second differences along one axis, the others as they are
        a, c, d = (line(n) if k == axis else one[axis] for axis, n in enumerate(b.shape))
        A = A + np.kron(np.kron(a, c), d)
    u = np.linalg.solve(A, b.ravel()).reshape(b.shape)
    z = np.unravel_index(np.abs(b).argmax(), b.shape)[0]
    assert np.allclose(frames(figure)[0], u[z], atol=1e-4)
    tiles = lines(figure.axes[0])["on the tiles, 32 bits"].get_ydata()
    assert tiles[0] == pytest.approx(np.linalg.norm(b)) and len(tiles) == 11
    assert tiles[-1] < 1e-4 * tiles[0]


def test_without_matplotlib_a_clear_message(tmp_path: Path, real_sysroot: Path) -> None:
    """No traceback, and the command that helps."""
    for name in LESSONS:
        code = f"import sys, runpy; sys.modules['matplotlib'] = None; runpy.run_path({str(ROOT / 'tutorial' / name / 'plot.py')!r})"
        run = subprocess.run([sys.executable, "-c", code], text=True, capture_output=True, cwd=tmp_path)
        assert run.returncode == 1 and "Traceback" not in run.stderr
        assert run.stderr == (
            f"the picture needs matplotlib, which is not installed: {sys.executable} -m pip install matplotlib\n"
        )


def test_make_says_so_before_it_simulates(tmp_path: Path, real_sysroot: Path) -> None:
    lesson = tmp_path / "lesson"
    shutil.copytree(ROOT / "tutorial" / "27-wave", lesson, ignore=shutil.ignore_patterns("test-*"))
    (tmp_path / "none").mkdir()
    (tmp_path / "none" / "matplotlib.py").write_text("raise ImportError\n")
    project = Project(lesson, real_sysroot, tmp_path / "calls")
    out = project.make("picture", f"SYSROOT={real_sysroot}", code=2, PYTHONPATH=str(tmp_path / "none"))
    assert out.startswith("the picture needs matplotlib, which is not installed: ")
    assert not (lesson / "test-picture").exists()
