"""Which row of the instruction table does an operation of the language (tungsten.md 4)."""

from __future__ import annotations

from fabric.isa import BY_NAME
from tungsten.types import HP, SP, U16, U32, U64, Scalar, Type

FILES = {1: "R", 2: "D", 4: "Q"}
RAW = {1: U16, 2: U32, 4: U64}
COMMUTATIVE = frozenset(["add", "mul", "and", "or", "xor", "fadd", "fmul"])
_INTEGER = {
    "+": "add",
    "-": "sub",
    "*": "mul",
    "&": "and",
    "|": "or",
    "^": "xor",
    "<<": "sll",
}
_BY_SIGN = {"/": ("divs", "divu"), "%": ("rems", "remu"), ">>": ("sar", "slr"), "min": ("mins", "minu"),
            "max": ("maxs", "maxu")}  # fmt: skip
_FLOAT = {"+": "fadd", "-": "fsub", "*": "fmul", "/": "fdiv", "max": "fmax", "min": "fmin"}
_COMPARE = {"==": "eq", "!=": "ne", "<": "lt", "<=": "le", ">": "gt", ">=": "ge"}
_FLOAT_COMPARE = {"==": "feq", "!=": "fneq", "<": "flt", "<=": "flteq", ">": "fgt"}
_FLOAT_COMPARE[">="] = "fgteq"
OPPOSITE = {"==": "!=", "!=": "==", "<": ">=", ">=": "<", ">": "<=", "<=": ">"}
MIRROR = {"==": "==", "!=": "!=", "<": ">", ">": "<", "<=": ">=", ">=": "<="}


def scalar(t: Type) -> Scalar:
    """The type of a value that fits a register; raw wavelets count as u32."""
    assert isinstance(t, Scalar), f"{t} is no scalar"
    return U32 if t.kind == "wave" else t


def file_of(t: Type) -> str:
    """The register file of a scalar type."""
    return FILES[t.words]


def letter(t: Scalar) -> str:
    """The end of a floating-point mnemonic."""
    return "s" if t is SP else "h"


def is_signed(t: Scalar) -> bool:
    """Signed arithmetic; 64 bits are always unsigned."""
    return t.is_signed


def binary(op: str, t: Type) -> str:
    """The row of `left op right`."""
    kind = scalar(t)
    if kind.is_float:
        return _FLOAT[op] + letter(kind)
    if op in _INTEGER:
        return f"{_INTEGER[op]}{kind.bits}"
    return f"{_BY_SIGN[op][0 if is_signed(kind) else 1]}{kind.bits}"


def commutes(row: str) -> bool:
    """The two sources may be exchanged without changing a bit."""
    return row.rstrip("0123456789") in COMMUTATIVE or row[:-1] in COMMUTATIVE


def compare(op: str, t: Type) -> str:
    """The row that sets a predicate."""
    kind = scalar(t)
    if kind.is_float:
        return _FLOAT_COMPARE[op] + letter(kind)
    unsigned = "u" if not is_signed(kind) and op not in ("==", "!=") else ""
    return f"{_COMPARE[op]}{unsigned}{kind.bits}"


def move(words: int) -> str:
    return f"mov{16 * words}"


def convert(source: Type, target: Type) -> list[tuple[str, Scalar]]:
    """The rows, each with the type it makes, that convert one scalar type to another; none = the bits stay.

    To and from wv bits go over unchanged: 16-bit types in the low half, the high half 0 (tungsten.tree.Cast).
    """
    assert isinstance(source, Scalar) and isinstance(target, Scalar)
    if source.kind == "stream" or target.kind == "stream":
        return []
    if "wave" in (source.kind, target.kind):
        return _resize(RAW[source.words], RAW[target.words])
    a, b = scalar(source), scalar(target)
    if a.is_float and b.is_float:
        return [] if a is b else [("fh2s", SP) if b is SP else ("fs2h", HP)]
    if a.is_float:
        return [(f"f{letter(a)}2{_integer_name(b)}", b)]
    if b.is_float:
        return [(f"{_integer_name(a)}2f{letter(b)}", b)]
    return _resize(a, b)


def _integer_name(t: Scalar) -> str:
    return "xp16" if t.name == "xp" else t.name


def _resize(a: Scalar, b: Scalar) -> list[tuple[str, Scalar]]:
    if a.words == b.words:
        return []
    extend = "sext" if is_signed(a) else "zext"
    middle = Scalar("i32", 2, "int") if is_signed(a) else U32
    if a.words < b.words:
        path = [(f"{extend}32", middle)] if a.words == 1 else []
        return [*path, (f"{extend}64", b)] if b.words == 4 else [(f"{extend}32", b)]
    path = [("low32", U32)] if a.words == 4 else []
    return [*path, ("low16", b)] if b.words == 1 else [("low32", b)]


def takes_immediate(row: str) -> bool:
    """The last source may be an immediate."""
    return BY_NAME[row].immediate


def has_form(row: str, form: int) -> bool:
    """The row exists with these operands as DSRs (mask: 1 destination, 2 and 4 the sources)."""
    return form in BY_NAME[row].forms
