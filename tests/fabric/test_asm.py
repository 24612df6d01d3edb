"""The assembler: round trips with the disassembler, whole programs, values by hand."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from instruction_strategy import instructions

from diag.report import Reporter, UserError, render
from diag.spans import Source
from fabric import arch, asm
from fabric.encode import Async, Instr, encode
from fabric.isa import BY_NAME
from fabric.program import Program, Symbol


def program(text: str, path: str = "k.s") -> Program:
    """Assembles a source that has to be without messages."""
    reporter = Reporter()
    p = asm.assemble(Source(path, text), reporter)
    assert not reporter.diagnostics, "\n".join(render(d) for d in reporter.diagnostics)
    return p


def memory(p: Program) -> dict[int, int]:
    return {a + k: w for a, words in p.sections for k, w in enumerate(words)}


def data(body: str) -> list[int]:
    """The words that directives make at address 0x100."""
    p = program(f".org 0x100\n{body}\n")
    assert len(p.sections) == 1 and p.sections[0][0] == 0x100
    return p.sections[0][1]


# --- text ---------------------------------------------------------------------------------------------------------------


@given(instructions())
@settings(max_examples=1500, deadline=None)
def test_text_round_trip(i: Instr) -> None:
    assert asm.instruction(asm.text(i)) == i


TEXTS = [
    ("add16 R0 = R1, R2;", Instr(BY_NAME["add16"], 0, 1, 2)),
    ("flteqs P0 = D0, 0x4;", Instr(BY_NAME["flteqs"], 0, 0, imm=4)),
    ("P0? select32 D0 = D2, D4, P1;", Instr(BY_NAME["select32"], 0, 2, 4, 1, pred=0)),
    ("!P7? jmp 0x0040;", Instr(BY_NAME["jmp"], args=(0x40,), pred=7, negated=True)),
    ("mov32.ut3 [DD0] = [SA1] -> arrive 9;", Instr(BY_NAME["mov32"], 0, 1, form=3, background=Async(3, 3, 9))),
    ("dfilt.ut0 [SA5];", Instr(BY_NAME["dfilt"], 0, 5, form=2, background=Async(0))),
    ("fmacs [DD0] = [SA1], [SB2], D12;", Instr(BY_NAME["fmacs"], 0, 1, 2, 12, 7)),
    ("fadds D0 = D0, [SB1];", Instr(BY_NAME["fadds"], 0, 0, 1, form=4)),
    ("dotskx [SA1], [SB1];", Instr(BY_NAME["dotskx"], 0, 1, 1, form=6)),
    ("ld16x R3 = [R4 - 2];", Instr(BY_NAME["ld16x"], 3, 4, args=(0xFFFE,))),
    ("st32x [R4 + 2] = D6; terminate;", Instr(BY_NAME["st32x"], 0, 4, 6, args=(2,), terminate=True)),
    ("st16 [0x0100] = 0xffff;", Instr(BY_NAME["st16"], imm=0xFFFF, args=(0x100,))),
    ("ldd DD3 = [0x0010];", Instr(BY_NAME["ldd"], 3, args=(0x10,))),
    ("lds1r SB3 = [R2];", Instr(BY_NAME["lds1r"], 3, 2)),
    ("sts0 [0x0010] = SA3;", Instr(BY_NAME["sts0"], 0, 3, args=(0x10,))),
    ("setdlen DD3 = 0x8;", Instr(BY_NAME["setdlen"], 3, imm=8)),
    ("djnz R3, 0x0010;", Instr(BY_NAME["djnz"], 3, args=(0x10,))),
    ("settask 9, 0x0010;", Instr(BY_NAME["settask"], args=(9, 0x10))),
    ("setjoin 9, 4;", Instr(BY_NAME["setjoin"], args=(9, 4))),
    ("jmpr R15;", Instr(BY_NAME["jmpr"], 0, 15)),
    ("nop; terminate;", Instr(BY_NAME["nop"], terminate=True)),
    ("terminate;", Instr(BY_NAME["terminate"])),
]


@pytest.mark.parametrize(("line", "i"), TEXTS, ids=[t for t, _ in TEXTS])
def test_listing_text(line: str, i: Instr) -> None:
    assert asm.text(i) == line
    assert asm.instruction(line) == i


@pytest.mark.parametrize(
    ("line", "same"),
    [
        ("ADD16 r0 = r1, R2", "add16 R0 = R1, R2;"),
        ("add16 R0=R1,R2// comment", "add16 R0 = R1, R2;"),
        ("  add16 R0 = R1 , -1 ;", "add16 R0 = R1, 0xffff;"),
        ("fmovs D2 = 1", "mov32 D2 = 0x3f800000;"),
        ("fmovh R2 = -2", "mov16 R2 = 0xc000;"),
        ("mov32 D2 = 1", "mov32 D2 = 0x1;"),
        ("mov32 D2 = 1.5", "mov32 D2 = 0x3fc00000;"),
        ("mov16 R2 = 1.5", "mov16 R2 = 0x3e00;"),
        ("fadds D2 = D2, 1", "fadds D2 = D2, 0x3f800000;"),
        ("fadds D2 = D2, 0x1", "fadds D2 = D2, 0x1;"),
        ("fadds D2 = D2, -0.0", "fadds D2 = D2, 0x80000000;"),
        ("fadds D2 = D2, 6.0e-8", "fadds D2 = D2, 0x3380d959;"),
        ("faddh R2 = R2, -inf", "faddh R2 = R2, 0xfc00;"),
        ("faddh R2 = R2, nan", "faddh R2 = R2, 0x7e00;"),
        ("fscales D2 = D2, -3", "fscales D2 = D2, 0xfffd;"),
        ("mov64 Q4 = -1", "mov64 Q4 = 0xffffffffffffffff;"),
        ("mov16 R0 = 0b101 + 0x10 - 1", "mov16 R0 = 0x14;"),
        ("ld16x R0 = [R1]", "ld16x R0 = [R1 + 0];"),
        ("ld16x R0 = [R1 + 0xffff]", "ld16x R0 = [R1 - 1];"),
        ("mov16.UT7 [dd1] = [sa2] -> Unblock 0; terminate", "mov16.ut7 [DD1] = [SA2] -> unblock 0; terminate;"),
    ],
)
def test_other_spellings(line: str, same: str) -> None:
    assert asm.text(asm.instruction(line)) == same


def test_a_line_that_is_no_instruction() -> None:
    with pytest.raises(UserError) as e:
        asm.instruction("add16 R0 = R1, foo")
    assert e.value.diagnostics[0].code.code == "FB110"
    with pytest.raises(UserError):
        asm.instruction("add17 R0 = R1")


def test_disassembly_of_a_run() -> None:
    """Words that are no instruction become .word lines; labels name addresses."""
    words = [0, *encode(asm.instruction("jmp 0x0010")), 0xFFFF, *encode(asm.instruction("nop"))]
    lines = asm.disassemble(words, 0x20, {0x10: "loop", 0x30: "unused"})
    assert [(d.address, d.words, d.text) for d in lines] == [
        (0x20, 1, ".word 0x0000"),
        (0x21, 2, "jmp loop;"),
        (0x23, 1, ".word 0xffff"),
        (0x24, 1, "nop;"),
    ]
    assert asm.disassemble([5], 0, None)[0].instr is None
    odd = asm.disassemble(encode(asm.instruction("jmp 2")), 0, {2: "ρ′ x"})[0].text
    assert odd == 'jmp "ρ′ x";'


# --- directives ---------------------------------------------------------------------------------------------------------


def test_data() -> None:
    assert data(".word 1, -1, 0x8000, here + 1\nhere:") == [1, 0xFFFF, 0x8000, 0x105]
    assert data(".long 0x12345678, -2") == [0x5678, 0x1234, 0xFFFE, 0xFFFF]
    assert data(".float 1.5, -2, 0x7f800001, inf") == [0, 0x3FC0, 0, 0xC000, 1, 0x7F80, 0, 0x7F80]
    assert data(".half 1, 65520.0, 0x7c01") == [0x3C00, 0x7C00, 0x7C01]
    assert data(".space 3\n.space 2, 7") == [0, 0, 0, 7, 7]
    assert data(".equ N 3\n.equ M N + 1\n.space M, -1") == [0xFFFF] * 4
    p = program(".word 1\n.align 4\nx: .word x\n")
    assert p.sections == [(2, [1]), (4, [4])]


def test_descriptors() -> None:
    assert data(".dsd mem1d base=0x40 extent=14 stride=-2") == [1, 0x40, 14, 0xFFFE]
    assert data(".dsd mem1d base=0x40, extent=14") == [1, 0x40, 14, 1]
    assert data(".dsd mem4d base=x extent=12 block=x\nx: .xblock 4:1, 3:-8") == [
        2, 0x104, 12, 0x104, 2, 4, 1, 3, 0xFFF8, 1, 0, 1, 0]  # fmt: skip
    assert data(".dsd iterator base=8 extent=2 block=x endless\nx: .iblock 2:1 endless") == [
        6 | 0x800, 8, 2, 0x104, 1, 2, 1, 1, 0, 1, 0, 1, 0, 1, 0, 0, 0, 0]  # fmt: skip
    assert data(".dsd fifo block=x extent=5\nx: .fifo 0x200, 16") == [5, 0x104, 5, 0, 0x200, 16, 0, 0]
    assert data(".dsd fabin queue=3 extent=5 endless") == [3 | 0x800, 3, 5, 0]
    assert data(".dsd fabout queue=7 extent=1 control advance_switch") == [4 | 0x300, 7, 1, 0]
    assert data(".dsd null") == [0, 0, 0, 0]


KERNEL = """\
// sends a vector, then answers
.name chain
.socket tx out 0 sp
.socket rx in 2 xp
.socket tx in 3 sp
.filter 1 rx
.symbol x sp n=2 2
    .float 1.5, -2, 3, 4
