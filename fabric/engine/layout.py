"""Where everything lies: the engine's state as offsets, the one place that knows them.

    record     one a tile, all that a cycle touches; a record of zeros is a tile that nothing has configured
    memory     the words of main memory that the tile's program occupies
    extension  one a tile, in address space of which only touched pages exist: deep queues, rare registers, cache,
               the rest of main memory, descriptors of several dimensions
    context    one a thread: what is being worked on, timing, and addresses
    entry      one decoded instruction (fabric.engine.decode)

Tiles stand in a grid with a border of dead ones around the fabric, so that no tile lacks a neighbour; `p` is a tile's
place in it. Numbers that begin at something else than 0 are kept as the difference to it, or one up.
"""

from __future__ import annotations

from fabric import arch

NEVER = 0x7FFFFFFF  # no cycle: cycles are below it


class _Fields:
    """Gives out offsets."""

    def __init__(self) -> None:
        self.at = 0

    def __call__(self, size: int, count: int = 1) -> int:
        self.at += -self.at % min(size, 8)
        start = self.at
        self.at += size * count
        return start

    def end(self, multiple: int) -> int:
        return self.at + -self.at % multiple


# --- a wavelet in a slot --------------------------------------------------------------------------------------------

S_DATA, S_FLAGS, S_IDENT, S_SEQ, S_BORN, S_READY, S_PC, S_NEXT = 0, 4, 8, 12, 16, 20, 24, 26
SLOT = 28  # bytes; S_PC and S_NEXT (slot + 1, 0 = none) are halves
# Flags of a wavelet.
F_CTRL, F_HALF, F_LF = 1, 2, 4
F_POPPED = 8  # it goes on without its first command
F_LF_ON = 16  # it goes on with its lf bit (message-passing colors)
F_COLOR = 8  # shift: the color it is on, 5 bits
F_SIDE = 16  # shift: the side it came from, 3 bits
F_OWN, F_PARTNER = 1 << 20, 1 << 21  # in an outbox: who reads it on the other side

HOT_SLOTS = 20  # slots in the record; further ones are in the extension
MORE_WORDS = 4  # 64-bit masks of those
MORE_SLOTS = 64 * MORE_WORDS

# --- parts ----------------------------------------------------------------------------------------------------------

_f = _Fields()
H_ROUTE = _f(2)  # difference to 0x00a0
H_WORD0 = _f(2)  # difference to 0x00a0
H_WORD1 = _f(2)  # difference to 0xa0a0
H_OURS = _f(2)  # without the positions
H_WORD3 = _f(2)
H_HEAD = _f(2)  # slot + 1
H_TAIL = _f(2)
H_COUNT = _f(1)
H_IN_POS = _f(1)
H_OUT_POS = _f(1)
H_TAKEN = _f(1)
H_INPUT = _f(1)  # derived: side + 1, 0 = nowhere
H_OUTPUTS = _f(1)  # derived
H_FLAGS = _f(1)  # derived: CH_…
H_PORT = _f(1)  # the message that is passing: port + 1
H_REMAINING = _f(2)  # its wavelets to come, 0xffff = until a control wavelet
CHANNEL = _f.end(4)
CH_DOWN, CH_BANK0, CH_BANK1, CH_ADDER = 1, 2, 4, 8

_f = _Fields()
Q_HEAD = _f(2)
Q_TAIL = _f(2)
Q_COUNT = _f(1)
Q_COLOR = _f(1)  # difference to 31
Q_FLAG = _f(1)  # input: the low half of the head is read; output: its head has been reported as held back
Q_SPARE = _f(1)
Q_WORD = _f(2)  # the register word, as difference to its reset value
Q_MODE = _f(2)  # input queues
QUEUE = _f.end(4)

