"""The weights of the three pieces, for each tile: python weights.py W=3 M=5 out=weights.raw"""

import sys

import numpy as np

words = dict(word.split("=", 1) for word in sys.argv[1:])
m = int(words["M"])
pieces = np.array([[0.25], [0.5], [0.25]]) / np.arange(1, m + 1)
np.tile(pieces, (int(words["W"]), 1)).astype("<f4").tofile(words["out"])
