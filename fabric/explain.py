"""The explanation of an ended run, as text for the log and as JSON (tools.md, docs/simfabric.md).

    outcome: blocked after 214 cycles
    tiles: 1 ended, 1 starved
    cause 1 (never sent):
      P1.0 main thread at recv.w:7:3 waits for a wavelet on C3 'east' (socket 'rx', input queue 0): the queue is empty
      P1.0 router takes C3 'east' from the left, P0.0, and none comes
      P0.0 router takes C3 'east' from its core
      the code of P0.0 ('send') has ended; it sent 7 wavelets on C3 'east'
      look: 7 of 8 came; count the values that are sent at send.w:6:6 and received at recv.w:7:3; look for a send left out
    waiting:
      P1.0 main thread at recv.w:7:3 (cause 1, starved)
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from fabric.alike import merge_alike
from fabric.arch import PORTS
from fabric.chain import NEVER_SENT, NO_QUEUE, NO_ROUTE, SHARED, SIDES, SWITCH, UNFINISHED, Chain, Namer
from fabric.outcome import BLOCKED, CYCLES, DONE, EMPTY, HALF, INTERRUPTED, Left, Outcome, Waiting, waiting_of
from fabric.places import Places
from fabric.rects import Rect, merge_plain
from fabric.reference.core import IDLE, Core
from fabric.reference.fabric import Fabric
from fabric.reference.messages import describe
from fabric.reference.wavelet import Wavelet
from fabric.walk import Walker

STARVING = frozenset([NEVER_SENT, NO_ROUTE, SWITCH, NO_QUEUE, SHARED, UNFINISHED])
TITLES = {
    DONE: "done after {} cycles",
    BLOCKED: "blocked after {} cycles",
    CYCLES: "out of cycles ({})",
    INTERRUPTED: "interrupted in cycle {}",
}
STOPPED = (CYCLES, INTERRUPTED)
MANY = 8  # that many causes, or running tiles, are printed


@dataclass
class Explanation:
    """`causes` are the chains; `cause_of` the number (from 0) of each finite wait's chain, in the order of
    `outcome.finite`; `starved` says of each whether what it waits for will never come."""

    outcome: Outcome
    places: Places
    namer: Namer
    causes: list[Chain] = field(default_factory=list)
    cause_of: list[int] = field(default_factory=list)
    starved: list[bool] = field(default_factory=list)
    busy: list[str] = field(default_factory=list)
    lost: list[dict[str, Any]] = field(default_factory=list)


def explain(fabric: Fabric, outcome: Outcome, places: Places) -> Explanation:
    """Builds the chains of a blocked run; of others, who serves and who still runs."""
    walker = Walker(fabric, places)
    e = Explanation(outcome, places, walker.name)
    if outcome.status == BLOCKED:
        finite = outcome.finite
        # Main threads first: what they wait for explains most.
        order = sorted(range(len(finite)), key=lambda i: (finite[i].ut is not None, i))
        numbers = {i: walker.from_thread(finite[i]) for i in order}
        for left in _heads(outcome.left):
            walker.from_left(left)
        e.causes, number_of = merge_alike(walker.chains)
        e.cause_of = [number_of[numbers[i]] for i in range(len(finite))]
        e.starved = [
            w.kind in (EMPTY, HALF) and e.causes[n].cause in STARVING
            for w, n in zip(finite, e.cause_of, strict=True)
        ]
    if outcome.status in STOPPED:
        e.busy = _busy(fabric, places, walker.name)
    for (index, color, port), lost in sorted(fabric.lost.items()):
        y, x = divmod(index, fabric.width)
        bank = fabric.tiles[x, y].router.channels[color].bank
        e.lost.append(
            {
                "tile": [x, y],
                "color": color,
                "color_name": places.color_name(x, y, color),
                "side": SIDES[PORTS[port]],
                "bank": bank,
                "header": lost.first.data if bank is not None else None,
                "wavelets": lost.wavelets,
                "cycle": lost.cycle,
                "sender": sender(fabric, places, lost.first),
            }
        )
    return e


def _heads(left: list[Left]) -> list[Left]:
    """The first wavelet of each buffer and queue: the ones behind it wait for it."""
    seen: dict[tuple[int, str, int | None, int], Left] = {}
    for w in left:
        color = w.color if w.queue is None else -1
        seen.setdefault((w.tile.index, w.where, w.queue, color), w)
    rank = {"input": 0, "adder": 1, "buffer": 2, "output": 3}
    return sorted(seen.values(), key=lambda w: rank[w.where])


def _busy(fabric: Fabric, places: Places, name: Namer) -> list[str]:
    """Where the main threads are that still run, and which handlers that holds up."""
    out = []
    for (x, y), tile in sorted(fabric.tiles.items(), key=lambda item: (item[0][1], item[0][0])):
        core = tile.core
        if not isinstance(core, Core) or core.task == IDLE:
            continue
        if core.vector is not None and any(w.ut is None for w in waiting_of(tile, core, fabric.now)):
            continue
        pc = core.vector.pc if core.vector is not None else core.pc
        line = f"P{x}.{y} main thread at {places.label(x, y, pc)}"
        held = [
            name.color(tile, q.color)
            for q in tile.input_queues
            if q.entries and q.number != core.task and core.tasks.entries[q.number] and not core.tasks.held[q.number]
        ]
        if held:
            line += f"; wavelets on {', '.join(held)} wait for their handler, which can't start before this task ends"
        out.append(line)
    return out


def sender(fabric: Fabric, places: Places, wavelet: Wavelet) -> str:
    """`P0.0 at send.w:5:3 in cycle 12`."""
    y, x = divmod(wavelet.born.tile, fabric.width)
    return f"P{x}.{y} at {places.label(x, y, wavelet.born.pc)} in cycle {wavelet.born.cycle}"


def orphan_lines(fabric: Fabric, outcome: Outcome, places: Places) -> list[str]:
    """`All router state is clean`, or a line for each wavelet left over."""
    if not outcome.left and not outcome.holding:
        return ["All router state is clean"]
    lines = []
    for w in outcome.left:
        x, y = w.tile.x, w.tile.y
        name = places.color_name(x, y, w.color)
        ident = f", ident={w.wavelet.ident:016x}" if w.wavelet.ident else ""
        lines.append(
            f"orphan wavelet C{w.color} at P{x}.{y} {w.place}{f' ({name})' if name else ''}: "
            f"ctrl={int(w.wavelet.ctrl)}, idx={w.wavelet.high:04x}, data={w.wavelet.low:04x}, "
            f"half={int(w.wavelet.half)}{ident}, sent by {sender(fabric, places, w.wavelet)}"
        )
    if outcome.holding:
        lines.append(f"and orphan wavelets on {outcome.holding} further tiles")
    return lines


# --- text -----------------------------------------------------------------------------------------------------------


def _tile_list(points: list[tuple[int, int]]) -> str:
    """`P0.0`, `P0.0 P3.1`, `P0.0-P33.0`: single tiles and rectangles."""
    out = []
    for r in merge_plain([Rect(x, y, 1, 1) for x, y in points]):
        whole = r.normal()
        corners = [(x, y) for x, y in whole.points()]
        if len(corners) == 1 or whole.dx != 1 or whole.dy != 1:
            out += [f"P{x}.{y}" for x, y in corners]
        else:
            out.append(f"P{corners[0][0]}.{corners[0][1]}-P{corners[-1][0]}.{corners[-1][1]}")
    return " ".join(out)


def _chain_lines(chain: Chain) -> list[str]:
    lines = []
    for link in chain.links:
        head = f"  P{link.x}.{link.y}"
        if link.thread:
            head += f" {link.thread} at {link.place}"
        elif link.what == "router":
            head += "" if link.text.startswith("output queue") else " router"
        lines.append(f"{head} {link.text}")
    lines.append(f"  {chain.end}")
    if chain.look:
        lines.append(f"  look: {chain.look}")
    if chain.also:
        lines.append(f"  the same from {_tile_list(chain.also)}")
    return lines


def _grouped(e: Explanation, waits: list[Waiting], notes: list[str]) -> list[str]:
    """One line for the tiles that wait in the same way at the same place."""
    groups: dict[tuple[str, str, str, str], list[tuple[int, int]]] = {}
    for w, note in zip(waits, notes, strict=True):
        x, y = w.tile.x, w.tile.y
        key = (w.thread, e.places.label(x, y, w.op.pc), e.namer.describe(w), note)
        groups.setdefault(key, []).append((x, y))
    return [
        f"  {_tile_list(points)} {thread} at {place} {what}{f' ({note})' if note else ''}"
        for (thread, place, what, note), points in groups.items()
    ]


def text(e: Explanation) -> list[str]:
    """The lines of the explanation."""
    outcome = e.outcome
    lines = [f"outcome: {TITLES[outcome.status].format(outcome.cycles)}"]
    lines.append("tiles: " + _counts(e))
    for lost in e.lost:
        name = f" '{lost['color_name']}'" if lost["color_name"] else ""
        if lost["bank"] is not None:
            name += f" (bank {lost['bank']}, a message {describe(lost['header'])})"
        x, y = lost["tile"]
        lines.append(
            f"left the layout: {lost['wavelets']} wavelets on C{lost['color']}{name} at P{x}.{y} to the {lost['side']}; "
            f"the first was sent by {lost['sender']}"
        )
    for number, chain in enumerate(e.causes[:MANY], 1):
        lines.append(f"cause {number} ({chain.cause}, {chain.code}):")
        lines += _chain_lines(chain)
    if len(e.causes) > MANY:
        lines.append(f"and {len(e.causes) - MANY} further causes (json=1 has them all)")
    if outcome.status == BLOCKED and outcome.finite:
        notes = [
            f"cause {n + 1}, {'starved' if starved else 'blocked'}"
            for n, starved in zip(e.cause_of, e.starved, strict=True)
        ]
        lines += ["waiting:", *_grouped(e, outcome.finite, notes)]
    serving = [w for w in outcome.waiting if w.serving]
    if serving and outcome.status not in STOPPED:
        lines += ["serving:", *_grouped(e, serving, [""] * len(serving))]
    if outcome.status in STOPPED and outcome.finite:
        waits = _grouped(e, outcome.finite, [""] * len(outcome.finite))
        lines += ["waiting:", *waits[:MANY]]
        if len(waits) > MANY:
            lines.append(f"  and {len(waits) - MANY} further lines")
    if e.busy:
        lines.append("running:")
        lines += [f"  {line}" for line in e.busy[:MANY]]
        if len(e.busy) > MANY:
            lines.append(f"  and {len(e.busy) - MANY} further tiles")
    return lines


def _counts(e: Explanation) -> str:
    """How many tiles are in which state: a tile that waits is starved or blocked by its first wait."""
    outcome = e.outcome
    state: dict[int, str] = {}
    for w, starved in zip(outcome.finite, e.starved, strict=bool(e.starved)):
        state.setdefault(w.tile.index, "starved" if starved else "blocked")
    counts = {"ended": outcome.ended, "serving": outcome.serving, "running": outcome.running}
    counts["waiting"] = outcome.unseen
    for kind in ("starved", "blocked"):
        counts[kind] = sum(1 for s in state.values() if s == kind)
    if outcome.status in STOPPED:
        waiting = len({w.tile.index for w in outcome.finite}) + outcome.unseen
        counts = {"ended": outcome.ended, "serving": outcome.serving, "waiting": waiting, "running": outcome.running}
    shown = [f"{n} {kind}" for kind, n in counts.items() if n]
    return ", ".join(shown) or "none has code"


# --- JSON -----------------------------------------------------------------------------------------------------------


def to_json(e: Explanation, fabric: Fabric) -> dict[str, Any]:
    """The same as plain data. Tiles are [x, y]; `cause` of a wait is the index into `causes`."""
    outcome = e.outcome
    causes: dict[int, int] = {id(w): n for w, n in zip(outcome.finite, e.cause_of, strict=bool(e.cause_of))}
    starved: dict[int, bool] = {id(w): s for w, s in zip(outcome.finite, e.starved, strict=bool(e.starved))}
    return {
        "status": outcome.status,
        "cycles": outcome.cycles,
        "tiles": {
            "ended": outcome.ended,
            "serving": outcome.serving,
            "running": outcome.running,
            **({"unseen": outcome.unseen} if outcome.unseen else {}),
            **({"holding": outcome.holding} if outcome.holding else {}),
        },
        "causes": [
            {
                "cause": chain.cause,
                "code": chain.code,
                "end": chain.end,
                "look": chain.look,
                "closes": chain.closes,
                "also": [[x, y] for x, y in chain.also],
                "links": [
                    {
                        "tile": [k.x, k.y],
                        "what": k.what,
                        "text": k.text,
                        "thread": k.thread or None,
                        "place": k.place or None,
                        "color": k.color,
                        "color_name": k.color_name or None,
                        "queue": k.queue,
                        "waits": k.kind or None,
                        "done": k.done if k.total else None,
                        "total": k.total or None,
                    }
                    for k in chain.links
                ],
            }
            for chain in e.causes
        ],
        "waiting": [
            {
                "tile": [w.tile.x, w.tile.y],
                "thread": w.thread,
                "place": e.places.label(w.tile.x, w.tile.y, w.op.pc),
                "kind": w.kind,
                "queue": w.queue,
                "color": w.color,
                "color_name": (e.places.color_name(w.tile.x, w.tile.y, w.color) or None) if w.color is not None else None,
                "state": "serving" if w.serving else "starved" if starved.get(id(w)) else "blocked",
                "cause": causes.get(id(w)),
            }
            for w in outcome.waiting
        ],
        "left": [
            {
                "tile": [w.tile.x, w.tile.y],
                "where": w.where,
                "queue": w.queue,
                "color": w.color,
                "color_name": e.places.color_name(w.tile.x, w.tile.y, w.color) or None,
                "ctrl": w.wavelet.ctrl,
                "data": w.wavelet.data,
                "sender": sender(fabric, e.places, w.wavelet),
            }
            for w in outcome.left
        ],
        "lost": e.lost,
        "running": e.busy,
    }
