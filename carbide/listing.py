"""Listings: one entry an instruction, as JSON for users' scripts and as text for readers."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from fabric.program import Program


def entries(program: Program) -> list[dict[str, Any]]:
    """The instructions of a program: address, words, place in the source, function, text."""
    return [
        {
            "address": f"0x{line.address:04x}",
            "words": line.words,
            "source": f"{line.file}:{line.line}:{line.col}",
            "function": line.function,
            "text": line.text,
        }
        for line in program.lines
    ]


def usage(program: Program) -> list[dict[str, Any]]:
    """Code and data words of each function and variable."""
    return [{"name": u.name, "kind": u.kind, "words": u.words, "source": u.span} for u in program.usage]


def as_json(programs: Iterable[Program]) -> str:
    """The listing file of one or several kernels (`bench-listing.json`)."""
    kernels = [
        {
            "kernel": p.name,
            "source": p.source,
            "params": p.params,
            "memory_end": p.memory_end,
            "usage": usage(p),
            "instructions": entries(p),
        }
        for p in programs
    ]
    return json.dumps({"listing": 1, "kernels": kernels}, ensure_ascii=False, indent=1) + "\n"


def as_text(program: Program) -> str:
    """The listing for readers: the instructions, then what each function and variable takes."""
    lines = [f"{program.name}: {program.source}", ""]
    function = None
    begun: set[str] = set()  # small functions stand in place, and what is around them goes on
    for line in program.lines:
        if line.function != function:
            function = line.function
            lines.append(f"{function}: …" if function in begun else f"{function}:")
            begun.add(function)
        lines.append(f"  {line.address:04x}  {line.text:48} {line.file}:{line.line}:{line.col}")
    lines += ["", "words  kind  name"]
    for u in sorted(program.usage, key=lambda u: (u.kind, -u.words, u.name)):
        lines.append(f"{u.words:5}  {u.kind}  {u.name}")
    lines.append(f"{program.memory_end:5}  of memory used")
    return "\n".join(lines) + "\n"
