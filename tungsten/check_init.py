"""Initialisers: braces that nest and zero-fill, fields by name, the words of constant ones (tungsten.md 3)."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass

from diag.report import suggest
from diag.spans import Span
from tungsten import ast, tree, values
from tungsten.check_base import Stop
from tungsten.check_expr import Exprs
from tungsten.check_types import alike
from tungsten.scope import Hardware
from tungsten.types import STREAM, U16, U64, WV, XP, Array, Field, Record, Scalar, Type

Path = tuple[int | Field, ...]


@dataclass(eq=False)
class Cell:
    """One initialised part: where it lies and what goes there."""

    path: Path
    offset: int
    value: tree.Expr


def unparen(node: ast.Expr) -> ast.Expr:
    while isinstance(node, ast.Paren):
        node = node.inner
    return node


class Inits(Exprs):
    """Initialisers of variables."""

    def assignable(self, node: ast.Expr, target: Scalar) -> tree.Expr:
        """The value of an expression for a place of a type; u64 and stream also take descriptors."""
        if target is U64 or target is STREAM:
            captured = self.capture(node)
            if captured is not None:
                return captured
        return self.to(self.expr(node), target)

    def capture(self, node: ast.Expr) -> tree.Expr | None:
        """The descriptor of a socket or an iterator that an expression names, else None (tungsten.md 6)."""
        name = unparen(node)
        if not isinstance(name, ast.Name):
            return None
        entity = self.scope.find(name.name)
        if not isinstance(entity, Hardware) or not isinstance(entity.object, tree.Socket | tree.Iterator):
            return None
        self.lookup(name)
        source = entity.object
        if isinstance(source, tree.Socket):
            if source.dir is None:
                notes = [(entity.span, "declared here without dir")]
                hint = f"socket {name.name} [[dir=in]];"
                self.fail("TW080", name.span, name=name.name, notes=notes, hint=hint)
            self.use(source.receives if source.dir == "in" else source.sends, name.span)
        return tree.Capture(node.span, U64, source)

    def initialise(self, symbol: tree.Symbol, init: ast.Init) -> tuple[list[int] | None, list[Cell]]:
        """The constant words of an initialiser, zero-filled, and the cells that are not constant.

        The words are None when nothing is constant and nothing needs a zero: a scalar, or a copy of a whole.
        """
        type_ = symbol.type
        cells: list[Cell] = []
        self._fill(type_, init, (), 0, cells)
        rest = [cell for cell in cells if not isinstance(cell.value, tree.Const)]
        if len(rest) == 1 and rest[0].path == ():
            return None, rest
        words = [0] * type_.words
        for cell in cells:
            if isinstance(cell.value, tree.Const):
                part = values.word_list(cell.value.bits, self.scalar(cell.value))
                words[cell.offset : cell.offset + len(part)] = part
        return words, rest

    def assigns(self, symbol: tree.Symbol, cells: list[Cell]) -> list[tree.Stmt]:
        """The assignments of the cells that are not constant."""
        made: list[tree.Stmt] = []
        for cell in cells:
            place = self.place_at(symbol, cell.path, cell.value.span)
            made.append(tree.Assign(cell.value.span, self.options, place, cell.value))
        return made

    def place_at(self, symbol: tree.Symbol, path: Path, span: Span) -> tree.LValue:
        """The part of a variable at a path."""
        place: tree.LValue = tree.Var(span, symbol.type, symbol)
        indices: list[tree.Expr] = []
        type_: Type = symbol.type
        for step in path:
            if isinstance(step, Field):
                if indices:
                    place, indices = tree.Index(span, type_, place, indices), []
                place = tree.Member(span, step.type, place, step.name, step.offset)
                type_ = step.type
            else:
                assert isinstance(type_, Array)
                indices.append(tree.Const(span, XP if step < 0x8000 else U16, step))
                type_ = type_.inner()
        return tree.Index(span, type_, place, indices) if indices else place

    # -- filling --------------------------------------------------------------------------------------------

    def _fill(self, type_: Type, init: ast.Init, path: Path, offset: int, cells: list[Cell]) -> None:
        if isinstance(init, ast.Walk):
            self.fail("TW081", init.span)
        if isinstance(type_, Scalar):
            cells.append(Cell(path, offset, self._scalar_init(type_, init)))
        elif isinstance(init, ast.Braces):
            self._braces(type_, init, path, offset, cells)
        else:
            value = self._whole(init)
            if value is None or not alike(value.type, type_):
                hint = "write braces: {…}" if isinstance(type_, Array) else "write {.member = …}"
                found = value.type if value is not None else "a number"
                self.fail("TW082", init.span, type=type_, found=found, hint=hint)
            cells.append(Cell(path, offset, value))

    def _whole(self, init: ast.Expr) -> tree.Expr | None:
        """The value of an expression when it is a whole array or record, or typed at all."""
        value = self.expr(init)
        return value if isinstance(value, tree.Node) else None

    def _scalar_init(self, type_: Scalar, init: ast.Init) -> tree.Expr:
        if isinstance(init, ast.Braces):
            items = init.items
            if type_ is WV and len(items) == 2 and all(name is None for name, _ in items):
                return self._wavelet_init(init)
            if len(items) == 1 and items[0][0] is None:
                return self._scalar_init(type_, items[0][1])
            self.fail("TW083", init.span, type=type_, found=len(items))
        assert not isinstance(init, ast.Walk)
        return self.assignable(init, type_)

    def _wavelet_init(self, init: ast.Braces) -> tree.Expr:
        """`{low16, high16}`"""
        parts: list[tree.Expr] = []
        for _, item in init.items:
            if isinstance(item, ast.Braces | ast.Walk):
                self.fail("TW083", item.span, type=U16, found=2)
            parts.append(self.to(self.expr(item), U16))
        low, high = parts
        if isinstance(low, tree.Const) and isinstance(high, tree.Const):
            return tree.Const(init.span, WV, high.bits << 16 | low.bits)
        return tree.Wavelet(init.span, WV, low, high)

    def _braces(
        self, type_: Array | Record, init: ast.Braces, path: Path, offset: int, cells: list[Cell]
    ) -> None:
        if isinstance(type_, Record) and any(name is not None for name, _ in init.items):
            self._by_name(type_, init, path, offset, cells)
            return
        for name, _ in init.items:
            if name is not None:
                self.fail("TW084", name.span, name=name.name, type=type_)
        items = deque(value for _, value in init.items)
        self._from_list(type_, items, path, offset, cells)
        if items:
            room = len(init.items) - len(items)
            self.fail("TW085", items[0].span, type=type_, room=room, found=len(init.items))

    def _from_list(
        self, type_: Array | Record, items: deque[ast.Init], path: Path, offset: int, cells: list[Cell]
    ) -> None:
        """Takes the parts of an aggregate from a list; inner braces may be left out."""
        parts: list[tuple[int | Field, Type, int]]
        if isinstance(type_, Array):
            inner = type_.inner()
            count = min(type_.dims[0].extent or 0, len(items))
            parts = [(i, inner, i * inner.words) for i in range(count)]
        else:
            fields = type_.fields[:1] if type_.kind == "union" else type_.fields
            parts = [(field, field.type, field.offset) for field in fields]
        for step, part, place in parts:
            if not items:
                return
            here = (*path, step)
            item = items[0]
            if isinstance(part, Scalar) or isinstance(item, ast.Braces | ast.Walk) or self._fits(item, part):
                items.popleft()
                self._fill(part, item, here, offset + place, cells)
            else:
                self._from_list(part, items, here, offset + place, cells)

    def _fits(self, item: ast.Expr, type_: Type) -> bool:
        """Whether an item is a variable or element of the whole type."""
        if not isinstance(item, ast.Name | ast.Subscript | ast.Select):
            return False
        try:
            value = self.expr(item)
        except Stop:
            return False
        return isinstance(value, tree.Node) and alike(value.type, type_)

    def _by_name(self, type_: Record, init: ast.Braces, path: Path, offset: int, cells: list[Cell]) -> None:
        seen: dict[str, Span] = {}
        for name, value in init.items:
            if name is None:
                self.fail("TW086", value.span)
            field = type_.field(name.name)
            if field is None:
                hint = suggest(name.name, [f.name for f in type_.fields])
                self.fail("TW069", name.span, type=type_, name=name.name, hint=hint)
            if name.name in seen:
                notes = [(seen[name.name], "set here before")]
                self.fail("TW087", name.span, name=name.name, notes=notes)
            seen[name.name] = name.span
            self._fill(field.type, value, (*path, field), offset + field.offset, cells)
