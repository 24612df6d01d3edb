"""Compares the smoothed signal with numpy, bit for bit: python check.py signal=… smoothed=… total=… log=…"""

import re
import sys

import numpy as np

words = dict(word.split("=", 1) for word in sys.argv[1:])
signal, smoothed, total = (np.fromfile(words[name], dtype="<f4") for name in ("signal", "smoothed", "total"))

expected = signal.copy()
expected[1:] = (signal[:-1] + signal[1:]) * np.float32(0.5)
running = np.float32(0)
for sample in signal:  # in the order of the tile, since the order of additions decides the last bits
    running = running + sample

cycles = re.search(r"cycles=(\d+)", open(words["log"], encoding="utf-8").read())
print(f"lesson 3: {len(signal)} samples, their sum is {total[0]}, {cycles[1] if cycles else '?'} cycles")
right = np.array_equal(smoothed.view(np.uint32), expected.view(np.uint32)) and total[0] == running
sys.exit(0 if right else "lesson 3: the result differs from numpy's")
