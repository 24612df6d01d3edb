"""Places: variables, elements, members, base addresses, and the reads of sockets and their kin.

Source: tungsten.md 3 (bounds, `.base`, members), 5 and 6 (reads).
"""

from __future__ import annotations

from diag.report import suggest
from diag.spans import Span
from tungsten import ast, tree, values
from tungsten.check_base import Pending, Value, count
from tungsten.check_types import WIRE
from tungsten.check_values import Values
from tungsten.scope import Alias, Entity, Hardware, LetRange, Routine, Variable
from tungsten.types import STREAM, U16, XP, Array, Record, Scalar


class Places(Values):
    """Names, subscripts and members."""

    def place_named(self, node: ast.Name, entity: Entity) -> Value:
        """A name that is no constant, as a value or a place."""
        if isinstance(entity, Variable):
            return tree.Var(node.span, entity.symbol.type, entity.symbol)
        if isinstance(entity, LetRange):
            return self._index_of(node, entity)
        notes = [(entity.span, "declared here")]
        if isinstance(entity, Hardware):
            source = entity.object
            if isinstance(source, tree.StreamVar):
                return tree.Var(node.span, STREAM, source.symbol)
            hint = f"a read is written {node.name}[]" if not isinstance(source, tree.Filter) else None
            self.fail("TW060", node.span, name=node.name, what=entity.what, hint=hint, notes=notes)
        if isinstance(entity, Routine):
            hint = f"a call is written {node.name}(…)"
            self.fail("TW060", node.span, name=node.name, what="function", hint=hint, notes=notes)
        assert isinstance(entity, Alias)
        self.fail("TW060", node.span, name=node.name, what="type", notes=notes)

    def _index_of(self, node: ast.Name, entity: LetRange) -> tree.Expr:
        if entity.active:
            symbol = entity.active[-1]
            return tree.Var(node.span, symbol.type, symbol)
        if self.probing:
            return tree.Var(node.span, XP, tree.Symbol(node.name, XP, entity.span, "index"))
        self.fail("TW061", node.span, name=node.name, notes=[(entity.span, "the range is declared here")])

    def place(self, node: ast.Subscript | ast.Select, reads: Scalar | None) -> Value:
        """An element, a member, a base address or a read."""
        if isinstance(node, ast.Select):
            return self._select(node)
        subscripts: list[ast.Subscript] = []
        base: ast.Expr = node
        while isinstance(base, ast.Subscript):
            subscripts.append(base)
            base = base.base
        subscripts.reverse()
        if isinstance(base, ast.Name):
            entity = self.lookup(base)
            if isinstance(entity, Hardware):
                return self._read(node, base, entity, subscripts, reads)
        for subscript in subscripts:
            if subscript.index is None:
                self.fail("TW062", brackets(subscript))
        return self._element(node, self.lvalue(base), subscripts)

    def lvalue(self, node: ast.Expr) -> tree.LValue:
        """A variable, element or member; anything else is TW063."""
        if not isinstance(node, ast.Name | ast.Subscript | ast.Select):
            self.fail("TW063", node.span)
        value = self.expr(node)
        if not isinstance(value, tree.Var | tree.Index | tree.Member):
            self.fail("TW063", node.span)
        return value

    # -- elements -------------------------------------------------------------------------------------------

    def _element(self, node: ast.Expr, base: tree.LValue, subscripts: list[ast.Subscript]) -> tree.Expr:
        type_ = base.type
        if not isinstance(type_, Array):
            notes = self._declared(base)
            self.fail("TW064", brackets(subscripts[0]), type=type_, notes=notes)
        if len(subscripts) > len(type_.dims):
            extra = subscripts[len(type_.dims)]
            notes = self._declared(base)
            found, dims = count(len(subscripts), "subscript"), count(len(type_.dims), "dimension")
            self.fail("TW065", brackets(extra), found=found, dims=dims, notes=notes)
        indices: list[tree.Expr] = []
        for subscript, dim in zip(subscripts, type_.dims, strict=False):
            assert subscript.index is not None
            index = self.integer(subscript.index, "a subscript")
            self._bounds(index, dim.extent, dim.name, base)
            indices.append(index)
        rest = type_.dims[len(indices) :]
        element = Array(type_.elem, rest) if rest else type_.elem
        made = tree.Index(node.span, element, base, indices)
        return self._constant_element(made) or made

    def _constant_element(self, node: tree.Index) -> tree.Const | None:
        """The value of an element of a const array at constant subscripts."""
        if not isinstance(node.base, tree.Var) or not isinstance(node.type, Scalar):
            return None
        words = self.const_arrays.get(node.base.symbol)
        array = node.base.type
        if words is None or not isinstance(array, Array):
            return None
        position = 0
        for index, dim in zip(node.indices, array.dims, strict=True):
            if not isinstance(index, tree.Const):
                return None
            position = position * (dim.extent or 0) + int(values.decode(index.bits, self.scalar(index)))
        size = node.type.words
        cells = words[position * size : (position + 1) * size]
        return tree.Const(node.span, node.type, sum(w << 16 * i for i, w in enumerate(cells)))

    def _declared(self, base: tree.LValue) -> list[tuple[Span, str]]:
        """A note about the variable below a place."""
        inner: tree.Expr = base
        while isinstance(inner, tree.Index | tree.Member):
            inner = inner.base
        if isinstance(inner, tree.Var):
            return [self.note_of(inner.symbol.span, inner.symbol.type)]
        return []

    def _bounds(self, index: tree.Expr, extent: int | None, axis: str, base: tree.LValue) -> None:
        """A constant outside the dimension is an error, a loop that leaves it a warning; code that never runs has
        neither."""
        if extent is None or self.frame.dead:
            return
        if isinstance(index, tree.Const):
            value = int(values.decode(index.bits, self.scalar(index)))
            if not 0 <= value < extent:
                self.fail("TW066", index.span, value=value, extent=extent, axis=axis, notes=self._declared(base))
            return
        if self.frame.guards:
            return
        reach = self.interval(index)
        if reach is not None and (reach[0] < 0 or reach[1] >= extent):
            value = reach[0] if reach[0] < 0 else reach[1]
            self.report("TW067", index.span, value=value, extent=extent, axis=axis, notes=self._declared(base))

    def interval(self, node: tree.Expr) -> tuple[int, int] | None:
        """The least and greatest value of an expression of loop indices and constants, where they are known."""
        if isinstance(node, tree.Const):
            type_ = node.type
            if isinstance(type_, Scalar) and type_.is_integer:
                value = int(values.decode(node.bits, type_))
                return value, value
        elif isinstance(node, tree.Var):
            return self.ranges.get(node.symbol)
        elif isinstance(node, tree.Cast):
            inner = self.interval(node.operand)
            if inner is not None and isinstance(node.type, Scalar) and node.type.is_integer:
                low, high = values.bounds(node.type)
                return inner if low <= inner[0] and inner[1] <= high else None
        elif isinstance(node, tree.Binary) and node.op in "+-*":
            a, b = self.interval(node.left), self.interval(node.right)
            if a is None or b is None:
                return None
            if node.op == "+":
                return a[0] + b[0], a[1] + b[1]
            if node.op == "-":
                return a[0] - b[1], a[1] - b[0]
            corners = [x * y for x in a for y in b]
            return min(corners), max(corners)
        return None

    # -- members --------------------------------------------------------------------------------------------

    def _select(self, node: ast.Select) -> tree.Expr:
        if isinstance(node.base, ast.Name):
            entity = self.lookup(node.base)
            if isinstance(entity, Hardware) and not isinstance(entity.object, tree.StreamVar):
                notes = [(entity.span, "declared here")]
                self.fail("TW068", node.member.span, name=node.member.name, what=entity.what, notes=notes)
        base = self.lvalue(node.base)
        type_ = base.type
        if isinstance(type_, Record):
            field = type_.field(node.member.name)
            if field is None:
                hint = suggest(node.member.name, [f.name for f in type_.fields])
                notes = self._declared(base)
                self.fail("TW069", node.member.span, type=type_, name=node.member.name, hint=hint, notes=notes)
            return tree.Member(node.span, field.type, base, field.name, field.offset)
        if node.member.name == "base" and isinstance(base, tree.Var) and isinstance(type_, Array):
            base.symbol.base_read = True
            return tree.BaseOf(node.span, U16, base.symbol)
        hint = "the base address is that of a whole array" if node.member.name == "base" else None
        if isinstance(type_, Array) and isinstance(type_.elem, Record):
            hint = "take an element first: a[i].member"
        self.fail("TW070", node.member.span, name=node.member.name, type=type_, hint=hint, notes=self._declared(base))

    # -- reads ----------------------------------------------------------------------------------------------

    def _read(
        self,
        node: ast.Subscript,
        base: ast.Name,
        entity: Hardware,
        subscripts: list[ast.Subscript],
        reads: Scalar | None,
    ) -> Value:
        source = entity.object
        notes = [(entity.span, "declared here")]
        if isinstance(source, tree.Filter):
            self.fail("TW060", base.span, name=base.name, what="filter", notes=notes)
        if len(subscripts) > 1 or subscripts[0].index is not None:
            inner = subscripts[0].index
            at = inner.span if inner is not None else subscripts[1].span
            self.fail("TW071", at, name=base.name, what=entity.what, notes=notes)
        if isinstance(source, tree.Socket):
            if source.dir == "out":
                self.fail("TW072", node.span, name=source.name, notes=notes)
            self.use(source.receives, node.span)
        type_ = source.elem if source.elem is not None else reads
        if type_ is None:
            return Pending(node.span, node, node.span)
        if type_ not in WIRE and isinstance(source, tree.Socket | tree.StreamVar):
            self.fail("TW042", node.span, type=type_)
        return tree.Recv(node.span, type_, source)

    def use(self, places: list[Span], span: Span) -> None:
        """Notes a send or receive, once a place, in code that can run."""
        if self.recording and span not in places:
            places.append(span)


def brackets(node: ast.Subscript) -> Span:
    """The place of `[…]` without what is before it."""
    return Span(node.span.source, node.base.span.end, node.span.end)
