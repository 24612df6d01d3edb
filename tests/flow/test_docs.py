"""What the documents show is true: commands run and print what stands below them, code compiles, programs run, links
lead somewhere.

In a block marked `sh`, lines that start with `$ ` are commands; the lines below one are what it prints, where `…`
stands for anything. The blocks of a document run in order in one scratch directory, and `cd` holds from command to
command. Blocks marked `tungsten` and `paint` are compiled, each by itself; `python` runs. doc_blocks.py says how a block
names its file or what it needs. `text` is for what is no code: formats, grammars, logs that a test elsewhere checks.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest

from diag.report import Reporter, UserError

from .doc_blocks import DOCUMENTS, ROOT, Block, anchors, blocks, commands, matches, prose

KINDS = {"sh", "tungsten", "paint", "python", "make", "json", "text", "grammar"}


def _id(path: Path) -> str:
    return str(path.relative_to(ROOT))


def _each(kind: str) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Parametrises a test over all blocks of a kind."""
    found = [(path, block) for path in DOCUMENTS for block in blocks(path) if block.kind == kind]
    return pytest.mark.parametrize(("path", "block"), found, ids=[f"{_id(p)}:{b.line}" for p, b in found])


@pytest.fixture
def scratch(tmp_path: Path, real_sysroot: Path) -> Path:
    """A checkout with its environment: what the documents' commands may touch."""
    tree = tmp_path / "tree"
    tree.mkdir()
    for name in ("Makefile", "pyproject.toml", "test.rc"):
        shutil.copy2(ROOT / name, tree)
    shutil.copytree(ROOT / "tutorial", tree / "tutorial", ignore=shutil.ignore_patterns("test-*", "bench*.core"))
    shutil.copytree(ROOT / "share", tree / "share")
    for name in ("diag", "fabric", "tungsten", "carbide", "paint", "benchmarks"):
        (tree / name).symlink_to(ROOT / name)
    (tree / ".venv").symlink_to(real_sysroot)
    (real_sysroot / ".installed").touch()  # the tree counts as installed
    return tree


def _environ(real_sysroot: Path) -> dict[str, str]:
    clean = {k: v for k, v in os.environ.items() if not k.startswith(("MAKE", "TEST", "MFLAGS", "SYSROOT"))}
    return {**clean, "PATH": f"{real_sysroot / 'bin'}:{clean['PATH']}", "LC_ALL": "C.UTF-8"}


def _write_files(path: Path, where: Path) -> None:
    """The document's named blocks as files; an unnamed kernel or layout of the README is its first of all."""
    for block in blocks(path):
        name = block.name
        if block.kind in ("tungsten", "paint", "python", "make", "text") and name:
            (where / name).parent.mkdir(parents=True, exist_ok=True)
            (where / name).write_text(block.text, encoding="utf-8")
        elif path == ROOT / "README.md" and block.kind in ("tungsten", "paint"):
            (where / ("add.w" if block.kind == "tungsten" else "bench.paint")).write_text(block.text, encoding="utf-8")


@pytest.mark.parametrize(
    "path", [p for p in DOCUMENTS if any(b.kind in ("sh", "python") for b in blocks(p))], ids=_id
)
def test_commands_print_what_is_shown(path: Path, scratch: Path, real_sysroot: Path) -> None:
    where = scratch / path.parent.relative_to(ROOT) if path.is_relative_to(ROOT / "tutorial") else scratch
    _write_files(path, where)
    environ = _environ(real_sysroot)
    state = scratch.parent / "state"  # the shell's variables and directory, from command to command

    def run(words: list[str], where: Path) -> str:
        done = subprocess.run(
            words, cwd=where, env=environ, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=300
        )
        return done.stdout if words[0] == "bash" or done.returncode == 0 else f"{done.stdout}exit {done.returncode}\n"

    for block in blocks(path):
        if block.kind == "python" and not block.name:
            assert "exit " not in (out := run([sys.executable, "-c", block.text], where)), f"line {block.line}\n{out}"
        if block.kind != "sh":
            continue
        for command, expected in commands(block.text):
            out = run(["bash", "-c", f". {state} 2> /dev/null\n{command}\nexport -p > {state}; pwd > {state}.pwd"], where)
            where = Path(Path(f"{state}.pwd").read_text().strip())
            wanted = [line for line in expected if not line.startswith("setting up ")]
            assert matches(wanted, out), f"$ {command}\n{out}"