# An operand of a live vector instruction. P_FLAGS: PF_…
_f = _Fields()
P_KIND = _f(1)
P_WORDS = _f(1)
P_FLAGS = _f(1)
P_QUEUE = _f(1)
P_AT = _f(4)  # memory: address; fifo: block; constant: value; send: how many are left (-1: endless)
P_STEP = _f(4)  # memory: words; fifo: buffer | capacity << 16
P_EXTENT = _f(2)
P_DIMS = _f(2)
OPERAND = _f.end(4)
PF_CONTROL, PF_FLIP, PF_PUSH, PF_BANK, PF_ENDLESS = 1, 2, 4, 8, 16
KIND_CONSTANT = 15

_f = _Fields()
O_ENTRY = _f(8)  # address of its decoded instruction
O_PC = _f(4)
O_TASK = _f(4)  # IDLE + 1 based: task + 1
O_START = _f(4)  # the first cycle in which its next group may go (`not_before`)
O_TOTAL = _f(4)  # -1 endless
O_DONE = _f(4)
O_WIDTH = _f(4)
O_OPERANDS = _f(OPERAND, 4)  # sources 0, 1, 2, target
OP = _f.end(8)
O_TARGET = O_OPERANDS + 3 * OPERAND
MAIN = 8  # the main thread's number; microthreads are 0-7

EVENT = 12  # cycle, order, action << 8 | task
V_CYCLE, V_ORDER, V_WHAT = 0, 4, 8
HOT_EVENTS = 8
EVENTS = 192  # two a cycle of fabric.engine.support.REACH, and teardowns

# --- the record -----------------------------------------------------------------------------------------------------

_f = _Fields()
# What neighbours read: the colors that take a wavelet from each side next cycle, and those that are swapped there.
R_TAKES = _f(4, 5)
R_SWAP_H = _f(4)
R_SWAP_V = _f(4)
R_SWAP_C = _f(4)
R_USED = _f(8)  # hot slots in use
R_BUSY = _f(4)  # colors with a wavelet in their buffer
R_LOADED = _f(1)  # output queues that hold something
R_FILLED = _f(1)  # input queues that hold something
R_FLAGS = _f(1)  # RF_…
R_DEPARTURES = _f(1)
# What the core looks at in every step.
R_TASK = _f(4)  # task + 1, 0 = idle
R_PC = _f(4)
R_NEXT_ISSUE = _f(4)
R_PIPE_FREE = _f(4)
R_LATEST = _f(4)  # no slot of the scoreboard is later
R_LAST_EXECUTE = _f(4)  # one up
R_EVENTS = _f(1)  # how many
R_LIVE = _f(1)  # microthreads with elements to do
R_PREDS = _f(1)
R_CODED = _f(4)
R_ACTIVE = _f(8)
R_BLOCKED = _f(8)
R_HIGH = _f(8)
R_PROGRAM = _f(8)  # address of the program's block
R_MEMORY = _f(8)
R_REGS = _f(2, 16)
R_LENGTH = _f(4)  # words at R_MEMORY
R_FAULT_PC = _f(4)
R_ACC = _f(4)
R_FILTERED = _f(1)  # there is a counter filter: most tiles' extensions are never looked at
R_LAST_TASK = _f(1)  # the picker's turn: last + 1 - 31 modulo 32, so that 0 is the start
R_LINK = _f(4)  # the decision of link R: queue + 1 | sends << 8 | readers (F_OWN, F_PARTNER)
R_DIRTY = _f(4)  # colors whose registers changed in this cycle
R_USABLE = _f(4, 74)
R_TABLES = _f(8)  # address of the task tables
R_INPUT = _f(QUEUE, arch.QUEUES)
R_OUTPUT = _f(QUEUE, arch.QUEUES)
R_LAST = _f(1, 5)  # per port: the color served last, one up; 0 = as at the start
R_LAST_QUEUE = _f(1)  # the same for link R
R_OWNERS = _f(1, 10)  # bank * 5 + port: the color whose message holds it, one up
R_QUEUE_OF = _f(1, arch.COLORS)  # color -> input queue + 1
R_HELD = _f(1, arch.QUEUES)  # live receives
R_FILTERING = _f(1, arch.QUEUES)  # live dfilts
R_DECISIONS = _f(4, arch.COLORS)  # color | ports << 8 | complete << 16 | (queue + 1) << 24
R_CHANNELS = _f(CHANNEL, arch.COLORS)
R_OUT = _f(SLOT, 4)  # outboxes: what leaves by each port in this cycle
R_SLOTS = _f(SLOT, HOT_SLOTS)
R_SEQUENCE = _f(4, arch.COLORS)
R_OPS = _f(OP, 9)
R_USERS = _f(8, 2 * arch.QUEUES)  # input queues, then output queues: users in order, one up, 4 bits each
R_DSRS = _f(2, 4 * 48)
R_DRAINING = _f(4, arch.MICROTHREADS)
R_EVENT = _f(EVENT, HOT_EVENTS)
R_EVENT_COUNT = _f(4)
R_JOINS = _f(2, 32)
R_PENDING = _f(4)
R_COUNT = _f(8)  # the cycle counter when it was set
R_COUNT_FROM = _f(4)
R_TIMER = _f(2)
R_COLUMN = _f(2)  # difference to the tile's own column
R_ROW = _f(2)
R_OPERANDS = _f(1)  # fabric adder: operands waiting, and below their queue
R_HALF = _f(1)
R_ADDER_HEAD = _f(2)
R_ADDER_TAIL = _f(2)
R_TRIGGER = _f(4)  # the control wavelet that started a task last: its sender's place << 5 | its color; 0 = none
R_TRIGGER_PC = _f(2)
RECORD = _f.end(64) + (64 if _f.end(64) % 128 == 0 else 0)  # an odd number of cache lines spreads over the sets
RF_CORE, RF_HALTED, RF_AFTER_VECTOR, RF_VECTOR, RF_CARRY, RF_PRIVATE, RF_LOST, RF_MORE = 1, 2, 4, 8, 16, 32, 64, 128

