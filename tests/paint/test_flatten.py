"""Flattening: random layouts against the naive model, contradictions, names, sizes."""

from __future__ import annotations

import naive
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lanes import at_length
from layouts import evaluated, layout, tiles_of

from diag.report import UserError
from paint.flatten import flatten
from paint.rules import letters

COLORS = ("a", "b")
KERNELS = ("k", "m")


@st.composite
def rules(draw: st.DrawFn) -> naive.Written:
    inputs = draw(st.sampled_from(["", *"CLRUD"]))
    outputs = "".join(sorted(draw(st.sets(st.sampled_from("CLRUD"), max_size=3))))
    if not inputs and not outputs:
        outputs = "C"
    edge_in = inputs if inputs and inputs != "C" and draw(st.booleans()) else ""
    edge_out = "".join(d for d in outputs if d != "C" and draw(st.booleans()))
    return naive.Written(edge_in, inputs, draw(st.sampled_from(">HVX")), outputs, edge_out)


@st.composite
def regions(draw: st.DrawFn, depth: int = 3) -> tuple[str, naive.Tiles]:
    """A region as Paint text and as the naive model has it."""
    small = st.integers(0, 3)
    if depth == 0 or draw(st.integers(0, 4)) == 0:
        x, y, w, h = draw(small), draw(small), draw(small), draw(small)
        text, tiles = f"rect({x} {y} {w} {h})", naive.rect(x, y, w, h)
    else:
        kind = draw(
            st.sampled_from(
                ["union", "hstack", "vstack", "hstackrep", "vstackrep", "hflip", "vflip", "place"]
            )
        )
        if kind in ("union", "hstack", "vstack"):
            parts = draw(st.lists(regions(depth=depth - 1), min_size=1, max_size=3))
            text = f"{kind}({' '.join(t for t, _ in parts)})"
            models = [m for _, m in parts]
            tiles = naive.union(*models) if kind == "union" else naive.stack("hv".index(kind[0]), *models)
        else:
            inner, model = draw(regions(depth=depth - 1))
            if kind == "place":
                x, y = draw(small), draw(small)
                text, tiles = f"place({inner} {x} {y})", naive.moved(model, x, y)
            elif kind.endswith("flip"):
                text, tiles = f"{kind}({inner})", naive.flipped("hv".index(kind[0]), model)
            else:
                n, gap = draw(st.integers(0, 3)), draw(st.integers(0, 2))
                text = f"{kind}({inner} {n} {gap})"
                tiles = naive.repeated("hv".index(kind[0]), model, n, gap)
    for _ in range(draw(st.integers(0, 2))):
        if draw(st.booleans()):
            rule, color = draw(rules()), draw(st.sampled_from(COLORS))
            text, tiles = f"paint({text} {color} {rule.text()})", naive.paint(tiles, color, rule)
        elif draw(st.integers(0, 2)) == 0:
            kernel = draw(st.sampled_from(KERNELS))
            text, tiles = f"code({text} '{kernel})", naive.code(tiles, kernel)
    return text, tiles


@settings(max_examples=100, deadline=None)
@given(regions())
def test_flattening_agrees_with_the_naive_model(region: tuple[str, naive.Tiles]) -> None:
    text, tiles = region
    source = f"let a = color() let b = color() {text}"
    result, reporter = evaluated(source)
    assert {
        (x, y)
        for b in result.region.tiles.boxes()
        for x in range(b.x, b.x + b.w)
        for y in range(b.y, b.y + b.h)
    } == set(tiles)
    if not tiles:
        with pytest.raises(UserError, match="no tiles"):
            flatten(result, reporter)
        return
    made = flatten(result, reporter)
    wanted = {t: naive.merged(s) for t, s in tiles.items()}
    found = {d.code.code for d in reporter.errors}
    # A chain of open rules may be filled in one order and contradict in another: only the first of each is compared.
    assert bool(found) == any(isinstance(w, str) for w in wanted.values())
    if found:
        return
    assert (made.width, made.height) == (max(x for x, _ in tiles) + 1, max(y for _, y in tiles) + 1)
    got: dict[tuple[int, int], object] = {}
    for c in made.classes:
        rules_ = {
            color.name: (
                letters_sorted(p.rule.positions[0].inputs),
                p.rule.swap,
                letters_sorted(p.rule.positions[0].outputs),
            )
            for color, p in c.rules.items()
        }
        for b in c.tiles.boxes():
            for x in range(b.x, b.x + b.w):
                for y in range(b.y, b.y + b.h):
                    assert (x, y) not in got
                    got[x, y] = (c.code.kernel if c.code else None, rules_)
    assert got == {t: w for t, w in wanted.items() if w != (None, {})}


