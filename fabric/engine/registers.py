"""Words of a tile by address: main memory, cache, configuration registers (`fabric.reference.registers`)."""

from __future__ import annotations

from fabric.arch import (
    ADDER_COLOR,
    COLORS,
    COLUMN_ID,
    CONFIG_START,
    CONTROL_TABLE,
    CYCLE_COUNTER,
    FILTER_COLOR,
    FILTER_COUNT,
    FILTER_ENABLE,
    FILTER_WORDS,
    FILTERS,
    INPUT_CONTROL,
    INPUT_QUEUE,
    LOCAL_TASKS,
    NO_COLOR,
    OURS_FP16_SHIFT,
    OUTPUT_QUEUE,
    QUEUES,
    ROUTE,
    ROUTE_TEARDOWN,
    ROW_ID,
    SWITCH,
    SWITCH_OURS,
    SWITCH_WORDS,
    TASK_ACTIVE,
    TASK_BLOCKED,
    TASK_HIGH,
    TASK_TABLE,
    TASK_TEARDOWN,
    TASKS,
    TEARDOWN_CLEAR,
    TEARDOWN_PENDING,
    TIMER_CONTROL,
    TIMER_COUNT,
)
from fabric.engine.access import const, ld8, ld16, ld32, ld64, shl, st8, st16, st32, st64, udiv
from fabric.engine.channels import (
    apply_positions,
    channel,
    has_positions,
    read_switch,
    route_of,
    switches,
    write_route,
    write_switch,
)
from fabric.engine.events import later
from fabric.engine.jit import inline, jit
from fabric.engine.layout import (
    BLOCK_SHIFT,
    C_BLOCK_WAKE,
    C_BLOCKS,
    C_EXT,
    C_LOADING,
    C_NOW,
    C_P,
    C_ROW_WAKE,
    C_STRIDE,
    C_WAKE,
    C_X,
    C_Y,
    CH_ADDER,
    CH_DOWN,
    H_FLAGS,
    H_ROUTE,
    Q_COLOR,
    Q_MODE,
    Q_WORD,
    R_ACTIVE,
    R_BLOCKED,
    R_CODED,
    R_COLUMN,
    R_COUNT,
    R_COUNT_FROM,
    R_FILTERED,
    R_FLAGS,
    R_HIGH,
    R_PENDING,
    R_QUEUE_OF,
    R_ROW,
    R_TABLES,
    R_TIMER,
    RF_CORE,
    RF_MORE,
    X_FILTER_OF,
    X_FILTERS,
    X_PLAIN,
    X_TABLES,
)
from fabric.engine.queues import input_queue, output_queue
from fabric.engine.slots import fail, wake_core, wake_router
from fabric.engine.watch import W_TEARDOWN, tell_teardown, told

COUNTER_MASK = (1 << 48) - 1
LOCAL_MASK = sum(1 << t for t in LOCAL_TASKS)
TABLE_WORDS = 2 * TASKS + QUEUES
ACTIVATE = 1  # fabric.encode.COMPLETIONS

# --- waking ---------------------------------------------------------------------------------------------------------


@inline
def wake_tile(s: int, p: int, cycle: int) -> None:
    """A neighbour's router must look in the next cycle, `cycle`."""
    row = udiv(p, ld64(s + C_STRIDE))
    block = row * ld64(s + C_BLOCKS) + ((p - row * ld64(s + C_STRIDE)) >> BLOCK_SHIFT)
    at = 8 * (cycle & 1)
    st8(ld64(s + C_WAKE + at) + p, const(1))
    st8(ld64(s + C_BLOCK_WAKE + at) + block, const(1))
    st8(ld64(s + C_ROW_WAKE + at) + row, const(1))


@jit
def wake_around(s: int, cycle: int) -> None:
    """What this router takes in changed: this tile and its neighbours must look again in the next cycle."""
    p, stride = ld64(s + C_P), ld64(s + C_STRIDE)
    wake_router(s, cycle)
    wake_tile(s, p - 1, cycle)
    wake_tile(s, p + 1, cycle)
    wake_tile(s, p - stride, cycle)
    wake_tile(s, p + stride, cycle)


