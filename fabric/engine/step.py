"""The cycle over all tiles, and the loop from one cycle in which something is due to the next.

Phase 1 goes over the tiles that are due: the router decides from the state at the start of the cycle, the core steps,
what leaves is put into outboxes. Phase 2 goes over the tiles at which something leaves or lands. A tile is written by
its owner alone, but for byte flags that are only ever set in a phase in which nobody clears them; so the order of the
tiles, and the number of threads, make no difference.

Bit c % 64 of a mask of due cycles is cycle c. Masks of blocks of tiles and of rows lie above those of the tiles.
"""

from __future__ import annotations

from fabric.engine.access import (
    add_shared,
    const,
    ctz,
    give_way,
    ld8,
    ld32,
    ld64,
    load_shared,
    lshr,
    shl,
    st8,
    st64,
    store_shared,
    watching,
)
from fabric.engine.core import step_core
from fabric.engine.decode import decode
from fabric.engine.jit import entry, inline, jit, watched_entry
from fabric.engine.landing import publish_dirty, second_phase
from fabric.engine.layout import (
    BLOCK,
    BLOCK_SHIFT,
    C_BLOCK_DUE,
    C_BLOCK_VISIT,
    C_BLOCK_WAKE,
    C_BLOCKS,
    C_BUDGET,
    C_DUE_C,
    C_DUE_R,
    C_DUES,
    C_END,
    C_EXT,
    C_EXTENSIONS,
    C_FAULT,
    C_FAULT_KEY,
    C_FIRST,
    C_MASK,
    C_NOW,
    C_P,
    C_RECORD_AT,
    C_RECORD_STOP,
    C_RECORDS,
    C_ROW_DUE,
    C_ROW_VISIT,
    C_ROW_WAKE,
    C_SHARED,
    C_STRIDE,
    C_THREAD,
    C_THREADS,
    C_UNTIL,
    C_VISIT,
    C_WAKE,
    C_WIDTH,
    C_WORK,
    C_X,
    C_Y,
    EXTENSION,
    NEVER,
    R_BUSY,
    R_DEPARTURES,
    R_DIRTY,
    R_LINK,
    R_LOADED,
    RECORD,
    VISIT_SELF,
    Z_ARRIVED,
    Z_ENDS,
    Z_MASKS,
    Z_ROUND,
    Z_STOP,
)
from fabric.engine.memory import read_word
from fabric.engine.registers import write_register
from fabric.engine.router import clear_requests, decide, decide_link, fill_outboxes, visit
from fabric.engine.slots import wake_core
from fabric.engine.vectors import group
from fabric.engine.watch import watch_tile

QUIET, UNTIL, PAUSED, FAULTED = 1, 2, 3, 4
SPINS = 300


@inline
def focus(s: int, p: int, x: int, row: int) -> int:
    """Makes a tile the one that is worked on; its record."""
    st64(s + C_P, p)
    st64(s + C_X, x - 1)
    st64(s + C_Y, row - 1)
    st64(s + C_EXT, ld64(s + C_EXTENSIONS) + p * EXTENSION)
    st64(s + C_DUE_R, ld64(s + C_DUES) + 16 * p)
    st64(s + C_DUE_C, ld64(s + C_DUES) + 16 * p + 8)
    st64(s + C_FAULT, const(0))
    watch_tile(s)
    return ld64(s + C_RECORDS) + p * RECORD


@inline
def _note(s: int, row: int, block: int) -> None:
    """The tile's due cycles become those of its block, its row and its thread."""
    due = ld64(ld64(s + C_DUE_R)) | ld64(ld64(s + C_DUE_C))
    a = ld64(s + C_BLOCK_DUE) + 8 * block
    st64(a, ld64(a) | due)
    a = ld64(s + C_ROW_DUE) + 8 * row
    st64(a, ld64(a) | due)
    st64(s + C_MASK, ld64(s + C_MASK) | due)


