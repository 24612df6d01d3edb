"""Which colors meet, worked out by hand (paint.md 4)."""

from __future__ import annotations

from layouts import layout

from paint.colors import solve
from paint.meet import problem
from paint.problem import ColorProblem


def made(text: str, **given: int) -> ColorProblem:
    return problem(layout(text, **given))


def meetings(text: str, **given: int) -> set[tuple[str, str, str]]:
    return {(m.a, m.b, m.how) for m in made(text, **given).meetings.values()}


def test_colors_on_one_tile_meet() -> None:
    text = "let a = color() let b = color() let t = tile() t : paint(a [C>R]) t : paint(b [L>C]) t"
    assert meetings(text) == {("a", "b", "tile")}


def test_a_bound_socket_holds_its_color_without_a_rule() -> None:
    text = "let a = color() let b = color() let t = tile() t : code('k [x:a y:b]) t"
    p = made(text)
    ((_, m),) = p.meetings.items()
    assert (m.how, m.held_a.what, m.held_b.what) == (
        "tile",
        "socket 'x' of kernel 'k'",
        "socket 'y' of kernel 'k'",
    )


def test_colors_far_apart_share_a_number() -> None:
    text = """
    let a = color() let b = color()
    let s = paint(tile() a [C>R]) let e = paint(tile() a [L>C])
    let t = paint(tile() b [C>R]) let f = paint(tile() b [L>C])
    union(hstack(s e) place(hstack(t f) 5 0))
    """
    p = made(text)
    assert p.meetings == {}
    assert solve(p) == {"a": 0, "b": 0}


def test_a_wavelet_that_reaches_a_router_meets_its_rules() -> None:
    # a leaves (0, 0) to the right, where b has a rule and a has none.
    text = "let a = color() let b = color() hstack(paint(tile() a [C>R]) paint(tile() b [C>R]) paint(tile() b [L>C]))"
    p = made(text)
    (m,) = p.meetings.values()
    assert (m.a, m.b, m.how, m.sender, m.toward) == ("a", "b", "reach", "a", "R")
    assert m.box == (0, 0, 1, 1) and m.tiles == 1
    numbers = solve(p)
    assert numbers["a"] != numbers["b"]


def test_every_direction_and_every_position_reaches() -> None:
    for direction, way in (
        ("U", "vstack(s t)"),
        ("D", "vstack(t s)"),
        ("L", "hstack(t s)"),
        ("R", "hstack(s t)"),
    ):
        text = f"let a = color() let b = color() let s = paint(tile() a [C>C; C>{direction}]) let t = paint(tile() b [C>C]) {way}"
        assert meetings(text) == {("a", "b", "reach")}, direction
    # An output on the far side does not.
    text = "let a = color() let b = color() hstack(paint(tile() a [C>L]) paint(tile() b [C>C]))"
    assert meetings(text) == set()


def test_a_bound_socket_without_a_rule_is_not_reached() -> None:
    text = "let a = color() let b = color() hstack(paint(tile() a [C>R]) code(tile() 'k [s:b]))"
    assert meetings(text) == set()


def test_repetition_meets_itself() -> None:
    # Copies side by side: b's wavelets leave each copy into the next one, where a has a rule.
    text = """
    let a = color() let b = color()
    let cell = hstack(paint(tile() a [C>C]) paint(tile() b [C>R]))
    hstackrep(cell N)
    """
    assert meetings(text, N=1) == set()
    assert meetings(text, N=300) == {("a", "b", "reach")}
    (m,) = made(text, N=300).meetings.values()
    assert (m.tiles, m.box) == (299, (1, 0, 1, 1))


PAIR = "let r = color() let rp = color() let row = rect(0 0 4 1) "


def test_a_declared_partner_is_held_by_the_swap() -> None:
    text = PAIR + "row : paint(r [L|LXC]) row : colorpair(r rp) row"
    p = made(text)
    assert set(p.colors) == {"r", "rp"}
    assert [(x.a, x.b) for x in p.pairs] == [("r", "rp")]
    assert {(m.a, m.b, m.how) for m in p.meetings.values()} == {("r", "rp", "tile")}
    numbers = solve(p)
    assert numbers["r"] ^ numbers["rp"] == 1


def test_a_swap_without_a_pair_keeps_its_partner_s_number_free() -> None:
    # No colorpair: nobody else on these tiles may get the number that the swap reads.
    text = PAIR + "row : paint(r [LXC]) row : paint(rp [C>R]) row"
    p = made(text)
    assert set(p.colors) == {"r", "rp", "r^1"}
    numbers = solve(p)
    assert numbers["r^1"] == numbers["r"] ^ 1
    assert numbers["rp"] not in (numbers["r"], numbers["r^1"])


def test_pins_that_are_a_pair_need_no_colorpair() -> None:
    text = "let r = color(4) let s = color(5) let t = tile() t : paint(r [LXC]) t : paint(s [CXR]) t"
    p = made(text)
    assert set(p.colors) == {"r", "s"}
    assert solve(p) == {"r": 4, "s": 5}


def test_demands() -> None:
    text = """
    let s = color() let f = color() let n = color(7)
    let t = tile() t : paint(s [C>R; L>R]) t : paint(f [L>R; fabadder]) t : paint(n [C>U]) t
    """
    colors = made(text).colors
    assert colors["s"].allowed == frozenset([*range(10), 12, 13, 16, 17, 20, 21])
    assert colors["f"].allowed == frozenset([10])
    assert (colors["n"].allowed, colors["n"].pinned) == (frozenset([7]), 7)
    assert [h.what for h in colors["f"].demands] == ["rule [L>R; fabadder], whose adder only color 10 has"]


def test_a_bank_keeps_its_five_colors() -> None:
    text = "let b = bank(0) let c = color() let t = paint(tile() c [C>R]) t : mp(b) t"
    p = made(text)
    assert {m for pair in p.meetings for m in pair if m != "c"} == {
        "bank 0's core color",
        "bank 0's color 14",
        "bank 0's color 15",
        "bank 0's color 17",
        "bank 0's color 18",
    }


def test_unused_colors_are_left_out() -> None:
    text = (
        "let a = color() let b = color() let c = color() let d = color() "
        "let t = paint(tile() a [C>R]) t : colorpair(a b) t : colorpair(c d) t"
    )
    assert set(made(text).colors) == {"a", "b"}


def test_usage_lists_what_holds_each_color() -> None:
    text = "let a = color() let t = rect(1 2 3 1) t : code('k [s:a]) t : paint(a [C>R]) t"
    (use,) = made(text).usage
    assert (use.box, use.tiles) == ((1, 2, 3, 1), 3)
    assert [(k, h.what) for k, h in use.colors.items()] == [("a", "rule [C>R]")]
