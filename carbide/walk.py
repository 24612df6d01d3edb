"""Walks over the typed tree: parts of expressions and statements, and the simple questions that lowering asks."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from tungsten import tree as t

_PARTS: dict[type, Callable[[Any], tuple[t.Expr, ...]]] = {
    t.Index: lambda e: (e.base, *e.indices),
    t.Member: lambda e: (e.base,),
    t.Unary: lambda e: (e.operand,),
    t.Cast: lambda e: (e.operand,),
    t.Binary: lambda e: (e.left, e.right),
    t.Compare: lambda e: (e.left, e.right),
    t.Logic: lambda e: (e.left,) if e.right is None else (e.left, e.right),
    t.Cond: lambda e: (e.test, e.then, e.other),
    t.Fma: lambda e: (e.a, e.b, e.c),
    t.Wavelet: lambda e: (e.value, e.index),
    t.Call: lambda e: tuple(e.args),
}


def parts(e: t.Expr) -> tuple[t.Expr, ...]:
    """The direct operands of an expression."""
    found = _PARTS.get(type(e))
    return found(e) if found is not None else ()


def nodes(e: t.Expr) -> Iterator[t.Expr]:
    """An expression and everything in it, outermost first."""
    todo = [e]
    while todo:
        x = todo.pop()
        yield x
        found = _PARTS.get(type(x))
        if found is not None:
            todo += found(x)[::-1]


def expressions(s: t.Stmt) -> tuple[t.Expr, ...]:
    """The expressions that stand directly in a statement (not in statements within it)."""
    out: list[t.Expr | None] = []
    if isinstance(s, t.Assign):
        out = [None if isinstance(s.target, t.StreamVar) else s.target, s.value]
    elif isinstance(s, t.Accumulate):
        out = [s.target, s.value, *(s.factors or ())]
    elif isinstance(s, t.Dot):
        out = [s.target, s.a, s.b]
    elif isinstance(s, t.Send | t.Discard | t.SetLength | t.Return):
        out = [s.value]
    elif isinstance(s, t.CallStmt):
        out = [s.call]
    elif isinstance(s, t.ForAll):
        out = [b for r in s.ranges for b in (r.low, r.high)]
    elif isinstance(s, t.If | t.While):
        out = [s.test]
    return tuple(e for e in out if e is not None)


def statements(s: t.Stmt) -> tuple[t.Stmt, ...]:
    """The statements directly within a statement; the handlers of a dispatch are tasks of their own and left out."""
    if isinstance(s, t.ForAll | t.While | t.Forever):
        return (s.body,)
    if isinstance(s, t.Block):
        return tuple(s.body)
    if isinstance(s, t.LocalInit):
        return tuple(s.assigns)
    if isinstance(s, t.If):
        return (s.then,) if s.other is None else (s.then, s.other)
    if isinstance(s, t.Parallel):
        return tuple(s.arms)
    return ()


def all_statements(s: t.Stmt) -> Iterator[t.Stmt]:
    """A statement and all within it, without handlers, in the order of the text."""
    todo = [s]
    while todo:
        x = todo.pop()
        yield x
        todo += statements(x)[::-1]


def all_nodes(s: t.Stmt) -> Iterator[t.Expr]:
    """Every expression node of a statement and of those within it."""
    for x in all_statements(s):
        for e in expressions(x):
            yield from nodes(e)


def has_effects(e: t.Expr) -> bool:
    """It reads a queue, FIFO or iterator, or calls a function: it can't be left out, repeated or moved."""
    return any(isinstance(n, t.Recv | t.Call | t.Capture) for n in nodes(e))


def waits(source: t.Source) -> bool:
    """A read of it may have to wait (an iterator walks memory and never does)."""
    return not isinstance(source, t.Iterator)


def transfers(s: t.Stmt) -> bool:
    """The statement itself (its own expressions included, those of inner statements not) sends or receives."""
    if isinstance(s, t.Send):
        return True
    return any(isinstance(n, t.Recv) and waits(n.source) for e in expressions(s) for n in nodes(e))


def only(s: t.Stmt) -> t.Stmt:
    """The one statement that blocks of a single statement come down to."""
    while isinstance(s, t.Block) and len(s.body) == 1:
        s = s.body[0]
    return s


def innermost(s: t.Stmt) -> t.Stmt:
    """What loops and blocks of a single statement come down to."""
    s = only(s)
    while isinstance(s, t.ForAll):
        s = only(s.body)
    return s


def mentions(e: t.Expr, symbols: set[t.Symbol]) -> bool:
    """Some variable of the set stands in the expression."""
    return any(isinstance(n, t.Var) and n.symbol in symbols for n in nodes(e))


def constant(e: t.Expr | None) -> int | None:
    """The value of an integer constant, with its sign, or None."""
    if not isinstance(e, t.Const):
        return None
    kind = e.type
    bits = e.bits
    signed = getattr(kind, "is_signed", False)
    size = kind.words * 16
    return bits - (1 << size) if signed and bits >> (size - 1) else bits


def key(e: t.Expr) -> object:
    """Something hashable that is equal for expressions that read the same (as long as no variable changes)."""
    if isinstance(e, t.Const):
        return ("const", str(e.type), e.bits)
    if isinstance(e, t.Var):
        return e.symbol
    if isinstance(e, t.Recv | t.Call | t.Capture):
        return ("once", id(e))
    extra: object = None
    if isinstance(e, t.Unary | t.Binary | t.Compare | t.Logic):
        extra = e.op
    elif isinstance(e, t.Member):
        extra = e.offset
    elif isinstance(e, t.Fma):
        extra = e.negate
    elif isinstance(e, t.BaseOf):
        extra = e.symbol
    return (type(e).__name__, str(e.type), extra, tuple(key(p) for p in parts(e)))


def same_place(a: t.Expr, b: t.Expr) -> bool:
    """Both are the same variable, element or member, written the same way and free of effects."""
    return isinstance(a, t.LValue) and not has_effects(a) and key(a) == key(b)
