"""Evaluating layouts: arithmetic, scopes, defines, placeholders, directives, includes."""

from __future__ import annotations

from pathlib import Path

import pytest
from layouts import evaluated, layout, tiles_of

from diag.report import Reporter, UserError
from paint.evaluate import Evaluator
from paint.load import Sources
from paint.pipeline import _given
from paint.values import Symbol


def shape(text: str, **given: int | float | str) -> set[tuple[int, int]]:
    result, _ = evaluated(text, **given)
    return {
        (x, y)
        for b in result.region.tiles.boxes()
        for x in range(b.x, b.x + b.w)
        for y in range(b.y, b.y + b.h)
    }


def size(text: str, **given: int | float | str) -> tuple[int, int]:
    result, _ = evaluated(text, **given)
    return result.region.tiles.w, result.region.tiles.h


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("2+3*4", 14),
        ("(2+3)*4", 20),
        ("7/2*2", 7),
        ("8/2", 4),
        ("7//2", 3),
        ("-7//2+10", 6),
        ("7%3", 1),
        ("-7%3", 2),
        ("(7/2)*2", 7),
        ("7.5//2", 3),
        ("3<4", 1),
        ("(3>4)+1", 1),
        ("(3<=3)+(3>=4)+(2!=3)+(2==2)", 3),
        ("NX+2", 6),
        ("0x10", 16),
        ("2*1.5", 3),
        ("(- -3)", 3),
    ],
)
def test_arithmetic(expression: str, value: int) -> None:
    assert size(f"rect(0 0 {expression} 1)", NX=4) == (value, 1)


def test_a_blank_makes_two_arguments() -> None:
    assert size("rect(0 0 NX+2 NY+2)", NX=3, NY=4) == (5, 6)
    assert shape("rect(NX -1 1 1)", NX=3) == {(3, -1)}


def test_stacks_keep_the_other_coordinate() -> None:
    # Each bounding box starts where the one before ended; the first stays where it is.
    assert shape("hstack(rect(2 5 2 1) rect(9 1 1 1))") == {(2, 5), (3, 5), (4, 1)}
    assert shape("vstack(rect(2 5 1 1) rect(9 1 1 1))") == {(2, 5), (9, 6)}
    assert shape("hstack(rect(0 0 2 1) rect(0 0 0 4) tile())") == {(0, 0), (1, 0), (2, 0)}
    assert shape("vstack()") == set()


def test_vstack_puts_the_first_at_the_smallest_y() -> None:
    made = layout("let a = code(tile() 'a) let b = code(tile() 'b) vstack(a b)")
    assert {t: k for t, (k, _) in tiles_of(made).items()} == {(0, 0): "a", (0, 1): "b"}


def test_in_place_forms() -> None:
    # paint.md 2: r : vstack(o) puts o above r.
    assert shape("let r = rect(0 0 2 1) let o = tile() r : vstack(o) r") == {(0, 0), (1, 0), (0, 1)}
    assert shape("let r = tile() r : hstackrep(3) r") == {(0, 0), (1, 0), (2, 0)}
    assert shape("let r = tile() r : vstackrep(2 1) r") == {(0, 0), (0, 2)}
    assert shape("let r = tile() r : place(2 3) r") == {(2, 3)}
    assert shape("let r = tile() r : union(rect(1 0 1 1)) r") == {(0, 0), (1, 0)}
    assert shape("let r = rect(0 0 2 1) r : place(1 0) r : place(1 0) r") == {(2, 0), (3, 0)}


def test_replication() -> None:
    assert shape("hstackrep(tile() 3 2)") == {(0, 0), (3, 0), (6, 0)}
    assert shape("vstackrep(rect(1 1 1 2) 2)") == {(1, 1), (1, 2), (1, 3), (1, 4)}
    assert shape("hstackrep(rect(0 0 0 3) 5 2)") == set()
    assert shape("union(tile() vstackrep(tile() 0))") == {(0, 0)}


def test_a_let_copies() -> None:
    text = "let c = color() let x = tile() let y = x x : paint(c [C>R]) y : paint(c [L>C]) x : code('k) hstack(x y)"
    assert tiles_of(layout(text)) == {(0, 0): ("k", {"c": "[C>R]"}), (1, 0): (None, {"c": "[L>C]"})}


