"""Compares mean and spread with numpy, bit for bit: python check.py values=… mean=… … W=4 H=3 log=…"""

import re
import sys

import numpy as np

words = dict(word.split("=", 1) for word in sys.argv[1:])
w, h = int(words["W"]), int(words["H"])
values, mean, spread = (np.fromfile(words[name], dtype="<f4").reshape(h, w) for name in ("values", "mean", "spread"))
strange = np.fromfile(words["strange"], dtype="<i2").reshape(h, w)
share = np.float32(1 / (w * h))


def total(v: np.ndarray) -> np.float32:
    """The sum in the order of the tiles: each row from the right, then the first column from above."""
    rows = v[:, -1]
    for x in range(w - 2, -1, -1):
        rows = v[:, x] + rows
    result = rows[-1]
    for y in range(h - 2, -1, -1):
        result = rows[y] + result
    return result


m = total(values) * share
apart = values - m
s = total(apart * apart) * share
cycles = re.search(r"cycles=(\d+)", open(words["log"], encoding="utf-8").read())
print(
    f"lesson 14: {w} x {h} tiles agree on mean {mean[0, 0]:.3f} and spread {np.sqrt(spread[0, 0]):.3f}, "
    f"{strange.sum()} strange, {cycles[1] if cycles else '?'} cycles"
)
right = (mean == m).all() and (spread == s).all() and np.array_equal(strange != 0, apart * apart > s * np.float32(4))
sys.exit(0 if right else "lesson 14: numpy has other values")
