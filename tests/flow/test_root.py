"""The root's own Makefile: lessons by row, help; with an environment of stub commands."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from .conftest import ROOT, Project
from .test_flow import MAKEFILE


@pytest.fixture
def tree(tmp_path: Path, stub_sysroot: Path) -> Project:
    """A copy of what make needs, with one lesson; its environment counts as installed."""
    root = tmp_path / "tree"
    root.mkdir()
    for name in ("Makefile", "pyproject.toml"):
        shutil.copy(ROOT / name, root)
    shutil.copytree(ROOT / "share", root / "share")
    shutil.copytree(stub_sysroot, root / ".venv")
    project = Project(root, root / ".venv", tmp_path / "calls")
    head = "SYSROOT ?= $(abspath $(dir $(firstword $(MAKEFILE_LIST)))../../.venv)\n"
    project.write("tutorial/01-one/Makefile", head + MAKEFILE)
    project.write("tutorial/01-one/test.rc", "small N=1\nlarge N=2\n")
    project.write("tutorial/01-one/bench.paint", "")
    project.write("tutorial/01-one/eta.raw", "")
    project.write("test.rc", "tutorial lesson-01 LESSON=tutorial/01-one ROW=1 ARCH=sdr\nother LESSON=tutorial/01-one\n")
    project.write(".venv/.installed", "")
    return project


def test_a_lesson_by_its_row(tree: Project) -> None:
    out = tree.make("TEST=1", "ARCH=sdr").splitlines()
    assert out == ["PASS test-small: 123 cycles", "PASS test-lesson-01"]
    assert "set=N=1" in tree.calls("paint", "test-small")[0]
    out = tree.make("TEST=other").splitlines()
    assert out == ["PASS test-small: 123 cycles", "PASS test-large: 123 cycles", "PASS test-other"]
    (tree.path / ".venv/bin/fcmp").write_text("#!/bin/bash\necho they differ; exit 1\n")
    out = tree.make("TEST=lesson*", code=2).splitlines()
    assert out[0] == "FAIL test-small: 123 cycles" and "FAIL test-lesson-01" in out
    assert any("they differ" in line for line in out)


def test_a_lesson_in_its_own_directory_finds_the_environment(tree: Project) -> None:
    lesson = Project(tree.path / "tutorial" / "01-one", tree.sysroot, tree.log)
    assert lesson.make("TEST=1", "ARCH=sdr").splitlines() == ["PASS test-small: 123 cycles"]
    tree.make("clean")
    assert not (lesson.path / "test-small").exists()


def test_help_lists_the_targets(tree: Project) -> None:
    out = tree.make("help")
    for target in ("make TEST=1 ARCH=sdr", "make test ", "make lint", "make clean", "make install"):
        assert target in out


def test_every_lesson_has_a_row_and_every_row_a_lesson() -> None:
    rows = [line.split() for line in (ROOT / "test.rc").read_text().splitlines() if line and line[0] != "#"]
    named = [w.removeprefix("LESSON=") for row in rows for w in row if w.startswith("LESSON=")]
    lessons = sorted(str(f.parent.relative_to(ROOT)) for f in ROOT.glob("tutorial/*/test.rc"))
    assert sorted(named) == lessons and len(named) == len(rows)
    assert "01-" in named[0]
