"""The image against a model that is one plain array of all words of all tiles."""

from __future__ import annotations

import json
import struct
import time
import zlib
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from diag.report import UserError
from fabric.image import Data, Fill, Image, pack
from fabric.imagefile import HEAD, MAGIC
from fabric.rects import Rect, bounds, from_mask, merge

W, H = 9, 7


@st.composite
def grids(draw: st.DrawFn) -> Rect:
    """A grid with strides inside W x H."""
    x, y = draw(st.integers(0, W - 1)), draw(st.integers(0, H - 1))
    dx, dy = draw(st.integers(1, 4)), draw(st.integers(1, 4))
    return Rect(x, y, draw(st.integers(1, (W - 1 - x) // dx + 1)), draw(st.integers(1, (H - 1 - y) // dy + 1)), dx, dy)


@st.composite
def images(draw: st.DrawFn) -> tuple[Image, np.ndarray]:
    """An image of random segments, and the array [H, W, 0x8000 words] that it stands for."""
    image, model = Image(W, H), np.zeros((H, W, 0x8000), dtype=np.uint16)
    for _ in range(draw(st.integers(0, 6))):
        kind = draw(st.sampled_from(["fill", "data", "ids", "write", "write"]))
        some = draw(st.lists(grids(), min_size=1, max_size=3))
        addr, n = draw(st.sampled_from([0, 3, 8, 0x7C44])), draw(st.integers(1, 6))
        if kind == "fill":
            words = draw(st.lists(st.integers(0, 0xFFFF), min_size=n, max_size=n))
            image.add_fill(some, addr, words)
            for r in some:
                model[*r.slices(), addr : addr + n] = words
        elif kind == "ids":
            image.add_ids(some)
            for r in some:
                for x, y in r.points():
                    model[y, x, 0x7C45], model[y, x, 0x7C46] = y, x
        else:
            r = some[0]
            high = draw(st.sampled_from([1, 0x10000]))  # 1: all the same
            values = np.random.default_rng(draw(st.integers(0, 99))).integers(0, high, (r.h, r.w, n)).astype(np.uint16)
            if kind == "data":
                image.add_data(r, addr, values)
            else:
                image.write(addr, r, values)
            model[*r.slices(), addr : addr + n] = values
    return image, model


@given(images(), grids())
def test_reading_agrees_with_the_model(case: tuple[Image, np.ndarray], rect: Rect) -> None:
    image, model = case
    for addr, n in ((0, 16), (0x7C40, 16), (5, 1)):
        assert (image.read(addr, n, rect) == model[*rect.slices(), addr : addr + n]).all()
    for x, y in ((0, 0), (4, 3), (W - 1, H - 1)):
        words = image.tile_words(x, y)
        assert all(model[y, x, a] == w for a, w in words.items())
        assert set(np.flatnonzero(model[y, x]).tolist()) <= set(words)
        runs = image.tile_runs(x, y)
        assert {a + i: w for a, data in runs for i, w in enumerate(struct.unpack(f"<{len(data) // 2}H", data))} == words
        assert all(a + len(d) // 2 < b for (a, d), (b, _) in zip(runs, runs[1:], strict=False))


@given(images())
def test_file_and_back(case: tuple[Image, np.ndarray]) -> None:
    image, model = case
    image.meta["programs"] = [{"name": "αβ"}]
    image.extra["state"] = bytes(range(256))
    image.linked = True
    data = image.to_bytes()
    back = Image.from_bytes(data)
    assert (back.width, back.height, back.arch, back.linked) == (W, H, "sdr", True)
    assert back.meta == image.meta and back.extra == image.extra
    whole = Rect(0, 0, W, H)
    assert (back.read(0, 0x8000, whole) == model).all()
    assert back.to_bytes() == data


@given(images())
def test_groups_give_each_tile_its_words_once(case: tuple[Image, np.ndarray]) -> None:
    image, model = case
    for small in (True, False):
        memory = np.zeros_like(model)
        seen = np.zeros((H, W), dtype=int)
        groups = image.groups() if small else _groups_large(image)
        for group in groups:
            for r in group.rects:
                seen[r.slices()] += 1
                for x, y in r.points():
                    for s in group.segments:
                        words = s.data if isinstance(s, Fill) else s.tile(x, y)
                        memory[y, x, s.addr : s.addr + s.n] = np.frombuffer(words, dtype="<u2")
        assert seen.max(initial=0) <= 1
        assert (memory == model).all()


def _groups_large(image: Image) -> list:
    """The way for large fabrics, on a small one."""
    import fabric.image

    most, fabric.image.SMALL = fabric.image.SMALL, 0
    try:
        return image.groups()
    finally:
        fabric.image.SMALL = most


@given(st.lists(st.tuples(st.integers(0, 11), st.integers(0, 11)), min_size=1, unique=True))
def test_merge_keeps_the_tiles(points: list[tuple[int, int]]) -> None:
    merged = merge(Rect(x, y, 1, 1) for x, y in points)
    assert sorted(p for r in merged for p in r.points()) == sorted(points)
    mask = np.zeros((12, 12), dtype=bool)
    for x, y in points:
        mask[y, x] = True
    assert sorted(p for r in from_mask(mask) for p in r.points()) == sorted(points)
    b = bounds(merged)
    assert b is not None and (b.x, b.x_end) == (min(x for x, _ in points), max(x for x, _ in points) + 1)


def test_merge_finds_grids() -> None:
    assert merge(Rect(x, y, 1, 1) for y in range(3) for x in range(4)) == [Rect(0, 0, 4, 3)]
    assert merge(Rect(x, 5, 1, 1) for x in range(1, 9, 2)) == [Rect(1, 5, 4, 1, 2, 1)]
    assert merge(Rect(x, y, 1, 1) for y in (0, 3, 6) for x in (1, 3, 5)) == [Rect(1, 0, 3, 3, 2, 3)]
    assert merge([Rect(0, 0, 2, 2), Rect(5, 5, 1, 1)]) == [Rect(0, 0, 2, 2), Rect(5, 5, 1, 1)]


@given(grids(), grids())
def test_grids_meet_where_their_tiles_do(a: Rect, b: Rect) -> None:
    common = sorted(set(a.points()) & set(b.points()))
    m = a.meet(b)
    if m is None:
        assert not common
        return
    of_a = np.array(list(a.points())).reshape(a.h, a.w, 2)[m.a_rows, m.a_columns].reshape(-1, 2)
    of_b = np.array(list(b.points())).reshape(b.h, b.w, 2)[m.b_rows, m.b_columns].reshape(-1, 2)
    assert sorted(map(tuple, of_a.tolist())) == sorted(map(tuple, of_b.tolist())) == common
    assert m.tiles == len(common)
    assert a.covers(b) == (len(common) == b.tiles)


def test_repeated_writes_do_not_add_up() -> None:
    image = Image(4, 4)
    image.add_fill(Rect(0, 0, 4, 4), 0, range(100))
    for k in range(50):
        image.write(10, Rect(0, 0, 4, 4), np.arange(k, k + 64, dtype=np.uint16).reshape(4, 4, 4))
    assert len(image.segments) == 2
    image.write(10, Rect(1, 1, 1, 1), np.zeros((1, 1, 4), dtype=np.uint16))
    assert len(image.segments) == 3, "a part hides nothing"
    same = np.broadcast_to(np.array([7, 8], dtype=np.uint16), (4, 4, 2))
    image.write(20, Rect(0, 0, 4, 4), np.ascontiguousarray(same))
    assert isinstance(image.segments[-1], Fill)


def test_wafer_scale_is_small_and_fast() -> None:
    """One kernel on 762 x 1172 tiles with a border ring (issue: below 50 MB, miset of one array below 10 s)."""
    image = Image(762, 1172)
    rng = np.random.default_rng(1)
    image.add_fill(Rect(0, 0, 762, 1172), 2, rng.integers(0, 65536, 3000).astype(np.uint16))
    ring = [Rect(0, 0, 762, 1), Rect(0, 1171, 762, 1), Rect(0, 1, 1, 1170), Rect(761, 1, 1, 1170)]
    image.add_fill(ring, 0x7C00, range(24))
    image.add_ids(Rect(0, 0, 762, 1172))
    start = time.perf_counter()
    data = image.to_bytes()
    assert len(data) < 20_000
    back = Image.from_bytes(data)
    groups = back.groups()
    assert [(g.rects[0], len(g.segments)) for g in groups] == [(Rect(1, 1, 760, 1170), 2), (Rect(0, 0, 762, 1), 3)]
    assert time.perf_counter() - start < 3


def test_data_that_came_packed_is_not_packed_again() -> None:
    image = Image(64, 64)
    values = np.random.default_rng(0).integers(0, 65536, (64, 64, 600)).astype(np.uint16)
    image.add_data(Rect(0, 0, 64, 64), 0x100, values)
    back = Image.from_bytes(image.to_bytes())
    segment = back.segments[0]
    assert isinstance(segment, Data)
    segment.blob.raw = None  # type: ignore[method-assign,assignment]  # would be called to pack
    assert back.to_bytes() == image.to_bytes()


def _sample() -> bytes:
    image = Image(3, 2)
    image.add_fill(Rect(0, 0, 3, 2), 2, [1, 2, 3])
    image.add_data(Rect(0, 0, 3, 2), 16, np.arange(12, dtype=np.uint16))
    image.meta["programs"] = []
    return image.to_bytes()


def _fails(data: bytes) -> str:
    with pytest.raises(UserError) as e:
        image = Image.from_bytes(data, "bench.img")
        image.read(0, 32, Rect(0, 0, 3, 2))
        _ = image.meta
    (d,) = e.value.diagnostics
    assert "bench.img" in d.message
    return d.code.code


def test_every_damaged_byte_is_found() -> None:
    data = _sample()
    for i in range(len(data)):
        bad = bytearray(data)
        bad[i] ^= 0x41
        assert _fails(bytes(bad)) == ("FB201" if i < 8 else "FB202"), i


def test_every_cut_is_found() -> None:
    data = _sample()
    for n in range(8, len(data)):
        assert _fails(data[:n]) == "FB204"
    assert _fails(data + b"\0") == "FB202"


@given(st.binary(max_size=200))
def test_bytes_that_are_no_image(data: bytes) -> None:
    assert _fails(data) in ("FB201", "FB202", "FB204")
    assert _fails(MAGIC + data) in ("FB202", "FB204")


def _forge(header: object, body: bytes = b"") -> bytes:
    """A file whose checksums are right and whose header is not what we write."""
    text = json.dumps(header).encode()
    packed = zlib.compress(text)
    head = HEAD.pack(MAGIC, 1, 0, len(packed), len(text), zlib.crc32(packed), len(body), 0, 0)[:-4]
    return head + struct.pack("<I", zlib.crc32(head)) + packed + body


def test_a_forged_header_is_an_error() -> None:
    data = _sample()
    _, _, _, packed, _, _, _, _, _ = HEAD.unpack_from(data)
    good = json.loads(zlib.decompress(data[HEAD.size : HEAD.size + packed]))
    body = data[HEAD.size + packed :]
    assert Image.from_bytes(_forge(good, body)).tile_words(0, 0)[2] == 1
    values: list[object] = [None, -1, 1 << 40, "x", [], {}, [[]], [["fill"]], 1.5, True, [[1, 2, 3]], {"a": 99}]
    for key in good:
        for value in values:
            if value == good[key] or (key == "linked" and value is True) or (key == "arch" and value == "x"):
                continue
            if (key == "segments" and value == []) or (key == "extra" and value == {}):
                continue
            assert _fails(_forge({**good, key: value}, body)) == "FB202", (key, value)
        if key != "extra":
            assert _fails(_forge({k: v for k, v in good.items() if k != key}, body)) == "FB202", key
    for i, segment in enumerate(good["segments"]):
        for j in range(len(segment)):
            for value in values:
                segments = [list(s) for s in good["segments"]]
                if segments[i][j] == value:
                    continue
                segments[i][j] = value
                assert _fails(_forge({**good, "segments": segments}, body)) == "FB202", (i, j, value)
    for text in ([], 5, None, "[" * 3000):
        assert _fails(_forge(text)) == "FB202"


def test_a_newer_version_is_told() -> None:
    head = bytearray(_sample()[: HEAD.size - 4])
    head[8] = 2
    data = bytes(head) + struct.pack("<I", zlib.crc32(bytes(head))) + _sample()[HEAD.size :]
    assert _fails(data) == "FB203"


def test_arguments_out_of_range_are_refused() -> None:
    image = Image(3, 2)
    for bad in (
        lambda: image.add_fill(Rect(0, 0, 4, 1), 0, [1]),
        lambda: image.add_fill(Rect(-1, 0, 1, 1), 0, [1]),
        lambda: image.add_fill(Rect(0, 0, 1, 1), 0x7FFF, [1, 2]),
        lambda: image.add_fill(Rect(0, 0, 1, 1), 0, [65536]),
        lambda: image.add_data(Rect(0, 0, 3, 1), 0, np.zeros(4, dtype=np.uint16)),
        lambda: image.add_data(Rect(0, 0, 3, 1), 0, np.zeros(3, dtype=np.float32)),  # type: ignore[arg-type]
        lambda: image.add_ids(Rect(0, 0, 1, 2, 1, 2)),
        lambda: Image(0, 1),
    ):
        with pytest.raises(ValueError):
            bad()
    assert image.segments == [] and pack([1, 0xFFFF]) == b"\x01\x00\xff\xff"


def test_a_file_is_written_whole_or_not_at_all(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="can't write"):
        Image(1, 1).save(str(tmp_path / "none" / "a.img"))
    Image(1, 1).save(str(tmp_path / "a.img"))
    assert [f.name for f in tmp_path.iterdir()] == ["a.img"]