.var y xp m=3
.var u64s u64 2
from:  .dsd mem1d base=x extent=4
to:    .dsd fabout queue=tx extent=4
back:  .dsd fabin queue=tx extent=1
.func main
.entry 9
loop:
    ldd DD0 = [to];
"""


def test_a_kernel() -> None:
    text = KERNEL + (
        "    lds0 SA1 = [from]\n    mov32.ut3 [DD0] = [SA1] -> activate 10\n    jmp loop\n"
        ".func onData\n.task 2\n.task 10 loop\n.control 5 onData\n.catchall 2 onData\n.halves 2\n.blocked 3, 20\n"
        ".high 2\n.reg 0x7c80 0x40a0\n    nop; terminate;\n"
    )
    p = program(text, "dir/k.s")
    assert (p.name, p.source, p.depends) == ("chain", "dir/k.s", ["dir/k.s"])
    # x at 2..9, y at 10..12, u64s aligned to 14, then three descriptors from 22, code from 34
    assert p.symbols == [
        Symbol("x", "sp", 2, 2, (("n", 2), ("n1", 2))),
        Symbol("y", "xp", 10, 1, (("m", 3),)),
        Symbol("u64s", "u64", 14, 4, (("n0", 2),)),
    ]
    m = memory(p)
    assert [m[k] for k in range(2, 10)] == [0, 0x3FC0, 0, 0xC000, 0, 0x4040, 0, 0x4080]
    assert [m[k] for k in range(22, 34)] == [1, 2, 4, 1, 4, 0, 4, 0, 3, 3, 1, 0]
    assert [(x.address, x.words, x.line, x.col, x.function, x.text) for x in p.lines] == [
        (34, 3, 17, 5, "main", "ldd DD0 = [to];"),
        (37, 3, 18, 5, "main", "lds0 SA1 = [from];"),
        (40, 3, 19, 5, "main", "mov32.ut3 [DD0] = [SA1] -> activate 10;"),
        (43, 2, 20, 5, "main", "jmp main;"),
        (45, 1, 30, 5, "onData", "nop; terminate;"),
    ]
    assert all(x.file == "dir/k.s" for x in p.lines)
    assert [m[k] for k in range(40, 43)] == encode(
        Instr(BY_NAME["mov32"], 0, 1, form=3, background=Async(3, 1, 10))
    )
    assert p.registers == {
        arch.TASK_TABLE + 9: 34,
        arch.TASK_TABLE + 2: 45,
        arch.TASK_TABLE + 10: 34,
        arch.CONTROL_TABLE + 5: 45,
        arch.INPUT_CONTROL + 2: 45,
        arch.INPUT_MODE + 4: 1,
        arch.TASK_ACTIVE: 1 << 9,
        arch.TASK_BLOCKED: 1 << 3,
        arch.TASK_BLOCKED + 1: 1 << 4,
        arch.TASK_HIGH: 1 << 2,
        0x7C80: 0x40A0,
    }
    assert p.tasks == {2: "onData", 9: "main", 10: "loop"}
    assert [(s.socket, s.dir, s.queue, s.elem, s.span, s.uses) for s in p.sockets] == [
        ("tx", "out", 0, "sp", "dir/k.s:3:9", ("dir/k.s:12:26",)),
        ("tx", "in", 3, "sp", "dir/k.s:5:9", ("dir/k.s:13:25",)),
        ("rx", "in", 2, "xp", "dir/k.s:4:9", ()),
    ]
    assert p.declared == [("tx", "dir/k.s:3:9"), ("rx", "dir/k.s:4:9")]
    assert p.filters == [(1, "rx")]
    assert [(u.name, u.kind, u.words) for u in p.usage] == [
        ("main", "code", 11), ("onData", "code", 1), ("x", "data", 8), ("y", "data", 3), ("u64s", "data", 8),
        ("(other data)", "data", 12)]  # fmt: skip
    assert (p.memory_end, p.stack_room) == (46, 0x6000 - 46)
    assert not p.self_routing
    assert Program.from_json(json.loads(json.dumps(p.to_json()))) == p


def test_data_cache_and_absolute_symbols() -> None:
    p = program(".entry\nnop; terminate\n.org 0x7f00\n.symbol fast sp n=2\n.float 1, 2\n.org 0x7c46\n.symbol col xp\n")
    assert [s.address for s in p.symbols] == [0x7F00, 0x7C46]
    assert p.sections[1] == (0x7F00, [0, 0x3F80, 0, 0x4000])
    assert p.memory_end == 3
    assert not p.self_routing  # the column ID lies among the routing words, and no route depends on it


def test_self_routing_by_a_symbol() -> None:
    for address, words, routes in (
        (0x7C45, 2, False),  # the row and the column
        (0x7C46, 1, False),
        (0x7C46, 2, True),
        (0x7C44, 2, True),
        (0x7C05, 1, True),
        (0x7B00, 0x100, True),  # reaches into the output queues
        (0x7B00, 0x80, False),
        (0x7D00, 4, False),
    ):
        p = program(f".entry\nnop; terminate\n.org {address}\n.symbol r u16 n={words}\n")
        assert p.self_routing == routes, (hex(address), words)
        assert p.by_place == (address <= 0x7C46 < address + words or address <= 0x7C45 < address + words)


def test_self_routing_by_a_store() -> None:
    column = program(".entry\nld16 R1 = [0x7c46]; terminate")
    assert column.by_place and not column.self_routing
    assert program(".entry\nst16 [0x7c03] = R1; terminate").self_routing
    assert not program(".entry\nst16 [0x7b34] = R1; terminate").self_routing


def test_struct_symbols_and_quoted_names() -> None:
    p = program('.var cf struct:6 n=3\n.var "ρ′" sp\n"r⃗₀": .word "ρ′"\n.entry\nmov16 R0 = "r⃗₀"; terminate')
    assert p.symbols[0] == Symbol("cf", "struct", 2, 6, (("n", 3),))
    assert p.symbols[1] == Symbol("ρ′", "sp", 20, 2, ())
    assert memory(p)[22] == 20
    assert p.lines[0].text == "mov16 R0 = 0x16; terminate;"


def test_largest_program() -> None:
    p = program(f".org 0\n.space {arch.MAIN_WORDS}\n.org 0x7f00\n.space 256")
    assert (p.memory_end, p.stack_room) == (0x6000, 0)
