"""The syntax tree of a source, as written: names are not resolved, nothing has a type yet.

Every node has a span. Parentheses stay, since they matter to the fused multiply-add (tungsten.md 4).
"""

from __future__ import annotations

from dataclasses import dataclass, field

from diag.spans import Span


@dataclass(eq=False, slots=True)
class Node:
    span: Span


# ---------------------------------------------------------------- expressions


@dataclass(eq=False, slots=True)
class Number(Node):
    """A literal; `suffix` is the type word behind the colon."""

    value: int | float
    suffix: str | None


@dataclass(eq=False, slots=True)
class Name(Node):
    name: str


@dataclass(eq=False, slots=True)
class Subscript(Node):
    """`base[index]`; index None for `base[]`."""

    base: Expr
    index: Expr | None


@dataclass(eq=False, slots=True)
class Select(Node):
    """`base.member`."""

    base: Expr
    member: Name


@dataclass(eq=False, slots=True)
class Apply(Node):
    """`function(args)`, an intrinsic or a function of the program."""

    function: Expr
    args: list[Expr]


@dataclass(eq=False, slots=True)
class Paren(Node):
    inner: Expr


@dataclass(eq=False, slots=True)
class Unary(Node):
    """op: - ~ !"""

    op: str
    operand: Expr


@dataclass(eq=False, slots=True)
class Binary(Node):
    op: str
    op_span: Span
    left: Expr
    right: Expr


@dataclass(eq=False, slots=True)
class Ternary(Node):
    test: Expr
    then: Expr
    other: Expr


@dataclass(eq=False, slots=True)
class Cast(Node):
    """`(type) operand`."""

    type: Name
    operand: Expr


@dataclass(eq=False, slots=True)
class Sum(Node):
    """`∑ operand`."""

    operand: Expr


Expr = Number | Name | Subscript | Select | Apply | Paren | Unary | Binary | Ternary | Cast | Sum


# ---------------------------------------------------------------- parts of declarations


@dataclass(eq=False, slots=True)
class TypeRef(Node):
    """A type word or a typedef's name (kind ""), or `struct NAME` and `union NAME`, perhaps with its definition."""

    kind: str
    name: Name | None
    record: RecordDef | None = None


@dataclass(eq=False, slots=True)
class DimRef(Node):
    """`[n=expr]`; extent None for `[]`."""

    name: Name | None
    extent: Expr | None


@dataclass(eq=False, slots=True)
class Option(Node):
    """One attribute: key "dir", "uthread.enable", …, with its word."""

    key: str
    value: str
    value_span: Span


@dataclass(eq=False, slots=True)
class RangeRef(Node):
    """`[low, high)`; high None for ∞."""

    low: Expr
    high: Expr | None


@dataclass(eq=False, slots=True)
class Braces(Node):
    """`{a, b}` or `{.field = a}`: pairs of field (or None) and value."""

    items: list[tuple[Name | None, Init]]


@dataclass(eq=False, slots=True)
class LevelRef(Node):
    """`∀i` or `i in [a, b)` of a loop or an iterator; range None: a `let`."""

    name: Name
    range: RangeRef | None


@dataclass(eq=False, slots=True)
class Walk(Node):
    """An iterator's initialiser: levels, outermost first, and the element they walk over."""

    levels: list[LevelRef]
    element: Expr


Init = Expr | Braces | Walk


@dataclass(eq=False, slots=True)
class Item(Node):
    """One declared name with what follows it. `address`: the expression, with `alias` for `address(&x)`."""

    name: Name
    dims: list[DimRef]
    address: Expr | None = None
    alias: bool = False
    bank: Expr | None = None
    options: list[Option] = field(default_factory=list)
    init: Init | None = None


# ---------------------------------------------------------------- statements and declarations


@dataclass(eq=False, slots=True)
class Decl(Node):
    """role: "" "const" "param" "socket" "fifo" "filter" "iterator"."""

    type: TypeRef | None
    role: str
    items: list[Item]


@dataclass(eq=False, slots=True)
class RecordDef(Node):
    """`struct NAME { members }`; kind "struct" or "union"; name None: anonymous."""

    kind: str
    name: Name | None
    members: list[Decl]


@dataclass(eq=False, slots=True)
class Typedef(Node):
    type: TypeRef
    items: list[Item]


@dataclass(eq=False, slots=True)
class Import(Node):
    name: Name


@dataclass(eq=False, slots=True)
class Let(Node):
    name: Name
    range: RangeRef


@dataclass(eq=False, slots=True)
class Param(Node):
    type: TypeRef
    name: Name
    dims: list[DimRef]


@dataclass(eq=False, slots=True)
class FunctionDef(Node):
    name: Name
    params: list[Param]
    body: Block


@dataclass(eq=False, slots=True)
class Main(Node):
    body: Block


@dataclass(eq=False, slots=True)
class Assign(Node):
    """op: "=" "+=" "-=" "*="; view: the type before the destination."""

    view: Name | None
    target: Expr
    op: str
    op_span: Span
    value: Expr


@dataclass(eq=False, slots=True)
class Evaluate(Node):
    """An expression as a statement: a call, or a read whose value is dropped."""

    value: Expr


@dataclass(eq=False, slots=True)
class Flip(Node):
    socket: Name


@dataclass(eq=False, slots=True)
class Block(Node):
    """`end` is the span of the closing brace."""

    body: list[Stmt]
    end: Span


@dataclass(eq=False, slots=True)
class Loop(Node):
    levels: list[LevelRef]
    body: Stmt


@dataclass(eq=False, slots=True)
class If(Node):
    test: Expr
    then: Stmt
    other: Stmt | None


@dataclass(eq=False, slots=True)
class While(Node):
    test: Expr
    body: Stmt


@dataclass(eq=False, slots=True)
class Forever(Node):
    body: Block


@dataclass(eq=False, slots=True)
class HandlerDef(Node):
    """kind "wavelet" or "control"; id: a control handler's constant; params as written."""

    kind: str
    id: Expr | None
    params: list[Param]
    body: Block


@dataclass(eq=False, slots=True)
class Dispatch(Node):
    socket: Name
    handlers: list[HandlerDef]


@dataclass(eq=False, slots=True)
class Parallel(Node):
    body: Block


@dataclass(eq=False, slots=True)
class Reset(Node):
    name: Name


@dataclass(eq=False, slots=True)
class Return(Node):
    value: Expr | None


@dataclass(eq=False, slots=True)
class Optioned(Node):
    """A statement or declaration with attributes or a pragma before it; body None: nothing follows."""

    options: list[Option]
    pragma: bool
    body: Stmt | None


Stmt = (
    Decl
    | RecordDef
    | Typedef
    | Import
    | Let
    | FunctionDef
    | Main
    | Assign
    | Evaluate
    | Flip
    | Block
    | Loop
    | If
    | While
    | Forever
    | Dispatch
    | Parallel
    | Reset
    | Return
    | Optioned
)


@dataclass(eq=False, slots=True)
class File(Node):
    items: list[Stmt]
