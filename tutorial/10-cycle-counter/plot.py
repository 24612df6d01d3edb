"""Draws the profile, cycles an element by what they were spent on: python plot.py profile=… kernel=… N=64 out=…"""

import re
import sys

import numpy as np

try:
    from matplotlib.figure import Figure
except ImportError:
    sys.exit(f"the picture needs matplotlib, which is not installed: {sys.executable} -m pip install matplotlib")

words = dict(word.split("=", 1) for word in sys.argv[1:])
n = int(words["N"])
source = open(words["kernel"], encoding="utf-8").read().split("\n")
rows = []
for line in open(words["profile"], encoding="utf-8"):
    found = re.match(r"\s*((?:\d+\s+){6})\S+\.w:(\d+)", line)
    if found and source[int(found[2]) - 1].lstrip().startswith("∀"):
        rows.append((int(found[2]), [int(word) for word in found[1].split()]))
rows.sort()
CAUSES = ["issued", "queue empty", "queue full", "operand not ready", "bank conflict", "pipeline"]
cycles = np.array([counts for _, counts in rows], dtype=float).reshape(-1, len(CAUSES)) / n

figure = Figure(figsize=(8, 3.4), dpi=100, layout="constrained")
axis = figure.subplots()
labels = [f"line {line}: {source[line - 1].strip().split(';')[0]}" for line, _ in rows]
start = np.zeros(len(rows))
for k, cause in enumerate(CAUSES):
    if cycles[:, k].any():
        axis.barh(labels, cycles[:, k], left=start, label=cause)
    start += cycles[:, k]
for place, total in enumerate(start):
    axis.text(total + max(start) / 100, place, f"{total:.2f}", va="center", fontsize=9)
axis.set_xlim(0, max(start) * 1.09)
axis.invert_yaxis()
axis.set_xlabel("cycles an element")
axis.set_title(f"Where the time goes, N = {n}")
axis.legend(fontsize=9)
figure.savefig(words["out"])
print(f"lesson 10: {len(rows)} loops, {' '.join(f'{total:.2f}' for total in start)} cycles an element")
