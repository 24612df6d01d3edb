"""Symbols: from a name in the map to words of an image, in the order of axes the user asks for (tools.md).

A symbol is one or more map entries of one name. Its axes are the tile axes y and x, its dimensions, and `_word`,
the 16-bit words of one element. Where a symbol has several entries (its region is no grid), y and x count the
rows and columns that hold a tile of it; places of that grid without the symbol read as 0 and are passed over when
written.

    symbol = find(entries, "grid.eta", map_path)
    order = parse_order("y x n _word", symbol)
    data = get_words(image, symbol, order)          ndarray u16, one axis an order word
    set_raw(image, symbol, order, raw_bytes, "eta.raw")
    values = get_values(image, symbol)              typed ndarray [y, x, dims…]; struct: u16 with _word last
    set_values(image, symbol, values)

numpy is imported when words are read or written.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from diag.report import fail, suggest
from diag.spans import Source, nowhere
from fabric.image import Image
from fabric.map import TYPE_WORDS, WORD_AXIS, Entry, parse_map
from fabric.rects import Rect

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

DTYPES = {"xp": "<i2", "u16": "<u2", "hp": "<f2", "u32": "<u4", "i32": "<i4", "sp": "<f4", "wv": "<u4", "u64": "<u8"}


@dataclass(frozen=True)
class Symbol:
    """`columns` and `rows` are the x and y of the tile axes' places, ascending."""

    name: str
    type: str
    words: int
    dims: tuple[tuple[str, int], ...]
    entries: tuple[Entry, ...]
    columns: Sequence[int]
    rows: Sequence[int]

    @property
    def has_word_axis(self) -> bool:
        return self.entries[0].has_word_axis

    @property
    def axes(self) -> tuple[tuple[str, int], ...]:
        """Every axis with its extent in the default order: y x dims _word."""
        out = (("y", len(self.rows)), ("x", len(self.columns)), *self.dims)
        return (*out, (WORD_AXIS, self.words)) if self.has_word_axis else out

    @property
    def size(self) -> int:
        """Words of one tile."""
        n = self.words
        for _, extent in self.dims:
            n *= extent
        return n

    def text(self) -> str:
        """Name, type and axes as in the map."""
        return f"{self.name} {self.type} [{' '.join(f'{n}<{e}' for n, e in self.axes)}]"


def _one(entries: list[Entry]) -> Symbol:
    columns: Sequence[int]
    rows: Sequence[int]
    if len(entries) == 1:
        r = entries[0].rect
        columns = range(r.x, r.x_end, r.dx)
        rows = range(r.y, r.y_end, r.dy)
    else:
        columns = sorted({x for e in entries for x in range(e.rect.x, e.rect.x_end, e.rect.dx)})
        rows = sorted({y for e in entries for y in range(e.rect.y, e.rect.y_end, e.rect.dy)})
    e = entries[0]
    return Symbol(e.name, e.type, e.words, e.dims, tuple(entries), columns, rows)


def _alike(a: Entry, b: Entry) -> bool:
    """True when two entries of one name are parts of one symbol.

    Entries of a named region are when type and dimensions agree. A bare name may belong to several unnamed
    regions, so that the address must agree too.
    """
    same = (a.type, a.words, a.dims) == (b.type, b.words, b.dims)
    return same and ("." in a.name or a.address == b.address)


def candidates(entries: Iterable[Entry], name: str) -> list[Symbol]:
    """The symbols a name can mean: that name itself, else that variable in any region. `name@x,y` is the one on
    tile x,y."""
    base, _, tile = name.partition("@")
    some = list(entries)
    chosen = [e for e in some if e.name == base]
    if not chosen and "." not in base:
        chosen = [e for e in some if e.name.rpartition(".")[2] == base]
    if tile:
        m = re.fullmatch(r"(\d{1,6}),(\d{1,6})", tile)
        chosen = [e for e in chosen if m and e.rect.at(int(m[1]), int(m[2])) is not None]
    groups: list[list[Entry]] = []
    for e in chosen:
        for group in groups:
            if group[0].name == e.name and _alike(group[0], e):
                group.append(e)
                break
        else:
            groups.append([e])
    return [_one(group) for group in groups]


