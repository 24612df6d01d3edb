"""Compares both sums with numpy, bit for bit: python check.py values=… chain=… tree=… … N=2 log=…"""

import sys

import numpy as np

words = dict(word.split("=", 1) for word in sys.argv[1:])
v = np.fromfile(words["values"], dtype="<f4").reshape(8, -1)
chain, tree = (np.fromfile(words[name], dtype="<f4") for name in ("chain", "tree"))
times = [int(np.fromfile(words[name], dtype="<i2")[0]) for name in ("chaintime", "treetime")]

in_chain = v[7]
for x in range(6, -1, -1):
    in_chain = in_chain + v[x]
pairs = v[1::2] + v[0::2]
fours = pairs[1::2] + pairs[0::2]
in_tree = fours[1] + fours[0]

apart = np.count_nonzero(chain != tree)
print(f"lesson 13: 8 vectors of {v.shape[1]}: chain {times[0]} cycles, tree {times[1]}; {apart} of the sums differ")
right = np.array_equal(chain, in_chain) and np.array_equal(tree, in_tree)
sys.exit(0 if right else "lesson 13: the sums differ from numpy's")
