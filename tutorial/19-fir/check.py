"""Compares the filtered signal with numpy, bit for bit: python check.py input=… weights=… output=… log=…"""

import re
import sys

import numpy as np

words = dict(word.split("=", 1) for word in sys.argv[1:])
x, weights, y = (np.fromfile(words[name], dtype="<f4") for name in ("input", "weights", "output"))

expected = np.zeros_like(x)
for weight in weights:
    late = np.concatenate([np.zeros(1, np.float32), expected])[: len(x)]
    expected = late + x * weight

cycles = int(re.search(r"cycles=(\d+)", open(words["log"], encoding="utf-8").read())[1])
print(
    f"lesson 19: {len(x)} samples, {len(weights)} taps, loudest {np.abs(x).max():.4f} -> {np.abs(y).max():.4f}, "
    f"{cycles / len(x):.1f} cycles a sample"
)
sys.exit(0 if np.array_equal(y, expected) else "lesson 19: the output differs from numpy's")
