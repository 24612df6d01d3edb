"""The instruction set as one declarative table.

Encoder, decoder, assembler, simulators, cost model and docs/isa.md derive from `ROWS`; nothing about an instruction
stands anywhere else. Operations and element rates are those of hardware.md 6; what that table lacks and Tungsten
needs are rows of our own at their kin's rate (hardware.md 14.10).

API: `ROWS` (all rows), `BY_NAME[name]`, `BY_NUMBER[number]`, and of a `Row`

- `.name`, `.number` (bits 7:0 of the first word; 0 is no instruction, so that cleared memory does not run);
- `.dest`: the destination's operand type or None; `.sources`: the types of src0, src1, src2;
- `.args`: kinds of the further one-word operands (address, offset, task, count), in order, see `ARGS`;
- `.kind`: "alu" (dest = f(sources)), "rmw" (dest = f(dest, sources)), "dot" (acc = f(acc, sources)), "load",
  "store", "control", "task", "dsr", "filter";
- `.semantics`: function on raw bit patterns (unsigned ints), or None where the machine does it (loads, control …);
- `.vector`: True when some operand may be a DSR; `.forms`: the allowed masks of bits 10:8 of the first word, shifted
  down (1 dest, 2 src0, 4 src1 is a DSR); form 0 is the scalar one;
- `.widths`: elements a cycle (into a DSR, into a scalar register); the latter is 1 for a reduction;
- `.latency`: name of a field of `fabric.timing.Timing`: cycles from the result to a dependent issue;
- `.immediate`: the last source may be an immediate; `.syntax`: tokens of the assembler text, see `fabric.asm`;
- `.carry`: the row reads and writes the carry flag: `semantics(a, b, carry)` gives the sum in bits 15:0 and the new
  flag in bit 16.

Operand types, with their register file and size in words (`TYPES`): i16 u16 f16 in R0-R15; i32 u32 f32 in the pairs
D0, D2 … D14; u64 in the quads Q0, Q4, Q8, Q12 (low word in the lowest register); p in P0-P7; dd, sa, sb name a DSR
of the destination, source-0 and source-1 file itself (rows that load and change DSRs).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

from fabric import floats as f
from fabric import integers as n
from fabric.numbers import bits16, bits32, value16, value32


@dataclass(frozen=True)
class Type:
    """An operand type: register file ("R", "D", "Q", "P", "DD", "SA", "SB"), words of one element, meaning."""

    name: str
    file: str
    words: int
    text: str

    @property
    def is_float(self) -> bool:
        return self.name[0] == "f"

    @property
    def signed(self) -> bool:
        return self.name[0] == "i"


TYPES = {
    t.name: t
    for t in (
        Type("i16", "R", 1, "signed 16-bit integer"),
        Type("u16", "R", 1, "16 bits, unsigned"),
        Type("f16", "R", 1, "fp16"),
        Type("i32", "D", 2, "signed 32-bit integer"),
        Type("u32", "D", 2, "32 bits, unsigned"),
        Type("f32", "D", 2, "fp32"),
        Type("u64", "Q", 4, "64 bits, unsigned"),
        Type("p", "P", 0, "predicate"),
        Type("dd", "DD", 4, "destination DSR"),
        Type("sa", "SA", 4, "source-0 DSR"),
        Type("sb", "SB", 4, "source-1 DSR"),
    )
}

# Register file -> (registers by number, step between legal numbers).
FILES = {"R": (16, 1), "D": (16, 2), "Q": (16, 4), "P": (8, 1), "DD": (16, 1), "SA": (16, 1), "SB": (16, 1)}


@dataclass(frozen=True)
class Arg:
    """A one-word operand: its range (`low` may be negative: stored modulo 2**16) and what it is called."""

    name: str
    low: int
    high: int
    text: str


ARGS = {
    a.name: a
    for a in (
        Arg("addr", 0, 0xFFFF, "word address"),
        Arg("off", -0x8000, 0xFFFF, "offset in words"),
        Arg("task", 0, 30, "task id (0-7 data task of that input queue, 8-30 local)"),
        Arg("local", 8, 30, "local task id"),
        Arg("count", 0, 0xFFFF, "count"),
        Arg("code", 0, 0xFFFF, "fault code"),
        Arg("flag", 0, 1, "0 or 1"),
    )
}

FORM_DEST, FORM_SRC0, FORM_SRC1 = 1, 2, 4
SCALAR = frozenset([0])


@dataclass(frozen=True)
class Row:
    """One instruction; the module's docstring explains the fields."""

    number: int
    name: str
    dest: str | None
    sources: tuple[str, ...]
    kind: str
    latency: str
    text: str
    semantics: Callable[..., int] | None = None
    forms: frozenset[int] = SCALAR
    width: int = 1
    args: tuple[str, ...] = ()
    immediate: bool = False
    carry: bool = False
    needs_async: bool = False
    syntax: tuple[str, ...] = field(default=())

    @property
    def vector(self) -> bool:
        return any(self.forms)

    @property
    def widths(self) -> tuple[int, int]:
        """Elements a cycle into a DSR and into a scalar register (a reduction takes one at a time)."""
        keeps_last = self.kind == "alu" and len(self.sources) == 1
        return self.width, self.width if keeps_last else 1

    @property
    def reads_dest(self) -> bool:
        """The destination register is also a source."""
        return self.kind == "rmw"

    @property
    def jumps(self) -> bool:
        """The row leaves the sequence of instructions (it takes no terminate flag)."""
        return self.kind == "control" and self.name != "nop"

    def source_words(self, i: int) -> int:
        """Words of one element of source i."""
        return TYPES[self.sources[i]].words


