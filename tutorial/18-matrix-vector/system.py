"""A matrix and a vector, from a file or made up: python system.py rows=8 columns=15 A=A.raw x=x.raw in=…"""

import os
import sys

import numpy as np

words = dict(word.split("=", 1) for word in sys.argv[1:])
rows, columns = int(words["rows"]), int(words["columns"])
if words["in"]:
    if os.path.getsize(words["in"]) != 4 * (rows + 1) * columns:
        sys.exit(f"{words['in']} should have {rows} rows of A and then x, {columns} numbers each")
    numbers = np.fromfile(words["in"], dtype="<f4")
else:
    numbers = np.random.default_rng(18).normal(size=(rows + 1) * columns).astype("<f4")
numbers[: rows * columns].tofile(words["A"])
numbers[rows * columns :].tofile(words["x"])
