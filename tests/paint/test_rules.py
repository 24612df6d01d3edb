"""Rules: what edges leave of them, and their register words worked out from hardware.md 16.

A position is input << 5 | outputs with L 0, R 1, U 2, D 3, C 4, no input 5.
"""

from __future__ import annotations

import pytest

from diag.report import Reporter
from diag.spans import Source
from paint.rules import PORTS, Rule, Template, parse_rule


def template(text: str) -> Template:
    reporter = Reporter()
    made = parse_rule(Source("t", text).span(0, len(text)), text, reporter)
    assert made is not None, [d.message for d in reporter.errors]
    return made


def rule(text: str, edges: str = "") -> Rule | None:
    reporter = Reporter()
    made = template(text).resolve(sum(1 << PORTS.index(e) for e in edges), reporter)
    reporter.raise_if_errors()
    return made


def words(text: str, fp16: int = 0) -> tuple[int, ...]:
    made = rule(text)
    assert made is not None
    return made.words(fp16)


@pytest.mark.parametrize(
    ("text", "route"),
    [
        ("[C>R]", 4 << 5 | 0b00010),
        ("[L>C]", 0 << 5 | 0b10000),
        ("[L>R]", 0b00010),
        ("[R>L]", 1 << 5 | 0b00001),
        ("[U>D]", 2 << 5 | 0b01000),
        ("[D>UC]", 3 << 5 | 0b10100),
        ("[C>LRUD]", 4 << 5 | 0b01111),
        ("[C>]", 4 << 5),
        ("[>C]", 5 << 5 | 0b10000),
        ("[L>L]", 0b00001),
    ],
)
def test_route_words(text: str, route: int) -> None:
    # No position 1 to 3: 0xa0 each; nothing of ours.
    assert words(text) == (route, 0x00A0, 0xA0A0, 0)


def test_known_words() -> None:
    assert words("[C>R]")[0] == 0x82
    assert words("[>C]")[0] == 0xB0


@pytest.mark.parametrize(
    ("text", "bits"), [("[LHR]", 1), ("[LVR]", 2), ("[LXR]", 7), ("[CXR]", 7), ("[XR]", 7)]
)
def test_swaps(text: str, bits: int) -> None:
    assert words(text)[3] == bits


def test_switch_words() -> None:
    # Position 1 in the low byte of word 0, 2 and 3 in word 1; bit 12 ring, bit 14 pop on advance.
    l_c, c_r, u_c, d_l = 0b10000, 4 << 5 | 0b10, 2 << 5 | 0b10000, 3 << 5 | 0b1
    assert words("[L>C; C>R]") == (l_c, c_r, 0xA0A0, 0)
    assert words("[L>C; C>R; U>C]") == (l_c, c_r, 0xA000 | u_c, 0)
    assert words("[L>C; C>R; U>C; D>L]") == (l_c, c_r, d_l << 8 | u_c, 0)
    assert words("[C>R; L>R; pop=adv ring]") == (c_r, 1 << 14 | 1 << 12 | 0b10, 0xA0A0, 0)
    assert words("[C>R; L>R; ring]")[1] == 1 << 12 | 0b10
    assert words("[C>R; L>R; pop=adv]")[1] == 1 << 14 | 0b10
    # Ours: bit 3 pop always, bit 4 pop on advance or NOP, bits 6:5 and 8:7 the position at the start.
    assert words("[C>R; L>R; pop=always]")[1:] == (0b10, 0xA0A0, 1 << 3)
    assert words("[C>R; L>R; pop=advnop]")[1:] == (0b10, 0xA0A0, 1 << 4)
    assert words("[C>R; L>R*]")[3] == 1 << 5 | 1 << 7
    assert words("[C>R; L>R; U>R; D>R*]")[3] == 3 << 5 | 3 << 7
    assert words("[C>R*; L>R]")[3] == 0
    assert words("[CXR; LXR*]")[3] == 7 | 1 << 5 | 1 << 7


