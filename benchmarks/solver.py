"""Times of the color solver for growing layouts: `python benchmarks/solver.py [seed]`, with the table of
docs/performance.md. Seconds are those of a core, since others may use the machine.

A layout here is a grid of regions; each color runs along a row and turns into a column, some colors are pairs and
some switch, up to `fill` colors a tile. `overfull` puts colors on until one tile has too many: the time then
includes the search for a smallest set that cannot be numbered.
"""

from __future__ import annotations

import platform
import random
import sys
import time
from itertools import combinations

from fabric import arch
from paint.colors import number
from paint.problem import ColorInfo, ColorProblem, Held, Meeting, Pair, TileUse
from paint.tiles import Box

HELD = Held("rule")


def layout(dice: random.Random, regions: int, colors: int, fill: int, span: int = 8) -> ColorProblem:
    """About `colors` colors over a square grid of `regions` regions, at most `fill` on one tile."""
    side = max(1, round(regions**0.5))
    tiles: dict[tuple[int, int], list[str]] = {(x, y): [] for x in range(side) for y in range(side)}
    switches = dict.fromkeys(tiles, 0)
    p = ColorProblem()
    for _ in range(50 * colors):
        if len(p.colors) >= colors:
            break
        x, y = dice.randrange(side), dice.randrange(side)
        run = [(i, y) for i in range(x, min(side, x + dice.randint(1, span)))]
        turn = run[-1][0]
        run += [(turn, j) for j in range(y + 1, min(side, y + dice.randint(1, span)))]
        count = 2 if dice.random() < 0.2 else 1
        if any(len(tiles[t]) + count > fill for t in run):
            continue
        made = []
        for _ in range(count):
            key = f"c{len(p.colors):05}"
            # As many switching colors as a full tile can hold, and no more.
            allowed = frozenset(range(arch.COLORS))
            if dice.random() < 0.4 and all(switches[t] < 10 for t in run):
                allowed = arch.SWITCHABLE
                for t in run:
                    switches[t] += 1
            p.colors[key] = ColorInfo(key, key, None, allowed)
            for t in run:
                tiles[t].append(key)
            made.append(key)
        if count == 2:
            p.pairs.append(Pair(made[0], made[1], HELD))
    for t, keys in tiles.items():
        box = Box(*t, 1, 1)
        if keys:
            p.usage.append(TileUse(box, 1, dict.fromkeys(keys, HELD)))
        for a, b in combinations(keys, 2):
            p.meetings.setdefault((a, b), Meeting(a, b, "tile", box, 1, HELD, HELD))
    return p


def main() -> None:
    seed = int(sys.argv[1]) if len(sys.argv) > 1 else 1
    print(f"{platform.machine()}, Python {platform.python_version()}, seed {seed}\n")
    print("| layout | regions | colors | meetings | pairs | result | steps | core s |")
    print("|---|---|---|---|---|---|---|---|")
    for name, fill in (("loose", 14), ("tight", 22), ("overfull", 26)):
        for regions, colors in ((25, 50), (100, 200), (400, 800), (1600, 3200)):
            p = layout(random.Random(seed), regions, colors, fill)
            start = time.process_time()
            result = number(p)
            took = time.process_time() - start
            found = "numbered"
            if result.failures:
                first = result.failures[0]
                found = f"no: a set of {len(first.keys)}" if first.decided else f"undecided: {len(first.numbers)} numbered"
            print(
                f"| {name} | {regions:,} | {len(p.colors):,} | {len(p.meetings):,} | {len(p.pairs)} | {found} "
                f"| {result.nodes:,} | {took:.2f} |",
                flush=True,
            )


if __name__ == "__main__":
    main()
