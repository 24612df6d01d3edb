"""Kernels of a layout: compiled once each, and what their bindings may do wrong. Compilation is played by a function
here, the declarations are read from real sources."""

from __future__ import annotations

from pathlib import Path

import pytest

from diag.codes import error
from diag.report import Diagnostic, UserError, render
from fabric.program import Program, SocketUse, Symbol
from paint import kernels, pipeline
from paint.pipeline import Options

KERNEL = """
xp param N;
sp param SCALE = 1.5;
import shared;
socket tx, rx;
xp other[n=4];
"""


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "k.w").write_text(KERNEL)
    (tmp_path / "shared.w").write_text("xp param M = 2;\nsocket both;\n")
    return tmp_path


class Compiler:
    """Compiles kernel k as the real one would: all its parameters and sockets, TW136 when N is not bound."""

    def __init__(self) -> None:
        self.calls: list[dict[str, int | float]] = []

    def __call__(
        self, words: tuple[str, tuple[str, ...], kernels.Params, int]
    ) -> tuple[Program | None, list[Diagnostic]]:
        path, _, params, _ = words
        given = dict(params)
        self.calls.append(given)
        if "N" not in given:
            return None, [Diagnostic(error("TW136", "", "", ""), None, "param 'N' has no value")]
        p = Program("k", path, {n: str(v) for n, v in given.items() if n in ("N", "SCALE", "M")})
        p.declared = [("tx", "k.w:5:8"), ("rx", "k.w:5:12"), ("both", "shared.w:2:8")]
        p.sockets = [SocketUse("tx", "out", 0, "sp", "k.w:5:8"), SocketUse("rx", "in", 0, "sp", "k.w:5:12")]
        p.symbols = [Symbol("other", "xp", 16 + len(self.calls), 1, (("n", 4),))]
        p.sections = [(2, [1, 2])]
        p.memory_end = 4
        p.depends = [path, "shared.w"]
        return p, []


@pytest.fixture
def compiler(monkeypatch: pytest.MonkeyPatch) -> Compiler:
    made = Compiler()
    monkeypatch.setattr(kernels, "compile_one", made)
    return made


def errors(project: Path, text: str) -> list[str]:
    (project / "bench.paint").write_text(text)
    with pytest.raises(UserError) as e:
        pipeline.run("bench.paint", Options())
    return [render(d) for d in e.value.diagnostics]


def test_one_compilation_for_each_set_of_parameters(project: Path, compiler: Compiler) -> None:
    text = """
    let c = color() let d = color() let e = color()
    let sockets = 0
    define k(n) { let t = tile() t : paint(c [C>]) t : paint(d [>C]) t : code('k [N:n tx:c rx:d both:e]) }
    let a = k(1) a : name('a)
    let b = k(2)
    let x = tile() x : paint(c [C>]) x : paint(d [>C]) x : code('k [N:1 tx:c rx:d both:c]) x : name('x)
    vstack(hstackrep(a 5) hstackrep(b 5) x)
    """
    (project / "bench.paint").write_text(text)
    built = pipeline.run("bench.paint", Options())
    assert compiler.calls == [{"N": 1}, {"N": 2}]
    assert built.map_text().splitlines() == [
        "a.other xp 0x0011 [y<1 x<5 n<4] 0,0 1,1",
        "other xp 0x0012 [y<1 x<5 n<4] 0,1 1,1",
        "x.other xp 0x0011 [y<1 x<1 n<4] 0,2 1,1",
    ]
    assert built.depends == ["bench.paint", "k.w", "shared.w"]


def test_one_and_one_point_zero_are_two_compilations(project: Path, compiler: Compiler) -> None:
    text = """
    let c = color() let d = color() let e = color()
    define k(n) { code(paint(paint(tile() c [C>]) d [>C]) 'k [N:n tx:c rx:d both:e]) }
    hstack(k(1) k(1.0))
    """
    (project / "bench.paint").write_text(text)
    pipeline.run("bench.paint", Options())
    assert compiler.calls == [{"N": 1}, {"N": 1.0}]


