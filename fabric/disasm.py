"""Instructions as text: the assembler's syntax, which is also that of listings.

    add16 R0 = R1, R2;
    flteqs P0 = D0, 0x4;
    P0? select32 D0 = D2, D4, P0;
    mov32.ut3 [DD0] = [SA1] -> arrive 9;
    st16x [R4 - 2] = R5; terminate;

DSR operands stand in brackets, immediates are raw bits in hexadecimal, a trailing `terminate` ends the task. What
`fabric.asm` reads and this module writes come from the same templates, `Row.syntax`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from fabric.asm_text import quoted
from fabric.encode import COMPLETIONS, DecodeError, Instr, decode
from fabric.isa import FORM_DEST, FORM_SRC0, TYPES

Namer = Callable[[int], str | None]


def register_name(kind: str, number: int) -> str:
    """The name of a register of an operand type: R3, D2, Q4, P1, DD0 …"""
    return f"{TYPES[kind].file}{number}"


def operand(i: Instr, slot: str, name: Namer | None = None) -> str:
    """The text of one operand: `slot` is "d", "s0" … "s2", "a0", "a1" as in `Row.syntax`."""
    if slot == "d":
        assert i.row.dest is not None
        return f"[DD{i.dest}]" if i.form & FORM_DEST else register_name(i.row.dest, i.dest)
    k = int(slot[1])
    if slot[0] == "s":
        if k < 2 and i.form & (FORM_SRC0 << k):
            return f"[{('SA', 'SB')[k]}{i.sources[k]}]"
        if i.imm is not None and k == len(i.row.sources) - 1:
            return f"0x{i.imm:x}"
        return register_name(i.row.sources[k], i.sources[k])
    kind, value = i.row.args[k], i.args[k]
    if kind == "addr":
        label = name(value) if name else None
        return quoted(label) if label else f"0x{value:04x}"
    if kind == "off":
        return str(value if value < 0x8000 else value - 0x10000)
    return str(value)


def text(i: Instr, name: Namer | None = None) -> str:
    """The instruction as a line of a listing. `name` may give labels for addresses."""
    out = []
    for token in i.row.syntax:
        if token in (",", "=", "[", "]", "+"):
            out.append(token)
        else:
            out.append(operand(i, token, name))
    body = " ".join(out)
    for wide, narrow in ((" ,", ","), ("[ ", "["), (" ]", "]"), ("+ -", "- ")):
        body = body.replace(wide, narrow)
    head = "" if i.pred is None else f"{'!' if i.negated else ''}P{i.pred}? "
    tail = ""
    mnemonic = i.row.name
    if i.background is not None:
        ut, completion, task = i.background
        mnemonic += f".ut{ut}"
        if completion:
            tail = f" -> {COMPLETIONS[completion]} {task}"
    line = f"{head}{mnemonic} {body}".rstrip() + tail + ";"
    return line + " terminate;" if i.terminate else line


@dataclass(frozen=True)
class Disassembled:
    """One line of a disassembly: an instruction, or (with `instr` None) a word that is none, as `.word`."""

    address: int
    words: int
    instr: Instr | None
    text: str


def disassemble(words: Sequence[int], address: int, labels: Mapping[int, str] | None = None) -> list[Disassembled]:
    """All lines of a run of words that starts at `address`; words that are no instruction become `.word` lines."""
    out: list[Disassembled] = []
    at = 0
    name = None if labels is None else labels.get
    while at < len(words):
        try:
            i = decode(words, at)
            out.append(Disassembled(address + at, i.length, i, text(i, name)))
            at += i.length
        except DecodeError:
            out.append(Disassembled(address + at, 1, None, f".word 0x{int(words[at]):04x}"))
            at += 1
    return out