def _forms(dest: str | None, sources: tuple[str, ...], kind: str) -> frozenset[int]:
    """The vector forms of a computing row.

    Only src0 and src1 can be DSRs. A scalar destination with a DSR source is a reduction: the remaining scalar source
    is the running value, so there has to be exactly one of the destination's type; with a single source the
    register keeps the last value.
    """
    slots = (FORM_DEST if dest else 0) | FORM_SRC0 | (FORM_SRC1 if len(sources) > 1 and sources[1] != "p" else 0)
    forms = {m for m in range(8) if m & ~slots == 0}
    if kind == "alu" and len(sources) > 1:
        forms -= {FORM_SRC0, FORM_SRC1, FORM_SRC0 | FORM_SRC1}
        if "p" not in sources:
            forms |= {FORM_SRC0} if sources[1] == dest else set()
            forms |= {FORM_SRC1} if sources[0] == dest else set()
    return frozenset(forms)


def _syntax(dest: str | None, sources: tuple[str, ...], args: tuple[str, ...]) -> tuple[str, ...]:
    """`dest = src0, src1, arg0`: the usual text."""
    right: list[str] = []
    for token in [f"s{i}" for i in range(len(sources))] + [f"a{i}" for i in range(len(args))]:
        right += [",", token] if right else [token]
    return (("d", "=") if right else ("d",)) + tuple(right) if dest else tuple(right)


def _row(
    number: int,
    name: str,
    dest: str | None,
    sources: str,
    kind: str,
    latency: str,
    text: str,
    semantics: Callable[..., int] | None = None,
    *,
    vector: bool = False,
    width: int = 1,
    args: str = "",
    immediate: bool = False,
    syntax: str = "",
    **more: Any,
) -> Row:
    src, arg = tuple(sources.split()), tuple(args.split())
    forms = _forms(dest, src, kind) if vector else SCALAR
    tokens = tuple(syntax.split()) or _syntax(dest, src, arg)
    return Row(number, name, dest, src, kind, latency, text, semantics, more.pop("forms", forms), width, arg, immediate,
               syntax=tokens, **more)  # fmt: skip


def _alu(number: int, name: str, dest: str, sources: str, width: int, latency: str, text: str,
         semantics: Callable[..., int], **more: Any) -> Row:  # fmt: skip
    """A computing row; width 0 = scalar only. Its last source may be an immediate unless it is a predicate."""
    immediate = not sources.endswith("p")
    return _row(number, name, dest, sources, more.pop("kind", "alu"), latency, text, semantics,
                vector=width > 0, width=max(width, 1), immediate=immediate, **more)  # fmt: skip