def find(entries: Iterable[Entry], name: str, map_path: str) -> Symbol:
    """Raises UserError: FB301 unknown, FB302 ambiguous with the candidates."""
    some = list(entries)
    found = candidates(some, name)
    place = nowhere(map_path)
    if not found:
        base, _, tile = name.partition("@")
        others = candidates(some, base) if tile else []
        if others:
            raise fail("FB309", place, name=base, tile=tile, hint="; ".join(f"{s.text()} on {_tiles(s)}" for s in others))
        names = sorted({e.name for e in some})
        hint = suggest(base, names) or suggest(base, {n.rpartition(".")[2] for n in names})
        if hint is None:
            hint = "the map has " + ", ".join(names[:8]) + (", …" if len(names) > 8 else "") if names else None
            hint = hint or "the map has no symbols"
        raise fail("FB301", place, name=name, hint=hint)
    if len(found) > 1:
        lines = [f"{s.text()} on {_tiles(s)}" for s in found[:12]]
        x, y = found[0].columns[0], found[0].rows[0]
        named = {s.name for s in found}
        way = "give the full name" if len(named) == len(found) else f"{found[0].name}@{x},{y} is the one on tile {x},{y}"
        raise fail("FB302", place, name=name, candidates="\n    ".join(["", *lines]), hint=way)
    return found[0]


def _tiles(s: Symbol) -> str:
    corner = f"{s.columns[0]},{s.rows[0]}"
    return f"tile {corner}" if len(s.columns) == len(s.rows) == 1 else f"tiles {corner} to {s.columns[-1]},{s.rows[-1]}"


def parse_order(order: str | None, symbol: Symbol) -> tuple[str, ...]:
    """The axes a user names, outermost first; blanks or commas between, `axis<extent` as in the map allowed.

    Axes of extent 1 may be left out. None: the default order. Raises UserError FB303 to FB307.
    """
    extents = dict(symbol.axes)
    if order is None:
        return tuple(extents)
    out: list[str] = []
    for word in re.split(r"[\s,]+", order):
        if not word:
            continue
        axis, bound, extent = word.partition("<")
        if axis == WORD_AXIS and axis not in extents:
            raise fail("FB306", None, axis=axis, symbol=symbol.text(), type=symbol.type)
        if axis not in extents:
            raise fail("FB303", None, axis=axis, symbol=symbol.text(), hint=suggest(axis, extents))
        if axis in out:
            raise fail("FB305", None, axis=axis, order=order)
        if bound and extent != str(extents[axis]):
            raise fail("FB307", None, axis=axis, given=extent or "nothing", extent=extents[axis], symbol=symbol.text())
        out.append(axis)
    for axis, n in extents.items():
        if axis not in out and (n > 1 or axis == WORD_AXIS):
            hint = None
            if axis == WORD_AXIS:
                hint = f"_word is the 16-bit word of an element of {n}: order=\"{' '.join([*out, axis])}\""
            raise fail("FB304", None, axis=axis, extent=n, order=order, symbol=symbol.text(), hint=hint)
    return tuple(out)


def check_entries(image: Image, entries: Iterable[Entry]) -> None:
    """Raises UserError (FB230) when an entry lies outside the image's fabric."""
    for e in entries:
        r = e.rect
        if r.x_end > image.width or r.y_end > image.height:
            tiles = f"{r.x},{r.y} to {r.x_end - 1},{r.y_end - 1}"
            raise fail("FB230", e.span, name=e.name, tiles=tiles, width=image.width, height=image.height)


def check_belongs(image: Image, image_path: str, entries: Iterable[Entry], symbol: Symbol, map_path: str) -> None:
    """Raises UserError (FB231) when a map is that of another program: when the image's own map has the symbol elsewhere
    or otherwise, or has no line of it at all. Lines that a user added to the image's map are his business."""
    own = str(image.meta.get("map") or "")
    if not own:
        return
    lines = set(own.splitlines())
    if all(e.line() in lines for e in symbol.entries):
        return
    place = symbol.entries[0].span or nowhere(map_path)
    theirs = candidates(parse_map(Source(image_path, own)), symbol.name)
    if theirs:
        there = "; ".join(e.line() for s in theirs for e in s.entries[:1])
        raise fail("FB231", place, image=image_path, why=f"there it is {there}")
    if not any(e.line() in lines for e in entries):
        raise fail("FB231", place, image=image_path, why="they have no symbol in common")


def _place(symbol: Symbol, rect: Rect) -> tuple[slice, slice] | tuple[NDArray[np.intp], NDArray[np.intp]]:
    """(rows, columns) of an entry's tiles in the symbol's grid."""
    import numpy as np

    if len(symbol.entries) == 1:
        return slice(None), slice(None)
    rows = np.searchsorted(np.asarray(symbol.rows), np.arange(rect.y, rect.y_end, rect.dy))
    columns = np.searchsorted(np.asarray(symbol.columns), np.arange(rect.x, rect.x_end, rect.dx))
    return rows[:, None], columns[None, :]


def read_block(image: Image, symbol: Symbol) -> NDArray[np.uint16]:
    """The symbol's words [y, x, words of a tile]. Raises UserError (FB230)."""
    import numpy as np

    check_entries(image, symbol.entries)
    if len(symbol.entries) == 1:
        e = symbol.entries[0]
        return image.read(e.address, symbol.size, e.rect)
    out = np.zeros((len(symbol.rows), len(symbol.columns), symbol.size), dtype=np.uint16)
    for e in symbol.entries:
        out[_place(symbol, e.rect)] = image.read(e.address, symbol.size, e.rect)
    return out