def test_a_region_in_a_union_keeps_what_it_had() -> None:
    text = "let c = color() let x = code(tile() 'k) let u = union(x) x : paint(c [C>R]) u"
    assert tiles_of(layout(text)) == {(0, 0): ("k", {})}


def test_directives_as_functions() -> None:
    text = "let c = color() let d = color() name(colorpair(paint(code(tile() 'k [tx:c]) c [C>R]) c d) 'n)"
    made = layout(text)
    assert tiles_of(made) == {(0, 0): ("k", {"c": "[C>R]"})}
    assert made.classes[0].code is not None and made.classes[0].code.name == "n"
    assert [(p.a.name, p.b.name) for p in made.pairs] == [("c", "d")]


def test_a_file_of_directives_ends_with_the_last_region() -> None:
    assert tiles_of(layout("let a = rect(0 0 2 1) a : code('k)")) == {(0, 0): ("k", {}), (1, 0): ("k", {})}


def test_the_last_expression_is_the_layout() -> None:
    assert shape("let a = tile() rect(0 0 5 5) hstack(a a) a : code('k)") == {(0, 0), (1, 0)}


DEFINES = """
hstack(cell(1) cell(2))
define cell(n) { let r = base(n) r : code('k [N:n]) }
define base(n) { rect(0 0 n WIDTH) }
"""


def test_defines_before_their_text_and_free_names_in_them() -> None:
    assert size(DEFINES, WIDTH=2) == (3, 2)


def test_nested_defines_and_scopes() -> None:
    text = """
    let n = 5
    define outer(n) {
      define inner(m) { rect(0 0 n m) }
      let q = inner(n+1)
      q
    }
    hstack(outer(2) rect(0 0 n 1))
    """
    assert size(text) == (7, 3)


def test_a_define_changes_its_own_copy() -> None:
    text = "let t = tile() define f(r) { r : code('k) } let u = f(t) hstack(t u)"
    assert tiles_of(layout(text)) == {(1, 0): ("k", {})}


def test_a_define_as_a_directive() -> None:
    assert shape("define wide(r n) { hstackrep(r n) } let t = tile() t : wide(3) t") == {
        (0, 0),
        (1, 0),
        (2, 0),
    }


def test_recursion_ends_with_setif() -> None:
    text = "define tri(n) { setif(n vstack(rect(0 0 n 1) tri(n-1)) tile()) } tri(3)"
    assert shape(text) == {(0, 0), (1, 0), (2, 0), (0, 1), (1, 1), (0, 2), (0, 3)}


def test_setif() -> None:
    assert size("setif(N>3 rect(0 0 2 1) tile())", N=4) == (2, 1)
    assert size("setif(N>3 rect(0 0 2 1) tile())", N=3) == (1, 1)
    # The branch not taken is not looked at.
    assert size("setif(1 tile() rect(0 0 UNSET 1))") == (1, 1)


def test_colors_made_by_a_define_are_different_colors() -> None:
    text = """
    define send() { let c = color() paint(tile() c [C>R]) }
    hstack(send() send())
    """
    made = layout(text)
    assert [c.key for c in made.colors] == ["c", "c#2"]
    assert {c.name for c in made.colors} == {"c"}


def test_pinned_colors_of_one_number_are_one_color() -> None:
    made = layout("let t = paint(tile() color(3) [C>R]) let tx = color(3) code(t 'k [s:tx])")
    assert [(c.name, c.pinned) for c in made.colors] == [("tx", 3)]


def test_banks() -> None:
    text = "let b = bank(0) let c = color(b) let t = code(tile() 'k [s:c]) t : mp(b) t"
    made = layout(text)
    (tile,) = made.classes
    assert list(tile.banks) == [0]
    assert tile.code is not None
    ((_, core),) = tile.code.sockets
    assert (core.name, core.pinned, core.bank) == ("c", 16, 0)
    assert sorted(c.pinned or 0 for c in made.colors) == [14, 15, 16, 17, 18]


def params(text: str, **given: int) -> dict[tuple[int, int], dict[str, int | float]]:
    found = {}
    for c in layout(text, **given).classes:
        assert c.code is not None
        for b in c.tiles.boxes():
            found[b.x, b.y] = dict(c.code.params)
    return found


def test_arrayplace_fills_placeholders() -> None:
    text = "let t = tile() t : code('k [P:@p+1 Q:2*@p]) arrayplace(t range(0 3) [p:range(0 3)])"
    assert params(text) == {(0, 0): {"P": 1, "Q": 0}, (0, 1): {"P": 2, "Q": 2}, (0, 2): {"P": 3, "Q": 4}}