@jit
def went_down(s: int, r: int, color: int) -> None:
    """A color entered teardown: task 29 becomes ready in the next cycle."""
    cycle = ld64(s + C_NOW) + 1
    st32(r + R_PENDING, ld32(r + R_PENDING) | 1 << color)
    if ld8(r + R_FLAGS) & RF_CORE:
        later(s, r, cycle, const(ACTIVATE), const(TASK_TEARDOWN))
        wake_core(s, cycle)


@jit
def enter_teardown(s: int, r: int, color: int) -> None:
    """A TEARDOWN command has been forwarded."""
    h = channel(r, color)
    if ld8(h + H_FLAGS) & CH_DOWN:
        return
    st16(h + H_ROUTE, ld16(h + H_ROUTE) | ROUTE_TEARDOWN)
    apply_positions(r, color)
    if told(s) & W_TEARDOWN:
        tell_teardown(s, color, const(1), const(2))
    went_down(s, r, color)


# --- reading --------------------------------------------------------------------------------------------------------


@jit
def cycle_count(s: int, r: int) -> int:
    """The 48-bit cycle counter."""
    if not ld16(r + R_TIMER) & TIMER_COUNT:
        return ld64(r + R_COUNT)
    return (ld64(r + R_COUNT) + ld64(s + C_NOW) - ld32(r + R_COUNT_FROM)) & COUNTER_MASK


@jit
def _own_mask(address: int) -> int:
    """Which of the task masks a word belongs to: 1 blocked, 2 active, 3 high, 0 none."""
    if TASK_BLOCKED <= address < TASK_BLOCKED + 4:
        return 1
    if TASK_ACTIVE <= address < TASK_ACTIVE + 4:
        return 2
    if TASK_HIGH <= address < TASK_HIGH + 4:
        return 3
    return 0


@inline
def _mask_at(r: int, which: int) -> int:
    return r + (R_BLOCKED if which == 1 else R_ACTIVE if which == 2 else R_HIGH)


@inline
def _table_place(address: int) -> int:
    """The place of a word in the task tables, -1 when it is none of theirs."""
    if TASK_TABLE <= address < CONTROL_TABLE + TASKS:
        return address - TASK_TABLE
    if INPUT_CONTROL <= address < INPUT_CONTROL + QUEUES:
        return address - INPUT_CONTROL + 2 * TASKS
    return -1


