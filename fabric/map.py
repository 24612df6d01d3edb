"""The map: where each symbol lies, as text, one line a symbol and grid of tiles (tools.md, docs/map.md).

    name type address [axes] x0,y0 dx,dy
    grid.eta sp 0x0120 [y<32 x<32 n<1 _word<2] 1,1 1,1

The axes are the tile axes y and x, the array's dimensions, outermost first, and `_word`: the 16-bit words of
one element of a type of more than one word. A region that is no grid has a line for each of its grids.

How to use it:

    entries = entries_of("grid", symbol, rects)      a fabric.program.Symbol on the tiles of the rects
    text = format_map(entries)
    entries = read_map(path)                         UserError with line and column (FB221 to FB229)
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

from diag.files import read_source
from diag.report import Reporter, suggest
from diag.spans import Source, Span
from fabric import arch
from fabric.program import Symbol
from fabric.rects import Rect, merge, merge_plain

# Words of one element; 0: the line says it (`_word<size`).
TYPE_WORDS = {
    "xp": 1,
    "u16": 1,
    "hp": 1,
    "u32": 2,
    "i32": 2,
    "sp": 2,
    "wv": 2,
    "u64": 4,
    "stream": 4,
    "struct": 0,
    "union": 0,
    "fifo": 0,
    "iterator": 0,
    "filter": 0,
}
TILE_AXES = ("y", "x")
WORD_AXIS = "_word"
MANY = 64  # a region of more rectangles than this, and no grid, is written as grids with strides all the same


@dataclass(frozen=True)
class Entry:
    """One line. `dims` are (axis, extent), outermost first, without the tile axes and `_word`; `words` is the
    size of one element; the rect's strides are dx and dy."""

    name: str
    type: str
    address: int
    dims: tuple[tuple[str, int], ...]
    words: int
    rect: Rect
    span: Span | None = None

    @property
    def elements(self) -> int:
        """Elements on one tile."""
        n = 1
        for _, extent in self.dims:
            n *= extent
        return n

    @property
    def has_word_axis(self) -> bool:
        return self.words != 1 or TYPE_WORDS[self.type] == 0

    def axes(self) -> str:
        """What stands in the brackets."""
        parts = [f"y<{self.rect.h}", f"x<{self.rect.w}", *(f"{n}<{e}" for n, e in self.dims)]
        return " ".join([*parts, f"{WORD_AXIS}<{self.words}"] if self.has_word_axis else parts)

    def line(self) -> str:
        r = self.rect
        return f"{self.name} {self.type} 0x{self.address:04x} [{self.axes()}] {r.x},{r.y} {r.dx},{r.dy}"


def entries_of(region: str, symbol: Symbol, rects: Iterable[Rect]) -> list[Entry]:
    """The lines of a kernel's symbol on the tiles of a region; an unnamed region ("") adds no prefix.

    A dimension whose name is a tile axis, `_word`, or taken, stands under its positional name n0, n1, ….
    """
    name = f"{region}.{symbol.name}" if region else symbol.name
    dims: list[tuple[str, int]] = []
    taken = {*TILE_AXES, WORD_AXIS}
    given = [n for n, _ in symbol.dims]
    for i, (axis, extent) in enumerate(symbol.dims):
        if not axis or axis in taken:
            axis = f"n{i}"
            while axis in taken or axis in given:
                axis = f"n{axis}"
        taken.add(axis)
        dims.append((axis, extent))
    plain = merge_plain(rects)
    grids = merge(plain)
    if 1 < len(plain) <= MANY and len(grids) > 1:
        grids = plain
    return [Entry(name, symbol.type, symbol.address, tuple(dims), symbol.words, r.normal()) for r in grids]


def format_map(entries: Iterable[Entry]) -> str:
    """The text of a map."""
    return "".join(e.line() + "\n" for e in entries)


def read_map(path: str) -> list[Entry]:
    """Raises UserError: DG007, DG009, and FB221 to FB229 with line and column, several at once."""
    return parse_map(read_source(path))


def parse_map(source: Source) -> list[Entry]:
    """The lines of a map's text. Raises UserError (FB221 to FB229)."""
    reporter = Reporter()
    entries: list[Entry] = []
    start = 0
    for text in source.text.split("\n"):
        line = text.rstrip("\r")
        if line.strip():
            entry = _Line(source, start, line, reporter).read()
            if entry is not None:
                entries.append(entry)
        start += len(text) + 1
        if len(reporter.errors) >= 20:  # a wrong file altogether: twenty messages say it
            break
    reporter.raise_if_errors()
    return entries


_NAME = re.compile(r"[^\s\[\],<>=]+")
_PAIR = re.compile(r"(\d{1,6}),(\d{1,6})")
_AXIS = re.compile(r"([^\s\[\],<>=]+)<(\d{1,9})")
FORM = "name type address [axes] x0,y0 dx,dy"


