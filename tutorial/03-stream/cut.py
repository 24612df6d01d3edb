"""Takes the first N samples of a signal: python cut.py N=16 in=signal.raw out=input.raw"""

import os
import sys

import numpy as np

words = dict(word.split("=", 1) for word in sys.argv[1:])
n = int(words["N"])
try:
    size = os.path.getsize(words["in"])
except OSError as e:
    sys.exit(f"can't read the signal: {e}")
if size < 4 * n:
    sys.exit(f"{words['in']} holds {size // 4} samples of 4 bytes, and N={n} are wanted")
np.fromfile(words["in"], dtype="<f4", count=n).tofile(words["out"])
