"""Error codes FB1xx of the assembler and of instructions; part of the table of fabric."""

from __future__ import annotations

from diag.codes import Code, error, warning

ASSEMBLER: list[Code] = [
    error(
        "FB101",
        "unexpected character '{char}'",
        "The character begins no word of assembler text.",
        "Comments begin with //; names with other characters stand in double quotes.",
    ),
    error(
        "FB102",
        "expected {what}, found {found}",
        "The line does not have the form of a label, a directive or an instruction.",
        "docs/isa.md shows the form of every instruction and directive; one stands on a line.",
    ),
    error(
        "FB103",
        "unknown instruction '{name}'",
        "No row of the instruction table has this name.",
        "docs/isa.md lists all instructions.",
    ),
    error(
        "FB104",
        "unknown directive '{name}'",
        "The assembler has no directive of this name.",
        "docs/isa.md lists the directives.",
    ),
    error(
        "FB105",
        "there is no register '{name}': {why}",
        "R0-R15 hold 16 bits, D0, D2 … D14 32 bits, Q0, Q4, Q8, Q12 64 bits; P0-P7 are predicates; DD, SA and SB "
        "0-15 are DSRs.",
        "Use a register that exists.",
    ),
    error(
        "FB106",
        "'{found}' can't be {which} of {name}, which is {what}",
        "The operand is of another kind than the instruction takes at this place.",
        "docs/isa.md shows the operands of every instruction.",
    ),
    error(
        "FB107",
        "{name} takes {count}: {form}",
        "An operand is missing or one too many.",
        "docs/isa.md shows the operands of every instruction.",
    ),
    error(
        "FB108",
        "{what} is {low} to {high}, not {value}",
        "The number does not fit where it stands.",
        "Use a number in the range.",
    ),
    error(
        "FB109",
        "'{name}' is defined twice",
        "A label, symbol or constant of the same name stands in two places.",
        "Rename or remove one of them.",
    ),
    error(
        "FB110",
        "unknown label '{name}'",
        "The name is no label, symbol or constant of this source.",
        "Define it, or correct the spelling.",
    ),
    error(
        "FB111",
        "the words at 0x{address:04x} are set twice",
        "Two parts of the source, after .org, lie over one another.",
        "Move one of them, or leave the addresses to the assembler.",
    ),
    error(
        "FB112",
        "the program does not fit: {what}",
        "Main memory has 24,576 words (0x0000 to 0x5fff); 256 more are the data cache from 0x7f00 on.",
        "Make data smaller, or move arrays to the data cache.",
    ),
    error(
        "FB113",
        "the value has to be known here, but '{name}' is defined further down",
        "The value decides about addresses, so it can't depend on later ones.",
        "Define the constant before its use.",
    ),
    error(
        "FB114",
        "{reason}",
        "The instruction has no encoding with these operands.",
        "docs/isa.md shows the forms of every instruction.",
    ),
    error(
        "FB115",
        "{what} is given twice",
        "Two directives set the same thing.",
        "Remove one of them.",
    ),
    error(
        "FB116",
        "'{name}' of type {type} stands at the odd address 0x{address:04x}",
        "32-bit and 64-bit values stand at even addresses.",
        "Write .align 2 before it.",
    ),
    error(
        "FB117",
        "unknown {what} '{name}'; {choices}",
        "The word is none of those that may stand here.",
        "Use one of the words that the message lists.",
    ),
    error(
        "FB118",
        "'{name}' is a register and can't be a name",
        "Labels, symbols and constants have names that are no registers.",
        "Choose another name.",
    ),
    error(
        "FB119",
        "{what} is a whole number, not {value}",
        "A number with a fraction stands where an address, a count or an integer operand belongs.",
        "Write an integer, or .float and .half for data.",
    ),
    error(
        "FB120",
        ".reg sets configuration words and the data cache (0x7200 to 0x7fff), not 0x{address:04x}",
        "Words of main memory are part of the program's data.",
        "Write .org and .word for memory.",
    ),
    warning(
        "FB121",
        "no .entry: no task of this program is active at the start",
        "Code runs when a task does; only wavelets can start one here.",
        "Put .entry before the first instruction, or bind tasks to queues with .task.",
    ),
]
