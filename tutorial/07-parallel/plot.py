"""Draws what each thread and each router does, cycle by cycle, from the simulator's timeline:

python plot.py timeline=timeline.json out=picture.png
"""

import json
import re
import sys

try:
    from matplotlib.figure import Figure
except ImportError:
    sys.exit(f"the picture needs matplotlib, which is not installed: {sys.executable} -m pip install matplotlib")

words = dict(word.split("=", 1) for word in sys.argv[1:])
events = json.load(open(words["timeline"], encoding="utf-8"))["traceEvents"]
tiles = sorted({e["pid"] for e in events})
names = {e["pid"]: e["args"]["name"].split()[0] for e in events if e.get("name") == "process_name"}

# (lane, thread or router's track of the timeline, which of its slices, color)
LANES = [
    ("norm, sum", 0, r"f\w+", "tab:blue"),
    ("send", 1, "mov32", "tab:orange"),
    ("receive", 2, "mov32", "tab:green"),
    ("wavelets out", 9, r"C\d+ from queue \d", "tab:orange"),
    ("wavelets in", 9, r"C\d+ to queue \d", "tab:green"),
]
slices = {
    (tile, lane): [
        (e["ts"], e["dur"])
        for e in events
        if e["ph"] == "X" and (e["pid"], e["tid"]) == (tile, track) and re.fullmatch(which, e["name"])
    ]
    for tile in tiles
    for lane, track, which, _ in LANES
}

figure = Figure(figsize=(8, 1.2 + 1.5 * len(tiles)), dpi=100, layout="constrained")
figure.suptitle("Three tiles in a ring: instructions that are under way, wavelets that pass")
axes = figure.subplots(len(tiles), 1, sharex=True, squeeze=False)[:, 0]
for axis, tile in zip(axes, tiles, strict=True):
    for place, (lane, _, _, color) in enumerate(LANES):
        axis.broken_barh(slices[tile, lane], (place - 0.4, 0.8), facecolors=color)
    axis.set_yticks(range(len(LANES)), [lane for lane, *_ in LANES], fontsize=8)
    axis.invert_yaxis()
    axis.set_ylabel(names[tile])
    axis.grid(axis="x", alpha=0.4)
axes[-1].set_xlabel("cycle")
figure.savefig(words["out"])
count = sum(len(slices[tile, "wavelets in"]) for tile in tiles)
print(f"lesson 7: {len(tiles)} tiles, {count} wavelets taken in")