class _Line:
    """One line of a map, read word by word so that a message points at the word."""

    def __init__(self, source: Source, start: int, text: str, reporter: Reporter) -> None:
        self.source = source
        self.start = start
        self.text = text
        self.reporter = reporter

    def bad(self, code: str, at: int, end: int, hint: str | None = None, **args: Any) -> None:
        span = self.source.span(self.start + at, self.start + max(end, at + 1))
        self.reporter.report(code, span, hint=hint, **args)

    def read(self) -> Entry | None:
        text = self.text
        a, b = text.find("["), text.find("]")
        if text.count("[") != 1 or text.count("]") != 1 or a > b:
            at = max(a, 0) if a >= 0 else len(text.rstrip())
            self.bad("FB221", at, at + 1, what="a map line has exactly one pair of brackets", form=FORM)
            return None
        head = [(m.start(), m.group()) for m in re.finditer(r"\S+", text[:a])]
        tail = [(m.start() + b + 1, m.group()) for m in re.finditer(r"\S+", text[b + 1 :])]
        if len(head) != 3:
            at = head[3][0] if len(head) > 3 else a
            self.bad("FB221", at, at + 1, what=f"{len(head)} words before the bracket", form=FORM)
            return None
        if len(tail) != 2:
            at = tail[2][0] if len(tail) > 2 else len(text.rstrip())
            self.bad("FB221", at, at + 1, what=f"{len(tail)} words after the bracket", form=FORM)
            return None
        before = len(self.reporter.errors)
        (name_at, name), (type_at, kind), (address_at, address_text) = head
        if not _NAME.fullmatch(name):
            self.bad("FB221", name_at, name_at + len(name), what=f"'{name}' is no name", form=FORM)
        if kind not in TYPE_WORDS:
            self.bad("FB222", type_at, type_at + len(kind), type=kind, hint=suggest(kind, TYPE_WORDS))
            return None
        axes = self.axes(a + 1, text[a + 1 : b], kind, b)
        x0, y0 = self.pair(*tail[0], "x0,y0", 0)
        dx, dy = self.pair(*tail[1], "dx,dy", 1)
        if axes is None or len(self.reporter.errors) > before:
            self.address(address_at, address_text, 1)
            return None
        w, h, dims, words = axes
        rect = Rect(x0, y0, w, h, dx, dy)
        span = self.source.span(self.start, self.start + len(text.rstrip()))
        entry = Entry(name, kind, 0, dims, words, rect, span)
        address = self.address(address_at, address_text, entry.elements * words)
        return None if address is None else replace(entry, address=address)

    def address(self, at: int, text: str, size: int) -> int | None:
        end = at + len(text)
        if not re.fullmatch(r"0[xX][0-9a-fA-F]{1,8}|\d{1,6}", text):
            self.bad("FB223", at, end, text=text, why="it is not a number like 0x0120")
            return None
        value = int(text, 0) if text[:2] in ("0x", "0X") else int(text)
        if value + size > arch.MEMORY_WORDS:
            why = f"{size} words from there on end beyond the last word of a tile, 0x{arch.MEMORY_WORDS - 1:04x}"
            self.bad("FB223", at, end, text=text, why=why)
            return None
        return value

    def pair(self, at: int, text: str, what: str, least: int) -> tuple[int, int]:
        m = _PAIR.fullmatch(text)
        if m is None or min(int(m[1]), int(m[2])) < least:
            why = "two numbers joined by a comma" if least == 0 else "two numbers of at least 1 joined by a comma"
            self.bad("FB224", at, at + len(text), text=text, what=what, why=why)
            return least, least
        return int(m[1]), int(m[2])

    def axes(
        self, at: int, inner: str, kind: str, close: int
    ) -> tuple[int, int, tuple[tuple[str, int], ...], int] | None:
        """(w, h, dims, words of one element)."""
        found: dict[str, int] = {}
        good = True
        place: dict[str, tuple[int, int]] = {}
        for m in re.finditer(r"\S+", inner):
            first, end = at + m.start(), at + m.end()
            axis = _AXIS.fullmatch(m.group())
            # A kernel may size an array by a parameter that is 0; a region has at least one tile.
            if axis is None or int(axis[2]) < (axis[1] in TILE_AXES):
                self.bad("FB225", first, end, text=m.group())
                good = False
            elif axis[1] in found:
                self.bad("FB226", first, end, axis=axis[1])
                good = False
            else:
                found[axis[1]] = int(axis[2])
                place[axis[1]] = (first, end)
        if not good:
            return None
        for axis_name in TILE_AXES:
            if axis_name not in found:
                self.bad("FB227", close, close + 1, axis=axis_name)
                return None
        need = TYPE_WORDS[kind]
        words = found.get(WORD_AXIS)
        if need != 1 and words is None:
            size = str(need) if need else "SIZE"
            self.bad("FB228", close, close + 1, type=kind, what=f"needs the axis {WORD_AXIS}<{size}")
            return None
        if words is not None and need and words != need:
            what = f"has no axis {WORD_AXIS}" if need == 1 else f"has {WORD_AXIS}<{need}, not {WORD_AXIS}<{words}"
            self.bad("FB228", *place[WORD_AXIS], type=kind, what=what)
            return None
        dims = tuple((n, e) for n, e in found.items() if n not in (*TILE_AXES, WORD_AXIS))
        total = element = 1 if words is None else words
        for n, e in dims:
            total *= e
            if total > arch.MEMORY_WORDS:
                self.bad("FB229", *place[n], words=total, axis=n)
                return None
        if found["x"] > arch.MAX_WIDTH * 64 or found["y"] > arch.MAX_HEIGHT * 64:
            axis_name = "x" if found["x"] > arch.MAX_WIDTH * 64 else "y"
            self.bad("FB225", *place[axis_name], text=f"{axis_name}<{found[axis_name]}")
            return None
        return found["x"], found["y"], dims, element
