"""Statements: blocks, loops, conditions, parallel, dispatch, options (tungsten.md 4, 7)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from diag.report import suggest
from diag.spans import Span
from tungsten import ast, tree, values
from tungsten.check_assign import Assigns, has_effect
from tungsten.check_base import Stop
from tungsten.check_types import WIRE, common
from tungsten.scope import Hardware, LetRange, Routine, Variable
from tungsten.types import I32, U16, U32, WV, XP, Scalar

# Options with the words they take (tungsten.md 4). The families socket, fifo and timer have none that are known.
KNOWN = {
    "uthread.enable": ("on", "off"),
    "teardown": ("on",),
    "dot.state": ("on", "off"),
    "dot.load": ("on", "off"),
    "math": ("fast", "ehalf"),
    "vectorize": ("on", "off"),
}


class Statements(Assigns):
    """Statements in order."""

    def statements(
        self, nodes: list[ast.Stmt], each: Callable[[ast.Stmt], list[tree.Stmt]] | None = None
    ) -> list[tree.Stmt]:
        """The statements of a block in the present scope; a wrong one is left out."""
        each = each or self.statement
        made: list[tree.Stmt] = []
        end: tree.Stmt | None = None
        for node in nodes:
            try:
                if isinstance(node, ast.Flip):
                    self._flip(node, made)
                    continue
                found = each(node)
            except Stop:
                continue
            if end is not None and found:
                self._unreachable(found[0], end)
                end = None
            made += found
            if found and ends(found[-1]):
                end = found[-1]
        return made

    def _unreachable(self, found: tree.Stmt, end: tree.Stmt) -> None:
        notes = [(end.span, "nothing comes behind this")]
        code = "TW180" if ends_thread(end) else "TW181"
        self.report(code, found.span, notes=notes)

    def statement(self, node: ast.Stmt) -> list[tree.Stmt]:
        method: Callable[[Any, Any], list[tree.Stmt]] = _METHODS[type(node)]
        return method(self, node)

    def one(self, node: ast.Stmt) -> tree.Stmt:
        """A statement as the body of another one, in a scope of its own."""
        with self.inner():
            found = self.statements([node])
        return found[0] if len(found) == 1 else tree.Block(node.span, self.options, found)

    # -- simple statements ----------------------------------------------------------------------------------

    def _decl(self, node: ast.Decl) -> list[tree.Stmt]:
        made: list[tree.Stmt] = []
        if node.type is not None and node.type.record is not None:
            self.define_record(node.type.record)
            if node.type.name is not None:
                node.type.record = None
        for item in node.items:
            for named in self.name_items(ast.Decl(node.span, node.type, node.role, [item]), "local"):
                made += self.initialise_local(named)
        return made

    def _record(self, node: ast.RecordDef) -> list[tree.Stmt]:
        self.define_record(node)
        return []

    def _typedef(self, node: ast.Typedef) -> list[tree.Stmt]:
        self.typedef(node)
        return []

    def _let(self, node: ast.Let) -> list[tree.Stmt]:
        self.let(node)
        return []

    def _misplaced(self, node: ast.Import | ast.FunctionDef | ast.Main) -> list[tree.Stmt]:
        what = {ast.Import: "an import", ast.FunctionDef: "a function", ast.Main: "main"}[type(node)]
        self.fail("TW183", node.span, what=what)

    def _assign(self, node: ast.Assign) -> list[tree.Stmt]:
        return [self.assign(node)]

    def _evaluate(self, node: ast.Evaluate) -> list[tree.Stmt]:
        """A call, or a read whose value is dropped; anything else does nothing (TW184)."""
        value = node.value
        while isinstance(value, ast.Paren):
            value = value.inner
        if isinstance(value, ast.Apply) and isinstance(value.function, ast.Name):
            entity = self.scope.find(value.function.name)
            if isinstance(entity, Routine):
                return [tree.CallStmt(node.span, self.options, self.call(value, entity))]
        if isinstance(value, ast.Sum):
            self.fail("TW057", value.span)
        typed = self.settle(self.expr(value, WV if isinstance(value, ast.Subscript) else None), WV)
        if not has_effect(typed) or not isinstance(value, ast.Subscript | ast.Cast | ast.Apply):
            hint = None
            if isinstance(value, ast.Binary) and value.op == "==":
                hint = "'=' or '<-' assigns"
            elif isinstance(value, ast.Binary) and value.op == "<" and isinstance(value.right, ast.Unary):
                hint = "the arrow '<-' is written without a blank"
            elif isinstance(value, ast.Name) and isinstance(self.scope.find(value.name), Routine):
                hint = f"a call is written {value.name}(…)"
            self.fail("TW184", node.span, hint=hint)
        return [tree.Discard(node.span, self.options, typed)]

    def _flip(self, node: ast.Flip, before: list[tree.Stmt]) -> None:
        """`tx.flip;` marks the send before it (TW185)."""
        entity = self.lookup(node.socket)
        notes = [(entity.span, "declared here")]
        if not isinstance(entity, Hardware) or not isinstance(entity.object, tree.Socket):
            self.fail("TW186", node.socket.span, name=node.socket.name, what=entity.what, notes=notes)
        last: tree.Stmt | None = before[-1] if before else None
        place = last.span if last is not None else None
        while isinstance(last, tree.ForAll) or (isinstance(last, tree.Block) and len(last.body) == 1):
            last = last.body if isinstance(last, tree.ForAll) else last.body[0]
        if not isinstance(last, tree.Send) or last.dest is not entity.object or last.flip:
            where = [(place, "this is the statement before")] if place is not None else []
            self.fail("TW185", node.span, name=node.socket.name, notes=where)
        last.flip = True

    def _reset(self, node: ast.Reset) -> list[tree.Stmt]:
        entity = self.lookup(node.name)
        if not isinstance(entity, Hardware) or not isinstance(entity.object, tree.Iterator):
            notes = [(entity.span, "declared here")]
            self.fail("TW187", node.name.span, name=node.name.name, what=entity.what, notes=notes)
        return [tree.Reset(node.span, self.options, entity.object)]

    def _return(self, node: ast.Return) -> list[tree.Stmt]:
        frame = self.frame
        if frame.function is None:
            self.fail("TW188", node.span)
        if frame.arms or frame.in_handler:
            self.fail("TW189", node.span, what="handler" if frame.in_handler else "parallel")
        made = tree.Return(node.span, self.options, None)
        if node.value is not None:
            try:
                value = self.expr(node.value)
            except Stop:
                frame.broken = True
                raise
            frame.returns.append((node, made, value))
        else:
            frame.empty_returns.append(node.span)
        return [made]

    # -- blocks and conditions ------------------------------------------------------------------------------

    def _block(self, node: ast.Block) -> list[tree.Stmt]:
        with self.inner():
            return [tree.Block(node.span.point(), self.options, self.statements(node.body))]

    def _if(self, node: ast.If) -> list[tree.Stmt]:
        test = self.condition(node.test)
        self.frame.guards += 1
        then = self.one(node.then)
        other = self.one(node.other) if node.other is not None else None
        self.frame.guards -= 1
        return [tree.If(node.span, self.options, test, then, other)]

    def _while(self, node: ast.While) -> list[tree.Stmt]:
        test = self.condition(node.test)
        self.frame.guards += 1
        self.frame.loops += 1
        body = self.one(node.body)
        self.frame.guards -= 1
        self.frame.loops -= 1
        return [tree.While(node.span, self.options, test, body)]

    def _forever(self, node: ast.Forever) -> list[tree.Stmt]:
        self.frame.loops += 1
        body = self.one(node.body)
        self.frame.loops -= 1
        return [tree.Forever(node.span, self.options, body)]

    # -- loops ----------------------------------------------------------------------------------------------

    def _loop(self, node: ast.Loop) -> list[tree.Stmt]:
        """`∀i ∀j s` and `i in [a, b) s`, leftmost outermost."""
        ranges: list[tree.Range] = []
        lets: list[LetRange] = []
        guards, self.frame.guards = self.frame.guards, 0
        self.frame.loops += 1
        try:
            with self.inner():
                for ref in node.levels:
                    ranges.append(self._range(ref, lets))
                body = self.one(node.body)
        finally:
            self.frame.loops -= 1
            self.frame.guards = guards
            for let in lets:
                let.active.pop()
        return [tree.ForAll(node.span, self.options, ranges, body)]

    def _range(self, ref: ast.LevelRef, lets: list[LetRange]) -> tree.Range:
        entity = None
        range_, scope = ref.range, self.scope
        if range_ is None:
            entity = self.range_named(ref.name)
            assert entity.range is not None and entity.scope is not None
            range_, scope = entity.range, entity.scope
        with self.within(scope):
            low = self.bound_of(range_.low)
            high = self.bound_of(range_.high) if range_.high is not None else None
        type_, known = self._index_type(low, high)
        symbol = tree.Symbol(ref.name.name, type_, ref.name.span, "index")
        if known is not None:
            self.ranges[symbol] = known
        if entity is not None:
            entity.active.append(symbol)
            lets.append(entity)
        else:
            self.declare(Variable(ref.name.name, ref.name.span, "loop index", symbol=symbol))
        return tree.Range(symbol, self.cast(low, type_), None if high is None else self.cast(high, type_))

    def _index_type(self, low: tree.Expr, high: tree.Expr | None) -> tuple[Scalar, tuple[int, int] | None]:
        """The type of an index, xp where its bounds fit, and its least and greatest value where known."""
        reach_low = self.interval(low)
        reach_high = self.interval(high) if high is not None else None
        if isinstance(low, tree.Const) and (high is None or isinstance(high, tree.Const)):
            assert reach_low is not None
            first = reach_low[0]
            last = reach_high[1] if reach_high is not None else first
            if -0x8000 <= first and last <= 0x7FFF:
                type_ = XP
            else:
                type_ = U16 if first >= 0 and last <= 0xFFFF else I32
        else:
            types = [self.scalar(b) for b in (low, high) if b is not None and not isinstance(b, tree.Const)]
            type_ = types[0] if len(types) == 1 else common(types[0], types[1])
            for bound in (low, high):  # a constant beside a run-time bound must fit as well
                if isinstance(bound, tree.Const):
                    value = int(values.decode(bound.bits, self.scalar(bound)))
                    least, most = values.bounds(type_)
                    if not least <= value <= most:
                        type_ = I32 if value < 0 or type_.is_signed else U32
        if reach_low is None or reach_high is None or reach_low[0] >= reach_high[1]:
            return type_, None
        return type_, (reach_low[0], reach_high[1] - 1)

    # -- parallel and dispatch ------------------------------------------------------------------------------

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

    # -- options --------------------------------------------------------------------------------------------

    def _optioned(self, node: ast.Optioned) -> list[tree.Stmt]:
        """Options before a statement hold for it and all inside; the teardown handler is put aside."""
        before = self.options
        merged = dict(before)
        teardown = False
        for option in node.options:
            words = KNOWN.get(option.key)
            if words is None:
                hint = suggest(option.key, KNOWN)
                self.report("TW095", option.span, name=option.key, hint=hint)
            elif option.value not in words:
                self.report("TW200", option.value_span, name=option.key, words=" or ".join(words), value=option.value)
            elif option.key == "teardown":
                teardown = True
            else:
                merged[option.key] = option.value
        if node.body is None:
            self.fail("TW201", node.span)
        self.options = merged
        try:
            if teardown:
                self._teardown(node, node.body)
                return []
            return self.statement(node.body)
        finally:
            self.options = before

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


def ends(node: tree.Stmt) -> bool:
    """Whether nothing behind a statement is ever reached."""
    if isinstance(node, tree.Forever) or ends_thread(node):
        return True
    if isinstance(node, tree.ForAll):
        endless = any(r.high is None for r in node.ranges)
        return endless and not is_transfer(node)
    if isinstance(node, tree.Block):
        return bool(node.body) and ends(node.body[-1])
    if isinstance(node, tree.If):
        return node.other is not None and ends(node.then) and ends(node.other)
    if isinstance(node, tree.Parallel):
        return any(ends(arm) for arm in node.arms)
    return False


def ends_thread(node: tree.Stmt) -> bool:
    """Whether a statement is a dispatch, with which its thread ends."""
    if isinstance(node, tree.Dispatch):
        return True
    return isinstance(node, tree.Block) and bool(node.body) and ends_thread(node.body[-1])


def is_transfer(node: tree.ForAll) -> bool:
    """Whether a loop's body is one statement that sends to or reads from a queue or FIFO."""
    body: tree.Stmt = node.body
    while isinstance(body, tree.Block) and len(body.body) == 1:
        body = body.body[0]
    if isinstance(body, tree.Send):
        return True
    if isinstance(body, tree.Assign | tree.Accumulate | tree.Discard):
        if isinstance(body, tree.Accumulate) and body.factors is not None:
            return any(has_effect(f) for f in body.factors)
        return body.value is not None and has_effect(body.value)
    return False


_METHODS: dict[type, Any] = {
    ast.Decl: lambda checker, node: checker._decl(node),  # the program has its own for the top level
    ast.RecordDef: Statements._record,
    ast.Typedef: Statements._typedef,
    ast.Import: Statements._misplaced,
    ast.Let: Statements._let,
    ast.FunctionDef: Statements._misplaced,
    ast.Main: Statements._misplaced,
    ast.Assign: Statements._assign,
    ast.Evaluate: Statements._evaluate,
    ast.Block: Statements._block,
    ast.Loop: Statements._loop,
    ast.If: Statements._if,
    ast.While: Statements._while,
    ast.Forever: Statements._forever,
    ast.Dispatch: Statements._dispatch,
    ast.Parallel: Statements._parallel,
    ast.Reset: Statements._reset,
    ast.Return: Statements._return,
    ast.Optioned: Statements._optioned,
}
