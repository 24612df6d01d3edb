"""The typed tree as text, the same for the same program (`carbide dump=ast`).

One statement a line, indented by its depth, with its line and column in front. Expressions are fully bracketed;
constants, reads and casts show their types, everything else follows from its operands:

    3:5   c[i] = (a[i] + 1:xp)
    4:3   send tx: xp(rx[]:sp)
"""

from __future__ import annotations

from tungsten import tree as t
from tungsten import values
from tungsten.types import Array, Record, Scalar, Type


def dump_program(program: t.Program) -> str:
    """The text of a program, ending in a newline."""
    return _Dump(program).text()


def dump_expr(node: t.Expr) -> str:
    """The text of one expression."""
    match node:
        case t.Const():
            return _const(node)
        case t.Var():
            return node.symbol.name
        case t.Index():
            return dump_expr(node.base) + "".join(f"[{dump_expr(i)}]" for i in node.indices)
        case t.Member():
            return f"{dump_expr(node.base)}.{node.name}"
        case t.BaseOf():
            return f"{node.symbol.name}.base"
        case t.Recv():
            return f"{node.source.name}[]:{node.type}"
        case t.Unary():
            return f"abs({dump_expr(node.operand)})" if node.op == "abs" else f"({node.op}{dump_expr(node.operand)})"
        case t.Binary():
            if node.op in ("min", "max"):
                return f"{node.op}({dump_expr(node.left)}, {dump_expr(node.right)})"
            return f"({dump_expr(node.left)} {node.op} {dump_expr(node.right)})"
        case t.Compare():
            return f"({dump_expr(node.left)} {node.op} {dump_expr(node.right)})"
        case t.Logic():
            if node.right is None:
                return f"(!{dump_expr(node.left)})"
            return f"({dump_expr(node.left)} {node.op} {dump_expr(node.right)})"
        case t.Cond():
            return f"({dump_expr(node.test)} ? {dump_expr(node.then)} : {dump_expr(node.other)})"
        case t.Cast():
            return f"{node.type}({dump_expr(node.operand)})"
        case t.Fma():
            sign = "-" if node.negate else "+"
            return f"fma({dump_expr(node.a)} {sign} {dump_expr(node.b)} * {dump_expr(node.c)})"
        case t.Wavelet():
            return f"wavelet({dump_expr(node.value)}, {dump_expr(node.index)})"
        case t.Call():
            return f"{node.function.name}({', '.join(dump_expr(a) for a in node.args)})"
        case t.Capture():
            return f"descriptor({node.source.name})"


def _const(node: t.Const) -> str:
    type_ = node.type
    assert isinstance(type_, Scalar)
    if type_.is_float:
        return f"{values.decode(node.bits, type_)!r}:{type_}"
    if type_.is_integer:
        return f"{values.decode(node.bits, type_)}:{type_}"
    return f"0x{node.bits:0{type_.words * 4}x}:{type_}"


def _type(type_: Type) -> str:
    """A type with its axes: `sp[n=4][m=2]`."""
    if isinstance(type_, Array):
        dims = "".join(f"[{d.name}={'' if d.extent is None else d.extent}]" for d in type_.dims)
        return f"{type_.elem}{dims}"
    return str(type_)


