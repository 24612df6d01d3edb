"""The color solver against brute force, and its messages."""

from __future__ import annotations

import os
import random
import subprocess
import sys
from itertools import combinations
from pathlib import Path

import pytest
from counting import calls
from hypothesis import given, settings
from hypothesis import strategies as st
from lanes import at_length
from wired import paint

from diag.report import UserError, render
from diag.spans import Source
from fabric import arch
from paint import colors
from paint.problem import ColorInfo, ColorProblem, Held, Meeting, Pair, TileUse
from paint.tiles import Box

CASES = Path(__file__).parent / "cases" / "colors"
BOX = Box(0, 0, 1, 1)
HELD = Held("rule [C>R]")


def errors(text: str, budget: int = colors.BUDGET) -> str:
    with pytest.raises(UserError) as caught:
        colors.solve(paint(text).problem, budget)
    return "\n".join(render(d) for d in caught.value.diagnostics)


@pytest.mark.parametrize("path", sorted(CASES.glob("*.paint")), ids=lambda p: p.stem)
def test_messages(path: Path) -> None:
    """Each layout that cannot be numbered gives the message beside it (GOLDEN=write rewrites them)."""
    # A budget too small to find anything is what PT520 tells of.
    text = errors(path.read_text(), 3 if path.stem.startswith("pt520") else colors.BUDGET) + "\n"
    golden = path.with_suffix(".out")
    if os.environ.get("GOLDEN") == "write":
        golden.write_text(text)
    assert text == golden.read_text()
    assert path.stem[:5].upper() in text


def test_every_code_has_two_cases() -> None:
    stems = [p.stem[:5] for p in CASES.glob("*.paint")]
    for code in ("501", "502", "503", *range(506, 515), "520"):
        assert stems.count(f"pt{code}") >= 2, code


# -- problems without a layout ------------------------------------------------------------------------------------


def problem(
    allowed: list[frozenset[int]], meets: set[tuple[int, int]], pairs: list[tuple[int, int]], usage: list[set[int]]
) -> ColorProblem:
    """Color i is called ci; meetings by index, a < b; usage lists the colors of a tile."""
    made = ColorProblem()
    names = [f"c{i:03}" for i in range(len(allowed))]
    for name, numbers in zip(names, allowed, strict=True):
        made.colors[name] = ColorInfo(name, name, None, numbers)
    for a, b in sorted(meets):
        made.meetings[names[a], names[b]] = Meeting(names[a], names[b], "tile", BOX, 1, HELD, HELD)
    made.pairs = [Pair(names[a], names[b], Held("colorpair")) for a, b in pairs]
    made.usage = [TileUse(BOX, 1, {names[i]: HELD for i in sorted(use)}) for use in usage]
    return made


def brute_force(p: ColorProblem, keys: list[str]) -> bool:
    """Whether these colors can be numbered together: all numbers tried in order, without any cleverness."""
    partners: dict[str, set[str]] = {k: set() for k in keys}
    for pair in p.pairs:
        if pair.a in partners and pair.b in partners:
            partners[pair.a].add(pair.b)
            partners[pair.b].add(pair.a)
    chosen: dict[str, int] = {}

    def fits(key: str, n: int) -> bool:
        for other, m in chosen.items():
            if n == m and (min(key, other), max(key, other)) in p.meetings:
                return False
            if other in partners[key] and n ^ 1 != m:
                return False
        return key not in partners[key]

    def go(i: int) -> bool:
        if i == len(keys):
            return True
        for n in sorted(p.colors[keys[i]].allowed):
            if fits(keys[i], n):
                chosen[keys[i]] = n
                if go(i + 1):
                    return True
                del chosen[keys[i]]
        return False

    return go(0)


def check_numbering(p: ColorProblem, numbers: dict[str, int]) -> None:
    assert set(numbers) == set(p.colors)
    for key, n in numbers.items():
        assert n in p.colors[key].allowed
    for a, b in p.meetings:
        assert numbers[a] != numbers[b]
    for pair in p.pairs:
        assert numbers[pair.a] ^ numbers[pair.b] == 1


@st.composite
def small_problems(draw: st.DrawFn) -> ColorProblem:
    """Few colors with few numbers each, so that many instances are just (un)solvable."""
    n = draw(st.integers(1, 8))
    pool = draw(st.sampled_from([(0, 1), (0, 1, 2), (0, 1, 2, 3), (0, 2, 5, 10), (2, 3, 10, 11, 16), (0, 1, 4, 5, 12, 13)]))
    whole = frozenset(pool)
    allowed = [
        whole if draw(st.integers(0, 2)) else frozenset(draw(st.sets(st.sampled_from(pool), max_size=len(pool))))
        for _ in range(n)
    ]
    possible = list(combinations(range(n), 2))
    meets = {e for e in possible if draw(st.integers(0, 9)) < 6} if draw(st.booleans()) else set(possible)
    pairs = draw(st.lists(st.tuples(st.integers(0, n - 1), st.integers(0, n - 1)), max_size=4))
    whole_cliques = [set(c) for k in (3, 4) for c in combinations(range(n), k) if all(e in meets for e in combinations(c, 2))]
    usage = draw(st.lists(st.sampled_from(whole_cliques), max_size=3)) if whole_cliques else []
    return problem(allowed, meets, pairs, usage)


