"""miset and miget: order=, axes, typed values, against numpy."""

from __future__ import annotations

import itertools
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from diag.report import UserError
from fabric.cmd_miget import main as miget
from fabric.cmd_miset import main as miset
from fabric.image import Image
from fabric.map import Entry, entries_of, format_map
from fabric.program import Symbol
from fabric.rects import Rect
from fabric.symbols import (
    check_belongs,
    find,
    format_values,
    get_values,
    get_words,
    parse_order,
    set_raw,
    set_values,
)

H, W, N, M = 3, 4, 5, 2


def entry(name: str, kind: str, words: int, dims: tuple[tuple[str, int], ...], rect: Rect, address: int = 0x100) -> Entry:
    return Entry(name, kind, address, dims, words, rect)


ETA = entry("grid.eta", "sp", 2, (("n", N), ("m", M)), Rect(1, 1, W, H, 2, 1))
T = entry("grid.t", "xp", 1, (("n0", N),), Rect(0, 0, 1, 1), 0x400)
ONE = entry("one", "hp", 1, (), Rect(2, 2, 1, 1), 0x500)
S = entry("r.s", "struct", 3, (("k", 2),), Rect(0, 0, 2, 1), 0x600)
MAP = [ETA, T, ONE, S]


def test_default_order_is_y_x_dims_word() -> None:
    image, symbol = Image(9, 9), find(MAP, "grid.eta", "m")
    values = np.random.default_rng(0).standard_normal((H, W, N, M)).astype(np.float32)
    set_raw(image, symbol, parse_order(None, symbol), values.tobytes(), "f")
    for y, x in itertools.product(range(H), range(W)):
        words = image.tile_words(1 + 2 * x, 1 + y)
        here = np.array([words[0x100 + i] for i in range(2 * N * M)], dtype="<u2").view("<f4")
        assert (here == values[y, x].ravel()).all()
    assert (get_values(image, symbol) == values).all()


@pytest.mark.parametrize("order", list(itertools.permutations(["y", "x", "n", "m", "_word"]))[::7])
def test_any_order_is_a_transposition(order: tuple[str, ...]) -> None:
    image, symbol = Image(9, 9), find(MAP, "grid.eta", "m")
    values = np.random.default_rng(1).standard_normal((H, W, N, M)).astype("<f4")
    words = values.view("<u2").reshape(H, W, N, M, 2)
    raw = words.transpose([("y", "x", "n", "m", "_word").index(a) for a in order]).tobytes()
    axes = parse_order(", ".join(order), symbol)
    assert axes == order
    set_raw(image, symbol, axes, raw, "f")
    assert (get_values(image, symbol) == values).all()
    assert get_words(image, symbol, axes).tobytes() == raw


def test_axes_of_extent_one_may_be_left_out_or_named() -> None:
    t = find(MAP, "grid.t", "m")
    for order in ("n0", "y n0", "x n0 y", "y,x,n0", "y<1 x<1 n0<5"):
        image = Image(1, 1)
        set_raw(image, t, parse_order(order, t), np.arange(5, dtype="<u2").tobytes(), "f")
        assert get_values(image, t).ravel().tolist() == [0, 1, 2, 3, 4]
    one = find(MAP, "one", "m")
    assert parse_order("", one) == () and parse_order("x", one) == ("x",)
    image = Image(3, 3)
    set_raw(image, one, (), np.float16(0.5).tobytes(), "f")
    assert get_values(image, one).tolist() == [[0.5]]


@pytest.mark.parametrize(
    "order,code",
    [("y x n m", "FB304"), ("y x n _word", "FB304"), ("y x n m q _word", "FB303"), ("y x n m _word y", "FB305")]
    + [("", "FB304"), ("y<4 x n m _word", "FB307"), ("y x< n m _word", "FB307")],
)
def test_wrong_orders(order: str, code: str) -> None:
    with pytest.raises(UserError) as e:
        parse_order(order, find(MAP, "grid.eta", "m"))
    assert e.value.diagnostics[0].code.code == code


