"""The image's bytes (docs/images.md): a fixed head, a packed JSON header, then packed blobs, each with its CRC.

The same header and blobs, laid out otherwise, make the ELF (fabric/elf.py): `freeze` and `thaw` are what the two
share. Everything is checked on reading, down to the type of each field, so that a file made by someone else's
program, or by chance, is an error and never a traceback.
"""

from __future__ import annotations

import json
import struct
import zlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from diag.report import UserError, fail
from diag.spans import nowhere
from fabric import arch
from fabric.image import Blob, Data, Fill, Ids, Image, Segment
from fabric.rects import Rect

MAGIC = b"\x89TIMG\r\n\x1a"
VERSION = 1
HEAD = struct.Struct("<8sHHIIIQII")  # magic, version, 0, header: packed, unpacked, CRC; body length; 0; CRC of these
CHUNK = 1 << 22  # unpacked bytes of one chunk
MAX_HEADER = 1 << 30


@dataclass
class Frozen:
    """An image as a header (a JSON-able dict) and blobs; `words` are the words of all fills, each kind once."""

    header: dict[str, Any]
    words: bytes
    blobs: list[Blob] = field(default_factory=list)


class Bad(Exception):
    """What is wrong with a file; the reader turns it into a message that names the path."""


def _pool_map(function: Any, items: Sequence[Any]) -> list[Any]:
    """zlib lets go of the interpreter, so several large chunks are packed on two threads."""
    if len(items) < 2:
        return [function(x) for x in items]
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(2) as pool:
        return list(pool.map(function, items))


def pack_chunks(raw: bytes) -> list[bytes]:
    """A blob as packed chunks; large ones are packed lightly, because fields of numbers hardly shrink."""
    level = 6 if len(raw) < CHUNK else 1
    view = memoryview(raw)
    return _pool_map(lambda i: zlib.compress(view[i : i + CHUNK], level), range(0, len(raw), CHUNK))


def _unpack(chunk: bytes, most: int) -> bytes:
    d = zlib.decompressobj()
    try:
        out = d.decompress(chunk, most + 1)
    except zlib.error as e:
        raise Bad(f"a packed part can't be unpacked ({e})") from None
    if len(out) > most or not d.eof or d.unused_data:
        raise Bad("a packed part has another size than the header says")
    return out


def unpack_chunks(chunks: Sequence[bytes], size: int, path: str) -> bytes:
    """Raises UserError (FB202) when the chunks don't give `size` bytes."""
    try:
        parts = _pool_map(lambda k: _unpack(chunks[k], min(CHUNK, size - k * CHUNK)), range(len(chunks)))
        raw = b"".join(parts)
        if len(raw) != size:
            raise Bad(f"a part of {size} bytes has {len(raw)}")
    except Bad as e:
        raise fail("FB202", nowhere(path), path=path, why=str(e)) from None
    return raw


def read_meta(blob: Blob) -> dict[str, Any]:
    """The JSON description. Raises UserError (FB202) when it is none."""
    try:
        meta = json.loads(blob.raw())
    except (ValueError, RecursionError):
        meta = None
    if not isinstance(meta, dict):
        raise fail("FB202", nowhere(blob.path), path=blob.path, why="its description is not JSON")
    return meta


def freeze(image: Image) -> Frozen:
    """The header and the blobs of an image."""
    tables: dict[tuple[Rect, ...], int] = {}
    places: dict[bytes, int] = {}
    words = bytearray()
    blobs: list[Blob] = []

    def table(rects: tuple[Rect, ...]) -> int:
        return tables.setdefault(rects, len(tables))

    def add(blob: Blob) -> int:
        blobs.append(blob)
        return len(blobs) - 1

    segments: list[list[Any]] = []
    for s in image.segments:
        if isinstance(s, Fill):
            if s.data not in places:
                places[s.data] = len(words) // 2
                words += s.data
            segments.append(["fill", table(s.rects), s.addr, s.n, places[s.data]])
        elif isinstance(s, Data):
            segments.append(["data", list(s.rect), s.addr, s.n, add(s.blob)])
        else:
            segments.append(["ids", table(s.rects)])
    if image._meta is None:
        assert image._meta_blob is not None
        meta = image._meta_blob
    else:
        meta = Blob(json.dumps(image._meta, separators=(",", ":"), ensure_ascii=False).encode())
    header = {
        "width": image.width,
        "height": image.height,
        "arch": image.arch,
        "linked": image.linked,
        "rects": [[number for r in rects for number in r] for rects in tables],
        "segments": segments,
        "meta": add(meta),
        "extra": {name: add(Blob(data)) for name, data in image.extra.items()},
    }
    return Frozen(header, bytes(words), blobs)


