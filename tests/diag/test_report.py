"""Spans, the caret printer, suggestions, the table of codes."""

from __future__ import annotations

import re

import pytest

from diag.codes import table
from diag.report import Reporter, UserError, fail, make, render, suggest
from diag.spans import Source, nowhere


def test_lines_and_columns_count_characters() -> None:
    source = Source("k.w", "a\n∀i t⃗[i] <- b;\n\nend")
    span = source.span(source.text.index("b"), source.text.index("b") + 1)
    assert (span.line, span.col) == (2, 13)
    assert span.label() == "k.w:2:13"
    assert source.line_text(2) == "∀i t⃗[i] <- b;"
    last = source.span(len(source.text), len(source.text))
    assert (last.line, last.col) == (4, 4)


def test_caret_stands_below_the_token_also_after_combining_marks_and_tabs() -> None:
    source = Source("k.w", "\tr⃗₀ = foe;\n")
    start = source.text.index("foe")
    text = render(make("DG006", source.span(start, start + 3), word="foe", hint="did you mean 'for'?"))
    # r and the arrow above it take one column, so the caret is one column left of the count of characters
    assert text.splitlines() == [
        "k.w:1:8: error DG006: unexpected word 'foe'",
        "  1 |  r⃗₀ = foe;",
        "    |       ^^^",
        "  hint: did you mean 'for'?",
    ]


def test_second_place_is_printed_like_the_first() -> None:
    source = Source("k.w", "xp a;\nxp a;\n")
    text = render(make("DG006", source.span(9, 10), word="a", notes=[(source.span(3, 4), "the first one")]))
    assert text.splitlines() == [
        "k.w:2:4: error DG006: unexpected word 'a'",
        "  2 | xp a;",
        "    |    ^",
        "  k.w:1:4: note: the first one",
        "    1 | xp a;",
        "      |    ^",
    ]


def test_an_endless_line_is_cut_around_the_caret() -> None:
    source = Source("k.w", "x" * 500 + "?" + "y" * 500)
    lines = render(make("DG006", source.span(500, 501), word="?")).splitlines()
    assert len(lines[1]) < 200
    assert lines[1][lines[2].index("^")] == "?"


def test_a_message_about_a_file_has_no_excerpt() -> None:
    assert render(make("DG007", nowhere("x.img"), path="x.img", why="gone")).splitlines() == [
        "x.img: error DG007: can't read 'x.img': gone"
    ]


def test_reporter_keeps_each_message_once_and_raises_all() -> None:
    source = Source("k.w", "abc")
    reporter = Reporter()
    for _ in range(2):
        reporter.report("DG006", source.span(0, 1), word="a")
    reporter.report("DG006", source.span(1, 2), word="b")
    with pytest.raises(UserError) as e:
        reporter.raise_if_errors()
    assert [d.message for d in e.value.diagnostics] == ["unexpected word 'a'", "unexpected word 'b'"]


def test_fail_is_one_diagnostic() -> None:
    error = fail("DG003", name="source", command="paint")
    assert [d.code.code for d in error.diagnostics] == ["DG003"]


@pytest.mark.parametrize(
    ("name", "candidates", "expected"),
    [
        ("foe", ["foo", "bar"], "did you mean 'foo'?"),
        ("imgae", ["image", "map"], "did you mean 'image'?"),
        ("Image", ["image", "map"], "did you mean 'image'?"),
        ("xyzzy", ["image", "map"], None),
        ("a", ["b"], None),
        ("socekt_left", ["socket_left", "socket_right"], "did you mean 'socket_left'?"),
    ],
)
def test_suggestions(name: str, candidates: list[str], expected: str | None) -> None:
    assert suggest(name, candidates) == expected


@pytest.mark.parametrize("code", sorted(table()))
def test_every_code_says_cause_and_cure(code: str) -> None:
    row = table()[code]
    assert re.fullmatch(r"(TW|CB|PT|FB|DG)\d{3}", row.code)
    assert row.severity in ("error", "warning")
    for text in (row.text, row.cause, row.cure):
        assert text.strip() == text != ""
    assert row.cause[-1] in ".:)" and row.cure[-1] in ".:);…"


def test_suggestions_are_quick_and_not_made_for_endless_names() -> None:
    assert suggest("x" * 20_000, ["x" * 19_999]) is None
    assert suggest("lenght", ["length", "height"]) == "did you mean 'length'?"
    assert suggest("abcd", ["abdc", "abcde", "zzzz"]) == "did you mean 'abcde'?"  # among equals the first by name
    assert suggest("kitten", ["sitting"]) is None  # three edits are too many for six letters


def test_names_that_only_look_alike_are_told_apart() -> None:
    hint = suggest("cafe\u0301", ["caf\u00e9"])
    assert hint == "did you mean 'caf\u00e9'? It is spelt with other characters: U+00E9"


def test_a_run_stops_at_a_hundred_errors() -> None:
    reporter = Reporter()
    reporter.report("TW119", name="socket")  # a warning does not count
    with pytest.raises(UserError) as caught:
        for n in range(1000):
            reporter.report("TW021", name=f"x{n}")
    found = caught.value.diagnostics
    assert len(found) == 102 and found[-1].code.code == "DG014"
    assert found[-1].message == "100 errors: what comes behind is not read"
