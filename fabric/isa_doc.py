"""Writes docs/isa.md from the instruction table: `python -m fabric.isa_doc [FILE]`."""

from __future__ import annotations

import sys
from collections.abc import Iterable

from fabric import asm_directives, descriptor, encode
from fabric.asm_instr import form
from fabric.isa import ALIASES, ARGS, FILES, ROWS, TYPES, Row
from fabric.timing import DEFAULT

GROUPS: list[tuple[str, str, tuple[str, ...]]] = [
    ("Computing", "dest = f(sources), element by element in a vector form.", ("alu",)),
    ("Read-modify-write", "dest = f(dest, sources); the destination, register or memory, is read first.", ("rmw",)),
    (
        "Dot products",
        "One fused step an element on the accumulator ACC, in index order; the destination is a register or a DSR of one "
        "element. `dotsk` and its kin go on from ACC, the others clear it first; `…x` writes no destination.",
        ("dot",),
    ),
    ("Loads and stores", "Scalar; 32-bit values stand at even addresses.", ("load", "store")),
    ("Control", "`call` writes its return address into R15.", ("control",)),
    ("Tasks", "A completion of a microthread does the same as `activate`, `unblock` and `arrive`.", ("task",)),
    ("DSRs and queues", "A DSR keeps its content when an instruction uses it.", ("dsr", "filter")),
]


def vector_forms(row: Row) -> str:
    """`D=D,D D=s,D …`: D is a DSR, s a scalar; empty for a scalar row."""
    out = []
    for mask in sorted(row.forms, reverse=True):
        if mask:
            sources = ["D" if k < 2 and mask & (2 << k) else "s" for k in range(len(row.sources))]
            out.append((("D=" if mask & 1 else "s=") if row.dest else "") + ",".join(sources))
    return " ".join(out)


def operand_types(row: Row) -> str:
    """`f32 = f32, f16`."""
    sources = ", ".join(row.sources)
    return (f"{row.dest} = {sources}" if sources else row.dest) if row.dest else sources


def rates(row: Row) -> str:
    """Elements a cycle: into a DSR, and of a reduction where that differs."""
    if not row.vector:
        return ""
    into, scalar = row.widths
    return str(into) if into == scalar or not any(f and not f & 1 for f in row.forms) else f"{into}, reduction {scalar}"


def _table(header: Iterable[str], rows: Iterable[Iterable[str]]) -> list[str]:
    head = list(header)
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    return lines + ["| " + " | ".join(c.replace("|", "\\|") for c in row) + " |" for row in rows] + [""]


def _instructions() -> list[str]:
    lines: list[str] = []
    for title, intro, kinds in GROUPS:
        rows = [r for r in ROWS if r.kind in kinds]
        latency = {r.name: getattr(DEFAULT, r.latency) for r in rows}
        lines += [f"### {title}", "", intro, ""]
        if kinds[0] in ("alu", "rmw", "dot"):
            lines += _table(
                ("no.", "form", "types", "vector forms", "elements a cycle", "latency", "meaning"),
                ((f"0x{r.number:02x}", f"`{form(r)}`", operand_types(r), vector_forms(r), rates(r),
                  f"{latency[r.name]} ({r.latency})", r.text) for r in rows),
            )  # fmt: skip
        else:
            lines += _table(
                ("no.", "form", "registers", "latency", "meaning"),
                ((f"0x{r.number:02x}", f"`{form(r)}`", operand_types(r), f"{latency[r.name]} ({r.latency})", r.text)
                 for r in rows),
            )  # fmt: skip
    return lines


def _doc(module_doc: str | None) -> list[str]:
    """A module's docstring without its first line, as text of the page."""
    return (module_doc or "").split("\n", 1)[1].strip().split("\n") + [""]


def page() -> str:
    """The whole page."""
    lines = [
        "# The instruction set",
        "",
        "Generated from the table in `fabric/isa.py` by `python -m fabric.isa_doc`; do not edit.",
        "",
        "The original's encoding is not public; operations, rates and latencies are those of hardware.md 6, 14 and 17, "
        "the encoding and the rows that Tungsten needs beside them are ours.",
        "",
        "## Operands",
        "",
        *_table(
            ("type", "registers", "words", "meaning"),
            (
                (t.name, ", ".join(f"{t.file}{k}" for k in range(0, FILES[t.file][0], FILES[t.file][1]))
                 if FILES[t.file][1] > 1 else f"{t.file}0-{t.file}{FILES[t.file][0] - 1}", str(t.words or ""), t.text)
                for t in TYPES.values()
            ),
        ),  # fmt: skip
        "A D register is the pair of R registers from its number on, a Q register the quad, low word first. "
        "The last source of a row may be an immediate, unless it is a predicate, an address or a DSR.",
        "",
        *_table(
            ("operand", "range", "meaning"),
            ((a.name, f"{a.low} to {a.high}", a.text) for a in ARGS.values()),
        ),
        "A vector instruction has a DSR operand: `[DD0]` as destination, `[SA0]` as source 0, `[SB0]` as source 1. It "
        "goes over as many elements as the destination's DSR has, else source 0's, else source 1's. A scalar destination "
        "with a DSR source is a reduction: the remaining scalar source is the same register, the running value; with a "
        "single source the register keeps the last element. In the tables, D is a DSR and s a scalar.",
        "",
        "`addc16` adds the thread's carry flag and sets it to the carry out, from element to element in a vector; `setc` "
        "sets the flag, no other instruction touches it. A microthread takes the flag as it is at its start, as it does with "
        "scalar sources, and does not hand it back.",
        "",
        "## Instructions",
        "",
        "Latency: cycles from the issue to that of a dependent instruction, a field of `fabric/timing.py`.",
        "",
        *_instructions(),
        "Other names: " + ", ".join(f"`{a}` for `{b}`" for a, b in ALIASES.items()) + " (decimal immediates are floats).",
        "",
        "## Encoding",
        "",
        *_doc(encode.__doc__),
        "## Descriptors",
        "",
        *_doc(descriptor.__doc__),
        "## Assembler",
        "",
        "One statement stands on a line; `//` starts a comment; a label ends in `:`. An immediate in hexadecimal is raw "
        "bits; a decimal one of a float operand is a float (`1.5`, `-2`, `inf`, `nan`). Names with other characters than "
        "letters, digits, `_`, `.`, `$` stand in double quotes.",
        "",
        "```text",
        "add16 R0 = R1, R2;                      // scalar",
        "flteqs P0 = D0, 0x4;                    // raw bits",
        "P0? select32 D0 = D1, D2, P0;           // only if P0 holds; !P0? if it does not".replace("D1, D2", "D2, D4"),
        "fadds [DD0] = [SA1], [SB1];             // vector",
        "fadds D0 = D0, [SB1];                   // reduction",
        "mov32.ut3 [DD0] = [SA1] -> arrive 9;    // microthread 3, then one arrival for task 9",
        "st16x [R4 - 2] = R5; terminate;         // ends the task",
        "```",
        "",
        *_table(("directive", "meaning"), ((f"`{d.form}`", d.text) for d in asm_directives.TABLE.values())),
    ]
    return "\n".join(lines).rstrip() + "\n"


def main(argv: list[str]) -> int:
    from diag.files import write_whole

    write_whole(argv[0] if argv else "docs/isa.md", page())
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
