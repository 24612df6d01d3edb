"""Decoded programs: one table for all tiles whose main memory starts with the same code.

What can be reached from a task's entry is decoded ahead; what cannot (a jump to a computed address) and what a tile
has overwritten is decoded by the tile itself whenever it runs it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

import numpy as np
from numpy.typing import NDArray

from fabric.arch import MAIN_WORDS
from fabric.encode import MAX_LENGTH
from fabric.engine.layout import (
    B_CODE,
    B_ENTRIES,
    E_ARG0,
    E_ARG1,
    E_LENGTH,
    E_NUMBER,
    E_PRED,
    E_TERMINATE,
    ENTRY,
)
from fabric.engine.storage import Arena, address
from fabric.isa import BY_NAME

Decode = Callable[[int, int, int], int]  # (address of words, how many, address of the entry) -> length

JMP, JMPR, CALL, DJNZ, TERMINATE, FAULT, HALT, SETTASK = (
    BY_NAME[n].number for n in ("jmp", "jmpr", "call", "djnz", "terminate", "fault", "halt", "settask")
)


class Program:
    """A block: the index of addresses, which words are code, the entries (`fabric.engine.layout`, B_…)."""

    def __init__(self, found: dict[int, NDArray[np.uint8]], arena: Arena) -> None:
        self.block = arena.take(B_ENTRIES + ENTRY * (len(found) + 1))
        self.address = address(self.block)
        index = self.block[: 2 * MAIN_WORDS].view(np.uint16)
        self.code = self.block[B_CODE : B_CODE + MAIN_WORDS]
        for number, (pc, words) in enumerate(sorted(found.items()), 1):
            index[pc] = number
            self.code[pc : pc + int(words[E_LENGTH])] = 1
            at = B_ENTRIES + ENTRY * number
            self.block[at : at + ENTRY] = words


class Programs:
    """The programs of a fabric: those with the same code are one."""

    def __init__(self, arena: Arena, decode: Decode) -> None:
        self._arena = arena
        self._decode = decode
        self._by_memory: dict[bytes, Program] = {}
        self._by_code: dict[bytes, Program] = {}

    def find(self, memory: NDArray[np.uint16], entries: Iterable[int]) -> Program:
        """The program that starts at these entries of a tile's main memory."""
        starts = sorted({*entries})
        key = memory.tobytes() + np.array(starts, np.uint16).tobytes()
        program = self._by_memory.get(key)
        if program is None:
            found = self._walk(memory, starts, self._decode)
            code = b"".join(pc.to_bytes(2, "little") + words.tobytes() for pc, words in sorted(found.items()))
            program = self._by_code.get(code)
            if program is None:
                program = self._by_code[code] = Program(found, self._arena)
            self._by_memory[key] = program
        return program

    @staticmethod
    def _walk(
        memory: NDArray[np.uint16], entries: Iterable[int], decode: Decode
    ) -> dict[int, NDArray[np.uint8]]:
        """The instructions that can be reached, by address."""
        found: dict[int, NDArray[np.uint8]] = {}
        entry = np.zeros(ENTRY, np.uint8)
        todo = [e for e in entries if e]
        start, to = address(memory), address(entry)
        while todo:
            pc = todo.pop()
            if pc in found or not 0 < pc < len(memory):
                continue
            n = decode(start + 2 * pc, min(len(memory) - pc, MAX_LENGTH), to)
            if n == 0:
                continue
            found[pc] = entry.copy()
            number = int(entry[E_NUMBER])
            arg0, arg1 = (int(entry[at : at + 4].view(np.uint32)[0]) for at in (E_ARG0, E_ARG1))
            ends = number in (JMP, JMPR, TERMINATE, FAULT, HALT) or entry[E_TERMINATE]
            if not ends or entry[E_PRED]:
                todo.append(pc + n)
            if number in (JMP, CALL, DJNZ):
                todo.append(arg0)
            if number == SETTASK:
                todo.append(arg1)
        return found
