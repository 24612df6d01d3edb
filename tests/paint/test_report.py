"""paint report=: the page in headless chromium, on three layouts. Every count here was made by hand."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from browser import Element, opened, read
from hypothesis import given
from hypothesis import strategies as st
from layouts import kernel

from paint import cmd
from paint.folding import LONGEST_PATTERN, fold, shown
from paint.tiles import TileSet

# Four senders' row of a switch, an adder's row, two rows with message passing.
MIXED = """
let a = color() let sum = color() let turn = color()
let head = tile()
head : code('send [tx:a]) head : paint(a [C>R]) head : name('head)
let mid = rect(0 0 3 1)
mid : code('relay [rx:a tx:turn])
mid : paint(a [L>CR])
mid : paint(turn [C>R; L>R*; pop=adv ring])
mid : name('mid)
let tail = tile()
tail : code('recv [rx:a])
tail : paint(a [L>CR]) (* <- leaves the layout *)
tail : paint(turn [L>])
tail : name('tail)
let left = tile()
left : code('send [tx:sum]) left : paint(sum [C>R])
let add = rect(0 0 3 1)
add : code('send [tx:sum]) add : paint(sum [L>R; fabadder]) add : name('add)
let end = tile()
end : code('recv [rx:sum]) end : paint(sum [L>C]) end : name('end)
let area = rect(0 0 5 2)
area : mp(bank(0))
area : name('area)
vstack(hstack(head mid tail) hstack(left add end) area)
"""
RELAY = """
    .name relay
    .socket rx in 0 sp
    .socket tx out 1 sp
    .func main
    .entry
        nop; terminate;
"""

# A halo exchange by swaps, with a border of another kernel.
HALO = """
let W = NX+2 let H = NY+2
let e = color() let ep = color() let w = color() let wp = color()
let n = color() let np = color() let s = color() let sp = color()
let all = rect(0 0 W H)
all : paint(ep [CXR|R]) all : paint(e [L|LXC]) all : colorpair(e ep)
all : paint(wp [CXL|L]) all : paint(w [R|RXC]) all : colorpair(w wp)
all : paint(np [CXU|U]) all : paint(n [D|DXC]) all : colorpair(n np)
all : paint(sp [CXD|D]) all : paint(s [U|UXC]) all : colorpair(s sp)
let grid = rect(1 1 NX NY)
grid : code('cell [e:e w:w n:n s:s]) grid : name('grid)
define moat(x y width height) {
  let r = rect(x y width height)
  r : code('edge [e:e w:w n:n s:s])
  r : name('moat)
}
union(all grid moat(0 0 W 1) moat(0 H-1 W 1) moat(0 1 1 NY) moat(W-1 1 1 NY))
"""


def four(name: str) -> str:
    queues = [f".socket {s} {d} {i} sp" for i, s in enumerate("ewns") for d in ("in", "out")]
    return "\n".join([f".name {name}", *queues, ".func main", ".entry", "nop; terminate;", ""])


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    kernel(tmp_path, "send", "tx", "out", 2)
    kernel(tmp_path, "recv", "rx", "in", 3)
    (tmp_path / "relay.s").write_text(RELAY)
    for name in ("cell", "edge"):
        (tmp_path / f"{name}.s").write_text(four(name))
    return tmp_path


def painted(project: Path, text: str, *words: str) -> Path:
    (project / "bench.paint").write_text(text)
    assert cmd.main(["source=bench.paint", "report=r.html", *words]) == 0
    return project / "r.html"


def drawn(page: Element) -> dict[str, str]:
    """What the canvas says that it shows."""
    data = page.one("canvas").attributes
    return {name.removeprefix("data-"): value for name, value in data.items() if name.startswith("data-")}


def rows(element: Element) -> list[list[str]]:
    return [[cell.text for cell in row.all("td")] for row in element.all("tr") if row.all("td")]


def numbering(page: Element) -> dict[int, list[str]]:
    """The names of the colors of each number."""
    found = {}
    for number in page.all(css="number"):
        names = [c.one("summary").all("b")[0].text for c in number.all(css="color")]
        found[int(number.attributes["data-number"])] = names
    return found


def whole(page: Element, path: Path) -> None:
    """What holds of each page: links lead somewhere, and nothing comes from elsewhere."""
    ids = {e.attributes["id"] for e in page.walk() if "id" in e.attributes}
    links = [e.attributes["href"] for e in page.all("a")]
    assert links and all(link.removeprefix("#") in ids for link in links)
    assert (
        not page.all("link") and not page.all("img") and not any("src" in e.attributes for e in page.walk())
    )
    assert "://" not in path.read_text()


# -- switches, adder, message passing, a finding --------------------------------------------------------------------


def test_mixed(project: Path) -> None:
    path = painted(project, MIXED, "float16_dtype=10")
    page = opened(path, "tile=2,0")
    whole(page, path)
    assert [page.one(id=name).text for name in ("size", "tiles")] == ["5 x 4", "20"]
    # Row 0: 1 at the head, two of both rules on three tiles, 2 and 1 at the tail; row 1: one each.
    shows = {"view": "whole", "columns": "5", "rows": "4", "tiles": "20", "routes": "21", "swaps": "0"}
    assert drawn(page).items() >= shows.items()
    # name, kernel, parameters, tiles (words follow)
    kernels = [row[1:5] for row in rows(page.one("section", id="kernels")) if len(row) == 7]
    assert sorted(kernels) == [
        ["", "send", "", "1"],
        ["add", "send", "", "3"],
        ["end", "recv", "", "1"],
        ["head", "send", "", "1"],
        ["mid", "relay", "", "3"],
        ["tail", "recv", "", "1"],
    ]
    assert ["area", "tiles (0, 2) to (4, 3)"] in rows(page.one("section", id="kernels"))
    # The adder's color is 10, bank 0's are 14 to 18; the two others meet, and `turn` needs a number that switches.
    numbers = numbering(page)
    assert numbers[10] == ["sum"] and set(range(14, 19)) <= set(numbers)
    assert sorted(name for n in set(numbers) - {10, *range(14, 19)} for name in numbers[n]) == ["a", "turn"]


def test_a_tile_of_mixed(project: Path) -> None:
    page = opened(painted(project, MIXED, "float16_dtype=10"), "tile=2,0")
    tile = page.one("section", id="tile")
    of = {name: n for n, names in numbering(page).items() for name in names}
    assert tile.all("h2")[0].text == "Tile (2, 0)"
    assert [row[:4] for row in rows(tile)] == [
        ["input 0", "rx", "sp", f"a ({of['a']})"],
        ["output 1", "tx", "sp", f"turn ({of['turn']})"],
    ]
    # Each route is a curve of two halves: [L>CR] has two, the switch two of which one is dashed.
    glyphs = {rule.all("code")[0].text: rule.all("path", "route") for rule in tile.all(css="rule")}
    assert {text: len(paths) for text, paths in glyphs.items()} == {
        "[L>CR]": 4,
        "[C>R; L>R*; pop=adv ring]": 4,
    }
    assert [sum("stroke-dasharray" in p.attributes for p in paths) for paths in glyphs.values()].count(2) == 1
    passing = opened(project / "r.html", "tile=4,3").one("section", id="tile").text
    assert "in area" in passing and "bank 0, colors 14, 15, 16, 17, 18" in passing


def test_who_holds_a_number_where(project: Path) -> None:
    page = opened(painted(project, MIXED, "float16_dtype=10"))
    color = next(c for c in page.all(css="color") if c.one("summary").all("b")[0].text == "turn")
    assert "held on 4 tiles" in color.one("summary").text
    assert sorted(rows(color)) == [
        ["rule", "[C>R; L>R*; pop=adv ring]", "tiles (1, 0) to (3, 0)", "bench.paint:8:18"],
        ["rule", "[L>]", "tile (4, 0)", "bench.paint:13:19"],
        ["socket", "relay.tx", "tiles (1, 0) to (3, 0)", "bench.paint:6:25"],
    ]


def test_findings_are_linked_to_their_lines(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = painted(project, MIXED, "float16_dtype=10")
    assert capsys.readouterr().err.count("warning") == 1
    page = opened(path, "finding=0")
    finding = page.one("article")
    assert finding.one("span", "code").text == "warning PT602" and "on" in finding.attributes["class"].split()
    link = finding.one("a")
    assert link.text == "bench.paint:12:16"
    line = page.one("li", id=link.attributes["href"][1:])
    assert line.text == "tail : paint(a [L>CR]) (* <- leaves the layout *)"
    assert "Findings herewarning PT602" in opened(path, "tile=4,0").one("section", id="tile").text


# -- swaps ----------------------------------------------------------------------------------------------------------


def test_halo(project: Path) -> None:
    page = opened(painted(project, HALO, "set=NX=4", "set=NY=3"), "tile=0,0")
    # Eight rules on each of 30 tiles, all with one route. Swapped are the inputs: that of the core everywhere, that
    # from a side not on the edge where it was dropped.
    shows = {"tiles": "30", "routes": str(8 * 30), "swaps": str(4 * 30 + 2 * (30 - 5) + 2 * (30 - 6))}
    assert drawn(page).items() >= shows.items()
    rules = {
        r.all("b")[0].text: r.all("code")[0].text for r in page.one("section", id="tile").all(css="rule")
    }
    assert rules == {
        "e": "[XC]", "ep": "[CXR]", "w": "[RXC]", "wp": "[CX]", "n": "[XC]", "np": "[CXU]", "s": "[UXC]", "sp": "[CX]",
    }  # fmt: skip
    numbers = numbering(page)
    assert sum(len(names) for names in numbers.values()) == 8
    of = {name: n for n, names in numbers.items() for name in names}
    assert all(of[a] ^ of[a + "p"] == 1 for a in "ewns")


def test_one_color(project: Path) -> None:
    path = painted(project, HALO, "set=NX=4", "set=NY=3")
    select = opened(path).one("select")
    index = next(o.attributes["value"] for o in select.all("option") if o.text.startswith("wp "))
    # wp swaps the core's input everywhere, also where its output fell away.
    assert (
        drawn(opened(path, f"color={index}")).items()
        >= {"tiles": "30", "routes": "30", "swaps": "30"}.items()
    )


# -- the whole wafer ------------------------------------------------------------------------------------------------


def test_the_whole_wafer(project: Path) -> None:
    path = painted(project, HALO, "set=NX=760", "set=NY=1170")
    assert path.stat().st_size < 100_000
    page = opened(path)
    whole(page, path)
    assert page.one(id="size").text == "762 x 1172" and page.one(id="tiles").text == str(762 * 1172)
    # Shown are the border, the first, the last: 4 x 4 tiles. The middle is 3 x 3 pieces with the gaps, each side of
    # the border three, a corner one.
    assert drawn(page) == {
        "view": "folded",
        "columns": "4",
        "rows": "4",
        "tiles": "16",
        "routes": "128",
        "swaps": str(4 * 16 + 4 * (16 - 4)),
        "blocks": str(9 + 4 * 3 + 4),
    }
    kernels = {row[1]: row[4] for row in rows(page.one("section", id="kernels"))}
    assert kernels == {"grid": str(760 * 1170), "moat": str(2 * 762 + 2 * 1170)}


def test_the_whole_wafer_unfolded(project: Path) -> None:
    path = painted(project, HALO, "set=NX=760", "set=NY=1170")
    # Nine rectangles; the large one shows one tile enlarged.
    shows = {"columns": "762", "rows": "1172", "blocks": "9", "tiles": "1", "routes": "8", "swaps": "8"}
    assert drawn(opened(path, "view=whole")).items() >= shows.items()
    page = opened(path, "view=whole&tile=400,600&scale=100")
    assert (
        int(drawn(page)["tiles"]) < 200
        and page.one("section", id="tile").all("h2")[0].text == "Tile (400, 600)"
    )


# -- the file -------------------------------------------------------------------------------------------------------


def test_it_is_written_with_the_others_or_not_at_all(project: Path) -> None:
    text = MIXED.replace("area : name('area)", "area : paint(a [L>R] [U>D])")
    (project / "bench.paint").write_text(text)
    assert cmd.main(["source=bench.paint", "float16_dtype=10", "report=r.html", "image=b.img"]) == 1
    (project / "bench.paint").write_text(MIXED)
    assert cmd.main(["source=bench.paint", "float16_dtype=10", "report=r.html", "image=no/b.img"]) == 1
    assert cmd.main(["source=bench.paint", "float16_dtype=10", "report=no/r.html", "image=b.img"]) == 1
    assert not list(project.glob("*.html")) and not list(project.glob("*.img"))
    assert cmd.main(["source=bench.paint", "float16_dtype=10", "report=r.html", "depfile=d"]) == 0
    assert Path("d").read_text().startswith("r.html: bench.paint")


def test_texts_of_the_user_stay_texts(project: Path) -> None:
    text = 'let t = tile() t : name("</script><b/id=evil>") t : code(\'send [tx:color()]) t : name("x<y") t'
    page = read(painted(project, text).read_text())
    assert not page.all(id="evil")
    assert page.one("tr", "kernel").all("td")[1].text == "x<y"


def test_jinja_is_loaded_when_asked_for_only() -> None:
    program = "import sys, paint.cmd, paint.pipeline; print(sorted({'jinja2', 'numpy'} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


# -- what is left out -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("kinds", "runs"),
    [
        ("", []),
        ("abc", [(0, 3)]),
        ("aaa", [(0, 3)]),
        ("aaaa", [(0, 1), (3, 1)]),
        ("baaaaac", [(0, 2), (5, 2)]),
        ("abababab", [(0, 2), (6, 2)]),
        ("ababababa", [(0, 2), (6, 3)]),
        ("aabaabaabaab", [(0, 3), (9, 3)]),
        ("aaaabbbbb", [(0, 1), (3, 2), (8, 1)]),
    ],
)
def test_fold(kinds: str, runs: list[tuple[int, int]]) -> None:
    assert fold([ord(k) for k in kinds]) == runs


@given(st.lists(st.tuples(st.text("abc", min_size=1, max_size=4), st.integers(1, 7)), max_size=6))
def test_what_is_left_out_repeats_what_is_shown(parts: list[tuple[str, int]]) -> None:
    kinds = [ord(k) for text, times in parts for k in text * times]
    runs = fold(kinds)
    at = 0
    for first, count in runs:
        assert first >= at and count > 0
        if first > at:
            # The columns left out go on with a pattern that ends where they begin.
            hidden = first - at
            assert any(
                hidden % p == 0 and all(kinds[k] == kinds[k - p] for k in range(at, first + p))
                for p in range(1, LONGEST_PATTERN + 1)
            )
        at = first + count
    assert at == len(kinds)


def test_small_fabrics_are_shown_whole() -> None:
    assert shown([TileSet.box(0, 0, 12, 12)], 12, 12) == ([(0, 12)], [(0, 12)])
    assert shown([TileSet.box(0, 0, 13, 40)], 13, 50) == ([(0, 1), (12, 1)], [(0, 1), (39, 2), (49, 1)])
