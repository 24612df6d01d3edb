"""Draws the scores and the best alignment: python plot.py query=… target=… H=H.raw out=picture.png"""

import sys

import numpy as np

try:
    from matplotlib.figure import Figure
except ImportError:
    sys.exit(f"the picture needs matplotlib, which is not installed: {sys.executable} -m pip install matplotlib")

words = dict(word.split("=", 1) for word in sys.argv[1:])
query, target, scores = (np.fromfile(words[name], dtype="<i2") for name in ("query", "target", "H"))
scores = scores.reshape(len(query), len(target))

# From the best score back to where it began: each score came from the diagonal, from above or from the left.
padded = np.pad(scores, ((1, 0), (1, 0)))
x, j = np.unravel_index(padded.argmax(), padded.shape)
way = []
while padded[x, j] > 0:
    way.append((x - 1, j - 1))
    match = 2 if query[x - 1] == target[j - 1] else -1
    if padded[x, j] == padded[x - 1, j - 1] + match:
        x, j = x - 1, j - 1
    elif padded[x, j] == padded[x - 1, j] - 1:
        x -= 1
    else:
        j -= 1

figure = Figure(figsize=(8, min(10, 1.2 + 6.2 * len(query) / len(target))), dpi=100, layout="constrained")
axis = figure.subplots()
image = axis.imshow(scores, cmap="YlGnBu")
axis.plot([j for _, j in way], [x for x, _ in way], ".-", color="tab:red", label="the best alignment")
axis.set_title(f"Scores of {len(query)} x {len(target)} letters, a tile a row; the best is {scores.max()}")
axis.set_xticks(range(len(target)), ["ACGT"[c] for c in target], fontsize=7)
axis.set_yticks(range(len(query)), ["ACGT"[c] for c in query], fontsize=7)
axis.set_xlabel("the target, which streams through the row of tiles")
axis.set_ylabel("the query, a letter a tile")
axis.legend(loc="lower left", fontsize=8)
figure.colorbar(image, ax=axis, label="score")
figure.savefig(words["out"])
print(f"lesson 8: best score {scores.max()}, an alignment of {len(way)} steps")
