"""Programs and layouts that end in a run fault or a warning, each code in two contexts.

`LAYOUTS`: built with Paint and Carbide. `ASSEMBLY`: what no kernel of Tungsten can make, in assembly on one tile.
"""

from __future__ import annotations

from typing import NamedTuple


class Faulty(NamedTuple):
    code: str
    files: dict[str, str]
    fp16: int = 0


SEND = """sp socket tx;
main {
  tx[] <- 1.5;
}
"""
READ = """sp socket rx;
sp x;
main {
  x <- rx[];
}
"""
IDLE = "xp done;\nmain { done = 1; }\n"


def row(left: str, right: str, kernels: dict[str, str], before: str = "", after: str = "") -> dict[str, str]:
    """Two tiles a and b, whose rules are given; both run kernels of these names."""
    layout = f"{before}let a = tile()\n{left}let b = tile()\n{right}let row = hstack(a b)\n{after}row\n"
    return {"bench.paint": layout, **{f"{k}.w": v for k, v in kernels.items()}}


def alone(kernel: str, layout: str = "") -> dict[str, str]:
    return {"bench.paint": layout or "let t = tile()\nt : code('k)\nt\n", "k.w": kernel}


PAIR = "let c = color()\nlet d = color()\n"
BANK = "let m = bank({})\nlet c = color(m)\n"
ADDER = "let c = color()\n"


def register(address: int, value: int, before: str = "") -> str:
    """A kernel that writes a register."""
    return f"u16 word[1] address(0x{address:04x});\nmain {{\n  {before}word[0] = 0x{value:04x};\n}}\n"


CONTROL = "sp socket tx;\nwv word = {{0x0000, 0x{:04x}}};\nmain {{\n{}  tx[] <- control(word);\n}}\n"
LINE = "let c = color()\n"
SENDS, READS = "a : code('send [tx:c])\na : paint(c [C>R])\n", "b : code('read [rx:c])\nb : paint(c [L>C])\n"

LAYOUTS: dict[str, Faulty] = {
    "swapped away from the left": Faulty(
        "FB401",
        row(SENDS, "b : code('read [rx:d])\nb : paint(c [LHC])\n", {"send": SEND, "read": READ}, PAIR, "row : colorpair(c d)\n"),
    ),
    "swapped away from the core": Faulty(
        "FB401",
        row("a : code('send [tx:c])\na : paint(c [CXR])\n", READS, {"send": SEND, "read": READ}, PAIR, "row : colorpair(c d)\n"),
    ),
    "a lone half in bank 0": Faulty(
        "FB402",
        row("a : code('send [tx:c])\n", "", {"send": "xp socket tx;\nmain {\n  tx[] <- 7;\n}\n"}, BANK.format(0), "row : mp(m)\n"),
    ),
    "half of a message in bank 1": Faulty(
        "FB402",
        row(
            "a : code('send [tx:c])\n",
            "",
            {"send": "socket tx;\nmain {\n  tx[] <- 0x00100002:u32;\n  tx[] <- 1:u32;\n  tx[] <- 7:xp;\n}\n"},
            BANK.format(1),
            "row : mp(m)\n",
        ),
    ),
    "a control wavelet into the adder": Faulty(
        "FB403", row("a : code('k [tx:c])\na : paint(c [L>R; fabadder])\n", "b : paint(c [L>])\n", {"k": CONTROL.format(0x1F, "")}, ADDER), 10
    ),
    "a control wavelet after an operand": Faulty(
        "FB403",
        row(
            "a : code('send [tx:c])\na : paint(c [C>R])\n",
            "b : code('k [tx:c])\nb : paint(c [L>U; fabadder])\n",
            {"send": SEND, "k": CONTROL.format(0x1F, "  tx[] <- 1.0:hp;\n").replace("sp socket", "socket")},
            ADDER,
        ),
        10,
    ),
    "a position of color 10": Faulty("FB404", alone(register(0x7CA8, 0x0001))),
    "a third position of color 22": Faulty("FB404", alone(register(0x7CD9, 0x9001))),
    "an adder without a format": Faulty("FB405", alone(register(0x7CAA, 0x0200))),
    "an adder that loses its format": Faulty(
        "FB405",
        alone("u16 word[1] address(0x7caa);\nmain {\n  word[0] = 0x0600;\n  word[0] = word[0] & 0x0200;\n}\n"),
    ),
    "an adder on color 3": Faulty("FB406", alone(register(0x7C8E, 0x0600))),
    "an adder on color 0 of the second tile": Faulty(
        "FB406", row("a : code('idle)\n", "b : code('k)\n", {"idle": IDLE, "k": register(0x7C82, 0x0A00)})
    ),
    "an output queue of color 24": Faulty("FB407", alone(register(0x7B81, 24 << 4))),
    "an input queue of color 30": Faulty("FB407", alone(register(0x7BC6, 30))),
    "over the right edge": Faulty("FB408", row(SENDS.replace("C>R", "C>RL"), READS, {"send": SEND, "read": READ}, LINE)),
    "over two edges": Faulty(
        "FB408", alone("sp socket tx;\nmain {\n  i in [0, 5) { tx[] <- 2.0; }\n}\n", "let c = color()\nlet t = tile()\nt : code('k [tx:c])\nt : paint(c [C>UD])\nt\n")
    ),
    "a control task without code": Faulty(
        "FB503", row("a : code('k [tx:c])\na : paint(c [C>R])\n", READS, {"k": CONTROL.format(9, ""), "read": READ}, LINE)
    ),
    "a control task of another number": Faulty(
        "FB511",
        row(
            "a : code('k [tx:c])\na : paint(c [C>R])\n",
            READS,
            {
                "k": CONTROL.format(12, "  tx[] <- 1.0;\n"),
                "read": "sp socket rx;\nxp n;\nforever dispatch(rx) {\n  wavelet() { n = n + 1; }\n  control(11) { n = 0; }\n}\n",
            },
            LINE,
        ),
    ),
    "a control task too many": Faulty(
        "FB511",
        row(
            "a : code('k [tx:c])\na : paint(c [C>R])\n",
            READS,
            {"k": CONTROL.format(63, ""), "read": "sp socket rx;\nxp n;\nforever dispatch(rx) { control(0) { n = 1; } control(62) { n = 2; } }\n"},
            LINE,
        ),
    ),
    "a control task on the third tile": Faulty(
        "FB503",
        {
            "bench.paint": "let c = color()\nlet a = tile()\na : code('k [tx:c])\na : paint(c [C>R])\nlet b = tile()\n"
            "b : paint(c [L>R])\nlet d = tile()\nd : code('read [rx:c])\nd : paint(c [L>C])\nhstack(a b d)\n",
            "k.w": CONTROL.format(30, "  tx[] <- 4.0;\n"),
            "read.w": READ,
        },
    ),
}

