"""The intermediate form between lowering and the back end: machine instructions over virtual registers.

Lowering (carbide/lower*.py) makes `Routine`s: straight lists of `Op`s and `Label`s with virtual registers, vector
operands described by value, and data objects without addresses. The back end gives out registers and DSRs, places
data and code, encodes. The two meet nowhere else.

Conventions
- `Op.name` is a mnemonic of the ISA table, or one of the pseudo-operations of `PSEUDO`.
- Virtual registers belong to one routine. A register that lives across an operation that clobbers (`call`,
  `suspend`) has a home in memory: it is stored after every definition and loaded again after the clobber. So a
  value defined before a `parallel` and used after it, or shared by the arms, is right whatever order the tasks run in.
- A *suspend* ends the running task. Its `targets` are the labels of the same routine at which tasks go on
  (continuations, arms of a parallel block): the control flow graph has an edge to each.
- `djnz` is made by the back end alone; lowering counts with sub16, a compare and a predicated jmp.
- Vector operands (`Mem1`, `Mem4`, `Fabric`, `FifoRef`, `IterRef`, `StreamRef`) become DSRs. Equal operands share
  one; loads of descriptors are hoisted out of loops by the back end.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from diag.spans import Span


@dataclass(eq=False)
class Reg:
    """A virtual register of a file: "R" 16 bits, "D" 32, "Q" 64, "P" predicate."""

    file: str
    name: str = ""


@dataclass(eq=False)
class Data:
    """A data object in memory.

    address: fixed, or None to be placed; alias: lies inside another object; bank: start at address % 8 == 2*bank;
    init: constant words (shorter than `words`: the rest 0) or None; kind: "global" (in the map), "local", "home"
    (of a register), "descriptor", "block" (of a FIFO or iterator), "pointer". `elem_words` for bank layout.
    """

    name: str
    words: int
    align: int = 1
    address: int | None = None
    alias: tuple[Data, int] | None = None
    bank: int | None = None
    init: list[int | Addr] | None = None
    kind: str = "local"
    span: Span | None = None


@dataclass(frozen=True)
class Addr:
    """The word address of a data object plus an offset; `data` None = absolute."""

    data: Data | None
    offset: int = 0


@dataclass(frozen=True)
class Imm:
    """An immediate source, its raw pattern."""

    bits: int


@dataclass(eq=False)
class Label:
    """A place in a routine."""

    name: str


# ---------------------------------------------------------------- vector operands


@dataclass(frozen=True)
class Mem1:
    """A strided run in memory: base (place or register with the word address), extent in elements (constant or
    register), stride in elements of `elem_words` (1 or 2). root: the object in which a base in a register points,
    None = any."""

    base: Addr | Reg
    extent: int | Reg
    stride: int
    elem_words: int
    root: Data | None = field(default=None, compare=False)


@dataclass(frozen=True)
class Mem4:
    """An affine walk of two to four levels: `levels` are (extent, stride in elements), innermost first, constant."""

    base: Addr | Reg
    levels: tuple[tuple[int, int], ...]
    elem_words: int
    root: Data | None = field(default=None, compare=False)


@dataclass(frozen=True)
class Fabric:
    """A queue: input as a source, output as a destination. extent None = endless."""

    queue: int
    extent: int | Reg | None
    control: bool = False
    flip: bool = False


@dataclass(frozen=True)
class FifoRef:
    """A FIFO by its block (see DSD kinds of the machine); extent None = endless."""

    block: Data
    extent: int | Reg | None


@dataclass(frozen=True)
class IterRef:
    """An iterator by its descriptor (4 words in memory, kind iterator). root: the object that it walks, None = any."""

    descriptor: Data
    extent: int | Reg | None
    root: Data | None = field(default=None, compare=False)


@dataclass(frozen=True)
class StreamRef:
    """A DSD value in memory (a stream variable, four words), loaded afresh at each use."""

    where: Addr
    extent: int | Reg


@dataclass(frozen=True)
class Dsr:
    """A DSR ("DD", "SA", "SB" and a number): what the back end makes of a vector operand."""

    file: str
    number: int


Vector = Mem1 | Mem4 | Fabric | FifoRef | IterRef | StreamRef
Operand = Reg | Imm | Addr | Vector | Dsr  # an Addr as a 16-bit source is the address itself as an immediate

PSEUDO = {
    "suspend": "end the task; control goes on at `targets` when their tasks start",
    "ret": "return from a function through its saved link register",
    "end": "end the task for good",
}

# Names of `Background.completion`.
COMPLETIONS = ("", "activate", "unblock", "arrive")


@dataclass(frozen=True)
class Background:
    """Run as a microthread: its number (None: the back end chooses), and what happens at the end."""

    ut: int | None
    completion: str = ""
    task: int = 0


@dataclass(eq=False)
class Op:
    """One operation: `dest = name(sources)`.

    args: further operands of the row: a Label (jmp, call, djnz, settask), an Addr (ld16 …, st16 …), an int (task
    ids, counts, offsets). callee: routine called by `call`. targets: labels reached by `suspend`. function: the source
    function that it belongs to, where that is written in place in another routine ("" = the routine's own).
    statement: a number that grows with the source statements (scheduling at opt=1 keeps statements in order).
    """

    name: str
    dest: Reg | Vector | Dsr | None = None
    sources: tuple[Operand, ...] = ()
    args: tuple[Label | Addr | int, ...] = ()
    span: Span | None = None
    pred: Reg | None = None
    negated: bool = False
    background: Background | None = None
    callee: Routine | None = None
    targets: tuple[Label, ...] = ()
    statement: int = 0
    function: str = ""


@dataclass(eq=False)
class Routine:
    """A piece of code with one entry: the main task, a handler, a function.

    entry: a Label at the start of `code`. link: where a function keeps its return address (None for tasks).
    entry_regs: registers that hold something at entry, e.g. a handler's wavelet: (physical number, Reg).
    """

    name: str
    entry: Label
    code: list[Op | Label] = field(default_factory=list)
    span: Span | None = None
    link: Data | None = None
    entry_regs: list[tuple[int, Reg]] = field(default_factory=list)


@dataclass(eq=False)
class Unit:
    """Everything of one kernel for the back end. The first routine is the main task's.

    tasks: (table, task or queue number, label, description): table "task", "control" or "queue_control"; further
    labels may be bound at run time by `settask`. blocked, active: task ids at the start. meets: pairs of data
    objects that stand as two sources of one vector instruction (to be placed apart modulo 4).
    halves: input queues whose handlers run once a half.
    """

    routines: list[Routine] = field(default_factory=list)
    data: list[Data] = field(default_factory=list)
    tasks: list[tuple[str, int, Label, str]] = field(default_factory=list)
    blocked: set[int] = field(default_factory=set)
    active: set[int] = field(default_factory=set)
    meets: list[tuple[Data, Data]] = field(default_factory=list)
    halves: set[int] = field(default_factory=set)
    filters: list[tuple[int, str, int, int, int]] = field(default_factory=list)  # number, socket, limit, maxpass, state
