"""The words of the language: keywords, functions, directives."""

from __future__ import annotations

KEYWORDS = ("let", "define", "include")

# name -> (least, most number of arguments; None = any), in the function form, where a region comes first.
FUNCTIONS: dict[str, tuple[int, int | None]] = {
    "tile": (0, 0),
    "rect": (4, 4),
    "hstack": (0, None),
    "vstack": (0, None),
    "union": (0, None),
    "hstackrep": (2, 3),
    "vstackrep": (2, 3),
    "hflip": (1, 1),
    "vflip": (1, 1),
    "place": (3, 3),
    "range": (2, 2),
    "arrayplace": (2, 3),
    "setif": (3, 3),
    "color": (0, 1),
    "bank": (1, 1),
    "code": (2, 3),
    "paint": (3, 3),
    "name": (2, 2),
    "colorpair": (3, 3),
    "mp": (2, 2),
    "terminal": (0, None),
    "transport": (0, None),
}

# Functions whose first argument is a region, so that `r : f(…)` is f(r …) given back to r.
DIRECTIVES = (
    "code",
    "paint",
    "name",
    "colorpair",
    "mp",
    "place",
    "union",
    "hstack",
    "vstack",
    "hstackrep",
    "vstackrep",
    "hflip",
    "vflip",
    "arrayplace",
    "terminal",
    "transport",
)

# How each function is written, for messages.
_USAGE = {
    "tile": "tile()",
    "rect": "rect(x y w h)",
    "hstackrep": "hstackrep(region n [gap])",
    "vstackrep": "vstackrep(region n [gap])",
    "hflip": "hflip(region)",
    "vflip": "vflip(region)",
    "place": "place(region x y)",
    "range": "range(a b)",
    "arrayplace": "arrayplace(region range [p:range])",
    "setif": "setif(condition a b)",
    "color": "color(), color(number) or color(bank)",
    "bank": "bank(number)",
    "code": "code(region 'kernel [name:value …])",
    "paint": "paint(region color rule)",
    "name": "name(region 'name)",
    "colorpair": "colorpair(region a b)",
    "mp": "mp(region bank)",
}


def usage(name: str, directive: bool) -> str:
    """How a function is written, or how it is as a directive."""
    text = _USAGE.get(name, f"{name}(…)")
    if directive:
        text = "r : " + text.replace("(region)", "()").replace("(region ", "(")
    return text
