"""What the documents show is true: commands run and print what stands below them, code blocks compile, links lead
somewhere.

In a block marked `sh`, lines that start with `$ ` are commands; the lines below one are what it prints, where `…`
stands for anything. The blocks of a document run in order in one scratch directory. Blocks marked `tungsten` and
`paint` are kernels and layouts: a first comment such as `// add.w` names the file, else the name is made from the
document's own use (README: add.w and bench.paint).
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from diag.report import Reporter

ROOT = Path(__file__).resolve().parents[2]
DOCUMENTS = sorted([ROOT / "README.md", *ROOT.glob("docs/*.md"), *ROOT.glob("tutorial/*/README.md")])
FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.M | re.S)


@dataclass
class Block:
    kind: str
    text: str


def blocks(path: Path) -> list[Block]:
    return [Block(m[1], m[2]) for m in FENCE.finditer(path.read_text(encoding="utf-8"))]


def commands(text: str) -> Iterator[tuple[str, list[str]]]:
    """(command, expected lines) of an sh block."""
    command: str | None = None
    expected: list[str] = []
    for line in text.splitlines():
        if line.startswith("$ "):
            if command is not None:
                yield command, expected
            command, expected = line[2:], []
        else:
            expected.append(line)
    if command is not None:
        yield command, expected


def matches(expected: list[str], got: str) -> bool:
    """`…` alone on a line stands for any lines, within a line for anything."""
    pattern = "".join(
        "(?:.*\n)*" if line == "…" else ".*".join(map(re.escape, line.split("…"))) + "\n" for line in expected
    )
    return re.fullmatch(pattern, got.rstrip("\n") + "\n" if got.strip() else "") is not None


@pytest.fixture
def scratch(tmp_path: Path, real_sysroot: Path) -> Path:
    """A checkout with its environment: what the documents' commands may touch."""
    tree = tmp_path / "tree"
    tree.mkdir()
    for name in ("Makefile", "pyproject.toml", "test.rc"):
        shutil.copy2(ROOT / name, tree)
    shutil.copytree(ROOT / "tutorial", tree / "tutorial", ignore=shutil.ignore_patterns("test-*"))
    shutil.copytree(ROOT / "share", tree / "share")
    (tree / ".venv").symlink_to(real_sysroot)
    (real_sysroot / ".installed").touch()  # the tree counts as installed
    return tree


def _environ(real_sysroot: Path) -> dict[str, str]:
    clean = {k: v for k, v in os.environ.items() if not k.startswith(("MAKE", "TEST", "MFLAGS", "SYSROOT"))}
    return {**clean, "PATH": f"{real_sysroot / 'bin'}:{clean['PATH']}", "LC_ALL": "C.UTF-8"}


def _write_sources(path: Path, where: Path) -> None:
    for block in blocks(path):
        if block.kind in ("tungsten", "paint"):
            named = re.match(r"(?://|\(\*)\s*(\S+\.(?:w|paint))", block.text)
            name = named[1] if named else "add.w" if block.kind == "tungsten" else "bench.paint"
            (where / name).write_text(block.text, encoding="utf-8")


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda p: str(p.relative_to(ROOT)))
def test_commands_print_what_is_shown(path: Path, scratch: Path, real_sysroot: Path) -> None:
    where = scratch if path.parent.name == "docs" or path.parent == ROOT else scratch / path.parent.relative_to(ROOT)
    _write_sources(path, where)
    for block in blocks(path):
        if block.kind != "sh":
            continue
        for command, expected in commands(block.text):
            run = subprocess.run(
                ["bash", "-c", command],
                cwd=where,
                env=_environ(real_sysroot),
                text=True,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                timeout=300,
            )
            wanted = [line for line in expected if not line.startswith("setting up ")]
            assert matches(wanted, run.stdout), f"$ {command}\n{run.stdout}"


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda p: str(p.relative_to(ROOT)))
def test_code_blocks_are_valid(path: Path, tmp_path: Path) -> None:
    import tungsten
    from paint.load import Sources

    _write_sources(path, tmp_path)
    for file in sorted(tmp_path.iterdir()):
        reporter = Reporter()
        if file.suffix == ".w":
            tungsten.load(str(file), [], {}, reporter)
        else:
            Sources([str(tmp_path)], reporter).load(str(file))
        assert not reporter.errors, (file.name, [d.message for d in reporter.errors])


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda p: str(p.relative_to(ROOT)))
def test_links_lead_somewhere(path: Path) -> None:
    text = FENCE.sub("", path.read_text(encoding="utf-8"))
    for target in re.findall(r"\]\(([^)#\s]+)[^)]*\)", text):
        if "://" not in target:
            assert (path.parent / target).exists(), target


def test_readme_starts_with_the_two_commands() -> None:
    first = (ROOT / "README.md").read_text(encoding="utf-8").splitlines()[:20]
    assert "$ make TEST=1 ARCH=sdr" in first
    assert any("`make test`" in line for line in first)
