"""Images of layouts: every configuration word worked out by hand from hardware.md 16, the map, milink."""

from __future__ import annotations

from typing import Any

import pytest
from layouts import layout, program

from diag.report import UserError
from fabric import arch
from fabric.image import Image
from fabric.map import format_map
from fabric.program import Program, Symbol
from paint.colors import solve
from paint.link import link, map_entries, object_image, placements
from paint.meet import problem


def images(text: str, programs: dict[str, Program], fp16: int = 0, **given: int) -> tuple[Image, Image, str]:
    """(object image, linked image, map) with programs made by hand for the kernels."""
    made = layout(text, **given)
    placed = placements(made, {c.index: programs[c.code.kernel] for c in made.classes if c.code})
    obj = object_image(made, placed, solve(problem(made)), fp16)
    return obj, link(obj), format_map(map_entries(placed))


def config(image: Image, x: int, y: int) -> dict[int, int]:
    return {a: w for a, w in image.tile_words(x, y).items() if arch.CONFIG_START <= a < arch.CACHE_START}


TWO = """
let c = color(4)
let a = tile() a : code('send [tx:c]) a : paint(c [C>R]) a : name('s)
let b = tile() b : code('recv [rx:c]) b : paint(c [L>C]) b : name('r)
hstack(a b)
"""


def test_two_tiles_word_by_word() -> None:
    send, recv = program("send", {"tx": ("out", 2)}), program("recv", {"rx": ("in", 3)})
    send.registers = {0x7208: 0x0002, 0x7284: 0x0100, 0x7285: 0}
    obj, image, _ = images(TWO, {"send": send, "recv": recv})
    assert not obj.linked and image.linked
    assert config(obj, 0, 0) == {0x7208: 2, 0x7284: 0x0100, 0x7285: 0}
    assert config(image, 0, 0) == {
        0x7208: 2,
        0x7284: 0x0100,
        0x7285: 0,
        0x7B82: 4 << 4,  # output queue 2: color in bits 8:4
        0x7C04: 4 << 5 | 0b00010,  # [C>R]
        0x7C90: 0x00A0,
        0x7C91: 0xA0A0,
        0x7C92: 0,
        0x7C45: 0,
        0x7C46: 0,
    }
    assert config(image, 1, 0) == {
        0x7BC6: 4,  # input queue 3: color in bits 4:0
        0x7C04: 0b10000,  # [L>C]
        0x7C90: 0x00A0,
        0x7C91: 0xA0A0,
        0x7C92: 0,
        0x7C45: 0,
        0x7C46: 1,
    }
    assert image.tile_words(1, 0)[3] == 0x2222


def test_ids_are_written_on_every_tile_of_the_fabric() -> None:
    _, image, _ = images("union(tile() rect(3 2 1 1))", {})
    for x in range(4):
        for y in range(3):
            assert config(image, x, y) == {0x7C45: y, 0x7C46: x}


def test_swaps_and_switches() -> None:
    text = """
    let r = color(6) let rp = color(7) let s = color(12)
    let row = rect(0 0 2 1)
    row : paint(rp [CXR|R]) row : paint(r [L|LHC]) row : paint(s [C>U; L>U*; pop=always ring])
    row
    """
    _, image, _ = images(text, {})
    left, right = config(image, 0, 0), config(image, 1, 0)
    assert (left[0x7C07], left[0x7C80 + 28 + 2]) == (0x82, 7)  # [CXR]: H, V and core
    assert (right[0x7C07], right[0x7C80 + 28 + 2]) == (0x80, 7)  # the edge took R: takes and discards
    assert (left[0x7C06], left[0x7C80 + 24 + 2]) == (5 << 5 | 16, 1)  # the edge took L: no input, still H
    assert (right[0x7C06], right[0x7C80 + 24 + 2]) == (16, 1)
    # s on color 12: position 0 [C>U], position 1 [L>U] active, ring, pop always.
    assert left[0x7C0C] == 4 << 5 | 4
    assert [left[0x7C80 + 48 + i] for i in range(3)] == [1 << 12 | 4, 0xA0A0, 8 | 1 << 5 | 1 << 7]


