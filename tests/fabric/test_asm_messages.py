"""The assembler's messages: code, place, caret, notes and hints, as in golden/asm_messages.txt (checked by hand).

A case is `--- name`, the source, `>>>`, and the printed errors; the warning about a missing .entry counts only in
the case about it.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from diag.codes_assembler import ASSEMBLER
from diag.report import Reporter, render
from diag.spans import Source
from fabric import asm

GOLDEN = (Path(__file__).parent / "golden" / "asm_messages.txt").read_text(encoding="utf-8")
CASES = [
    (name, source, expected.strip("\n"))
    for name, source, expected in re.findall(r"^--- (.*)\n((?s:.*?))>>>\n((?s:.*?))(?=^--- |\Z)", GOLDEN, re.MULTILINE)
]


@pytest.mark.parametrize(("name", "source", "expected"), CASES, ids=[c[0] for c in CASES])
def test_message(name: str, source: str, expected: str) -> None:
    reporter = Reporter()
    asm.assemble(Source("k.s", source), reporter)
    shown = [d for d in reporter.diagnostics if d.is_error or name == "no entry"]
    assert "\n".join(render(d) for d in shown) == expected


def test_every_code_has_a_case() -> None:
    for row in ASSEMBLER:
        assert row.code in GOLDEN, row.code


def test_several_errors_in_one_run_in_the_order_of_the_source() -> None:
    reporter = Reporter()
    text = "add61 R0 = R1, R2\njmp lop\nadd16 R0 = R1\nadd16 R0 = R1, 70000\n.word @\n.entry\nnop; terminate"
    asm.assemble(Source("k.s", text), reporter)
    assert [(d.code.code, d.span.line, d.span.col) for d in reporter.diagnostics if d.span] == [
        ("FB103", 1, 1), ("FB110", 2, 5), ("FB107", 3, 14), ("FB108", 4, 16), ("FB101", 5, 7)]  # fmt: skip


def test_nothing_ends_in_a_traceback() -> None:
    """Every prefix and every word left out of a source with most of the syntax gives messages or a program."""
    text = (
        '.socket tx out 0 sp\n.var x sp n=2\n"a b": .dsd fabout queue=tx extent=2 control\n.entry\n'
        "!P0? st16x [R1 + 2] = 5; terminate\nmov32.ut1 [DD0] = [SA0] -> arrive 9\n.xblock 1:1, 2:3\n.float -1.5\n"
    )
    words = re.findall(r"\S+|\s+", text)
    for k in range(len(words)):
        for source in ("".join(words[:k]), "".join(words[:k] + words[k + 1 :])):
            asm.assemble(Source("k.s", source), Reporter())
    for k in range(len(text)):
        asm.assemble(Source("k.s", text[:k] + text[k + 1 :]), Reporter())
        asm.assemble(Source("k.s", text[:k] + "[" + text[k:]), Reporter())
