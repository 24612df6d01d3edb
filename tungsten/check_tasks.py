"""Parallel arms, dispatch with its handlers, the teardown handler (tungsten.md 7)."""

from __future__ import annotations

from diag.spans import Span
from tungsten import ast, tree
from tungsten.check_base import Stop
from tungsten.check_stmt import Statements
from tungsten.check_types import WIRE
from tungsten.scope import Hardware, Variable
from tungsten.types import Scalar


class Tasks(Statements):
    """Statements that run beside others."""

    def _parallel(self, node: ast.Parallel) -> list[tree.Stmt]:
        """Each statement is an arm."""
        arms: list[tree.Stmt] = []
        with self.inner():
            for arm in node.body.body:
                try:
                    if isinstance(arm, ast.Flip):
                        self._flip(arm, arms)
                    elif isinstance(arm, ast.Decl):
                        if any(item.init is not None for item in arm.items) and not arm.role:
                            self.fail("TW182", arm.span)
                        arms += self._decl(arm)
                    else:
                        arms += self._arm(arm)
                except Stop:
                    continue
        return [tree.Parallel(node.span, self.options, arms)]

    def _arm(self, node: ast.Stmt) -> list[tree.Stmt]:
        self.frame.arms += 1
        try:
            with self.inner():
                return self.statement(node)
        finally:
            self.frame.arms -= 1

    def _dispatch(self, node: ast.Dispatch) -> list[tree.Stmt]:
        frame = self.frame
        if frame.in_handler:
            self.fail("TW190", node.span, where="a handler")
        if frame.loops:
            self.fail("TW190", node.span, where="a loop")
        entity = self.lookup(node.socket)
        notes = [(entity.span, "declared here")]
        if not isinstance(entity, Hardware) or not isinstance(entity.object, tree.Socket):
            self.fail("TW186", node.socket.span, name=node.socket.name, what=entity.what, notes=notes)
        socket = entity.object
        if socket.dir == "out":
            self.fail("TW072", node.socket.span, name=socket.name, notes=notes)
        before = self.dispatched.get(socket)
        if before is not None and before != node.socket.span and self.recording:
            self.report("TW191", node.socket.span, name=socket.name, notes=[(before, "dispatched here before")])
        self.dispatched[socket] = node.socket.span
        self.use(socket.receives, node.socket.span)
        handlers: list[tree.Handler] = []
        seen: dict[tuple[bool, int | None], Span] = {}
        frame.in_handler = True
        try:
            for definition in node.handlers:
                try:
                    handler = self._handler(definition, socket)
                except Stop:
                    continue
                key = (handler.control, handler.control_id)
                if key in seen:
                    what = f"control({key[1]})" if key[1] is not None else f"{definition.kind}()"
                    self.report("TW192", handler.span, what=what, notes=[(seen[key], "the first one")])
                    continue
                seen[key] = handler.span
                handlers.append(handler)
        finally:
            frame.in_handler = False
        if not node.handlers:
            self.report("TW193", node.span, name=socket.name)
        return [tree.Dispatch(node.span, self.options, socket, handlers)]

    def _handler(self, node: ast.HandlerDef, socket: tree.Socket) -> tree.Handler:
        identity = None
        if node.id is not None:
            identity = self.constant_int(node.id, "a task id")
            if not 0 <= identity <= 63 or identity == 31:
                self.fail("TW194", node.id.span, value=identity)
        if len(node.params) > (2 if node.kind == "wavelet" else 1):
            self.fail("TW195", node.params[2].span)
        with self.inner():
            symbols = [self._handler_param(param) for param in node.params]
            if node.kind == "control":
                if symbols and self.scalar_type(symbols[0]).words != 1:
                    self.fail("TW196", node.params[0].span, type=symbols[0].type)
            elif len(symbols) == 2:
                for symbol, param in zip(symbols, node.params, strict=True):
                    if self.scalar_type(symbol).words != 1:
                        self.fail("TW196", param.span, type=symbol.type)
            elif symbols and socket.elem is not None:
                type_ = self.scalar_type(symbols[0])
                if type_.words != socket.elem.words:
                    notes = [(socket.span, f"the socket's elements are {socket.elem}")]
                    self.fail("TW197", node.params[0].span, type=type_, elem=socket.elem, notes=notes)
            body = self._block(node.body)[0]
        value = symbols[0] if symbols else None
        index = symbols[1] if len(symbols) > 1 else None
        return tree.Handler(node.span, node.kind == "control", identity, value, index, body)

    def scalar_type(self, symbol: tree.Symbol) -> Scalar:
        assert isinstance(symbol.type, Scalar)
        return symbol.type

    def _handler_param(self, param: ast.Param) -> tree.Symbol:
        type_ = self.type_of(param.type)
        if param.dims or not isinstance(type_, Scalar) or type_ not in WIRE:
            self.fail("TW198", param.span)
        symbol = tree.Symbol(param.name.name, type_, param.name.span, "local")
        self.frame.locals.append(symbol)
        self.declare(Variable(symbol.name, symbol.span, symbol=symbol))
        return symbol

    def _teardown(self, node: ast.Optioned, body: ast.Stmt) -> None:
        """`#pragma teardown on {…}`: the body of task 29."""
        if not isinstance(body, ast.Block):
            self.fail("TW202", body.span)
        frame = self.frame
        if frame.function is not None or frame.loops or frame.guards or frame.in_handler or frame.arms:
            self.fail("TW203", node.span)
        if self.program.teardown is not None:
            notes = [(self.program.teardown.span, "the first one")]
            self.fail("TW204", node.span, notes=notes)
        frame.in_handler = True
        try:
            block = self._block(body)[0]
        finally:
            frame.in_handler = False
        assert isinstance(block, tree.Block)
        block.span = node.span
        self.program.teardown = block
