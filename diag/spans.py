"""Sources and spans: where in a text something stands.

Every node of both languages carries a `Span`, down to the machine instruction, so that a message of any
tool (a syntax error, a contradiction in a layout, a stalled receive in the simulator) can name
`file:line:col`.
"""

from __future__ import annotations

import bisect
from dataclasses import dataclass, field
from pathlib import Path


@dataclass(eq=False)
class Source:
    """One text with its path. Offsets and columns count characters (code points), not bytes."""

    path: str
    text: str
    _starts: list[int] = field(default_factory=list, repr=False)

    def __post_init__(self) -> None:
        self._starts = [0]
        for i, c in enumerate(self.text):
            if c == "\n":
                self._starts.append(i + 1)

    @staticmethod
    def load(path: str | Path) -> Source:
        """Reads a UTF-8 file. Raises OSError or UnicodeDecodeError; callers turn these into diagnostics."""
        return Source(str(path), Path(path).read_bytes().decode("utf-8"))

    def line_of(self, offset: int) -> int:
        """The 1-based line of a character offset."""
        return bisect.bisect_right(self._starts, min(offset, len(self.text)))

    def col_of(self, offset: int) -> int:
        """The 1-based column of a character offset."""
        offset = min(offset, len(self.text))
        return offset - self._starts[self.line_of(offset) - 1] + 1

    def line_text(self, line: int) -> str:
        """The text of a 1-based line without its end."""
        start = self._starts[line - 1]
        end = self._starts[line] if line < len(self._starts) else len(self.text)
        return self.text[start:end].rstrip("\r\n")

    def span(self, start: int, end: int) -> Span:
        return Span(self, start, end)


@dataclass(frozen=True)
class Span:
    """Characters [start, end) of a source."""

    source: Source
    start: int
    end: int

    @property
    def path(self) -> str:
        return self.source.path

    @property
    def line(self) -> int:
        return self.source.line_of(self.start)

    @property
    def col(self) -> int:
        return self.source.col_of(self.start)

    @property
    def text(self) -> str:
        return self.source.text[self.start : self.end]

    def label(self) -> str:
        """`file:line:col`, the form in which every tool names a place."""
        return f"{self.path}:{self.line}:{self.col}"

    def to(self, other: Span) -> Span:
        """The span from the start of this one to the end of the other (same source)."""
        return Span(self.source, self.start, max(self.end, other.end))

    def point(self) -> Span:
        """The first character alone."""
        return Span(self.source, self.start, min(self.start + 1, len(self.source.text)))


def nowhere(path: str) -> Span:
    """A span for messages about a whole file, or about a command's words."""
    return Span(Source(path, ""), 0, 0)
