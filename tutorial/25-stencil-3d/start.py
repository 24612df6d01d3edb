"""A cloud in an empty box, or the user's field: python start.py W=3 H=2 Z=5 out=start.raw in=…"""

import os
import sys

import numpy as np

words = dict(word.split("=", 1) for word in sys.argv[1:])
w, h, depth = (int(words[name]) for name in "WHZ")
if words["in"]:
    if os.path.getsize(words["in"]) != 4 * w * h * depth:
        sys.exit(f"{words['in']} should have {depth} layers of {h} rows of {w} numbers, {4 * w * h * depth} bytes")
    field = np.fromfile(words["in"], dtype="<f4")
else:
    z, y, x = np.mgrid[:depth, :h, :w]
    field = np.exp(-((x - w / 3) ** 2 + (y - h / 2) ** 2 + (z - depth / 2) ** 2 / 4) / 3).astype("<f4")
field.tofile(words["out"])