@settings(max_examples=200, deadline=None)
@given(small_problems())
def test_against_brute_force(p: ColorProblem) -> None:
    """Solvable iff it says so; each numbering is valid; each set reported is unsolvable, and solvable without any
    one of its colors."""
    result = colors.number(p)
    assert bool(result.failures) != brute_force(p, list(p.colors))
    if not result.failures:
        check_numbering(p, result.numbers)
    for failure in result.failures:
        assert failure.decided and failure.minimal
        assert not brute_force(p, failure.keys)
        for key in failure.keys:
            assert brute_force(p, [k for k in failure.keys if k != key])
    for diagnostic in colors.explain_all(p, result):
        text = render(diagnostic)
        assert diagnostic.code.code.startswith("PT5") and "{" not in text
    again = colors.number(p)
    assert (again.numbers, again.failures) == (result.numbers, result.failures)


@st.composite
def layouts(draw: st.DrawFn) -> ColorProblem:
    """Colors on runs of tiles in a grid, some of them paired, switching or pinned: what layouts look like."""
    width, height = draw(st.integers(2, 8)), draw(st.integers(1, 5))
    tiles: dict[tuple[int, int], set[int]] = {}
    allowed: list[frozenset[int]] = []
    pairs: list[tuple[int, int]] = []
    for _ in range(draw(st.integers(1, 40))):
        x, y, n = draw(st.integers(0, width - 1)), draw(st.integers(0, height - 1)), draw(st.integers(1, 6))
        run = [(i, y) for i in range(x, min(width, x + n))]
        if draw(st.booleans()):
            run = [(x, j) for j in range(y, min(height, y + n))]
        paired = draw(st.integers(0, 3)) == 0
        for _ in range(2 if paired else 1):
            kind = draw(st.integers(0, 12))
            numbers = frozenset(range(arch.COLORS))
            if kind < 4:
                numbers = frozenset(arch.SWITCHABLE)
            elif kind == 4:
                numbers = frozenset([draw(st.integers(0, 23))])
            for t in run:
                tiles.setdefault(t, set()).add(len(allowed))
            allowed.append(numbers)
        if paired:
            pairs.append((len(allowed) - 2, len(allowed) - 1))
    meets = {e for use in tiles.values() for e in combinations(sorted(use), 2)}
    return problem(allowed, meets, pairs, list(tiles.values()))


@settings(max_examples=100, deadline=None)
@given(layouts())
def test_layouts(p: ColorProblem) -> None:
    """Numberings are valid; a reported set stays unsolvable for the search alone and is minimal by it."""
    result = colors.number(p)
    if not result.failures:
        check_numbering(p, result.numbers)
    for failure in result.failures:
        assert failure.decided
        for key in failure.keys if failure.minimal else ():
            rest = [k for k in failure.keys if k != key]
            sub = ColorProblem(
                {k: p.colors[k] for k in rest},
                [x for x in p.pairs if x.a in rest and x.b in rest],
                {e: m for e, m in p.meetings.items() if e[0] in rest and e[1] in rest},
            )
            check_numbering(sub, colors.solve(sub))
        render(colors.explain_all(p, result)[0])


test_against_brute_force_at_length = at_length(test_against_brute_force, small_problems(), 600)
test_layouts_at_length = at_length(test_layouts, layouts(), 300)


def clique(n: int, numbers: frozenset[int] = frozenset(range(24)), pairs: int = 0) -> ColorProblem:
    return problem(
        [numbers] * n, set(combinations(range(n), 2)), [(2 * i, 2 * i + 1) for i in range(pairs)], [set(range(n))]
    )


@pytest.mark.parametrize("pairs", [0, 3, 12])
def test_a_full_tile(pairs: int) -> None:
    check_numbering(clique(24, pairs=pairs), colors.solve(clique(24, pairs=pairs)))


@pytest.mark.parametrize(("count", "numbers"), [(25, frozenset(range(24))), (17, frozenset(arch.SWITCHABLE))])
def test_one_too_many(count: int, numbers: frozenset[int]) -> None:
    failure = colors.number(clique(count, numbers)).failures[0]
    assert len(failure.keys) == count and failure.minimal


def test_sixteen_switch_and_eight_do_not() -> None:
    """All 24 on a tile, 16 of which switch, in an order that tempts a greedy numbering."""
    allowed = [frozenset(range(24))] * 8 + [frozenset(arch.SWITCHABLE)] * 16
    p = problem(allowed, set(combinations(range(24), 2)), [], [set(range(24))])
    numbers = colors.solve(p)
    check_numbering(p, numbers)
    assert {numbers[f"c{i:03}"] for i in range(8)} == set(range(24)) - arch.SWITCHABLE


