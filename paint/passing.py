"""Checks of message-passing areas (S0:209-229, S3:111-195).

A message goes along X first, then along Y, and every router on its way must have the bank enabled. Where two
tiles of an area lie in one row or one column, the tiles between them are on such ways. In an area without such holes
all that can fail is the turn: from a sender's row into a receiver's column.
"""

from __future__ import annotations

from collections.abc import Iterator

from fabric import arch
from paint.plane import Mask, Plane
from paint.tiles import TileSet, union
from paint.wiring import Finding, Wiring


def passing_findings(wiring: Wiring) -> Iterator[Finding]:
    """PT612 for tiles without the bank between tiles of one connected area, or between a tile that stands alone and
    others; PT615 for an area that is no rectangle, where a message would turn outside of it; PT613 for an area whose
    messages have nowhere to go while another area has what is missing."""
    for bank, passing in sorted(wiring.passing.items()):
        areas = list(_areas(passing.tiles))
        lonely = list(_lonely(wiring, bank, areas)) if len(areas) > 1 else []
        hole = union(_between(area, area) for area in areas)
        single = union(area for area in areas if area.count() == 1)
        if single and len(areas) > 1 and not lonely:
            hole = hole | _between(single, passing.tiles)
        if hole:
            yield Finding("PT612", passing.span, hole, "", f"bank {bank}", {"bank": bank})
        for area in areas:
            if not _between(area, area):
                yield from _turns(wiring, bank, area)
        yield from lonely


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


def _between(some: TileSet, area: TileSet) -> TileSet:
    """The tiles outside an area that have tiles of it on both sides in their row or in their column, on one side such
    as are in `some`, a part of the area."""
    plane = Plane(area, [some])
    mask = plane.mask(area)
    one = [plane.flood(plane.mask(some), plane.full, port) for port in range(4)]
    other = [plane.flood(mask, plane.full, port) for port in range(4)]
    between = 0
    for port in range(4):
        between |= one[port] & other[arch.OPPOSITE[port]]
    return plane.tiles(between & plane.full & ~mask)


def _turns(wiring: Wiring, bank: int, area: TileSet) -> Iterator[Finding]:
    """PT615 for an area without holes. What neither sends nor receives is taken to do both: it may be coded later."""
    number = arch.BANK_CORE_COLOR[bank]
    queues = [q for q in wiring.queues if q.number == number]
    sends = area & union([wiring.self_routing, *(q.tiles for q in queues if q.sends)])
    receives = area & union([wiring.self_routing, *(q.tiles for q in queues if not q.sends)])
    if not sends and not receives:
        sends = receives = area
    turns = TileSet.make(0, 0, [(sends.rows << sends.y, receives.columns << receives.x)]) - area
    if turns:
        x, y = turns.first()
        sender = (sends & TileSet.box(0, y, x + area.x + area.w, 1)).first()
        receiver = (receives & TileSet.box(x, 0, 1, y + area.y + area.h)).first()
        args: dict[str, object] = {"bank": bank, "sender": sender, "receiver": receiver, "turn": (x, y)}
        yield Finding("PT615", wiring.passing[bank].span, turns, "", f"bank {bank}", args)


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
