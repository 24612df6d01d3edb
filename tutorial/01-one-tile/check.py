"""Compares what the tile computed with numpy: python check.py a=… b=… c=… largest=… log=…"""

import re
import sys

import numpy as np

words = dict(word.split("=", 1) for word in sys.argv[1:])
a, b, c, largest = (np.fromfile(words[name], dtype=np.int16) for name in ("a", "b", "c", "largest"))
expected = a + b
cycles = re.search(r"cycles=(\d+)", open(words["log"], encoding="utf-8").read())
right = np.array_equal(c, expected) and largest[0] == expected.max()
print(f"lesson 1: {len(a)} sums, the largest is {largest[0]}, {cycles[1] if cycles else '?'} cycles")
sys.exit(0 if right else "lesson 1: the sums differ from numpy's")
