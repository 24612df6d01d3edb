"""Compares the running sums with numpy, bit for bit: python check.py values=… before=… total=… R=3 log=…"""

import re
import sys

import numpy as np

words = dict(word.split("=", 1) for word in sys.argv[1:])
rounds = int(words["R"])
values, before = (np.fromfile(words[name], dtype="<f4").reshape(-1, rounds) for name in ("values", "before"))
total = np.fromfile(words["total"], dtype="<f4")

sums = np.concatenate([np.zeros((1, rounds), np.float32), np.cumsum(values, axis=0, dtype=np.float32)])
cycles = re.search(r"cycles=(\d+)", open(words["log"], encoding="utf-8").read())
print(
    f"lesson 12: {len(values)} tiles, {rounds} rounds, totals {' '.join(f'{t:.2f}' for t in total[:3])}, "
    f"{cycles[1] if cycles else '?'} cycles"
)
right = np.array_equal(before, sums[:-1]) and np.array_equal(total, sums[-1])
sys.exit(0 if right else "lesson 12: the sums differ from numpy's")