# --- the extension --------------------------------------------------------------------------------------------------

_f = _Fields()
X_USED = _f(8, MORE_WORDS)
X_SLOTS = _f(SLOT, MORE_SLOTS)
X_EVENT = _f(EVENT, EVENTS - HOT_EVENTS)
X_FILTERS = _f(2, arch.FILTER_COUNT * arch.FILTER_WORDS)
X_FILTER_OF = _f(2, arch.COLORS)  # color -> place of its filter's words + 1
X_TABLES = _f(2, 2 * arch.TASKS + arch.QUEUES)  # the tile's own tables, once it has written them
GRID = 64  # base, block, then index, extent, step of four dimensions
G_BASE, G_BLOCK, G_INDEX, G_EXTENT, G_STEP = 0, 4, 8, 24, 40
X_GRIDS = _f(GRID, 9 * 4)
LOST = 40
L_COUNT, L_CYCLE, L_SLOT = 0, 4, 8  # wavelets that left by a port: how many, the first one's cycle, the first one
X_LOST = _f(LOST, 4 * arch.COLORS)
_f.at += -_f.at % 64
X_SCRATCH = _f(128, 10)  # decoded instructions of the tile alone: the one being run, then one an operation
X_CACHE = _f(2, arch.MEMORY_WORDS - arch.CACHE_START)
_f.at += -_f.at % 4096
X_PLAIN = _f(2, arch.CACHE_START - arch.CONFIG_START)
_f.at += -_f.at % 4096
X_MEMORY = _f(2, arch.MAIN_WORDS)
EXTENSION = _f.end(4096)

# --- a decoded instruction ------------------------------------------------------------------------------------------

