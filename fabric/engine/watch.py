"""What watchers are told: records of what happens, for logs, profiles and timelines (`fabric.watch`).

`told` is 0 in the code that nobody watches, where all of this is gone; so the calls stand in the functions of the
machine itself, each behind `if told(s) & W_…`. A record is a row of 64-bit words in the thread's buffer:

    0   kind | words << 8 | phase << 16 | tile << 24
    1   the cycle that runs
    2…  as the function here says

Phases are those of a cycle: 0 links are decided, 1 cores, 2 departures, 3 links, 4 landings, which are in the next
cycle. `fabric.engine.watching` makes the calls of the reference's observers and probes from them.
"""

from __future__ import annotations

from fabric.arch import NO_COLOR
from fabric.descriptor import FIFO
from fabric.engine.access import const, ld8, ld16, ld32, ld32s, ld64, shl, st32, st64, watching
from fabric.engine.jit import inline, jit
from fabric.engine.layout import (
    C_FAULT,
    C_NOW,
    C_P,
    C_RECORD_AT,
    C_SEEN,
    C_TELL,
    C_TOLD,
    C_VALUES,
    C_WATCH,
    E_COUNT,
    E_DEST,
    E_DEST_MODE,
    E_FORM,
    E_IMM,
    E_KIND,
    E_LENGTH,
    E_MODES,
    E_RUNNING,
    E_SOURCES,
    E_WORDS,
    K_ALU,
    K_DOT,
    K_FILTER,
    K_RMW,
    M_D,
    M_IMM,
    M_P,
    M_Q,
    M_R,
    O_DONE,
    O_ENTRY,
    O_OPERANDS,
    O_PC,
    O_START,
    O_TASK,
    O_TOTAL,
    O_WIDTH,
    OP,
    OPERAND,
    P_AT,
    P_FLAGS,
    P_KIND,
    P_QUEUE,
    PF_PUSH,
    Q_COLOR,
    QUEUE,
    R_ACC,
    R_INPUT,
    R_NEXT_ISSUE,
    R_OPS,
    R_OUTPUT,
    R_PREDS,
    R_REGS,
    R_TASK,
    S_BORN,
    S_DATA,
    S_FLAGS,
    S_IDENT,
    S_PC,
    S_SEQ,
    W_MASK,
    W_NUMBER,
    W_NUMBERS,
    W_SAID,
    WATCH,
)

# Kinds of records: the hooks of fabric.watch.HOOKS, in their order. Bit k of a mask asks for kind k.
(K_LANDING, K_WAVELET, K_SWITCH, K_TEARDOWN, K_TO_CORE, K_SENDING, K_BACKPRESSURE, K_TASK, K_SCALAR, K_STARTED, K_GROUP,
 K_WAITING, K_STALL, K_FINISHED) = range(14)  # fmt: skip
W_LANDING, W_WAVELET, W_SWITCH, W_TEARDOWN = 1 << K_LANDING, 1 << K_WAVELET, 1 << K_SWITCH, 1 << K_TEARDOWN
W_TO_CORE, W_SENDING, W_BACKPRESSURE = 1 << K_TO_CORE, 1 << K_SENDING, 1 << K_BACKPRESSURE
W_TASK, W_SCALAR, W_STARTED, W_GROUP = 1 << K_TASK, 1 << K_SCALAR, 1 << K_STARTED, 1 << K_GROUP
W_WAITING, W_STALL, W_FINISHED = 1 << K_WAITING, 1 << K_STALL, 1 << K_FINISHED
ADVANCE, RESET, FLIP = 0, 1, 2  # why a switch moved
TARGET = 3  # the operand that is the destination
MOST_WORDS = 64  # of a record
MOST_RECORDS = 128  # of a tile in a cycle


@inline
def told(s: int) -> int:
    """What of the present tile is wanted; 0 after a fault, and where nobody watches."""
    if watching(s):
        return 0 if ld64(s + C_FAULT) else ld64(s + C_TOLD)
    return 0


@inline
def watched(s: int) -> int:
    """Where the tile's counts for watchers stand."""
    return ld64(s + C_WATCH) + ld64(s + C_P) * WATCH


@inline
def watch_tile(s: int) -> None:
    """The tile that is worked on has changed."""
    if watching(s):
        st64(s + C_TOLD, ld32(watched(s) + W_MASK) & ld64(s + C_TELL))


@jit
def _record(s: int, kind: int, phase: int, words: int) -> int:
    """Begins a record of so many words, of which two are its head; where the others go."""
    a = ld64(s + C_RECORD_AT)
    st64(s + C_RECORD_AT, a + 8 * words)
    st64(a, kind | words << 8 | phase << 16 | ld64(s + C_P) << 24)
    st64(a + 8, ld64(s + C_NOW))
    return a + 16


@inline
def _wavelet(a: int, w: int, data: int, flags: int) -> None:
    """Three words of a wavelet in a slot, with other data and flags."""
    st64(a, data | shl(flags, const(32)))
    st64(a + 8, ld32(w + S_IDENT) | shl(ld32(w + S_SEQ), const(32)))
    st64(a + 16, ld32(w + S_BORN) | shl(ld16(w + S_PC), const(32)))