SYMBOLS = """.socket rx in 1 u32
.socket tx out 0 u32
.org 0x100
.var a u32 n=40
arr: .dsd mem1d base=a extent=40
far: .dsd mem1d base=a extent=4 stride=9000
odd: .dsd mem1d base=a+1 extent=4
fin: .dsd fabin queue=rx extent=40
fout: .dsd fabout queue=tx extent=40
.org 0x200
.func main
.entry
"""
ASSEMBLY: dict[str, tuple[str, str]] = {
    "two receives on one queue": ("FB504", " ldd DD0 = [arr];\n lds0 SA0 = [fin];\n mov32.ut3 [DD0] = [SA0];\n mov32 [DD0] = [SA0];"),
    "two sends on one queue": ("FB504", " ldd DD0 = [fout];\n lds0 SA0 = [arr];\n lds0 SA1 = [arr];\n mov32.ut0 [DD0] = [SA0];\n mov32 [DD0] = [SA1];"),
    "a microthread that receives": ("FB505", " ldd DD0 = [arr];\n lds0 SA0 = [fin];\n mov32.ut3 [DD0] = [SA0];\n mov32.ut3 [DD0] = D2;"),
    "a microthread that sends": ("FB505", " ldd DD0 = [fout];\n lds0 SA0 = [arr];\n mov32.ut0 [DD0] = [SA0];\n ldd DD1 = [arr];\n mov32.ut0 [DD1] = [SA0];"),
    "a jump into data": ("FB506", " mov16 R0 = 0xffff;\n st16 [a] = R0;\n jmp a;"),
    "a jump out of memory": ("FB506", " mov16 R3 = 0x6100;\n jmpr R3;"),
    "a load far away": ("FB507", " mov16 R1 = 0x7fff;\n ld16x R0 = [R1 + 2];"),
    "a vector that leaves memory": ("FB507", " ldd DD0 = [far];\n mov32 [DD0] = D0;"),
    "an odd address": ("FB508", " mov16 R1 = 0x101;\n ld32x D2 = [R1 + 4];"),
    "a vector at an odd address": ("FB508", " lds0 SA0 = [odd];\n mov32 D0 = [SA0];"),
    "a fault instruction": ("FB510", " fault 3;"),
    "a fault behind a predicate": ("FB510", " eq16 P1 = R0, R0;\n P1? fault 12;"),
    "an arrival that nobody waits for": ("FB517", " arrive 9;"),
    "an arrival too many": ("FB517", " setjoin 12, 1;\n arrive 12;\n arrive 12;"),
    "a fabric output as a source": ("FB512", " lds0 SA3 = [fout];\n ldd DD0 = [arr];\n mov32 [DD0] = [SA3];"),
    "a fabric input as a destination": ("FB512", " lds0 SA0 = [arr];\n ldd DD2 = [fin];\n mov32 [DD2] = [SA0];"),
    "a grid without dimensions": ("FB513", " lds0 SA0 = [grid];\n mov32 D0 = [SA0];"),
    "an iterator of five dimensions": ("FB513", " lds0 SA0 = [walk];\n mov32 D0 = [SA0];"),
    "a pop from a FIFO of no room": ("FB514", " lds0 SA0 = [fifo];\n mov32 D0 = [SA0];"),
    "a push into a FIFO of no room": ("FB514", " ldd DD0 = [fifo];\n mov32.ut1 [DD0] = D0;"),
    "input queue 9": ("FB515", " lds0 SA0 = [bad_in];\n mov32 D0 = [SA0];"),
    "output queue 8": ("FB515", " ldd DD0 = [bad_out];\n mov32 [DD0] = D0;"),
    "a filter of an array": ("FB516", " lds0 SA0 = [arr];\n dfilt.ut0 [SA0];"),
    "a second filter, of an array": ("FB516", " lds0 SA1 = [fin];\n dfilt.ut0 [SA1];\n lds0 SA0 = [far];\n dfilt.ut1 [SA0];"),
}  # fmt: skip

# What the cases FB513 to FB515 need beside SYMBOLS.
BLOCKS = """none: .word 0, 1, 1, 1, 1, 1, 1, 1, 1
five: .word 5, 1, 1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0
grid: .dsd mem4d base=a extent=4 block=none
walk: .dsd iterator base=a extent=4 block=five
nothing: .word a, 0, 0, 0
fifo: .dsd fifo block=nothing extent=4
bad_in: .word 3, 9, 4, 0
bad_out: .word 4, 8, 4, 0
"""