def seal(frozen: Frozen, blobs: Iterable[Blob]) -> tuple[dict[str, Any], list[bytes]]:
    """The header with the place of each blob, and the chunks in their order."""
    table: list[list[Any]] = []
    chunks: list[bytes] = []
    for blob in blobs:
        if blob.chunks is None:
            blob.chunks = pack_chunks(blob.raw())
        table.append([blob.size, [[len(c), zlib.crc32(c)] for c in blob.chunks]])
        chunks += blob.chunks
    return {**frozen.header, "blobs": table}, chunks


def encode(image: Image) -> bytes:
    """The whole file."""
    frozen = freeze(image)
    header, chunks = seal(frozen, [*frozen.blobs, Blob(frozen.words)])
    text = json.dumps(header, separators=(",", ":"), ensure_ascii=False).encode()
    packed = zlib.compress(text, 6)
    body = sum(map(len, chunks))
    head = HEAD.pack(MAGIC, VERSION, 0, len(packed), len(text), zlib.crc32(packed), body, 0, 0)[:-4]
    return b"".join([head, struct.pack("<I", zlib.crc32(head)), packed, *chunks])


def decode(data: bytes, path: str) -> Image:
    """Raises UserError: FB201 foreign, FB202 damaged, FB203 of a newer version, FB204 cut short."""
    place = nowhere(path)
    if data[:8] != MAGIC:
        raise foreign(data, path)
    if len(data) < HEAD.size:
        raise fail("FB204", place, path=path, size=len(data), expected=f"at least {HEAD.size}")
    _, version, _, packed, unpacked, crc, body, _, head_crc = HEAD.unpack_from(data)
    if zlib.crc32(data[: HEAD.size - 4]) != head_crc:
        raise fail("FB202", place, path=path, why="the checksum of its first bytes is wrong")
    if version > VERSION:
        raise fail("FB203", place, path=path, version=version, known=VERSION)
    whole = HEAD.size + packed + body
    if len(data) < whole:
        raise fail("FB204", place, path=path, size=len(data), expected=str(whole))
    try:
        if len(data) > whole:
            raise Bad(f"{len(data) - whole} bytes follow its end")
        header = read_header(data[HEAD.size : HEAD.size + packed], unpacked, crc)
        return thaw(header, memoryview(data)[HEAD.size + packed :], None, path)
    except Bad as e:
        raise fail("FB202", place, path=path, why=str(e)) from None


def foreign(data: bytes, path: str) -> UserError:
    """The error for a file that is no image, with a guess at what it is."""
    what, hint = "an unknown kind of file", None
    if not data:
        what = "an empty file"
    elif data[:4] == b"\x7fELF":
        what, hint = "an ELF file", "elfmi turns an ELF or a core of simfabric into an image"
    elif data[:8].strip(b"\x00") == b"":
        what = "a file of zeros"
    elif data[:512].isascii():
        what = "a text file"
    return fail("FB201", nowhere(path), path=path, what=what, hint=hint)


def read_header(packed: bytes, unpacked: int, crc: int) -> dict[str, Any]:
    """The JSON header. Raises Bad."""
    if zlib.crc32(packed) != crc:
        raise Bad("the checksum of its header is wrong")
    if unpacked > MAX_HEADER:
        raise Bad(f"a header of {unpacked} bytes")
    try:
        header = json.loads(_unpack(packed, unpacked))
    except (ValueError, RecursionError) as e:
        raise Bad(f"its header is not JSON ({e})") from None
    if not isinstance(header, dict):
        raise Bad("its header is not a JSON object")
    return header


def _number(value: object, low: int, high: int, what: str) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or not low <= value <= high:
        raise Bad(f"{what} is {str(value)[:40]}")
    return value


def _list(value: object, what: str) -> list[Any]:
    if not isinstance(value, list):
        raise Bad(f"{what} is no list")
    return value


