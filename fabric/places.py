"""Names for a reader: which source line an instruction of a tile came from, how the layout calls a color.

All of it is in the image's meta (fabric/image.py): programs with their tiles, line tables and sockets, colors with
their tiles. An image without it still runs; then addresses and numbers stand for the names.
"""

from __future__ import annotations

import bisect
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

from diag.report import UserError
from diag.spans import Source
from fabric.image import Image
from fabric.rects import Rect

if TYPE_CHECKING:
    from fabric.map import Entry


class Place(NamedTuple):
    """A source place of an instruction; `text` is the instruction as in the listing."""

    file: str
    line: int
    col: int
    function: str
    text: str

    @property
    def label(self) -> str:
        """`file:line:col`."""
        return f"{self.file}:{self.line}:{self.col}"


class Socket(NamedTuple):
    """One queue of a socket; `span` is `file:line:col` of its declaration, `uses` those of its statements."""

    name: str
    dir: str
    queue: int
    color: int
    color_name: str
    span: str
    uses: tuple[str, ...] = ()


class ProgramPlaces:
    """Line table and sockets of one program."""

    def __init__(self, row: dict[str, Any]) -> None:
        self.name = str(row.get("name", ""))
        self.rects = [Rect(*r) for r in row.get("rects", [])]
        self._row = row

    def covers(self, x: int, y: int) -> bool:
        return any(r.at(x, y) is not None for r in self.rects)

    @cached_property
    def _lines(self) -> list[tuple[int, int, Place]]:
        return sorted(
            (int(address), int(words), Place(str(file), int(line), int(col), str(function), str(text)))
            for address, words, file, line, col, function, text in self._row.get("lines", [])
        )

    @cached_property
    def _starts(self) -> list[int]:
        return [address for address, _, _ in self._lines]

    @cached_property
    def sockets(self) -> list[Socket]:
        return [
            Socket(
                str(s["name"]),
                str(s["dir"]),
                int(s["queue"]),
                -1 if s.get("color") is None else int(s["color"]),
                str(s.get("color_name") or ""),
                str(s.get("span") or ""),
                tuple(map(str, s.get("uses") or ())),
            )
            for s in self._row.get("sockets", [])
        ]

    @property
    def tasks(self) -> dict[str, str]:
        return dict(self._row.get("tasks", {}))

    @property
    def addresses(self) -> list[int]:
        """Of all instructions, ascending."""
        return self._starts

    def at(self, pc: int) -> Place | None:
        """The place of the instruction that covers an address."""
        i = bisect.bisect_right(self._starts, pc) - 1
        if i < 0:
            return None
        address, words, place = self._lines[i]
        return place if pc < address + words else None


class Places:
    """All programs and colors of an image."""

    def __init__(self, image: Image) -> None:
        meta = image.meta
        self.programs = [ProgramPlaces(row) for row in meta.get("programs", [])]
        self._colors = [
            (int(c["number"]), str(c["name"]), [Rect(*r) for r in c.get("rects", [])]) for c in meta.get("colors", [])
        ]
        self._map = str(meta.get("map") or "")
        self._of_tile: dict[tuple[int, int], ProgramPlaces | None] = {}

    def program(self, x: int, y: int) -> ProgramPlaces | None:
        """The program on a tile."""
        key = (x, y)
        if key not in self._of_tile:
            self._of_tile[key] = next((p for p in self.programs if p.covers(x, y)), None)
        return self._of_tile[key]

    def at(self, x: int, y: int, pc: int) -> Place | None:
        """The source place of the instruction at an address of a tile."""
        program = self.program(x, y)
        return None if program is None else program.at(pc)

    def label(self, x: int, y: int, pc: int) -> str:
        """`file:line:col`, or the address where the image has no line for it."""
        place = self.at(x, y, pc)
        return f"address 0x{pc:04x}" if place is None else place.label

    @cached_property
    def _symbols(self) -> dict[int, list[Entry]]:
        """The image's map by address; a map that can't be read names nothing."""
        from fabric.map import parse_map

        found: dict[int, list[Entry]] = {}
        try:
            for entry in parse_map(Source("map", self._map)):
                found.setdefault(entry.address, []).append(entry)
        except UserError:
            pass
        return found

    def symbol(self, x: int, y: int, address: int) -> str:
        """The bare name of the variable at an address of a tile, or ""."""
        for entry in self._symbols.get(address, ()):
            if entry.type not in ("fifo", "filter") and entry.rect.at(x, y) is not None:
                return entry.name.rpartition(".")[2] if self.program(x, y) is not None else entry.name
        return ""

    def color_name(self, x: int, y: int, color: int) -> str:
        """The layout's name of a color number on a tile, or "" when it has none."""
        for number, name, rects in self._colors:
            if number == color and (not rects or any(r.at(x, y) is not None for r in rects)):
                return name
        program = self.program(x, y)
        for socket in program.sockets if program else ():
            if socket.color == color and socket.color_name:
                return socket.color_name
        return ""

    def color(self, x: int, y: int, color: int) -> str:
        """`C3 'east'`, or `C3` alone."""
        name = self.color_name(x, y, color)
        return f"C{color} '{name}'" if name else f"C{color}"

    def socket(self, x: int, y: int, way: str, queue: int) -> Socket | None:
        """The socket that an input ("in") or output ("out") queue of a tile serves."""
        program = self.program(x, y)
        rows = program.sockets if program else ()
        return next((s for s in rows if s.dir == way and s.queue == queue), None)
