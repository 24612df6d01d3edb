"""The words of a tile by address: main memory, cache, registers; what loads and stores do."""

from __future__ import annotations

from fabric.arch import (
    CACHE_START,
    CONFIG_START,
    MAIN_WORDS,
    MEMORY_WORDS,
)
from fabric.engine.access import const, ld8, ld16, ld32, ld64, shl, st8, st16
from fabric.engine.jit import inline, jit
from fabric.engine.layout import (
    B_CODE,
    C_EXT,
    R_FLAGS,
    R_LENGTH,
    R_MEMORY,
    R_PROGRAM,
    RF_PRIVATE,
    X_CACHE,
    X_MEMORY,
)
from fabric.engine.registers import note_more, read_register, write_register
from fabric.engine.slots import fail


@jit
def read_word(s: int, r: int, address: int) -> int:
    """The word at an address; reserved words read 0."""
    if address < MAIN_WORDS:
        if address < ld32(r + R_LENGTH):
            return ld16(ld64(r + R_MEMORY) + 2 * address)
        return ld16(ld64(s + C_EXT) + X_MEMORY + 2 * address)
    if address >= CACHE_START:
        return ld16(ld64(s + C_EXT) + X_CACHE + 2 * ((address - CACHE_START) & 0xFF))
    if address < CONFIG_START:
        return 0
    return read_register(s, r, address)


@inline
def write_main(s: int, r: int, address: int, value: int) -> None:
    """Writes a word of main memory. A tile that changes its code decodes its own from then on."""
    if address < ld32(r + R_LENGTH):
        a = ld64(r + R_MEMORY) + 2 * address
        if ld8(ld64(r + R_PROGRAM) + B_CODE + address) and ld16(a) != value:
            st8(r + R_FLAGS, ld8(r + R_FLAGS) | RF_PRIVATE)
        st16(a, value)
    else:
        note_more(r)
        st16(ld64(s + C_EXT) + X_MEMORY + 2 * address, value)


@jit
def write_other(s: int, r: int, address: int, value: int) -> None:
    """Writes a word beyond main memory."""
    if address >= MEMORY_WORDS:
        fail(s, r, const(507), address, const(1), const(0))
    elif address >= CACHE_START:
        note_more(r)
        st16(ld64(s + C_EXT) + X_CACHE + 2 * ((address - CACHE_START) & 0xFF), value)
    elif address >= CONFIG_START:
        write_register(s, r, address, value)


@inline
def load(s: int, r: int, address: int) -> int:
    """A 16-bit word."""
    if address < ld32(r + R_LENGTH):
        return ld16(ld64(r + R_MEMORY) + 2 * address)
    return load_other(s, r, address)


@jit
def load_other(s: int, r: int, address: int) -> int:
    if address >= MEMORY_WORDS:
        fail(s, r, const(507), address, const(0), const(0))
        return 0
    return read_word(s, r, address)


@inline
def load32(s: int, r: int, address: int) -> int:
    """A 32-bit value at an even address."""
    if address & 1 == 0 and address + 1 < ld32(r + R_LENGTH):
        return ld32(ld64(r + R_MEMORY) + 2 * address)
    return load32_other(s, r, address)


@jit
def load32_other(s: int, r: int, address: int) -> int:
    if address & 1:
        fail(s, r, const(508), address, const(0), const(0))
        return 0
    return load(s, r, address) | load(s, r, address + 1) << 16


@inline
def store(s: int, r: int, address: int, value: int) -> None:
    """Writes a 16-bit word."""
    if address < MAIN_WORDS:
        write_main(s, r, address, value)
    else:
        write_other(s, r, address, value)


@jit
def store32(s: int, r: int, address: int, value: int) -> None:
    """Writes a 32-bit value at an even address."""
    if address & 1:
        fail(s, r, const(508), address, const(0), const(0))
        return
    store(s, r, address, value & 0xFFFF)
    store(s, r, address + 1, value >> 16)


@jit
def load_wide(s: int, r: int, address: int, words: int) -> int:
    """A value of 1, 2 or 4 words."""
    if words == 1:
        return load(s, r, address)
    if words == 2:
        return load32(s, r, address)
    low = load32(s, r, address)
    return low | shl(load32(s, r, (address + 2) & 0xFFFF), const(32))


@jit
def store_wide(s: int, r: int, address: int, value: int, words: int) -> None:
    """Writes a value of 1, 2 or 4 words."""
    if words == 1:
        store(s, r, address, value)
        return
    store32(s, r, address, value & 0xFFFFFFFF)
    if words == 4:
        store32(s, r, (address + 2) & 0xFFFF, value >> 32 & 0xFFFFFFFF)
