"""Finished numberings against the rule of paint.md 4, tile by tile: colors that meet have different numbers."""

from __future__ import annotations

from hypothesis import event, given, settings
from hypothesis import strategies as st
from lanes import at_length
from layouts import layout

from diag.report import UserError
from paint.colors import solve
from paint.flatten import Layout
from paint.meet import problem

COLORS = "abcdef"
STEP = {"L": (-1, 0), "R": (1, 0), "U": (0, 1), "D": (0, -1)}


@st.composite
def layouts(draw: st.DrawFn) -> str:
    small, side = st.integers(0, 4), st.integers(1, 3)
    lines = [f"let {c} = color()" for c in COLORS]
    parts = []
    for i in range(draw(st.integers(1, 5))):
        lines.append(f"let r{i} = rect({draw(small)} {draw(small)} {draw(side)} {draw(side)})")
        for c in draw(st.lists(st.sampled_from(COLORS), max_size=3, unique=True)):
            inputs = draw(st.sampled_from(["", *"CLRUD"]))
            outputs = "".join(draw(st.sets(st.sampled_from("CLRUD"), min_size=1, max_size=2)))
            positions = f"; L>{outputs}" if draw(st.integers(0, 4)) == 0 else ""
            lines.append(f"r{i} : paint({c} [{inputs}{draw(st.sampled_from('>>>>HX'))}{outputs}{positions}])")
        parts.append(f"r{i}")
    if draw(st.booleans()):
        a, b = draw(st.lists(st.sampled_from(COLORS), min_size=2, max_size=2, unique=True))
        lines.append(f"r0 : colorpair({a} {b})")
    whole = f"union({' '.join(parts)})"
    if draw(st.booleans()):
        whole = f"hstackrep({whole} 2)"
    return "\n".join([*lines, whole])


def check(made: Layout, numbers: dict[str, int]) -> None:
    at: dict[tuple[int, int], dict[str, tuple[str, str]]] = {}
    for c in made.classes:
        for b in c.tiles.boxes():
            for x in range(b.x, b.x + b.w):
                for y in range(b.y, b.y + b.h):
                    at[x, y] = {k.key: (str(p.rule), p.rule.swap) for k, p in c.rules.items()}
    for (x, y), rules in at.items():
        used = [numbers[k] for k in rules]
        assert len(set(used)) == len(used)
        for key, (text, swap) in rules.items():
            # What a swap reads is nobody else's than its pair's.
            if swap != ">":
                owners = {k for k in rules if numbers[k] == numbers[key] ^ 1}
                assert all(tied(made, key, k) for k in owners)
            for port, (dx, dy) in STEP.items():
                sides = [p.strip(" *[]") for p in text.split(";")]
                if any(port in p[max(p.find(o) for o in ">HVX") :][1:] for p in sides):
                    there = at.get((x + dx, y + dy), {})
                    assert all(numbers[k] != numbers[key] for k in there if k != key)


def tied(made: Layout, a: str, b: str) -> bool:
    return any({p.a.key, p.b.key} == {a, b} for p in made.pairs)


@settings(max_examples=70, deadline=None)
@given(layouts())
def test_colors_that_meet_have_different_numbers(text: str) -> None:
    try:
        made = layout(text)
    except UserError:
        return  # rules that contradict each other
    try:
        numbers = solve(problem(made))
    except UserError:
        return
    event("numbered")
    check(made, numbers)
    for p in made.pairs:
        if p.a.key in numbers and p.b.key in numbers:
            assert numbers[p.a.key] ^ numbers[p.b.key] == 1


test_colors_that_meet_have_different_numbers_at_length = at_length(
    test_colors_that_meet_have_different_numbers, layouts(), 200
)
