"""Fetching decoded instructions, and the scoreboard."""

from __future__ import annotations

from fabric.arch import MAIN_WORDS
from fabric.engine.access import const, ld8, ld16, ld32, ld64, st32, st64
from fabric.engine.decode import decode_at
from fabric.engine.jit import inline, jit
from fabric.engine.layout import (
    B_ENTRIES,
    C_EXT,
    C_TIMING,
    E_NEEDS,
    E_NEEDS_COUNT,
    E_SETS,
    E_SETS_COUNT,
    ENTRY,
    R_FAULT_PC,
    R_FLAGS,
    R_LAST_EXECUTE,
    R_LATEST,
    R_PROGRAM,
    R_USABLE,
    RF_PRIVATE,
    TIMINGS,
    X_SCRATCH,
)
from fabric.engine.slots import fail


def timing(name: str) -> int:
    """Where a context holds a delay."""
    return C_TIMING + 8 * TIMINGS.index(name)


EXECUTE = timing("decode_to_execute")


# --- fetching -------------------------------------------------------------------------------------------------------


@jit
def _fetch_own(s: int, r: int, pc: int) -> int:
    """Decodes an instruction that the shared program does not have; 0 after a fault."""
    e = ld64(s + C_EXT) + X_SCRATCH
    if decode_at(s, r, pc, e):
        return e
    st32(r + R_FAULT_PC, pc)
    fail(s, r, const(506), pc, const(0), const(0))
    return 0


@inline
def fetch(s: int, r: int, pc: int) -> int:
    """The entry of the instruction at an address; 0 after a fault."""
    if pc < MAIN_WORDS and not ld8(r + R_FLAGS) & RF_PRIVATE:
        program = ld64(r + R_PROGRAM)
        number = ld16(program + 2 * pc)
        if number:
            return program + B_ENTRIES + number * ENTRY
    return _fetch_own(s, r, pc)


@jit
def keep(s: int, e: int, thread: int) -> int:
    """An entry that stays while an operation lives: a scratch entry is copied."""
    scratch = ld64(s + C_EXT) + X_SCRATCH
    if e != scratch:
        return e
    to = scratch + (thread + 1) * ENTRY
    for k in range(ENTRY // 8):
        st64(to + 8 * k, ld64(scratch + 8 * k))
    return to


# --- scoreboard -----------------------------------------------------------------------------------------------------


@inline
def wait_for(r: int, e: int) -> int:
    """The cycle from which all that an instruction needs may be used."""
    latest = 0
    for k in range(ld8(e + E_NEEDS_COUNT)):
        at = ld32(r + R_USABLE + 4 * ld8(e + E_NEEDS + k))
        latest = at if at > latest else latest
    return latest


@inline
def set_usable(r: int, e: int, ready: int) -> None:
    n = ld8(e + E_SETS_COUNT)
    for k in range(n):
        st32(r + R_USABLE + 4 * ld8(e + E_SETS + k), ready)
    if n and ready > ld32(r + R_LATEST):
        st32(r + R_LATEST, ready)


@inline
def executes(s: int, r: int, now: int) -> None:
    executed = now + ld64(s + EXECUTE) + 1
    if executed > ld32(r + R_LAST_EXECUTE):
        st32(r + R_LAST_EXECUTE, executed)