class _Dump:
    def __init__(self, program: t.Program) -> None:
        self.program = program
        self.lines: list[str] = []

    def text(self) -> str:
        p = self.program
        self._head(f"program {p.name}")
        for name, value in p.params.items():
            self._head(f"param {name} = {_const(value)}")
        for record in self._records():
            fields = ", ".join(f"{_type(f.type)} {f.name}@{f.offset}" for f in record.fields)
            self._head(f"{record} {{{fields}}} {record.words} words")
        for symbol in p.globals:
            self._head(f"global {self._symbol(symbol)}")
        self._objects()
        for symbol in p.locals:
            self._head(f"local {self._symbol(symbol)}")
        for function in p.functions:
            params = ", ".join(f"{'&' if s.by_reference else ''}{s.name}: {_type(s.type)}" for s in function.params)
            self._head(f"function {function.name}({params}) -> {function.result}")
            for symbol in function.locals:
                self._head(f"  local {self._symbol(symbol)}")
            for one in function.body.body:
                self._statement(one, 1)
        self._head("body")
        for one in p.body:
            self._statement(one, 1)
        if p.teardown is not None:
            self._head("teardown")
            for one in p.teardown.body:
                self._statement(one, 1)
        return "\n".join(self.lines) + "\n"

    def _head(self, text: str) -> None:
        self.lines.append(text)

    def _records(self) -> list[Record]:
        found: dict[Record, None] = {}

        def add(type_: Type) -> None:
            if isinstance(type_, Array):
                add(type_.elem)
            elif isinstance(type_, Record) and type_ not in found:
                for field in type_.fields:
                    add(field.type)
                found[type_] = None

        for symbol in [*self.program.globals, *self.program.locals]:
            add(symbol.type)
        for function in self.program.functions:
            for symbol in [*function.params, *function.locals]:
                add(symbol.type)
        return list(found)

    def _symbol(self, s: t.Symbol) -> str:
        words = [f"{s.name}: {_type(s.type)}"]
        if s.address is not None:
            words.append(f"at 0x{s.address:04x}")
        if s.alias is not None:
            words.append(f"at &{s.alias[0].name}+{s.alias[1]}")
        if s.bank is not None:
            words.append(f"bank {s.bank}")
        if s.rebased:
            words.append("rebased")
        if s.init is not None:
            shown = " ".join(f"{w:04x}" for w in s.init[:16])
            words.append(f"= {shown}{' …' if len(s.init) > 16 else ''}")
        return " ".join(words)

    def _objects(self) -> None:
        p = self.program
        for s in p.sockets:
            queues = [f"{d} {q}" for d, q in (("in", s.in_queue), ("out", s.out_queue)) if q is not None]
            self._head(f"socket {s.name}: {s.elem or '-'} queue {', '.join(queues) or 'none'}")
        for f in p.fifos:
            self._head(f"fifo {f.name}: {f.elem} in {f.memory.name}")
        for g in p.filters:
            state = " starts dropping" if g.state else ""
            self._head(f"filter {g.name}: {g.socket.name} limit {g.limit} maxpass {g.maxpass}{state}")
        for i in p.iterators:
            levels = " ".join(self._range(level) for level in i.levels)
            self._head(f"iterator {i.name}: {i.elem} {levels} {dump_expr(i.element)}")
        for v in p.streams:
            self._head(f"stream {v.name}")

    def _range(self, r: t.Range | t.Level) -> str:
        high = "∞" if r.high is None else dump_expr(r.high)
        return f"∀{r.index.name}:{r.index.type} in [{dump_expr(r.low)}, {high})"

    # -- statements -----------------------------------------------------------------------------------------

    def _statement(self, s: t.Stmt, depth: int) -> None:
        own = " ".join(f"{k}={v}" for k, v in sorted(s.options.items()))
        tail = f"    [[{own}]]" if own and not isinstance(s, t.Block) else ""
        place = f"{s.span.line}:{s.span.col}"
        self.lines.append(f"{place:<8}{'  ' * depth}{self._line(s)}{tail}")
        for title, inner in self._inner(s):
            while title == "else" and isinstance(inner, t.If):  # a chain is a list, however long
                self.lines.append(f"{f'{inner.span.line}:{inner.span.col}':<8}{'  ' * depth}else {self._line(inner)}")
                self._block(inner.then, depth)
                if inner.other is None:
                    return
                inner = inner.other
            if title:
                self.lines.append(f"{'':8}{'  ' * depth}{title}")
            self._block(inner, depth)

    def _block(self, inner: t.Stmt, depth: int) -> None:
        for one in inner.body if isinstance(inner, t.Block) else [inner]:
            self._statement(one, depth + 1)

    def _line(self, s: t.Stmt) -> str:
        match s:
            case t.Assign():
                return f"{self._target(s.target)} = {dump_expr(s.value)}"
            case t.Accumulate():
                if s.factors is not None:
                    a, b = s.factors
                    return f"{dump_expr(s.target)} fused {s.op}= {dump_expr(a)} * {dump_expr(b)}"
                assert s.value is not None
                return f"{dump_expr(s.target)} {s.op}= {dump_expr(s.value)}"
            case t.Dot():
                marks = (" keep" if s.keep else "") + (" no_load" if s.no_load else "")
                product = dump_expr(s.a) + (f" * {dump_expr(s.b)}" if s.b is not None else "")
                return f"{'-' if s.target is None else dump_expr(s.target)} = ∑ {product}{marks}"
            case t.Send():
                marks = (" control" if s.control else "") + (" flip" if s.flip else "")
                return f"send {s.dest.name}: {dump_expr(s.value)}{marks}"
            case t.Discard():
                return f"discard {dump_expr(s.value)}"
            case t.CallStmt():
                return f"call {dump_expr(s.call)}"
            case t.ForAll():
                return " ".join(self._range(r) for r in s.ranges)
            case t.LocalInit():
                words = "" if s.words is None else " " + " ".join(f"{w:04x}" for w in s.words[:16])
                more = " …" if s.words is not None and len(s.words) > 16 else ""
                return f"set {s.symbol.name}{words}{more}"
            case t.If():
                return f"if {dump_expr(s.test)}"
            case t.While():
                return f"while {dump_expr(s.test)}"
            case t.Dispatch():
                return f"dispatch {s.socket.name}"
            case t.Reset():
                return f"reset {s.iterator.name}"
            case t.SetLength():
                return f"{s.iterator.name}.len = {dump_expr(s.value)}"
            case t.Return():
                return "return" + (f" {dump_expr(s.value)}" if s.value is not None else "")
            case t.Block() | t.Forever() | t.Parallel():
                return type(s).__name__.lower()

    def _target(self, target: t.LValue | t.BaseOf | t.StreamVar) -> str:
        return target.name if isinstance(target, t.StreamVar) else dump_expr(target)

    def _inner(self, s: t.Stmt) -> list[tuple[str, t.Stmt]]:
        """The statements inside a statement, each with a title line or none."""
        match s:
            case t.ForAll() | t.While() | t.Forever():
                return [("", s.body)]
            case t.If():
                other = [("else", s.other)] if s.other is not None else []
                return [("", s.then), *other]
            case t.Block():
                return [("", one) for one in s.body]
            case t.LocalInit():
                return [("", one) for one in s.assigns]
            case t.Parallel():
                return [(f"arm {n}", arm) for n, arm in enumerate(s.arms)]
            case t.Dispatch():
                return [(self._handler(h), h.body) for h in s.handlers]
        return []

    def _handler(self, h: t.Handler) -> str:
        bound = [f"{s.type} {s.name}" for s in (h.value, h.index) if s is not None]
        if h.control:
            return f"control({', '.join([str(h.control_id)] * (h.control_id is not None) + bound)})"
        return f"wavelet({', '.join(bound)})"
