"""The checkpoint of a large fabric: records as they are, compressed; in seconds, where a snapshot as plain data takes a
millisecond a tile.

It is for the version of the engine that wrote it, because it holds the record's layout. Tiles that have something in
their extension beside words (deep queues, descriptors of several dimensions, tables of their own, …) are in it as plain
data, as in `fabric.reference.snapshot`. Addresses are left out: they are those of the machine that is loaded.
"""

from __future__ import annotations

import json
import struct
import zlib
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fabric.corefile import RAW
from fabric.descriptor import ITERATOR, MEM4D
from fabric.engine import layout as y
from fabric.engine.cache import source_hash
from fabric.engine.convert import TileState
from fabric.engine.machine import Machine
from fabric.engine.restore import TileWriter
from fabric.engine.storage import bytes_at, field

ADDRESSES = (y.R_PROGRAM, y.R_MEMORY, y.R_TABLES)
ENTRIES = tuple(y.R_OPS + thread * y.OP + y.O_ENTRY for thread in range(9))
LEVEL = 1  # of zlib: most of it are zeros


def _live(records: NDArray[np.uint8], thread: int) -> NDArray[np.bool_]:
    """[…]: an operation is under way on a thread."""
    if thread == y.MAIN:
        return np.asarray((records[..., y.R_FLAGS] & y.RF_VECTOR) != 0)
    return np.asarray((records[..., y.R_LIVE] >> thread & 1) != 0)


def _special(m: Machine) -> NDArray[np.bool_]:
    """[y, x]: the tile has something in its extension that no word of a core file shows, or code of its own."""
    r = m.inside(m.records, y.RECORD)
    full = (1 << y.HOT_SLOTS) - 1
    found = (field(r, y.R_USED, "<u8") == full) | (r[..., y.R_EVENTS] > y.HOT_EVENTS)
    found |= (r[..., y.R_FLAGS] & (y.RF_PRIVATE | y.RF_LOST)) != 0
    start = m.contexts[0][y.C_EXTENSIONS]
    end = start + len(m.extensions)
    tables = field(r, y.R_TABLES, "<i8")
    found |= (tables >= start) & (tables < end)
    for thread in range(9):
        where = field(r, y.R_OPS + thread * y.OP + y.O_ENTRY, "<i8")
        unlike = (where >= start) & (where < end)
        for k in range(4):
            kind = r[..., y.R_OPS + thread * y.OP + y.O_OPERANDS + k * y.OPERAND + y.P_KIND]
            unlike |= (kind == MEM4D) | (kind == ITERATOR)
        found |= unlike & _live(r, thread)
    return np.asarray(found)


def take(m: Machine) -> bytes:
    """The state between two cycles; together with each tile's words it is everything."""
    special = _special(m)
    tiles = [TileState(m, int(x), int(row)) for row, x in np.argwhere(special)]
    head = {
        "version": source_hash(),
        "now": m.now,
        "last_moved": m.last_moved,
        "tiles": [tile.take() for tile in tiles],
        "lost": [entry for tile in tiles for entry in tile.lost()],
    }
    text = json.dumps(head, separators=(",", ":")).encode()
    squeeze = zlib.compressobj(LEVEL)
    out = [RAW, squeeze.compress(struct.pack("<Q", len(text)) + text)]
    now = m.now
    dues = m.inside(m.dues, 16).view(np.uint64).copy()
    dues[..., 0] |= (m.grid(m.wake[now & 1])[1:-1, 1:-1] != 0).astype(np.uint64) << np.uint64(now % 64)
    out.append(squeeze.compress(dues.tobytes()))
    out.append(squeeze.compress(m.grid(m.exists)[1:-1, 1:-1].tobytes()))
    for row in m.inside(m.records, y.RECORD):
        part = row.copy()
        for at in (*ADDRESSES, *ENTRIES):
            part[:, at : at + 8] = 0
        out.append(squeeze.compress(part.tobytes()))
    out.append(squeeze.flush())
    return b"".join(out)


