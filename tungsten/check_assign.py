"""Assignments: to memory, sockets, base addresses, streams; accumulates and the dot product (tungsten.md 4, 5)."""

from __future__ import annotations

from contextlib import suppress

from tungsten import ast, tree
from tungsten.check_base import Pending, Stop, Untyped
from tungsten.check_decl import Decls
from tungsten.check_init import unparen
from tungsten.check_types import WIRE, alike, common
from tungsten.flow import has_effect
from tungsten.scope import Constant, Hardware, LetRange, Routine
from tungsten.types import HP, SP, STREAM, U16, U32, WV, Scalar


class Assigns(Decls):
    """Statements with an arrow."""

    def assign(self, node: ast.Assign) -> tree.Stmt:
        target = node.target
        if isinstance(target, ast.Subscript) and target.index is None and isinstance(target.base, ast.Name):
            entity = self.lookup(target.base)
            if isinstance(entity, Hardware):
                return self._send(node, target.base, entity)
        if isinstance(target, ast.Select):
            special = self._special(node, target)
            if special is not None:
                return special
        try:
            place = self._target(target)
        except Stop:
            self._names_too(node.value)
            raise
        if isinstance(unparen(node.value), ast.Sum):
            return self._dot(node, place)
        if isinstance(place, tree.StreamVar):
            return self._retarget(node, place)
        if not isinstance(place.type, Scalar):
            return self._copy(node, place)
        if node.view is not None:
            return self._viewed(node, place, place.type)
        if node.op != "=":
            return self._accumulate(node, place, place.type)
        return tree.Assign(node.span, self.options, place, self.assignable(node.value, place.type))

    def _names_too(self, value: ast.Expr) -> None:
        """The place is wrong already; what is wrong in the value is told in the same run."""
        whole = unparen(value)
        called = whole.function if isinstance(whole, ast.Apply) else None
        if isinstance(whole, ast.Sum) or isinstance(called, ast.Name) and called.name in ("control", "wavelet"):
            return  # these need a place to be judged
        with suppress(Stop):
            self.expr(value)

    # -- destinations ---------------------------------------------------------------------------------------

    def _target(self, node: ast.Expr) -> tree.LValue | tree.StreamVar:
        """A place that may be written (TW150 to TW152)."""
        if isinstance(node, ast.Name):
            entity = self.lookup(node)
            notes = [(entity.span, "declared here")]
            if isinstance(entity, Constant):
                self.fail("TW150", node.span, name=node.name, what=entity.what, notes=notes)
            if isinstance(entity, Hardware):
                if isinstance(entity.object, tree.StreamVar):
                    return entity.object
                hint = f"a send is written {node.name}[] <- …" if isinstance(entity.object, tree.Socket) else None
                self.fail("TW151", node.span, name=node.name, what=entity.what, hint=hint, notes=notes)
            if isinstance(entity, Routine | LetRange):
                self.fail("TW151", node.span, name=node.name, what=entity.what, notes=notes)
        place = self.lvalue_or_constant(node)
        inner: tree.Expr = place
        while isinstance(inner, tree.Index | tree.Member):
            inner = inner.base
        if isinstance(inner, tree.Var):
            symbol = inner.symbol
            notes = [(symbol.span, "declared here")]
            if symbol.storage == "index":
                self.fail("TW151", node.span, name=symbol.name, what="loop index", notes=notes)
            if symbol in self.const_arrays:
                self.fail("TW150", node.span, name=symbol.name, what="constant", notes=notes)
        return place

    def lvalue_or_constant(self, node: ast.Expr) -> tree.LValue:
        """A place; an element of a const array, which folds, is reported as such."""
        base: ast.Expr = node
        while isinstance(base, ast.Subscript | ast.Select):
            base = base.base
        if isinstance(base, ast.Name) and base is not node:
            entity = self.scope.find(base.name)
            symbol = getattr(entity, "symbol", None)
            if symbol is not None and symbol in self.const_arrays:
                notes = [(symbol.span, "declared here")]
                self.fail("TW150", base.span, name=base.name, what="constant", notes=notes)
        return self.lvalue(node)

    def _special(self, node: ast.Assign, target: ast.Select) -> tree.Stmt | None:
        """`x.base = p` and `it.len = n`."""
        if isinstance(target.base, ast.Name):
            entity = self.lookup(target.base)
            if isinstance(entity, Hardware) and isinstance(entity.object, tree.Iterator):
                if target.member.name == "len":
                    self._plain_op(node, "a length")
                    value = self.to(self.expr(node.value), U16)
                    return tree.SetLength(node.span, self.options, entity.object, value)
        value_node = self.expr(target)
        if not isinstance(value_node, tree.BaseOf):
            return None
        self._plain_op(node, "a base address")
        value_node.symbol.rebased = True
        return tree.Assign(node.span, self.options, value_node, self.to(self.expr(node.value), U16))

    def _plain_op(self, node: ast.Assign, what: str) -> None:
        if node.op != "=":
            self.fail("TW153", node.op_span, op=node.op, what=what)
        if node.view is not None:
            self.fail("TW154", node.view.span)

    def _retarget(self, node: ast.Assign, stream: tree.StreamVar) -> tree.Stmt:
        self._plain_op(node, "a stream")
        return tree.Assign(node.span, self.options, stream, self.assignable(node.value, STREAM))

    def _copy(self, node: ast.Assign, place: tree.LValue) -> tree.Stmt:
        """Whole structs and arrays are copied."""
        self._plain_op(node, "a whole struct or array")
        value = self.expr(node.value)
        if not isinstance(value, tree.Node) or not alike(value.type, place.type):
            found = value.type if isinstance(value, tree.Node) else "a number"
            notes = self._declared(place)
            self.fail("TW155", node.value.span, type=place.type, found=found, notes=notes)
        return tree.Assign(node.span, self.options, place, value)

    def _viewed(self, node: ast.Assign, place: tree.LValue, elem: Scalar) -> tree.Stmt:
        """`type:place = e`: the place holds the bits of the value in that type."""
        assert node.view is not None
        self._plain_op_only(node)
        view = self.scalar_named(node.view)
        if view.words != elem.words:
            self.fail("TW156", node.view.span, view=view, type=elem, notes=self._declared(place))
        value = self.to(self.expr(node.value), view)
        if view != elem:
            raw = value if view is WV else self.cast(value, WV)
            value = raw if elem is WV else self.cast(raw, elem)
        return tree.Assign(node.span, self.options, place, value)

    def _plain_op_only(self, node: ast.Assign) -> None:
        if node.op != "=":
            self.fail("TW153", node.op_span, op=node.op, what="a place with a type before it")

    # -- accumulates ----------------------------------------------------------------------------------------

    def _accumulate(self, node: ast.Assign, place: tree.LValue, type_: Scalar) -> tree.Stmt:
        """`y += e`; with a product on the right of a float place one fused step an element."""
        op = node.op[0]
        if type_ is WV or type_ is STREAM:
            self.fail("TW044", node.target.span, op=f"'{node.op}'", type=type_)
        product = node.value
        if op in "+-" and type_.is_float and isinstance(product, ast.Binary) and product.op == "*":
            return self._fused_accumulate(node, place, type_, op, product)
        value = self.expr(node.value)
        if isinstance(value, Untyped):
            kind = SP if value.floating and not type_.is_float else type_
            value = self.literal(value, kind)
        value = self.settle(value, type_)
        wide = common(type_, self.numeric(value, f"'{node.op}'"))
        if wide == type_ or not wide.is_float:
            # Whole numbers wrap, so that narrowing before or after is the same.
            return tree.Accumulate(node.span, self.options, place, op, self.cast(value, type_))
        self._no_effects(place)
        result = self.make_binary(node.span, op, self.cast(place, wide), self.cast(value, wide), wide)
        return tree.Assign(node.span, self.options, place, self.cast(result, type_))

    def _fused_accumulate(
        self, node: ast.Assign, place: tree.LValue, type_: Scalar, op: str, product: ast.Binary
    ) -> tree.Stmt:
        a, b = self._typed_reads(product.left, product.right, *self.both(product.left, product.right, None))
        factors = []
        for value in (a, b):
            typed = self.settle(value, type_)
            self.numeric(typed, "'*'")
            factors.append(self.cast(typed, type_))
        return tree.Accumulate(node.span, self.options, place, op, None, (factors[0], factors[1]))

    def _no_effects(self, place: tree.LValue) -> None:
        """A place that is read and written by two nodes must not have reads or calls in its subscripts."""
        inner: tree.Expr = place
        while isinstance(inner, tree.Index | tree.Member):
            if isinstance(inner, tree.Index):
                for index in inner.indices:
                    if has_effect(index):
                        self.fail("TW157", index.span)
            inner = inner.base

    # -- the dot product ------------------------------------------------------------------------------------

    def _dot(self, node: ast.Assign, place: tree.LValue | tree.StreamVar) -> tree.Stmt:
        """`acc = ∑ a*b`: fp32, fused, in index order."""
        whole = unparen(node.value)
        assert isinstance(whole, ast.Sum)
        if node.op != "=":
            hint = "go on from the accumulator with [[dot.state(on)]]"
            self.fail("TW158", node.op_span, op=node.op, hint=hint)
        if isinstance(place, tree.StreamVar) or not isinstance(place.type, Scalar) or not place.type.is_float:
            type_ = STREAM if isinstance(place, tree.StreamVar) else place.type
            self.fail("TW159", node.target.span, type=type_)
        term = whole.operand
        keep = self.options.get("dot.state") == "on"
        no_load = self.options.get("dot.load") == "off"
        parts: list[tree.Expr]
        if isinstance(term, ast.Binary) and term.op == "*":
            a, b = self._typed_reads(term.left, term.right, *self.both(term.left, term.right, None))
            parts = [self.settle(v, HP if self._beside_hp(v, a, b) else SP) for v in (a, b)]
        else:
            parts = [self.settle(self.expr(term), SP)]
        for part in parts:
            self.numeric(part, "'∑'")
        if not all(part.type is HP for part in parts):
            parts = [self.cast(part, SP) for part in parts]
        return tree.Dot(
            node.span, self.options, place, parts[0], parts[1] if len(parts) > 1 else None, keep, no_load
        )

    def _beside_hp(self, value: object, a: object, b: object) -> bool:
        """Whether a literal stands beside an hp operand, to which it adapts."""
        other = b if value is a else a
        return isinstance(value, Untyped) and isinstance(other, tree.Node) and other.type is HP

    # -- sends ----------------------------------------------------------------------------------------------

    def _send(self, node: ast.Assign, name: ast.Name, entity: Hardware) -> tree.Stmt:
        """`tx[] <- e`: one element, typed by the socket, the `type:` prefix, or e."""
        dest = entity.object
        notes = [(entity.span, "declared here")]
        if not isinstance(dest, tree.Socket | tree.Fifo):
            self.fail("TW160", node.target.span, what=entity.what, notes=notes)
        if node.op != "=":
            self.fail("TW153", node.op_span, op=node.op, what=f"a {entity.what}")
        if isinstance(dest, tree.Socket):
            if dest.dir == "in":
                self.fail("TW161", node.target.span, name=dest.name, notes=notes)
            self.use(dest.sends, node.target.span)
        view = None
        if node.view is not None:
            view = self.scalar_named(node.view)
            if view not in WIRE:
                self.fail("TW042", node.view.span, type=view)
        value, control = self._sent(node, view or dest.elem, isinstance(dest, tree.Fifo))
        if control and isinstance(dest, tree.Fifo):
            self.fail("TW162", node.value.span, notes=notes)
        return tree.Send(node.span, self.options, dest, value, control)

    def _sent(self, node: ast.Assign, type_: Scalar | None, fifo: bool) -> tuple[tree.Expr, bool]:
        whole = unparen(node.value)
        if isinstance(whole, ast.Sum):
            self.fail("TW057", whole.span)
        if isinstance(whole, ast.Apply) and isinstance(whole.function, ast.Name):
            intrinsic = whole.function.name if self.scope.find(whole.function.name) is None else ""
            if intrinsic == "control":
                return self._control(whole), True
            if intrinsic == "wavelet" and not fifo:
                if len(whole.args) != 2:
                    self.fail("TW054", whole.span, name="wavelet", wanted="2 arguments", found=len(whole.args))
                return self.wavelet(whole, type_ if type_ is not None and type_.words == 1 else None), False
        value = self.expr(node.value)
        if type_ is None and isinstance(value, Pending):
            type_ = WV if value.read is not None else None  # a relay moves whole wavelets
        if type_ is not None:
            return self.to(value, type_), False
        typed = self.settle(value, None)
        kind = self.scalar(typed)
        if kind not in WIRE:
            self.fail("TW042", typed.span, type=kind)
        return typed, False

    def _control(self, node: ast.Apply) -> tree.Expr:
        if len(node.args) != 1:
            self.fail("TW054", node.span, name="control", wanted="1 argument", found=len(node.args))
        word = self.settle(self.expr(node.args[0]), WV)
        type_ = self.scalar(word)
        if type_ is U32:
            return self.cast(word, WV)
        if type_ is not WV:
            hint = "declare it wv w = {low16, high16};"
            self.fail("TW163", word.span, type=type_, hint=hint)
        return word
