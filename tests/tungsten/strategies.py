"""Hypothesis strategies that make kernels as source text.

`kernels()` gives one kernel that computes: declarations of all types, loops that vectorise and loops that don't,
branches, functions, structs and unions. `pairs()` gives two kernels that exchange data on `tx` and `rx`.

What they make has one meaning whatever the timing: every variable has a value before it is read, indices stay in
their arrays, loops end, and 16- and 32-bit elements don't mix on one color.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TypeVar

from hypothesis import strategies as st

T = TypeVar("T")
INTEGERS = ("xp", "u16", "i32", "u32")
FLOATS = ("hp", "sp")
KINDS = (*INTEGERS, *FLOATS)
WORDS = {"xp": 1, "u16": 1, "i32": 2, "u32": 2, "u64": 4, "hp": 1, "sp": 2}

EDGES = {
    "xp": ("0", "1", "-1", "2", "3", "7", "-32768", "32767", "0x5555", "100", "-13", "16", "17", "-300", "1234"),
    "u16": ("0", "1", "2", "65535", "0x8000", "255", "3", "16", "15", "1000", "40000"),
    "i32": ("0", "1", "-1", "65536", "-65536", "2147483647", "-2147483647", "100000", "-7", "31", "32", "-123456"),
    "u32": ("0", "1", "0xffffffff", "0x80000000", "65535", "65537", "1234567", "33", "7", "3000000000"),
    "u64": ("0", "1", "0xffffffff", "0x100000000", "12345678901", "64"),
    "hp": ("0.0", "1.0", "-1.0", "0.5", "2.0", "0.333", "-3.25", "1000.0", "-20.5", "0.1", "7.7", "-0.017")
    + ("65504.0", "6.0e-8", "6.1e-5", "-0.0"),
    "sp": ("0.0", "1.0", "-1.0", "0.1", "3.25", "-7.5", "123.456", "-0.001", "1.0e-5", "2.5e6", "-33.3", "0.7")
    + ("1.0e38", "1.0e-40", "16777217.0", "-0.0", "65520.0"),
}
STRUCT = "struct S { xp n; sp v; hp h[3]; u32 w; };\nunion U { u32 u; xp w[2]; sp f; };\n"
MEMBERS = {"n": "xp", "v": "sp", "w": "u32"}


@dataclass(frozen=True)
class Index:
    """A loop index with its bounds [low, high)."""

    name: str
    low: int
    high: int


@dataclass(frozen=True)
class ArrayVar:
    name: str
    kind: str
    dims: tuple[int, ...]


@dataclass(frozen=True)
class FunctionVar:
    """arrays: (kind, least extents) of the array parameters, which come after the scalars."""

    name: str
    scalars: tuple[str, ...]
    arrays: tuple[tuple[str, tuple[int, ...]], ...]
    result: str


@dataclass
class Scope:
    """What can be named at a place. `fixed`: scalars that may only be read."""

    scalars: dict[str, str] = field(default_factory=dict)
    fixed: dict[str, str] = field(default_factory=dict)
    arrays: list[ArrayVar] = field(default_factory=list)
    indices: list[Index] = field(default_factory=list)
    functions: list[FunctionVar] = field(default_factory=list)
    members: list[tuple[str, str]] = field(default_factory=list)  # (text, kind)

    def copy(self) -> Scope:
        return Scope(
            dict(self.scalars),
            dict(self.fixed),
            list(self.arrays),
            list(self.indices),
            list(self.functions),
            list(self.members),
        )



class Maker:
    """Makes one kernel out of choices: `number(n)` gives 0 … n-1."""

    def __init__(self, number: Callable[[int], int]) -> None:
        self.number = number
        self.count = 0
        self.scope = Scope()
        self.depth = 0

    # --- choices

    def one(self, choices: Sequence[T]) -> T:
        return choices[self.number(len(choices))]

    def chance(self, percent: int) -> bool:
        return self.number(100) >= 100 - percent

    def new(self, prefix: str) -> str:
        self.count += 1
        return f"{prefix}{self.count}"

    @contextmanager
    def inner(self) -> Iterator[None]:
        outer, self.scope = self.scope, self.scope.copy()
        self.depth += 1
        try:
            yield
        finally:
            self.scope = outer
            self.depth -= 1

    # --- expressions

    def literal(self, kind: str) -> str:
        text = self.one(EDGES[kind])
        return f"({text})" if text[0] == "-" else text

    def subscript(self, extent: int) -> str:
        """An index of a dimension, inside it."""
        fitting = [x for x in self.scope.indices if x.low >= 0 and x.high <= extent]
        if fitting and self.chance(85):
            x = self.one(fitting)
            form = self.number(8)
            if form == 1 and x.high < extent:
                return f"{x.name} + {1 + self.number(extent - x.high)}"
            if form == 2:
                return f"{extent - 1} - {x.name}"
            if form == 3 and x.low > 0:
                return f"{x.name} - {x.low}"
            if form == 4 and 2 * (x.high - 1) < extent:
                return f"2*{x.name}"
            return x.name
        if self.chance(25):
            mask = (1 << (extent.bit_length() - 1)) - 1
            return f"({self.integer(1)}) & {mask}"
        return str(self.number(extent))

    def element(self, a: ArrayVar) -> str:
        return a.name + "".join(f"[{self.subscript(n)}]" for n in a.dims)

    def place(self, kind: str | None = None, writable: bool = True) -> tuple[str, str] | None:
        """A variable, element or member, of a kind or of any, with its kind."""
        scalars = [(n, k) for n, k in self.scope.scalars.items() if kind in (None, k)]
        if not writable:
            scalars += [(n, k) for n, k in self.scope.fixed.items() if kind in (None, k)]
            scalars += [(x.name, "xp") for x in self.scope.indices if kind in (None, "xp")]
        arrays = [a for a in self.scope.arrays if kind in (None, a.kind)]
        members = [m for m in self.scope.members if kind in (None, m[1])]
        groups: list[str] = ["scalar"] * bool(scalars) + ["array"] * (2 * bool(arrays)) + ["member"] * bool(members)
        if not groups:
            return None
        group = self.one(groups)
        if group == "scalar":
            return self.one(scalars)
        if group == "array":
            a = self.one(arrays)
            return self.element(a), a.kind
        return self.one(members)

    def read(self, kind: str) -> str:
        found = self.place(kind, writable=False)
        return found[0] if found is not None else f"({kind})({self.literal(kind)})"

    def integer(self, depth: int) -> str:
        return self.expr(self.one(INTEGERS), depth)

    def expr(self, kind: str, depth: int) -> str:
        """An expression of this kind, or of another integer (float) kind where this is an integer (float) kind."""
        if depth <= 0 or self.chance(20):
            return self.read(kind)
        form = self.number(12)
        if form <= 3:
            return self.arithmetic(kind, depth)
        if form == 4:
            other = self.one(KINDS)
            return f"({kind})({self.expr(other, depth - 1)})"
        if form == 5:
            return f"{self.one(('max', 'min'))}({self.expr(kind, depth - 1)}, {self.operand(kind, depth - 1)})"
        if form == 6:
            return f"{self.one(('abs', '-'))}({self.expr(kind, depth - 1)})"
        if form == 7:
            return f"({self.condition(depth - 1)} ? {self.expr(kind, depth - 1)} : {self.operand(kind, depth - 1)})"
        if form == 8:
            call = self.call(depth)
            return f"({kind})({call})" if call is not None else self.read(kind)
        if form == 9 and kind not in FLOATS:
            return f"({self.condition(depth - 1)})"
        if form == 10:
            other = self.one(KINDS if kind in FLOATS else INTEGERS)
            return f"({self.expr(other, depth - 1)} {self.one('+-*')} {self.expr(kind, depth - 1)})"
        return self.read(kind)

    def operand(self, kind: str, depth: int) -> str:
        """The right side of an operation: a literal may stand here."""
        return self.literal(kind) if self.chance(25) else self.expr(kind, depth)

    def arithmetic(self, kind: str, depth: int) -> str:
        left = self.expr(kind, depth - 1)
        if kind in FLOATS:
            op = self.one("+-*+-*/")
            if self.chance(10):
                return f"({self.literal(kind)} {op} {left})"
            return f"({left} {op} {self.operand(kind, depth - 1)})"
        op = self.one(("+", "-", "*", "&", "|", "^", "<<", ">>", "/", "%", "+", "-"))
        if op in ("<<", ">>") and self.chance(60):
            return f"({left} {op} {self.one((0, 1, 3, 8, 15, 16, 17, 31, 32))})"
        if op in ("<<", ">>"):
            return f"({left} {op} {self.expr(kind, depth - 1)})"
        if op in ("/", "%"):
            return f"({left} {op} {self.expr(kind, depth - 1) if self.chance(50) else self.one((1, 2, 3, 7, 8))})"
        if self.chance(10):
            return f"(~({left}) {op} {self.operand(kind, depth - 1)})"
        return f"({left} {op} {self.operand(kind, depth - 1)})"

    def condition(self, depth: int) -> str:
        kind = self.one(KINDS)
        form = self.number(7)
        if form == 0 and depth > 0:
            return f"({self.condition(depth - 1)} {self.one(('&&', '||'))} {self.condition(depth - 1)})"
        if form == 1 and depth > 0:
            return f"!({self.expr(kind, depth - 1)})"
        op = self.one(("<", ">", "<=", ">=", "==", "!="))
        return f"{self.expr(kind, depth - 1)} {op} {self.operand(kind, depth - 1)}"

    def call(self, depth: int) -> str | None:
        """A call of a function for which there are arguments."""
        fitting: list[tuple[FunctionVar, list[list[ArrayVar]]]] = []
        for f in self.scope.functions:
            choices = [
                [
                    a
                    for a in self.scope.arrays
                    if a.kind == kind
                    and len(a.dims) == len(dims)
                    and a.dims[0] >= dims[0]
                    and (len(dims) < 2 or a.dims[1] >= dims[1])
                ]
                for kind, dims in f.arrays
            ]
            if all(choices):
                fitting.append((f, choices))
        if not fitting:
            return None
        f, choices = self.one(fitting)
        args = [self.expr(k, min(depth - 1, 1)) for k in f.scalars] + [self.one(c).name for c in choices]
        return f"{f.name}({', '.join(args)})"

    # --- statements

    def assignment(self, depth: int = 3) -> str:
        found = self.place()
        if found is None:
            return ";"
        text, kind = found
        form = self.number(8)
        if form == 0:
            return f"{text} {self.one(('+=', '-=', '*='))} {self.expr(kind, depth - 1)};"
        if form == 1 and kind in FLOATS:
            return f"{text} {self.one(('<+-', '+=', '-='))} {self.factor(kind)} * {self.factor(kind)};"
        if form == 2 and kind in FLOATS:
            a, b, c = (self.read(kind) for _ in range(3))
            return f"{text} = {a} {self.one('+-')} {b}*{c};"
        return f"{text} {self.one(('=', '<-'))} {self.expr(kind, depth)};"

    def factor(self, kind: str) -> str:
        return self.read(kind) if self.chance(60) else self.expr(self.one(KINDS), 1)

    def local(self) -> str:
        kind = self.one(KINDS)
        name = self.new("t")
        if self.chance(20):
            size = 2 + self.number(3)
            values = ", ".join(self.expr(kind, 1) if self.chance(40) else self.literal(kind) for _ in range(size))
            self.scope.arrays.append(ArrayVar(name, kind, (size,)))
            return f"{kind} {name}[{size}] = {{{values}}};"
        text = f"{kind} {name} = {self.operand(kind, 2)};"
        self.scope.scalars[name] = kind
        return text

    def loop(self) -> str:
        """∀ over one or two ranges."""
        levels = 2 if self.chance(30) else 1
        with self.inner():
            heads = []
            for _ in range(levels):
                heads.append(self._range())
            form = self.number(6)
            if form <= 2:
                body = self.assignment(2)
            elif form == 3:
                body = self.reduction()
            elif form == 4:
                body = self.straight()
            else:
                body = self.block(1 + self.number(2))
        return " ".join(heads) + " " + body

    def _range(self) -> str:
        name = self.new("i")
        low = self.one((0, 0, 0, 1, 2))
        high = low + self.one((3, 2, 4, 6, 1, 8, 5, 12, 6, 0))
        self_range = Index(name, low, max(high, low + 1))
        bound = str(high)
        if self.chance(15):
            counts = [n for n, k in (*self.scope.scalars.items(), *self.scope.fixed.items()) if k in ("xp", "u16")]
            if counts:
                bound = f"{low} + ({self.one(counts)} & 3)"
                self_range = Index(name, low, low + 3)
        self.scope.indices.append(self_range)
        return f"{self.one(('∀', ''))}{name} {self.one(('in', '∈'))} [{low}, {bound})"

    def straight(self) -> str:
        """One operation on elements of one kind: what should become a vector instruction."""
        kinds = [k for k in KINDS if any(a.kind == k for a in self.scope.arrays)]
        if not kinds:
            return self.assignment(2)
        kind = self.one(kinds)
        arrays = [a for a in self.scope.arrays if a.kind == kind]
        dest, x = self.element(self.one(arrays)), self.element(self.one(arrays))
        other = self.one(kinds)
        y = self.element(self.one([a for a in self.scope.arrays if a.kind == other]))
        y = self.one((y, self.read(kind), self.literal(kind)))
        form = self.number(7)
        if form == 0:
            return f"{dest} <- {x};"
        if form == 1:
            return f"{dest} <- {y};"
        if form == 2:
            return f"{dest} {self.one(('+=', '-=', '<+-'))} {x} * {y};"
        if form == 3:
            return f"{dest} <- {self.one(('max', 'min'))}({x}, {y});"
        if form == 4 and kind in INTEGERS:
            return f"{dest} <- {x} {self.one(('&', '|', '^', '<<', '>>', '/', '%'))} {self.variable(kind, y)};"
        if form == 5:
            return f"{dest} <- {self.one(('-', 'abs', '~' if kind in INTEGERS else '-'))}({x});"
        return f"{dest} <- {x} {self.one('+-*')} {y};"

    def variable(self, kind: str, text: str) -> str:
        """An operand that is no literal, so that no constant count or divisor is out of the question."""
        return f"({kind})({text})" if "[" in text or "." not in text and text[0].isalpha() else self.read(kind)

    def reduction(self) -> str:
        scalars = [(n, k) for n, k in self.scope.scalars.items()]
        if not scalars:
            return self.assignment(2)
        name, kind = self.one(scalars)
        form = self.number(5)
        if form == 0:
            return f"{name} {self.one(('+=', '-=', '*='))} {self.expr(kind, 1)};"
        if form == 1:
            return f"{name} {self.one(('+=', '-=', '<+-'))} {self.read(kind)} * {self.read(kind)};"
        if form == 2:
            return f"{name} = {self.one(('max', 'min'))}({name}, {self.expr(kind, 1)});"
        if form == 3:
            return f"{name} = {name} {self.one('+-*')} {self.read(kind)};"
        return f"{name} <- {self.expr(kind, 1)};"

    def dot(self) -> str:
        targets = [n for n, k in self.scope.scalars.items() if k == "sp"]
        options = [o for o in ("dot.state(on)", "dot.load(off)") if self.chance(30)]
        attrs = f"[[{', '.join(options)}]] " if options else ""
        if not targets:
            return self.assignment(2)
        with self.inner():
            head = self._range()
            pick = [self.read(self.one(FLOATS)) for _ in range(2)]
        term = pick[0] if self.chance(25) else f"{pick[0]} * {pick[1]}"
        return f"{attrs}{head} {self.one(targets)} = ∑ {term};"

    def block(self, statements: int) -> str:
        with self.inner():
            return "{ " + " ".join(self.statement() for _ in range(statements)) + " }"

    def statement(self) -> str:
        form = self.number(14)
        nested = self.depth < 4
        if form <= 3:
            return self.assignment()
        if form == 4:
            return self.local()
        if form <= 8 and nested:
            return self.loop()
        if form == 9 and nested:
            text = f"if ({self.condition(1)}) {self.block(1 + self.number(2))}"
            return text + (f" else {self.block(1)}" if self.chance(50) else "")
        if form == 10 and nested:
            return self._while()
        if form == 11 and nested:
            return self.dot()
        if form == 12:
            call = self.call(2)
            return f"{call};" if call is not None else self.assignment()
        return self.copy() if self.chance(30) else self.assignment()

    def _while(self) -> str:
        name = self.new("w")
        with self.inner():
            self.scope.fixed[name] = "xp"
            test = f"{name} < {self.number(4)}" + (f" && {self.condition(1)}" if self.chance(40) else "")
            body = " ".join(self.statement() for _ in range(1 + self.number(2)))
        return f"{{ xp {name} = 0; while ({test}) {{ {body} {name} += 1; }} }}"

    def copy(self) -> str:
        return self.one(("ss[0] = ss[1];", "ss[1] = one;", "one = ss[2];"))

    # --- the file

    def globals_(self) -> list[str]:
        lines = [STRUCT + "struct S ss[3];\nstruct S one;\nunion U uu;"]
        for kind in KINDS:
            for _ in range(self.number(3)):
                name = self.new("g")
                self.scope.scalars[name] = kind
                lines.append(f"{kind} {name} = {self.literal(kind)};")
            for _ in range(self.number(3)):
                name = self.new("a")
                dims = self.one(((8,), (8,), (6,), (12,), (17,), (4, 4), (3, 5), (2, 3, 4)))
                self.scope.arrays.append(ArrayVar(name, kind, dims))
                init = f" = {self.braces(kind, dims)}" if self.chance(85) else ""
                brackets = "".join(f"[{'n=' if k == 0 else ''}{n}]" for k, n in enumerate(dims))
                lines.append(f"{kind} {name}{brackets}{init};")
        if self.chance(40):
            name = self.new("q")
            self.scope.scalars[name] = "u64"
            lines.append(f"u64 {name} = {self.literal('u64')};")
        for kind in KINDS:
            if self.chance(20):
                name = self.new("P")
                self.scope.fixed[name] = kind
                lines.append(f"{kind} {self.one(('const', 'param'))} {name} = {self.literal(kind)};")
        self.scope.members = [(f"ss[{k}].{m}", kind) for k in range(3) for m, kind in MEMBERS.items()]
        self.scope.members += [("one.n", "xp"), ("one.v", "sp"), ("one.h[1]", "hp"), ("ss[2].h[2]", "hp")]
        self.scope.members += [("uu.u", "u32"), ("uu.w[0]", "xp"), ("uu.w[1]", "xp"), ("uu.f", "sp")]
        return lines

    def braces(self, kind: str, dims: tuple[int, ...]) -> str:
        """An initialiser, here and there shorter than the array."""
        size = dims[0] if self.chance(80) else 1 + self.number(dims[0])
        if len(dims) == 1:
            return "{" + ", ".join(self.literal(kind) for _ in range(size)) + "}"
        return "{" + ", ".join(self.braces(kind, dims[1:]) for _ in range(size)) + "}"

    def function(self) -> str:
        name = self.new("f")
        with self.inner():
            scalars = tuple(self.one(KINDS) for _ in range(self.number(3)))
            arrays = tuple(
                (self.one(KINDS), self.one(((4,), (6,), (2, 3)))) for _ in range(self.number(3))
            )
            params = []
            for kind in scalars:
                p = self.new("p")
                self.scope.scalars[p] = kind
                params.append(f"{kind} {p}")
            for kind, dims in arrays:
                p = self.new("v")
                self.scope.arrays.append(ArrayVar(p, kind, dims))
                params.append(f"{kind} {p}{'[]' * len(dims)}")
            self.scope.indices = []
            result = self.one(KINDS)
            body = [self.statement() for _ in range(1 + self.number(3))]
            if self.chance(20):
                body.append(f"if ({self.condition(1)}) return ({result})({self.expr(result, 1)});")
            body.append(f"return ({result})({self.expr(result, 2)});")
        self.scope.functions.append(FunctionVar(name, scalars, arrays, result))
        return f"function {name}({', '.join(params)}) {{\n  " + "\n  ".join(body) + "\n}"

    def kernel(self) -> str:
        lines = self.globals_()
        for _ in range(self.number(3)):
            lines.append(self.function())
        body = [self.statement() for _ in range(3 + self.number(12))]
        return "\n".join(lines) + "\nmain {\n  " + "\n  ".join(body) + "\n}\n"


@dataclass(frozen=True)
class Wire:
    """One direction: the kinds of element that both ends may use, and the socket's own type or ""."""

    kinds: tuple[str, ...]
    typed: str


