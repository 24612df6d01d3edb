"""Every lesson is whole: files, rows, a check of its own, a text that ends with two things to try, the reader's data.

The slow lane runs all rows of all lessons, each once more with a file of the tests', and with one that is too short.
"""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import numpy as np
import pytest

from .conftest import ROOT, Project

LESSONS = sorted(path.parent for path in ROOT.glob("tutorial/*/test.rc"))
NUMBERS = {4: "relay", 8: "smith-waterman", 11: "halo", 27: "wave", 28: "heat"}  # users know these
FILES = r"^(DATA|FIELD|IMAGE|QUERY|A) \?= *(?:\$\(TOP\).*)?$"  # make variables that name the reader's file

# Type and number of elements that the first row takes.
DATA = {
    1: ("<i2", 8), 2: ("<i2", 16), 3: ("<f4", 16), 4: ("<i2", 8), 5: ("<f4", 8), 7: ("<f4", 24), 9: ("<f4", 16),
    10: ("<f4", 128), 11: ("<f4", 96), 12: ("<f4", 12), 13: ("<f4", 16), 14: ("<f4", 12), 15: ("<f2", 12),
    16: ("<f4", 36), 17: ("<u1", 12), 18: ("<f4", 135), 19: ("<f4", 16), 20: ("<f4", 60), 21: ("<f4", 20),
    22: ("<f4", 4), 23: ("<f4", 80), 24: ("<f4", 12), 25: ("<f4", 30), 26: ("<f4", 24), 27: ("<f4", 16),
    28: ("<f4", 16),
}  # fmt: skip


def number(lesson: Path) -> int:
    return int(lesson.name.split("-")[0])


def rows(lesson: Path) -> list[list[str]]:
    text = (lesson / "test.rc").read_text(encoding="utf-8")
    return [line.split() for line in text.splitlines() if line and line[0] != "#"]


def label(row: list[str]) -> str:
    return next(row[k - 1] for k, word in enumerate(row) if "=" in word)


def variables(lesson: Path) -> list[str]:
    return re.findall(FILES, (lesson / "Makefile").read_text(encoding="utf-8"), re.M)


def test_numbers_are_in_order_and_those_that_users_know_stay() -> None:
    assert [number(lesson) for lesson in LESSONS] == list(range(1, len(LESSONS) + 1)) and len(LESSONS) >= 24
    for n, topic in NUMBERS.items():
        assert LESSONS[n - 1].name == f"{n:02}-{topic}"
    index = (ROOT / "tutorial" / "README.md").read_text(encoding="utf-8")
    listed = [m[1] for m in re.finditer(r"^\| (?:\d+) \| \[[^]]+\]\(([\w-]+)/\) \| \S", index, re.M)]
    assert listed == [lesson.name for lesson in LESSONS]


@pytest.mark.parametrize("lesson", LESSONS, ids=lambda p: p.name)
def test_a_lesson_is_whole(lesson: Path) -> None:
    assert (lesson / "bench.paint").exists() and list(lesson.glob("*.w"))
    sizes = {tuple(word for word in row if "=" in word and "ARCH" not in word) for row in rows(lesson)}
    assert len(sizes) >= 2, "two rows of different size"
    assert all(row[:2] == ["lesson", str(number(lesson))] for row in rows(lesson))

    check = (lesson / "check.py").read_text(encoding="utf-8")
    assert "import numpy as np" in check
    assert not re.search(r"\b(fabric|tungsten|carbide|paint)\b", check), "the check is independent"

    readme = (lesson / "README.md").read_text(encoding="utf-8")
    assert readme.startswith(f"# {number(lesson)} ")
    assert re.search(rf"^\$ make TEST=\S.*\n(?:lesson {number(lesson)}: |…)", readme, re.M), "the result is shown"
    last = readme.split("\n## ")[-1]
    assert last.startswith("Two things to try\n") and len(re.findall(r"^- ", last, re.M)) == 2

    files = variables(lesson)
    assert files, "the reader's own file"
    head = (lesson / "Makefile").read_text(encoding="utf-8").split("\nSYSROOT")[0]
    assert all(f"`{name}" in readme and name in head for name in files)


def _copy(lesson: Path, tmp_path: Path, sysroot: Path) -> Project:
    shutil.copytree(lesson, tmp_path / lesson.name, ignore=shutil.ignore_patterns("test-*"))
    return Project(tmp_path / lesson.name, sysroot, tmp_path / "calls")


@pytest.mark.slow
@pytest.mark.parametrize("lesson", LESSONS, ids=lambda p: p.name)
def test_all_rows(lesson: Path, tmp_path: Path, real_sysroot: Path) -> None:
    out = _copy(lesson, tmp_path, real_sysroot).make(f"SYSROOT={real_sysroot}")
    assert out.count("PASS test-") == len(rows(lesson))


@pytest.mark.slow
@pytest.mark.parametrize("lesson", LESSONS, ids=lambda p: p.name)
def test_the_readers_own_file(lesson: Path, tmp_path: Path, real_sysroot: Path) -> None:
    project = _copy(lesson, tmp_path, real_sysroot)
    own, short = tmp_path / "own", tmp_path / "short"
    short.write_bytes(b"ACGT")
    random = np.random.default_rng(number(lesson))
    if number(lesson) == 6:
        own.write_bytes(b"P5 20 10 255\n" + random.integers(0, 256, 200, dtype="u1").tobytes())
    elif number(lesson) == 8:
        own.write_text(">a name\n" + "".join(random.choice(list("acgt"), 30)) + "\n")
    else:
        kind, n = DATA[number(lesson)]
        values = random.integers(0, 100, n) if kind[1] == "u" else random.normal(size=n) * (9000 if kind[1] == "i" else 1)
        values.astype(kind).tofile(own)
    row = label(rows(lesson)[0]) if number(lesson) != 23 else "good"
    names = [*variables(lesson), *(["B"] if number(lesson) == 1 else [])]
    words = (f"TEST={row}", f"SYSROOT={real_sysroot}")
    assert f"PASS test-{row}" in project.make(*words, *[f"{name}={own}" for name in names])
    out = project.make(*words, *[f"{name}={short}" for name in names], code=2)
    said = [line for line in out.splitlines() if str(short) in line and not re.search(r"\b(python|head|wc) ", line)]
    assert said and "Traceback" not in out, out
