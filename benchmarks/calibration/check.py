"""The solver in numpy, bit for bit: python check.py h=h.raw work=… energy=… W=3 H=3 STEPS=10 SEED=1 log=…; with
start=start.raw it writes the heights to start from instead."""

import re
import sys

import numpy as np

F = np.float32


def start(w: int, h: int, seed: int) -> np.ndarray:
    """Heights between -1/4 and 1/4."""
    return np.random.default_rng(seed).uniform(-0.25, 0.25, (h, w)).astype(F)


def fma(a: np.ndarray, b: np.ndarray | float, c: np.ndarray | float) -> np.ndarray:
    """a + b * c with one rounding. The product is exact in fp64; their sum is rounded to odd there, so that the
    rounding to fp32 is the only one that counts."""
    x, y = np.asarray(a, np.float64), np.float64(b) * np.float64(c)
    s = x + y
    t = s - x
    lost = (x - (s - t)) + (y - t)
    even = s.view(np.int64) & 1 == 0
    return np.where((lost != 0) & even, np.nextafter(s, np.where(lost > 0, np.inf, -np.inf)), s).astype(F)


def solve(h: np.ndarray, steps: int) -> dict[str, np.ndarray]:
    """The fields after some steps: the kernel's statements, each operation rounded as tungsten.md 4 says."""
    slope, gravity, turn, friction, smooth = F(0.125), F(0.5), F(0.0625), F(0.03125), F(0.015625)
    zero, one, half = F(0), F(1), F(0.5)
    u, v, energy, work = (np.zeros_like(h) for _ in range(4))

    def sides(across: np.ndarray, along: np.ndarray) -> tuple[np.ndarray, ...]:
        """What comes from the left, the right, below and above; a wall sends back what it got."""
        x, y = np.pad(across, 1, "edge"), np.pad(along, 1, "edge")
        return x[1:-1, :-2], x[1:-1, 2:], y[:-2, 1:-1], y[2:, 1:-1]

    for _ in range(steps):
        hw, he, hs, hn = sides(h, h)
        hx, hy = (he - hw) * slope, (hn - hs) * slope
        curve = fma((he + hw) + (hn + hs), F(-4), h)
        ua, va = fma(u, -gravity, hx), fma(v, -gravity, hy)
        ub, vb = fma(ua, turn, va), fma(va, -turn, ua)
        speed = ub * ub + vb * vb
        drag = fma(np.full_like(h, one), -friction, speed)
        u, v = ub * drag, vb * drag
        dx = np.maximum(u, zero) * (h - hw) + np.minimum(u, zero) * (he - h)
        dy = np.maximum(v, zero) * (h - hs) + np.minimum(v, zero) * (hn - h)
        carried = dx + dy
        uw, ue, vs, vn = sides(u, v)
        spread, depth = (ue - uw) + (vn - vs), one + h
        change = depth * spread + F(2) * carried
        h = fma(fma(h, -slope, change), smooth, curve)
        h = np.maximum(np.minimum(h, F(0.75)), F(-0.75))
        kinetic, potential = (one + h) * speed * half, gravity * h * h * half
        energy = energy + (kinetic + potential)
        work = work + (hx * u + hy * v) * depth
    return {"h": h, "energy": energy, "work": work}


def main() -> None:
    words = dict(word.split("=", 1) for word in sys.argv[1:])
    w, h, seed = int(words["W"]), int(words["H"]), int(words["SEED"])
    if "start" in words:
        start(w, h, seed).astype("<f4").tofile(words["start"])
        return
    steps = int(words["STEPS"])
    for name, wanted in solve(start(w, h, seed), steps).items():
        got = np.fromfile(words[name], dtype="<f4").reshape(h, w)
        if not np.array_equal(got, wanted):
            sys.exit(f"calibration: {name} differs from numpy's")
    cycles = re.search(r"cycles=(\d+)", open(words["log"], encoding="utf-8").read())
    print(f"calibration: {w} x {h} points, {steps} steps, {cycles[1] if cycles else '?'} cycles")


if __name__ == "__main__":
    main()
