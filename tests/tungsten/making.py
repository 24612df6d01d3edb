"""Random kernels as source text: names in scope, and expressions over them.

`making_statements` adds statements, `making_kernels` whole files, `making_pairs` two kernels that exchange data.
What they make has one meaning whatever the timing: every variable has a value before it is read, indices stay in
their arrays, loops end, and 16- and 32-bit elements don't mix on one color.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, fields
from typing import TypeVar

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


@dataclass(frozen=True)
class Index:
    """A loop index with its bounds [low, high); kind: a type that holds it."""

    name: str
    low: int
    high: int
    kind: str = "xp"


@dataclass(frozen=True)
class ArrayVar:
    name: str
    kind: str
    dims: tuple[int, ...]


@dataclass(frozen=True)
class FunctionVar:
    """arrays: (kind, least extents) of the array parameters, which come after the scalars; then `records`: "S" for a
    struct, "S[]" for an array of them, "U" for a union."""

    name: str
    scalars: tuple[str, ...]
    arrays: tuple[tuple[str, tuple[int, ...]], ...]
    records: tuple[str, ...]
    result: str


@dataclass(frozen=True)
class WalkVar:
    """An iterator; total None = endless."""

    name: str
    kind: str
    total: int | None


@dataclass(frozen=True)
class FifoVar:
    name: str
    kind: str
    capacity: int


@dataclass
class Scope:
    """What can be named at a place. `fixed`: scalars that may only be read. `pointers`: arrays whose `.base` may be
    set. `records`: ("S", text) of structs and so on. `captured`: kinds of the iterators in d[0], d[1] …"""

    scalars: dict[str, str] = field(default_factory=dict)
    fixed: dict[str, str] = field(default_factory=dict)
    arrays: list[ArrayVar] = field(default_factory=list)
    constants: list[ArrayVar] = field(default_factory=list)
    pointers: list[ArrayVar] = field(default_factory=list)
    indices: list[Index] = field(default_factory=list)
    ranges: list[Index] = field(default_factory=list)
    functions: list[FunctionVar] = field(default_factory=list)
    members: list[tuple[str, str]] = field(default_factory=list)  # (text, kind)
    records: list[tuple[str, str]] = field(default_factory=list)
    walks: list[WalkVar] = field(default_factory=list)
    fifos: list[FifoVar] = field(default_factory=list)
    captured: list[str] = field(default_factory=list)

    def copy(self) -> Scope:
        return Scope(*(getattr(self, f.name).copy() for f in fields(self)))

    def globals_of(self) -> list[ArrayVar]:
        """Arrays that stand still: their addresses are the same all the time."""
        return [a for a in self.arrays if a not in self.pointers]


class Expressions:
    """Makes expressions out of choices: `number(n)` gives 0 … n-1."""

    def __init__(self, number: Callable[[int], int]) -> None:
        self.number = number
        self.count = 0
        self.scope = Scope()
        self.depth = 0
        self.trips = 1  # how often the statement in hand runs, at most

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
        outer, trips = self.scope, self.trips
        self.scope = outer.copy()
        self.depth += 1
        try:
            yield
        finally:
            self.scope, self.trips = outer, trips
            self.depth -= 1

    # --- places

    def literal(self, kind: str) -> str:
        text = self.one(EDGES[kind])
        return f"({text})" if text[0] == "-" else text

    def subscript(self, extent: int) -> str:
        """An index of a dimension, inside it."""
        fitting = [x for x in self.scope.indices if x.high - x.low <= extent]
        if fitting and self.chance(85):
            x = self.one(fitting)
            form = self.number(8)
            inside = x.low >= 0 and x.high <= extent
            if form == 1 and inside and x.high < extent:
                return f"{x.name} + {1 + self.number(extent - x.high)}"
            if form == 2 and inside:
                return f"{extent - 1} - {x.name}"
            if form == 4 and inside and 2 * (x.high - 1) < extent:
                return f"2*{x.name}"
            if form != 3 and inside:
                return x.name
            return f"{x.name} + {-x.low}" if x.low < 0 else f"{x.name} - {x.low}"
        if self.chance(25):
            mask = (1 << (extent.bit_length() - 1)) - 1
            return f"({self.integer(1)}) & {mask}"
        return str(self.number(extent))

    def element(self, a: ArrayVar) -> str:
        return a.name + "".join(f"[{self.subscript(n)}]" for n in a.dims)

    def place(self, kind: str | None = None, writable: bool = True) -> tuple[str, str] | None:
        """A variable, element or member, of a kind or of any, with its kind."""
        scope = self.scope
        scalars = [(n, k) for n, k in scope.scalars.items() if kind in (None, k)]
        arrays = [a for a in scope.arrays if kind in (None, a.kind)]
        if not writable:
            scalars += [(n, k) for n, k in scope.fixed.items() if kind in (None, k)]
            scalars += [(x.name, x.kind) for x in scope.indices if kind in (None, x.kind)]
            arrays += [a for a in scope.constants if kind in (None, a.kind)]
        members = [m for m in scope.members if kind in (None, m[1])]
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

    # --- expressions

    def integer(self, depth: int) -> str:
        return self.expr(self.one(INTEGERS), depth)

    def expr(self, kind: str, depth: int) -> str:
        """An expression of this kind, or of another integer (float) kind where this is an integer (float) kind."""
        if depth <= 0 or self.chance(20):
            return self.read(kind)
        form = self.number(13)
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
        if form == 11:
            endless = [w for w in self.scope.walks if w.total is None]
            return f"({kind})({self.one(endless).name}[])" if endless else self.read(kind)
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
            count = self.place(kind)  # no constant, which must not be negative
            return f"({left} {op} {count[0] if count is not None else 1})"
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
        fitting: list[tuple[FunctionVar, list[list[str]]]] = []
        for f in self.scope.functions:
            choices = [
                [a.name for a in self.scope.arrays if a.kind == kind and _holds(a.dims, dims)]
                for kind, dims in f.arrays
            ]
            choices += [[text for k, text in self.scope.records if k == r] for r in f.records]
            if all(choices):
                fitting.append((f, choices))
        if not fitting:
            return None
        f, choices = self.one(fitting)
        args = [self.expr(k, min(depth - 1, 1)) for k in f.scalars] + [self.one(c) for c in choices]
        return f"{f.name}({', '.join(args)})"


def _holds(dims: tuple[int, ...], least: tuple[int, ...]) -> bool:
    """An array with these extents may be passed where so many are used."""
    return len(dims) == len(least) and all(a >= b for a, b in zip(dims, least, strict=True))
