"""The map's text: what is written, and that reading gives it back."""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from diag.spans import Source
from fabric.map import Entry, entries_of, format_map, parse_map
from fabric.program import Symbol
from fabric.rects import Rect

ETA = Symbol("eta", "sp", 0x120, 2, (("n", 1),))


def test_the_documented_line() -> None:
    assert format_map(entries_of("grid", ETA, [Rect(1, 1, 32, 32)])) == (
        "grid.eta sp 0x0120 [y<32 x<32 n<1 _word<2] 1,1 1,1\n"
    )


def test_forms_of_lines() -> None:
    one = [Rect(3, 4, 1, 1)]
    assert format_map(entries_of("", Symbol("a", "xp", 7, 1), one)) == "a xp 0x0007 [y<1 x<1] 3,4 1,1\n"
    struct = Symbol("s", "struct", 0x200, 6, (("n0", 4),))
    assert format_map(entries_of("r", struct, one)) == "r.s struct 0x0200 [y<1 x<1 n0<4 _word<6] 3,4 1,1\n"
    single = Symbol("s", "union", 0x200, 1)
    assert format_map(entries_of("r", single, one)) == "r.s union 0x0200 [y<1 x<1 _word<1] 3,4 1,1\n"
    assert format_map(entries_of("", Symbol("q", "u64", 8, 4), one)) == "q u64 0x0008 [y<1 x<1 _word<4] 3,4 1,1\n"


def test_arrays_that_a_parameter_leaves_empty() -> None:
    made = entries_of("r", Symbol("a", "sp", 8, 2, (("n", 0), ("m", 3))), [Rect(0, 0, 2, 1)])
    made += entries_of("r", Symbol("v", "struct", 8, 0), [Rect(0, 0, 2, 1)])
    text = format_map(made)
    assert text == "r.a sp 0x0008 [y<1 x<2 n<0 m<3 _word<2] 0,0 1,1\nr.v struct 0x0008 [y<1 x<2 _word<0] 0,0 1,1\n"
    read = parse_map(Source("a.map", text))
    assert [(e.name, e.dims, e.words, e.elements) for e in read] == [
        ("r.a", (("n", 0), ("m", 3)), 2, 0),
        ("r.v", (), 0, 1),
    ]


def test_strides_and_regions_that_are_no_grid() -> None:
    columns = [Rect(x, 0, 1, 4) for x in range(1, 9, 2)]
    assert format_map(entries_of("odd", ETA, columns)) == "odd.eta sp 0x0120 [y<4 x<4 n<1 _word<2] 1,0 2,1\n"
    ring = [Rect(0, 0, 4, 1), Rect(0, 1, 1, 2), Rect(3, 1, 1, 2), Rect(0, 3, 4, 1)]
    assert format_map(entries_of("ring", ETA, ring)) == (
        "ring.eta sp 0x0120 [y<1 x<4 n<1 _word<2] 0,0 1,1\n"
        "ring.eta sp 0x0120 [y<2 x<1 n<1 _word<2] 0,1 1,1\n"
        "ring.eta sp 0x0120 [y<2 x<1 n<1 _word<2] 3,1 1,1\n"
        "ring.eta sp 0x0120 [y<1 x<4 n<1 _word<2] 0,3 1,1\n"
    )
    board = [Rect(x, y, 1, 1) for y in range(40) for x in range(40) if (x + y) % 2]
    assert [e.rect for e in entries_of("board", ETA, board)] == [Rect(1, 0, 20, 20, 2, 2), Rect(0, 1, 20, 20, 2, 2)]


def test_dimensions_that_are_called_like_tile_axes() -> None:
    """Axes of one line have different names: such a dimension stands under its position's."""
    symbol = Symbol("a", "xp", 0, 1, (("x", 2), ("m", 3), ("m", 4), ("_word", 5), ("n0", 6)))
    assert [n for n, _ in entries_of("", symbol, [Rect(0, 0, 1, 1)])[0].dims] == ["nn0", "m", "n2", "n3", "n0"]


@st.composite
def entries(draw: st.DrawFn) -> Entry:
    name = draw(st.text("abcαβ_.'0123ℝ³", min_size=1, max_size=8))
    kind, words = draw(st.sampled_from([("xp", 1), ("hp", 1), ("sp", 2), ("wv", 2), ("u64", 4), ("struct", 7)]))
    axes = draw(st.lists(st.sampled_from(["n", "m", "n0", "αx", "long_name"]), unique=True, max_size=3))
    dims = tuple((a, draw(st.integers(1, 9))) for a in axes)
    rect = Rect(*draw(st.tuples(*[st.integers(0, 700)] * 2, *[st.integers(1, 99)] * 4)))
    return Entry(name, kind, draw(st.integers(0, 0x7000 - 7 * 729)), dims, words, rect)


@given(st.lists(entries(), max_size=5))
def test_text_and_back(some: list[Entry]) -> None:
    text = format_map(some)
    for line in text.splitlines():
        assert re.fullmatch(r"\S+ \S+ 0x[0-9a-f]{4} \[[^\[\]]+\] \d+,\d+ \d+,\d+", line)
        # What users' scripts do: the axes are what stands in the brackets.
        assert re.sub(r".*\[(.*)\].*", r"\1", line).split()[0].startswith("y<")
    back = parse_map(Source("bench.map", text))
    plain = [Entry(e.name, e.type, e.address, e.dims, e.words, e.rect) for e in back]
    assert plain == some
    assert [e.span.line for e in back if e.span] == list(range(1, len(some) + 1))


def test_blank_lines_and_crlf_are_passed_over() -> None:
    assert len(parse_map(Source("m", "\n a xp 12  [x<1 y<1]  0,0 1,1 \r\n\n"))) == 1
    assert parse_map(Source("m", "")) == []


@given(st.text(max_size=80))
def test_any_text_is_read_or_refused(text: str) -> None:
    from diag.report import UserError

    try:
        parse_map(Source("m", text))
    except UserError as e:
        assert all(d.code.code.startswith("FB22") and d.span for d in e.diagnostics)
