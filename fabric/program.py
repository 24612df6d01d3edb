"""What a compiler makes of one kernel with one set of bindings: words, symbols, sockets, line table.

A `Program` is independent of place and color numbers: it becomes part of an image when a layout puts it on
tiles and milink writes the color numbers into the queue words.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Line:
    """One instruction of the listing. `address` and `words` in words; `col` 1-based; `function` is "" in data."""

    address: int
    words: int
    file: str
    line: int
    col: int
    function: str
    text: str


@dataclass(frozen=True)
class Symbol:
    """A global of the kernel. `type` is a scalar type's name, or "struct"/"union".

    `dims` are (axis name, extent) pairs, outermost first; `words` is the size of one element (1, 2 or 4, or the
    size of the struct or union).
    """

    name: str
    type: str
    address: int
    words: int
    dims: tuple[tuple[str, int], ...] = ()

    @property
    def size(self) -> int:
        """Words of the whole symbol."""
        n = self.words
        for _, extent in self.dims:
            n *= extent
        return n


@dataclass(frozen=True)
class SocketUse:
    """One queue of a socket: an input queue (`dir` "in") or an output queue ("out"); queue 0-7.

    A socket that both sends and receives has two rows. `span` is "file:line:col" of the declaration;
    `uses` are the places of its receives or sends. `live` is False where none of these is left in the code, since
    the kernel's parameters rule them out. `lone` are the places of sends of single 16-bit values, which may leave as
    half-wavelets.
    """

    socket: str
    dir: str
    queue: int
    elem: str
    span: str
    uses: tuple[str, ...] = ()
    live: bool = True
    lone: tuple[str, ...] = ()


@dataclass(frozen=True)
class Usage:
    """Memory of one function or variable: for weight, the listing and the table of an overflow."""

    name: str
    kind: str  # "code", "data"
    words: int
    span: str = ""


@dataclass
class Program:
    """One compiled kernel. `sections` hold (address, words) of code and initialised data; `registers` maps
    configuration addresses to words (task table, blocked and active masks, queue modes, filters without color);
    `memory_end` is the first main-memory word that neither code nor data takes."""

    name: str
    source: str
    params: dict[str, str] = field(default_factory=dict)
    sections: list[tuple[int, list[int]]] = field(default_factory=list)
    registers: dict[int, int] = field(default_factory=dict)
    symbols: list[Symbol] = field(default_factory=list)
    sockets: list[SocketUse] = field(default_factory=list)
    declared: list[tuple[str, str]] = field(default_factory=list)  # every socket with its span, used or not
    filters: list[tuple[int, str]] = field(default_factory=list)  # (filter number, socket whose color it counts)
    lines: list[Line] = field(default_factory=list)
    usage: list[Usage] = field(default_factory=list)
    tasks: dict[int, str] = field(default_factory=dict)  # task id -> what it is, for traces
    memory_end: int = 0
    stack_room: int = 0
    self_routing: bool = False  # sets routes at run time
    by_place: bool = False  # reads its row or column, so that it may do different things on different tiles
    depends: list[str] = field(default_factory=list)  # every file read, for dependency files

    def to_json(self) -> dict[str, Any]:
        """A JSON-able form; `from_json` takes it back."""
        d = dict(vars(self))
        for name in ("symbols", "sockets", "lines", "usage"):
            d[name] = [dict(vars(x)) for x in d[name]]
        return d

    @staticmethod
    def from_json(d: dict[str, Any]) -> Program:
        p = Program(d["name"], d["source"], dict(d["params"]))
        p.sections = [(int(a), list(w)) for a, w in d["sections"]]
        p.registers = {int(k): int(v) for k, v in d["registers"].items()}
        p.symbols = [Symbol(**{**s, "dims": tuple((str(n), int(e)) for n, e in s["dims"])}) for s in d["symbols"]]
        p.sockets = [SocketUse(**{**s, "uses": tuple(s["uses"]), "lone": tuple(s["lone"])}) for s in d["sockets"]]
        p.declared = [(str(a), str(b)) for a, b in d["declared"]]
        p.filters = [(int(a), str(b)) for a, b in d["filters"]]
        p.lines = [Line(**x) for x in d["lines"]]
        p.usage = [Usage(**x) for x in d["usage"]]
        p.tasks = {int(k): str(v) for k, v in d["tasks"].items()}
        p.memory_end, p.stack_room = int(d["memory_end"]), int(d["stack_room"])
        p.self_routing, p.by_place = bool(d["self_routing"]), bool(d["by_place"])
        p.depends = list(d["depends"])
        return p
