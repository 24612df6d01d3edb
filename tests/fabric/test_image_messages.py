# ruff: noqa: E501
"""Golden messages of the image tools: code, place, caret and text, each code in two contexts.

Each case is run as a user would; afterwards no file may have appeared or changed, and nothing but the message is
on stderr. The texts were read by a person.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from fabric import cmd_elfmi, cmd_fcmp, cmd_mielf, cmd_miget, cmd_miset, cmd_weight
from fabric.elf import to_elf
from fabric.image import Image
from fabric.rects import Rect

MAINS = {
    "miset": cmd_miset.main,
    "miget": cmd_miget.main,
    "mielf": cmd_mielf.main,
    "elfmi": cmd_elfmi.main,
    "fcmp": cmd_fcmp.main,
    "weight": cmd_weight.main,
}
MAP = """\
grid.eta sp 0x0120 [y<2 x<3 n<4 _word<2] 1,1 1,1
grid.t xp 0x0200 [y<2 x<3] 1,1 1,1
recv.a xp 0x0100 [y<1 x<1 n<8] 4,0 1,1
send.a xp 0x0100 [y<1 x<1 n<8] 0,0 1,1
"""


def sample() -> Image:
    image = Image(5, 4)
    image.add_fill(Rect(0, 0, 5, 4), 2, range(9))
    image.linked = True
    image.meta["programs"] = [{"name": "k", "usage": [["a", "data", 30000, "k.w:1:4"]], "memory_end": 30000, "stack_room": 64}]
    return image


def newer(data: bytes, at: int, crc_at: int) -> bytes:
    """A file whose version is 7, with its checksum set right."""
    out = bytearray(data)
    out[at] = 7
    if crc_at < 0:
        out[crc_at:] = struct.pack("<I", zlib.crc32(bytes(out[:crc_at])))
    else:
        out[crc_at : crc_at + 4] = struct.pack("<I", zlib.crc32(bytes(out[:crc_at])))
    return bytes(out)


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A directory with good and bad files."""
    monkeypatch.chdir(tmp_path)
    image = sample().to_bytes()
    elf = to_elf(sample())
    mapped = sample()
    mapped.meta["map"] = MAP
    files: dict[str, bytes] = {
        "bench.img": image,
        "bench.elf": elf,
        "small.img": Image(3, 4).to_bytes(),
        "tiny.img": Image(1, 1).to_bytes(),
        "cut.img": image[:100],
        "stub.img": image[:20],
        "flip.img": image[:60] + b"\0" + image[61:],
        "tail.img": image[:-1] + bytes([image[-1] ^ 1]),
        "newer.img": newer(image, 8, 36),
        "newer.elf": newer(elf, elf.find(b"\x89TELF") + 8, -4),
        "cut.elf": elf[:-50],
        "flip.elf": elf[:-20] + b"\xff" + elf[-19:],
        "zero.img": bytes(64),
        "x86.elf": elf[:18] + b"\x3e\0" + elf[20:],
        "wide.elf": elf[:4] + b"\2" + elf[5:],
        "bench.map": MAP.encode(),
        "mapped.img": mapped.to_bytes(),
        "moved.map": MAP.replace("0x0200", "0x0210").encode(),
        "other.map": b"k.x xp 0x0002 [y<1 x<1] 0,0 1,1\n",
        "12.raw": bytes(12),
        "96.raw": np.zeros(24, "<f4").tobytes(),
        "one.raw": np.ones(24, "<f4").tobytes(),
        "nan.raw": np.full(24, np.nan, "<f4").tobytes(),
        "7.raw": bytes(7),
        "empty.raw": b"",
    }
    for name, data in files.items():
        (tmp_path / name).write_bytes(data)
    return tmp_path


def one_line(text: str) -> Callable[[Path], None]:
    """A map of one good line and this one."""

    def prepare(directory: Path) -> None:
        (directory / "bad.map").write_text("ok xp 0x0002 [y<1 x<1] 0,0 1,1\n" + text + "\n")

    return prepare


