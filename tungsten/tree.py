"""The typed tree: what the front end makes of a kernel and both the evaluator and Carbide read.

Names are resolved to `Symbol`s, every conversion is an explicit `Cast`, parameters and constants are folded to
`Const`, imports are merged, `let` ranges stand as bounds in the `ForAll` that uses them, and attributes and
pragmas have become `options` on statements. What remains is the meaning of tungsten.md 3 to 7 and nothing else.

Expressions carry `type` and `span`, statements `span` and `options` (the keys are "uthread.enable" -> "on"/"off",
"dot.state", "dot.load", "vectorize" and so on, the nearest enclosing setting already merged in).
"""

from __future__ import annotations

from dataclasses import dataclass, field

from diag.spans import Span
from tungsten.types import Scalar, Type

# ---------------------------------------------------------------- symbols


@dataclass(eq=False)
class Symbol:
    """A named variable in memory (or a loop index).

    storage: "global", "local", "param" (of a function), "index" (a loop index, an xp without memory of its own).
    address: the fixed word address of `address(…)`; alias: the array of `address(&x)` with a word offset;
    bank: of `bank(k)`. init: constant words of the image, else None (start-up code stands in Program.body); a local
    has them only when it is a const array.
    align: an even address is needed beyond what the type asks for (2), since another variable with 32-bit parts lies
    at the same place. by_reference: an array or record parameter. rebased: `.base = …` is assigned somewhere, so that every access
    goes through a pointer in memory; base_read: `.base` is read somewhere.
    """

    name: str
    type: Type
    span: Span
    storage: str
    address: int | None = None
    alias: tuple[Symbol, int] | None = None
    bank: int | None = None
    init: list[int] | None = None
    align: int = 1
    by_reference: bool = False
    rebased: bool = False
    base_read: bool = False


@dataclass(eq=False)
class Socket:
    """A socket. `elem` is the declared element type or None; `dir` "in", "out" or None; `queue` the fixed id.

    The queues given out stand in `in_queue`, `out_queue` (None = none). `sends`, `receives`: places of use.
    """

    name: str
    elem: Scalar | None
    span: Span
    dir: str | None = None
    queue: int | None = None
    in_queue: int | None = None
    out_queue: int | None = None
    sends: list[Span] = field(default_factory=list)
    receives: list[Span] = field(default_factory=list)


@dataclass(eq=False)
class Fifo:
    """`fifo f = {.mem = array}`."""

    name: str
    elem: Scalar
    memory: Symbol
    span: Span


@dataclass(eq=False)
class Filter:
    """A counter filter; period limit+1, of which maxpass+1 pass; `state` 64 starts at the drop phase."""

    name: str
    socket: Socket
    limit: int
    maxpass: int
    state: int
    span: Span


@dataclass(eq=False)
class Level:
    """One level of an iterator: half-open [low, high); high None = ∞ (outermost only)."""

    index: Symbol
    low: Expr
    high: Expr | None


@dataclass(eq=False)
class Iterator:
    """An iterator over `element`, an lvalue affine in the indices of `levels` (outermost first)."""

    name: str
    elem: Scalar
    levels: list[Level]
    element: LValue
    span: Span


@dataclass(eq=False)
class StreamVar:
    """`stream e;`: a variable that holds a DSD value (four words)."""

    name: str
    elem: Scalar | None
    symbol: Symbol
    span: Span


Source = Socket | Fifo | Iterator | StreamVar

# ---------------------------------------------------------------- expressions


@dataclass(eq=False)
class Node:
    span: Span
    type: Type


@dataclass(eq=False)
class Const(Node):
    """A constant as the bit pattern of its scalar type (unsigned)."""

    bits: int


@dataclass(eq=False)
class Var(Node):
    """A symbol: a scalar variable, a whole array or record, or a loop index."""

    symbol: Symbol


@dataclass(eq=False)
class Index(Node):
    """Subscripts of the outermost dimensions; fewer than the array has give a sub-array."""

    base: LValue
    indices: list[Expr]  # each of an integer type (xp, u16, i32, u32)


