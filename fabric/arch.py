"""Facts and decisions about the machine's structure: sizes, memory map, register words.

Addresses are 16-bit word addresses (S0:239-250, hardware.md 10 and 16). Places marked *ours* lie in gaps of the
configuration range; they stand in no document of the original and are described in docs/registers.md.
"""

from __future__ import annotations

# The fabric (hardware.md 13) and the router (S0:48).
MAX_WIDTH = 762
MAX_HEIGHT = 1172
COLORS = 24
SWITCHABLE = frozenset([*range(10), 12, 13, 16, 17, 20, 21])
ADDER_COLOR = 10
BANK_COLORS = ((14, 15, 16, 17, 18), (19, 20, 21, 22, 23))
BANK_CORE_COLOR = (16, 21)
ROUTER_DEPTH = 4

# Queues, in wavelets (hardware.md 14.1).
QUEUES = 8
INPUT_DEPTH = (8, 8, 4, 4, 4, 4, 4, 4)
OUTPUT_DEPTH = (8,) * 8
NO_COLOR = 31

# Threads and tasks (S0:78, hardware.md 2).
MICROTHREADS = 8
TASKS = 64
LOCAL_TASKS = range(8, 31)
TASK_TEARDOWN = 29
TASK_TIMER = 30
TASK_NONE = 31

# Memory in words.
MAIN_WORDS = 0x6000
RESERVED_START = 0x6000
CONFIG_START = 0x7200
CACHE_START = 0x7F00
MEMORY_WORDS = 0x8000

# Register words of the original (hardware.md 16).
CYCLE_COUNTER = 0x7B30  # 3 words, low first
TIMER_CONTROL = 0x7B34
TIMER_COUNT = 1 << 2  # the cycle counter runs
OUTPUT_QUEUE = 0x7B80  # + q: color in bits 8:4
INPUT_QUEUE = 0x7BC0  # + 2q: color in bits 4:0
ROUTE = 0x7C00  # + c
ROW_ID = 0x7C45
COLUMN_ID = 0x7C46
SWITCH = 0x7C80  # + 4c
FP_CONTROL = 0x7E0C
SELF_ROUTING = range(0x7B80, 0x7D00)  # see sets_routes

# Register words of ours.
TASK_TABLE = 0x7200  # + t: entry of the data task of queue t (0-7) or of local task t; 0 = no code
CONTROL_TABLE = 0x7240  # + t: entry of control task t
TASK_BLOCKED = 0x7280  # 4 words: bit t = task t is blocked
TASK_ACTIVE = 0x7284  # 4 words
TASK_HIGH = 0x7288  # 4 words: bit t = task t has high priority
TEARDOWN_PENDING = 0x72A0  # 2 words: colors that woke task 29
TEARDOWN_CLEAR = 0x72A2  # 2 words: write a 1 to clear
FILTERS = 0x72C0  # + 8f: the words below (docs/registers.md)
FILTER_COUNT = 16
FILTER_WORDS = 8
FILTER_ENABLE = 0  # bit 0
FILTER_COLOR = 1
FILTER_LIMIT = 2  # L: the period is L + 1
FILTER_MAXPASS = 3  # P: P + 1 wavelets of a period pass
FILTER_COUNTER = 4  # number of the next wavelet in its period, 0..L
INPUT_CONTROL = 0x7BA0  # + q: entry of the catch-all control task of input queue q; 0 = use the table
INPUT_MODE = 0x7BC1  # + 2q: bit 0 = the data task runs once a half
SWITCH_OURS = 0x7C82  # + 4c: see the bits below

SWITCH_WORDS = 4  # words from one color's switch to the next one's
SWITCH_RESET = (0x00A0, 0xA0A0, 0, 0)  # the four words of a color that no image sets: no position 1, 2 or 3

OURS_SWAP_H = 1
OURS_SWAP_V = 2
OURS_SWAP_CORE = 4
OURS_POP_ALWAYS = 8
OURS_POP_ADVNOP = 16
OURS_IN_POS_SHIFT = 5
OURS_OUT_POS_SHIFT = 7
OURS_ADDER = 1 << 9  # only on ADDER_COLOR
OURS_FP16_SHIFT = 10
OURS_BANK_SHIFT = 12  # message-passing bank + 1; 0 = none
FP16_IEEE, FP16_CB16, FP16_BF16 = 1, 2, 3  # values of the format field

# The 8-bit route code (hardware.md 16): outputs in bits 4:0, input in bits 7:5.
PORTS = "LRUDC"
L, R, U, D, C = range(5)
ROUTE_NO_INPUT = 5
ROUTE_NONE = 0x00A0
ROUTE_TEARDOWN = 1 << 15
POSITION_UNUSED = 0x00A0  # the code of a switch position that is never entered
SWITCH_RING = 1 << 12
SWITCH_POP_ADV = 1 << 14

# Steps of a port: x grows to the right, y along U (S0:26-35); and the SDK's letters for the same links.
STEP = ((-1, 0), (1, 0), (0, 1), (0, -1), (0, 0))
OPPOSITE = (R, L, D, U, C)
LINK_LETTER = "WESNR"


def route_code(source: int | None, outputs: int) -> int:
    """The 8-bit code of one switch position; `source` is a port or None, `outputs` a mask of ports."""
    return (ROUTE_NO_INPUT if source is None else source) << 5 | outputs


# Control words (hardware.md 15).
CMD_NOP, CMD_ADVANCE, CMD_RESET, CMD_TEARDOWN = range(4)


def sets_routes(address: int, words: int = 1) -> bool:
    """Whether a kernel with an address() of so many words may route for itself (paint.md 6: 0x7b80-0x7cff).

    The row and column ID lie in that range too, and many kernels read them; with these two alone no route changes.
    """
    low, high = max(address, SELF_ROUTING.start), min(address + words, SELF_ROUTING.stop)
    return low < high and not (low >= ROW_ID and high <= COLUMN_ID + 1)


def reads_place(address: int, words: int = 1) -> bool:
    """Whether an address() of so many words holds the row or the column ID: the kernel may act by its place."""
    return address <= COLUMN_ID and address + words > ROW_ID