def test_word_axis_is_absent_for_single_words() -> None:
    with pytest.raises(UserError) as e:
        parse_order("n0 _word", find(MAP, "grid.t", "m"))
    assert e.value.diagnostics[0].code.code == "FB306"


def test_text_of_values() -> None:
    image = Image(9, 9)
    eta = find(MAP, "grid.eta", "m")
    values = np.zeros((H, W, N, M), dtype=np.float32)
    values[0, 0] = [[0.1, 1 / 3], [1e-45, -0.0], [np.inf, np.nan], [2.5, 3], [1e30, 5]]
    set_values(image, eta, values)
    text = format_values(image, eta, ("y", "x", "n", "m", "_word")).splitlines()
    assert text[0] == "# grid.eta sp [y<3 x<4 n<5 m<2]"
    assert text[1:6] == ["0.1 0.33333334", "1e-45 -0.0", "inf nan", "2.5 3.0", "1e+30 5.0"]
    assert len(text) == 1 + H * W * N
    read = np.loadtxt(text).astype(np.float32).reshape(values.shape)
    assert np.array_equal(read, values, equal_nan=True)
    # Halves apart: the words themselves.
    halves = format_values(image, eta, ("_word", "y", "x", "n", "m")).splitlines()
    assert halves[0] == "# grid.eta sp [_word<2 y<3 x<4 n<5 m<2]" and halves[1] == "52429 43691"
    t = find(MAP, "grid.t", "m")
    set_values(image, t, np.array([-1, 2, -32768, 32767, 0]))
    assert format_values(image, t, ("y", "x", "n0")) == "# grid.t xp [y<1 x<1 n0<5]\n-1 2 -32768 32767 0\n"
    one = find(MAP, "one", "m")
    set_values(image, one, np.float16(0.1))
    assert format_values(image, one, ()) == "# one hp []\n0.1\n"
    s = find(MAP, "r.s", "m")
    set_values(image, s, np.arange(12).reshape(1, 2, 2, 3))
    assert format_values(image, s, parse_order(None, s)).splitlines()[1:] == ["0 1 2", "3 4 5", "6 7 8", "9 10 11"]


@pytest.mark.parametrize(
    ("value", "text"),
    [(2048, "2048.0"), (65504, "65504.0"), (-1000, "-1000.0"), (1000.5, "1000.5"), (999.5, "999.5"), (0.1, "0.1")]
    + [(6e-8, "6e-08"), (float("inf"), "inf"), (float("-inf"), "-inf"), (float("nan"), "nan"), (-0.0, "-0.0")],
)
def test_text_of_halves(value: float, text: str) -> None:
    image, one = Image(3, 3), find(MAP, "one", "m")
    set_values(image, one, np.float16(value))
    assert format_values(image, one, ()).splitlines()[1] == text


def own(image: Image, entries: list[Entry], name: str, wanted: list[Entry]) -> str:
    """The code of the complaint when an image that carries `entries` is asked with the map `wanted`."""
    image.meta["map"] = format_map(entries)
    try:
        check_belongs(image, "a.img", wanted, find(wanted, name, "a.map"), "a.map")
    except UserError as e:
        return f"{e.diagnostics[0].code.code}: {e.diagnostics[0].message}"
    return ""


def test_a_map_of_another_program() -> None:
    here = [entry("r.a", "xp", 1, (("n", 4),), Rect(0, 0, 2, 1), 0x10), entry("r.b", "xp", 1, (), Rect(0, 0, 2, 1), 0x20)]
    moved = [replace(here[0], address=0x12), here[1]]
    other = [entry("s.c", "xp", 1, (), Rect(0, 0, 1, 1), 0x10)]
    image = Image(2, 1)
    assert own(image, here, "r.a", here) == own(image, here, "a", here) == ""
    assert "r.a xp 0x0010 [y<1 x<2 n<4] 0,0 1,1" in own(image, here, "r.a", moved)
    assert own(image, here, "r.b", moved) == ""
    assert own(image, here, "s.c", other) == "FB231: the map is not that of 'a.img': they have no symbol in common"
    assert own(image, here, "s.c", [*here, *other]) == "", "a line that a user added"
    assert own(image, [], "s.c", other) == "", "an image without a map"


