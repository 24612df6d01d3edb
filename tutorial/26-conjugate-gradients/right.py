"""The right side: two charges in a box, or the user's field: python right.py W=3 H=2 Z=4 out=b.raw in=…"""

import os
import sys

import numpy as np

words = dict(word.split("=", 1) for word in sys.argv[1:])
w, h, depth = (int(words[name]) for name in "WHZ")
if words["in"]:
    if os.path.getsize(words["in"]) != 4 * w * h * depth:
        sys.exit(f"{words['in']} should have {depth} layers of {h} rows of {w} numbers, {4 * w * h * depth} bytes")
    b = np.fromfile(words["in"], dtype="<f4").reshape(depth, h, w)
else:
    b = np.zeros((depth, h, w), dtype="<f4")
    b[depth // 4, h // 2, w // 4] = 1
    b[-1 - depth // 4, h // 4, w // 2] = -1
b.tofile(words["out"])
