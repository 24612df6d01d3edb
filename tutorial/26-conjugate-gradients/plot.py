"""Draws the residual step by step, and a layer of the solution: python plot.py b=… u=… history=… W=3 H=2 Z=4 T=10 out=…"""

import sys

import numpy as np

try:
    from matplotlib.figure import Figure
except ImportError:
    sys.exit(f"the picture needs matplotlib, which is not installed: {sys.executable} -m pip install matplotlib")

words = dict(word.split("=", 1) for word in sys.argv[1:])
w, h, depth, steps = (int(words[name]) for name in "WHZT")
b, u = (np.fromfile(words[name], dtype="<f4").reshape(depth, h, w) for name in ("b", "u"))
history = np.fromfile(words["history"], dtype="<f4").reshape(h, w, steps)[0, 0]
residual = np.sqrt(np.concatenate([[np.square(b.astype(float)).sum()], history]))


def apply(p: np.ndarray) -> np.ndarray:
    x = np.pad(p, 1)
    m = slice(1, -1)
    return 6 * p - x[m, m, :-2] - x[m, m, 2:] - x[m, :-2, m] - x[m, 2:, m] - x[:-2, m, m] - x[2:, m, m]


# The same method with 64 bits, to tell rounding from the method.
r = b.astype(float)
p, rr = r.copy(), np.square(r).sum()
exact = [np.sqrt(rr)]
for _ in range(steps):
    q = apply(p)
    alpha = rr / (p * q).sum() if rr > 0 else 0.0
    r, last = r - alpha * q, rr
    rr = np.square(r).sum()
    p = r + (rr / last if last > 0 else 0.0) * p
    exact.append(np.sqrt(rr))

figure = Figure(figsize=(8, 3.6), dpi=100, layout="constrained")
left, right = figure.subplots(1, 2)
left.semilogy(residual, "o-", markersize=3, label="on the tiles, 32 bits")
left.semilogy(exact, "--", label="numpy, 64 bits")
left.set_title(f"{w} x {h} x {depth} points", fontsize=10)
left.set_xlabel("step")
left.set_ylabel("length of the residual b - A u")
left.xaxis.get_major_locator().set_params(integer=True)
left.grid(alpha=0.4)
left.legend(fontsize=9)
z = int(np.abs(b).max(axis=(1, 2)).argmax())
most = np.abs(u[z]).max() or 1.0
image = right.imshow(u[z], origin="lower", cmap="RdBu_r", vmin=-most, vmax=most)
right.set_title(f"the potential in the layer z = {z}", fontsize=10)
right.set_xlabel("column of the tile, x")
right.set_ylabel("row of the tile, y")
right.xaxis.get_major_locator().set_params(integer=True)
right.yaxis.get_major_locator().set_params(integer=True)
figure.colorbar(image, ax=right, label="potential")
figure.savefig(words["out"])
print(f"lesson 26: residual {residual[0]:.3f} -> {residual[-1]:.1e} in {steps} steps")
