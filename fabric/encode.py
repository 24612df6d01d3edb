"""Instructions as data and as words: `Instr`, `encode`, `decode`.

An instruction is, in 16-bit words and in this order:

- word 0: bits 7:0 number of the row; 8, 9, 10: destination, source 0, source 1 is a DSR; 11: 0; 12: the last source
  is an immediate; 13: end the task after this instruction; 14: run as a microthread; 15: predicated;
- register word (rows with a destination or sources): 4-bit fields destination (3:0), source 0 (7:4), source 1
  (11:8), source 2 (15:12): a register or DSR number, 0 where there is none;
- predicate word if bit 15: bits 2:0 the predicate, bit 3: execute when it is false;
- microthread word if bit 14: bits 2:0 microthread, 4:3 completion (0 none, 1 activate, 2 unblock, 3 arrive),
  10:5 task id;
- immediate: 1, 2 or 4 words for a source of 16, 32 or 64 bits, low word first;
- one word for each further operand of the row (`Row.args`): address, offset, task id, count.

Encoding is one to one: `decode(encode(i)) == i`, and `decode` refuses every word sequence that `encode` can't make.
The whole instruction, its termination and its microthread included, is skipped when the predicate says so.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from fabric.isa import ARGS, BY_NUMBER, FILES, FORM_DEST, FORM_SRC0, FORM_SRC1, TYPES, Row

COMPLETIONS = ("", "activate", "unblock", "arrive")
MAX_LENGTH = 8

# What `reads` and `writes` name: R0-R15 are 0-15, then P0-P7, the accumulator, the carry flag, and the DSR files.
SLOT_P, SLOT_ACC, SLOT_CARRY, SLOT_DD, SLOT_SA, SLOT_SB, SLOTS = 16, 24, 25, 26, 42, 58, 74
_SLOT_BASE = {"R": 0, "D": 0, "Q": 0, "P": SLOT_P, "DD": SLOT_DD, "SA": SLOT_SA, "SB": SLOT_SB}


class EncodeError(ValueError):
    """An `Instr` that has no encoding. `part` is where: "dest", "src0" … "src2", "imm", "arg0", "arg1", "form",
    "pred", "async", "terminate"."""

    def __init__(self, part: str, reason: str) -> None:
        super().__init__(reason)
        self.part, self.reason = part, reason


class DecodeError(ValueError):
    """Words that are no instruction; the message says which word and why."""


class Async(NamedTuple):
    """The microthread that runs an instruction, and what happens when it is done.

    `completion`: index into COMPLETIONS; `task`: the task it acts on (0 without a completion).
    """

    ut: int
    completion: int = 0
    task: int = 0


@dataclass(frozen=True, slots=True)
class Instr:
    """One instruction.

    `dest`, `src0`, `src1`, `src2`: register or DSR numbers (a D or Q register by its lowest R), 0 where the row has
    none or the source is the immediate. `form`: mask of FORM_DEST | FORM_SRC0 | FORM_SRC1, which of them are DSRs.
    `imm`: the raw pattern of an immediate last source, or None. `args`: 16-bit patterns of the row's further
    operands. `pred`: predicate register or None; `negated`: run when it is false. `terminate`: end the task after
    it. `background`: the microthread, or None on the main thread.
    """

    row: Row
    dest: int = 0
    src0: int = 0
    src1: int = 0
    src2: int = 0
    form: int = 0
    imm: int | None = None
    args: tuple[int, ...] = ()
    pred: int | None = None
    negated: bool = False
    terminate: bool = False
    background: Async | None = None

    @property
    def sources(self) -> tuple[int, int, int]:
        return self.src0, self.src1, self.src2

    @property
    def vector(self) -> bool:
        """Some operand is a DSR, so the instruction goes over elements."""
        return self.form != 0

    @property
    def reduction(self) -> bool:
        """A vector instruction with a running value in a register (or the accumulator): one element a cycle."""
        if not self.form or self.form & FORM_DEST:
            return self.form != 0 and self.row.kind == "dot"
        return self.row.kind in ("rmw", "dot") or len(self.row.sources) > 1

    @property
    def group(self) -> int:
        """Elements a cycle at most."""
        return self.row.widths[0] if self.form & FORM_DEST else self.row.widths[1]

    @property
    def latency(self) -> str:
        """The field of `fabric.timing.Timing` that says when the result can be used by a dependent issue."""
        return "result_vector" if self.form and not self.form & FORM_DEST and self.row.dest else self.row.latency

    @property
    def length_from(self) -> int:
        """The form bit of the operand whose extent is the number of elements; 0 for a scalar instruction.

        A dot product's destination is one element, so its length comes from the sources.
        """
        if self.form & FORM_DEST and self.row.kind != "dot":
            return FORM_DEST
        return FORM_SRC0 if self.form & FORM_SRC0 else self.form & FORM_SRC1

    @property
    def length(self) -> int:
        """Words of the encoding."""
        n = 1 + has_registers(self.row) + (self.pred is not None) + (self.background is not None)
        if self.imm is not None:
            n += self.row.source_words(len(self.row.sources) - 1)
        return n + len(self.row.args)


def has_registers(row: Row) -> bool:
    """The row has a register word."""
    return row.dest is not None or bool(row.sources)


def registers(kind: str, number: int) -> tuple[int, ...]:
    """The slots (SLOT_…) that a register of an operand type takes."""
    t = TYPES[kind]
    base = _SLOT_BASE[t.file] + number
    return tuple(range(base, base + t.words)) if t.file in ("R", "D", "Q") else (base,)


def _scalar_slots(i: Instr, which: int) -> tuple[int, ...]:
    row = i.row
    if which < 2 and i.form & (FORM_SRC0 << which):
        return (((SLOT_SA, SLOT_SB)[which]) + i.sources[which],)
    if i.imm is not None and which == len(row.sources) - 1:
        return ()
    return registers(row.sources[which], i.sources[which])


def reads(i: Instr) -> tuple[int, ...]:
    """Slots whose values the instruction needs: registers, predicates, DSRs, accumulator and carry flag."""
    row = i.row
    out: list[int] = [] if i.pred is None else [SLOT_P + i.pred]
    for which in range(len(row.sources)):
        out += _scalar_slots(i, which)
    if i.form & FORM_DEST:
        out.append(SLOT_DD + i.dest)
    elif row.dest and (row.reads_dest or row.name == "djnz"):
        out += registers(row.dest, i.dest)
    elif row.dest and row.kind == "dsr" and row.name.startswith("set"):
        out += registers(row.dest, i.dest)
    if row.kind == "dot" and "k" in row.name:
        out.append(SLOT_ACC)
    if row.carry:
        out.append(SLOT_CARRY)
    return tuple(out)


def writes(i: Instr) -> tuple[int, ...]:
    """Slots that the instruction sets."""
    row = i.row
    out: list[int] = []
    if row.dest and not i.form & FORM_DEST:
        out += registers(row.dest, i.dest)
    if row.kind == "dot":
        out.append(SLOT_ACC)
    if (row.carry and i.background is None) or row.name == "setc":
        out.append(SLOT_CARRY)
    if row.name == "call":
        out.append(15)
    return tuple(out)


def _number(part: str, number: int, kind: str, dsr: str | None) -> None:
    file = dsr or TYPES[kind].file
    count, step = FILES[file]
    if not 0 <= number < count:
        raise EncodeError(part, f"{file}{number} does not exist; the registers are {file}0 to {file}{count - step}")
    if number % step:
        raise EncodeError(part, f"{file}{number} does not exist; {file} registers go in steps of {step}")


def _check_registers(i: Instr) -> None:
    row = i.row
    if i.form not in row.forms:
        if not row.vector:
            raise EncodeError("form", f"{row.name} has no vector form")
        if not i.form:
            raise EncodeError("form", f"{row.name} works on a DSR")
        raise EncodeError("form", f"{row.name} has no form with these vector operands")
    if row.dest:
        _number("dest", i.dest, row.dest, "DD" if i.form & FORM_DEST else None)
    elif i.dest:
        raise EncodeError("dest", f"{row.name} has no destination")
    immediate_at = -1 if i.imm is None else len(row.sources) - 1
    for k, number in enumerate(i.sources):
        part = f"src{k}"
        if k >= len(row.sources) or k == immediate_at:
            if number:
                raise EncodeError(part, f"{row.name} has no register as source {k}")
        else:
            dsr = ("SA", "SB")[k] if k < 2 and i.form & (FORM_SRC0 << k) else None
            _number(part, number, row.sources[k], dsr)
    if i.imm is not None:
        if not row.immediate:
            raise EncodeError("imm", f"{row.name} takes no immediate")
        if immediate_at < 2 and i.form & (FORM_SRC0 << immediate_at):
            raise EncodeError("imm", "a source can't be an immediate and a DSR at once")
        bits = 16 * row.source_words(immediate_at)
        if not 0 <= i.imm < 1 << bits:
            raise EncodeError("imm", f"the immediate does not fit into {bits} bits")
    if row.kind == "alu" and i.form in (FORM_SRC0, FORM_SRC1) and len(row.sources) > 1:
        running = 1 if i.form == FORM_SRC0 else 0
        if immediate_at == running or i.sources[running] != i.dest:
            raise EncodeError(
                f"src{running}", "a reduction into a register needs that register as its scalar source, the running value"
            )


def check(i: Instr) -> None:
    """Raises EncodeError when the instruction has no encoding."""
    row = i.row
    _check_registers(i)
    if len(i.args) != len(row.args):
        raise EncodeError("arg0", f"{row.name} takes {len(row.args)} further operands, not {len(i.args)}")
    for k, (value, kind) in enumerate(zip(i.args, row.args, strict=True)):
        arg = ARGS[kind]
        if not max(arg.low, 0) <= value <= arg.high:
            raise EncodeError(f"arg{k}", f"{arg.text} is {max(arg.low, 0)} to {arg.high}, not {value}")
    if i.pred is None:
        if i.negated:
            raise EncodeError("pred", "a negation without a predicate")
    elif not 0 <= i.pred < 8:
        raise EncodeError("pred", f"P{i.pred} does not exist; the predicates are P0 to P7")
    if i.terminate and row.jumps:
        raise EncodeError("terminate", f"{row.name} takes no terminate")
    if i.background is None:
        if row.needs_async:
            raise EncodeError("async", f"{row.name} runs only as a microthread: {row.name}.ut0")
        return
    ut, completion, task = i.background
    if not i.form:
        raise EncodeError("async", "only a vector instruction runs as a microthread")
    if not 0 <= ut < 8:
        raise EncodeError("async", f"microthread {ut} does not exist; they are 0 to 7")
    if not 0 <= completion < 4:
        raise EncodeError("async", f"there is no completion {completion}")
    if completion == 0 and task:
        raise EncodeError("async", "a task without a completion")
    low = 0 if COMPLETIONS[completion] in ("", "unblock") else 8
    if not (completion == 0 or low <= task <= 30):
        raise EncodeError("async", f"{COMPLETIONS[completion]} takes a task {low} to 30, not {task}")


def encode(i: Instr) -> list[int]:
    """The words of an instruction. Raises EncodeError."""
    check(i)
    row = i.row
    first = row.number | i.form << 8 | (i.imm is not None) << 12 | i.terminate << 13
    words = [first | (i.background is not None) << 14 | (i.pred is not None) << 15]
    if has_registers(row):
        words.append(i.dest | i.src0 << 4 | i.src1 << 8 | i.src2 << 12)
    if i.pred is not None:
        words.append(i.pred | i.negated << 3)
    if i.background is not None:
        words.append(i.background.ut | i.background.completion << 3 | i.background.task << 5)
    if i.imm is not None:
        words += [i.imm >> 16 * k & 0xFFFF for k in range(row.source_words(len(row.sources) - 1))]
    words += i.args
    return words


class _Reader:
    def __init__(self, words: Sequence[int], at: int) -> None:
        self.words, self.at = words, at

    def next(self, what: str) -> int:
        if not 0 <= self.at < len(self.words):
            raise DecodeError(f"the instruction is cut off before its {what}")
        word = int(self.words[self.at])
        self.at += 1
        return word


def decode(words: Sequence[int], at: int = 0) -> Instr:
    """The instruction that starts at `words[at]`. Raises DecodeError for anything that `encode` does not make."""
    r = _Reader(words, at)
    first = r.next("first word")
    row = BY_NUMBER.get(first & 0xFF)
    if row is None:
        raise DecodeError(f"no instruction has the number 0x{first & 0xFF:02x} (word 0x{first:04x})")
    if first & 0x800:
        raise DecodeError(f"bit 11 of the first word is set (word 0x{first:04x}, {row.name})")
    fields = r.next("register word") if has_registers(row) else 0
    pred, negated = None, False
    if first & 0x8000:
        word = r.next("predicate word")
        if word > 15:
            raise DecodeError(f"{row.name}: unused bits of the predicate word are set (0x{word:04x})")
        pred, negated = word & 7, word > 7
    background = None
    if first & 0x4000:
        word = r.next("microthread word")
        if word >> 11:
            raise DecodeError(f"{row.name}: unused bits of the microthread word are set (0x{word:04x})")
        background = Async(word & 7, word >> 3 & 3, word >> 5)
    imm = None
    if first & 0x1000:
        if not row.immediate:
            raise DecodeError(f"{row.name} takes no immediate (word 0x{first:04x})")
        imm = 0
        for k in range(row.source_words(len(row.sources) - 1)):
            imm |= r.next("immediate") << 16 * k
    args = tuple([r.next(ARGS[kind].text) for kind in row.args])
    instr = Instr(
        row,
        fields & 15,
        fields >> 4 & 15,
        fields >> 8 & 15,
        fields >> 12,
        first >> 8 & 7,
        imm,
        args,
        pred,
        negated,
        bool(first & 0x2000),
        background,
    )
    try:
        check(instr)
    except EncodeError as e:
        raise DecodeError(f"{row.name}: {e.reason}") from None
    return instr
