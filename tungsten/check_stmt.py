"""Statements: blocks, loops, conditions, parallel, dispatch, options (tungsten.md 4, 7)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from diag.report import suggest
from tungsten import ast, tree, values
from tungsten.check_assign import Assigns
from tungsten.check_base import Stop
from tungsten.check_types import common
from tungsten.flow import ends, ends_thread, has_effect
from tungsten.scope import Hardware, LetRange, Routine, Variable
from tungsten.types import I32, U32, WV, Scalar

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
        never, always = (isinstance(test, tree.Const) and bool(test.bits) is value for value in (False, True))
        self.frame.guards += 1
        self.frame.dead += never
        then = self.one(node.then)
        self.frame.dead += always - never
        if isinstance(node.other, ast.If):  # a chain may be long; its links declare nothing that needs a scope
            found = self.statements([node.other])
            other = found[0] if found else None
        else:
            other = self.one(node.other) if node.other is not None else None
        self.frame.dead -= always
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
        dead = self.frame.dead
        self.frame.loops += 1
        try:
            with self.inner():
                for ref in node.levels:
                    ranges.append(self._range(ref, lets))
                    self.frame.dead += _empty(ranges[-1])
                body = self.one(node.body)
        finally:
            self.frame.loops -= 1
            self.frame.guards, self.frame.dead = guards, dead
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
            reach = (reach_low[0], reach_low[0] if reach_high is None else reach_high[1])
            small = values.smallest(*reach)  # holds both bounds, those of an empty range too
            if small is None:
                self.fail("TW045", (high or low).span, what="a bound of a range", type="one of 32 bits beside a negative one")
            type_ = small
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

    # -- what the chapter of tasks brings ---------------------------------------------------------------------

    def _parallel(self, node: ast.Parallel) -> list[tree.Stmt]:
        raise AssertionError

    def _dispatch(self, node: ast.Dispatch) -> list[tree.Stmt]:
        raise AssertionError

    def _teardown(self, node: ast.Optioned, body: ast.Stmt) -> None:
        raise AssertionError

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


def _empty(r: tree.Range) -> bool:
    """A range that constants leave no element."""
    if not isinstance(r.low, tree.Const) or not isinstance(r.high, tree.Const):
        return False
    low, high = (values.decode(b.bits, r.index.type) for b in (r.low, r.high))  # type: ignore[arg-type]
    return low >= high


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
    ast.Dispatch: lambda checker, node: checker._dispatch(node),
    ast.Parallel: lambda checker, node: checker._parallel(node),
    ast.Reset: Statements._reset,
    ast.Return: Statements._return,
    ast.Optioned: Statements._optioned,
}
