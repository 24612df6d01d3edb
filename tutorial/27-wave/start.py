"""A bump in a drum, or the user's field: python start.py W=4 H=4 out=start.raw in=…"""

import os
import sys

import numpy as np

words = dict(word.split("=", 1) for word in sys.argv[1:])
w, h = int(words["W"]), int(words["H"])
if words["in"]:
    if os.path.getsize(words["in"]) != 4 * w * h:
        sys.exit(f"{words['in']} should have {h} rows of {w} numbers, {4 * w * h} bytes")
    field = np.fromfile(words["in"], dtype="<f4")
else:
    y, x = np.mgrid[:h, :w]
    field = np.exp(-((x - w / 3) ** 2 + (y - h / 2) ** 2) / max(1, w * h / 60)).astype("<f4")
field.tofile(words["out"])
