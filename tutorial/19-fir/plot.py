"""Draws the signal and its spectrum, before and after: python plot.py input=… output=… weights=… out=picture.png"""

import sys

import numpy as np

try:
    from matplotlib.figure import Figure
except ImportError:
    sys.exit(f"the picture needs matplotlib, which is not installed: {sys.executable} -m pip install matplotlib")

words = dict(word.split("=", 1) for word in sys.argv[1:])
before, after, weights = (np.fromfile(words[name], dtype="<f4") for name in ("input", "output", "weights"))

figure = Figure(figsize=(8, 5.2), dpi=90, layout="constrained")
figure.suptitle(f"A low-pass of {len(weights)} taps over {len(before)} samples")
above, below = figure.subplots(2, 1)
window = np.hanning(len(before))  # so that the ends of the signal make no frequencies of their own
for values, name in ((before, "before"), (after, "after")):
    above.plot(values, label=name, linewidth=1)
    amplitude = 2 * np.abs(np.fft.rfft(values * window)) / window.sum()
    below.semilogy(np.fft.rfftfreq(len(values)), amplitude, label=name, linewidth=1)
response = np.abs(np.fft.rfft(weights, 512))
below.semilogy(np.fft.rfftfreq(512), response, "k--", linewidth=1, label="the filter: what passes")
above.set_xlabel("sample")
above.set_ylabel("value")
below.set_xlabel("frequency, periods a sample")
below.set_ylabel("amplitude")
below.set_ylim(1e-5, 2)
above.legend(fontsize=9)
below.legend(fontsize=9, loc="upper right")
figure.savefig(words["out"])
print(f"lesson 19: {len(before)} samples, {len(after)} filtered")
