"""The two input vectors, made up or the user's: python data.py N=8 a=a.raw b=b.raw from_a=… from_b=…"""

import os
import sys

import numpy as np

words = dict(word.split("=", 1) for word in sys.argv[1:])
n = int(words["N"])
random = np.random.default_rng(1)
for name in ("a", "b"):
    vector = random.integers(-1000, 1000, n, dtype=np.int16)
    if file := words[f"from_{name}"]:
        if os.path.getsize(file) != 2 * n:
            sys.exit(f"{file} should have N={n} numbers of 16 bits, {2 * n} bytes")
        vector = np.fromfile(file, dtype="<i2")
    vector.tofile(words[name])
