"""Random kernels: declarations, functions, the code."""

from __future__ import annotations

from collections.abc import Callable

from making import FLOATS, KINDS, ArrayVar, FifoVar, FunctionVar, Index, WalkVar
from making_statements import Statements

RECORDS = """struct S { xp n; sp v; hp h[3]; u32 w; };
union U { u32 u; xp w[2]; sp f; };
struct T { struct S s; union { i32 i; hp q[2]; } m; xp k[2][2]; };
struct S ss[3];
struct S one;
union U uu;
struct T tt[2];
"""
S_MEMBERS = (("n", "xp"), ("v", "sp"), ("w", "u32"), ("h[1]", "hp"), ("h[2]", "hp"))
U_MEMBERS = (("u", "u32"), ("w[0]", "xp"), ("w[1]", "xp"), ("f", "sp"))
T_MEMBERS = (("s.n", "xp"), ("s.v", "sp"), ("m.i", "i32"), ("m.q[1]", "hp"), ("k[1][0]", "xp"))


class Kernels(Statements):
    """Makes a kernel that computes, of up to `size` statements more than three."""

    size = 12

    def __init__(self, number: Callable[[int], int]) -> None:
        super().__init__(number)
        self.cached = False  # an array lies in the data cache

    def globals_(self) -> list[str]:
        lines = [RECORDS]
        scope = self.scope
        for kind in KINDS:
            for _ in range(self.number(3)):
                name = self.new("g")
                scope.scalars[name] = kind
                lines.append(f"{kind} {name} = {self.literal(kind)};")
            for _ in range(self.number(3)):
                lines.append(self.array(kind))
        if self.chance(40):
            name = self.new("q")
            scope.scalars[name] = "u64"
            lines.append(f"u64 {name} = {self.literal('u64')};")
        for kind in KINDS:
            if self.chance(20):
                name = self.new("P")
                scope.fixed[name] = kind
                lines.append(f"{kind} {self.one(('const', 'param'))} {name} = {self.literal(kind)};")
        for _ in range(self.number(3)):
            name = self.new("r")
            index = Index(name, 0, 2 + self.number(5))
            scope.ranges.append(index)
            lines.append(f"let {name} in [0, {index.high});")
        for k in range(3):
            self.struct(f"ss[{k}]")
        self.struct("one")
        self.union("uu")
        scope.records.append(("S[]", "ss"))
        self.struct("tt[1].s")
        scope.members += [(f"tt[{k}].{m}", kind) for k in range(2) for m, kind in T_MEMBERS]
        return lines + self.hardware()

    def struct(self, text: str) -> None:
        self.scope.members += [(f"{text}.{m}", kind) for m, kind in S_MEMBERS]
        self.scope.records.append(("S", text))

    def union(self, text: str) -> None:
        self.scope.members += [(f"{text}.{m}", kind) for m, kind in U_MEMBERS]
        self.scope.records.append(("U", text))

    def array(self, kind: str) -> str:
        """A global array, in some place."""
        name = self.new("a")
        dims = self.one(((8,), (8,), (6,), (12,), (17,), (4, 4), (3, 5), (2, 3, 4), (40,), (5, 16), (2, 2, 3, 3)))
        similar = [a for a in self.scope.arrays if a.kind == kind and len(a.dims) == 1 and a.name[0] == "a"]
        form = self.number(20)
        if form == 0 and similar:
            other = self.one(similar)
            name = self.new("b")
            self.scope.arrays.append(ArrayVar(name, kind, other.dims))
            return f"{kind} {name}[{other.dims[0]}] address(&{other.name});"
        if form == 1:
            name = self.new("p")
            self.scope.arrays.append(ArrayVar(name, kind, (4,)))
            self.scope.pointers.append(self.scope.arrays[-1])
            return f"{kind} {name}[4] = {self.braces(kind, (4,))};"
        self.scope.arrays.append(ArrayVar(name, kind, dims))
        init = f" = {self.braces(kind, dims)}" if self.chance(85) else ""
        brackets = "".join(f"[{'n=' if k == 0 else ''}{n}]" for k, n in enumerate(dims))
        if form == 2:
            brackets += f" bank({self.number(4)})"
        if form == 3 and dims == (8,) and not self.cached:
            self.cached = True
            brackets += " address(0x7f00)"
        return f"{kind} {name}{brackets}{init};"

    def hardware(self) -> list[str]:
        """Iterators, a FIFO, captured iterators."""
        lines: list[str] = []
        scope = self.scope
        rows = [a for a in scope.globals_of() if len(a.dims) == 1 and a.name[0] == "a"]
        for _ in range(self.number(3)):
            if not rows:
                break
            a = self.one(rows)
            name = self.new("it")
            n = a.dims[0]
            form = self.number(4)
            if form == 0:
                text, total = f"i in [0, {n}) {a.name}[i]", n
            elif form == 1:
                text, total = f"i in [0, {n // 2}) j in [0, 2) {a.name}[{n - 1} - i - j]", n // 2 * 2
            elif form == 2:
                text, total = f"i in [0, ∞) j in [0, {n}) {a.name}[j]", None
            else:
                text, total = f"i in [0, ∞) j in [0, 2) k in [0, {n // 2}) {a.name}[2*k + j]", None
            scope.walks.append(WalkVar(name, a.kind, total))
            lines.append(f"iterator {name} = {text};")
        if self.chance(30):
            kind = self.one(KINDS)
            size = 3 + self.number(5)
            name = self.new("ff")
            scope.fifos.append(FifoVar(name, kind, size))
            lines.append(f"{kind} {name}m[n={size}]; {kind} fifo {name} = {{.mem={name}m}};")
        endless = [w for w in scope.walks if w.total is None]
        if endless:
            lines.append(f"u64 d[{len(endless)}]; stream e1, e2;")
            lines += [f"d[{k}] = {w.name};" for k, w in enumerate(endless)]
            scope.captured = [w.kind for w in endless]
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
            scope = self.scope
            scalars = tuple(self.one(KINDS) for _ in range(self.number(3)))
            arrays = tuple((self.one(KINDS), self.one(((4,), (6,), (2, 3)))) for _ in range(self.number(3)))
            records = tuple(self.one(("S", "S[]", "U")) for _ in range(self.number(2)))
            params = []
            for kind in scalars:
                p = self.new("p")
                scope.scalars[p] = kind
                params.append(f"{kind} {p}")
            for kind, dims in arrays:
                p = self.new("v")
                scope.arrays.append(ArrayVar(p, kind, dims))
                params.append(f"{kind} {p}{'[]' * len(dims)}")
            for r in records:
                p = self.new("z")
                if r == "U":
                    self.union(p)
                elif r == "S":
                    self.struct(p)
                else:
                    self.struct(f"{p}[1]")
                    scope.records.append(("S[]", p))
                params.append(f"{'union U' if r == 'U' else 'struct S'} {p}{'[]' if r == 'S[]' else ''}")
            scope.indices = []
            result = self.one(KINDS)
            body = [self.statement() for _ in range(1 + self.number(3))]
            if self.chance(20):
                body.append(f"if ({self.condition(1)}) return ({result})({self.expr(result, 1)});")
            if self.chance(15):
                i = self.new("i")
                exit_ = f"return ({result})({self.literal(self.one(FLOATS))});"
                body.append(f"∀{i} in [0, 3) {{ {self.assignment(1)} if ({self.condition(1)}) {exit_} }}")
            body.append(f"return ({result})({self.expr(result, 2)});")
        self.scope.functions.append(FunctionVar(name, scalars, arrays, records, result))
        return f"function {name}({', '.join(params)}) {{\n  " + "\n  ".join(body) + "\n}"

    def kernel(self) -> str:
        lines = self.globals_()
        for _ in range(self.number(3)):
            lines.append(self.function())
        body = [self.statement() for _ in range(3 + self.number(self.size))]
        text = "\n".join(lines)
        if self.chance(20):  # without main: the statements are the code
            return text + "\n" + "\n".join(body) + "\n"
        return text + "\nmain {\n  " + "\n  ".join(body) + "\n}\n"


def make_kernel(number: Callable[[int], int]) -> str:
    """One kernel; `number(n)` chooses among n."""
    return Kernels(number).kernel()
