"""Instructions from words to entries, as `fabric.encode.decode` and `fabric.reference.prepared` have it.

An entry (`fabric.engine.layout`, E_…) says all that a step needs: operands, scoreboard slots, cost. `table` makes the
instruction table that `decode` works from out of `fabric.isa` and the timing table.
"""

from __future__ import annotations

from fabric.arch import MAIN_WORDS
from fabric.encode import SLOT_CARRY, SLOT_DD, SLOT_P, SLOT_SA, SLOT_SB, has_registers
from fabric.engine.access import const, ld8, ld16, ld32, ld64, shl, st8, st16, st32, st64
from fabric.engine.jit import inline, jit
from fabric.engine.layout import (
    C_ROWS,
    C_WINDOW,
    E_ARG0,
    E_BITS,
    E_BUSY,
    E_COMPLETION,
    E_COUNT,
    E_DEST,
    E_DEST_MODE,
    E_DEST_WORDS,
    E_FORM,
    E_GROUP,
    E_IMM,
    E_KIND,
    E_LATENCY,
    E_LENGTH,
    E_LENGTH_FROM,
    E_MODES,
    E_NEEDS,
    E_NEEDS_COUNT,
    E_NEGATED,
    E_NUMBER,
    E_PRED,
    E_RUNNING,
    E_SETS,
    E_SETS_COUNT,
    E_SOURCE_WORDS,
    E_SOURCES,
    E_TASK,
    E_TERMINATE,
    E_UT,
    E_VECTOR,
    E_WORDS,
    EB_CARRY,
    EB_KEEP,
    ENTRY,
    K_ALU,
    K_DOT,
    M_DSR,
    M_IMM,
    M_NONE,
    ROW,
    T_ARGS,
    T_BITS,
    T_BUSY,
    T_COUNT,
    T_DEST,
    T_FORMS,
    T_HIGH,
    T_IMMEDIATE,
    T_KIND,
    T_LATENCY,
    T_LOW,
    T_REGISTERS,
    T_SOURCES,
    T_VALID,
    T_WIDTH,
    T_WIDTH_SCALAR,
    TB_ASYNC,
    TB_CARRY,
    TB_JUMPS,
    TB_KEEP,
    TB_LINK,
    TB_READS_DEST,
    TB_SETS_CARRY,
)
from fabric.engine.memory import load
from fabric.isa import ARGS, ROWS, TYPES, Row
from fabric.timing import Timing

FILE_CODES = {"R": 1, "D": 2, "Q": 3, "P": 4, "DD": 5, "SA": 6, "SB": 7}
KINDS = ("alu", "rmw", "dot", "load", "store", "control", "task", "dsr", "filter")
UNBLOCK = 2  # fabric.encode.COMPLETIONS
MAX_LENGTH = 8
LINK_SLOT = 15
RESULT_VECTOR_AT = 256 * ROW  # behind the rows: the latency of a vector instruction


def _latency(row: Row, timing: Timing) -> int:
    if row.kind in ("control", "task"):
        return timing.result_integer
    return int(getattr(timing, row.latency))


def _busy(row: Row, timing: Timing) -> int:
    if row.latency == "fp_divide":
        return timing.fp_divide
    return timing.branch_untaken if row.name == "djnz" else timing.issue


def _bits(row: Row) -> int:
    flags = {
        TB_CARRY: row.carry,
        TB_KEEP: row.kind == "dot" and "k" in row.name,
        TB_ASYNC: row.needs_async,
        TB_JUMPS: row.jumps,
        TB_READS_DEST: row.reads_dest or row.name == "djnz" or (row.kind == "dsr" and row.name.startswith("set")),
        TB_SETS_CARRY: row.name == "setc",
        TB_LINK: row.name == "call",
    }
    return sum(bit for bit, on in flags.items() if on)


def table(timing: Timing) -> bytearray:
    """The instruction table as bytes: 256 rows, then the latency of vector instructions."""
    out = bytearray(257 * ROW)

    def put(at: int, value: int, size: int = 1) -> None:
        out[at : at + size] = value.to_bytes(size, "little")

    put(RESULT_VECTOR_AT, timing.result_vector, 4)
    for row in ROWS:
        at = row.number * ROW
        put(at + T_VALID, 1)
        put(at + T_KIND, KINDS.index(row.kind))
        put(at + T_REGISTERS, has_registers(row))
        put(at + T_COUNT, len(row.sources))
        put(at + T_IMMEDIATE, row.immediate)
        put(at + T_FORMS, sum(1 << form for form in row.forms))
        put(at + T_ARGS, len(row.args))
        put(at + T_DEST, FILE_CODES[TYPES[row.dest].file] if row.dest else 0)
        for k, kind in enumerate(row.sources):
            put(at + T_SOURCES + k, FILE_CODES[TYPES[kind].file])
        put(at + T_WIDTH, row.widths[0])
        put(at + T_WIDTH_SCALAR, row.widths[1])
        put(at + T_BITS, _bits(row))
        put(at + T_LATENCY, _latency(row, timing), 4)
        put(at + T_BUSY, _busy(row, timing), 4)
        for k, name in enumerate(row.args):
            put(at + T_LOW + 4 * k, max(ARGS[name].low, 0), 4)
            put(at + T_HIGH + 4 * k, ARGS[name].high, 4)
    return out


