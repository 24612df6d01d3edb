"""The cache of compiled kernels: used when nothing changed, never otherwise."""

from __future__ import annotations

from pathlib import Path

import pytest

from diag.report import Diagnostic
from fabric.image import Image
from fabric.program import Program
from paint import cmd, kernels

LAYOUT = "let t = tile() t : code('k [N:N]) t : name('t) t"
KERNEL = "import part; xp param N; xp a[n=N]; main { a[0] = M; }"


@pytest.fixture
def compiled(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The kernels that were really compiled, in a project directory with a cache of its own."""
    (tmp_path / "project" / "lib").mkdir(parents=True)
    monkeypatch.chdir(tmp_path / "project")
    monkeypatch.setenv("TUNGSTEN_CACHE", str(tmp_path / "cache"))
    Path("bench.paint").write_text(LAYOUT)
    Path("k.w").write_text(KERNEL)
    Path("lib/part.w").write_text("const M = 5;")
    calls: list[str] = []
    real = kernels.compile_one

    def compile_one(
        words: tuple[str, tuple[str, ...], kernels.Params, int],
    ) -> tuple[Program | None, list[Diagnostic]]:
        calls.append(words[0])
        return real(words)

    monkeypatch.setattr(kernels, "compile_one", compile_one)
    return calls


def paint(*words: str, code: int = 0) -> bytes:
    base = ["source=bench.paint", "lib=early", "lib=lib", "image=bench.img", "map=bench.map"]
    given = [w.partition("=")[0] for w in words]
    assert (
        cmd.main(
            [
                *(w for w in base if w.partition("=")[0] not in given),
                *words,
                *([] if "set" in given else ["set=N=3"]),
            ]
        )
        == code
    )
    return Path("bench.img").read_bytes()


def test_the_second_run_compiles_nothing(compiled: list[str]) -> None:
    first = paint()
    assert paint() == first
    assert compiled == ["k.w"]


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("k.w", KERNEL + " "),
        ("lib/part.w", "const M = 6;"),
        ("early/part.w", "const M = 7;"),
        ("lib/part.s", "x"),
    ],
)
def test_an_edited_file_or_a_nearer_import_compiles_again(compiled: list[str], path: str, text: str) -> None:
    paint()
    Path(path).parent.mkdir(exist_ok=True)
    Path(path).write_text(text)
    paint()
    assert len(compiled) == (1 if path.endswith(".s") else 2)


def test_parameters_flags_and_directories_decide(compiled: list[str]) -> None:
    paint()
    paint("set=N=4")
    paint("toolflag", "w", "opt=2")
    assert len(compiled) == 3
    paint("set=N=4")
    assert len(compiled) == 3


def test_messages_are_not_lost(compiled: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    Path("k.w").write_text("xp param N; socket unused; main { }")
    Path("bench.paint").write_text("let c = color() let t = tile() t : code('k [N:N unused:c]) t")
    paint()
    first = capsys.readouterr().err
    assert "warning TW" in first
    paint()
    assert capsys.readouterr().err == first
    assert len(compiled) == 2


def test_a_damaged_or_missing_cache_is_no_error(
    compiled: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = paint()
    for entry in (tmp_path / "cache").iterdir():
        entry.write_text('{"files": {}, "directories": {}, "program": 3}')
    assert paint() == first
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("TUNGSTEN_CACHE", str(tmp_path / "file" / "x"))
    assert paint() == first
    monkeypatch.setenv("TUNGSTEN_CACHE", "")
    assert paint() == first
    assert len(compiled) == 4
    assert Image.load("bench.img").linked
