"""Checks of message-passing areas (S0:209-229, S3:111-195).

A message goes along X first, then along Y, and every router on its way must have the bank enabled. Where two
tiles of an area lie in one row or one column, the tiles between them are on such ways.
"""

from __future__ import annotations

from collections.abc import Iterator

from fabric import arch
from paint.plane import Mask, Plane
from paint.tiles import TileSet
from paint.wiring import Finding, Wiring


def passing_findings(wiring: Wiring) -> Iterator[Finding]:
    """PT612 for tiles without the bank between tiles of one connected area, PT613 for an area whose messages
    have nowhere to go while another area has what is missing."""
    for bank, passing in sorted(wiring.passing.items()):
        areas = list(_areas(passing.tiles))
        for area in areas:
            hole = _between(area)
            if hole:
                yield Finding("PT612", passing.span, hole, "", f"bank {bank}", {"bank": bank})
        if len(areas) > 1:
            yield from _lonely(wiring, bank, areas)


def _areas(tiles: TileSet) -> Iterator[TileSet]:
    """The connected parts of a set of tiles."""
    if not tiles:
        return
    plane = Plane(tiles, [])
    rest = plane.mask(tiles)
    while rest:
        part: Mask = rest & -rest
        grown: Mask = 0
        while part != grown:
            grown = part
            for port in range(4):
                part |= plane.flood(part, rest, port) & rest
        rest &= ~part
        yield plane.tiles(part)


def _between(area: TileSet) -> TileSet:
    """The tiles outside an area that have tiles of it on both sides in their row or in their column."""
    plane = Plane(area, [])
    mask = plane.mask(area)
    beyond = [plane.flood(mask, plane.full, port) for port in range(4)]
    between = beyond[arch.L] & beyond[arch.R] | beyond[arch.U] & beyond[arch.D]
    return plane.tiles(between & plane.full & ~mask)


def _lonely(wiring: Wiring, bank: int, areas: list[TileSet]) -> Iterator[Finding]:
    number = arch.BANK_CORE_COLOR[bank]
    queues = [q for q in wiring.queues if q.number == number]
    sends = [any(q.sends and q.tiles & area for q in queues) for area in areas]
    receives = [any(not q.sends and q.tiles & area for q in queues) for area in areas]
    found = [
        (area, "are sent", "receives")
        for i, area in enumerate(areas)
        if sends[i] and not receives[i] and any(receives)
    ] or [
        (area, "are awaited", "sends")
        for i, area in enumerate(areas)
        if receives[i] and not sends[i] and any(sends)
    ]
    for area, what, lacks in found:
        args: dict[str, object] = {"bank": bank, "what": what, "lacks": lacks}
        yield Finding("PT613", wiring.passing[bank].span, area, "", f"bank {bank}", args)