@inline
def _first(s: int, p: int, x: int, row: int, block: int, bit: int, now: int) -> None:
    """Phase 1 of a tile."""
    dues = ld64(s + C_DUES) + 16 * p
    due_router, due_core = ld64(dues), ld64(dues + 8)
    woken_at = ld64(s + C_WAKE + 8 * (now & 1)) + p
    woken = ld8(woken_at)
    if (due_router | due_core) & bit == 0 and woken == 0:
        return
    if woken:
        st8(woken_at, const(0))
    st64(dues, due_router & ~bit)
    st64(dues + 8, due_core & ~bit)
    r = focus(s, p, x, row)
    st64(s + C_WORK, ld64(s + C_WORK) + 1)
    if due_router & bit or woken:
        if ld32(r + R_BUSY):
            clear_requests(s)
            decide(s, r, now)
        if ld8(r + R_LOADED):
            decide_link(s, r, now)
    if due_core & bit:
        wanted = step_core(s, r, now)
        if wanted != NEVER:  # a core that is stepped too early asks again
            wake_core(s, wanted if wanted < now + 63 else now + 63)
    if ld8(r + R_DEPARTURES):
        fill_outboxes(s, r)
        visit(s, p, const(VISIT_SELF))
    elif ld32(r + R_LINK) or ld32(r + R_DIRTY):
        visit(s, p, const(VISIT_SELF))
    _note(s, row, block)


@jit
def first_phase(s: int, now: int) -> None:
    """Phase 1 of a thread's rows."""
    bit = shl(const(1), now & 63)
    blocks, stride, width = ld64(s + C_BLOCKS), ld64(s + C_STRIDE), ld64(s + C_WIDTH)
    row_wake, block_wake = ld64(s + C_ROW_WAKE + 8 * (now & 1)), ld64(s + C_BLOCK_WAKE + 8 * (now & 1))
    for row in range(ld64(s + C_FIRST), ld64(s + C_END)):
        a = ld64(s + C_ROW_DUE) + 8 * row
        if ld64(a) & bit == 0 and ld8(row_wake + row) == 0:
            continue
        st64(a, ld64(a) & ~bit)
        st8(row_wake + row, const(0))
        for b in range(blocks):
            block = row * blocks + b
            a = ld64(s + C_BLOCK_DUE) + 8 * block
            if ld64(a) & bit == 0 and ld8(block_wake + block) == 0:
                continue
            st64(a, ld64(a) & ~bit)
            st8(block_wake + block, const(0))
            start = b << BLOCK_SHIFT
            end = start + BLOCK
            start = start if start > 0 else 1
            end = end if end < width + 1 else width + 1
            for x in range(start, end):
                _first(s, row * stride + x, x, row, block, bit, now)


@jit
def last_phase(s: int) -> None:
    """Phase 2 of a thread's rows."""
    blocks, stride, width = ld64(s + C_BLOCKS), ld64(s + C_STRIDE), ld64(s + C_WIDTH)
    for row in range(ld64(s + C_FIRST), ld64(s + C_END)):
        a = ld64(s + C_ROW_VISIT) + row
        if ld8(a) == 0:
            continue
        st8(a, const(0))
        for b in range(blocks):
            block = row * blocks + b
            a = ld64(s + C_BLOCK_VISIT) + block
            if ld8(a) == 0:
                continue
            st8(a, const(0))
            start = b << BLOCK_SHIFT
            end = start + BLOCK
            start = start if start > 0 else 1
            end = end if end < width + 1 else width + 1
            for x in range(start, end):
                p = row * stride + x
                sides = ld64(ld64(s + C_VISIT) + 8 * p)
                if sides:
                    st64(ld64(s + C_VISIT) + 8 * p, const(0))
                    r = focus(s, p, x, row)
                    second_phase(s, r, sides)
                    _note(s, row, block)


