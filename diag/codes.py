"""The one table of error codes, from which every message and the error catalogue come.

The rows stand in one file per package (codes_tungsten.py and so on). A code's letters say who speaks: TW the
Tungsten language, CB Carbide, PT Paint, FB the machine, its files and tools, DG what all commands share.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache


@dataclass(frozen=True)
class Code:
    """One row: `text` is a str.format template over the named arguments of the message."""

    code: str
    severity: str  # "error" or "warning"
    text: str
    cause: str
    cure: str


def error(code: str, text: str, cause: str, cure: str) -> Code:
    return Code(code, "error", text, cause, cure)


def warning(code: str, text: str, cause: str, cure: str) -> Code:
    return Code(code, "warning", text, cause, cure)


@cache
def table() -> dict[str, Code]:
    """All codes by name. Raises ValueError when two rows share one."""
    from diag import codes_carbide, codes_common, codes_fabric, codes_paint, codes_tungsten

    rows: dict[str, Code] = {}
    for module in (codes_common, codes_tungsten, codes_carbide, codes_paint, codes_fabric):
        for row in module.ROWS:
            if row.code in rows:
                raise ValueError(f"two rows for {row.code}")
            rows[row.code] = row
    return rows