def test_every_type_reads_as_itself() -> None:
    for kind, words, value in [
        *[("xp", 1, -5), ("u16", 1, 65535), ("hp", 1, 0.25), ("u32", 2, 4_000_000_000), ("i32", 2, -7)],
        *[("sp", 2, 0.1), ("wv", 2, 0xDEADBEEF), ("u64", 4, (1 << 64) - 1)],
    ]:
        image, symbol = Image(1, 1), find([entry("v", kind, words, (), Rect(0, 0, 1, 1))], "v", "m")
        set_values(image, symbol, np.array(value, dtype=np.float64 if isinstance(value, float) else object))
        got = get_values(image, symbol)[0, 0]
        assert got == (np.float32(value) if kind == "sp" else value), kind
        text = format_values(image, symbol, parse_order(None, symbol)).splitlines()[1]
        assert text == str(value), kind


def test_names() -> None:
    a, b = entry("recv.a", "xp", 1, (), Rect(1, 0, 1, 1)), entry("send.a", "xp", 1, (), Rect(0, 0, 1, 1))
    assert find([a, b], "send.a", "m").entries == (b,)
    assert find([a], "a", "m").entries == (a,), "the variable alone suffices when one region has it"
    assert find([a, b], "a@0,0", "m").entries == (b,)
    bare = [entry("a", "xp", 1, (), Rect(0, 0, 2, 1)), entry("a", "xp", 1, (("n", 2),), Rect(2, 0, 1, 1))]
    assert find(bare, "a@2,0", "m").dims == (("n", 2),)
    for entries, name, code in [
        ([a, b], "a", "FB302"),
        (bare, "a", "FB302"),
        ([a, b], "send.b", "FB301"),
        ([a, b], "send.a@5,5", "FB309"),
        ([a, b], "send.a@x", "FB309"),
        ([], "a", "FB301"),
    ]:
        with pytest.raises(UserError) as e:
            find(entries, name, "m")
        assert e.value.diagnostics[0].code.code == code


def test_a_region_of_several_grids_is_one_symbol() -> None:
    """A ring: rows and columns are those that hold a tile of it; the hole reads 0 and is passed over."""
    ring = [Rect(0, 0, 4, 1), Rect(0, 1, 1, 2), Rect(3, 1, 1, 2), Rect(0, 3, 4, 1)]
    entries = entries_of("ring", Symbol("a", "xp", 8, 1), ring)
    image, symbol = Image(4, 4), find(entries, "ring.a", "m")
    values = np.arange(1, 17, dtype=np.int16).reshape(4, 4)
    set_raw(image, symbol, parse_order("y x", symbol), values.tobytes(), "f")
    want = values.copy()
    want[1:3, 1:3] = 0
    assert (get_values(image, symbol) == want).all()
    assert image.tile_words(1, 1) == {}
    # Two kernels in one named region: the addresses may differ.
    two = [entry("r.v", "sp", 2, (), Rect(0, 0, 1, 1), 0x10), entry("r.v", "sp", 2, (), Rect(1, 0, 1, 1), 0x20)]
    image, symbol = Image(2, 1), find(two, "r.v", "m")
    set_values(image, symbol, np.array([[1.5, 2.5]]))
    assert get_values(image, symbol).tolist() == [[1.5, 2.5]]
    assert set(image.tile_words(0, 0)) == {0x10, 0x11} and set(image.tile_words(1, 0)) == {0x20, 0x21}


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    image = Image(9, 9)
    image.linked = True
    image.save("bench.img")
    Path("bench.map").write_text(format_map(MAP))
    return tmp_path


