"""What the assembler knows while it reads: places, names, items to emit, register words."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from diag.report import Reporter, suggest
from diag.spans import Source, Span
from fabric.asm_instr import Lookup, Pending, whole
from fabric.asm_text import Expr, Stop, Token, Words, register
from fabric.program import SocketUse, Symbol

ADDRESS_SPACE = 0x8000


@dataclass
class Item:
    """Words at an address: `make` gives them once all names are known (None after a message)."""

    address: int
    size: int
    span: Span
    make: Callable[[Lookup], list[int] | None]
    instr: Pending | None = None
    function: str = ""


@dataclass
class Name:
    """A label, symbol or constant."""

    value: int
    span: Span


@dataclass
class Register:
    """A register word that a directive sets; masks grow bit by bit."""

    make: Callable[[Lookup], int | None]
    span: Span


@dataclass
class State:
    """The first pass fills it, the second resolves `items` and `registers`."""

    source: Source
    reporter: Reporter
    name: str
    here: int = 2  # an entry of 0 in the task table means no code, so none stands at 0
    items: list[Item] = field(default_factory=list)
    names: dict[str, Name] = field(default_factory=dict)
    registers: dict[int, Register] = field(default_factory=dict)
    masks: dict[int, int] = field(default_factory=dict)
    symbols: list[tuple[Symbol, Span]] = field(default_factory=list)
    sockets: dict[str, list[tuple[SocketUse, Span]]] = field(default_factory=dict)
    uses: dict[tuple[str, str], list[str]] = field(default_factory=dict)  # (socket, dir) -> places
    filters: dict[int, tuple[str, Span]] = field(default_factory=dict)
    functions: dict[str, Span] = field(default_factory=dict)
    tasks: dict[int, str] = field(default_factory=dict)
    function: str = ""
    later: set[str] = field(default_factory=set)  # names of the whole source, for messages about forward use

    def define(self, token: Token, value: int) -> None:
        """Gives a name its value; FB118 for a register, FB109 with both places when it has one."""
        if register(token.text) and not token.quoted:
            self.reporter.report("FB118", token.span, name=token.text)
            return
        old = self.names.get(token.text)
        if old:
            self.reporter.report(
                "FB109", token.span, name=token.text, notes=[(old.span, "the first definition is here")]
            )
            return
        self.names[token.text] = Name(value, token.span)

    def lookup(self, token: Token) -> int | None:
        """The value of a name in the second pass; FB110 with a suggestion."""
        name = self.names.get(token.text)
        if name is None:
            self.reporter.report("FB110", token.span, name=token.text, hint=suggest(token.text, self.names))
            return None
        return name.value

    def known(self, words: Words, expr: Expr, what: str, low: int = 0, high: int = 0xFFFF) -> int:
        """A value that is needed in the first pass; raises Stop after a message (FB113, FB110, FB108)."""

        def find(token: Token) -> int | None:
            if token.text not in self.names and token.text in self.later:
                self.reporter.report("FB113", token.span, name=token.text)
                return None
            return self.lookup(token)

        value = whole(words, expr, find, what, low, high)
        if value is None:
            raise Stop()
        return value

    def number(self, words: Words, what: str, low: int = 0, high: int = 0xFFFF) -> int:
        """Reads an expression that has to be known now."""
        return self.known(words, words.expr(what), what, low, high)

    def emit(self, span: Span, size: int, make: Callable[[Lookup], list[int] | None]) -> Item:
        """Words at the present place."""
        item = Item(self.here, size, span, make, function=self.function)
        self.items.append(item)
        self.here += size
        return item

    def set_register(self, span: Span, address: int, what: str, make: Callable[[Lookup], int | None]) -> None:
        """A register word; FB115 with both places when it is set already."""
        old = self.registers.get(address)
        if old:
            self.reporter.report("FB115", span, what=what, notes=[(old.span, "the first one is here")])
            return
        self.registers[address] = Register(make, span)

    def mark(self, base: int, bit: int) -> None:
        """Sets a bit of a mask that goes over several words."""
        address = base + bit // 16
        self.masks[address] = self.masks.get(address, 0) | 1 << bit % 16