@pytest.mark.parametrize(("dtype", "code"), [(10, 1), (16, 2), (15, 3)])
def test_the_adder_gets_color_10_and_its_format(dtype: int, code: int) -> None:
    text = (
        "let c = color() hstack(paint(tile() c [C>R]) paint(tile() c [L>R; fabadder]) paint(tile() c [L>C]))"
    )
    _, image, _ = images(text, {}, dtype)
    words = config(image, 1, 0)
    assert (words[0x7C0A], words[0x7CAA]) == (2, 1 << 9 | code << 10)
    assert (config(image, 0, 0)[0x7C0A], config(image, 0, 0)[0x7CAA]) == (0x82, 0)


def test_message_passing() -> None:
    text = """
    let b0 = bank(0) let b1 = bank(1) let c = color(b0)
    let t = tile() t : code('k [s:c]) t : mp(b0)
    let u = tile() u : mp(b0) u : mp(b1)
    hstack(t u)
    """
    _, image, _ = images(text, {"k": program("k", {"s": ("in", 0)})})
    left, right = config(image, 0, 0), config(image, 1, 0)
    for c in range(24):
        bank = 1 if 14 <= c <= 18 else 2 if c >= 19 else 0
        # Bits 13:12 are the bank + 1.
        assert left.get(0x7C82 + 4 * c, 0) == (1 << 12 if bank == 1 else 0)
        assert right.get(0x7C82 + 4 * c, 0) == bank << 12
    assert left[0x7BC0] == 16


def test_a_socket_both_ways_two_sockets_on_one_color_and_a_filter() -> None:
    p = program("k", {"x": ("in", 0), "y": ("in", 1)})
    p.sockets.append(p.sockets[0].__class__("x", "out", 5, "sp", "k.w:1:8"))
    p.filters = [(3, "y")]
    p.registers = {0x72C0 + 24 + 2: 9}
    text = "let c = color(20) let t = code(tile() 'k [x:c y:c]) t"
    _, image, _ = images(text, {"k": p})
    words = config(image, 0, 0)
    assert (words[0x7BC0], words[0x7BC2], words[0x7B85]) == (20, 20, 20 << 4)
    assert [words[0x72D8 + i] for i in range(3)] == [1, 20, 9]


def test_map_lines() -> None:
    send, recv = program("send", {"tx": ("out", 0)}), program("recv", {"rx": ("in", 0)})
    send.symbols = [Symbol("a", "sp", 0x120, 2, (("n", 4),)), Symbol("n", "xp", 0x128, 1)]
    recv.symbols = [Symbol("s", "struct", 0x10, 6, (("m", 2), ("k", 3)))]
    _, _, text = images(TWO, {"send": send, "recv": recv})
    assert text.splitlines() == [
        "s.a sp 0x0120 [y<1 x<1 n<4 _word<2] 0,0 1,1",
        "s.n xp 0x0128 [y<1 x<1] 0,0 1,1",
        "r.s struct 0x0010 [y<1 x<1 m<2 k<3 _word<6] 1,0 1,1",
    ]


def test_map_of_repeated_regions() -> None:
    k = program("k")
    k.symbols = [Symbol("v", "xp", 0x10, 1)]
    text = """
    let t = tile() t : code('k) t : name('grid)
    let u = tile() u : code('k)
    let cell = vstack(hstack(t u) rect(0 0 2 1))
    vstackrep(hstackrep(cell 4) 3)
    """
    _, _, lines = images(text, {"k": k})
    assert lines.splitlines() == [
        "grid.v xp 0x0010 [y<3 x<4] 0,0 2,2",
        "v xp 0x0010 [y<3 x<4] 1,0 2,2",
    ]