def test_parts_are_independent() -> None:
    """Two overfull tiles far apart are two messages, and what hangs together with neither is numbered."""
    a, b = set(range(25)), set(range(25, 50))
    meets = set(combinations(sorted(a), 2)) | set(combinations(sorted(b), 2)) | {(50, 51)}
    p = problem([frozenset(range(24))] * 52, meets, [], [a, b])
    result = colors.number(p)
    assert [len(f.keys) for f in result.failures] == [25, 25]
    assert result.numbers == {"c050": 0, "c051": 1}


def test_numbers_are_used_again() -> None:
    """A long row of colors that meet their neighbours only: two numbers do."""
    n = 500
    p = problem([frozenset(range(24))] * n, {(i, i + 1) for i in range(n - 1)}, [], [])
    check_numbering(p, colors.solve(p))
    assert len(set(colors.solve(p).values())) <= 3


def test_order_of_the_problem_does_not_decide_solvability() -> None:
    p = clique(24, pairs=5)
    q = ColorProblem(dict(reversed(p.colors.items())), list(reversed(p.pairs)), dict(reversed(p.meetings.items())), p.usage)
    check_numbering(q, colors.solve(q))


def hard() -> ColorProblem:
    """A random graph at the edge of what 24 numbers can do; no small budget decides it."""
    n = 150
    dice = random.Random(5)
    meets = {e for e in combinations(range(n), 2) if dice.random() < 0.6}
    return problem([frozenset(range(24))] * n, meets, [], [])


def test_undecided_says_what_was_found() -> None:
    p = hard()
    result = colors.number(p, budget=400)
    failure = result.failures[0]
    assert not failure.decided and failure.nodes == 400
    assert 50 < len(failure.numbers) < 150
    for a, b in p.meetings:
        if a in failure.numbers and b in failure.numbers:
            assert failure.numbers[a] != failure.numbers[b]
    diagnostic = colors.explain_all(p, result)[0]
    assert diagnostic.code.code == "PT520" and "after 400 steps" in diagnostic.message


def test_two_hundred_colors_over_a_hundred_regions() -> None:
    """In some hundredths of a second, so the work is bounded; benchmarks/solver.py has larger ones."""
    allowed, meets, pairs = [], set(), []
    tiles: dict[tuple[int, int], list[int]] = {}
    for i in range(200):
        x, y = i * 37 % 10, i * 53 % 10
        run = [((x + k) % 10, y) for k in range(6)] + [((x + 5) % 10, (y + k) % 10) for k in range(4)]
        for t in run:
            tiles.setdefault(t, []).append(i)
        allowed.append(frozenset(arch.SWITCHABLE) if i % 3 == 0 else frozenset(range(24)))
        if i % 10 == 1:
            pairs.append((i - 1, i))
    for use in tiles.values():
        meets |= set(combinations(sorted(set(use)), 2))
    p = problem(allowed, meets, pairs, [set(u) for u in tiles.values()])
    result, count = calls(lambda: colors.number(p))
    assert result.failures == [] and result.nodes < 1000
    assert count < 500_000
    check_numbering(p, result.numbers)


def test_the_same_from_process_to_process() -> None:
    """String hashes differ between processes; numbers and reported sets do not."""
    script = (
        "import random, sys; sys.path.insert(0, 'benchmarks')\n"
        "from solver import layout; from paint.colors import number\n"
        "for fill in (18, 26):\n"
        "    r = number(layout(random.Random(3), 49, 110, fill)); print(r.numbers, [f.keys for f in r.failures])\n"
    )
    root = Path(__file__).parents[2]
    outputs = {
        subprocess.run(
            [sys.executable, "-c", script],
            cwd=root,
            env={**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": str(root)},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "2", "3")
    }
    assert len(outputs) == 1 and len(outputs.pop()) > 500


@pytest.mark.parametrize("path", sorted(CASES.glob("pt520*.paint")), ids=lambda p: p.stem)
def test_what_a_budget_of_three_misses(path: Path) -> None:
    """The layouts of PT520 have numberings, which the usual budget finds."""
    p = paint(path.read_text()).problem
    check_numbering(p, colors.solve(p))


def test_span_of_a_message_is_in_the_layout() -> None:
    source = Source("x.paint", "let a = color()\n")
    p = clique(25)
    for key, info in list(p.colors.items()):
        p.colors[key] = ColorInfo(key, info.name, source.span(8, 15), info.allowed)
    with pytest.raises(UserError) as caught:
        colors.solve(p)
    assert render(caught.value.diagnostics[0]).startswith("x.paint:1:9: error PT510: 25 colors are all used on")
