"""The field of H B rows of W B numbers, from a file or made up: python field.py W=3 H=2 B=4 out=field.raw in=…"""

import os
import sys

import numpy as np

words = dict(word.split("=", 1) for word in sys.argv[1:])
w, h, b = (int(words[name]) for name in "WHB")
if words["in"]:
    if os.path.getsize(words["in"]) != 4 * w * h * b * b:
        sys.exit(f"{words['in']} should have {h * b} rows of {w * b} numbers, {4 * w * h * b * b} bytes")
    field = np.fromfile(words["in"], dtype="<f4")
else:
    field = np.random.default_rng(11).normal(size=w * h * b * b).astype("<f4")
field.tofile(words["out"])
