"""The image: 16-bit words at 3-D addresses (W, X, Y), sparse and symbolic (S0:273-280, tools.md).

An image is a fabric size and a list of segments; where two segments give a word of the same tile, the later one
wins; a word that no segment gives is 0. Router, switch, queue and ID registers are words of the configuration
range like any other, so that a loader needs nothing else. Three kinds of segment:

    Fill(rects, addr, data)   the same words on each tile of the rectangles (programs, registers)
    Data(rect, addr, n, blob) n words of its own on each tile of a grid (arrays written by miset, cores)
    Ids(rects)                row and column ID registers: word 0x7c45 = y, 0x7c46 = x on each tile

How to use it:

    image = Image(width, height, arch="sdr")
    image.add_fill([Rect(0, 0, 4, 4)], 0x0002, [0x1234, 0x5678])    words: ints, bytes or a u16 array
    image.add_data(Rect(1, 1, 2, 2), 0x0120, array)                 array [h, w, n] of u16 (or bytes of it)
    image.add_ids(Rect(0, 0, 4, 4))
    image.linked = True; image.meta["programs"] = [...]; image.extra["state"] = b"..."
    image.save(path); image = Image.load(path)                      UserError FB201-FB204 when the file is bad
    image.tile_words(x, y)        -> {address: word} of one tile, in no special order; no numpy
    image.tile_runs(x, y)         -> [(address, bytes)] of one tile, ascending, disjoint; no numpy
    image.read(addr, n, rect)     -> ndarray u16 [h, w, n]
    image.write(addr, rect, array)   as add_data, and drops data that it hides for good
    image.groups()                -> [Group(rects, segments)]: tiles with the same list of segments, in order

`Rect(x, y, w, h, dx=1, dy=1)` is a grid of w x h tiles, dx and dy apart (fabric/rects.py).

A loader goes over `groups()`: for each group, apply the segments in order to all its tiles at once; a Fill gives
every tile the same words (`fill.words`, a sequence of ints), `Data.tile(x, y)` and `Data.array()` the others.

`meta` is a JSON-able dict, which only tools that explain need. Keys in use:
    programs  [{"name", "source", "rects": [[x, y, w, h], …], "lines": [[address, words, file, line, col, function,
              text], …], "sockets": [{"name", "dir", "queue", "color", "color_name", "span"}, …],
              "usage": [[name, kind, words, span], …], "memory_end": N, "stack_room": N, "tasks": {"8": "…"}}, …]
    colors    [{"number", "name", "rects"}, …]
    link      what milink still has to write, in an unlinked image
    core      {"cycles": N, "status": "…"}, in a core
`extra` holds named byte strings (a checkpoint). meta and extra may hold what they like; both survive the way to
ELF and back.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, cast

from fabric import arch
from fabric.rects import Rect, from_mask

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Words = Iterable[int] | bytes | NDArray[np.uint16]

SMALL = 4096  # fabrics up to this many tiles are grouped without numpy


def pack(words: Words) -> bytes:
    """16-bit words as little-endian bytes. Raises ValueError for a word that is no u16."""
    if isinstance(words, bytes):
        return words
    if hasattr(words, "dtype"):
        some = cast("NDArray[np.uint16]", words)
        if some.dtype.itemsize != 2 or some.dtype.kind not in "ui":
            raise ValueError(f"words of type {some.dtype}, not uint16")
        return some.astype("<u2", copy=False).tobytes()
    from array import array

    try:
        values = array("H", words)
    except OverflowError as e:
        raise ValueError(f"a word is not in 0..0xffff: {e}") from None
    if sys.byteorder == "big":
        values.byteswap()
    return values.tobytes()


def unpack(data: bytes) -> Sequence[int]:
    """Little-endian bytes as a sequence of words (a view on little-endian machines)."""
    if sys.byteorder == "little":
        return memoryview(data).cast("H")
    return [data[i] | data[i + 1] << 8 for i in range(0, len(data), 2)]


@dataclass(frozen=True)
class Fill:
    """The same words on each tile of the rects."""

    rects: tuple[Rect, ...]
    addr: int
    data: bytes = field(repr=False)

    @property
    def n(self) -> int:
        """How many words."""
        return len(self.data) // 2

    @cached_property
    def words(self) -> Sequence[int]:
        return unpack(self.data)


class Blob:
    """Bytes that came packed from a file are unpacked when they are first needed, and not packed again.

    `path` is that file, for messages: unpacking raises UserError (FB202) when the content is not what it should be.
    """

    def __init__(self, raw: bytes | None, chunks: Sequence[bytes] | None = None, size: int = 0, path: str = "") -> None:
        self._raw = raw
        self.path = path
        self.chunks = list(chunks) if chunks is not None else None
        self.size = len(raw) if raw is not None else size

    def raw(self) -> bytes:
        if self._raw is None:
            from fabric.imagefile import unpack_chunks

            assert self.chunks is not None
            self._raw = unpack_chunks(self.chunks, self.size, self.path)
        return self._raw


@dataclass(frozen=True)
class Data:
    """n words of its own on each tile of a grid; in the blob row by row, tile by tile: [h, w, n]."""

    rect: Rect
    addr: int
    n: int
    blob: Blob = field(repr=False)

    @property
    def rects(self) -> tuple[Rect, ...]:
        return (self.rect,)

    def array(self) -> NDArray[np.uint16]:
        """A read-only array [h, w, n]."""
        import numpy as np

        return np.frombuffer(self.blob.raw(), dtype="<u2").reshape(self.rect.h, self.rect.w, self.n)

    def tile(self, x: int, y: int) -> bytes:
        """The words of tile (x, y) as little-endian bytes. The tile must be one of the grid's."""
        at = self.rect.at(x, y)
        if at is None:
            raise ValueError(f"tile {x},{y} is not in {self.rect}")
        i, j = at
        start = (j * self.rect.w + i) * self.n * 2
        return self.blob.raw()[start : start + self.n * 2]


