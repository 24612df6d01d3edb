"""Compares the score matrix with numpy: python check.py query=… target=… H=… best=… log=…"""

import re
import sys

import numpy as np

words = dict(word.split("=", 1) for word in sys.argv[1:])
query, target, scores, best = (np.fromfile(words[name], dtype="<i2") for name in ("query", "target", "H", "best"))
m, n = len(query), len(target)

expected = np.zeros((m + 1, n + 1), dtype=np.int16)
for x in range(1, m + 1):
    for j in range(1, n + 1):
        score = 2 if query[x - 1] == target[j - 1] else -1
        around = expected[x - 1, j - 1] + score, expected[x - 1, j] - 1, expected[x, j - 1] - 1
        expected[x, j] = max(0, *around)

cycles = re.search(r"cycles=(\d+)", open(words["log"], encoding="utf-8").read())
print(f"lesson 8: {m} x {n} letters, best score {best[0]}, {cycles[1] if cycles else '?'} cycles")
right = np.array_equal(scores.reshape(m, n), expected[1:, 1:]) and best[0] == expected.max()
sys.exit(0 if right else "lesson 8: the scores differ from numpy's")
