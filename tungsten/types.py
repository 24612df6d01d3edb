"""The types of Tungsten (tungsten.md 3) and how they lie in memory.

Sizes are in 16-bit words. A type with 32-bit parts starts at an even address and a struct with one is padded to
an even size.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Scalar:
    """A scalar type. `kind`: "int" (signed), "uint", "float", "wave" (raw 32 bits), "stream", "void"."""

    name: str
    words: int
    kind: str

    @property
    def bits(self) -> int:
        return 16 * self.words

    @property
    def align(self) -> int:
        return 1 if self.words <= 1 else 2

    @property
    def is_float(self) -> bool:
        return self.kind == "float"

    @property
    def is_integer(self) -> bool:
        return self.kind in ("int", "uint")

    @property
    def is_signed(self) -> bool:
        return self.kind == "int"

    def __str__(self) -> str:
        return self.name


XP = Scalar("xp", 1, "int")
U16 = Scalar("u16", 1, "uint")
I32 = Scalar("i32", 2, "int")
U32 = Scalar("u32", 2, "uint")
U64 = Scalar("u64", 4, "uint")
HP = Scalar("hp", 1, "float")
SP = Scalar("sp", 2, "float")
WV = Scalar("wv", 2, "wave")
STREAM = Scalar("stream", 4, "stream")  # holds a DSD: four words
VOID = Scalar("void", 0, "void")

SCALARS = {t.name: t for t in (XP, U16, I32, U32, U64, HP, SP, WV, STREAM)}


@dataclass(frozen=True)
class Dim:
    """One dimension: its axis name (n0, n1, … by position where unnamed) and extent; None = `[]` of a parameter."""

    name: str
    extent: int | None


@dataclass(frozen=True)
class Array:
    """An array, outermost dimension first; `elem` is a scalar or a record."""

    elem: Scalar | Record
    dims: tuple[Dim, ...]

    @property
    def words(self) -> int:
        n = self.elem.words
        for d in self.dims:
            n *= d.extent or 0
        return n

    @property
    def align(self) -> int:
        return self.elem.align

    def inner(self) -> Type:
        """The type of one step of the outermost dimension."""
        return Array(self.elem, self.dims[1:]) if len(self.dims) > 1 else self.elem

    def __str__(self) -> str:
        return f"{self.elem}{''.join(f'[{d.extent}]' if d.extent is not None else '[]' for d in self.dims)}"


@dataclass(frozen=True)
class Field:
    """A member with its offset in words; an anonymous nested record without a member name is spliced in."""

    name: str
    type: Type
    offset: int


@dataclass(frozen=True)
class Record:
    """A struct or a union (`kind`)."""

    name: str
    kind: str
    fields: tuple[Field, ...]
    words: int
    align: int

    def field(self, name: str) -> Field | None:
        return next((f for f in self.fields if f.name == name), None)

    def __str__(self) -> str:
        return f"{self.kind} {self.name}" if self.name else f"{self.kind} {{…}}"


Type = Scalar | Array | Record