@dataclass(frozen=True)
class Ids:
    """Each tile's own coordinates in the row and column ID registers."""

    rects: tuple[Rect, ...]
    addr: int = arch.ROW_ID
    n: int = 2

    @staticmethod
    def tile(x: int, y: int) -> bytes:
        return pack((y, x))


Segment = Fill | Data | Ids
assert arch.COLUMN_ID == arch.ROW_ID + 1


@dataclass(frozen=True)
class Group:
    """Tiles that the same segments reach, in order."""

    rects: tuple[Rect, ...]
    segments: tuple[Segment, ...]


class Image:
    """See the head of this file. Methods raise ValueError for arguments out of range (a fault of the caller)."""

    def __init__(self, width: int, height: int, arch: str = "sdr") -> None:
        if width < 1 or height < 1:
            raise ValueError(f"a fabric of {width} x {height} tiles")
        self.width = width
        self.height = height
        self.arch = arch
        self.linked = False
        self.segments: list[Segment] = []
        self.extra: dict[str, bytes] = {}
        self._meta: dict[str, Any] | None = {}
        self._meta_blob: Blob | None = None

    @property
    def meta(self) -> dict[str, Any]:
        """The JSON part; read from the file at the first use."""
        if self._meta is None:
            from fabric.imagefile import read_meta

            assert self._meta_blob is not None
            self._meta = read_meta(self._meta_blob)
        return self._meta

    @meta.setter
    def meta(self, value: dict[str, Any]) -> None:
        self._meta = value

    def copy(self) -> Image:
        """An image that can be changed without changing this one (the words are shared; meta is copied flat)."""
        other = Image(self.width, self.height, self.arch)
        other.linked = self.linked
        other.segments = list(self.segments)
        other.extra = dict(self.extra)
        other._meta = None if self._meta is None else dict(self._meta)
        other._meta_blob = self._meta_blob
        return other

    # Building

    def _check(self, rects: Iterable[Rect], addr: int, n: int) -> None:
        if addr < 0 or addr + n > arch.MEMORY_WORDS:
            raise ValueError(f"words 0x{addr:04x} + {n} lie outside a tile's memory")
        for r in rects:
            if r.x < 0 or r.y < 0 or r.dx < 1 or r.dy < 1 or r.x_end > self.width or r.y_end > self.height:
                raise ValueError(f"{r} lies outside the fabric of {self.width} x {self.height}")

    def add_fill(self, rects: Rect | Iterable[Rect], addr: int, words: Words) -> None:
        """The same words, from word address addr on, on each tile of the rects (a Rect or several)."""
        some = _rects(rects)
        data = pack(words)
        self._check(some, addr, len(data) // 2)
        if some and data:
            self.segments.append(Fill(some, addr, data))

    def add_data(self, rect: Rect, addr: int, array: NDArray[np.uint16] | bytes) -> None:
        """An array [h, w, n] of u16 (or its bytes): n words from addr on for each tile of the grid."""
        if rect.tiles == 0:
            return
        data = pack(array)
        n, rest = divmod(len(data), rect.tiles * 2)
        if rest:
            raise ValueError(f"{len(data)} bytes for {rect.tiles} tiles")
        self._check((rect,), addr, n)
        if n:
            self.segments.append(Data(rect.normal(), addr, n, Blob(data)))

    def add_ids(self, rects: Rect | Iterable[Rect]) -> None:
        """Row and column ID registers of each tile of the rects."""
        some = _rects(rects)
        self._check(some, arch.ROW_ID, 2)
        if some:
            self.segments.append(Ids(some))

    def write(self, addr: int, rect: Rect, array: NDArray[np.uint16] | bytes) -> None:
        """As add_data; earlier data that can't be seen any more goes, so that repeated writes don't add up.

        When all tiles get the same words they are kept once.
        """
        data = pack(array)
        if rect.tiles == 0 or not data:
            return
        n = len(data) // (2 * rect.tiles)
        first = data[: 2 * n]
        same = rect.tiles > 1 and len(data) == 2 * n * rect.tiles and data[-2 * n :] == data[2 * n : 4 * n] == first
        if same and data == first * rect.tiles:
            self.add_fill(rect, addr, first)
        else:
            self.add_data(rect, addr, data)
        new = self.segments[-1]
        self.segments = [
            s
            for s in self.segments
            if s is new
            or isinstance(s, Ids)
            or not (addr <= s.addr and s.addr + s.n <= addr + n)
            or not all(rect.covers(r) for r in s.rects)
        ]

    # Reading

    def tile_segments(self, x: int, y: int) -> list[Segment]:
        """The segments that reach tile (x, y), in order."""
        return [s for s in self.segments if any(r.at(x, y) is not None for r in s.rects)]

    def tile_words(self, x: int, y: int) -> dict[int, int]:
        """Every word of tile (x, y) that a segment gives: {address: word}."""
        words: dict[int, int] = {}
        for s in self.tile_segments(x, y):
            values = s.words if isinstance(s, Fill) else unpack(s.tile(x, y))
            words.update(zip(range(s.addr, s.addr + s.n), values, strict=True))
        return words

    def tile_runs(self, x: int, y: int) -> list[tuple[int, bytes]]:
        """The same as ascending runs (address, little-endian bytes) that don't touch each other."""
        words = self.tile_words(x, y)
        runs: list[tuple[int, bytes]] = []
        start = 0
        ordered = sorted(words)
        for i in range(1, len(ordered) + 1):
            if i == len(ordered) or ordered[i] != ordered[i - 1] + 1:
                runs.append((ordered[start], pack([words[a] for a in ordered[start:i]])))
                start = i
        return runs

    def read(self, addr: int, n: int, rect: Rect) -> NDArray[np.uint16]:
        """Words addr .. addr+n of each tile of a grid: an array [h, w, n]."""
        import numpy as np

        self._check((rect,), addr, n)
        out = np.zeros((rect.h, rect.w, n), dtype=np.uint16)
        for s in self.segments:
            low, high = max(addr, s.addr), min(addr + n, s.addr + s.n)
            if low >= high:
                continue
            here, there = slice(low - addr, high - addr), slice(low - s.addr, high - s.addr)
            for r in s.rects:
                m = rect.meet(r)
                if m is None:
                    continue
                target = out[m.a_rows, m.a_columns, here]
                if isinstance(s, Fill):
                    target[...] = np.frombuffer(s.data, dtype="<u2")[there]
                elif isinstance(s, Data):
                    target[...] = s.array()[m.b_rows, m.b_columns, there]
                else:
                    ys = np.arange(r.y, r.y_end, r.dy, dtype=np.uint16)[m.b_rows]
                    xs = np.arange(r.x, r.x_end, r.dx, dtype=np.uint16)[m.b_columns]
                    both = np.stack(np.broadcast_arrays(ys[:, None], xs[None, :]), axis=-1)
                    target[...] = both[:, :, there]
        return out

    def groups(self) -> list[Group]:
        """The tiles that some segment reaches, parted by which segments do; each group's tiles as rects."""
        if self.width * self.height <= SMALL:
            return self._groups_small()
        import numpy as np

        label = np.zeros((self.height, self.width), dtype=np.int32)
        members: list[tuple[Segment, ...]] = [()]
        for rects, segments in _by_rects(self.segments):
            # Parts each group that the rects reach: those tiles get a new label.
            mask = np.zeros((self.height, self.width), dtype=bool)
            for r in rects:
                mask[r.slices()] = True
            inside = label[mask]
            old = np.flatnonzero(np.bincount(inside, minlength=len(members)))
            new_of = np.zeros(len(members), dtype=np.int32)
            for k in old.tolist():
                new_of[k] = len(members)
                members.append(members[k] + segments)
            label[mask] = new_of[inside]
        order = {id(s): i for i, s in enumerate(self.segments)}
        used = np.bincount(label.ravel(), minlength=len(members))
        out = []
        for k in range(1, len(members)):
            if used[k]:
                rows = np.flatnonzero((label == k).any(axis=1))
                top, bottom = int(rows[0]), int(rows[-1]) + 1
                rects = tuple(from_mask(label[top:bottom] == k, 0, top))
                out.append(Group(rects, tuple(sorted(members[k], key=lambda s: order[id(s)]))))
        return out

    def _groups_small(self) -> list[Group]:
        sets = _by_rects(self.segments)
        order = {id(s): i for i, s in enumerate(self.segments)}
        of_tile: dict[tuple[int, int], list[int]] = {}
        for k, (rects, _) in enumerate(sets):
            for point in dict.fromkeys(p for r in rects for p in r.points()):
                of_tile.setdefault(point, []).append(k)
        tiles: dict[tuple[int, ...], list[Rect]] = {}
        for (x, y), keys in sorted(of_tile.items(), key=lambda item: (item[0][1], item[0][0])):
            tiles.setdefault(tuple(keys), []).append(Rect(x, y, 1, 1))
        from fabric.rects import merge_plain

        out = []
        for numbers, singles in tiles.items():
            some = [s for k in numbers for s in sets[k][1]]
            out.append(Group(tuple(merge_plain(singles)), tuple(sorted(some, key=lambda s: order[id(s)]))))
        return out

    # Files

    def to_bytes(self) -> bytes:
        """The file format of docs/images.md."""
        from fabric.imagefile import encode

        return encode(self)

    def save(self, path: str) -> None:
        """Writes the file whole or not at all. Raises UserError (DG008)."""
        from diag.files import write_whole

        write_whole(path, self.to_bytes())

    @staticmethod
    def from_bytes(data: bytes, path: str = "image") -> Image:
        """Raises UserError (FB201 to FB204) naming the path."""
        from fabric.imagefile import decode

        return decode(data, path)

    @staticmethod
    def load(path: str) -> Image:
        """Raises UserError (DG007, FB201 to FB204)."""
        from diag.files import read_bytes

        return Image.from_bytes(read_bytes(path), path)


def _rects(rects: Rect | Iterable[Rect]) -> tuple[Rect, ...]:
    if isinstance(rects, Rect):
        rects = (rects,)
    return tuple(r.normal() for r in (Rect(*r) for r in rects) if r.tiles > 0)


def _by_rects(segments: Iterable[Segment]) -> list[tuple[tuple[Rect, ...], tuple[Segment, ...]]]:
    """Segments of the same tiles together, so that each set of tiles is looked at once."""
    sets: dict[tuple[Rect, ...], list[Segment]] = {}
    for s in segments:
        sets.setdefault(s.rects, []).append(s)
    return [(rects, tuple(some)) for rects, some in sets.items()]