INT, FLOAT, DIV = "result_integer", "result_float", "fp_divide"


def _moves() -> Iterable[Row]:
    for i, (w, t, width) in enumerate(((16, "u16", 8), (32, "u32", 4), (64, "u64", 0))):
        yield _alu(0x01 + i, f"mov{w}", t, t, width, INT, f"copy {w} bits", n.same)
        yield _alu(0x04 + i, f"select{w}", t, f"{t} {t} p", width, INT,
                   "the first source where the predicate holds, else the second", n.select)  # fmt: skip
        yield _row(0x07 + i, f"ld{w}", t, "", "load", "result_load", f"load {w} bits from an address",
                   args="addr", syntax="d = [ a0 ]")  # fmt: skip
        yield _row(0x0A + i, f"ld{w}x", t, "u16", "load", "result_load", f"load {w} bits from register + offset",
                   args="off", syntax="d = [ s0 + a0 ]")  # fmt: skip
        yield _row(0x0D + i, f"st{w}", None, t, "store", "store", f"store {w} bits at an address",
                   args="addr", immediate=True, syntax="[ a0 ] = s0")  # fmt: skip
        yield _row(0x10 + i, f"st{w}x", None, f"u16 {t}", "store", "store", f"store {w} bits at register + offset",
                   args="off", immediate=True, syntax="[ s0 + a0 ] = s1")  # fmt: skip


# (name, maker, signed, number of sources, width of the 16-bit form, latency, meaning); the 32-bit forms go 4 a cycle.
_INTEGER: list[tuple[str, Callable[[int], Callable[..., int]], bool, int, int, str, str]] = [
    ("add", n.add, False, 2, 8, INT, "sum, wraps"),
    ("sub", n.sub, False, 2, 8, INT, "difference, wraps"),
    ("mul", n.mul, False, 2, 8, INT, "low half of the product"),
    ("and", n.and_, False, 2, 8, INT, "bitwise and"),
    ("or", n.or_, False, 2, 8, INT, "bitwise or"),
    ("xor", n.xor, False, 2, 8, INT, "bitwise exclusive or"),
    ("sll", n.sll, False, 2, 4, INT, "shift left; 0 from the width on"),
    ("slr", n.slr, False, 2, 4, INT, "logical shift right; 0 from the width on"),
    ("sar", n.sar, True, 2, 4, INT, "arithmetic shift right; the sign from the width on"),
    ("divs", n.divs, True, 2, 1, DIV, "signed quotient toward zero; all ones for a zero divisor"),
    ("divu", n.divu, False, 2, 1, DIV, "unsigned quotient; all ones for a zero divisor"),
    ("rems", n.rems, True, 2, 1, DIV, "signed remainder, sign of the first source; all ones for a zero divisor"),
    ("remu", n.remu, False, 2, 1, DIV, "unsigned remainder; all ones for a zero divisor"),
    ("mins", n.mins, True, 2, 8, INT, "signed minimum"),
    ("minu", n.minu, False, 2, 8, INT, "unsigned minimum"),
    ("maxs", n.maxs, True, 2, 8, INT, "signed maximum"),
    ("maxu", n.maxu, False, 2, 8, INT, "unsigned maximum"),
    ("abs", n.abs_, True, 1, 8, INT, "absolute value, wraps for the least number"),
]
_WIDE = {"add", "sub", "mul", "and", "or", "xor", "sll", "slr", "divu", "remu", "minu", "maxu"}


def _integers() -> Iterable[Row]:
    for i, (name, make, signed, count, width, latency, text) in enumerate(_INTEGER):
        for base, bits in ((0x18, 16), (0x30, 32)):
            t = ("i" if signed else "u") + str(bits)
            rate = width if bits == 16 else min(width, 4)
            yield _alu(base + i, f"{name}{bits}", t, " ".join([t] * count), rate, latency, text, make(bits))
    for i, (name, make, _, _, _, latency, text) in enumerate(r for r in _INTEGER if r[0] in _WIDE):
        yield _alu(0x46 + i, f"{name}64", "u64", "u64 u64", 0, latency, text, make(64))
    yield _alu(0x2A, "addc16", "u16", "u16 u16", 8, INT,
               "sum and carry flag; sets the flag to the carry out, from element to element", n.addc16,
               carry=True)  # fmt: skip
    yield _alu(0x2B, "clz", "u16", "u16", 8, INT, "leading zeros, 16 for 0", n.clz(16))
    yield _alu(0x2C, "ctz", "u16", "u16", 8, INT, "trailing zeros, 16 for 0", n.ctz(16))
    yield _alu(0x2D, "popcnt", "u16", "u16", 8, INT, "ones", n.popcnt(16))