def shown(text: str, col: int, width: int) -> str:
    """The excerpt of line 2 with its carets."""
    return f"\n  2 | {text}\n    | {' ' * (col - 1)}{'^' * width}"


GET = "miget image=bench.img map=bench.map symbol="
SET = "miset image=bench.img map=bench.map out=new.img symbol="
BAD = "miget image=bench.img map=bad.map symbol=ok text"
FORM = "the form is `name type address [axes] x0,y0 dx,dy`"
ETA = "grid.eta sp [y<2 x<3 n<4 _word<2]"


def map_case(code: str, line: str, col: int, width: int, text: str, hint: str = "") -> tuple[str, str, str]:
    return code, line, f"bad.map:2:{col}: error {code}: {text}{shown(line, col, width)}" + (f"\n  hint: {hint}" if hint else "")


MAP_CASES = [
    map_case("FB221", "grid.eta sp 0x0120 y<2 x<3 1,1 1,1", 35, 1, f"malformed map line: a map line has exactly one pair of brackets; {FORM}"),
    map_case("FB221", "eta 0x0120 [y<2 x<3] 1,1 1,1", 12, 1, f"malformed map line: 2 words before the bracket; {FORM}"),
    map_case("FB221", "eta xp 0x0120 [y<2 x<3] 1,1 1,1 2", 33, 1, f"malformed map line: 3 words after the bracket; {FORM}"),
    map_case("FB222", "eta spp 0x0120 [y<2 x<3] 1,1 1,1", 5, 3, "unknown type 'spp' in the map", "did you mean 'sp'?"),
    map_case("FB222", "eta 0x0120 xp [y<2 x<3] 1,1 1,1", 5, 6, "unknown type '0x0120' in the map"),
    map_case("FB223", "eta xp 0x12g0 [y<2 x<3] 1,1 1,1", 8, 6, "wrong address '0x12g0' in the map: it is not a number like 0x0120"),
    map_case("FB223", "eta xp 0x7ffe [y<2 x<3 n<3] 1,1 1,1", 8, 6, "wrong address '0x7ffe' in the map: 3 words from there on end beyond the last word of a tile, 0x7fff"),
    map_case("FB224", "eta xp 0x0120 [y<2 x<3] 1;1 1,1", 25, 3, "wrong x0,y0 '1;1' in the map: expected two numbers joined by a comma"),
    map_case("FB224", "eta xp 0x0120 [y<2 x<3] 1,1 1,0", 29, 3, "wrong dx,dy '1,0' in the map: expected two numbers of at least 1 joined by a comma"),
    map_case("FB225", "eta xp 0x0120 [y<2 x<3 n=4] 1,1 1,1", 24, 3, "wrong axis 'n=4' in the map: expected NAME<EXTENT with an extent of at least 1"),
    map_case("FB225", "eta xp 0x0120 [y<0 x<3] 1,1 1,1", 16, 3, "wrong axis 'y<0' in the map: expected NAME<EXTENT with an extent of at least 1"),
    map_case("FB226", "eta xp 0x0120 [y<2 x<3 y<2] 1,1 1,1", 24, 3, "axis 'y' stands twice in one map line"),
    map_case("FB226", "eta xp 0x0120 [y<2 x<3 n<2 n<3] 1,1 1,1", 28, 3, "axis 'n' stands twice in one map line"),
    map_case("FB227", "eta xp 0x0120 [x<3 n<4] 1,1 1,1", 23, 1, "the map line has no axis 'y'"),
    map_case("FB227", "eta xp 0x0120 [y<3 n<4] 1,1 1,1", 23, 1, "the map line has no axis 'x'"),
    map_case("FB228", "eta sp 0x0120 [y<2 x<3] 1,1 1,1", 23, 1, "a symbol of type sp needs the axis _word<2"),
    map_case("FB228", "eta xp 0x0120 [y<2 x<3 _word<2] 1,1 1,1", 24, 7, "a symbol of type xp has no axis _word"),
    map_case("FB228", "eta sp 0x0120 [y<2 x<3 _word<4] 1,1 1,1", 24, 7, "a symbol of type sp has _word<2, not _word<4"),
    map_case("FB229", "eta xp 0x0120 [y<2 x<3 n<40000] 1,1 1,1", 24, 7, "with axis 'n' the symbol takes 40000 words, more than a tile has"),
    map_case("FB229", "eta sp 0x0120 [y<2 x<3 n<200 m<200 _word<2] 1,1 1,1", 30, 5, "with axis 'm' the symbol takes 80000 words, more than a tile has"),
]

