"""Declarations: variables, constants, params, typedefs, ranges (tungsten.md 2, 3).

A declaration has two steps. Naming it makes its symbol, so that its name is known even when the initialiser is
wrong; initialising it makes the words of the image or the statements that set it. At the top level all names come
first, so that functions may use what is declared behind them.
"""

from __future__ import annotations

from dataclasses import dataclass

from diag.report import suggest
from tungsten import ast, tree, values
from tungsten.check_base import Stop, Untyped
from tungsten.check_hardware import HardwareObjects
from tungsten.check_types import array_of
from tungsten.scope import Alias, Constant, LetRange, Variable
from tungsten.types import STREAM, Array, Scalar, Type

LAST_ADDRESS = 0xFFFF


@dataclass(eq=False)
class Named:
    """A variable whose initialiser is still to be looked at."""

    item: ast.Item
    symbol: tree.Symbol


class Decls(HardwareObjects):
    """Declarations, at the top level and in blocks."""

    def name_items(self, decl: ast.Decl, storage: str) -> list[Named]:
        """The first step for all items of a declaration."""
        if decl.role in ("socket", "fifo", "filter", "iterator"):
            self.hardware(decl)
            return []
        try:
            type_ = self.type_of(decl.type) if decl.type is not None else None
        except Stop:
            for item in decl.items:
                self.broken(item.name)
            return []
        found: list[Named] = []
        for item in decl.items:
            try:
                for option in item.options:
                    self.report("TW095", option.span, name=option.key)
                if decl.role in ("const", "param"):
                    self._fixed(decl, item, type_, storage)
                else:
                    assert type_ is not None
                    found.append(self._variable(item, type_, storage))
            except Stop:
                self.broken(item.name)
        return found

    # -- variables ------------------------------------------------------------------------------------------

    def _variable(self, item: ast.Item, type_: Type, storage: str) -> Named:
        full = self.sized(array_of(type_, self.dims(item.dims)), item.name.span)
        symbol = tree.Symbol(item.name.name, full, item.name.span, storage)
        if item.address is not None:
            self._at_address(item, item.address, symbol)
        if item.bank is not None:
            self._in_bank(item, item.bank, symbol)
        if full is STREAM:
            stream = tree.StreamVar(symbol.name, None, symbol, symbol.span)
            if self._declare_hardware(item, "stream", stream):
                self.program.streams.append(stream)
        else:
            self.declare(Variable(symbol.name, symbol.span, symbol=symbol, order=self.order))
        if storage == "global":
            self.program.globals.append(symbol)
        else:
            self.frame.locals.append(symbol)
        return Named(item, symbol)

    def _at_address(self, item: ast.Item, node: ast.Expr, symbol: tree.Symbol) -> None:
        if item.alias:
            symbol.alias = self._alias(node, symbol)
            return
        address = self.constant_int(node, "an address")
        if not 0 <= address <= LAST_ADDRESS:
            self.fail("TW130", node.span, address=hex(address))
        if address % symbol.type.align:
            self.fail("TW131", node.span, address=hex(address), type=symbol.type)
        symbol.address = address

    def _alias(self, node: ast.Expr, symbol: tree.Symbol) -> tuple[tree.Symbol, int]:
        """The variable of `address(&x)` and an offset in words."""
        place = self.lvalue(node)
        offset = 0
        inner: tree.Expr = place
        while not isinstance(inner, tree.Var):
            if isinstance(inner, tree.Member):
                offset += inner.offset
                inner = inner.base
            elif isinstance(inner, tree.Index):
                offset += self._element_offset(inner)
                inner = inner.base
            else:
                self.fail("TW063", node.span)
        target = inner.symbol
        if target.by_reference or target.storage in ("param", "index"):
            self.fail("TW132", node.span, name=target.name, notes=[(target.span, "declared here")])
        root, start, alias = target, offset, target.alias
        while alias is not None:
            root, start = alias[0], start + alias[1]
            alias = root.alias
        if ((root.address or 0) + start) % symbol.type.align:
            notes = [self.note_of(target.span, target.type)]
            self.fail("TW131", node.span, address=f"&{node.span.text}", type=symbol.type, notes=notes)
        root.align = max(root.align, symbol.type.align)
        return target, offset

    def _element_offset(self, node: tree.Index) -> int:
        array = node.base.type
        assert isinstance(array, Array)
        offset = 0
        for index in node.indices:
            if not isinstance(index, tree.Const):
                self.fail("TW046", index.span, what="an address")
            inner = array.inner() if isinstance(array, Array) else array
            offset += int(values.decode(index.bits, self.scalar(index))) * inner.words
            array = inner
        return offset

    def _in_bank(self, item: ast.Item, node: ast.Expr, symbol: tree.Symbol) -> None:
        bank = self.constant_int(node, "a bank")
        if not 0 <= bank <= 3:
            self.fail("TW133", node.span, bank=bank)
        if item.address is not None:
            notes = [(item.address.span, "it has an address here")]
            self.fail("TW134", node.span, name=symbol.name, notes=notes)
        symbol.bank = bank

    def initialise_global(self, named: Named) -> list[tree.Stmt]:
        """The second step of a global: constant words go into the image, the rest is start-up code."""
        item, symbol = named.item, named.symbol
        if item.init is None:
            return []
        try:
            words, cells = self.initialise(symbol, item.init)
        except Stop:
            return []
        if words is None:
            return self.assigns(symbol, cells)
        if not cells:
            symbol.init = words
            return []
        return [tree.LocalInit(item.span, self.options, symbol, words, self.assigns(symbol, cells))]

    def initialise_local(self, named: Named) -> list[tree.Stmt]:
        """The second step of a local: it is set whenever it is reached."""
        item, symbol = named.item, named.symbol
        if item.init is None:
            return []
        try:
            words, cells = self.initialise(symbol, item.init)
        except Stop:
            return []
        return [tree.LocalInit(item.span, self.options, symbol, words, self.assigns(symbol, cells))]

    # -- constants and params -------------------------------------------------------------------------------

    def _fixed(self, decl: ast.Decl, item: ast.Item, type_: Type | None, storage: str) -> None:
        """A const or a param."""
        for part in (item.address, item.bank):
            if part is not None:
                self.fail("TW090", part.span, what=decl.role)
        if item.dims or (type_ is not None and not isinstance(type_, Scalar)):
            self._const_array(decl, item, type_, storage)
            return
        if type_ is STREAM:
            self.fail("TW032", item.name.span, type=type_)
        assert type_ is None or isinstance(type_, Scalar)
        if decl.role == "param":
            value = self._param_value(item, type_)
        elif item.init is None:
            self.fail("TW135", item.name.span, name=item.name.name)
        else:
            value = self._constant_init(item.init, type_, "a const")
        made = Constant(item.name.name, item.name.span, decl.role)
        if isinstance(value, Untyped):
            made.value, made.floating = value.value, value.floating
        else:
            made.type, made.value = self.scalar(value), value.bits
        self.declare(made)
        if decl.role == "param":
            self.program.params[item.name.name] = self._as_const(value)

    def _as_const(self, value: tree.Const | Untyped) -> tree.Const:
        if isinstance(value, Untyped):
            settled = self.settle(value, None)
            assert isinstance(settled, tree.Const)
            return settled
        return value

    def _constant_init(self, init: ast.Init, type_: Scalar | None, what: str) -> tree.Const | Untyped:
        if isinstance(init, ast.Walk):
            self.fail("TW081", init.span)
        if isinstance(init, ast.Braces):
            if type_ is None:
                self.fail("TW046", init.span, what=what)
            made = self._scalar_init(type_, init)
            if not isinstance(made, tree.Const):
                self.fail("TW046", init.span, what=what)
            return made
        value = self.constant(init, what)
        if type_ is None:
            return value
        typed = self.to(value, type_)
        assert isinstance(typed, tree.Const)
        return typed

    def _param_value(self, item: ast.Item, type_: Scalar | None) -> tree.Const | Untyped:
        """The value bound by the layout or the command, else the default (TW136, TW137)."""
        name = item.name
        if name.name in self.bound:
            notes = [(self.bound[name.name], "declared here before")]
            self.fail("TW020", name.span, name=name.name, notes=notes)
        self.bound[name.name] = name.span
        if name.name not in self.bindings:
            if item.init is None:
                hint = f"bind it in the layout: code('kernel [{name.name}:4]), or give a default: = 4"
                self.fail("TW136", name.span, name=name.name, hint=hint)
            return self._constant_init(item.init, type_, "the default of a param")
        given = self.bindings[name.name]
        number = values.parse(given) if isinstance(given, str) else given
        if number is None:
            self.fail("TW137", name.span, name=name.name, value=given)
        value = Untyped(name.span, number, isinstance(number, float))
        if type_ is None:
            return value
        typed = self.literal(value, type_)
        if isinstance(number, int) and type_.is_integer and not -(1 << type_.bits - 1) <= number < 1 << type_.bits:
            becomes = typed.bits - (1 << type_.bits if type_.is_signed and typed.bits >> type_.bits - 1 else 0)
            self.reporter.report("TW140", name.span, name=name.name, value=given, type=type_, becomes=becomes)
        return typed

    def _const_array(self, decl: ast.Decl, item: ast.Item, type_: Type | None, storage: str) -> None:
        """A const array or record: a variable that nobody writes and whose elements are constants."""
        if decl.role == "param":
            self.bound[item.name.name] = item.name.span
            self.fail("TW138", item.name.span, name=item.name.name)
        if type_ is None:
            self.fail("TW035", item.name.span)
        if item.init is None:
            self.fail("TW135", item.name.span, name=item.name.name)
        full = self.sized(array_of(type_, self.dims(item.dims)), item.name.span)
        symbol = tree.Symbol(item.name.name, full, item.name.span, "global" if storage == "global" else "local")
        words, cells = self.initialise(symbol, item.init)
        if cells or words is None:
            span = cells[0].value.span if cells else item.init.span
            self.fail("TW046", span, what="a const")
        symbol.init = words
        self.const_arrays[symbol] = words
        self.declare(Variable(symbol.name, symbol.span, "constant", symbol=symbol, constant=True))
        (self.program.globals if storage == "global" else self.frame.locals).append(symbol)

    # -- typedefs, records, ranges --------------------------------------------------------------------------

    def typedef(self, node: ast.Typedef) -> None:
        try:
            type_ = self.type_of(node.type)
        except Stop:
            for item in node.items:
                self.broken(item.name)
            return
        for item in node.items:
            try:
                for part in (item.address, item.bank, item.init, *item.options):
                    if part is not None:
                        self.fail("TW034", part.span, what="an initialiser" if part is item.init else "a place")
                full = array_of(type_, self.dims(item.dims))
                self.declare(Alias(item.name.name, item.name.span, type=full))
            except Stop:
                self.broken(item.name)

    def let(self, node: ast.Let) -> None:
        """Declares a range; its bounds are looked at now, and again by each loop that uses it."""
        entity = LetRange(node.name.name, node.name.span, range=node.range, scope=self.scope)
        self.declare(entity)
        self.lets.append(entity)
        before, self.probing = self.probing, True
        try:
            self.bound_of(node.range.low)
            if node.range.high is not None:
                self.bound_of(node.range.high)
        except Stop:
            pass
        finally:
            self.probing = before

    def bound_of(self, node: ast.Expr) -> tree.Expr:
        return self.integer(node, "a bound of a range")

    def check_bindings(self) -> None:
        """Every bound name must be a param of the kernel (TW139)."""
        for name in self.bindings:
            if name in self.bound:
                continue
            entity = self.top.names.get(name)
            hint = suggest(name, self.bound)
            if hint is None and 0 < len(self.bound) <= 8:
                hint = "its params are " + ", ".join(sorted(self.bound))
            notes = [(entity.span, f"'{name}' is a {entity.what}")] if entity is not None else []
            self.report("TW139", self.program.span, name=name, hint=hint, notes=notes)