# --- the fabric -----------------------------------------------------------------------------------------------------


@jit
def tell_backpressure(s: int, queue: int, color: int) -> None:
    """queue, color"""
    a = _record(s, const(K_BACKPRESSURE), const(0), const(4))
    st64(a, queue)
    st64(a + 8, color)


@jit
def tell_landing(s: int, color: int, side: int, w: int) -> None:
    """color, side, wavelet"""
    a = _record(s, const(K_LANDING), const(4), const(7))
    st64(a, color)
    st64(a + 8, side)
    _wavelet(a + 16, w, ld32(w + S_DATA), ld32(w + S_FLAGS))


@jit
def tell_wavelet(s: int, color: int, ports: int, w: int, data: int, flags: int) -> None:
    """color, ports, wavelet as it goes on"""
    a = _record(s, const(K_WAVELET), const(2), const(7))
    st64(a, color)
    st64(a + 8, ports)
    _wavelet(a + 16, w, data, flags)


@jit
def tell_to_core(s: int, color: int, queue: int, w: int, data: int, flags: int) -> None:
    """color, queue + 1 (0: dropped), wavelet"""
    a = _record(s, const(K_TO_CORE), const(2), const(7))
    st64(a, color)
    st64(a + 8, queue)
    _wavelet(a + 16, w, data, flags)


@jit
def tell_sending(s: int, queue: int, w: int) -> None:
    """queue, wavelet"""
    a = _record(s, const(K_SENDING), const(3), const(6))
    st64(a, queue)
    _wavelet(a + 8, w, ld32(w + S_DATA), ld32(w + S_FLAGS))


@jit
def tell_switch(s: int, color: int, output: int, moved: int, codes: int, why: int, w: int) -> None:
    """color, output (else input), old | new << 8, their codes, why, wavelet"""
    a = _record(s, const(K_SWITCH), 2 if output else 4, const(10))
    st64(a, color)
    st64(a + 8, output)
    st64(a + 16, moved)
    st64(a + 24, codes)
    st64(a + 32, why)
    _wavelet(a + 40, w, ld32(w + S_DATA), ld32(w + S_FLAGS))


@jit
def tell_teardown(s: int, color: int, entered: int, phase: int) -> None:
    """color, entered (else left)"""
    a = _record(s, const(K_TEARDOWN), phase, const(4))
    st64(a, color)
    st64(a + 8, entered)


# --- cores ----------------------------------------------------------------------------------------------------------


@inline
def _register(r: int, mode: int, number: int) -> int:
    if mode == M_D:
        return ld32(r + R_REGS + 2 * number)
    if mode == M_R:
        return ld16(r + R_REGS + 2 * number)
    if mode == M_P:
        return ld8(r + R_PREDS) >> number & 1
    return ld64(r + R_REGS + 2 * number) if mode == M_Q else 0


@inline
def _words(a: int, e: int) -> None:
    """Three words: the length of an instruction, and its text."""
    st64(a, ld8(e + E_LENGTH))
    st64(a + 8, ld64(e + E_WORDS))
    st64(a + 16, ld64(e + E_WORDS + 8))


@jit
def tell_task(s: int, r: int) -> None:
    """task, next issue"""
    a = _record(s, const(K_TASK), const(1), const(4))
    st64(a, ld32(r + R_TASK) - 1)
    st64(a + 8, ld32(r + R_NEXT_ISSUE))


@jit
def see_sources(s: int, r: int, e: int) -> None:
    """An instruction is about to issue: keeps its task, and the values of its scalar sources."""
    st64(s + C_SEEN, ld32(r + R_TASK) - 1)
    for k in range(ld8(e + E_COUNT)):
        mode = ld8(e + E_MODES + k)
        value = ld64(e + E_IMM) if mode == M_IMM else _register(r, mode, ld8(e + E_SOURCES + k))
        st64(s + C_SEEN + 8 + 8 * k, value)


@jit
def count_issue(s: int) -> int:
    """The number of the instruction that issues on the tile."""
    a = watched(s) + W_NUMBER
    number = ld32(a)
    st32(a, number + 1)
    return number


@jit
def tell_scalar(s: int, r: int, e: int, pc: int, number: int, skipped: int) -> None:
    """pc, task, number, skipped, next issue, length and text, destination, sources"""
    a = _record(s, const(K_SCALAR), const(1), const(14))
    st64(a, pc)
    st64(a + 8, ld64(s + C_SEEN))
    st64(a + 16, number)
    st64(a + 24, skipped)
    st64(a + 32, ld32(r + R_NEXT_ISSUE))
    _words(a + 40, e)
    st64(a + 64, _register(r, ld8(e + E_DEST_MODE), ld8(e + E_DEST)))
    for k in range(3):
        st64(a + 72 + 8 * k, ld64(s + C_SEEN + 8 + 8 * k))