class End(Maker):
    """One of two kernels that exchange. `out`, `into`: what it sends and receives on."""

    def __init__(self, number: Callable[[int], int], out: Wire, into: Wire) -> None:
        super().__init__(number)
        self.out = out
        self.into = into
        self.lines = self.globals_()
        self.lines.append(f"{out.typed} socket tx;" if out.typed else "socket tx;")
        self.lines.append(f"{into.typed} socket rx;" if into.typed else "socket rx;")
        for kind in KINDS:
            # Arrays and scalars of every kind that nothing but sends and receives inside `parallel` use.
            values = [", ".join(self.literal(kind) for _ in range(8)) for _ in range(2)]
            self.lines.append(f"{kind} out_{kind}[8] = {{{values[0]}}}, in_{kind}[8] = {{{values[1]}}}, s_{kind};")
        self.body: list[str] = []

    def share(self) -> None:
        """From now on ordinary statements use these too."""
        for kind in KINDS:
            self.scope.arrays += [ArrayVar(f"out_{kind}", kind, (8,)), ArrayVar(f"in_{kind}", kind, (8,))]
            self.scope.scalars[f"s_{kind}"] = kind

    def compute(self) -> None:
        for _ in range(self.number(3)):
            self.body.append(self.statement())

    def sends(self, n: int, private: bool) -> list[str]:
        """Statements that send n elements. private: they touch out_… alone."""
        kind = self.one(self.out.kinds)
        a = f"out_{kind}"
        form = self.number(5)
        i = self.new("i")
        if form == 0:
            return [f"tx[] <- {self.sent(kind, f'{a}[{k}]', private)};" for k in range(n)]
        if form == 1:
            return [f"∀{i} in [0, {n}) {{ {kind} {i}t = {a}[{i}]; tx[] <- {i}t; }}"]
        if form == 2 and n == 8:
            return [f"∀{i} in [0, 2) ∀{i}k in [0, 4) tx[] <- {a}[4*{i} + {i}k];"]
        if form == 3:
            return [f"∀{i} in [0, {n}) tx[] <- {a}[{i}] {self.one('+-*')} out_{kind}[7 - {i}];"]
        return [f"∀{i} in [0, {n}) tx[] <- {a}[{i}];"]

    def sent(self, kind: str, plain: str, private: bool) -> str:
        if private or self.chance(50):
            return plain
        if self.out.typed and self.chance(30):
            return self.expr(self.one(KINDS), 2)
        if WORDS[kind] == 2 and self.chance(15):
            return f"wavelet({self.read('xp')}, {self.read('u16')})"
        return f"({kind})({self.expr(kind, 2)})"

    def receives(self, n: int, private: bool) -> list[str]:
        """Statements that receive n elements. private: they touch in_… and s_… alone."""
        kind = self.one(self.into.kinds)
        a = f"in_{kind}"
        form = self.number(11)
        i = self.new("i")
        head = f"∀{i} in [0, {n})"
        if form == 0:
            return [f"{a}[{k}] <- rx[];" for k in range(n)]
        if form == 1:
            return [f"{head} {a}[{i}] <- rx[] {self.one('+-*')} in_{kind}[{i}];"]
        if form == 2:
            return [f"{head} {a}[{i}] <- {self.one(('max', 'min'))}(in_{kind}[7 - {i}], rx[]);"]
        if form == 3:
            return [f"{head} s_{kind} += rx[];"]
        if form == 4:
            return [f"{head} {a}[{i}] {self.one(('+=', '-=', '<+-'))} rx[] * in_{kind}[{i}];"]
        if form == 5 and kind in FLOATS:
            return [f"{head} s_sp = ∑ rx[] * in_{kind}[{i}];"]
        if form == 6:
            other = self.one(KINDS)
            return [f"{head} in_{other}[{i}] <- ({kind})(rx[]);"]
        if form == 7:
            return [f"{head} {{ {kind} {i}t <- rx[]; s_{kind} = s_{kind} {self.one('+-*')} {i}t; {a}[{i}] = {i}t; }}"]
        if form == 8 and n > 1:
            return ["rx[];" if self.into.typed else f"s_{kind} <- rx[];", f"∀{i} in [1, {n}) {a}[{i}] <- rx[];"]
        if form == 9:
            places = [None if private else self.place(kind) for _ in range(n)]
            return [f"{p[0] if p is not None else f'{a}[{k}]'} <- rx[];" for k, p in enumerate(places)]
        return [f"{head} {a}[{i}] <- rx[];"]

    def attribute(self) -> str:
        return "[[uthread.enable(on)]] " if self.chance(12) else "[[uthread.enable(off)]] " if self.chance(5) else ""

    def add(self, statements: list[str]) -> None:
        self.body += [self.attribute() + s for s in statements]

    def parallel(self, arms: list[list[str]]) -> None:
        texts = []
        for arm in arms:
            alone = len(arm) == 1 and self.chance(60)
            texts.append(arm[0] if alone else "{ " + " ".join(arm) + " }")
        self.body.append("parallel { " + " ".join(texts) + " }")

    def dispatch(self) -> None:
        """Serves what still comes, for ever."""
        kind = self.one(self.into.kinds)
        with self.inner():
            self.scope.fixed["x"] = kind
            body = " ".join(self.statement() for _ in range(1 + self.number(2)))
        count = self.one([n for n, k in self.scope.scalars.items() if k == kind])
        self.body.append(f"forever dispatch(rx) {{ wavelet({kind} x) {{ {count} += x; {body} }} }}")

    def kernel(self) -> str:
        return "\n".join(self.lines) + "\nmain {\n  " + "\n  ".join(self.body) + "\n}\n"


