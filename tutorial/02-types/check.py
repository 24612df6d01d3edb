"""Compares the five conversions with numpy, bit for bit: python check.py samples=… volts=… coarse=… …"""

import re
import sys

import numpy as np

words = dict(word.split("=", 1) for word in sys.argv[1:])
types = {"samples": "<i2", "volts": "<f4", "coarse": "<f2", "energy": "<i4", "wrapped": "<i2", "loud": "<i2"}
got = {name: np.fromfile(words[name], dtype=kind) for name, kind in {**types, "peak": "<f4"}.items()}

x = got["samples"]
volts = x.astype(np.float32) * np.float32(1 / 32768)
wide = x.astype(np.int32)
expected = {
    "volts": volts,
    "coarse": volts.astype(np.float16),
    "energy": [(wide * wide >> 10).sum(dtype=np.int32)],
    "wrapped": [(x * x >> 10).sum(dtype=np.int16)],
    "loud": [np.count_nonzero(np.abs(wide) > 8000)],
    "peak": [np.abs(volts).max()],
}
cycles = re.search(r"cycles=(\d+)", open(words["log"], encoding="utf-8").read())
print(
    f"lesson 2: {len(x)} samples, peak {got['peak'][0]:.4f} V, energy {got['energy'][0]} in 32 bits and "
    f"{got['wrapped'][0]} in 16, {got['loud'][0]} loud, {cycles[1] if cycles else '?'} cycles"
)
wrong = [name for name, value in expected.items() if not np.array_equal(got[name], value)]
sys.exit(f"lesson 2: numpy has other values of {', '.join(wrong)}" if wrong else 0)
