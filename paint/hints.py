"""What an unknown name was likely meant to be, told by where it stands.

`code(v)` lacks a quote, `[l>r]` has no capitals, `paint(c C>R)` no brackets, and `// text` is no comment: each of them
reads as a name that has no value, and the message would lead astray without a hint.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

from diag.report import UserError
from paint import ast

_UNKNOWN = "PT020"
_DIRECTIONS = re.compile(r"[CLRUDHVX]+")


@contextmanager
def hinted(hint: str | bool | None, over: bool = False) -> Iterator[None]:
    """Gives the hint to an unknown name inside that has none of its own, or with `over` in place of its own."""
    try:
        yield
    except UserError as e:
        if not hint:
            raise
        raise UserError(
            [
                replace(d, hint=str(hint)) if d.code.code == _UNKNOWN and (over or d.hint is None) else d
                for d in e.diagnostics
            ]
        ) from None


def _directions(e: ast.Expr) -> bool:
    return isinstance(e, ast.Name) and _DIRECTIONS.fullmatch(e.id.upper()) is not None


def _compares(e: ast.Expr) -> bool:
    """Whether an expression looks like a position of a rule."""
    return isinstance(e, ast.Binary) and e.op in ("<", ">") and _directions(e.left) and _directions(e.right)


def is_like_rule(e: ast.ListLit) -> bool:
    """`[l>r]`, `[C<R]`, `[C]`, `[lxr]`: a list whose only element has directions alone."""
    if len(e.items) != 1 or e.items[0].name is not None:
        return False
    value = e.items[0].value
    return _compares(value) or _directions(value)


def hint_of_argument(function: str, index: int, e: ast.Expr) -> str | None:
    """The hint for argument `index` of a function, counted with the region first."""
    if function in ("code", "name") and index == 1:
        if isinstance(e, ast.Name):
            return f"a name has a quote before it: '{e.id}"
        if isinstance(e, ast.Binary) and e.op == "/":
            return f'a path stands in double quotes: "{e.span.text.strip().lstrip(chr(39))}"'
    if function == "paint" and index == 2 and (_compares(e) or _directions(e)):
        return f"a rule stands in brackets: [{e.span.text}]"
    return None


__all__ = ["hint_of_argument", "hinted", "is_like_rule"]
