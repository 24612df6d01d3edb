"""The commands paint and milink as processes would see them: files, exit codes, words."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from layouts import kernel

import paint
from diag.report import UserError
from fabric.image import Image
from fabric.map import read_map
from paint import cmd, cmd_milink

LAYOUT = """
include "colors.paint"
let a = tile()
a : code('send [tx:c]) a : paint(c [C>R]) a : name('s)
let b = hstackrep(tile() N)
b : code('recv [rx:c]) b : paint(c [L>CR|R]) b : name('r)
hstack(a b)
"""


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "bench.paint").write_text(LAYOUT)
    (tmp_path / "parts").mkdir()
    (tmp_path / "parts" / "colors.paint").write_text("let c = color()")
    kernel(tmp_path, "send", "tx", "out")
    kernel(tmp_path / "parts", "recv", "rx", "in")
    return tmp_path


WORDS = ["source=bench.paint", "lib=nowhere", "lib=parts", "set=N=2", "image=bench.img", "map=bench.map"]


def test_an_image_a_map_a_listing_and_a_dependency_file(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    more = ["listing=bench-listing.json", "depfile=bench.d", "arch=sdr", "set=UNUSED=3", "set=EMPTY="]
    tools = ["toolname", "w", "carbide", "toolname", "yeti", "carbide"]
    assert cmd.main([*WORDS, *more, *tools]) == 0
    assert capsys.readouterr().err == ""
    image = Image.load("bench.img")
    assert image.linked and (image.width, image.height) == (3, 1)
    assert [e.line() for e in read_map("bench.map")] == [
        "s.x sp 0x0002 [y<1 x<1 n<4 _word<2] 0,0 1,1",
        "r.x sp 0x0002 [y<1 x<2 n<4 _word<2] 1,0 1,1",
    ]
    assert [k["kernel"] for k in json.loads(Path("bench-listing.json").read_text())["kernels"]] == [
        "send",
        "recv",
    ]
    rule, *_ = Path("bench.d").read_text().splitlines()
    targets, _, files = rule.partition(": ")
    assert targets.split() == ["bench.img", "bench.map", "bench-listing.json"]
    assert files.split() == ["bench.paint", "parts/colors.paint", "send.s", "parts/recv.s"]


def test_a_text_listing(project: Path) -> None:
    assert cmd.main([*WORDS, "listing=bench.txt"]) == 0
    assert "nop; terminate;" in Path("bench.txt").read_text()


def test_nolink_and_milink(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cmd.main(WORDS) == 0
    assert cmd.main([*WORDS[:-2], "image=bench.obj", "map=bench.map", "nolink"]) == 0
    assert not Image.load("bench.obj").linked
    assert cmd_milink.main(["image=bench.obj", "out=linked.img", "map=bench.map"]) == 0
    assert Path("linked.img").read_bytes() == Path("bench.img").read_bytes()
    # In place, as the make flow does it; a second time it is linked already.
    assert cmd_milink.main(["image=bench.obj", "out=bench.obj"]) == 0
    before = Path("bench.obj").read_bytes()
    assert cmd_milink.main(["image=bench.obj", "out=bench.obj"]) == 1
    assert "bench.obj: error PT130: 'bench.obj' is linked already" in capsys.readouterr().err
    assert Path("bench.obj").read_bytes() == before


def test_milink_refuses_what_paint_did_not_write(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Image(2, 2).save("empty.img")
    assert cmd_milink.main(["image=empty.img", "out=x.img"]) == 1
    assert (
        "error PT131: 'empty.img' holds nothing that milink can link: it has no link section"
        in capsys.readouterr().err
    )
    assert not Path("x.img").exists()


def test_verbose(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cmd.main([*WORDS, "verbose"]) == 0
    out = capsys.readouterr().out
    assert "fabric of 3 x 1" in out and "recv as r: 2 tiles" in out and "colors: c 0" in out


@pytest.mark.parametrize(
    "word", ["bogus=3", "image=nowhere/x.img", "arch=wse2", "source=missing.paint", "threads=0"]
)
def test_wrong_words(project: Path, word: str, capsys: pytest.CaptureFixture[str]) -> None:
    words = [w for w in WORDS if w.partition("=")[0] != word.partition("=")[0]]
    assert cmd.main([*words, word]) == 1
    text = capsys.readouterr().err
    assert "error DG" in text and "Traceback" not in text
    assert not Path("bench.img").exists() and not Path("bench.map").exists()


@pytest.mark.parametrize("main", [cmd.main, cmd_milink.main])
def test_help_and_version(main: object, capsys: pytest.CaptureFixture[str]) -> None:
    assert callable(main)
    for words in ([], ["help"], ["--help"]):
        assert main(words) == 0
        assert "image=FILE" in capsys.readouterr().out
    assert main(["version"]) == 0


def test_kernels_in_worker_processes_give_the_same_image(project: Path) -> None:
    assert cmd.main(WORDS) == 0
    assert cmd.main([*WORDS[:-2], "image=two.img", "map=two.map", "threads=2"]) == 0
    assert Path("bench.img").read_bytes() == Path("two.img").read_bytes()


def test_build_takes_a_directory_a_file_and_texts(project: Path) -> None:
    by_directory = paint.build(".", lib=["parts"], N=2)
    by_file = paint.build(Path("bench.paint"), lib=["parts"], N=2)
    texts = {
        "bench.paint": LAYOUT,
        "colors.paint": Path("parts/colors.paint").read_text(),
        "send.s": Path("send.s").read_text(),
        "recv.s": Path("parts/recv.s").read_text(),
    }
    by_texts = paint.build(texts, N=2)
    for image in (by_directory, by_file, by_texts):
        assert image.linked and image.width == 3
        assert image.meta["map"].startswith("s.x sp 0x0002")
    assert [by_texts.tile_words(x, 0) for x in range(3)] == [by_file.tile_words(x, 0) for x in range(3)]
    with pytest.raises(UserError, match="'N' has no value"):
        paint.build(".", lib=["parts"])
    (project / "empty").mkdir()
    with pytest.raises(UserError, match="can't read"):
        paint.build(str(project / "empty"), N=2)


def test_the_fabric_s_size(project: Path) -> None:
    assert cmd.main([*WORDS, "fabric=10,5"]) == 0
    image = Image.load("bench.img")
    assert (image.width, image.height) == (10, 5)
    assert image.tile_words(9, 4) == {0x7C45: 4, 0x7C46: 9}
