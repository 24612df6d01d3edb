"""Memory of the engine: reserved address space, of which only touched pages exist, as numpy arrays."""

from __future__ import annotations

import ctypes
import mmap
from typing import Any

import numpy as np
from numpy.typing import NDArray

NORESERVE = 0x4000  # Linux: address space without a claim on memory
PAGE = 4096


def reserve(size: int) -> NDArray[np.uint8]:
    """So many zero bytes, in pages of 4 KB: numpy's own arrays would take huge pages, and sparse ones come whole."""
    size = max(size + -size % PAGE, PAGE)
    flags = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | NORESERVE
    area = mmap.mmap(-1, size, flags=flags)
    if hasattr(mmap, "MADV_NOHUGEPAGE"):
        area.madvise(mmap.MADV_NOHUGEPAGE)
    return np.frombuffer(area, dtype=np.uint8)


def address(array: NDArray[Any]) -> int:
    """Where an array lies."""
    return int(array.ctypes.data)


def field(records: NDArray[np.uint8], at: int, dtype: str, count: int = 1) -> NDArray[Any]:
    """A field of records [..., bytes] as a view: [...] for one element, else [..., count]."""
    kind = np.dtype(dtype)
    view = records[..., at : at + kind.itemsize * count]
    shape, strides = (*view.shape[:-1], count), (*view.strides[:-1], kind.itemsize)
    out: NDArray[Any] = np.ndarray(shape, kind, _base(view), _offset(view), strides)
    return out[..., 0] if count == 1 else out


def _base(view: NDArray[np.uint8]) -> Any:
    array: Any = view
    while isinstance(array.base, np.ndarray):
        array = array.base
    return array


def _offset(view: NDArray[np.uint8]) -> int:
    return address(view) - address(_base(view))


def copy_bytes(to: int, data: bytes) -> None:
    """Writes bytes at an address."""
    ctypes.memmove(to, data, len(data))


def bytes_at(at: int, size: int) -> bytes:
    """Bytes at an address."""
    return ctypes.string_at(at, size)


class Arena:
    """Memory in pieces, out of large reserved areas (each mapping of its own would count)."""

    CHUNK = 1 << 28

    def __init__(self) -> None:
        self._areas: list[NDArray[np.uint8]] = []
        self._used = 0

    def take(self, size: int) -> NDArray[np.uint8]:
        """So many zero bytes, on a cache line."""
        size += -size % 64
        if not self._areas or self._used + size > len(self._areas[-1]):
            self._areas.append(reserve(max(size, self.CHUNK)))
            self._used = 0
        self._used += size
        return self._areas[-1][self._used - size : self._used]
