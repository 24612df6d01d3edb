"""Compares y with numpy, bit for bit: python check.py A=… x=… y=… N=5 log=…"""

import re
import sys

import numpy as np

words = dict(word.split("=", 1) for word in sys.argv[1:])
n = int(words["N"])
x, y = (np.fromfile(words[name], dtype="<f4") for name in ("x", "y"))
A = np.fromfile(words["A"], dtype="<f4").reshape(len(y), len(x))

expected = np.zeros(len(y), np.float32)
for first in range(0, len(x), n):  # tile by tile, in each column by column, fused
    block = np.zeros(len(y), np.float32)
    for k in range(first, first + n):
        block = (block + A[:, k].astype(np.longdouble) * x[k]).astype(np.float32)
    expected = expected + block

error = np.abs(y - A.astype(float) @ x).max()
cycles = re.search(r"cycles=(\d+)", open(words["log"], encoding="utf-8").read())
print(
    f"lesson 18: a matrix of {len(y)} x {len(x)}, largest error {error:.1e}, {cycles[1] if cycles else '?'} cycles"
)
sys.exit(0 if np.array_equal(y, expected) else "lesson 18: y differs from numpy's")
