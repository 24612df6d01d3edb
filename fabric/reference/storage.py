"""What a core reads and writes: memory, registers, and its code, decoded once (S0:239-256, hardware.md 10)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.arch import MAIN_WORDS, MEMORY_WORDS
from fabric.encode import MAX_LENGTH, DecodeError
from fabric.reference.core_fault import CoreFault
from fabric.reference.prepared import Prepared, prepare
from fabric.reference.wavelet import Wavelet

if TYPE_CHECKING:
    from fabric.reference.tile import Tile

# The prepared instructions of one run, by the words from their first on: tiles with the same program share them.
Cache = dict[tuple[int, ...], Prepared]


class Storage:
    """The part of a core that has addresses. `fault_pc` is the instruction that a fault is about."""

    def __init__(self, tile: Tile, cache: Cache | None) -> None:
        self.tile = tile
        self.timing = tile.fabric.timing
        self.memory = tile.memory
        self.now = 0
        self.fault_pc = 0
        self.code: dict[int, Prepared] = {}
        self.code_low, self.code_high = MAIN_WORDS, 0  # the main-memory words that `code` covers
        self.cache: Cache = {} if cache is None else cache

    # --- faults --------------------------------------------------------------------------------------------------

    def fault(self, code: str, others: tuple[tuple[int, str], ...] = (), **args: object) -> CoreFault:
        """A fault of the instruction that is being run."""
        return CoreFault(code, self.now, self.tile.x, self.tile.y, self.fault_pc, others, **args)

    def control_fault(self, queue: int, wavelet: Wavelet) -> CoreFault:
        """A control wavelet names a task without code."""
        tile = self.tile
        y, x = divmod(wavelet.born.tile, tile.fabric.width)
        return CoreFault(
            "FB503",
            self.now,
            tile.x,
            tile.y,
            None,
            queue=queue,
            color=wavelet.color,
            index=wavelet.high,
            data=wavelet.low,
            task=wavelet.task,
            sender_x=x,
            sender_y=y,
            sender_pc=wavelet.born.pc,
            sent=wavelet.born.cycle,
        )

    # --- memory --------------------------------------------------------------------------------------------------

    def load(self, address: int) -> int:
        """A 16-bit word."""
        if address < MAIN_WORDS:
            return self.memory[address]
        if address >= MEMORY_WORDS:
            raise self.fault("FB507", address=address, what="a load")
        return self.tile.read_word(address)

    def load32(self, address: int) -> int:
        """A 32-bit value, low word first, at an even address."""
        if address & 1:
            raise self.fault("FB508", address=address)
        if address < MAIN_WORDS:
            return self.memory[address] | self.memory[address + 1] << 16
        return self.load(address) | self.load(address + 1) << 16

    def store(self, address: int, value: int) -> None:
        """Writes a word; a register write takes effect at once, and code that is overwritten is decoded anew."""
        if address < MAIN_WORDS:
            self.memory[address] = value
            if self.code_low <= address < self.code_high:
                self._forget(address)
        elif address < MEMORY_WORDS:
            self.tile.write_word(address, value)
        else:
            raise self.fault("FB507", address=address, what="a store")

    def store32(self, address: int, value: int) -> None:
        """Writes a 32-bit value at an even address."""
        if address & 1:
            raise self.fault("FB508", address=address)
        self.store(address, value & 0xFFFF)
        self.store(address + 1, value >> 16)

    def load_wide(self, address: int, words: int) -> int:
        """A value of 1, 2 or 4 words."""
        if words == 1:
            return self.load(address)
        if words == 2:
            return self.load32(address)
        return self.load32(address) | self.load32((address + 2) & 0xFFFF) << 32

    def store_wide(self, address: int, value: int, words: int) -> None:
        """Writes a value of 1, 2 or 4 words."""
        if words == 1:
            self.store(address, value)
            return
        self.store32(address, value & 0xFFFFFFFF)
        if words == 4:
            self.store32((address + 2) & 0xFFFF, value >> 32)

    def _forget(self, address: int) -> None:
        for start in range(address - MAX_LENGTH + 1, address + 1):
            self.code.pop(start, None)

    def fetch(self, pc: int) -> Prepared:
        """The instruction at an address. Raises CoreFault (FB506)."""
        prepared = self.code.get(pc)
        if prepared is not None:
            return prepared
        if not 0 < pc < MAIN_WORDS:
            raise self.fault("FB506", address=pc, why="code lies in main memory, from word 1 on")
        window = tuple(self.memory[pc : pc + MAX_LENGTH])
        prepared = self.cache.get(window)
        if prepared is None:
            try:
                prepared = self.cache[window] = prepare(window, self.timing)
            except DecodeError as e:
                raise self.fault("FB506", address=pc, why=str(e)) from None
        self.code[pc] = prepared
        self.code_low = min(self.code_low, pc)
        self.code_high = max(self.code_high, pc + len(prepared.words))
        return prepared
