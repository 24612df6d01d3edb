"""Functions: parameters, calls, what is returned (tungsten.md 2).

A function is checked when it is first called, since its type is that of the expression it returns. Where a
parameter leaves inner extents open (`sp m[][]`), each shape of argument makes a function of its own, so that the
addresses in it are known. Functions that nobody calls are checked too, but are no part of the program.
"""

from __future__ import annotations

from diag.spans import Span
from tungsten import ast, tree
from tungsten.check_base import Frame, Pending, Stop, Untyped, count
from tungsten.check_tasks import Tasks
from tungsten.check_types import array_of, named
from tungsten.check_values import default_type
from tungsten.scope import Hardware, Routine, Scope, Variable
from tungsten.types import SP, STREAM, U64, VOID, XP, Array, Dim, Record, Scalar, Type

Shape = tuple[tuple[Dim, ...] | None, ...]


class Functions(Tasks):
    """Function definitions and calls."""

    def declare_function(self, node: ast.FunctionDef, options: dict[str, str]) -> None:
        """`options` stand before the definition and hold for its body."""
        routine = Routine(node.name.name, node.name.span, definition=node, scope=self.scope, options=options)
        self.declare(routine)
        self.routines.append(routine)

    # -- calls ----------------------------------------------------------------------------------------------

    def call(self, node: ast.Apply, routine: Routine) -> tree.Call:
        definition = routine.definition
        self._not_recursive(node, routine)
        if len(node.args) != len(definition.params):
            span = node.span if len(node.args) < len(definition.params) else node.args[len(definition.params)].span
            notes = [(routine.span, "defined here")]
            wanted, found = count(len(definition.params), "argument"), len(node.args)
            self.report("TW054", span, name=routine.name, wanted=wanted, found=found, notes=notes)
            for arg in node.args:
                self.expr(arg)
            raise Stop
        types = self._signature(routine)
        args: list[tree.Expr] = []
        shape: list[tuple[Dim, ...] | None] = []
        wrong = False
        for arg, param, type_ in zip(node.args, definition.params, types, strict=True):
            try:
                value, dims = self._argument(arg, param, type_)
            except Stop:
                wrong = True
                continue
            args.append(value)
            shape.append(dims)
        if wrong:
            raise Stop
        function = self._instance(routine, types, tuple(shape), node.span)
        if function in self.broken_functions:
            raise Stop
        return tree.Call(node.span, function.result, function, args)

    def _not_recursive(self, node: ast.Apply, routine: Routine) -> None:
        """A function that is being checked already is called by itself, directly or not (TW210)."""
        at = next((i for i, (r, _) in enumerate(self.calling) if r is routine), None)
        if at is None:
            return
        notes = [(span, f"'{r.name}' is called here") for r, span in self.calling[at + 1 :] if span is not None]
        notes.insert(0, (routine.span, "defined here"))
        self.fail("TW210", node.span, name=routine.name, notes=notes)

    def _argument(
        self, arg: ast.Expr, param: ast.Param, type_: Type
    ) -> tuple[tree.Expr, tuple[Dim, ...] | None]:
        """An argument, and the shape that it gives to open inner extents."""
        if isinstance(type_, Scalar):
            return self.assignable(arg, type_), None
        value = self.expr(arg) if isinstance(arg, ast.Name | ast.Subscript | ast.Select) else None
        notes = [(param.name.span, f"the parameter is {type_}")]
        if not isinstance(value, tree.Var | tree.Index | tree.Member):
            self.fail("TW211", arg.span, type=type_, notes=notes)
        given = value.type
        if isinstance(type_, Record):
            if given != type_:
                self.fail("TW212", arg.span, found=given, type=type_, notes=notes)
            return value, None
        if isinstance(given, Record) and type_.elem == given and len(type_.dims) == 1:
            return value, None  # a single struct for an array of them
        if not isinstance(given, Array) or given.elem != type_.elem or len(given.dims) != len(type_.dims):
            self.fail("TW212", arg.span, found=given, type=type_, notes=notes)
        for position, (have, want) in enumerate(zip(given.dims, type_.dims, strict=True)):
            if have.extent is None or want.extent is None:
                continue
            if have.extent < want.extent or (position and have.extent != want.extent):
                self.fail("TW213", arg.span, found=given, type=type_, notes=notes)
        if all(dim.extent is not None for dim in type_.dims[1:]):
            return value, None
        return value, tuple(Dim("", dim.extent) for dim in given.dims)

    # -- signatures and instances ---------------------------------------------------------------------------

    def _signature(self, routine: Routine) -> list[Type]:
        """The types of the parameters; extents that are open or depend on a parameter are None."""
        known = self.signatures.get(routine)
        if known is not None:
            if not known and routine.definition.params:
                raise Stop
            return known
        self.signatures[routine] = []
        names = {param.name.name for param in routine.definition.params}
        types: list[Type] = []
        with self.within(routine.scope):
            for param in routine.definition.params:
                type_ = self.type_of(param.type)
                dims = tuple(self._open_dim(dim, names) for dim in param.dims)
                self._axes(param.dims)
                full = named(array_of(type_, dims))
                if isinstance(full, Array) and full.elem is STREAM:
                    self.fail("TW032", param.name.span, type=full)
                types.append(full)
        self.signatures[routine] = types
        return types

    def _open_dim(self, dim: ast.DimRef, names: set[str]) -> Dim:
        name = dim.name.name if dim.name else ""
        if dim.extent is None or mentions(dim.extent, names):
            return Dim(name, None)
        return Dim(name, self._extent(dim.extent))

    def _instance(self, routine: Routine, types: list[Type], shape: Shape, span: Span) -> tree.Function:
        """The checked function for a shape of arguments."""
        function = routine.instances.get(shape)
        if function is None:
            function = self._check(routine, types, shape, span)
            routine.instances[shape] = function
            if len(routine.instances) > 1:
                function.name = f"{routine.name}.{len(routine.instances)}"
        if self.recording and function not in self.program.functions:
            self.program.functions.append(function)
        return function

    def _check(self, routine: Routine, types: list[Type], shape: Shape, span: Span | None) -> tree.Function:
        definition = routine.definition
        empty = tree.Block(definition.body.span.point(), {}, [])
        function = tree.Function(routine.name, [], VOID, empty, routine.span)
        outer = (self.frame, self.scope, self.options, self.probing)
        self.frame = Frame(function.locals, routine, function)
        self.scope = Scope(routine.scope)
        self.options, self.probing = routine.options, False
        self.calling.append((routine, span))
        active = [(let, let.active) for let in self.lets]
        for let, _ in active:
            let.active = []  # a loop around the call is no loop around the body
        try:
            for param, type_, dims in zip(definition.params, types, shape, strict=True):
                if dims is not None and isinstance(type_, Array):
                    inner = (Dim(w.name, w.extent or h.extent) for w, h in zip(type_.dims, dims, strict=True))
                    type_ = Array(type_.elem, tuple(inner))
                self._parameter(param, type_, function)
            # The parameters' scope is also the body's: a local of a parameter's name is a redefinition.
            function.body = tree.Block(definition.body.span.point(), {}, self.statements(definition.body.body))
            function.result = self._result()
            if self.frame.broken:
                self.broken_functions.add(function)
        finally:
            self.calling.pop()
            for let, indices in active:
                let.active = indices
            self.frame, self.scope, self.options, self.probing = outer
        return function

    def _parameter(self, param: ast.Param, type_: Type, function: tree.Function) -> None:
        name = param.name
        reference = not isinstance(type_, Scalar)
        symbol = tree.Symbol(name.name, type_, name.span, "param", by_reference=reference)
        function.params.append(symbol)
        if type_ is STREAM:
            stream = tree.StreamVar(symbol.name, None, symbol, symbol.span)
            self.declare(Hardware(name.name, name.span, "stream", object=stream))
        else:
            self.declare(Variable(name.name, name.span, "parameter", symbol=symbol))

    def _result(self) -> Type:
        """The type of what a function returns; all returns agree (TW214, TW215)."""
        frame = self.frame
        first: tuple[Span, Scalar] | None = None
        for node, _, value in frame.returns:
            if isinstance(value, Untyped) or (isinstance(value, Pending) and value.read is None):
                continue
            try:
                typed = self.settle(value, None)
                type_ = self.scalar(typed)
            except Stop:
                frame.broken = True
                continue
            if first is not None and first[1] != type_:
                notes = [(first[0], f"this one returns {first[1]}")]
                self.report("TW214", node.span, type=type_, notes=notes)
            first = first or (node.span, type_)
        if first is None and frame.returns:
            floating = any(isinstance(v, Untyped | Pending) and v.floating for _, _, v in frame.returns)
            found = [default_type(v.value, v.floating) for _, _, v in frame.returns if isinstance(v, Untyped)]
            type_ = SP if floating else max(found, key=lambda t: t.words, default=XP)
        elif first is not None:
            type_ = first[1]
        else:
            return VOID
        for span in frame.empty_returns:
            notes = [(frame.returns[0][0].span, "this one returns a value")]
            self.report("TW215", span, notes=notes)
        for node, made, value in frame.returns:
            if isinstance(value, Untyped) and value.floating and not type_.is_float and first is not None:
                self.report("TW214", node.span, type=SP, notes=[(first[0], f"this one returns {type_}")])
                continue
            try:
                settled = self.settle(value, type_)
                made.value = settled if settled.type == type_ or type_ is U64 else self.cast(settled, type_)
            except Stop:
                continue
        return type_

    def check_unused(self) -> None:
        """Functions that nobody calls have errors too."""
        self.recording = False
        for routine in self.routines:
            if routine.instances:
                continue
            try:
                types = self._signature(routine)
                routine.instances[None] = self._check(routine, types, tuple(None for _ in types), None)
            except Stop:
                continue
        self.recording = True


def mentions(node: ast.Expr, names: set[str]) -> bool:
    """Whether an expression uses one of the names."""
    if isinstance(node, ast.Name):
        return node.name in names
    if isinstance(node, ast.Binary):
        return mentions(node.left, names) or mentions(node.right, names)
    if isinstance(node, ast.Unary | ast.Cast):
        return mentions(node.operand, names)
    if isinstance(node, ast.Paren):
        return mentions(node.inner, names)
    if isinstance(node, ast.Ternary):
        return any(mentions(part, names) for part in (node.test, node.then, node.other))
    if isinstance(node, ast.Apply):
        return any(mentions(arg, names) for arg in node.args)
    return False
