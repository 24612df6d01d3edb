"""Arithmetic of layouts (paint.md 1): exact where it can be, and never without end."""

from __future__ import annotations

import math

from diag.report import fail
from paint import ast
from paint.values import Value, kind, spelled


def negate(e: ast.Negate, value: Value) -> Value:
    if not isinstance(value, int | float):
        raise fail("PT031", e.operand.span, op="-", kind=kind(value), hint=spelled(value, e.operand.span))
    return -value


def binary(e: ast.Binary, a: Value, b: Value) -> Value:
    """Arithmetic (paint.md 1): `/` is exact on integers where it divides, else a float; `//` floors."""
    for operand, value in ((e.left, a), (e.right, b)):
        if not isinstance(value, int | float):
            raise fail("PT031", operand.span, op=e.op, kind=kind(value), hint=spelled(value, operand.span))
    assert isinstance(a, int | float) and isinstance(b, int | float)
    if e.op in ("/", "//", "%") and b == 0:
        raise fail("PT032", e.right.span, op=e.op)
    try:
        result: int | float
        match e.op:
            case "+":
                result = a + b
            case "-":
                result = a - b
            case "*":
                result = a * b
            case "/":
                whole = isinstance(a, int) and isinstance(b, int) and a % b == 0
                result = a // b if whole else a / b
            case "//":
                result = math.floor(a // b)
            case "%":
                result = a % b
            case _:
                compare = {"<": a < b, ">": a > b, "<=": a <= b, ">=": a >= b, "==": a == b, "!=": a != b}
                result = int(compare[e.op])
    except (OverflowError, ValueError):
        raise fail("PT037", e.span) from None
    # Far beyond any layout; without a bound, a define that squares would fill the memory.
    if isinstance(result, float) and not math.isfinite(result) or abs(result) > 1e300:
        raise fail("PT037", e.span)
    return result