@jit
def barrier(s: int) -> None:
    """All threads meet."""
    threads = ld64(s + C_THREADS)
    if threads == 1:
        return
    z = ld64(s + C_SHARED)
    turn = load_shared(z + Z_ROUND)
    if add_shared(z + Z_ARRIVED, const(1)) == threads - 1:
        store_shared(z + Z_ARRIVED, const(0))
        store_shared(z + Z_ROUND, turn + 1)
        return
    spins = 0
    while load_shared(z + Z_ROUND) == turn:
        spins += 1
        if spins > SPINS:
            give_way()


@jit
def _agree(s: int, parity: int) -> int:
    """What all threads know after a cycle: the OR of their due cycles goes to the mask; whether one wants to end."""
    z = ld64(s + C_SHARED)
    thread, threads = ld64(s + C_THREAD), ld64(s + C_THREADS)
    end = 0
    if ld64(s + C_FAULT_KEY):
        end = FAULTED
    elif thread == 0 and (load_shared(z + Z_STOP) or ld64(s + C_WORK) > ld64(s + C_BUDGET)):
        end = PAUSED
    elif watching(s) and ld64(s + C_RECORD_AT) > ld64(s + C_RECORD_STOP):
        end = PAUSED
    at = 512 * parity
    st64(z + Z_MASKS + at + 8 * thread, ld64(s + C_MASK))
    st64(z + Z_ENDS + at + 8 * thread, end)
    barrier(s)
    mask = 0
    for k in range(threads):
        mask |= ld64(z + Z_MASKS + at + 8 * k)
        other = ld64(z + Z_ENDS + at + 8 * k)
        end = other if other > end else end
    if end == FAULTED:
        return FAULTED
    if mask == 0:
        return QUIET
    if end:
        return end
    shift = ld64(s + C_NOW) & 63
    if shift:
        mask = lshr(mask, shift) | shl(mask, 64 - shift)
    due = ld64(s + C_NOW) + ctz(mask)
    if due >= ld64(s + C_UNTIL):
        if ld64(s + C_UNTIL) > ld64(s + C_NOW):
            st64(s + C_NOW, ld64(s + C_UNTIL))
        return UNTIL
    st64(s + C_NOW, due)
    return 0


@jit
def _run(s: int) -> int:
    parity = 0
    while True:
        end = _agree(s, parity)
        if end:
            return end
        parity = 1 - parity
        now = ld64(s + C_NOW)
        st64(s + C_MASK, ld64(s + C_MASK) & ~shl(const(1), now & 63))
        first_phase(s, now)
        barrier(s)
        last_phase(s)
        st64(s + C_NOW, now + 1)


@entry
def run_band(s: int) -> int:
    """Runs a thread's rows from cycle C_NOW on, until something ends the run: QUIET, UNTIL, PAUSED or FAULTED. C_NOW
    is then the first cycle that has not begun."""
    return _run(s)


@watched_entry
def run_watched(s: int) -> int:
    """As `run_band`, and tells watchers what happens."""
    return _run(s)


# --- what Python needs of a tile ------------------------------------------------------------------------------------


@entry
def decode_words(s: int, words: int, available: int, e: int) -> int:
    """`decode`, for the program tables."""
    return decode(s, words, available, e)


@entry
def load_register(s: int, p: int, x: int, row: int, address: int, value: int) -> int:
    """Writes a register word of an image; 0 after a fault."""
    r = focus(s, p, x, row)
    write_register(s, r, address, value)
    publish_dirty(r)
    return 1 - ld64(s + C_FAULT)


@entry
def read_register_of(s: int, p: int, x: int, row: int, address: int) -> int:
    """The word at an address of a tile, without effect."""
    return read_word(s, focus(s, p, x, row), address)


@entry
def group_of(s: int, p: int, x: int, row: int, thread: int) -> int:
    """How many elements a thread's operation could do now."""
    return group(s, focus(s, p, x, row), thread)
