"""The evaluator: what a kernel means, worked out from the typed tree alone with numpy scalar types.

It is the oracle of the compiler and of the simulators and therefore shares no code with either: every rule of
tungsten.md 3 to 7 is written out once more, for the reader, without regard to speed.

    result = evaluate(program, inputs={"rx": [Wave(32, 7)]}, memory={"a": [1, 2, 3]})
    result.memory["c"]       the words of global c at the end
    result.sent["tx"]        what was sent there: Wave(bits, value, control, flip)

    a, b = evaluate_tiles([left, right], links=[((0, "tx"), (1, "rx")), ((1, "tx"), (0, "rx"))])

Not modelled, because they are the machine's and not the language's: time, routes and what control wavelets do to
them, hardware registers (an `address(…)` there is plain memory), the teardown task. Sends never wait.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from tungsten import tree as t
from tungsten.evaluate_wire import Wave

LIMIT = 1_000_000  # statements of one kernel
Link = tuple[tuple[int, str], tuple[int, str]]  # (tile, socket that sends), (tile, socket that receives)
Item = Wave | int


@dataclass
class Result:
    """The end of one kernel.

    memory: the 16-bit words of every global by name. sent: the sends on every socket, in order. left: wavelets that
    no one took. ended: the top-level code is through. serving: a dispatch is open. waiting: "file:line:col" of each thread that still waits.
    """

    memory: dict[str, list[int]] = field(default_factory=dict)
    sent: dict[str, list[Wave]] = field(default_factory=dict)
    left: dict[str, int] = field(default_factory=dict)
    ended: bool = False
    serving: bool = False
    waiting: list[str] = field(default_factory=list)


def evaluate(
    program: t.Program,
    inputs: Mapping[str, Iterable[Item]] | None = None,
    memory: Mapping[str, Sequence[int]] | None = None,
    layout: Mapping[str, int] | None = None,
    limit: int = LIMIT,
) -> Result:
    """Runs one kernel until nothing moves any more.

    inputs: per socket what arrives, in order; a plain number is a wavelet of the socket's element type (32 bits
    without one). memory: words of globals before the start, in place of their initialisers. layout: addresses of
    globals, so that `.base` reads as in a compiled kernel. Raises EvaluationError.
    """
    return evaluate_tiles([program], (), [inputs or {}], [memory or {}], [layout or {}], limit)[0]


def evaluate_tiles(
    programs: Sequence[t.Program],
    links: Iterable[Link] = (),
    inputs: Sequence[Mapping[str, Iterable[Item]]] = (),
    memory: Sequence[Mapping[str, Sequence[int]]] = (),
    layouts: Sequence[Mapping[str, int]] = (),
    limit: int = LIMIT,
) -> list[Result]:
    """Runs several kernels whose sockets are connected: what one sends the other receives, in order.

    inputs, memory, layouts: per kernel, as for `evaluate`. Raises EvaluationError, KeyError for an unknown name.
    """
    from tungsten.evaluate_tile import Tile

    tiles = [Tile(p, layouts[k] if k < len(layouts) else {}, limit) for k, p in enumerate(programs)]
    for (a, out), (b, into) in links:
        tiles[a].outputs[_socket(programs[a], out)].append(tiles[b].channels[_socket(programs[b], into)])
    for tile, preset in zip(tiles, memory, strict=False):
        for name, words in preset.items():
            symbol = next(g for g in tile.program.globals if g.name == name)
            tile.memory.set_words(tile.places.place(symbol, tile.places.top), list(words))
    for tile, given in zip(tiles, inputs, strict=False):
        for name, items in given.items():
            socket = _socket(tile.program, name)
            bits = socket.elem.bits if socket.elem is not None else 32
            for item in items:
                tile.channels[socket].put(item if isinstance(item, Wave) else Wave(bits, item))
    before = -1
    while before != sum(tile.progress for tile in tiles):
        before = sum(tile.progress for tile in tiles)
        for tile in tiles:
            tile.round()
    out_: list[Result] = []
    for tile in tiles:
        r = Result(ended=tile.main.done, serving=tile.serving, waiting=tile.waiting())
        for g in tile.program.globals:
            r.memory[g.name] = tile.memory.words(tile.places.place(g, tile.places.top), g.type.words)
        r.sent = {s.name: waves for s, waves in tile.sent.items()}
        r.left = {s.name: len(c.waves) for s, c in tile.channels.items()}
        out_.append(r)
    return out_


def _socket(program: t.Program, name: str) -> t.Socket:
    for s in program.sockets:
        if s.name == name:
            return s
    raise KeyError(name)


__all__ = ["Result", "Wave", "evaluate", "evaluate_tiles"]
