"""The frozen benchmark's image: `exchange.s` on a rectangle of tiles, anywhere in a fabric.

Every tile exchanges with its four neighbours; what would leave the rectangle comes back to the tile itself. Two
colors a direction, by the parity of the column or row: a tile sends on one and receives on the other.
"""

from __future__ import annotations

from pathlib import Path

from diag.report import Reporter
from diag.spans import Source
from fabric import arch
from fabric.asm import assemble
from fabric.image import Image
from fabric.program import Program
from fabric.rects import Rect

SIDES = "lrud"
OPPOSITE = {"l": "r", "r": "l", "u": "d", "d": "u"}


def program() -> Program:
    """The kernel."""
    reporter = Reporter()
    made = assemble(Source.load(str(Path(__file__).parent / "exchange.s")), reporter)
    reporter.raise_if_errors()
    return made


def image(width: int, height: int, steps: int, fabric: tuple[int, int] | None = None, at: tuple[int, int] = (0, 0)) -> Image:
    """`width` x `height` busy tiles with their first one `at` a place of a fabric (as large as they are if None)."""
    kernel = program()
    out = Image(*(fabric or (width, height)))
    out.linked = True
    x0, y0 = at
    everywhere = Rect(x0, y0, width, height)
    for address, words in kernel.sections:
        out.add_fill(everywhere, address, words)
    symbol = next(s for s in kernel.symbols if s.name == "steps")
    out.add_fill(everywhere, symbol.address, [steps])
    for address, word in kernel.registers.items():
        out.add_fill(everywhere, address, [word])
    queue = {(use.socket, use.dir): use.queue for use in kernel.sockets}
    for px in range(2):
        for py in range(2):
            part = Rect(x0 + px, y0 + py, (width - px + 1) // 2, (height - py + 1) // 2, 2, 2)
            if part.tiles:
                _tiles(out, part, (px, py), queue)
    edges = {
        "l": Rect(x0, y0, 1, height),
        "r": Rect(x0 + width - 1, y0, 1, height),
        "d": Rect(x0, y0, width, 1),
        "u": Rect(x0, y0 + height - 1, width, 1),
    }
    for side, edge in edges.items():
        for parity in range(2):
            # A tile of the edge gets what it sends.
            first = (edge.x - x0) % 2 if side in "lr" else (edge.y - y0) % 2
            if first == parity:
                color = _color(side, parity)
                out.add_fill(edge, arch.ROUTE + color, [arch.route_code(arch.C, 1 << arch.C)])
                out.add_fill(edge, arch.INPUT_QUEUE + 2 * queue[f"from_{side}", "in"], [color])
    return out


def _color(side: str, parity: int) -> int:
    """The color on which tiles of a parity send to a side."""
    return 2 * SIDES.index(side) + parity


def _tiles(out: Image, part: Rect, parity: tuple[int, int], queue: dict[tuple[str, str], int]) -> None:
    """Routes and queues of the tiles of one parity."""
    for side in SIDES:
        mine = parity[0] if side in "lr" else parity[1]
        port = arch.PORTS.index(side.upper())
        send = _color(side, mine)
        out.add_fill(part, arch.ROUTE + send, [arch.route_code(arch.C, 1 << port)])
        out.add_fill(part, arch.OUTPUT_QUEUE + queue[f"to_{side}", "out"], [send << 4])
        receive = _color(OPPOSITE[side], 1 - mine)
        out.add_fill(part, arch.ROUTE + receive, [arch.route_code(port, 1 << arch.C)])
        out.add_fill(part, arch.INPUT_QUEUE + 2 * queue[f"from_{side}", "in"], [receive])
