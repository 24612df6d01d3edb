"""Takes the first n letters of a DNA file as 16-bit numbers: python letters.py in=query.txt n=6 out=query.raw"""

import sys

import numpy as np

words = dict(word.split("=", 1) for word in sys.argv[1:])
lines = open(words["in"], encoding="ascii").read().split("\n")
letters = "".join(line.strip().upper() for line in lines if not line.startswith(">"))  # FASTA's titles left out
n = int(words["n"])
if set(letters) - set("ACGT"):
    sys.exit(f"{words['in']} has letters other than A, C, G and T: {' '.join(sorted(set(letters) - set('ACGT')))}")
if len(letters) < n:
    sys.exit(f"{words['in']} has {len(letters)} letters, and {n} are wanted")
np.array(["ACGT".index(letter) for letter in letters[:n]], dtype="<i2").tofile(words["out"])