@inline
def _words_of(file: int) -> int:
    """Words of a register of a file."""
    return 1 if file == 1 else 2 if file == 2 else 4 if file == 3 else 0


@inline
def _exists(file: int, number: int) -> int:
    """Whether the file has a register with that number."""
    if file == 2:
        return 1 - (number & 1)
    if file == 3:
        return 1 if number & 3 == 0 else 0
    return 1 if file != 4 or number < 8 else 0


@jit
def _add_slots(e: int, count_at: int, list_at: int, file: int, number: int) -> None:
    """Adds the scoreboard slots of a register to a list of the entry."""
    n = ld8(e + count_at)
    words = _words_of(file)
    if words == 0:
        words = 1
        if file == 4:
            number += SLOT_P
        else:
            number += SLOT_DD if file == 5 else SLOT_SA if file == 6 else SLOT_SB
    for k in range(words):
        st8(e + list_at + n + k, number + k)
    st8(e + count_at, n + words)


@inline
def _add_slot(e: int, count_at: int, list_at: int, number: int) -> None:
    n = ld8(e + count_at)
    st8(e + list_at + n, number)
    st8(e + count_at, n + 1)


@jit
def _fields(t: int, e: int, fields: int, form: int, immediate_at: int) -> int:
    """Registers of destination and sources into the entry; 0 when one does not exist."""
    file = ld8(t + T_DEST)
    number = fields & 15
    if file:
        if not form & 1 and not _exists(file, number):
            return 0
        st8(e + E_DEST, number)
        st8(e + E_DEST_WORDS, 4 if file > 4 else _words_of(file))
        st8(e + E_DEST_MODE, M_DSR if form & 1 else file if file < 5 else M_NONE)
    elif number:
        return 0
    count = ld8(t + T_COUNT)
    st8(e + E_COUNT, count)
    for k in range(3):
        number = fields >> (4 + 4 * k) & 15
        if k >= count or k == immediate_at:
            if number:
                return 0
            if k == immediate_at:
                if k < 2 and form & (2 << k):
                    return 0
                st8(e + E_MODES + k, const(M_IMM))
                st8(e + E_SOURCE_WORDS + k, _words_of(ld8(t + T_SOURCES + k)))
            continue
        file = ld8(t + T_SOURCES + k)
        vector = k < 2 and form & (2 << k)
        if not vector and not _exists(file, number):
            return 0
        st8(e + E_SOURCES + k, number)
        st8(e + E_SOURCE_WORDS + k, _words_of(file))
        st8(e + E_MODES + k, M_DSR if vector else file if file < 5 else M_NONE)
    return 1


@jit
def _slots(t: int, e: int, form: int, immediate_at: int) -> None:
    """What the instruction needs and what it sets (`fabric.encode.reads` and `writes`; the accumulator never waits)."""
    bits = ld8(t + T_BITS)
    if ld8(e + E_PRED):
        _add_slot(e, const(E_NEEDS_COUNT), const(E_NEEDS), SLOT_P + ld8(e + E_PRED) - 1)
    for k in range(ld8(t + T_COUNT)):
        if k == immediate_at:
            continue
        file = ld8(t + T_SOURCES + k)
        if k < 2 and form & (2 << k):
            file = 6 + k
        _add_slots(e, const(E_NEEDS_COUNT), const(E_NEEDS), file, ld8(e + E_SOURCES + k))
    dest = ld8(t + T_DEST)
    if form & 1:
        _add_slots(e, const(E_NEEDS_COUNT), const(E_NEEDS), const(5), ld8(e + E_DEST))
    elif dest and bits & TB_READS_DEST:
        _add_slots(e, const(E_NEEDS_COUNT), const(E_NEEDS), dest, ld8(e + E_DEST))
    if bits & TB_CARRY:
        _add_slot(e, const(E_NEEDS_COUNT), const(E_NEEDS), const(SLOT_CARRY))
    if dest and not form & 1:
        _add_slots(e, const(E_SETS_COUNT), const(E_SETS), dest, ld8(e + E_DEST))
    if (bits & TB_CARRY and ld8(e + E_UT) == 0) or bits & TB_SETS_CARRY:
        _add_slot(e, const(E_SETS_COUNT), const(E_SETS), const(SLOT_CARRY))
    if bits & TB_LINK:
        _add_slot(e, const(E_SETS_COUNT), const(E_SETS), const(LINK_SLOT))