def _resizing() -> Iterable[Row]:
    yield _alu(0x54, "sext32", "i32", "i16", 4, INT, "sign-extend 16 bits to 32", n.sext(16, 32))
    yield _alu(0x55, "zext32", "u32", "u16", 4, INT, "zero-extend 16 bits to 32", n.same)
    yield _alu(0x56, "low16", "u16", "u32", 4, INT, "low 16 of 32 bits", n.low(16))
    yield _alu(0x57, "sext64", "u64", "i32", 0, INT, "sign-extend 32 bits to 64", n.sext(32, 64))
    yield _alu(0x58, "zext64", "u64", "u32", 0, INT, "zero-extend 32 bits to 64", n.same)
    yield _alu(0x59, "low32", "u32", "u64", 0, INT, "low 32 of 64 bits", n.low(32))


_COMPARE: list[tuple[str, Callable[[int], n.Binary], bool, str]] = [
    ("eq", n.eq, False, "equal"),
    ("ne", n.ne, False, "unequal"),
    ("ltu", n.ltu, False, "below, unsigned"),
    ("leu", n.leu, False, "below or equal, unsigned"),
    ("gtu", n.gtu, False, "above, unsigned"),
    ("geu", n.geu, False, "above or equal, unsigned"),
    ("lt", n.lt, True, "below, signed"),
    ("le", n.le, True, "below or equal, signed"),
    ("gt", n.gt, True, "above, signed"),
    ("ge", n.ge, True, "above or equal, signed"),
]


def _compares() -> Iterable[Row]:
    for base, bits in ((0x60, 16), (0x6A, 32), (0x74, 64)):
        for i, (name, make, signed, text) in enumerate(_COMPARE[: 6 if bits == 64 else 10]):
            t = ("i" if signed else "u") + str(bits)
            yield _alu(base + i, f"{name}{bits}", "p", f"{t} {t}", 0, INT, f"predicate: {text}", make(bits))
    floats = [
        ("feq", "equal", f.feqs, f.feqh),
        ("fneq", "unequal (true with a NaN)", f.fneqs, f.fneqh),
        ("flt", "below", f.flts, f.flth),
        ("flteq", "below or equal", f.flteqs, f.flteqh),
        ("fgt", "above", f.fgts, f.fgth),
        ("fgteq", "above or equal", f.fgteqs, f.fgteqh),
    ]
    for i, (name, text, s, h) in enumerate(floats):
        yield _alu(0x7A + i, f"{name}s", "p", "f32 f32", 0, FLOAT, f"predicate: {text}", s)
        yield _alu(0x80 + i, f"{name}h", "p", "f16 f16", 0, FLOAT, f"predicate: {text}", h)


# (name stem, sources, width fp32, width fp16, latency, meaning, fp32 function, fp16 function)
_FLOAT: list[tuple[str, int, int, int, str, str, Callable[..., int], Callable[..., int]]] = [
    ("fadd", 2, 4, 8, FLOAT, "sum", f.fadds, f.faddh),
    ("fsub", 2, 4, 8, FLOAT, "difference", f.fsubs, f.fsubh),
    ("fmul", 2, 4, 8, FLOAT, "product", f.fmuls, f.fmulh),
    ("fdiv", 2, 1, 1, DIV, "quotient", f.fdivs, f.fdivh),
    ("fmax", 2, 4, 8, FLOAT, "maximum: of equals the first, of a NaN and a number the number", f.fmaxs, f.fmaxh),
    ("fmin", 2, 4, 8, FLOAT, "minimum: of equals the first, of a NaN and a number the number", f.fmins, f.fminh),
    ("fabs", 1, 4, 8, FLOAT, "clear the sign", f.fabss, f.fabsh),
    ("fneg", 1, 4, 8, FLOAT, "flip the sign", f.fnegs, f.fnegh),
    ("fmac", 3, 1, 8, FLOAT, "src0 + src1 * src2, rounded once", f.fmacs, f.fmach),
    ("fms", 3, 1, 8, FLOAT, "src0 - src1 * src2, rounded once", f.fmss, f.fmsh),
    ("fnorm", 1, 4, 8, FLOAT, "the significand with its sign: 1 <= |result| < 2", f.fnorms, f.fnormh),
]