def test_commands(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Copy, then several miset in place, as users' Makefiles do; then both forms of miget."""
    values = np.arange(H * W * N * M, dtype="<f4").reshape(H, W, N, M)
    Path("eta.raw").write_bytes(values.tobytes())
    Path("t.raw").write_bytes(np.arange(5, dtype="<i2").tobytes())
    words = ["image=bench.img", "map=bench.map"]
    assert miset([*words, "symbol=grid.eta", "order=y x n m _word", "data=eta.raw"]) == 0
    assert miset([*words, "symbol=t", "data=t.raw", "out=other.img"]) == 0
    assert miget([*words, "symbol=grid.eta", "order=m,n,y,x,_word", "data=out.raw"]) == 0
    got = np.fromfile("out.raw", dtype="<f4").reshape(M, N, H, W)
    assert (got == values.transpose(3, 2, 0, 1)).all()
    assert miget(["image=other.img", "map=bench.map", "symbol=grid.t", "text"]) == 0
    assert capsys.readouterr().out == "# grid.t xp [y<1 x<1 n0<5]\n0 1 2 3 4\n"
    assert miget([*words, "symbol=grid.t", "text"]) == 0
    assert capsys.readouterr().out.endswith("\n0 0 0 0 0\n"), "out= left the image as it was"
    assert Image.load("other.img").linked


def test_files_that_a_command_reads_are_not_replaced(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = {p: p.read_bytes() for p in files.iterdir()}
    words = ["image=bench.img", "map=bench.map", "symbol=grid.t"]
    Path("t.raw").write_bytes(np.arange(5, dtype="<i2").tobytes())
    assert miget([*words, "data=./bench.img"]) == miget([*words, "data=bench.map"]) == 1
    assert miset([*words, "data=t.raw", "out=t.raw"]) == miset([*words, "data=t.raw", "out=bench.map"]) == 1
    assert miget(["image=bench.img", "map=bench.map", "symbol=", "text"]) == 1
    assert miset(["image=bench.img", "map=bench.map", "symbol=", "data=t.raw"]) == 1
    errors = [line for line in capsys.readouterr().err.splitlines() if "error" in line]
    assert errors == [
        "miget: error DG012: data=./bench.img would replace the file that image= names",
        "miget: error DG012: data=bench.map would replace the file that map= names",
        "miset: error DG012: out=t.raw would replace the file that data= names",
        "miset: error DG012: out=bench.map would replace the file that map= names",
        "miget: error DG010: option 'symbol' is empty",
        "miset: error DG010: option 'symbol' is empty",
    ]
    assert all(p.read_bytes() == data for p, data in before.items())


def test_nothing_is_written_when_something_is_wrong(files: Path) -> None:
    before = (files / "bench.img").read_bytes()
    Path("eta.raw").write_bytes(b"\0" * 10)
    assert miset(["image=bench.img", "map=bench.map", "symbol=grid.eta", "data=eta.raw", "out=new.img"]) == 1
    assert miset(["image=bench.img", "map=bench.map", "symbol=grid.eta", "data=eta.raw"]) == 1
    assert miget(["image=bench.img", "map=bench.map", "symbol=grid.eta", "order=y", "data=new.raw"]) == 1
    assert (files / "bench.img").read_bytes() == before
    assert sorted(f.name for f in files.iterdir()) == ["bench.img", "bench.map", "eta.raw"]


def test_one_array_over_the_whole_wafer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Below 10 s (tools.md is silent; the project's own demand)."""
    monkeypatch.chdir(tmp_path)
    image = Image(762, 1172)
    image.add_fill(Rect(0, 0, 762, 1172), 2, range(3000))
    image.save("bench.img")
    Path("bench.map").write_text("grid.eta sp 0x1000 [y<1172 x<762 n<4 _word<2] 0,0 1,1\n")
    values = np.random.default_rng(0).standard_normal((1172, 762, 4), dtype=np.float32)
    Path("eta.raw").write_bytes(values.tobytes())
    start = time.perf_counter()
    assert miset(["image=bench.img", "map=bench.map", "symbol=grid.eta", "data=eta.raw", "order=y x n _word"]) == 0
    assert time.perf_counter() - start < 10
    assert miget(["image=bench.img", "map=bench.map", "symbol=grid.eta", "data=out.raw"]) == 0
    assert Path("out.raw").read_bytes() == Path("eta.raw").read_bytes()
