"""Compares results with numpy and cycles with what the machine's description says: python check.py a=… … log=…"""

import sys

import numpy as np

words = dict(word.split("=", 1) for word in sys.argv[1:])
a, b, c, dot = (np.fromfile(words[name], dtype="<f4") for name in ("a", "b", "c", "dot"))
spent = np.fromfile(words["spent"], dtype="<i2")
n = len(a)

running = np.float32(0)
for x, y in zip(a, b, strict=True):
    running = np.float32(np.longdouble(running) + np.longdouble(x) * np.longdouble(y))

clock, vector, conflict, scalar, reduction = (int(s) for s in spent)
for name, cycles, least in (
    ("vector", vector, n // 4),
    ("bank conflict", conflict, n // 2),
    ("scalar loop", scalar, 8 * n),
    ("reduction", reduction, n),
):
    print(f"lesson 10: {name:13} {cycles - clock:6} cycles, {(cycles - clock) / n:6.2f} an element")
    if not least <= cycles - clock <= least * 4 + 40:
        sys.exit("lesson 10: that is not what the machine should take")
sys.exit(0 if np.array_equal(c, a * b) and dot[0] == running else "lesson 10: the results differ from numpy's")
