"""What the sums start with, as raw fp32 numbers: python start.py N=4 out=start.raw"""

import sys

import numpy as np

words = dict(word.split("=", 1) for word in sys.argv[1:])
(np.arange(int(words["N"])) * 100).astype("<f4").tofile(words["out"])
