"""Comparing two raw files element by element (tools.md).

The error of an element is |a-b| / max(1, |b|), computed from the exact values of the two formats; NaN differs
from everything, also from NaN; equal infinities are equal.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from diag.report import fail
from diag.spans import nowhere

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

# Formats of raw files: Tungsten's types, and dp for numpy's float64.
FORMATS = {
    "sp": "<f4",
    "hp": "<f2",
    "xp": "<i2",
    "u16": "<u2",
    "i32": "<i4",
    "u32": "<u4",
    "u64": "<u8",
    "dp": "<f8",
}


@dataclass(frozen=True)
class Result:
    """`over` elements of `count` have an error above the limit; `places` are the worst, worst first:
    (index, a, b, error)."""

    count: int
    over: int
    worst: float
    mean: float
    places: tuple[tuple[int, str, str, float], ...]


def parse(data: bytes, form: str, path: str) -> NDArray[Any]:
    """The elements of a raw file. Raises UserError (FB321)."""
    import numpy as np

    dtype = np.dtype(FORMATS[form])
    if len(data) % dtype.itemsize:
        raise fail("FB321", nowhere(path), path=path, size=len(data), width=dtype.itemsize, format=form)
    return np.frombuffer(data, dtype=dtype)


def errors(a: NDArray[Any], b: NDArray[Any]) -> NDArray[np.float64]:
    """The error of each element; infinite where one of the two is NaN, or only one is that infinity."""
    import numpy as np

    # Differences of 64-bit integers are exact in Python's integers alone; all other formats fit a double.
    wide = np.uint64 in (a.dtype.type, b.dtype.type)
    with np.errstate(all="ignore"):
        da, db = a.astype(np.float64), b.astype(np.float64)
        if wide and a.dtype.kind in "ui" and b.dtype.kind in "ui":
            difference = np.abs(a.astype(object) - b.astype(object)).astype(np.float64)
        elif wide:
            difference = np.abs(a.astype(np.longdouble) - b.astype(np.longdouble)).astype(np.float64)
        else:
            difference = np.abs(da - db)
        out = difference / np.maximum(1.0, np.abs(db))
    out[(da == db) & np.isinf(da)] = 0.0
    out[np.isnan(out)] = np.inf
    return np.asarray(out, dtype=np.float64)


def compare(a: NDArray[Any], b: NDArray[Any], limit: float, most: int = 10) -> Result:
    """Arrays of the same length, at least 1."""
    import numpy as np

    e = errors(a, b)
    over = int(np.count_nonzero(~(e <= limit)))
    k = min(most, e.size)
    # A stable order: the largest error first, the lowest index among equals.
    worst = np.argsort(-e, kind="stable")[:k]
    places = tuple((int(i), str(a[i]), str(b[i]), float(e[i])) for i in worst)
    finite = e[np.isfinite(e)]
    mean = float(finite.mean()) if finite.size else float("inf")
    return Result(e.size, over, float(e.max()), mean, places)