@jit
def tell_stall(s: int, pc: int, until: int) -> None:
    """pc, until"""
    a = _record(s, const(K_STALL), const(1), const(4))
    st64(a, pc)
    st64(a + 8, until)


@inline
def _operand(o: int, k: int) -> int:
    return o + O_OPERANDS + OPERAND * k


@jit
def tell_started(s: int, r: int, thread: int, slot: int, number: int) -> None:
    """thread, slot, pc, task, number, first, next issue, total, width, length and text, four operands: kind |
    queue << 8 | pushes << 16 | block << 32"""
    o = r + R_OPS + thread * OP
    e = ld64(o + O_ENTRY)
    a = _record(s, const(K_STARTED), const(1), const(18))
    st64(a, thread)
    st64(a + 8, slot)
    st64(a + 16, ld32(o + O_PC))
    st64(a + 24, ld32(o + O_TASK) - 1)
    st64(a + 32, number)
    st64(a + 40, ld32(o + O_START))
    st64(a + 48, ld32(r + R_NEXT_ISSUE))
    st64(a + 56, ld32s(o + O_TOTAL))
    st64(a + 64, ld32(o + O_WIDTH))
    _words(a + 72, e)
    for k in range(4):
        p = _operand(o, k)
        used = k < ld8(e + E_COUNT) or (k == TARGET and ld8(e + E_FORM) & 1)
        word = 0
        if used:
            kind = ld8(p + P_KIND)
            word = kind | ld8(p + P_QUEUE) << 8 | (1 << 16 if ld8(p + P_FLAGS) & PF_PUSH else 0)
            if kind == FIFO:
                word |= shl(ld32(p + P_AT), const(32))
        st64(a + 96 + 8 * k, word)


@jit
def note_started(s: int, thread: int) -> int:
    """A vector instruction begins on a thread: its number."""
    number = count_issue(s)
    a = watched(s)
    st32(a + W_NUMBERS + 4 * thread, number)
    st32(a + W_SAID + 4 * thread, 0)
    return number


@jit
def tell_group(s: int, r: int, thread: int, n: int, conflict: int) -> None:
    """thread, n, conflict, done, color of its output queue, how many values of results and of each source, values"""
    o = r + R_OPS + thread * OP
    e = ld64(o + O_ENTRY)
    kind = ld8(e + E_KIND)
    count = ld8(e + E_COUNT)
    into = ld8(e + E_FORM) & 1
    made = 0 if kind == K_FILTER else n
    running = ld8(e + E_RUNNING) - 1
    a = _record(s, const(K_GROUP), const(1), 9 + made + count * n)
    st64(a, thread)
    st64(a + 8, n)
    st64(a + 16, conflict)
    st64(a + 24, ld32s(o + O_DONE))
    color = ld8(r + R_OUTPUT + ld8(_operand(o, TARGET) + P_QUEUE) * QUEUE + Q_COLOR) ^ NO_COLOR if into else 0
    st64(a + 32, color)
    st64(a + 40, made)
    st64(a + 48, count)
    a += 56
    for i in range(made):
        if kind == K_DOT:
            value = ld32(r + R_ACC)
        elif (kind == K_ALU and running < 0) or (kind == K_RMW and into):
            value = ld64(s + C_VALUES + 64 * TARGET + 8 * i)
        else:
            value = _register(r, ld8(e + E_DEST_MODE), ld8(e + E_DEST))
        st64(a, value)
        a += 8
    for k in range(count):
        for i in range(n):
            # A running value has been overwritten: what was captured at the start stands in its operand.
            st64(a, ld32(_operand(o, k) + P_AT) if k == running else ld64(s + C_VALUES + 64 * k + 8 * i))
            a += 8


@jit
def note_waiting(s: int, r: int, thread: int) -> int:
    """A thread can't go on: 1 when that has been noted since its last group."""
    done = ld32s(r + R_OPS + thread * OP + O_DONE)
    a = watched(s) + W_SAID + 4 * thread
    said = 1 if ld32s(a) == done + 1 else 0
    st32(a, done + 1)
    return said


@jit
def tell_waiting(s: int, r: int, thread: int, blocker: int, said: int) -> None:
    """thread, done, the operand that has nothing ready (-1: none), said, color of its input queue"""
    o = r + R_OPS + thread * OP
    a = _record(s, const(K_WAITING), const(1), const(7))
    st64(a, thread)
    st64(a + 8, ld32s(o + O_DONE))
    st64(a + 16, blocker)
    st64(a + 24, said)
    color = ld8(r + R_INPUT + ld8(_operand(o, blocker) + P_QUEUE) * QUEUE + Q_COLOR) if blocker >= 0 else 0
    st64(a + 32, color ^ NO_COLOR)


@jit
def tell_finished(s: int, r: int, thread: int) -> None:
    """thread, done"""
    a = _record(s, const(K_FINISHED), const(1), const(4))
    st64(a, thread)
    st64(a + 8, ld32s(r + R_OPS + thread * OP + O_DONE))