class _Thaw:
    """Reads a header's parts, each with its checks."""

    def __init__(self, header: dict[str, Any], path: str) -> None:
        self.header = header
        self.path = path
        self.width = _number(header.get("width"), 1, 1 << 16, "the width")
        self.height = _number(header.get("height"), 1, 1 << 16, "the height")

    def rects(self, numbers: object) -> tuple[Rect, ...]:
        flat = _list(numbers, "a list of rectangles")
        if not flat or len(flat) % 6:
            raise Bad("a list of rectangles is empty or ends within one")
        out = []
        for i in range(0, len(flat), 6):
            six = flat[i : i + 6]
            if not all(type(v) is int for v in six):
                raise Bad("a rectangle is not of numbers")
            r = Rect(*six)
            inside = r.x >= 0 and r.y >= 0 and r.w > 0 and r.h > 0 and r.dx > 0 and r.dy > 0
            if not inside or r.x_end > self.width or r.y_end > self.height:
                raise Bad(f"a rectangle lies outside the fabric: {six}")
            out.append(r)
        return tuple(out)

    def blobs(self, body: memoryview) -> list[Blob]:
        """All blobs, their checksums compared. The body must hold them exactly."""
        out: list[Blob] = []
        at = 0
        for row in _list(self.header.get("blobs"), "the table of parts"):
            if not isinstance(row, list) or len(row) != 2:
                raise Bad("a row of the table of parts is malformed")
            size = _number(row[0], 0, 1 << 40, "the size of a part")
            chunks = []
            for item in _list(row[1], "a part"):
                if not isinstance(item, list) or len(item) != 2:
                    raise Bad("a row of the table of parts is malformed")
                n = _number(item[0], 0, 1 << 32, "the size of a chunk")
                chunk = bytes(body[at : at + n])
                if len(chunk) != n:
                    raise Bad("its parts reach beyond its end")
                if zlib.crc32(chunk) != item[1]:
                    raise Bad(f"the checksum of part {len(out)} is wrong")
                chunks.append(chunk)
                at += n
            if len(chunks) != -(-size // CHUNK):
                raise Bad("a part has another number of chunks than its size needs")
            out.append(Blob(None, chunks, size, self.path))
        if at != len(body):
            raise Bad(f"{len(body) - at} bytes belong to no part")
        return out

    def segment(self, row: object, tables: list[tuple[Rect, ...]], blobs: list[Blob], words: bytes) -> Segment:
        if not isinstance(row, list) or not row:
            raise Bad("a segment is malformed")
        kind, *rest = row
        if kind == "ids" and len(rest) == 1:
            return Ids(tables[_number(rest[0], 0, len(tables) - 1, "a segment's tiles")])
        if kind not in ("fill", "data") or len(rest) != 4:
            raise Bad(f"a segment of the kind {str(kind)[:20]!r}")
        addr = _number(rest[1], 0, arch.MEMORY_WORDS - 1, "a segment's address")
        n = _number(rest[2], 1, arch.MEMORY_WORDS - addr, "a segment's size")
        if kind == "fill":
            rects = tables[_number(rest[0], 0, len(tables) - 1, "a segment's tiles")]
            start = _number(rest[3], 0, len(words) // 2 - n, "a segment's place")
            return Fill(rects, addr, words[2 * start : 2 * (start + n)])
        grids = self.rects(rest[0])
        if len(grids) != 1:
            raise Bad("a segment of data has no tiles")
        blob = blobs[_number(rest[3], 0, len(blobs) - 1, "a segment's part")]
        if blob.size != grids[0].tiles * n * 2:
            raise Bad(f"a segment of {grids[0].tiles} tiles and {n} words has {blob.size} bytes")
        return Data(grids[0], addr, n, blob)


def thaw(header: dict[str, Any], body: memoryview, words: bytes | None, path: str) -> Image:
    """The image of a header and the bytes of its blobs; without `words` these are the last blob. Raises Bad."""
    t = _Thaw(header, path)
    name, linked = header.get("arch"), header.get("linked")
    if not isinstance(name, str) or not isinstance(linked, bool):
        raise Bad("its header lacks the architecture")
    image = Image(t.width, t.height, name)
    image.linked = linked
    blobs = t.blobs(body)
    if words is None:
        if not blobs:
            raise Bad("it has no words")
        words = blobs.pop().raw()
    tables = [t.rects(numbers) for numbers in _list(header.get("rects"), "the table of rectangles")]
    image.segments = [t.segment(row, tables, blobs, words) for row in _list(header.get("segments"), "its content")]
    image._meta_blob = blobs[_number(header.get("meta"), 0, len(blobs) - 1, "the place of its description")]
    image._meta = None
    extra = header.get("extra")
    if not isinstance(extra, dict):
        raise Bad("its header lacks the list of further parts")
    for key, number in extra.items():
        image.extra[key] = blobs[_number(number, 0, len(blobs) - 1, "a further part")].raw()
    return image