def test_a_region_that_is_no_grid_has_a_line_a_rectangle() -> None:
    k = program("k")
    k.symbols = [Symbol("v", "xp", 0x10, 1)]
    text = "let t = union(rect(0 0 3 1) rect(0 1 1 2)) t : code('k) t : name('n) t"
    _, _, lines = images(text, {"k": k})
    assert lines.splitlines() == ["n.v xp 0x0010 [y<1 x<3] 0,0 1,1", "n.v xp 0x0010 [y<2 x<1] 0,1 1,1"]


def test_what_explains_a_run() -> None:
    send, recv = program("send", {"tx": ("out", 2)}), program("recv", {"rx": ("in", 3)})
    _, image, _ = images(TWO, {"send": send, "recv": recv})
    (a, b) = image.meta["programs"]
    assert (a["name"], a["region"], a["rects"]) == ("send", "s", [[0, 0, 1, 1, 1, 1]])
    assert b["sockets"] == [
        {
            "name": "rx",
            "dir": "in",
            "queue": 3,
            "color": 4,
            "color_name": "c",
            "span": "recv.w:1:8",
            "uses": [],
        }
    ]
    (c,) = image.meta["colors"]
    assert (c["number"], c["name"], c["rects"]) == (4, "c", [[0, 0, 2, 1, 1, 1]])
    assert [(r["rule"], r["span"]) for r in c["rules"]] == [
        ("[C>R]", "bench.paint:3:43"),
        ("[L>C]", "bench.paint:4:43"),
    ]


def test_milink_on_a_file_gives_what_paint_gives(tmp_path: Any) -> None:
    send, recv = program("send", {"tx": ("out", 2)}), program("recv", {"rx": ("in", 3)})
    obj, image, _ = images(TWO, {"send": send, "recv": recv})
    obj.save(str(tmp_path / "o.obj"))
    assert link(Image.load(str(tmp_path / "o.obj"))).to_bytes() == image.to_bytes()


@pytest.mark.parametrize(
    ("damage", "why"),
    [
        ({"version": 7}, "its link section has version 7, not 1"),
        ({"numbers": {}}, "damaged"),
        ({"numbers": {"c": 24}}, "damaged"),
        ({"rules": [{}]}, "damaged"),
        ({"queues": [{"tiles": [0, 0, [["1", "1"]]], "dir": "in", "queue": 8, "color": "c"}]}, "damaged"),
        ({"rules": [{"tiles": [5, 0, [["1", "1"]]], "color": "c", "words": [1, 2, 3, 4]}]}, "damaged"),
        ({"rules": 3}, "damaged"),
    ],
)
def test_a_damaged_link_section_is_an_error(damage: dict[str, Any], why: str) -> None:
    send, recv = program("send", {"tx": ("out", 2)}), program("recv", {"rx": ("in", 3)})
    obj, _, _ = images(TWO, {"send": send, "recv": recv})
    obj.meta["link"] = {**obj.meta["link"], **damage}
    with pytest.raises(UserError) as e:
        link(obj, "bench.obj")
    assert e.value.diagnostics[0].code.code == "PT131"
    assert why in e.value.diagnostics[0].message


def test_a_large_layout_stays_small(tmp_path: Any) -> None:
    text = """
    let c = color() let d = color()
    let grid = rect(0 0 762 1172) grid : code('k [x:c y:d]) grid : name('g)
    grid : paint(c [C>R]) grid : paint(d [L|L>C])
    grid
    """
    p = program("k", {"x": ("out", 0), "y": ("in", 0)})
    obj, image, lines = images(text, {"k": p})
    assert len(image.to_bytes()) < 10_000
    # d has no input on the left edge.
    assert config(image, 0, 1171)[0x7C00 + 1] == 0xB0
    assert config(image, 1, 1171)[0x7C00 + 1] == 0x10
    assert config(image, 761, 1171)[0x7C45] == 1171
