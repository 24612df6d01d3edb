"""The weights of a low-pass, which add up to 1: python weights.py taps=4 out=weights.raw"""

import sys

import numpy as np

words = dict(word.split("=", 1) for word in sys.argv[1:])
window = np.hanning(int(words["taps"]) + 2)[1:-1]
(window / window.sum()).astype("<f4").tofile(words["out"])
