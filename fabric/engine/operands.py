"""Vector operands: what a descriptor means, element by element (`fabric.reference.operands`)."""

from __future__ import annotations

from fabric.descriptor import (
    ADVANCE_SWITCH,
    CONTROL,
    ENDLESS,
    FABIN,
    FABOUT,
    FIFO,
    FIFO_BUFFER,
    FIFO_CAPACITY,
    FIFO_COUNT,
    FIFO_HEAD,
    IBLOCK_ENDLESS,
    IBLOCK_POSITION,
    ITERATOR,
    KINDS,
    MAX_DIMENSIONS,
    MEM1D,
    MEM4D,
)
from fabric.engine.access import const, ld8, ld16, ld32, ld32s, ld64, st8, st16, st32, st64
from fabric.engine.jit import inline, jit
from fabric.engine.layout import (
    C_EXT,
    C_NOW,
    C_TIMING,
    F_CTRL,
    F_HALF,
    F_LF,
    G_BASE,
    G_BLOCK,
    G_EXTENT,
    G_INDEX,
    G_STEP,
    GRID,
    KIND_CONSTANT,
    O_OPERANDS,
    OPERAND,
    P_AT,
    P_DIMS,
    P_EXTENT,
    P_FLAGS,
    P_KIND,
    P_QUEUE,
    P_STEP,
    P_WORDS,
    PF_BANK,
    PF_CONTROL,
    PF_ENDLESS,
    PF_FLIP,
    PF_PUSH,
    Q_FLAG,
    R_DSRS,
    S_FLAGS,
    TIMINGS,
    X_GRIDS,
)
from fabric.engine.memory import load, load32, store, store32
from fabric.engine.queues import input_queue, peek, push, room, take16, take32, words_ready
from fabric.engine.slots import fail

MANY = 1 << 30  # more than any group
assert (MEM1D, MEM4D, FABIN, FABOUT, FIFO, ITERATOR) == (1, 2, 3, 4, 5, 6) and len(KINDS) == 7
EXECUTE = C_TIMING + 8 * TIMINGS.index("decode_to_execute")
INTO_QUEUE = C_TIMING + 8 * TIMINGS.index("execute_to_output_queue")
TO_ROUTER = C_TIMING + 8 * TIMINGS.index("output_queue_to_router")


@inline
def signed(word: int) -> int:
    return (word ^ 0x8000) - 0x8000


@inline
def grid_of(s: int, thread: int, k: int) -> int:
    """Where the dimensions of operand k of a thread's operation lie."""
    return ld64(s + C_EXT) + X_GRIDS + (4 * thread + k) * GRID


@inline
def stride_limit(stride: int) -> int:
    """Elements a cycle that a stride allows."""
    if stride == 0 or stride == 1:
        return MANY
    rest = stride & 7
    if rest == 0:
        return 1
    return 2 if rest == 1 or rest == 4 or rest == 7 else MANY


# --- setting up -----------------------------------------------------------------------------------------------------


@jit
def _place(a: int, g: int) -> None:
    """The address of the present element."""
    at = ld32(g + G_BASE)
    for k in range(ld16(a + P_DIMS)):
        at += ld32s(g + G_INDEX + 4 * k) * ld32s(g + G_STEP + 4 * k)
    st32(a + P_AT, at & 0xFFFF)
    st32(a + P_STEP, ld32s(g + G_STEP))


@jit
def _start_grid(s: int, r: int, a: int, g: int, dsr: int, kind: int) -> int:
    """mem4d or iterator; the elements a cycle that it allows."""
    block = ld16(dsr + 6)
    dims = load(s, r, block)
    if dims < 1 or dims > MAX_DIMENSIONS:
        fail(s, r, const(513), block, dims, kind)
        return 1
    words = ld8(a + P_WORDS)
    moving = 0
    st16(a + P_DIMS, dims)
    st32(g + G_BASE, ld16(dsr + 2))
    st32(g + G_BLOCK, block)
    for k in range(dims):
        extent = load(s, r, block + 1 + 2 * k)
        stride = signed(load(s, r, block + 2 + 2 * k))
        st32(g + G_EXTENT + 4 * k, extent if extent > 1 else 1)
        st32(g + G_STEP + 4 * k, stride * words)
        st32(g + G_INDEX + 4 * k, const(0))
        moving |= stride
    if moving:
        st8(a + P_FLAGS, ld8(a + P_FLAGS) | PF_BANK)
    if kind == ITERATOR:
        if load(s, r, block + IBLOCK_ENDLESS) == 0:
            st32(g + G_EXTENT + 4 * (dims - 1), const(MANY))
        for k in range(dims):
            st32(g + G_INDEX + 4 * k, load(s, r, block + IBLOCK_POSITION + k))
    _place(a, g)
    return stride_limit(signed(load(s, r, block + 2)))