def _floats() -> Iterable[Row]:
    for i, (name, count, ws, wh, latency, text, s, h) in enumerate(_FLOAT):
        yield _alu(0x88 + i, f"{name}s", "f32", " ".join(["f32"] * count), ws, latency, text, s)
        yield _alu(0x98 + i, f"{name}h", "f16", " ".join(["f16"] * count), wh, latency, text, h)
    yield _alu(0x93, "fscales", "f32", "f32 i16", 4, FLOAT, "src0 * 2**src1, rounded once", f.fscales)
    yield _alu(0xA3, "fscaleh", "f16", "f16 i16", 8, FLOAT, "src0 * 2**src1, rounded once", f.fscaleh)
    yield _alu(0xA6, "faddhs", "f32", "f32 f16", 4, FLOAT, "fp32 src0 + fp16 src1", f.faddhs)
    yield _alu(0xA7, "fmachs", "f32", "f32 f16 f16", 4, FLOAT, "fp32 src0 + fp16 src1 * fp16 src2, rounded once",
               f.fmachs)  # fmt: skip
    rmw = [
        ("fmacas", "f32", 1, "dest + src0 * src1, rounded once", f.fmacs),
        ("fmssas", "f32", 1, "dest - src0 * src1, rounded once", f.fmss),
        ("fmacah", "f16", 8, "dest + src0 * src1, rounded once", f.fmach),
        ("fmssah", "f16", 8, "dest - src0 * src1, rounded once", f.fmsh),
    ]
    for i, (name, t, width, text, fn) in enumerate(rmw):
        yield _alu(0xA8 + i, name, t, f"{t} {t}", width, FLOAT, text, fn, kind="rmw")


def _conversions() -> Iterable[Row]:
    yield _alu(0xB0, "fh2s", "f32", "f16", 4, FLOAT, "fp16 to fp32, exact", f.fh2s)
    yield _alu(0xB1, "fs2h", "f16", "f32", 4, FLOAT, "fp32 to fp16", f.fs2h)
    # integer name, type, bits, signed, elements a cycle with fp32 and with fp16
    kinds = [("xp16", "i16", 16, True, 4, 8), ("u16", "u16", 16, False, 4, 8), ("i32", "i32", 32, True, 4, 4),
             ("u32", "u32", 32, False, 4, 4), ("u64", "u64", 64, False, 0, 0)]  # fmt: skip
    for i, (name, t, bits, signed, ws, wh) in enumerate(kinds):
        to = "toward zero, saturating, NaN to 0"
        yield _alu(0xB2 + i, f"{name}2fs", "f32", t, ws, FLOAT, f"{t} to fp32", f.from_int(bits32, bits, signed))
        yield _alu(0xB7 + i, f"{name}2fh", "f16", t, wh, FLOAT, f"{t} to fp16", f.from_int(bits16, bits, signed))
        yield _alu(0xBC + i, f"fs2{name}", t, "f32", ws, FLOAT, f"fp32 to {t}, {to}", f.to_int(value32, bits, signed))
        yield _alu(0xC1 + i, f"fh2{name}", t, "f16", wh, FLOAT, f"fp16 to {t}, {to}", f.to_int(value16, bits, signed))


