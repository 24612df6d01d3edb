"""Compares all of it with numpy, bit for bit, and the solution with a direct one: python check.py b=… u=… … log=…"""

import re
import sys

import numpy as np

words = dict(word.split("=", 1) for word in sys.argv[1:])
w, h, depth, steps = (int(words[name]) for name in "WHZT")
b, u = (np.fromfile(words[name], dtype="<f4").reshape(depth, h, w) for name in ("b", "u"))
history = np.fromfile(words["history"], dtype="<f4").reshape(h, w, steps)
m = slice(1, -1)


def fused(a: np.ndarray, x: np.ndarray, y: np.ndarray | np.float32) -> np.ndarray:
    """a + x*y, rounded once."""
    return (a.astype(np.longdouble) + x.astype(np.longdouble) * y).astype(np.float32)


def product(a: np.ndarray, c: np.ndarray) -> np.float32:
    """A dot product as the tiles compute it: each column for itself, rows from the right, the first column from above."""
    v = np.zeros((h, w), np.float32)
    for z in range(depth):
        v = fused(v, a[z], c[z])
    rows = v[:, -1]
    for x in range(w - 2, -1, -1):
        rows = v[:, x] + rows
    result = rows[-1]
    for y in range(h - 2, -1, -1):
        result = rows[y] + result
    return result


def apply(p: np.ndarray) -> np.ndarray:
    x = np.pad(p, 1)
    q = p * p.dtype.type(6)
    for neighbour in (x[m, m, :-2], x[m, m, 2:], x[m, :-2, m], x[m, 2:, m], x[:-2, m, m], x[2:, m, m]):
        q = q - neighbour
    return q


solution, r, p, rr = np.zeros_like(b), b.copy(), b.copy(), product(b, b)
expected = []
for _ in range(steps):
    q = apply(p)
    pq = product(p, q)
    alpha = rr / pq if pq > 0 else np.float32(0)
    solution, r, last = fused(solution, p, alpha), fused(r, q, -alpha), rr
    rr = product(r, r)
    expected.append(rr)
    p = p * (rr / last if last > 0 else np.float32(0)) + r

A = np.array([apply(e.reshape(depth, h, w)).ravel() for e in np.eye(b.size)])
error = np.abs(u - np.linalg.solve(A, b.ravel().astype(float)).reshape(b.shape)).max()
cycles = int(re.search(r"cycles=(\d+)", open(words["log"], encoding="utf-8").read())[1])
print(
    f"lesson 26: {w} x {h} x {depth} points, residual {np.sqrt(product(b, b)):.3f} -> {np.sqrt(history[0, 0, -1]):.1e} "
    f"in {steps} steps, error {error:.1e}, {cycles / steps:.0f} cycles a step"
)
right = np.array_equal(u, solution) and (history == np.array(expected)).all()
sys.exit(0 if right else "lesson 26: the solution differs from numpy's")