@jit
def read_register(s: int, r: int, address: int) -> int:
    """A word of the configuration range."""
    if ROUTE <= address < ROUTE + COLORS:
        return route_of(channel(r, address - ROUTE))
    if SWITCH <= address < SWITCH + SWITCH_WORDS * COLORS:
        k = address - SWITCH
        return read_switch(channel(r, k // SWITCH_WORDS), k % SWITCH_WORDS)
    if INPUT_QUEUE <= address < INPUT_QUEUE + 2 * QUEUES:
        q = input_queue(r, (address - INPUT_QUEUE) >> 1)
        return ld16(q + Q_MODE) if (address - INPUT_QUEUE) & 1 else ld16(q + Q_WORD) ^ NO_COLOR
    if OUTPUT_QUEUE <= address < OUTPUT_QUEUE + QUEUES:
        return ld16(output_queue(r, address - OUTPUT_QUEUE) + Q_WORD) ^ (NO_COLOR << 4)
    if address == COLUMN_ID:
        return ld16(r + R_COLUMN) ^ (ld64(s + C_X) & 0xFFFF)
    if address == ROW_ID:
        return ld16(r + R_ROW) ^ (ld64(s + C_Y) & 0xFFFF)
    if CYCLE_COUNTER <= address < CYCLE_COUNTER + 3:
        return cycle_count(s, r) >> 16 * (address - CYCLE_COUNTER) & 0xFFFF
    if address == TIMER_CONTROL:
        return ld16(r + R_TIMER)
    if TEARDOWN_PENDING <= address < TEARDOWN_PENDING + 2:
        return ld32(r + R_PENDING) >> 16 * (address - TEARDOWN_PENDING) & 0xFFFF
    if TEARDOWN_CLEAR <= address < TEARDOWN_CLEAR + 2:
        return 0
    if FILTERS <= address < FILTERS + FILTER_COUNT * FILTER_WORDS:
        return ld16(ld64(s + C_EXT) + X_FILTERS + 2 * (address - FILTERS))
    if ld8(r + R_FLAGS) & RF_CORE:
        place = _table_place(address)
        if place >= 0:
            return ld16(ld64(r + R_TABLES) + 2 * place)
        which = _own_mask(address)
        if which:
            return ld64(_mask_at(r, which)) >> 16 * (address & 3) & 0xFFFF
    return ld16(ld64(s + C_EXT) + X_PLAIN + 2 * (address - CONFIG_START))


# --- writing --------------------------------------------------------------------------------------------------------


@inline
def note_more(r: int) -> None:
    """The tile's extension has words that a core file wants."""
    st8(r + R_FLAGS, ld8(r + R_FLAGS) | RF_MORE)


@jit
def write_table(s: int, r: int, place: int, value: int) -> None:
    """Writes a word of the task tables; the tile gets tables of its own."""
    own = ld64(s + C_EXT) + X_TABLES
    if ld64(r + R_TABLES) != own:
        shared = ld64(r + R_TABLES)
        for k in range(TABLE_WORDS):
            st16(own + 2 * k, ld16(shared + 2 * k))
        st64(r + R_TABLES, own)
        note_more(r)
    st16(own + 2 * place, value)
    if place < TASKS and LOCAL_MASK >> place & 1:
        coded = ld32(r + R_CODED) & ~(1 << place)
        st32(r + R_CODED, coded | (1 << place if value else 0))


@inline
def _set_count(s: int, r: int, value: int) -> None:
    st64(r + R_COUNT, value & COUNTER_MASK)
    st32(r + R_COUNT_FROM, ld64(s + C_NOW))


@jit
def _write_route(s: int, r: int, color: int, value: int) -> None:
    h = channel(r, color)
    was_down = ld8(h + H_FLAGS) & CH_DOWN
    write_route(s, r, color, value)
    if ld64(s + C_LOADING):
        return
    wake_around(s, ld64(s + C_NOW) + 1)
    down = ld8(h + H_FLAGS) & CH_DOWN
    if down != was_down and told(s) & W_TEARDOWN:
        tell_teardown(s, color, 1 if down else 0, const(1))
    if down and not was_down:
        went_down(s, r, color)


@jit
def _write_switch(s: int, r: int, color: int, word: int, value: int) -> None:
    h = channel(r, color)
    write_switch(s, r, color, word, value)
    if word < 2 and has_positions(h) and not switches(color):
        fail(s, r, const(404), color, const(0), const(0))
    if word == SWITCH_OURS - SWITCH and ld8(h + H_FLAGS) & CH_ADDER:
        if color != ADDER_COLOR:
            fail(s, r, const(406), color, const(0), const(0))
        elif value >> OURS_FP16_SHIFT & 3 == 0:
            fail(s, r, const(405), color, const(0), const(0))
    if not ld64(s + C_LOADING):
        wake_around(s, ld64(s + C_NOW) + 1)


@jit
def _bad_color(s: int, r: int, color: int, output: int, number: int) -> int:
    if color >= COLORS and color != NO_COLOR:
        fail(s, r, const(407), color, output, number)
        return 1
    return 0


@jit
def _write_input(s: int, r: int, number: int, odd: int, value: int) -> None:
    q = input_queue(r, number)
    if odd:
        st16(q + Q_MODE, value)
        return
    st16(q + Q_WORD, value ^ NO_COLOR)
    if _bad_color(s, r, value & 31, const(0), number):
        return
    st8(q + Q_COLOR, (value & 31) ^ NO_COLOR)
    for c in range(COLORS):
        st8(r + R_QUEUE_OF + c, const(0))
    for k in range(QUEUES):
        n = QUEUES - 1 - k
        color = ld8(input_queue(r, n) + Q_COLOR) ^ NO_COLOR
        if color < COLORS:
            st8(r + R_QUEUE_OF + color, n + 1)
    if not ld64(s + C_LOADING):
        wake_router(s, ld64(s + C_NOW) + 1)


@jit
def _write_filter(s: int, r: int, place: int, value: int) -> None:
    x = ld64(s + C_EXT)
    st16(x + X_FILTERS + 2 * place, value)
    note_more(r)
    st8(r + R_FILTERED, const(0))
    for c in range(COLORS):
        st16(x + X_FILTER_OF + 2 * c, const(0))
    for k in range(FILTER_COUNT):
        at = (FILTER_COUNT - 1 - k) * FILTER_WORDS
        words = x + X_FILTERS + 2 * at
        color = ld16(words + 2 * FILTER_COLOR) & 31
        if ld16(words + 2 * FILTER_ENABLE) & 1 and color < COLORS:
            st16(x + X_FILTER_OF + 2 * color, at + 1)
            st8(r + R_FILTERED, const(1))
    wake_router(s, ld64(s + C_NOW) + 1)


@jit
def write_register(s: int, r: int, address: int, value: int) -> None:
    """Writes a word of the configuration range."""
    if ROUTE <= address < ROUTE + COLORS:
        _write_route(s, r, address - ROUTE, value)
    elif SWITCH <= address < SWITCH + SWITCH_WORDS * COLORS:
        k = address - SWITCH
        _write_switch(s, r, k // SWITCH_WORDS, k % SWITCH_WORDS, value)
    elif INPUT_QUEUE <= address < INPUT_QUEUE + 2 * QUEUES:
        k = address - INPUT_QUEUE
        _write_input(s, r, k >> 1, k & 1, value)
    elif OUTPUT_QUEUE <= address < OUTPUT_QUEUE + QUEUES:
        q = output_queue(r, address - OUTPUT_QUEUE)
        st16(q + Q_WORD, value ^ (NO_COLOR << 4))
        if not _bad_color(s, r, value >> 4 & 31, const(1), address - OUTPUT_QUEUE):
            st8(q + Q_COLOR, (value >> 4 & 31) ^ NO_COLOR)
    elif address == COLUMN_ID:
        st16(r + R_COLUMN, value ^ (ld64(s + C_X) & 0xFFFF))
    elif address == ROW_ID:
        st16(r + R_ROW, value ^ (ld64(s + C_Y) & 0xFFFF))
    elif CYCLE_COUNTER <= address < CYCLE_COUNTER + 3:
        shift = 16 * (address - CYCLE_COUNTER)
        _set_count(s, r, (cycle_count(s, r) & ~(0xFFFF << shift)) | value << shift)
    elif address == TIMER_CONTROL:
        _set_count(s, r, cycle_count(s, r))
        st16(r + R_TIMER, value)
    elif TEARDOWN_PENDING <= address < TEARDOWN_PENDING + 2:
        shift = 16 * (address - TEARDOWN_PENDING)
        st32(r + R_PENDING, (ld32(r + R_PENDING) & ~(0xFFFF << shift)) | value << shift)
    elif TEARDOWN_CLEAR <= address < TEARDOWN_CLEAR + 2:
        st32(r + R_PENDING, ld32(r + R_PENDING) & ~(value << 16 * (address - TEARDOWN_CLEAR)))
    elif FILTERS <= address < FILTERS + FILTER_COUNT * FILTER_WORDS:
        _write_filter(s, r, address - FILTERS, value)
    else:
        if ld8(r + R_FLAGS) & RF_CORE:
            place = _table_place(address)
            if place >= 0:
                write_table(s, r, place, value)
                return
            which = _own_mask(address)
            if which:
                shift = 16 * (address & 3)
                a = _mask_at(r, which)
                st64(a, (ld64(a) & ~shl(const(0xFFFF), shift)) | shl(value, shift))
                return
        note_more(r)
        st16(ld64(s + C_EXT) + X_PLAIN + 2 * (address - CONFIG_START), value)
