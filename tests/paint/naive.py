"""A layout tile by tile, written from paint.md 2 and 5 without a thought for speed: the oracle of the flattening.

A region is a dictionary from (x, y) to what lies there: a list of ("code", kernel) and ("rule", color, positions)
in the order they were laid. A rule is (inputs, swap, outputs) as sorted letters.
"""

from __future__ import annotations

from dataclasses import dataclass

Tile = tuple[int, int]
Setting = tuple[object, ...]
Tiles = dict[Tile, list[Setting]]

STEP = {"L": (-1, 0), "R": (1, 0), "U": (0, 1), "D": (0, -1)}
ACROSS = {"L": "R", "R": "L"}
ALONG = {"U": "D", "D": "U"}


@dataclass(frozen=True)
class Written:
    """A rule of one position: `edge_in|inputs swap outputs|edge_out`."""

    edge_in: str
    inputs: str
    swap: str
    outputs: str
    edge_out: str

    def text(self) -> str:
        left = f"{self.edge_in}|" if self.edge_in else ""
        right = f"|{self.edge_out}" if self.edge_out else ""
        return f"[{left}{self.inputs}{self.swap}{self.outputs}{right}]"


def rect(x: int, y: int, w: int, h: int) -> Tiles:
    return {(x + i, y + j): [] for i in range(w) for j in range(h)}


def copy(r: Tiles) -> Tiles:
    return {t: list(s) for t, s in r.items()}


def code(r: Tiles, kernel: str) -> Tiles:
    return {t: [*s, ("code", kernel)] for t, s in r.items()}


def paint(r: Tiles, color: str, rule: Written) -> Tiles:
    out = copy(r)
    for (x, y), settings in out.items():

        def on_edge(direction: str, x: int = x, y: int = y) -> bool:
            dx, dy = STEP[direction]
            return (x + dx, y + dy) not in r

        inputs = [d for d in rule.inputs if not (d in rule.edge_in and on_edge(d))]
        outputs = [d for d in rule.outputs if not (d in rule.edge_out and on_edge(d))]
        if inputs or outputs:
            settings.append(("rule", color, ("".join(sorted(inputs)), rule.swap, "".join(sorted(outputs)))))
    return out


def moved(r: Tiles, dx: int, dy: int) -> Tiles:
    return {(x + dx, y + dy): list(s) for (x, y), s in r.items()}


def box(r: Tiles) -> tuple[int, int, int, int]:
    xs, ys = [x for x, _ in r], [y for _, y in r]
    return min(xs), min(ys), max(xs) + 1, max(ys) + 1


def union(*regions: Tiles) -> Tiles:
    out: Tiles = {}
    for r in regions:
        for t, s in r.items():
            out.setdefault(t, []).extend(s)
    return out


def stack(axis: int, *regions: Tiles) -> Tiles:
    out: Tiles = {}
    end: int | None = None
    for r in regions:
        if r:
            low = box(r)[axis]
            by = 0 if end is None else end - low
            r = moved(r, by, 0) if axis == 0 else moved(r, 0, by)
            end = box(r)[axis + 2]
        out = union(out, r)
    return out


def repeated(axis: int, r: Tiles, n: int, gap: int) -> Tiles:
    if not r:
        return {}
    b = box(r)
    step = b[axis + 2] - b[axis] + gap
    return union(*(moved(r, i * step, 0) if axis == 0 else moved(r, 0, i * step) for i in range(n)))


def flipped(axis: int, r: Tiles) -> Tiles:
    if not r:
        return {}
    b = box(r)
    turn = ACROSS if axis == 0 else ALONG
    out: Tiles = {}
    for (x, y), settings in r.items():
        t = (b[0] + b[2] - 1 - x, y) if axis == 0 else (x, b[1] + b[3] - 1 - y)
        out[t] = [_turned(s, turn) for s in settings]
    return out


def _turned(s: Setting, turn: dict[str, str]) -> Setting:
    if s[0] != "rule":
        return s
    inputs, swap, outputs = s[2]  # type: ignore[misc]
    sides = ["".join(sorted(turn.get(d, d) for d in side)) for side in (inputs, outputs)]
    return ("rule", s[1], (sides[0], swap, sides[1]))


def merged(settings: list[Setting]) -> tuple[str | None, dict[str, tuple[str, str, str]]] | str:
    """What one tile gets, or the code of the contradiction."""
    kernel: str | None = None
    rules: dict[str, tuple[str, str, str]] = {}
    for s in settings:
        if s[0] == "code":
            if kernel not in (None, s[1]):
                return "PT100"
            kernel = str(s[1])
        else:
            color, new = str(s[1]), s[2]
            old = rules.get(color, new)
            fits = [
                b
                for a, b in ((old, new), (new, old))
                if a[1] == b[1] and a[0] in ("", b[0]) and a[2] in ("", b[2])  # type: ignore[index]
            ]
            if not fits:
                return "PT101"
            # Of two rules that fit, the one with the sides filled in.
            rules[color] = max(fits, key=lambda r: len(r[0]) + len(r[2]))  # type: ignore[assignment, index]
    return kernel, rules
