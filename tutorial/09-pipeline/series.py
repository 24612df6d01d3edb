"""The coefficients 1/(K-1)!, …, 1/1!, 1/0! as raw fp32 numbers: python series.py K=4 out=coefficients.raw"""

import math
import sys

import numpy as np

words = dict(word.split("=", 1) for word in sys.argv[1:])
np.array([1 / math.factorial(k) for k in reversed(range(int(words["K"])))], dtype="<f4").tofile(words["out"])
