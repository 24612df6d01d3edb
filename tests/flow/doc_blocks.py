"""The fenced blocks of a document, with what the comments right above them say to the tests.

    <!-- with M=3 -->                parameters that the block is compiled with
    <!-- after: sp a[8]; -->         text that a fragment of a kernel or layout stands behind
    <!-- wrong: TW021 -->            the codes that compiling it gives; without this it compiles in silence
    <!-- kernels of docs/paint.md -->  another document whose kernels a layout uses
    <!-- part of 24-nine-point -->   lines of that lesson's files, which are compiled there

A block whose first line is a comment with a file name, `// add.w`, `(* one.paint *)`, `# Makefile`, is that file for
the commands of the document.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PLACES = ("*.md", "docs/*.md", "tutorial/README.md", "tutorial/*/README.md", "editors/*/README.md")
DOCUMENTS = sorted(path for place in PLACES for path in ROOT.glob(place))
FENCE = re.compile(r"((?:^<!-- .*? -->\n)*)^( *)```(\w*)[ ]*\n(.*?)^\2```[ ]*$", re.M | re.S)
NAMED = re.compile(r"(?://|\(\*|#)\s*([\w./-]+\.(?:w|paint|py|rc|s)|[\w./-]*Makefile)\s*(?:\*\)|$)", re.M)
COMMENT = re.compile(r"<!-- (with|after:|wrong:|part of|kernels of) (.*?) -->", re.S)


@dataclass(frozen=True)
class Block:
    kind: str
    text: str
    notes: dict[str, str]
    line: int  # of the opening fence, from 1

    @property
    def name(self) -> str | None:
        """The file that the block is for the document's commands."""
        m = NAMED.match(self.text)
        return m[1] if m else None

    @property
    def params(self) -> dict[str, str]:
        return dict(word.split("=", 1) for word in self.notes.get("with", "").split())


def blocks(path: Path) -> list[Block]:
    text = path.read_text(encoding="utf-8")
    found = []
    for m in FENCE.finditer(text):
        notes = {c[1].rstrip(":"): c[2] for c in COMMENT.finditer(m[1])}
        indent = len(m[2])
        body = "".join(line[indent:] for line in m[4].splitlines(keepends=True))
        found.append(Block(m[3], body, notes, text.count("\n", 0, m.start(2)) + 1))
    return found


def prose(path: Path) -> str:
    """The document without its blocks."""
    return FENCE.sub("", path.read_text(encoding="utf-8"))


def commands(text: str) -> Iterator[tuple[str, list[str]]]:
    """(command, expected lines) of an sh block; a command goes on behind a backslash at its end."""
    command: str | None = None
    expected: list[str] = []
    for line in text.splitlines():
        if command is not None and command.endswith("\\"):
            command = command[:-1] + line
        elif line.startswith("$ "):
            if command is not None:
                yield command, expected
            command, expected = line[2:], []
        else:
            expected.append(line)
    if command is not None:
        yield command, expected


def matches(expected: list[str], got: str) -> bool:
    """`…` alone on a line stands for any lines, within a line for anything."""
    pattern = "".join("(?:.*\n)*" if line == "…" else ".*".join(map(re.escape, line.split("…"))) + "\n" for line in expected)
    return re.fullmatch(pattern, got.rstrip("\n") + "\n" if got.strip() else "") is not None


def anchors(path: Path) -> set[str]:
    """The anchors of a document's headings, as mkdocs makes them: words in small letters joined by hyphens."""
    found: set[str] = set()
    for m in re.finditer(r"^#+ (.*?)(?: *\{ *#([\w-]+) *\})?$", prose(path), re.M):
        words = re.sub(r"[^\w\s-]", "", re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", m[1]).encode("ascii", "ignore").decode())
        slug = m[2] or re.sub(r"[-\s]+", "-", words.strip().lower())
        while slug in found:
            base, _, n = slug.rpartition("_")
            slug = f"{base}_{int(n) + 1}" if n.isdigit() and base else f"{slug}_1"
        found.add(slug)
    return found