@dataclass(eq=False)
class Member(Node):
    base: LValue
    name: str
    offset: int  # words


LValue = Var | Index | Member


@dataclass(eq=False)
class BaseOf(Node):
    """`name.base`, the word address of an array (u16), also as the target of an assignment."""

    symbol: Symbol


@dataclass(eq=False)
class Recv(Node):
    """One read of a socket, FIFO, iterator or stream (`rx[]`); `type` is what the rules of section 5 give."""

    source: Source


@dataclass(eq=False)
class Unary(Node):
    """op: "-" (wraps; flips a float's sign), "~", "abs"."""

    op: str
    operand: Expr


@dataclass(eq=False)
class Binary(Node):
    """Both operands already have the type of the result; shifts: the left one's type, count of the same type.

    op: + - * / % & | ^ << >> min max.
    """

    op: str
    left: Expr
    right: Expr


@dataclass(eq=False)
class Compare(Node):
    """op: < > <= >= == !=, both operands of one type; the result is xp 0 or 1."""

    op: str
    left: Expr
    right: Expr


@dataclass(eq=False)
class Logic(Node):
    """`&&`, `||` (short circuit) and `!` (right None); operands count as true when not zero; result xp 0 or 1."""

    op: str
    left: Expr
    right: Expr | None


@dataclass(eq=False)
class Cond(Node):
    """`c ? a : b`; only the chosen arm is evaluated."""

    test: Expr
    then: Expr
    other: Expr


@dataclass(eq=False)
class Cast(Node):
    """A conversion, explicit or implied, between scalar types.

    To and from wv bits go over unchanged: 32-bit types whole, 16-bit types in the low half (the high half is 0).
    """

    operand: Expr


@dataclass(eq=False)
class Fma(Node):
    """a + b*c or a - b*c (`negate`) with one rounding: three plain variables or constants of one float type."""

    a: Expr
    b: Expr
    c: Expr
    negate: bool


@dataclass(eq=False)
class Wavelet(Node):
    """`wavelet(x, i)`: 32 bits, index i high, value x low (type wv)."""

    value: Expr
    index: Expr


@dataclass(eq=False)
class Call(Node):
    """A call. Arguments by reference are lvalues of array or record type (Var, Index, Member).

    A single record may stand for a one-dimensional array of them. Arguments are evaluated from left to right.
    """

    function: Function
    args: list[Expr]


@dataclass(eq=False)
class Capture(Node):
    """The DSD value (u64) of a socket or an iterator."""

    source: Socket | Iterator


Expr = (
    Const
    | Var
    | Index
    | Member
    | BaseOf
    | Recv
    | Unary
    | Binary
    | Compare
    | Logic
    | Cond
    | Cast
    | Fma
    | Wavelet
    | Call
    | Capture
)

# ---------------------------------------------------------------- statements


@dataclass(eq=False)
class Statement:
    span: Span
    options: dict[str, str]


@dataclass(eq=False)
class Assign(Statement):
    """target = value, types equal; whole records and arrays are copied. A StreamVar takes a u64 DSD value."""

    target: LValue | BaseOf | StreamVar
    value: Expr


@dataclass(eq=False)
class Accumulate(Statement):
    """target op= value. op "+", "-", "*".

    With factors (a, b) the statement is the fused `y <+- a*b` (or `-=`): target op a*b with one rounding, a and b
    already of the target's type; `value` is None then.
    """

    target: LValue
    op: str
    value: Expr | None
    factors: tuple[Expr, Expr] | None = None


@dataclass(eq=False)
class Dot(Statement):
    """`target = ∑ a*b`: the accumulator, fp32, fused. keep: do not clear first; no_load: target is not written.

    Under a ForAll it sums over all its elements; `b` None for a sum of single terms (a*1 exact).
    """

    target: LValue | None
    a: Expr
    b: Expr | None
    keep: bool
    no_load: bool


