"""Chains of the same form at different places: a mistake in a kernel shows on every tile that runs it.

Two chains are alike when they differ in nothing but where they begin: the same statements, colors, counts and words,
tile by tile at the same distance from the first, whatever the cycles.
"""

from __future__ import annotations

import re
from collections.abc import Hashable

from fabric.chain import Chain

TILE = re.compile(r"\bP(\d+)\.(\d+)")
CYCLE = re.compile(r"in cycle \d+")


def _form(chain: Chain) -> Hashable:
    """What chains that are alike have in common."""
    x0, y0 = chain.links[0].x, chain.links[0].y

    def here(text: str) -> str:
        moved = TILE.sub(lambda m: f"P[{int(m[1]) - x0},{int(m[2]) - y0}]", text)
        return CYCLE.sub("in cycle …", moved)

    links = tuple(
        (k.x - x0, k.y - y0, k.what, here(k.text), k.thread, k.place, k.color, k.queue, k.kind, k.done, k.total)
        for k in chain.links
    )
    return chain.cause, links, here(chain.end), here(chain.look), chain.closes


def merge_alike(chains: list[Chain]) -> tuple[list[Chain], list[int]]:
    """The first chain of each form, with `also` filled in; and of every given one the number of its form's."""
    firsts: list[Chain] = []
    numbers: list[int] = []
    seen: dict[Hashable, int] = {}
    for chain in chains:
        form: Hashable = _form(chain) if chain.links else id(chain)
        number = seen.setdefault(form, len(firsts))
        if number == len(firsts):
            firsts.append(chain)
        else:
            firsts[number].also.append((chain.links[0].x, chain.links[0].y))
        numbers.append(number)
    return firsts, numbers