_f = _Fields()
E_LENGTH = _f(1)  # 0: no instruction
E_NUMBER = _f(1)
E_KIND = _f(1)
E_FORM = _f(1)
E_DEST = _f(1)
E_SOURCES = _f(1, 3)
E_PRED = _f(1)  # one up, 0 = none
E_NEGATED = _f(1)
E_TERMINATE = _f(1)
E_UT = _f(1)  # one up, 0 = main thread
E_COMPLETION = _f(1)
E_TASK = _f(1)
E_COUNT = _f(1)  # sources
E_MODES = _f(1, 3)  # where each source is: M_…
E_DEST_MODE = _f(1)
E_DEST_WORDS = _f(1)
E_SOURCE_WORDS = _f(1, 3)
E_VECTOR = _f(1)
E_RUNNING = _f(1)  # the source that is the running value of a reduction, one up
E_LENGTH_FROM = _f(1)
E_BITS = _f(1)  # EB_…
E_NEEDS_COUNT = _f(1)
E_SETS_COUNT = _f(1)
E_IMM = _f(8)
E_ARG0 = _f(4)
E_ARG1 = _f(4)
E_LATENCY = _f(4)
E_BUSY = _f(4)
E_GROUP = _f(4)
E_NEEDS = _f(1, 14)
E_SETS = _f(1, 8)
E_WORDS = _f(2, 8)
ENTRY = 128
assert _f.at <= ENTRY
EB_CARRY, EB_KEEP = 1, 2
M_NONE, M_R, M_D, M_Q, M_P, M_IMM, M_DSR = range(7)
K_ALU, K_RMW, K_DOT, K_LOAD, K_STORE, K_CONTROL, K_TASK, K_DSR, K_FILTER = range(9)

# A row of the instruction table, for decoding.
_f = _Fields()
T_VALID = _f(1)
T_KIND = _f(1)
T_REGISTERS = _f(1)
T_COUNT = _f(1)
T_IMMEDIATE = _f(1)
T_FORMS = _f(1)
T_ARGS = _f(1)
T_DEST = _f(1)  # T_… file of the destination: 0 none, 1 R, 2 D, 3 Q, 4 P, 5 DD, 6 SA, 7 SB
T_SOURCES = _f(1, 3)
T_WIDTH = _f(1)
T_WIDTH_SCALAR = _f(1)
T_BITS = _f(1)  # TB_…
T_LATENCY = _f(4)
T_BUSY = _f(4)
T_LOW = _f(4, 2)
T_HIGH = _f(4, 2)
ROW = _f.end(8)
TB_CARRY, TB_KEEP, TB_ASYNC, TB_JUMPS, TB_READS_DEST, TB_SETS_CARRY, TB_LINK = 1, 2, 4, 8, 16, 32, 64

# A program: index of every address (entry number, 0 = none), which words are code, then the entries.
B_INDEX = 0
B_CODE = 2 * arch.MAIN_WORDS
B_ENTRIES = B_CODE + arch.MAIN_WORDS

# --- the shared block and the contexts of threads -------------------------------------------------------------------

# Timing, in the order of the fields of fabric.timing.Timing.
TIMINGS = (
    "issue", "decode_to_execute", "hop", "vector_setup", "result_integer", "result_float", "result_load",
    "result_vector", "store", "branch_untaken", "branch_taken", "call", "fp_divide", "dsr_load", "dsr_load_4d",
    "microthread_start", "execute_to_output_queue", "output_queue_to_router", "router_to_input_queue",
    "input_queue_to_wake", "microthread_done", "join", "task_start", "terminate", "bank_conflict", "fabric_adder",
)  # fmt: skip