@pytest.mark.parametrize(("dtype", "code"), [(10, 1), (16, 2), (15, 3)])
def test_adder(dtype: int, code: int) -> None:
    assert words("[L>R; fabadder]", dtype) == (0b10, 0x00A0, 0xA0A0, 1 << 9 | code << 10)


@pytest.mark.parametrize(
    ("text", "edges", "left"),
    [
        # A boundary operator takes away only the side; what remains keeps its swap (paint.md 5).
        ("[L|LXC]", "", "[LXC]"),
        ("[L|LXC]", "L", "[XC]"),
        ("[L|LXC]", "RUD", "[LXC]"),
        ("[CXR|R]", "R", "[CX]"),
        ("[D>UL|U]", "U", "[D>L]"),
        ("[D>UL|U]", "L", "[D>LU]"),
        ("[D>UL|UL]", "UL", "[D>]"),
        ("[D>UL|UL]", "L", "[D>U]"),
        ("[L|L>R|R]", "L", "[>R]"),
        ("[L|L>R|R]", "R", "[L>]"),
        # Only a rule that had neither side is no rule.
        ("[L|L>R|R]", "LR", None),
        ("[L|LXR|R]", "LR", None),
        ("[L|L>R|R; C>R]", "LR", "[>; C>R]"),
        ("[LR|LR>C]", "L", "[R>C]"),
    ],
)
def test_edges(text: str, edges: str, left: str | None) -> None:
    made = rule(text, edges)
    assert (None if made is None else str(made)) == left


def test_no_input_keeps_the_swap_in_the_word() -> None:
    made = rule("[L|LXC]", "L")
    assert made is not None
    assert made.words() == (5 << 5 | 0b10000, 0x00A0, 0xA0A0, 7)


def test_a_position_that_an_edge_took_away_is_unused() -> None:
    made = rule("[C>R; L|L>U|U]", "LU")
    assert made is not None
    assert made.words()[:2] == (0x82, 0x00A0)


@pytest.mark.parametrize(
    ("a", "b", "both"),
    [
        ("[C>]", "[C>R]", "[C>R]"),
        ("[>C]", "[L>C]", "[L>C]"),
        ("[C>R]", "[C>R]", "[C>R]"),
        ("[C>]", "[L>R]", None),
        ("[C>]", "[>R]", None),
        ("[C>R]", "[C>U]", None),
        ("[CX]", "[C>R]", None),
        ("[C>; >R]", "[C>R; L>R]", "[C>R; L>R]"),
        ("[C>; L>R]", "[C>R; >R]", None),
        ("[C>R]", "[C>R; ring]", None),
    ],
)
def test_open_sides_filled_in(a: str, b: str, both: str | None) -> None:
    x, y = rule(a), rule(b)
    assert x is not None and y is not None
    assert [None if m is None else str(m) for m in (x.filled(y), y.filled(x))] == [both, both]


@pytest.mark.parametrize(
    ("text", "x", "y"),
    [
        ("[L>RU]", "[R>LU]", "[L>RD]"),
        ("[CXR]", "[CXL]", "[CXR]"),
        ("[U>D; L>C*; pop=adv]", "[U>D; R>C*; pop=adv]", "[D>U; L>C*; pop=adv]"),
    ],
)
def test_flips(text: str, x: str, y: str) -> None:
    made = rule(text)
    assert made is not None
    assert (str(made.flipped("x")), str(made.flipped("y"))) == (x, y)
    assert made.flipped("x").flipped("x") == made


@pytest.mark.parametrize("text", ["[C>R; L>R]", "[C>R; ring]", "[C>R; pop=always]"])
def test_what_needs_a_switch(text: str) -> None:
    made = rule(text)
    assert made is not None and made.switches


def test_blanks_and_text() -> None:
    assert str(rule("[ L | LXC ]")) == "[LXC]"
    assert str(rule("[ C > D ;U>D; ring   pop=adv ]")) == "[C>D; U>D; pop=adv ring]"
    assert str(rule("[D>URLC]")) == "[D>CLRU]"
