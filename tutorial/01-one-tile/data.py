"""Makes the two input vectors: python data.py N=8 a=a.raw b=b.raw"""

import sys

import numpy as np

words = dict(word.split("=", 1) for word in sys.argv[1:])
n = int(words["N"])
random = np.random.default_rng(1)
for name in ("a", "b"):
    random.integers(-1000, 1000, n, dtype=np.int16).tofile(words[name])