test_flattening_agrees_with_the_naive_model_at_length = at_length(
    test_flattening_agrees_with_the_naive_model, regions(), 300
)


def letters_sorted(mask: int) -> str:
    return "".join(sorted(letters(mask)))


@settings(max_examples=35, deadline=None)
@given(regions())
def test_neighbours_agree_with_the_naive_model(region: tuple[str, naive.Tiles]) -> None:
    text, tiles = region
    result, reporter = evaluated(f"let a = color() let b = color() {text}")
    if not tiles:
        return
    made = flatten(result, reporter)
    at = {}
    for c in made.classes:
        for b in c.tiles.boxes():
            for x in range(b.x, b.x + b.w):
                for y in range(b.y, b.y + b.h):
                    at[x, y] = c.index
    wanted = {
        (a, port, at[x + dx, y + dy])
        for (x, y), a in at.items()
        for port, (dx, dy) in enumerate([(-1, 0), (1, 0), (0, 1), (0, -1)])
        if (x + dx, y + dy) in at
    }
    assert set(made.adjacency) == wanted
    for a, port, b in made.adjacency:
        dx, dy = [(-1, 0), (1, 0), (0, 1), (0, -1)][port]
        border = {(x, y) for x, y in at if at[x, y] == a and at.get((x + dx, y + dy)) == b}
        assert made.border(a, port, b).count() == len(border)
        assert made.border(a, port, b).first() in border
    for c in made.classes:
        for port, (dx, dy) in enumerate([(-1, 0), (1, 0), (0, 1), (0, -1)]):
            open_ = {(x, y) for x, y in at if at[x, y] == c.index and (x + dx, y + dy) not in at}
            assert made.open_side(c.index, port).count() == len(open_)


test_neighbours_agree_with_the_naive_model_at_length = at_length(
    test_neighbours_agree_with_the_naive_model, regions(), 100
)


PIPELINE = """
let r = color()
let rp = color()
let row = rect(0 0 K+2 1)
row : paint(rp [CXR|R])
row : paint(r [L|LXC])
row : colorpair(r rp)
let src = rect(0 0 1 1)
src : code('send [tx:r N:N])
src : name('send)
let stages = rect(1 0 K 1)
stages : code('stage [r:r N:N])
stages : name('stages)
let sink = rect(K+1 0 1 1)
sink : code('recv [rx:r N:N])
sink : name('recv)
union(row src stages sink)
"""


@pytest.mark.parametrize("k", [0, 1, 3])
def test_the_pipeline_of_the_notes(k: int) -> None:
    # S0:136-183: rp [CXR] everywhere but at the right end, r [LXC] everywhere but at the left end.
    wanted = {(x, 0): ("stage", {"rp": "[CXR]", "r": "[LXC]"}) for x in range(1, k + 1)}
    wanted[0, 0] = ("send", {"rp": "[CXR]", "r": "[XC]"})
    wanted[k + 1, 0] = ("recv", {"rp": "[CX]", "r": "[LXC]"})
    assert tiles_of(layout(PIPELINE, K=k, N=4)) == wanted


