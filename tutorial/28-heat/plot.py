"""Draws the plate at the start and after a third, two thirds and all of the steps:

python plot.py start=start.raw film=film.raw W=4 H=4 T=5 out=picture.png
"""

import sys

import numpy as np

try:
    from matplotlib.colors import PowerNorm
    from matplotlib.figure import Figure
except ImportError:
    sys.exit(f"the picture needs matplotlib, which is not installed: {sys.executable} -m pip install matplotlib")

words = dict(word.split("=", 1) for word in sys.argv[1:])
w, h, steps = (int(words[name]) for name in "WHT")
start = np.fromfile(words["start"], dtype="<f4").reshape(1, h, w)
film = np.concatenate([start, np.fromfile(words["film"], dtype="<f4").reshape(steps, h, w)])

times = [steps * k // 3 for k in range(4)]
norm = PowerNorm(0.5, film.min(), film.max())  # colors go with the root: else all would be dark soon
figure = Figure(figsize=(8, min(12, 1.2 + 6.6 * h / w)), dpi=100, layout="constrained")
figure.suptitle(f"A plate of {w} x {h} tiles with an insulated rim")
axes = figure.subplots(2, 2, sharex=True, sharey=True)
for axis, t in zip(axes.flat, times, strict=True):
    image = axis.imshow(film[t], origin="lower", cmap="inferno", norm=norm)
    axis.set_title("the start" if t == 0 else f"after {t} step{'s'[: t != 1]}", fontsize=10)
for axis in axes[1]:
    axis.set_xlabel("column of the tile, x")
    axis.xaxis.get_major_locator().set_params(integer=True)
for axis in axes[:, 0]:
    axis.set_ylabel("row of the tile, y")
    axis.yaxis.get_major_locator().set_params(integer=True)
figure.colorbar(image, ax=axes, label="temperature")
figure.savefig(words["out"])
print(f"lesson 28: {len(film)} fields of {w} x {h} points")