@jit
def start_operand(s: int, r: int, a: int, g: int, dsr: int, words: int, target: int, name: int) -> int:
    """Captures a descriptor (4 words at `dsr`) into an operand; the elements a cycle that it allows. `name` is the
    file (0 DD, 1 SA, 2 SB) << 4 | number, for messages."""
    word = ld16(dsr)
    kind = word & 15
    flags = PF_ENDLESS if word & ENDLESS else 0
    st64(a, const(0))
    st64(a + 8, const(0))
    st8(a + P_KIND, kind)
    st8(a + P_WORDS, words)
    st16(a + P_EXTENT, ld16(dsr + 4))
    if kind == MEM1D:
        stride = signed(ld16(dsr + 6))
        st32(a + P_AT, ld16(dsr + 2))
        st32(a + P_STEP, stride * words)
        st8(a + P_FLAGS, flags | (PF_BANK if stride else 0))
        return stride_limit(stride)
    if (kind == FABIN and not target) or (kind == FABOUT and target):
        number = ld16(dsr + 2)
        if number > 7:
            fail(s, r, const(515), number, kind, const(0))
            number = 0
        st8(a + P_QUEUE, number)
        if kind == FABOUT:
            flags |= (PF_CONTROL if word & CONTROL else 0) | (PF_FLIP if word & ADVANCE_SWITCH else 0)
            st32(a + P_AT, -1 if word & ENDLESS else ld16(dsr + 4))
        st8(a + P_FLAGS, flags)
        return MANY
    if kind == MEM4D or kind == ITERATOR:
        st8(a + P_FLAGS, flags)
        return _start_grid(s, r, a, g, dsr, kind)
    if kind == FIFO:
        block = ld16(dsr + 2)
        buffer = load(s, r, block + FIFO_BUFFER)
        capacity = load(s, r, block + FIFO_CAPACITY)
        if capacity == 0:
            fail(s, r, const(514), block, const(0), const(0))
            capacity = 1
        st32(a + P_AT, block)
        st32(a + P_STEP, buffer | capacity << 16)
        st8(a + P_FLAGS, flags | (PF_PUSH if target else PF_BANK))
        return MANY
    fail(s, r, const(512), name, kind, target)
    st8(a + P_KIND, const(KIND_CONSTANT))
    return MANY


# --- how much can go ------------------------------------------------------------------------------------------------


@jit
def ready(s: int, r: int, a: int, g: int) -> int:
    """Elements that can go now; 0: the thread waits."""
    kind = ld8(a + P_KIND)
    if kind == FABIN:
        q = input_queue(r, ld8(a + P_QUEUE))
        head = peek(s, r, q)
        if head == 0 or ld32(head + S_FLAGS) & F_CTRL:
            return 0
        if ld8(a + P_WORDS) == 2:
            return words_ready(s, r, q)
        return 1 if ld32(head + S_FLAGS) & F_HALF or ld8(q + Q_FLAG) else 2
    if kind == FABOUT:
        if ld8(a + P_WORDS) == 2 or ld8(a + P_FLAGS) & PF_CONTROL:
            return 1 if room(s, r, ld8(a + P_QUEUE), const(32)) >= 1 else 0
        n = room(s, r, ld8(a + P_QUEUE), const(16))
        return n if n < 2 else 2
    if kind == MEM4D or kind == ITERATOR:
        return ld32s(g + G_EXTENT) - ld32s(g + G_INDEX)
    if kind == FIFO:
        n = load(s, r, ld32(a + P_AT) + FIFO_COUNT)
        if ld8(a + P_FLAGS) & PF_PUSH:
            capacity = ld32(a + P_STEP) >> 16
            return capacity - n if capacity > n else 0
        return n
    return MANY


@jit
def address(s: int, r: int, a: int) -> int:
    """Where the next group of a memory source starts."""
    if ld8(a + P_KIND) == FIFO:
        head = load(s, r, ld32(a + P_AT) + FIFO_HEAD)
        return ((ld32(a + P_STEP) & 0xFFFF) + head * ld8(a + P_WORDS)) & 0xFFFF
    return ld32(a + P_AT)


# --- elements -------------------------------------------------------------------------------------------------------


@inline
def _element(s: int, r: int, at: int, words: int) -> int:
    return load(s, r, at) if words == 1 else load32(s, r, at)