@pytest.mark.parametrize(
    ("bindings", "expected"),
    [
        (
            "[N:1 tx:c rx:d both:d M2:3]",
            "bench.paint:2:38: error PT111: kernel 'k' has no parameter or socket 'M2'\n"
            "  2 | code(tile() 'k [N:1 tx:c rx:d both:d M2:3])\n"
            "    |                                      ^^^^\n"
            "  hint: did you mean 'M'?",
        ),
        (
            "[N:1 tx:c rx:d both:d other:3]",
            "bench.paint:2:38: error PT111: kernel 'k' has no parameter or socket 'other'\n"
            "  2 | code(tile() 'k [N:1 tx:c rx:d both:d other:3])\n"
            "    |                                      ^^^^^^^\n"
            "  k.w:6:4: note: 'other' is declared here, but is neither of these\n"
            "    6 | xp other[n=4];\n"
            "      |    ^^^^^",
        ),
        (
            "[N:1 tx:c both:d]",
            "bench.paint:2:1: error PT112: socket 'rx' of kernel 'k' is not bound\n"
            "  2 | code(tile() 'k [N:1 tx:c both:d])\n"
            "    | ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^\n"
            "  k.w:5:12: note: declared here\n"
            "    5 | socket tx, rx;\n"
            "      |            ^^",
        ),
        (
            "[tx:c rx:d both:d]",
            "bench.paint:2:1: error PT113: parameter 'N' of kernel 'k' is not bound and has no default\n"
            "  2 | code(tile() 'k [tx:c rx:d both:d])\n"
            "    | ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^\n"
            "  k.w:2:10: note: declared here\n"
            "    2 | xp param N;\n"
            "      |          ^",
        ),
        (
            "[N:c tx:c rx:d both:d]",
            "bench.paint:2:17: error PT114: 'N' of kernel 'k' is a parameter, and is bound to a color\n"
            "  2 | code(tile() 'k [N:c tx:c rx:d both:d])\n"
            "    |                 ^^^\n"
            "  k.w:2:10: note: declared here\n"
            "    2 | xp param N;\n"
            "      |          ^",
        ),
        (
            "[N:1 tx:c rx:4 both:d]",
            "bench.paint:2:26: error PT114: 'rx' of kernel 'k' is a socket, and is bound to a number\n"
            "  2 | code(tile() 'k [N:1 tx:c rx:4 both:d])\n"
            "    |                          ^^^^\n"
            "  k.w:5:12: note: declared here\n"
            "    5 | socket tx, rx;\n"
            "      |            ^^",
        ),
    ],
)
def test_bindings_that_do_not_fit(project: Path, compiler: Compiler, bindings: str, expected: str) -> None:
    found = errors(project, f"let c = color() let d = color()\ncode(tile() 'k {bindings})\n")
    assert found == [expected]


def test_two_directives_in_error_are_both_shown(project: Path, compiler: Compiler) -> None:
    text = "let c = color()\nhstack(code(tile() 'k [N:1 tx:c rx:c]) code(tile() 'k [rx:c both:c tx:c]))"
    codes = [m.split(" error ")[1][:5] for m in errors(project, text)]
    assert codes == ["PT112", "PT113"]


def test_over_24576_words_there_is_a_table(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from fabric.program import Usage

    def large(words: tuple[str, tuple[str, ...], kernels.Params, int]) -> tuple[Program, list[Diagnostic]]:
        p = Program("k", words[0], {"N": "1"})
        p.usage = [Usage("main", "code", 300, "k.w:7:1"), Usage("field", "data", 24_400, "k.w:6:4")]
        p.memory_end, p.stack_room = 24_704, 64
        return p, []

    monkeypatch.setattr(kernels, "compile_one", large)
    (message,) = errors(project, "code(tile() 'k [N:1])")
    assert "24576" in message and "field" in message and "24400" in message and "k.w:6:4" in message
