"""The program as a whole: names first, then code in order; queues at the end (tungsten.md 2).

`load` is the front end's one entry: it reads a kernel with its imports, checks it and gives the typed tree.
"""

from __future__ import annotations

import sys
from pathlib import Path

from diag.report import Reporter
from tungsten import ast, tree
from tungsten.check_base import Stop
from tungsten.check_decl import Named
from tungsten.check_func import Functions
from tungsten.check_stmt import KNOWN
from tungsten.flow import is_transfer
from tungsten.imports import Importer

# Trees may be some hundred nodes deep (tungsten.nodes limits them), and each takes a few Python frames.
RECURSION_LIMIT = 20_000


def load(
    path: str | Path,
    lib: list[str] | None = None,
    params: dict[str, str | int | float] | None = None,
    reporter: Reporter | None = None,
) -> tree.Program:
    """Reads, checks and types a kernel.

    `lib` are the directories of imports, `params` bind the kernel's params. Raises UserError with all messages when
    there are errors; warnings stay in the reporter. Leaves Python's recursion limit high enough for readers of
    the tree.
    """
    reporter = reporter if reporter is not None else Reporter()
    sys.setrecursionlimit(max(sys.getrecursionlimit(), RECURSION_LIMIT))
    importer = Importer(lib or [], reporter)
    file, items = importer.load(Path(path))
    reporter.raise_if_errors()
    program = tree.Program(
        name=Path(path).stem,
        path=str(path),
        params={},
        globals=[],
        locals=[],
        sockets=[],
        fifos=[],
        filters=[],
        iterators=[],
        streams=[],
        functions=[],
        body=[],
        background=[],
        teardown=None,
        depends=importer.files,
        span=file.span.point(),
    )
    Checker(program, reporter, dict(params or {})).run(items)
    reporter.raise_if_errors()
    return program


class Checker(Functions):
    """Checks a file's contents into a program."""

    def run(self, items: list[ast.Stmt]) -> None:
        self.named: dict[int, list[Named]] = {}
        self.main: ast.Main | None = None
        self.numbers = {id(item): number for number, item in enumerate(items)}
        for item in items:
            for name in declared(item):
                self.later.setdefault(name.name, name.span)
        for number, item in enumerate(items):
            self.order = number
            try:
                self._names(item)
            except Stop:
                continue
        self.program.body = self.statements(items, self._top)
        self.order = len(items)
        self.check_unused()
        self.check_bindings()
        self.assign_queues()

    def _names(self, item: ast.Stmt) -> None:
        """First step: what an item declares."""
        options: list[ast.Option] = []
        while isinstance(item, ast.Optioned) and item.body is not None:
            options += item.options
            item = item.body
        if isinstance(item, ast.Decl):
            self.named[id(item)] = self.name_items(item, "global")
        elif isinstance(item, ast.RecordDef):
            self.define_record(item)
        elif isinstance(item, ast.Typedef):
            self.typedef(item)
        elif isinstance(item, ast.Let):
            self.let(item)
        elif isinstance(item, ast.FunctionDef):
            self.declare_function(item, {option.key: option.value for option in options if option.key in KNOWN})

    def _top(self, item: ast.Stmt) -> list[tree.Stmt]:
        """Second step: code, in order."""
        self.order = self.numbers[id(item)]
        made = self.statement(item)
        for one in made:
            if isinstance(one, tree.ForAll) and any(r.high is None for r in one.ranges) and is_transfer(one):
                self.program.background.append(one)
        return made

    def statement(self, node: ast.Stmt) -> list[tree.Stmt]:
        if self.scope is self.top:
            if isinstance(node, ast.RecordDef | ast.Typedef | ast.Let | ast.FunctionDef):
                return []  # done in the first step
            if isinstance(node, ast.Main):
                if self.main is not None:
                    self.fail("TW218", node.span, notes=[(self.main.span, "the first one")])
                self.main = node
                return self.statement(node.body)
        return super().statement(node)

    def _decl(self, node: ast.Decl) -> list[tree.Stmt]:
        named = self.named.pop(id(node), None)
        if named is None:
            return [] if self.scope is self.top else super()._decl(node)
        return [made for one in named for made in self.initialise_global(one)]


def declared(item: ast.Stmt) -> list[ast.Name]:
    """The names that a top-level item declares, functions left out."""
    while isinstance(item, ast.Optioned) and item.body is not None:
        item = item.body
    if isinstance(item, ast.Decl | ast.Typedef):
        return [one.name for one in item.items]
    return [item.name] if isinstance(item, ast.Let) else []