@jit
def _background(t: int, e: int, word: int, form: int) -> int:
    """The microthread word; 0 when it is not allowed."""
    ut, completion, task = word & 7, word >> 3 & 3, word >> 5
    if word >> 11 or form == 0:
        return 0
    if completion == 0:
        if task:
            return 0
    else:
        low = 0 if completion == UNBLOCK else 8
        if task < low or task > 30:
            return 0
    st8(e + E_UT, ut + 1)
    st8(e + E_COMPLETION, completion)
    st8(e + E_TASK, task)
    return 1


@jit
def _shape(t: int, e: int, form: int, immediate_at: int) -> int:
    """What follows from the form; 0 for a reduction without its running value."""
    kind, count = ld8(t + T_KIND), ld8(t + T_COUNT)
    st8(e + E_VECTOR, 1 if form else 0)
    st32(e + E_GROUP, ld8(t + T_WIDTH) if form & 1 else ld8(t + T_WIDTH_SCALAR))
    if form & 1 and kind != K_DOT:
        st8(e + E_LENGTH_FROM, const(1))
    else:
        st8(e + E_LENGTH_FROM, 2 if form & 2 else form & 4)
    if kind == K_ALU and form and not form & 1 and count > 1:
        running = 1 if form & 2 else 0
        st8(e + E_RUNNING, running + 1)
        if form == 2 or form == 4:
            if immediate_at == running or ld8(e + E_SOURCES + running) != ld8(e + E_DEST):
                return 0
    return 1


@jit
def decode(s: int, words: int, available: int, e: int) -> int:
    """Decodes the instruction whose 16-bit words stand at `words` into the entry at `e`; its length, 0 for none."""
    for k in range(ENTRY // 8):
        st64(e + 8 * k, const(0))
    if available < 1:
        return 0
    first = ld16(words)
    t = ld64(s + C_ROWS) + (first & 0xFF) * ROW
    if ld8(t + T_VALID) == 0 or first & 0x800:
        return 0
    form = first >> 8 & 7
    if not ld8(t + T_FORMS) >> form & 1:
        return 0
    n = 1
    fields = 0
    if ld8(t + T_REGISTERS):
        if n >= available:
            return 0
        fields = ld16(words + 2 * n)
        n += 1
    st8(e + E_NUMBER, first & 0xFF)
    st8(e + E_KIND, ld8(t + T_KIND))
    st8(e + E_FORM, form)
    if first & 0x8000:
        if n >= available or ld16(words + 2 * n) > 15:
            return 0
        st8(e + E_PRED, (ld16(words + 2 * n) & 7) + 1)
        st8(e + E_NEGATED, ld16(words + 2 * n) >> 3)
        n += 1
    bits = ld8(t + T_BITS)
    if first & 0x4000:
        if n >= available or not _background(t, e, ld16(words + 2 * n), form):
            return 0
        n += 1
    elif bits & TB_ASYNC:
        return 0
    immediate_at = -1
    if first & 0x1000:
        if ld8(t + T_IMMEDIATE) == 0:
            return 0
        immediate_at = ld8(t + T_COUNT) - 1
        value = 0
        for k in range(_words_of(ld8(t + T_SOURCES + immediate_at))):
            if n >= available:
                return 0
            value |= shl(ld16(words + 2 * n), 16 * k)
            n += 1
        st64(e + E_IMM, value)
    for k in range(ld8(t + T_ARGS)):
        if n >= available:
            return 0
        value = ld16(words + 2 * n)
        if value < ld32(t + T_LOW + 4 * k) or value > ld32(t + T_HIGH + 4 * k):
            return 0
        st32(e + E_ARG0 + 4 * k, value)
        n += 1
    if first & 0x2000:
        if bits & TB_JUMPS:
            return 0
        st8(e + E_TERMINATE, const(1))
    if not _fields(t, e, fields, form, immediate_at) or not _shape(t, e, form, immediate_at):
        return 0
    st8(e + E_BITS, (EB_CARRY if bits & TB_CARRY else 0) | (EB_KEEP if bits & TB_KEEP else 0))
    st32(e + E_LATENCY, ld32(ld64(s + C_ROWS) + RESULT_VECTOR_AT) if form else ld32(t + T_LATENCY))
    st32(e + E_BUSY, ld32(t + T_BUSY))
    _slots(t, e, form, immediate_at)
    for k in range(n):
        st16(e + E_WORDS + 2 * k, ld16(words + 2 * k))
    st8(e + E_LENGTH, n)
    return n


@jit
def decode_at(s: int, r: int, pc: int, e: int) -> int:
    """Decodes what stands at an address of a tile's own memory; the length, 0 for none."""
    if not 0 < pc < MAIN_WORDS:
        st8(e + E_LENGTH, const(0))
        return 0
    n = MAIN_WORDS - pc
    n = MAX_LENGTH if n > MAX_LENGTH else n
    for k in range(n):
        st16(s + C_WINDOW + 2 * k, load(s, r, pc + k))
    return decode(s, s + C_WINDOW, n, e)