def write_block(image: Image, symbol: Symbol, block: NDArray[np.uint16]) -> None:
    """Writes words [y, x, words of a tile]. Raises UserError (FB230)."""
    check_entries(image, symbol.entries)
    for e in symbol.entries:
        image.write(e.address, e.rect, block[_place(symbol, e.rect)])


def _shape(symbol: Symbol) -> tuple[int, ...]:
    return tuple(extent for _, extent in symbol.axes)


def get_words(image: Image, symbol: Symbol, order: tuple[str, ...]) -> NDArray[np.uint16]:
    """The symbol's 16-bit words with one axis for each word of `order` (from parse_order)."""
    names = [n for n, _ in symbol.axes]
    full = read_block(image, symbol).reshape(_shape(symbol))
    left_out = [n for n in names if n not in order]  # all of extent 1
    moved = full.transpose([names.index(n) for n in (*order, *left_out)])
    return moved.reshape(moved.shape[: len(order)])


def set_raw(image: Image, symbol: Symbol, order: tuple[str, ...], raw: bytes, path: str) -> None:
    """Writes a raw file's bytes (little-endian words in `order`). Raises UserError (FB308 with both sizes)."""
    import numpy as np

    extents = dict(symbol.axes)
    need = 2
    for n in extents.values():
        need *= n
    if len(raw) != need:
        asked = " ".join(f"{n}<{extents[n]}" for n in order)
        raise fail("FB308", nowhere(path), path=path, size=len(raw), need=need, symbol=symbol.name, axes=asked)
    names = list(extents)
    left_out = [n for n in names if n not in order]
    given = [*order, *left_out]
    full = np.frombuffer(raw, dtype="<u2").reshape([extents[n] for n in given])
    block = np.ascontiguousarray(full.transpose([given.index(n) for n in names]))
    write_block(image, symbol, block.reshape(len(symbol.rows), len(symbol.columns), symbol.size))


def get_values(image: Image, symbol: Symbol) -> NDArray[Any]:
    """Typed values [y, x, dims…] (xp as int16, sp as float32, …); of structs and the like u16 words, `_word` last."""
    block = read_block(image, symbol)
    dtype = DTYPES.get(symbol.type)
    if dtype is None:
        return block.reshape(_shape(symbol))
    extents = [extent for name, extent in symbol.axes if name != WORD_AXIS]
    return block.astype("<u2", copy=False).view(dtype).reshape(extents)


def set_values(image: Image, symbol: Symbol, values: NDArray[Any]) -> None:
    """Writes typed values of the shape of get_values, or anything that broadcasts to it. Raises ValueError."""
    import numpy as np

    dtype = DTYPES.get(symbol.type, "<u2")
    extents = [e for name, e in symbol.axes if name != WORD_AXIS or symbol.type not in DTYPES]
    full = np.ascontiguousarray(np.broadcast_to(np.asarray(values).astype(dtype), extents))
    write_block(image, symbol, full.view("<u2").reshape(len(symbol.rows), len(symbol.columns), symbol.size))


def format_values(image: Image, symbol: Symbol, order: tuple[str, ...]) -> str:
    """The text of `miget text`: a header with the axes, then one line per innermost row (docs/images.md).

    With `_word` last its words are joined to numbers; elsewhere, and for structs, the words themselves are
    printed.
    """
    import numpy as np

    words = get_words(image, symbol, order)
    shown = list(order)
    data: NDArray[Any] = words
    if symbol.type in DTYPES:
        if TYPE_WORDS[symbol.type] == 1:
            data = np.ascontiguousarray(words).view(DTYPES[symbol.type])
        elif order[-1] == WORD_AXIS:
            data = np.ascontiguousarray(words).view(DTYPES[symbol.type])[..., 0]
            shown.pop()
    extents = dict(symbol.axes)
    head = f"# {symbol.name} {symbol.type} [{' '.join(f'{n}<{extents[n]}' for n in shown)}]"
    if not data.size:  # an array that a parameter leaves empty
        return head + "\n"
    rows = data.reshape(-1, data.shape[-1]) if data.ndim else data.reshape(1, 1)
    # numpy prints the shortest text that reads back the same in the value's own width.
    if data.dtype.kind == "f":
        show = _half if data.dtype.itemsize == 2 else str
        lines = [" ".join(map(show, row)) for row in rows]
    else:
        lines = [" ".join(map(str, row)) for row in rows.tolist()]
    return "\n".join([head, *lines]) + "\n"


def _half(value: np.float16) -> str:
    """A half as text. numpy turns to exponents at 1000; whole numbers are printed as they are, and take no more room."""
    size = abs(float(value))
    if size >= 1000 and size != float("inf"):
        return str(float(value))
    return str(value)