def test_copy_i_lies_i_heights_higher() -> None:
    assert shape("arrayplace(rect(1 0 1 2) range(0 2))") == {(1, 0), (1, 1), (1, 2), (1, 3)}
    assert shape("arrayplace(tile() range(2 4))") == {(0, 2), (0, 3)}
    assert shape("arrayplace(tile() range(0 0))") == set()
    text = "let t = code(tile() 'k [P:@p]) arrayplace(t range(0 2) [p:range(5 7)])"
    assert params(text) == {(0, 0): {"P": 5}, (0, 1): {"P": 6}}


def test_placeholders_anywhere() -> None:
    text = "arrayplace(hstack(rect(0 0 @p 1) setif(@p>1 tile() rect(0 0 0 0))) range(0 3) [p:range(0 3)])"
    assert shape(text) == {(0, 1), (0, 2), (1, 2), (2, 2)}


def test_two_placeholders_in_two_directions() -> None:
    text = """
    let t = tile() t : code('k [X:@x Y:@y])
    let column = arrayplace(t range(0 2) [y:range(0 2)])
    let all = arrayplace(place(column @x 0-2*@x) range(0 2) [x:range(0 2)])
    all
    """
    assert params(text) == {(x, y): {"X": x, "Y": y} for x in range(2) for y in range(2)}


def test_set_values() -> None:
    assert [_given("N", t) for t in ("4", "-3", "1.5", "2*(3+4)", " 7 ", "0x20", "9/2")] == [
        4,
        -3,
        1.5,
        14,
        7,
        32,
        4.5,
    ]
    assert _given("N", "") is None and _given("N", "  ") is None
    assert _given("N", "swe") == Symbol("swe")
    assert _given("N", "3 4") == Symbol("3 4")


def test_a_kernel_may_be_named_by_set() -> None:
    assert tiles_of(layout("code(tile() KERNEL)", KERNEL="fast")) == {(0, 0): ("fast", {})}


def test_unused_set_names_are_no_error() -> None:
    result, _ = evaluated("rect(0 0 N 1)", N=2, M=3)
    assert result.used == {"N"}


def load(path: Path, lib: list[str] | None = None) -> tuple[set[tuple[int, int]], list[str]]:
    reporter = Reporter()
    sources = Sources(lib or [], reporter)
    statements, source = sources.load(str(path))
    result = Evaluator(reporter, {}).run(statements, source.span(0, 1))
    t = result.region.tiles
    return {(b.x, b.y) for b in t.boxes()}, [Path(d).name for d in sources.depends]


def test_includes_take_their_statements_in_place(tmp_path: Path) -> None:
    (tmp_path / "lib").mkdir()
    (tmp_path / "lib" / "parts.paint").write_text(
        "define part() { place(tile() N 0) } let N = 2 include 'more.paint"
    )
    (tmp_path / "more.paint").write_text("let M = 1")
    (tmp_path / "bench.paint").write_text('let x = part() include "parts.paint" place(x M 0)')
    # The define is known before its text, the values are those at the time of the call.
    with pytest.raises(UserError, match="'N' has no value"):
        load(tmp_path / "bench.paint", [str(tmp_path / "lib")])
    (tmp_path / "bench.paint").write_text('include "parts.paint" let x = part() place(x M 0)')
    tiles, depends = load(tmp_path / "bench.paint", [str(tmp_path / "missing"), str(tmp_path / "lib")])
    assert tiles == {(3, 0)}
    assert depends == ["bench.paint", "parts.paint", "more.paint"]


def test_lib_is_searched_in_order_and_the_own_directory_last(tmp_path: Path) -> None:
    for i, name in enumerate(("a", "b", ".")):
        (tmp_path / name).mkdir(exist_ok=True)
        (tmp_path / name / "part.paint").write_text(f"let N = {i}")
    (tmp_path / "bench.paint").write_text("include 'part.paint place(tile() N 0)")
    assert load(tmp_path / "bench.paint", [str(tmp_path / "b"), str(tmp_path / "a")])[0] == {(1, 0)}
    assert load(tmp_path / "bench.paint", [])[0] == {(2, 0)}


def test_a_let_may_use_what_its_name_stood_for() -> None:
    assert size("let t = rect(0 0 2 1) let t = hstack(t t t) t") == (6, 1)