def test_edges_are_those_of_the_region_being_painted() -> None:
    # A tile is painted and then repeated: every copy has both edges. A repeated tile is painted: two edges in all.
    made = layout(
        "let c = color() let t = paint(tile() c [L|L>R]) let u = hstackrep(tile() 3) u : paint(c [L|L>R]) vstack(hstackrep(t 3) u)"
    )
    assert [tiles_of(made)[x, 0][1]["c"] for x in range(3)] == ["[>R]"] * 3
    assert [tiles_of(made)[x, 1][1]["c"] for x in range(3)] == ["[>R]", "[L>R]", "[L>R]"]


def test_a_gap_is_an_edge() -> None:
    made = layout("let c = color() let u = hstackrep(rect(0 0 2 1) 2 1) u : paint(c [L|L>R|R]) u")
    rules = {x: tiles_of(made)[x, 0][1]["c"] for x in (0, 1, 3, 4)}
    assert rules == {0: "[>R]", 1: "[L>]", 3: "[>R]", 4: "[L>]"}
    assert (2, 0) not in tiles_of(made)


def test_open_rules_are_filled_in_whatever_the_order() -> None:
    for order in ("s m", "m s"):
        made = layout(
            f"let c = color() let s = paint(tile() c [C>]) let m = paint(tile() c [C>R]) union({order})"
        )
        assert tiles_of(made) == {(0, 0): (None, {"c": "[C>R]"})}


def test_a_replicated_pattern_keeps_few_classes() -> None:
    text = """
    let c = color()
    let a = tile() a : code('x) a : paint(c [C>R])
    let b = tile() b : code('y) b : paint(c [L>C])
    let cell = vstack(hstack(a b) hstack(a b))
    vstackrep(hstackrep(cell 381) 586)
    """
    made = layout(text)
    assert (made.width, made.height, len(made.classes)) == (762, 1172, 2)
    assert sum(c.tiles.count() for c in made.classes) == 762 * 1172


NAMES = """
let t = tile() t : code('k)
"""


def names(made: str, **given: int) -> dict[tuple[int, int], str]:
    lay = layout(made, **given)
    found = {}
    for c in lay.classes:
        for b in c.tiles.boxes():
            for x in range(b.x, b.x + b.w):
                for y in range(b.y, b.y + b.h):
                    found[x, y] = c.code.name if c.code else "-"
    return found


def test_a_copy_may_be_named_anew() -> None:
    text = NAMES + "t : name('one) let u = t u : name('two) hstack(t u)"
    assert names(text) == {(0, 0): "one", (1, 0): "two"}


def test_a_name_on_the_whole_does_not_rename_its_parts() -> None:
    text = NAMES + "let u = t t : name('one) let all = hstack(t u) all : name('all) all"
    assert names(text) == {(0, 0): "one", (1, 0): "all"}


def test_a_name_on_a_region_without_code_only_labels() -> None:
    text = NAMES + "t : name('n) let row = rect(0 0 2 1) row : name('row) union(row t)"
    made = layout(text)
    assert names(text) == {(0, 0): "n"}
    assert [(label.name, tiles.count()) for label, tiles in made.labels] == [("row", 2)]


def test_a_name_before_the_code_only_labels() -> None:
    text = "let t = tile() t : name('n) t : code('k) t"
    assert names(text) == {(0, 0): ""}


def test_a_name_stays_through_replication_in_place() -> None:
    text = NAMES + "t : name('one) t : hstackrep(2) t : name('two) t"
    assert names(text) == {(0, 0): "two", (1, 0): "two"}


def test_fabric_option() -> None:
    result, reporter = evaluated("rect(0 0 800 2)")
    with pytest.raises(UserError, match="800 x 2 tiles; the fabric has 762 x 1172"):
        flatten(result, reporter)
    made = flatten(result, reporter, (1000, 10))
    assert (made.width, made.height) == (1000, 10)
    with pytest.raises(UserError, match="the fabric has 700 x 10"):
        flatten(result, reporter, (700, 10))
