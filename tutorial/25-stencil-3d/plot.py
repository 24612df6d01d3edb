"""Draws an upright slice of the box at the start and at the end: python plot.py start=… end=… W=3 H=2 Z=5 T=3 out=…"""

import sys

import numpy as np

try:
    from matplotlib.figure import Figure
except ImportError:
    sys.exit(f"the picture needs matplotlib, which is not installed: {sys.executable} -m pip install matplotlib")

words = dict(word.split("=", 1) for word in sys.argv[1:])
w, h, depth, steps = (int(words[name]) for name in "WHZT")
start, end = (np.fromfile(words[name], dtype="<f4").reshape(depth, h, w) for name in ("start", "end"))
y = int(np.abs(start).max(axis=(0, 2)).argmax())  # the row of tiles with the largest value

figure = Figure(figsize=(8, 4.2), dpi=100, layout="constrained")
figure.suptitle(f"A box of {w} x {h} x {depth} points: the row y = {y} of tiles, the column of points in each upright")
axes = figure.subplots(1, 2, sharey=True)
low, high = min(start.min(), end.min()), max(start.max(), end.max())
for axis, field, title in zip(axes, (start, end), ("the start", f"after {steps} steps"), strict=True):
    image = axis.imshow(field[:, y], origin="lower", aspect="auto", cmap="viridis", vmin=low, vmax=high)
    axis.set_title(title, fontsize=10)
    axis.set_xlabel("tile, x")
    axis.xaxis.get_major_locator().set_params(integer=True)
axes[0].set_ylabel("place in the tile's column, z")
figure.colorbar(image, ax=axes, label="value")
figure.savefig(words["out"])
print(f"lesson 25: a slice of {w} x {depth} points, y = {y}")