class _Stream:
    """The bytes of a compressed text, piece by piece."""

    def __init__(self, packed: bytes) -> None:
        self._rest = memoryview(packed)
        self._expand = zlib.decompressobj()
        self._ready = b""

    def take(self, size: int) -> bytes:
        """The next bytes. Raises ValueError where there are no more."""
        while len(self._ready) < size:
            feed: bytes | memoryview = self._expand.unconsumed_tail
            if not feed:
                feed, self._rest = self._rest[: 1 << 20], self._rest[1 << 20 :]
                if not feed:
                    raise ValueError("it ends too early")
            self._ready += self._expand.decompress(feed, max(size, 1 << 20))
        out, self._ready = self._ready[:size], self._ready[size:]
        return out


def restore(m: Machine, packed: bytes) -> None:
    """Takes a state back into a machine just loaded from the words that were saved with it. Raises ValueError for a
    state of another version, and for a damaged one; zlib.error."""
    stream = _Stream(packed[len(RAW) :])
    (size,) = struct.unpack("<Q", stream.take(8))
    head: dict[str, Any] = json.loads(stream.take(size))
    if head["version"] != source_hash():
        raise ValueError("another version of the fast engine wrote it")
    for c in m.contexts:
        c[y.C_NOW], c[y.C_MOVED] = head["now"], head["last_moved"] + 1
    tiles = m.width * m.height
    dues = np.frombuffer(stream.take(16 * tiles), np.uint64).reshape(m.height, m.width, 2)
    m.inside(m.dues, 16).view(np.uint64)[:] = dues
    m.grid(m.exists)[1:-1, 1:-1] = np.frombuffer(stream.take(tiles), np.uint8).reshape(m.height, m.width)
    special = np.zeros((m.height, m.width), bool)
    for tile in head["tiles"]:
        x, row = tile["at"]
        special[row, x] = True
    records = m.inside(m.records, y.RECORD)
    for row in range(m.height):
        part = np.frombuffer(stream.take(m.width * y.RECORD), np.uint8).reshape(m.width, y.RECORD).copy()
        _fill_in(records[row], part, special[row])
    for tile in head["tiles"]:
        TileWriter(m, *tile["at"]).restore(tile)
    for index, *entry in head["lost"]:
        row, x = divmod(index, m.width)
        TileWriter(m, x, row).lost(*entry)
    m.dues_changed()


def _fill_in(loaded: NDArray[np.uint8], saved: NDArray[np.uint8], special: NDArray[np.bool_]) -> None:
    """The records of a row of tiles as they were saved, with the addresses of those that were loaded."""
    for at, size in (*((at, 8) for at in ADDRESSES), (y.R_LENGTH, 4)):
        saved[:, at : at + size] = loaded[:, at : at + size]
    saved[:, y.R_FLAGS] |= loaded[:, y.R_FLAGS] & (y.RF_PRIVATE | y.RF_MORE)
    programs = field(saved, y.R_PROGRAM, "<i8")
    known: dict[tuple[int, int], int] = {}
    for thread, at in enumerate(ENTRIES):
        where = _live(saved, thread) & ~special
        if where.any():
            pcs = field(saved, y.R_OPS + thread * y.OP + y.O_PC, "<u4")
            entries = field(saved, at, "<i8")
            for k in np.flatnonzero(where):
                key = int(programs[k]), int(pcs[k])
                if key not in known:
                    known[key] = _entry(*key)
                entries[k] = known[key]
    loaded[~special] = saved[~special]


def _entry(program: int, pc: int) -> int:
    """Where a program holds an instruction, decoded."""
    number = int.from_bytes(bytes_at(program + 2 * pc, 2), "little")
    if not number:
        raise ValueError("an instruction under way is not in the program")
    return program + y.B_ENTRIES + number * y.ENTRY
