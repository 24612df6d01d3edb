"""ELF: accepted by readelf, lossless both ways, damage found."""

from __future__ import annotations

import shutil
import struct
import subprocess
import zlib
from pathlib import Path

import numpy as np
import pytest

from diag.report import UserError
from fabric.elf import EHDR, from_elf, load_elf, save_elf, to_elf
from fabric.image import Image
from fabric.rects import Rect


def sample(kind: str) -> Image:
    image = Image(5, 4)
    if kind != "empty":
        image.add_fill(Rect(0, 0, 5, 4), 2, range(1, 300))
        image.add_fill([Rect(0, 0, 1, 4), Rect(4, 0, 1, 4)], 0x7C00, range(24))
        image.add_data(Rect(1, 1, 2, 2, 2, 1), 0x400, np.arange(4 * 2500, dtype=np.uint16))
        image.add_ids(Rect(0, 0, 5, 4))
        image.meta["colors"] = [{"number": 3, "name": "ä"}]
        image.extra["state"] = b"\0\1\2"
    image.linked = kind != "object"
    if kind == "core":
        image.meta["core"] = {"cycles": 7}
    return image


@pytest.mark.parametrize("kind", ["object", "image", "core", "empty"])
def test_lossless_both_ways(kind: str, tmp_path: Path) -> None:
    image = sample(kind)
    save_elf(image, str(tmp_path / "a.elf"))
    back = load_elf(str(tmp_path / "a.elf"))
    assert back.to_bytes() == image.to_bytes()
    assert to_elf(back) == (tmp_path / "a.elf").read_bytes()
    assert to_elf(Image.from_bytes(image.to_bytes())) == to_elf(image)


@pytest.mark.skipif(shutil.which("readelf") is None, reason="readelf is not installed")
@pytest.mark.parametrize("kind,shown", [("object", "REL"), ("image", "EXEC"), ("core", "CORE"), ("empty", "EXEC")])
def test_readelf_accepts_it(kind: str, shown: str, tmp_path: Path) -> None:
    save_elf(sample(kind), str(tmp_path / "a.elf"))
    run = subprocess.run(["readelf", "-hlS", str(tmp_path / "a.elf")], capture_output=True, text=True, check=True)
    assert run.stderr == "" and "Warning" not in run.stdout
    assert "ELF32" in run.stdout and f"{shown} (" in run.stdout and ".fabric" in run.stdout
    if kind == "image":  # byte addresses: word 2 and word 0x7c00
        loads = [line.split() for line in run.stdout.splitlines() if line.strip().startswith("LOAD")]
        assert [(x[2], x[4]) for x in loads] == [("0x00000004", hex8(299 * 2)), ("0x0000f800", hex8(48))]


def hex8(n: int) -> str:
    return f"0x{n:05x}"


@pytest.mark.skipif(shutil.which("readelf") is None, reason="readelf is not installed")
def test_more_runs_of_words_than_an_elf_can_list(tmp_path: Path) -> None:
    image = Image(1, 1)
    for i in range(66_000):
        image.add_fill(Rect(0, 0, 1, 1), 2, [i & 0xFFFF, i >> 16])
    save_elf(image, str(tmp_path / "a.elf"))
    run = subprocess.run(["readelf", "-hlS", str(tmp_path / "a.elf")], capture_output=True, text=True, check=True)
    assert run.stderr == ""
    assert load_elf(str(tmp_path / "a.elf")).to_bytes() == image.to_bytes()


def fails(data: bytes) -> tuple[str, str]:
    with pytest.raises(UserError) as e:
        from_elf(data, "bench.elf")
    (d,) = e.value.diagnostics
    assert "bench.elf" in d.message
    return d.code.code, d.message


def test_damage_is_found() -> None:
    data = to_elf(sample("image"))
    for i in range(0, len(data), 7):
        bad = bytearray(data)
        bad[i] ^= 0x20
        assert fails(bytes(bad))[0] in ("FB211", "FB212"), i
    for n in range(0, len(data), 13):
        assert fails(data[:n])[0] == ("FB211" if n < 4 else "FB212"), n
    assert fails(data + b"more")[0] == "FB212"


def test_foreign_files() -> None:
    assert fails(b"")[1].endswith("it is empty")
    assert fails(b"#!/bin/sh\n")[0] == "FB211"
    code, message = fails(sample("image").to_bytes())
    assert code == "FB211" and message.endswith("it is an image")
    data = bytearray(to_elf(sample("image")))
    data[4] = 2
    assert fails(bytes(data))[1].endswith("it is not a 32-bit little-endian ELF")
    data = bytearray(to_elf(sample("image")))
    struct.pack_into("<H", data, 18, 62)
    assert fails(bytes(data))[1].endswith("it is for machine 62")


def test_a_newer_version_is_told() -> None:
    data = bytearray(to_elf(sample("image")))
    box = data.find(b"\x89TELF\r\n\x1a")
    data[box + 8] = 9
    data[-4:] = struct.pack("<I", zlib.crc32(bytes(data[:-4])))
    assert fails(bytes(data))[0] == "FB213"


def test_more_than_elf32_holds(monkeypatch: pytest.MonkeyPatch) -> None:
    image = sample("image")
    monkeypatch.setattr("fabric.elf.MOST", 1000)
    with pytest.raises(UserError) as e:
        to_elf(image)
    assert e.value.diagnostics[0].code.code == "FB214"
    assert EHDR.size == 52
