"""Draws the picture and its histogram: python plot.py pixels=… histogram=… width=8 out=picture.png"""

import sys

import numpy as np

try:
    from matplotlib.figure import Figure
except ImportError:
    sys.exit(f"the picture needs matplotlib, which is not installed: {sys.executable} -m pip install matplotlib")

words = dict(word.split("=", 1) for word in sys.argv[1:])
pixels, histogram = (np.fromfile(words[name], dtype="<i2") for name in ("pixels", "histogram"))
pixels = pixels.reshape(-1, int(words["width"]))

figure = Figure(figsize=(8, 3.4), dpi=100, layout="constrained")
left, right = figure.subplots(1, 2)
left.imshow(pixels, cmap="gray", vmin=0, vmax=255)
left.set_title(f"what the camera sends, {pixels.shape[1]} x {pixels.shape[0]} pixels", fontsize=10)
left.set_xlabel("column")
left.set_ylabel("line")
bars = right.bar(np.arange(16) * 16, histogram, width=16, align="edge", edgecolor="black")
for k, bar in enumerate(bars):
    bar.set_facecolor(str((k + 0.5) / 16))
right.set_title("what the counter has counted", fontsize=10)
right.set_xlabel("grey value")
right.set_ylabel("pixels")
right.set_xlim(0, 256)
right.set_xticks(range(0, 257, 64))
figure.savefig(words["out"])
print(f"lesson 6: {histogram.sum()} pixels in 16 bars")
