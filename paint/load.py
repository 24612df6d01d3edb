"""Finding and reading sources: the layout, its includes, its kernels (tools.md, lib=).

The directories of lib= are searched in order, the directory of the source last. A lib= directory that does not
exist is passed over.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, field

from diag.files import read_source
from diag.report import Reporter, UserError, suggest
from diag.spans import Source, Span
from paint import ast
from paint.grammar import parse

MAX_INCLUDES = 64


@dataclass
class Sources:
    """The files of one layout. `depends` lists every file read, in order, for dependency files."""

    lib: Sequence[str]
    reporter: Reporter
    depends: list[str] = field(default_factory=list)
    _parsed: dict[str, list[ast.Stmt]] = field(default_factory=dict)

    def load(self, path: str) -> tuple[list[ast.Stmt], Source]:
        """The statements of a layout with includes in place. Raises UserError (DG007, DG009) for the file itself;
        what is wrong inside goes to the reporter."""
        source = read_source(path)
        self.depends.append(path)
        return self._expand(source, [path]), source

    def find(self, name: str, home: str) -> str | None:
        """The first file of that name on the lib= path, then in the directory `home`."""
        for directory in self.directories(home):
            candidate = os.path.join(directory, name) if directory else name
            if os.path.isfile(candidate):
                return candidate
        return None

    def directories(self, home: str) -> list[str]:
        """The directories searched, in order, each once."""
        found: dict[str, str] = {}
        for d in (*self.lib, home):
            # "" and "." are one directory, and so are "./parts" and "parts/".
            d = os.path.normpath(d or ".")
            if os.path.isdir(d):
                found.setdefault(os.path.realpath(d), "" if d == "." else d)
        return list(found.values())

    def near(self, name: str, home: str) -> str | None:
        """`did you mean …?` among the files of the searched directories with the same ending."""
        ending = os.path.splitext(name)[1]
        seen: set[str] = set()
        for d in self.directories(home):
            try:
                seen.update(f for f in os.listdir(d or ".") if f.endswith(ending))
            except OSError:
                continue
        return suggest(name, seen)

    def _expand(self, source: Source, chain: list[str]) -> list[ast.Stmt]:
        key = os.path.realpath(source.path)
        if key not in self._parsed:
            self._parsed[key] = parse(source, self.reporter)
        return self._in_place(self._parsed[key], source, chain)

    def _in_place(self, statements: Sequence[ast.Stmt], source: Source, chain: list[str]) -> list[ast.Stmt]:
        found: list[ast.Stmt] = []
        for s in statements:
            if isinstance(s, ast.Include):
                found += self._include(s, source, chain)
            elif isinstance(s, ast.Define) and s.body and any(isinstance(x, ast.Include) for x in s.body):
                body = tuple(self._in_place(s.body, source, chain))
                found.append(ast.Define(s.span, s.name, s.name_span, s.params, body))
            else:
                found.append(s)
        return found

    def _include(self, s: ast.Include, source: Source, chain: list[str]) -> list[ast.Stmt]:
        name = s.path.text
        home = os.path.dirname(source.path)
        path = name if os.path.isabs(name) and os.path.isfile(name) else self.find(name, home)
        if path is None and os.path.dirname(chain[0]) != home:
            path = self.find(name, os.path.dirname(chain[0]))
        if path is None:
            self._missing("PT050", s.path.span, name, home)
            return []
        real = os.path.realpath(path)
        if real in [os.path.realpath(p) for p in chain] or len(chain) >= MAX_INCLUDES:
            way = " -> ".join(os.path.basename(p) for p in [*chain, path])
            self.reporter.report("PT051", s.path.span, way=way)
            return []
        try:
            included = read_source(path)
        except UserError as e:
            for d in e.diagnostics:
                self.reporter.add(d)
            return []
        if path not in self.depends:
            self.depends.append(path)
        return self._expand(included, [*chain, path])

    def _missing(self, code: str, span: Span, name: str, home: str) -> None:
        places = ", ".join(d or "." for d in self.directories(home))
        self.reporter.report(code, span, name=name, places=places, hint=self.near(name, home))

    def kernel(self, name: str, span: Span, home: str) -> str | None:
        """The path of kernel NAME.w, else of NAME.s (assembly), or None (reported, PT110)."""
        path = self.find(f"{name}.w", home) or self.find(f"{name}.s", home)
        if path is None:
            self._missing("PT110", span, f"{name}.w", home)
        return path