@dataclass(eq=False)
class Send(Statement):
    """One element to a socket or FIFO; `value.type` is the element type on the wire.

    control: send the wv with the control bit; flip: the (last) word advances this tile's input switch.
    """

    dest: Socket | Fifo
    value: Expr
    control: bool = False
    flip: bool = False


@dataclass(eq=False)
class Discard(Statement):
    """A read whose value nobody wants (`rx[];`)."""

    value: Expr


@dataclass(eq=False)
class CallStmt(Statement):
    call: Call


@dataclass(eq=False)
class Range:
    """A loop level: index symbol (xp, or the type of its bounds), half-open bounds; high None = ∞."""

    index: Symbol
    low: Expr
    high: Expr | None


@dataclass(eq=False)
class ForAll(Statement):
    """Nested loops, outermost first, in sequential order; each bound is evaluated when its loop starts."""

    ranges: list[Range]
    body: Stmt


@dataclass(eq=False)
class Block(Statement):
    """Statements in order. Local declarations have become their initialising statements (`LocalInit`)."""

    body: list[Stmt]


@dataclass(eq=False)
class LocalInit(Statement):
    """A local with an initialiser is reached: its words are set to `words` (None: left alone), then `assigns` run.

    A global array or record whose initialiser is not constant is set by one too, as start-up code.
    """

    symbol: Symbol
    words: list[int] | None
    assigns: list[Stmt]


@dataclass(eq=False)
class If(Statement):
    test: Expr  # xp; not zero = true
    then: Stmt
    other: Stmt | None


@dataclass(eq=False)
class While(Statement):
    test: Expr
    body: Stmt


@dataclass(eq=False)
class Forever(Statement):
    body: Stmt


@dataclass(eq=False)
class Handler:
    """`wavelet(T x, xp i) {…}` or `control(N, xp x) {…}`; control_id None with control = any id."""

    span: Span
    control: bool
    control_id: int | None
    value: Symbol | None
    index: Symbol | None
    body: Stmt


@dataclass(eq=False)
class Dispatch(Statement):
    """`forever dispatch(s) {handlers}`."""

    socket: Socket
    handlers: list[Handler]


@dataclass(eq=False)
class Parallel(Statement):
    arms: list[Stmt]


@dataclass(eq=False)
class Reset(Statement):
    iterator: Iterator


@dataclass(eq=False)
class SetLength(Statement):
    """`it.len = n`: kept for completeness; the enclosing ∀ wins, so it has no effect on values."""

    iterator: Iterator
    value: Expr


@dataclass(eq=False)
class Return(Statement):
    value: Expr | None


Stmt = (
    Assign
    | Accumulate
    | Dot
    | Send
    | Discard
    | CallStmt
    | ForAll
    | Block
    | LocalInit
    | If
    | While
    | Forever
    | Dispatch
    | Parallel
    | Reset
    | SetLength
    | Return
)

# ---------------------------------------------------------------- program


@dataclass(eq=False)
class Function:
    """A function; `params` are scalar symbols by value, array and record symbols by reference.

    A function whose parameters leave inner extents open (`sp m[][]`) is here once for each shape of its arguments,
    under the names f, f.2, …; the extents of inner dimensions are therefore known. Functions that nobody calls
    are left out.
    """

    name: str
    params: list[Symbol]
    result: Type
    body: Block
    span: Span
    locals: list[Symbol] = field(default_factory=list)


@dataclass(eq=False)
class Program:
    """One kernel: `body` is start-up code, top-level statements and main, in order.

    `background` are the endless top-level transfers (each a ForAll), which start before the statement they
    precede and are therefore also left in `body` at their place. `teardown` is the body of the teardown task.
    """

    name: str
    path: str
    params: dict[str, Const]
    globals: list[Symbol]
    locals: list[Symbol]
    sockets: list[Socket]
    fifos: list[Fifo]
    filters: list[Filter]
    iterators: list[Iterator]
    streams: list[StreamVar]
    functions: list[Function]
    body: list[Stmt]
    background: list[ForAll]
    teardown: Block | None
    depends: list[str]
    span: Span


