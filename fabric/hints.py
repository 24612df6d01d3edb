"""What a chain says to look at when something was never sent: counts, filters, sizes of elements.

The words are put together from what the walk met (`Chain`) and from what the sending tile did and may still do.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.arch import FILTER_LIMIT, FILTER_MAXPASS
from fabric.descriptor import FABIN, FABOUT
from fabric.places import Places
from fabric.reference.ahead import uses
from fabric.reference.core import Core
from fabric.reference.tile import Tile

if TYPE_CHECKING:
    from fabric.chain import Chain

SHOWN = 3  # places of statements
SIZES = {1: "16-bit", 2: "32-bit"}


def filter_words(tile: Tile, color: int) -> str:
    """`the counter filter on P1.0 lets 2 of every 4 data wavelets pass`, or "" where none drops any."""
    filters = tile.filters
    at = filters.by_color.get(color)
    if at is None:
        return ""
    limit, most = filters.words[at + FILTER_LIMIT], filters.words[at + FILTER_MAXPASS]
    if most >= limit:
        return ""
    return f"the counter filter on P{tile.x}.{tile.y} lets {most + 1} of every {limit + 1} data wavelets pass"


def places_of(places: Places, tile: Tile, way: str, queue: int) -> str:
    """` at send.w:6:3, send.w:9:3 …`: the statements that use a socket, or ""."""
    socket = places.socket(tile.x, tile.y, way, queue)
    at = socket.uses if socket is not None else ()
    return f" at {', '.join(at[:SHOWN])}{' …' if len(at) > SHOWN else ''}" if at else ""


def sizes_of(places: Places, tile: Tile, way: str, queue: int) -> set[int]:
    """How many words the elements have that a tile's code sends (way "out") or receives ("in") on a queue."""
    program = places.program(tile.x, tile.y)
    if program is None or not isinstance(tile.core, Core):
        return set()
    kind = FABOUT if way == "out" else FABIN
    return {u.words for u in uses(tile.core, program.addresses) if (u.kind, u.queue) == (kind, queue)}


def never_sent(places: Places, tile: Tile, queue: int, chain: Chain) -> str:
    """What to look at when `tile` sends nothing more on an output queue."""
    if chain.filter:
        return f"{chain.filter}; count what is left of the values that are sent"
    sizes = sizes_of(places, tile, "out", queue)
    if chain.words and sizes and chain.words not in sizes:
        if chain.words == 2:
            return "16-bit values are sent, two in a wavelet, and 32-bit ones are read: give both sockets the same type"
        return "32-bit values are sent, and 16-bit halves of them are read: give both sockets the same type"
    progress = chain.progress
    came = f"{progress.done} of {progress.total} came; " if progress is not None else ""
    at = places_of(places, tile, "out", queue) or " there"
    return f"{came}count the values that are sent{at} and received{chain.receiver}; look for a send left out"