def make_pair(number: Callable[[int], int]) -> tuple[str, str]:
    """Two kernels; what one sends the other receives, step by step in the same order."""
    choose = Maker(number)
    wires = []
    for _ in range(2):
        kinds = ("xp", "u16", "hp") if choose.chance(50) else ("i32", "u32", "sp")
        typed = choose.one(kinds) if choose.chance(40) else ""
        wires.append(Wire((typed,) if typed else kinds, typed))
    ends = [End(number, wires[0], wires[1]), End(number, wires[1], wires[0])]
    for e in ends:
        e.share()
    for _ in range(1 + choose.number(5)):
        for e in ends:
            e.compute()
        form = choose.number(4)
        if form <= 1:
            a, b = ends if choose.chance(50) else ends[::-1]
            n = 1 + choose.number(8)
            a.add(a.sends(n, False))
            b.add(b.receives(n, False))
        elif form == 2:  # both directions one after the other: what is on the way must fit into the queues
            sizes = [1 + choose.number(6) for _ in ends]
            order = choose.chance(50)
            for k, e in enumerate(ends):
                parts = [e.sends(sizes[k], False), e.receives(sizes[1 - k], False)]
                for part in parts if k == 0 or order else parts[::-1]:
                    e.add(part)
        else:
            sizes = [1 + choose.number(8) for _ in ends]
            for k, e in enumerate(ends):
                arms = [e.sends(sizes[k], True), e.receives(sizes[1 - k], True)]
                e.parallel(arms if e.chance(50) else arms[::-1])
    for e in ends:
        e.compute()
    if choose.chance(25):
        a, b = ends if choose.chance(50) else ends[::-1]
        a.add(a.sends(1 + choose.number(8), False))
        b.dispatch()
    return ends[0].kernel(), ends[1].kernel()


_NUMBERS: dict[int, st.SearchStrategy[int]] = {}


def _chooser(draw: st.DrawFn) -> Callable[[int], int]:
    def number(n: int) -> int:
        if n not in _NUMBERS:
            _NUMBERS[n] = st.integers(0, n - 1)
        return draw(_NUMBERS[n]) if n > 1 else 0

    return number


@st.composite
def kernels(draw: st.DrawFn) -> str:
    """One kernel that computes."""
    return Maker(_chooser(draw)).kernel()


@st.composite
def pairs(draw: st.DrawFn) -> tuple[str, str]:
    """Two kernels that exchange on tx and rx."""
    return make_pair(_chooser(draw))
