"""Error codes of Carbide: CB0xx what can't be compiled, CB1xx the command's words."""

from __future__ import annotations

from diag.codes import Code, error

ROWS: list[Code] = [
    error(
        "CB001",
        "{count} microthreads are needed at once here, and {limit} are free",
        "The core has 8 microthreads. Endless transfers in the background keep one each for good, and each handler that "
        "transfers in the background has its own.",
        "Let fewer transfers run at the same time: merge endless transfers, or receive in the handler without uthread.",
    ),
    error(
        "CB002",
        "more than {limit} tasks would run at the same time",
        "Every block arm of a parallel block is a task with an id of its own, and ids 8 to 28 are free for them.",
        "Put several statements into one arm, or use fewer blocks within blocks.",
    ),
    error(
        "CB010",
        "the array of iterator '{name}' has no constant place",
        "An iterator is a descriptor in the image, with the address of its array; assigning .base moves the array at run "
        "time.",
        "Read the array in a loop, or leave its .base alone.",
    ),
    error(
        "CB011",
        "iterator '{name}' has too many levels for elements of 64 bits",
        "A descriptor walks memory in four dimensions, and the halves of a 64-bit element are one of them.",
        "Use at most three levels, or read the array in a loop around a smaller iterator.",
    ),
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
