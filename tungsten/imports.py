"""`import NAME;`: finding NAME.w on the lib= path and merging its contents, once a file (tungsten.md 2)."""

from __future__ import annotations

from pathlib import Path

from diag.report import Reporter, fail, suggest
from diag.spans import Source, Span, nowhere
from tungsten import ast
from tungsten.reader import read


def load_source(path: Path, span: Span | None) -> Source:
    """A source file. Raises UserError: DG007 when it can't be read, DG009 when it is not UTF-8."""
    try:
        return Source.load(path)
    except OSError as e:
        raise fail("DG007", span or nowhere(str(path)), path=path, why=e.strerror or str(e)) from None
    except UnicodeDecodeError as e:
        raise fail("DG009", span or nowhere(str(path)), path=path, offset=e.start) from None
    except ValueError as e:
        raise fail("DG007", span or nowhere(str(path)), path=path, why=str(e)) from None


class Importer:
    """Reads a kernel and what it imports. `items` are the merged contents, `files` every file read."""

    def __init__(self, lib: list[str], reporter: Reporter) -> None:
        self.lib = lib
        self.reporter = reporter
        self.files: list[str] = []
        self._home = Path()  # the directory of the kernel itself
        self._done: set[Path] = set()
        self._open: list[tuple[Path, Span | None]] = []

    def load(self, path: Path, span: Span | None = None) -> tuple[ast.File, list[ast.Stmt]]:
        """The file itself, and its contents with imports replaced by what they bring."""
        source = load_source(path, span)
        self.files.append(str(path))
        real = path.resolve()
        if not self._open:
            self._home = path.parent
        self._done.add(real)
        self._open.append((real, span))
        file = read(source, self.reporter)
        items: list[ast.Stmt] = []
        for item in file.items:
            if isinstance(item, ast.Import):
                items += self._import(item, path.parent)
            else:
                items.append(item)
        self._open.pop()
        return file, items

    def _import(self, node: ast.Import, here: Path) -> list[ast.Stmt]:
        name = node.name
        found = self._find(name, here)
        if found is None:
            return []
        real = found.resolve()
        at = next((i for i, (path, _) in enumerate(self._open) if path == real), None)
        if at is not None:
            notes = [(span, "imported here") for _, span in self._open[at + 1 :] if span is not None]
            self.reporter.report("TW217", name.span, name=name.name, notes=notes)
            return []
        if real in self._done:
            return []
        return self.load(found, name.span)[1]

    def _find(self, name: ast.Name, here: Path) -> Path | None:
        """NAME.w on the lib= path in order, then beside the importing file, then beside the kernel; else TW216."""
        places = list(dict.fromkeys([*(Path(p) for p in self.lib), here, self._home]))
        for place in places:
            path = place / f"{name.name}.w"
            if path.is_file():
                return path
        near = [p.stem for place in places if place.is_dir() for p in place.glob("*.w") if p.is_file()]
        searched = ", ".join(str(p) for p in places)
        self.reporter.report("TW216", name.span, name=name.name, places=searched, hint=suggest(name.name, near))
        return None
