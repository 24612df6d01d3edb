"""Compares the sums with numpy, bit for bit: python check.py start=… shares=… sum=… N=4 log=…"""

import re
import sys

import numpy as np

words = dict(word.split("=", 1) for word in sys.argv[1:])
start, total = (np.fromfile(words[name], dtype="<f4") for name in ("start", "sum"))
shares = np.fromfile(words["shares"], dtype="<f2").reshape(-1, int(words["N"]))

expected = start
for share in shares:  # each adder widens its share, adds, and rounds to fp32
    expected = expected + share.astype(np.float32)

cycles = re.search(r"cycles=(\d+)", open(words["log"], encoding="utf-8").read())
print(
    f"lesson 15: {len(shares)} adders, sums {' '.join(f'{t:.3f}' for t in total[:4])}, "
    f"{cycles[1] if cycles else '?'} cycles"
)
sys.exit(0 if np.array_equal(total, expected) else "lesson 15: the sums differ from numpy's")
