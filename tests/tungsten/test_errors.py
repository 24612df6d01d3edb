"""Golden messages of the language: errors.txt holds kernels and what is printed for each, word for word.

A case begins with `==== CODE [NAME=value …]` and the kernel; `---- name.w` begins a further file; `>>>>` begins
the messages. Every code stands in at least two cases. `GOLDEN=write pytest` writes the messages anew; whoever
does that reads each changed one.
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from pathlib import Path

import pytest

from diag import codes_tungsten
from diag.report import Reporter, UserError, render
from tungsten import load

GOLDEN = Path(__file__).with_name("errors.txt")


@dataclass
class Case:
    code: str
    params: dict[str, str]
    files: dict[str, str]
    expected: str

    def text(self, messages: str) -> str:
        head = " ".join([self.code, *(f"{k}={v}" for k, v in self.params.items())])
        parts = [f"==== {head}\n{self.files['k.w']}"]
        parts += [f"---- {name}\n{text}" for name, text in self.files.items() if name != "k.w"]
        return "".join(parts) + f">>>>\n{messages}\n"


def cases() -> list[Case]:
    found = []
    for chunk in re.split(r"^==== ", GOLDEN.read_text(encoding="utf-8"), flags=re.M)[1:]:
        head, _, rest = chunk.partition("\n")
        code, *bindings = head.split()
        sources, _, expected = rest.partition(">>>>\n")
        pieces = re.split(r"^---- (\S+)\n", sources, flags=re.M)
        files = {"k.w": pieces[0], **dict(zip(pieces[1::2], pieces[2::2], strict=True))}
        found.append(Case(code, dict(b.split("=", 1) for b in bindings), files, expected.rstrip("\n")))
    return found


CASES = cases()


def messages(case: Case, directory: Path) -> str:
    """What is printed for a case, with paths relative to its directory."""
    for name, text in case.files.items():
        (directory / name).write_text(text, encoding="utf-8")
    reporter = Reporter()
    try:
        load(directory / "k.w", [], dict(case.params), reporter)
    except UserError:
        assert reporter.errors
    shown = "\n".join(render(d) for d in reporter.diagnostics)
    return shown.replace(f"{directory}/", "").replace(str(directory), ".")


@pytest.mark.parametrize("number", range(len(CASES)), ids=lambda n: f"{CASES[n].code}-{n}")
def test_messages(number: int, tmp_path: Path) -> None:
    case = CASES[number]
    shown = messages(case, tmp_path)
    if os.environ.get("GOLDEN") == "write":
        case.expected = shown
        if number == len(CASES) - 1:
            GOLDEN.write_text("".join(c.text(c.expected) for c in CASES), encoding="utf-8")
    assert shown == case.expected
    assert re.search(rf"^k\.w:\d+:\d+: (?:error|warning) {case.code}: |^\w+\.w:\d+:\d+: error {case.code}", shown, re.M)


def test_every_code_has_two_cases() -> None:
    counted: dict[str, set[str]] = {row.code: set() for row in codes_tungsten.ROWS}
    for case in CASES:
        counted[case.code].add(case.files["k.w"])
    assert [code for code, sources in counted.items() if len(sources) < 2] == []


@pytest.mark.parametrize("number", range(len(CASES)), ids=lambda n: f"{CASES[n].code}-{n}")
def test_caret_stands_under_the_place(number: int) -> None:
    """The printed line is the source's, and the caret is at the printed column."""
    case = CASES[number]
    lines = case.expected.split("\n")
    at = next(i for i, line in enumerate(lines) if case.code in line)
    name, line, col = lines[at].split(": ")[0].split(":")
    source = case.files[name].split("\n")[int(line) - 1]
    shown, caret = lines[at + 1], lines[at + 2]
    if "…" in shown and len(source) > 160:
        return  # a part of a long line
    start = shown.index("| ") + 2
    assert shown[start:] == source.rstrip()
    marks = sum(1 for c in source[: int(col) - 1] if "\u0300" <= c <= "\u036f")
    assert caret.index("^") == start + int(col) - 1 - marks


def test_several_errors_in_one_run(tmp_path: Path) -> None:
    text = "xp a = b;\nmain {\n  a = c + d;\n  int x;\n  a[0] = 1;\n}\nfunction f() { return e; }\n"
    shown = messages(Case("", {}, {"k.w": text}, ""), tmp_path)
    found = re.findall(r"^k\.w:(\d+:\d+): error (\w+)", shown, re.M)
    assert found == [
        ("1:8", "TW021"),
        ("3:7", "TW021"),
        ("3:11", "TW021"),
        ("4:3", "TW023"),
        ("5:4", "TW064"),
        ("7:23", "TW021"),
    ]


def test_reading_goes_on_after_syntax_errors(tmp_path: Path) -> None:
    text = "xp a = ;\nmain {\n  a = (1;\n  if (a { a = 2; }\n  a = 3 4;\n}\nfunction f( { }\nxp b = 2 +;\n"
    shown = messages(Case("", {}, {"k.w": text}, ""), tmp_path)
    found = re.findall(r"^k\.w:(\d+:\d+): error (\w+)", shown, re.M)
    assert found == [(at, "TW006") for at in ("1:8", "3:9", "4:9", "5:9", "7:13", "8:11")]


def test_a_file_full_of_errors_ends_with_a_note(tmp_path: Path) -> None:
    shown = messages(Case("", {}, {"k.w": "xp a = = 1;\n" * 40}, ""), tmp_path).split("\n")
    assert sum("error TW006" in line for line in shown) == 25
    assert shown[-3] == "k.w:26:1: error DG014: 25 errors: what comes behind is not read"
    shown = messages(Case("", {}, {"k.w": "".join(f"x{n} = 1;\n" for n in range(400))}, ""), tmp_path).split("\n")
    assert "k.w:100:1: error DG014: 100 errors: what comes behind is not read" in shown
