"""What each program takes of a tile's main memory: code, data, room for the stack (tools.md, S0:239-250).

paint calls `check` on what it compiled, and writes `describe(program)` into the image, where the command
`weight` finds it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from diag.report import Diagnostic, UserError, make
from fabric import arch
from fabric.program import Program, Usage


@dataclass(frozen=True)
class Weight:
    """One program in words. `gaps` is what alignment and address() leave unused below `end`, the first word that
    neither code nor data takes; `tiles` is how many tiles run it (0: not known)."""

    name: str
    code: int
    data: int
    gaps: int
    stack: int
    end: int
    usage: tuple[Usage, ...]
    tiles: int = 0

    @property
    def need(self) -> int:
        return self.end + self.stack

    @property
    def free(self) -> int:
        """Negative when the program is over."""
        return arch.MAIN_WORDS - self.need


def weigh(program: Program, tiles: int = 0) -> Weight:
    return _weight(program.name, program.usage, program.memory_end, program.stack_room, tiles)


def _weight(name: str, usage: Iterable[Usage], end: int, stack: int, tiles: int) -> Weight:
    rows = tuple(usage)
    code = sum(u.words for u in rows if u.kind == "code")
    data = sum(u.words for u in rows if u.kind != "code")
    end = max(end, code + data)
    return Weight(name, code, data, end - code - data, stack, end, rows, tiles)


def describe(program: Program) -> dict[str, Any]:
    """The keys of a row of meta["programs"] that `weight` reads (fabric/image.py)."""
    return {
        "usage": [[u.name, u.kind, u.words, u.span] for u in program.usage],
        "memory_end": program.memory_end,
        "stack_room": program.stack_room,
    }


def from_meta(rows: Sequence[Mapping[str, Any]]) -> list[Weight]:
    """The programs of an image. Raises KeyError, TypeError or ValueError when the rows lack what describe gives."""
    out = []
    for row in rows:
        usage = [Usage(str(n), str(k), int(w), str(span)) for n, k, w, span in row["usage"]]
        tiles = sum(int(r[2]) * int(r[3]) for r in row.get("rects", []))
        out.append(_weight(str(row["name"]), usage, int(row["memory_end"]), int(row["stack_room"]), tiles))
    return out


def table(weights: Sequence[Weight]) -> str:
    """A line a program."""
    head = ("program", "tiles", "code", "data", "gaps", "stack", "sum", "free", "of 24576")
    rows = [
        (w.name, str(w.tiles or "-"), *(str(n) for n in (w.code, w.data, w.gaps, w.stack, w.need, w.free)), _part(w.need))
        for w in weights
    ]
    return _columns([head, *rows])


def parts(w: Weight, most: int = 12) -> str:
    """What takes how much in one program: the largest first, the rest in one line."""
    ordered = sorted((u for u in w.usage if u.words), key=lambda u: -u.words)
    rows = [(u.name or "(start)", u.kind, str(u.words), _part(u.words), u.span) for u in ordered[:most]]
    rest = ordered[most:]
    if rest:
        words = sum(u.words for u in rest)
        rows.append((f"{len(rest)} more", "", str(words), _part(words), ""))
    if w.gaps:
        rows.append(("(gaps)", "", str(w.gaps), _part(w.gaps), ""))
    rows.append(("(stack room)", "", str(w.stack), _part(w.stack), ""))
    rows.append(("sum", "", str(w.need), _part(w.need), ""))
    return _columns([("what", "kind", "words", "of 24576", "where"), *rows])


def _part(words: int) -> str:
    return f"{100 * words / arch.MAIN_WORDS:.1f}%"


def _columns(rows: Sequence[Sequence[str]]) -> str:
    """Text in columns: names to the left, numbers to the right."""
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    numeric = [all(row[i][:1].isdigit() or row[i][:1] in "-" for row in rows[1:]) for i in range(len(rows[0]))]
    lines = []
    for row in rows:
        cells = [c.rjust(w) if right else c.ljust(w) for c, w, right in zip(row, widths, numeric, strict=True)]
        lines.append(("  " + "  ".join(cells)).rstrip())
    return "\n".join(lines)


def over(weights: Iterable[Weight]) -> list[Diagnostic]:
    """An error FB331 with a table for each program that does not fit."""
    return [
        make("FB331", None, program=w.name, need=w.need, over=-w.free, limit=arch.MAIN_WORDS, table=parts(w))
        for w in weights
        if w.free < 0
    ]


def check(programs: Iterable[Program]) -> None:
    """Raises UserError (FB331), all programs that are over at once."""
    found = over(weigh(p) for p in programs)
    if found:
        raise UserError(found)
