"""The error catalogue has every code, in words that stand by themselves."""

from __future__ import annotations

import re

import pytest

from diag import catalogue
from diag.codes import table
from diag.driver import Command, main

COMMAND = Command("tool", "does things", (), lambda options: 0)


def test_the_page_has_each_code_once_in_its_chapter() -> None:
    page = catalogue.page()
    found = re.findall(r"^### (\w+) \{ #(\w+) \}$", page, re.M)
    assert sorted(name for name, _ in found) == sorted(table())
    assert all(anchor == name.lower() for name, anchor in found)
    chapters = re.split(r"^## ", page, flags=re.M)[1:]
    for chapter in chapters:
        assert len({name[:2] for name in re.findall(r"^### (\w+) ", chapter, re.M)}) == 1


@pytest.mark.parametrize("row", table().values(), ids=lambda row: row.code)
def test_every_code_has_cause_and_cure_in_sentences(row: catalogue.Code) -> None:
    assert re.fullmatch(r"(DG|TW|CB|PT|FB)\d{3}", row.code) and row.severity in ("error", "warning")
    for text in (row.cause, row.cure):
        assert len(text.split()) > 1 and text.rstrip(")")[-1] in ".:;}", text
        assert row.text != text
    assert not re.search(r"\{\w", catalogue.entry(row)) or "'{" in row.text + row.cure


def test_templates_are_shown_with_names_in_capitals() -> None:
    assert catalogue.plain("'{name}' of {n!r} at {x:04x} has {{braces}}") == "'NAME' of N at X has {braces}"
    assert catalogue.plain("a '{' that is missing") == "a '{' that is missing"


def test_an_entry_on_a_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(COMMAND, ["explain=tw002"]) == 0
    assert capsys.readouterr().out == (
        "TW002 (error): this comment has no end\n"
        "  cause: A /* is not followed by a */ anywhere in the file.\n"
        "  cure:  Close the comment with */, or use // for one line.\n"
    )
    assert main(COMMAND, ["explain=TW002", "explain=PT601"]) == 0
    assert capsys.readouterr().out.count("cause:") == 2


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["explain=TW0221"], "tool: error DG011: there is no code 'TW0221'\n  hint: did you mean 'TW021'?\n"),
        (["explain="], "tool: error DG011: there is no code ''\n"),
        (
            ["explain=TW002", "source=a"],
            "tool: error DG006: unexpected word 'source=a'\n  hint: explain=CODE takes no other words\n",
        ),
    ],
)
def test_no_such_entry(words: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(COMMAND, words) == 1
    assert capsys.readouterr().err == message


def test_the_page_from_the_command_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert catalogue.main([]) == 0
    assert capsys.readouterr().out == catalogue.page() + "\n"
    assert catalogue.main(["dg00"]) == 0
    assert re.findall(r"^DG\d+", capsys.readouterr().out, re.M) == [f"DG00{n}" for n in range(1, 10)]
    assert catalogue.main(["XX"]) == 1


def test_examples_come_from_texts_with_messages() -> None:
    texts = ["=== one\nk.w:1:3: error TW002: this\n  1 | x\n    | ^\nk.w:9:1: error TW006: that\n", "error TW002: again\n"]
    found = catalogue.collect(texts)
    assert found == {"TW002": "k.w:1:3: error TW002: this\n  1 | x\n    | ^\n", "TW006": "k.w:9:1: error TW006: that\n"}
    assert "```text\nk.w:9:1: error TW006: that\n```" in catalogue.page(found)
