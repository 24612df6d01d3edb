"""Compares the relayed samples with numpy and counts the wavelets: python check.py input=… output=… log=…"""

import re
import sys

import numpy as np

words = dict(word.split("=", 1) for word in sys.argv[1:])
given, output = (np.fromfile(words[name], dtype="<i2") for name in ("input", "output"))
log = open(words["log"], encoding="utf-8").read()


def landings(tile: str, half: int) -> int:
    """Wavelets that came to a tile from its left neighbour."""
    return len(re.findall(rf"{tile} \(hwtile\) landing C\d+ from link W.* half={half}", log))


cycles = re.search(r"cycles=(\d+)", log)
print(
    f"lesson 4: {len(output)} samples: to the middle {landings('P1.0', 0)} wavelets and {landings('P1.0', 1)} halves, "
    f"from it {landings('P2.0', 0)} wavelets and {landings('P2.0', 1)} halves, {cycles[1] if cycles else '?'} cycles"
)
right = np.array_equal(output, np.abs(given))
right = right and all(2 * landings(tile, 0) + landings(tile, 1) == len(given) for tile in ("P1.0", "P2.0"))
sys.exit(0 if right else "lesson 4: the output differs from numpy's")