def _codes(reporter: Reporter, run: Callable[[], object]) -> list[str]:
    try:
        run()
    except UserError as e:
        return [d.code.code for d in e.diagnostics] or [d.code.code for d in reporter.diagnostics]
    return [d.code.code for d in reporter.diagnostics]


@_each("tungsten")
def test_kernels_compile(path: Path, block: Block, tmp_path: Path) -> None:
    from carbide.compile import compile_kernel

    if "part of" in block.notes:
        return _is_part(block)
    file = tmp_path / "k.w"
    file.write_text(block.notes.get("after", "") + "\n" + block.text, encoding="utf-8")
    reporter = Reporter()
    params = {k: str(v) for k, v in block.params.items()}
    found = _codes(reporter, lambda: compile_kernel(str(file), [], params, reporter))
    assert found == block.notes.get("wrong", "").split(), [d.message for d in reporter.diagnostics]


@_each("paint")
def test_layouts_are_painted(path: Path, block: Block, tmp_path: Path) -> None:
    """With the kernels that the document names; checks of the routes included."""
    from paint.pipeline import Options, run

    if "part of" in block.notes:
        return _is_part(block)
    for document in [path, *(ROOT / name for name in block.notes.get("kernels of", "").split())]:
        _write_files(document, tmp_path)
    file = tmp_path / "layout.paint"
    file.write_text(block.notes.get("after", "") + "\n" + block.text, encoding="utf-8")
    places = sorted({str(f.parent) for f in tmp_path.rglob("*.w")})
    reporter: list[Reporter] = []

    def paint() -> None:
        reporter.append(run(str(file), Options(places, block.params, fp16=10)).reporter)

    found = _codes(Reporter(), paint) or [d.code.code for r in reporter for d in r.diagnostics]
    assert found == block.notes.get("wrong", "").split()


def _is_part(block: Block) -> None:
    """The block's lines stand in this order in one file of the lesson, blanks aside."""
    lesson = ROOT / "tutorial" / block.notes["part of"]
    lines = [" ".join(line.split()) for line in block.text.splitlines() if line.strip() and line.strip() != "…"]
    for file in lesson.iterdir():
        if file.suffix in (".w", ".paint"):
            there = iter([" ".join(line.split()) for line in file.read_text(encoding="utf-8").splitlines()])
            if all(any(line in other for other in there) for line in lines):
                return
    pytest.fail(f"no file of {lesson.name} has these lines")


@_each("json")
def test_json_is_json(path: Path, block: Block) -> None:
    json.loads(block.text)


@pytest.mark.parametrize("path", DOCUMENTS, ids=_id)
def test_blocks_say_what_they_are(path: Path) -> None:
    for block in blocks(path):
        assert block.kind in KINDS, f"{path.name}:{block.line}: a block is one of {', '.join(sorted(KINDS))}"
        if block.kind == "make":
            assert block.name, f"{path.name}:{block.line}: a make block is a file that commands of the page use"
    assert not re.search(r"\n\n {4}[^ *\-\d]", prose(path)), "code stands in fenced blocks"


@cache
def _anchors(path: Path) -> set[str]:
    return anchors(path)


@pytest.mark.parametrize("path", DOCUMENTS, ids=_id)
def test_links_lead_somewhere(path: Path) -> None:
    for target, anchor in re.findall(r"\]\(([^)#\s]*)(?:#([^)\s]+))?\)", prose(path)):
        if "://" in target:
            continue
        place = path.parent / target if target else path
        if place.resolve() == ROOT / "docs" / "errors.md":
            continue  # made when the site is built; test_manual.py knows its anchors
        assert place.exists(), target
        if anchor and place.suffix == ".md":
            assert anchor in _anchors(place.resolve()), f"{target}#{anchor}"


def test_readme_starts_with_the_two_commands() -> None:
    first = (ROOT / "README.md").read_text(encoding="utf-8").splitlines()[:20]
    assert "$ make TEST=1 ARCH=sdr" in first
    assert any("`make test`" in line for line in first)


def test_what_the_tests_of_documents_take() -> None:
    """The checks themselves: blocks, notes, outputs, anchors."""
    assert matches(["a", "…", "b…d"], "a\nx\ny\nb c d\n") and not matches(["a"], "a\nb\n") and matches([], "")
    assert list(commands("$ a \\\n  b\nout\n$ c\n")) == [("a   b", ["out"]), ("c", [])]