def _dots() -> Iterable[Row]:
    for base, suffix, t, fn in ((0xC8, "s", "f32", f.fmacs), (0xCC, "h", "f16", f.fmachs)):
        for i, (mode, keep, write) in enumerate((("", 0, 1), ("k", 1, 1), ("x", 0, 0), ("kx", 1, 0))):
            text = f"ACC = {'ACC' if keep else '0'} + sum of src0 * src1, fp32, one rounding a step"
            yield _row(base + i, f"dot{suffix}{mode}", "f32" if write else None, f"{t} {t}", "dot", "result_vector",
                       text + ("; dest = ACC" if write else ""), fn, vector=True)  # fmt: skip


def _control() -> Iterable[Row]:
    yield _row(0xD0, "nop", None, "", "control", "issue", "nothing")
    yield _row(0xD1, "jmp", None, "", "control", "branch_taken", "go to an address", args="addr")
    yield _row(0xD2, "jmpr", None, "u16", "control", "branch_taken", "go to the address in a register")
    yield _row(0xD3, "call", None, "", "control", "call", "R15 = next address; go to an address", args="addr")
    yield _row(0xD4, "djnz", "u16", "", "control", "branch_taken", "decrement the register, go to an address unless 0",
               lambda a: (a - 1) & 0xFFFF, args="addr", syntax="d , a0")  # fmt: skip
    yield _row(0xD5, "terminate", None, "", "control", "terminate", "end the task")
    yield _row(0xD6, "fault", None, "", "control", "issue", "stop the simulation with an error", args="code")
    yield _row(0xD7, "halt", None, "", "control", "issue", "stop this core for good")
    tasks = [("activate", "local", "activate a local task"), ("block", "task", "block a task"),
             ("unblock", "task", "unblock a task"), ("settask", "task addr", "write a task's entry into the table"),
             ("setjoin", "local count", "add to the arrivals that a task waits for"),
             ("arrive", "local", "one arrival less to wait for; at 0 the task is activated"),
             ("setc", "flag", "set the carry flag")]  # fmt: skip
    for i, (name, args, text) in enumerate(tasks):
        yield _row(0xD8 + i, name, None, "", "task", "issue", text, args=args)


def _dsrs() -> Iterable[Row]:
    for i, (suffix, t) in enumerate((("d", "dd"), ("s0", "sa"), ("s1", "sb"))):
        what = TYPES[t].text
        yield _row(0xE0 + i, f"ld{suffix}", t, "", "dsr", "dsr_load", f"load a {what} from a 4-word descriptor",
                   args="addr", syntax="d = [ a0 ]")  # fmt: skip
        yield _row(0xE3 + i, f"ld{suffix}r", t, "u16", "dsr", "dsr_load",
                   f"load a {what} from the descriptor at a register's address", syntax="d = [ s0 ]")  # fmt: skip
        yield _row(0xE6 + i, f"set{suffix}base", t, "u16", "dsr", "dsr_load", f"base address of a {what}",
                   immediate=True)  # fmt: skip
        yield _row(0xE9 + i, f"set{suffix}len", t, "u16", "dsr", "dsr_load", f"extent of a {what} in elements",
                   immediate=True)  # fmt: skip
        yield _row(0xEC + i, f"set{suffix}stride", t, "i16", "dsr", "dsr_load", f"stride of a {what} in elements",
                   immediate=True)  # fmt: skip
        yield _row(0xEF + i, f"st{suffix}", None, t, "dsr", "store", f"store the 4 words of a {what}",
                   args="addr", syntax="[ a0 ] = s0")  # fmt: skip
    yield _row(0xF2, "dfilt", None, "u32", "filter", "issue",
               "drop data wavelets of an input queue until its extent of control wavelets has come",
               forms=frozenset([FORM_SRC0]), needs_async=True)  # fmt: skip


def _table() -> tuple[Row, ...]:
    groups = (_moves, _integers, _resizing, _compares, _floats, _conversions, _dots, _control, _dsrs)
    return tuple(sorted((row for group in groups for row in group()), key=lambda r: r.number))


ROWS: tuple[Row, ...] = _table()
BY_NAME: dict[str, Row] = {r.name: r for r in ROWS}
BY_NUMBER: dict[int, Row] = {r.number: r for r in ROWS}
# Other names of a row that the assembler takes (hardware.md 6).
ALIASES = {"fmovh": "mov16", "fmovs": "mov32"}
