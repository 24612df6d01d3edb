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
        "CB003",
        "return inside an arm of a parallel block",
        "The arms run at the same time; none of them can end the function for the others.",
        "Move the return behind the parallel block.",
    ),
    error(
        "CB004",
        "socket '{name}' is dispatched in two places",
        "The wavelets of a socket start one set of handlers, for good.",
        "Merge the handlers into one dispatch, or use a variable to tell the two cases apart.",
    ),
    error(
        "CB010",
        "the element of iterator '{name}' is not affine in its indices",
        "An iterator becomes a descriptor with up to four constant strides: each subscript is a sum of constants and "
        "indices times constants, of an array whose place is constant.",
        "Simplify the subscripts, or read the array in a loop.",
    ),
    error(
        "CB011",
        "a bound of iterator '{name}' is not constant",
        "An iterator is a descriptor in the image; its extents are known when the kernel is compiled.",
        "Use params and constants for the bounds.",
    ),
    error(
        "CB012",
        "iterator '{name}' steps by a part of an element",
        "The strides of a descriptor count whole elements.",
        "Read members of the same size, or arrays of plain elements.",
    ),
    error(
        "CB013",
        "iterator '{name}' has {count} levels; a descriptor has four",
        "The machine walks memory in up to four dimensions.",
        "Join levels, or read the array in a loop around a smaller iterator.",
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