CASES: list[tuple[str, str, str]] = [
    ("FB201", "mielf image=bench.elf elf=new.elf", "bench.elf: error FB201: 'bench.elf' is not an image but an ELF file\n  hint: elfmi turns an ELF or a core of simfabric into an image"),
    ("FB201", "miget image=bench.map map=bench.map symbol=grid.t text", "bench.map: error FB201: 'bench.map' is not an image but a text file"),
    ("FB201", "weight image=empty.raw", "empty.raw: error FB201: 'empty.raw' is not an image but an empty file"),
    ("FB201", "weight image=zero.img", "zero.img: error FB201: 'zero.img' is not an image but a file of zeros"),
    ("FB202", "mielf image=flip.img elf=new.elf", "flip.img: error FB202: image 'flip.img' is damaged: the checksum of its header is wrong"),
    ("FB202", "miset image=tail.img map=bench.map symbol=grid.t data=12.raw", "tail.img: error FB202: image 'tail.img' is damaged: the checksum of part 1 is wrong"),
    ("FB203", "mielf image=newer.img elf=new.elf", "newer.img: error FB203: image 'newer.img' has format version 7; this version of the tools reads up to 1"),
    ("FB203", "miget image=newer.img map=bench.map symbol=grid.t text", "newer.img: error FB203: image 'newer.img' has format version 7; this version of the tools reads up to 1"),
    ("FB204", "mielf image=stub.img elf=new.elf", "stub.img: error FB204: image 'stub.img' is cut short: 20 bytes, expected at least 40"),
    ("FB204", "weight image=cut.img", "cut.img: error FB204: image 'cut.img' is cut short: 100 bytes, expected {SIZE}"),
    ("FB211", "elfmi elf=bench.img image=new.img", "bench.img: error FB211: 'bench.img' is not an ELF of this toolchain: it is an image\n  hint: mielf image=bench.img elf=… turns an image into an ELF"),
    ("FB211", "elfmi elf=x86.elf image=new.img", "x86.elf: error FB211: 'x86.elf' is not an ELF of this toolchain: it is for machine 62"),
    ("FB211", "elfmi elf=wide.elf image=new.img", "wide.elf: error FB211: 'wide.elf' is not an ELF of this toolchain: it is not a 32-bit little-endian ELF"),
    ("FB212", "elfmi elf=cut.elf image=new.img", "cut.elf: error FB212: ELF 'cut.elf' is damaged: it is cut short: {CUT} bytes, expected {ELF}"),
    ("FB212", "elfmi elf=flip.elf image=new.img", "flip.elf: error FB212: ELF 'flip.elf' is damaged: the checksum of the file is wrong"),
    ("FB213", "elfmi elf=newer.elf image=new.img", "newer.elf: error FB213: ELF 'newer.elf' has format version 7; this version of the tools reads up to 1"),
    ("FB213", "elfmi image=bench.img elf=newer.elf", "newer.elf: error FB213: ELF 'newer.elf' has format version 7; this version of the tools reads up to 1"),
    ("FB230", "miget image=small.img map=bench.map symbol=grid.eta text", "bench.map:1:1: error FB230: 'grid.eta' lies on tiles 1,1 to 3,2, outside the fabric of 3 x 4\n  1 | grid.eta sp 0x0120 [y<2 x<3 n<4 _word<2] 1,1 1,1\n    | ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^"),
    ("FB230", "miset image=tiny.img map=bench.map symbol=grid.t data=12.raw", "bench.map:2:1: error FB230: 'grid.t' lies on tiles 1,1 to 3,2, outside the fabric of 1 x 1\n  2 | grid.t xp 0x0200 [y<2 x<3] 1,1 1,1\n    | ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^"),
    ("FB231", "miget image=mapped.img map=moved.map symbol=grid.t text", "moved.map:2:1: error FB231: the map is not that of 'mapped.img': there it is grid.t xp 0x0200 [y<2 x<3] 1,1 1,1\n  2 | grid.t xp 0x0210 [y<2 x<3] 1,1 1,1\n    | ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^"),
    ("FB231", "miset image=mapped.img map=other.map symbol=x data=12.raw", "other.map:1:1: error FB231: the map is not that of 'mapped.img': they have no symbol in common\n  1 | k.x xp 0x0002 [y<1 x<1] 0,0 1,1\n    | ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^"),
    ("DG012", "miset image=bench.img map=bench.map symbol=grid.t data=12.raw out=12.raw", "miset: error DG012: out=12.raw would replace the file that data= names"),
    ("DG012", "miget image=bench.img map=bench.map symbol=grid.t data=bench.map", "miget: error DG012: data=bench.map would replace the file that map= names"),
    ("DG010", "miget image=bench.img map=bench.map symbol= text", "miget: error DG010: option 'symbol' is empty\n  hint: the names stand first in the lines of bench.map"),
    ("DG010", "miset image=bench.img map=bench.map symbol= data=12.raw", "miset: error DG010: option 'symbol' is empty\n  hint: the names stand first in the lines of bench.map"),
    ("FB301", GET + "grid.etta text", "bench.map: error FB301: no symbol 'grid.etta' in the map\n  hint: did you mean 'grid.eta'?"),
    ("FB301", SET + "pressure data=12.raw", "bench.map: error FB301: no symbol 'pressure' in the map\n  hint: the map has grid.eta, grid.t, recv.a, send.a"),
    ("FB302", GET + "a text", "bench.map: error FB302: symbol 'a' is ambiguous; the map has\n    recv.a xp [y<1 x<1 n<8] on tile 4,0\n    send.a xp [y<1 x<1 n<8] on tile 0,0\n  hint: give the full name"),
    ("FB302", "miset image=bench.img map=bare.map symbol=v data=12.raw", "bare.map: error FB302: symbol 'v' is ambiguous; the map has\n    v xp [y<1 x<1] on tile 0,0\n    v sp [y<1 x<2 _word<2] on tiles 1,0 to 2,0\n  hint: v@0,0 is the one on tile 0,0"),
    ("FB303", GET + "grid.eta text order='y x m _word'", f"miget: error FB303: order= names 'm', which is no axis of {ETA}"),
    ("FB303", SET + "grid.t order='y x n' data=12.raw", "miset: error FB303: order= names 'n', which is no axis of grid.t xp [y<2 x<3]"),
    ("FB304", GET + "grid.eta text order='y x n'", f"miget: error FB304: order='y x n' lacks the axis _word<2 of {ETA}\n  hint: _word is the 16-bit word of an element of 2: order=\"y x n _word\""),
    ("FB304", SET + "grid.t order=y data=12.raw", "miset: error FB304: order='y' lacks the axis x<3 of grid.t xp [y<2 x<3]"),
    ("FB305", GET + "grid.t text order='y x y'", "miget: error FB305: order='y x y' names the axis 'y' twice"),
    ("FB305", SET + "grid.eta order='y,x,n,_word,n' data=12.raw", "miset: error FB305: order='y,x,n,_word,n' names the axis 'n' twice"),
    ("FB306", GET + "grid.t text order='y x _word'", "miget: error FB306: order= names '_word', but elements of grid.t xp [y<2 x<3] are single words"),
    ("FB306", SET + "send.a order='n _word' data=12.raw", "miset: error FB306: order= names '_word', but elements of send.a xp [y<1 x<1 n<8] are single words"),
    ("FB307", GET + "grid.t text order='y<3 x'", "miget: error FB307: order= says y<3, but the axis has 2 in grid.t xp [y<2 x<3]"),
    ("FB307", SET + "grid.eta order='y x n<5 _word' data=12.raw", f"miset: error FB307: order= says n<5, but the axis has 4 in {ETA}"),
    ("FB308", SET + "grid.t data=96.raw", "96.raw: error FB308: raw file '96.raw' has 96 bytes, but grid.t takes 12: [y<2 x<3] of 2-byte words"),
    ("FB308", SET + "grid.eta order='_word n y x' data=12.raw", "12.raw: error FB308: raw file '12.raw' has 12 bytes, but grid.eta takes 96: [_word<2 n<4 y<2 x<3] of 2-byte words"),
    ("FB309", GET + "grid.t@0,0 text", "bench.map: error FB309: symbol 'grid.t' is not on tile 0,0\n  hint: grid.t xp [y<2 x<3] on tiles 1,1 to 3,2"),
    ("FB309", SET + "a@1,1 data=12.raw", "bench.map: error FB309: symbol 'a' is not on tile 1,1\n  hint: recv.a xp [y<1 x<1 n<8] on tile 4,0; send.a xp [y<1 x<1 n<8] on tile 0,0"),
    ("FB310", GET + "grid.t", "miget: error FB310: nothing to do with the symbol: give data=FILE, or `text` to print it"),
    ("FB310", GET + "grid.eta order='y x n _word' text=0", "miget: error FB310: nothing to do with the symbol: give data=FILE, or `text` to print it"),
    ("FB321", "fcmp a=7.raw b=96.raw", "7.raw: error FB321: '7.raw' has 7 bytes, which is no multiple of the 4 of format sp"),
    ("FB321", "fcmp a=96.raw b=12.raw bformat=u64", "12.raw: error FB321: '12.raw' has 12 bytes, which is no multiple of the 8 of format u64"),
    ("FB322", "fcmp a=12.raw b=96.raw", "fcmp: error FB322: '12.raw' has 3 elements (sp), '96.raw' has 24 (sp)"),
    ("FB322", "fcmp a=96.raw b=96.raw bformat=hp", "fcmp: error FB322: '96.raw' has 24 elements (sp), '96.raw' has 48 (hp)"),
    ("FB323", "fcmp a=96.raw b=one.raw", "fcmp: error FB323: 24 of 24 elements differ by more than 0.01; the worst at 0: 0.0 and 1.0, error 1"),
    ("FB323", "fcmp a=nan.raw b=nan.raw limit=1e9", "fcmp: error FB323: 24 of 24 elements differ by more than 1e+09; the worst at 0: nan and nan, error inf"),
    ("FB324", "fcmp a=empty.raw b=empty.raw", "fcmp: error FB324: the files have no elements: 'empty.raw' is empty"),
    ("FB324", "fcmp a=empty.raw b=empty.raw aformat=xp bformat=u64", "fcmp: error FB324: the files have no elements: 'empty.raw' is empty"),
    ("FB331", "weight image=bench.img", "weight: error FB331: program k needs 30064 words, 5488 more than the 24576 of a tile's main memory\n  what          kind  words  of 24576  where\n  a             data  30000    122.1%  k.w:1:4\n  (stack room)           64      0.3%\n  sum                 30064    122.3%"),
    ("FB331", "weight image=bench.img map=bench.map", "weight: error FB331: program k needs 30064 words, 5488 more than the 24576 of a tile's main memory\n  what          kind  words  of 24576  where\n  a             data  30000    122.1%  k.w:1:4\n  (stack room)           64      0.3%\n  sum                 30064    122.3%"),
    ("FB332", "weight image=small.img", "small.img: error FB332: image 'small.img' says nothing about its programs"),
    ("FB332", "weight image=tiny.img", "tiny.img: error FB332: image 'tiny.img' says nothing about its programs"),
    ("DG001", "miget image=bench.img map=bench.map symbl=a text", "miget: error DG001: unknown option 'symbl'\n  hint: did you mean 'symbol'?"),
    ("DG001", "fcmp a=12.raw b=12.raw -quiet", "fcmp: error DG001: unknown option 'quiet'\n  hint: `fcmp help` lists the options"),
    ("DG003", "mielf image=bench.img", "mielf: error DG003: option 'elf' is missing\n  hint: mielf image=bench.img elf=bench.elf"),
    ("DG003", "weight map=bench.map", "weight: error DG003: option 'image' is missing\n  hint: weight image=bench.obj map=bench.map"),
    ("DG007", "mielf image=none.img elf=new.elf", "mielf: error DG007: can't read 'none.img': No such file or directory"),
    ("DG007", SET + "grid.t data=none.raw", "miset: error DG007: can't read 'none.raw': No such file or directory"),
    ("DG008", "mielf image=bench.img elf=none/new.elf", "mielf: error DG008: can't write 'none/new.elf': No such file or directory"),
    ("DG008", GET + "grid.t data=none/new.raw", "miget: error DG008: can't write 'none/new.raw': No such file or directory"),
]


