"""Draws where the wavelets are at each cycle, from the simulator's log: python plot.py log=landing.log out=picture.png"""

import re
import sys

import numpy as np

try:
    from matplotlib.figure import Figure
except ImportError:
    sys.exit(f"the picture needs matplotlib, which is not installed: {sys.executable} -m pip install matplotlib")

words = dict(word.split("=", 1) for word in sys.argv[1:])
LANDING = re.compile(r"@(\d+) P(\d+)\.0 .*landing C\d+ from link ([RW]), ctrl=(\d), idx=(\w+),.* ident=(\w+)")
KINDS = {"0": "sum", "1 0940": "ADVANCE", "1 0980": "RESET"}
landings = [m.groups() for line in open(words["log"], encoding="utf-8") if (m := LANDING.match(line))]
# Cycle, column, and the sender's name of the wavelet; from link R means from the core of the tile itself.
events = [
    (int(cycle), int(x), KINDS["0" if control == "0" else f"1 {index}"], ident)
    for cycle, x, _, control, index, ident in landings
]

figure = Figure(figsize=(8, 4.5), dpi=90, layout="constrained")
axis = figure.subplots()
for kind, marker, color in (("sum", "o", "tab:blue"), ("ADVANCE", ">", "tab:orange"), ("RESET", "x", "tab:red")):
    ways: dict[str, list[tuple[int, int]]] = {}
    for cycle, x, what, ident in events:
        if what == kind:
            ways.setdefault(ident, []).append((cycle, x))
    for way in ways.values():
        axis.plot(*zip(*way, strict=True), "-", color=color, linewidth=0.8)
    points = np.array([point for way in ways.values() for point in way]).reshape(-1, 2)
    size, fill = (7, "none") if kind == "sum" else (4, "full")
    style = {"color": color, "markersize": size, "fillstyle": fill, "label": f"{kind}: {len(ways)} wavelets"}
    axis.plot(points[:, 0], points[:, 1], marker, **style)
axis.set_title("Each round of the scan runs down the row behind the one before")
axis.set_xlabel("cycle in which a wavelet lands on a router")
axis.set_ylabel("tile")
axis.yaxis.get_major_locator().set_params(integer=True)
axis.legend(fontsize=9, loc="upper left")
figure.savefig(words["out"])
print(f"lesson 12: {len(events)} landings on {1 + max(x for _, x, *_ in events)} tiles")