_f = _Fields()
C_NOW = _f(8)
C_P = _f(8)
C_EXT = _f(8)
C_X = _f(8)  # column and row of the tile
C_Y = _f(8)
C_DUE_R = _f(8)  # address of the tile's mask of due cycles, router
C_DUE_C = _f(8)
C_FAULT = _f(8)  # this tile's step met a fault
C_RANK = _f(8)  # where in the cycle: 0 cores, 1 departures, 2 links, 3 landings
C_MOVED = _f(8)  # one up: the last cycle in which a wavelet moved
C_WORK = _f(8)  # steps of tiles
C_TIMING = _f(8, len(TIMINGS))
# Addresses and sizes, the same for all threads.
C_RECORDS = _f(8)
C_EXTENSIONS = _f(8)
C_DUES = _f(8)  # 16 bytes a tile: router, core
C_WAKE = _f(8, 2)  # bytes, by parity of the cycle: neighbours woke the router
C_VISIT = _f(8)  # 8 bytes a tile: sides from which something comes in this cycle, and 1 in byte 4 for its own work
C_BLOCK_DUE = _f(8)  # 8 bytes a block of tiles
C_BLOCK_WAKE = _f(8, 2)
C_BLOCK_VISIT = _f(8)
C_ROW_DUE = _f(8)
C_ROW_WAKE = _f(8, 2)
C_ROW_VISIT = _f(8)
C_EXISTS = _f(8)  # bytes: the tile exists in the reference's sense
C_DEAD = _f(8)  # bytes: border
C_STRIDE = _f(8)  # tiles a row, with the border
C_BLOCKS = _f(8)  # blocks a row
C_WIDTH = _f(8)
C_ROWS = _f(8)  # the instruction table
C_FIRST = _f(8)  # the thread's rows
C_END = _f(8)
C_MASK = _f(8)  # OR of its rows' due masks
C_THREAD = _f(8)
C_THREADS = _f(8)
C_SHARED = _f(8)  # the block that threads share
C_UNTIL = _f(8)
C_BUDGET = _f(8)
C_LOADING = _f(8)
# The fault that comes first: key, code, tile, pc, arguments.
C_FAULT_KEY = _f(8)
C_FAULT_CODE = _f(8)
C_FAULT_TILE = _f(8)
C_FAULT_PC_OF = _f(8)
C_FAULT_CYCLE = _f(8)
C_FAULT_ARGS = _f(8, 8)
# Watchers (fabric.engine.watch).
C_WATCHED = _f(8)  # somebody watches, where that is no constant of the code
C_WATCH = _f(8)  # address of WATCH bytes a tile
C_TELL = _f(8)  # what is told at all now
C_TOLD = _f(8)  # and of the present tile
C_RECORD_AT = _f(8)  # where the next record goes
C_RECORD_STOP = _f(8)  # beyond it the thread pauses after a cycle
C_SEEN = _f(8, 4)  # the instruction that issues: its task, its scalar sources
# Scratch.
C_OPEN = _f(4, arch.COLORS)  # open ports of each color
C_GRANTED = _f(4, arch.COLORS)
C_REQUEST = _f(4, 5)
C_VALUES = _f(8, 4 * 8)  # elements of a group: sources 0, 1, 2, target
C_WAVELET = _f(SLOT + 4)
C_WINDOW = _f(2, 8)
CONTEXT = _f.end(64) + 64

# What is counted for watchers, a tile.
_f = _Fields()
W_MASK = _f(4)  # what of the tile they want
W_NUMBER = _f(4)  # instructions so far
W_NUMBERS = _f(4, 9)  # the number of each thread's vector instruction
W_SAID = _f(4, 9)  # how much was done, one up, when it was last said that it waits
WATCH = _f.end(8)

# Shared between threads.
_f = _Fields()
Z_ARRIVED = _f(64)
Z_ROUND = _f(64)
Z_STOP = _f(64)  # set from outside: stop between two cycles
Z_NOW = _f(64)
Z_MASKS = _f(8, 2 * 64)  # by parity: each thread's mask of due cycles
Z_ENDS = _f(8, 2 * 64)  # by parity: a thread's wish to end: 1 fault, 2 stop or budget
SHARED = _f.end(64)

BLOCK = 32  # tiles
BLOCK_SHIFT = 5
VISIT_SELF = 4