@jit
def _advance(s: int, r: int, a: int, g: int, n: int) -> None:
    kind = ld8(a + P_KIND)
    if kind == MEM1D:
        st32(a + P_AT, (ld32(a + P_AT) + n * ld32s(a + P_STEP)) & 0xFFFF)
        return
    dims = ld16(a + P_DIMS)
    st32(g + G_INDEX, ld32s(g + G_INDEX) + n)
    for k in range(dims):
        if ld32s(g + G_INDEX + 4 * k) < ld32s(g + G_EXTENT + 4 * k):
            break
        st32(g + G_INDEX + 4 * k, const(0))
        if k + 1 < dims:
            st32(g + G_INDEX + 4 * k + 4, ld32s(g + G_INDEX + 4 * k + 4) + 1)
    _place(a, g)
    if kind == ITERATOR:
        block = ld32(g + G_BLOCK)
        for k in range(dims):
            store(s, r, block + IBLOCK_POSITION + k, ld32(g + G_INDEX + 4 * k) & 0xFFFF)


@jit
def peek_elements(s: int, r: int, a: int, n: int, out: int) -> None:
    """The next n elements of a memory operand, without stepping."""
    at, step, words = ld32(a + P_AT), ld32s(a + P_STEP), ld8(a + P_WORDS)
    for k in range(n):
        st64(out + 8 * k, _element(s, r, (at + k * step) & 0xFFFF, words))


@jit
def _pop_fifo(s: int, r: int, a: int, n: int, out: int) -> None:
    block, words = ld32(a + P_AT), ld8(a + P_WORDS)
    buffer, capacity = ld32(a + P_STEP) & 0xFFFF, ld32(a + P_STEP) >> 16
    head = load(s, r, block + FIFO_HEAD)
    for k in range(n):
        at = (buffer + (head + k) % capacity * words) & 0xFFFF
        st64(out + 8 * k, _element(s, r, at, words))
    store(s, r, block + FIFO_HEAD, (head + n) % capacity)
    store(s, r, block + FIFO_COUNT, (load(s, r, block + FIFO_COUNT) - n) & 0xFFFF)


@jit
def read_elements(s: int, r: int, a: int, g: int, n: int, out: int) -> None:
    """The next n elements as int64 at `out`, and steps past them."""
    kind = ld8(a + P_KIND)
    if kind == KIND_CONSTANT:
        value = ld32(a + P_AT)
        for k in range(n):
            st64(out + 8 * k, value)
    elif kind == FABIN:
        number = ld8(a + P_QUEUE)
        if ld8(a + P_WORDS) == 2:
            for k in range(n):
                st64(out + 8 * k, take32(s, r, number))
        else:
            for k in range(n):
                st64(out + 8 * k, take16(s, r, number))
    elif kind == FIFO:
        _pop_fifo(s, r, a, n, out)
    else:
        peek_elements(s, r, a, n, out)
        _advance(s, r, a, g, n)


@jit
def _push_fifo(s: int, r: int, a: int, n: int, values: int) -> None:
    block, words = ld32(a + P_AT), ld8(a + P_WORDS)
    buffer, capacity = ld32(a + P_STEP) & 0xFFFF, ld32(a + P_STEP) >> 16
    head, count = load(s, r, block + FIFO_HEAD), load(s, r, block + FIFO_COUNT)
    for k in range(n):
        at = (buffer + (head + count + k) % capacity * words) & 0xFFFF
        if words == 1:
            store(s, r, at, ld64(values + 8 * k))
        else:
            store32(s, r, at, ld64(values + 8 * k))
    store(s, r, block + FIFO_COUNT, count + n)


@jit
def write_elements(s: int, r: int, a: int, g: int, n: int, values: int, pc: int) -> None:
    """Writes the next n elements and steps past them."""
    kind, words = ld8(a + P_KIND), ld8(a + P_WORDS)
    if kind == FABOUT:
        at = ld64(s + C_NOW) + ld64(s + EXECUTE) + ld64(s + INTO_QUEUE) + ld64(s + TO_ROUTER) - 1
        own = ld8(a + P_FLAGS)
        for k in range(n):
            left = ld32s(a + P_AT) - 1
            st32(a + P_AT, left)
            flags = (F_HALF if words == 1 else 0) | (F_CTRL if own & PF_CONTROL else 0)
            if own & PF_FLIP and left == 0:
                flags |= F_LF
            push(s, r, ld8(a + P_QUEUE), ld64(values + 8 * k), flags, at, pc)
    elif kind == FIFO:
        _push_fifo(s, r, a, n, values)
    else:
        at, step = ld32(a + P_AT), ld32s(a + P_STEP)
        for k in range(n):
            to = (at + k * step) & 0xFFFF
            if words == 1:
                store(s, r, to, ld64(values + 8 * k))
            else:
                store32(s, r, to, ld64(values + 8 * k))
        _advance(s, r, a, g, n)


@inline
def operand(o: int, k: int) -> int:
    """The address of operand k of an operation: 0 to 2 sources, 3 the target."""
    return o + O_OPERANDS + OPERAND * k


@inline
def dsr_words(r: int, file: int, number: int) -> int:
    """The address of a DSR: file 0 DD, 1 SA, 2 SB."""
    return r + R_DSRS + 8 * (16 * file + number)