def words(line: str) -> list[str]:
    import shlex

    return shlex.split(line)


def run(directory: Path, command: str, capsys: pytest.CaptureFixture[str]) -> str:
    """stderr of a command that has to fail with 1 and to leave all files alone."""
    (directory / "bare.map").write_text("v xp 0x0100 [y<1 x<1] 0,0 1,1\nv sp 0x0100 [y<1 x<2 _word<2] 1,0 1,1\n")
    before = {f.name: f.read_bytes() for f in directory.iterdir()}
    name, *rest = words(command)
    assert MAINS[name](rest) == 1
    assert {f.name: f.read_bytes() for f in directory.iterdir()} == before
    return capsys.readouterr().err.rstrip("\n")


@pytest.mark.parametrize("code,line,want", MAP_CASES)
def test_messages_about_a_map(place: Path, capsys: pytest.CaptureFixture[str], code: str, line: str, want: str) -> None:
    one_line(line)(place)
    assert run(place, BAD, capsys) == want
    # miset reads the map in the same way.
    assert run(place, BAD.replace("miget", "miset").replace(" text", " data=12.raw"), capsys) == want


@pytest.mark.parametrize("code,command,want", CASES)
def test_messages(place: Path, capsys: pytest.CaptureFixture[str], code: str, command: str, want: str) -> None:
    sizes = {"SIZE": "bench.img", "ELF": "bench.elf", "CUT": "cut.elf"}
    for key, name in sizes.items():
        want = want.replace("{" + key + "}", str((place / name).stat().st_size))
    assert run(place, command, capsys) == want


def test_each_code_has_two_contexts() -> None:
    for table in (CASES, MAP_CASES):
        codes = [c for c, _, _ in table]
        assert min(codes.count(c) for c in codes) >= 2
    assert len({c for t in (CASES, MAP_CASES) for c, _, _ in t if c.startswith("FB")}) >= 30


def test_several_errors_of_one_map_are_told_together(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (place / "bad.map").write_text("a xp 1 [y<1] 0,0 1,1\nb spp 1 [y<1 x<1] 0,0 1,1\nc xp 1 [y<1 x<1] 0,0\n")
    err = run(place, BAD, capsys)
    assert [line.split(":")[1] for line in err.splitlines() if line.startswith("bad.map")] == ["1", "2", "3"]
    (place / "bad.map").write_text("nonsense\n" * 1000)
    assert run(place, BAD, capsys).count("error FB221") == 20


def test_help_and_version(capsys: pytest.CaptureFixture[str]) -> None:
    for name, main in MAINS.items():
        for argv in ([], ["help"], ["--help"]):
            assert main(argv) == 0
            assert capsys.readouterr().out.startswith(f"{name}: ")
        assert main(["version"]) == 0
        assert capsys.readouterr().out.startswith(f"{name} (open-tungsten) ")
