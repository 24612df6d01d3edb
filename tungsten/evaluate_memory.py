"""Memory of the evaluator: words by address, and where each symbol lies.

Addresses below 65,536 are the tile's (globals, locals of the top level, whatever has an address of its own). Every
run of a function has its locals in a bank of its own above, so that calls in several arms don't meet; arithmetic on
an address stays in its bank and wraps there as 16 bits do.
"""

from __future__ import annotations

from collections.abc import Mapping

from tungsten import tree as t
from tungsten.evaluate_numbers import Value, from_bits, scalar, to_bits
from tungsten.types import Type

BANK = 1 << 16
FIRST = 2  # word 0 belongs to nobody, as in a compiled kernel


class Memory:
    """The words of one tile; what was never written is 0."""

    def __init__(self) -> None:
        self._words: dict[int, int] = {}
        self._banks = 1

    def word(self, address: int) -> int:
        return self._words.get(address, 0)

    def set_word(self, address: int, word: int) -> None:
        self._words[address] = word & 0xFFFF

    def words(self, address: int, count: int) -> list[int]:
        return [self.word(offset(address, k)) for k in range(count)]

    def set_words(self, address: int, words: list[int]) -> None:
        for k, word in enumerate(words):
            self.set_word(offset(address, k), word)

    def load(self, address: int, kind: Type) -> Value:
        """The scalar at an address, low word first."""
        t_ = scalar(kind)
        bits = 0
        for k, word in enumerate(self.words(address, t_.words)):
            bits |= word << (16 * k)
        return from_bits(bits, t_)

    def store(self, address: int, kind: Type, value: Value) -> None:
        t_ = scalar(kind)
        bits = to_bits(value, t_)
        self.set_words(address, [bits >> (16 * k) & 0xFFFF for k in range(t_.words)])

    def new_bank(self) -> int:
        """The first address of a bank that nothing lies in yet."""
        self._banks += 1
        return (self._banks - 1) * BANK


def offset(address: int, words: int) -> int:
    """The address some words further on, in the same bank."""
    return address - address % BANK + (address + words) % BANK


class Frame:
    """One run of a function, or the top level: where its symbols lie and what its loop indices are."""

    def __init__(self) -> None:
        self.places: dict[t.Symbol, int] = {}
        self.indices: dict[t.Symbol, Value] = {}


class Places:
    """Where symbols lie. `layout` gives globals addresses (of a compiled kernel); the others follow each other."""

    def __init__(self, program: t.Program, memory: Memory, layout: Mapping[str, int]) -> None:
        self.memory = memory
        self.top = Frame()
        self.pointers: dict[t.Symbol, int] = {}
        self._next = FIRST
        for name, address in layout.items():
            words = next((g.type.words for g in program.globals if g.name == name), 0)
            if address < 0x6000:
                self._next = max(self._next, address + words)
        for g in program.globals:
            if g.name in layout:
                self.top.places[g] = layout[g.name]
        for g in program.globals:
            address = self._static(g)
            if g.init is not None:
                memory.set_words(address, g.init)

    def _static(self, symbol: t.Symbol) -> int:
        """A place for the whole run."""
        found = self.top.places.get(symbol)
        if found is None:
            if symbol.address is not None:
                found = symbol.address
            elif symbol.alias is not None:
                found = offset(self._static(symbol.alias[0]), symbol.alias[1])
            else:
                found = self._take(symbol.type, symbol.align)
                if symbol.init is not None and symbol.storage != "global":  # a const array inside a block
                    self.memory.set_words(found, symbol.init)
            self.top.places[symbol] = found
        return found

    def _take(self, kind: Type, align: int = 1) -> int:
        align = max(align, kind.align)
        address = -(-self._next // align) * align if kind.words else self._next
        self._next = address + kind.words
        return address

    def enter(self, function: t.Function) -> Frame:
        """A frame for one run of a function; its parameters are bound by the caller."""
        frame = Frame()
        at = self.memory.new_bank()
        for symbol in (*function.params, *function.locals):
            if symbol.by_reference or not _floats(symbol):
                continue
            at = -(-at // 2) * 2
            frame.places[symbol] = at
            if symbol.init is not None:
                self.memory.set_words(at, symbol.init)
            at += symbol.type.words
        return frame

    def place(self, symbol: t.Symbol, frame: Frame) -> int:
        """The address of a symbol's first word, `.base` not taken into account."""
        found = frame.places.get(symbol)
        if found is None and symbol.alias is not None and symbol.alias[0] in frame.places:
            found = offset(frame.places[symbol.alias[0]], symbol.alias[1])
        return self._static(symbol) if found is None else found

    def base(self, symbol: t.Symbol, frame: Frame) -> int:
        """The address that accesses go to: what `.base` was set to, else the place."""
        if symbol in frame.places and symbol.by_reference:
            return frame.places[symbol]
        pointer = self.pointers.get(symbol)
        return self.place(symbol, frame) if pointer is None else pointer

    def set_base(self, symbol: t.Symbol, frame: Frame, address: int) -> None:
        """`name.base = address`: of a parameter for this run, of a variable for good and for all functions."""
        if symbol in frame.places and symbol.by_reference:
            frame.places[symbol] = address
        else:
            self.pointers[symbol] = address


def _floats(symbol: t.Symbol) -> bool:
    """Lies in the bank of a run of its function; what has an address of its own does not."""
    own = symbol.address is not None or symbol.alias is not None
    return not (own or symbol.rebased or symbol.base_read)
