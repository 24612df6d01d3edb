"""Error codes of Carbide: CB0xx what can't be compiled, CB1xx the command's words."""

from __future__ import annotations

from diag.codes import Code, error

ROWS: list[Code] = [
    error(
        "CB101",
        "set={word} is no binding",
        "A kernel's parameter is bound as set=NAME=VALUE.",
        "Write the name, an = and the value, without blanks: set=N=8.",
    ),
    error(
        "CB102",
        "'{path}' is neither a kernel nor assembly",
        "Carbide reads Tungsten kernels (*.w) and assembly (*.s).",
        "Give source= a file whose name ends in .w or .s; layouts (*.paint) are for the command paint.",
    ),
    error(
        "CB103",
        "'{path}' is assembly: there is no stage to dump",
        "dump= shows the stages of compiling a kernel; assembly has none.",
        "Use listing= for the instructions with their addresses.",
    ),
]
