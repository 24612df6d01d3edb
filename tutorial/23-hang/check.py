"""Compares what was exchanged with numpy, or how it ended with what it should: python check.py … PLAN=0 log=…"""

import re
import sys

import numpy as np

words = dict(word.split("=", 1) for word in sys.argv[1:])
mine, other = (np.fromfile(words[name], dtype="<f4").reshape(2, -1) for name in ("input", "other"))
log = open(words["log"], encoding="utf-8").read()

outcome = re.search(r"^outcome: (.*)$", log, re.M)
cause = re.search(r"^cause 1 \((\w[^,)]*)", log, re.M)
print(f"lesson 23: plan {words['PLAN']} with {mine.shape[1]} numbers: {outcome[1]}{f', {cause[1]}' if cause else ''}")
if words["PLAN"] == "2":
    sys.exit(0 if outcome[1].startswith("blocked") and cause and cause[1] == "never sent" else "lesson 23: no such cause")
if words["PLAN"] == "1" and mine.shape[1] > 24:
    sys.exit(0 if outcome[1].startswith("blocked") and cause and cause[1] == "circle" else "lesson 23: no such cause")
done = outcome[1].startswith("done") and np.array_equal(other, mine[::-1])
sys.exit(0 if done else "lesson 23: the exchange differs from numpy's")
