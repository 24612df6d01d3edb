"""`a > b ? a : b` as max(a, b), which is one instruction and has a vector form; no bit changes.

The two operands of the comparison are the two values. Where they are equal (the two zeros too), max and min give their
first operand, and a comparison with `=` in it the arm that it stands for. Where one is not a number, max and min give the
number, the choice its last arm; so floats take part only if the last arm is a constant that is a number.
"""

from __future__ import annotations

from carbide.walk import has_effects, key
from tungsten import tree as t
from tungsten.types import HP, SP, Scalar

_INFINITY = {SP: 0x7F800000, HP: 0x7C00}  # what is above it, the sign apart, is not a number


def plain(e: t.Expr) -> t.Expr:
    """The expression itself, or the max or min that it is."""
    if not isinstance(e, t.Cond) or not isinstance(e.test, t.Compare) or has_effects(e.test):
        return e
    test, kind = e.test, e.type
    if test.op in ("==", "!=") or not isinstance(kind, Scalar) or test.left.type != kind or kind.words > 2:
        return e
    left, right, then, other = (key(x) for x in (test.left, test.right, e.then, e.other))
    if (left, right) not in ((then, other), (other, then)):
        return e
    if kind.is_float and not _is_number(e.other):
        return e
    if not kind.is_float and not kind.is_integer:
        return e
    larger = (test.op[0] == ">") == (left == then)
    first, second = (e.then, e.other) if "=" in test.op else (e.other, e.then)
    return t.Binary(e.span, kind, "max" if larger else "min", first, second)


def _is_number(e: t.Expr) -> bool:
    if not isinstance(e, t.Const) or e.type not in (SP, HP):
        return False
    return e.bits & (1 << 16 * e.type.words - 1) - 1 <= _INFINITY[SP if e.type is SP else HP]
