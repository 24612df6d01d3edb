"""The directives of the assembler: one function each, in a table with their form and meaning (docs/isa.md)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from diag.report import suggest
from diag.spans import Span
from fabric import arch
from fabric import descriptor as dsd
from fabric.asm_instr import Lookup, whole
from fabric.asm_state import ADDRESS_SPACE, State
from fabric.asm_text import Expr, Stop, Token, Words
from fabric.numbers import bits16, bits32
from fabric.program import SocketUse, Symbol

Handler = Callable[[State, Words, Token], None]


@dataclass(frozen=True)
class Directive:
    """`form` is how it is written, `text` what it does."""

    name: str
    form: str
    text: str
    run: Handler


TABLE: dict[str, Directive] = {}

# Words of one element of a symbol's type (tungsten.md 3).
TYPE_WORDS = {"xp": 1, "u16": 1, "hp": 1, "sp": 2, "u32": 2, "i32": 2, "wv": 2, "u64": 4}


def _directive(name: str, form: str, text: str) -> Callable[[Handler], Handler]:
    def add(run: Handler) -> Handler:
        TABLE["." + name] = Directive("." + name, f".{name} {form}".rstrip(), text, run)
        return run

    return add


def run(state: State, words: Words) -> None:
    """Reads one directive up to the end of the line. Raises Stop after a message."""
    token = words.name("a directive")
    found = TABLE.get(token.text.lower())
    if found is None:
        words.reporter.report("FB104", token.span, name=token.text, hint=suggest(token.text, TABLE))
        raise Stop()
    found.run(state, words, token)
    if not words.ended():
        raise words.missing(f"the end of the line ({found.form})")


def _list(words: Words, what: str) -> list[Expr]:
    out = [words.expr(what)]
    while words.accept(","):
        out.append(words.expr(what))
    return out


# --- places and data ------------------------------------------------------------------------------------------------


@_directive("name", "NAME", "the program's name (else that of the file)")
def _name(state: State, words: Words, token: Token) -> None:
    state.name = words.name("a name").text


@_directive("org", "ADDRESS", "go on at an address")
def _org(state: State, words: Words, token: Token) -> None:
    state.here = state.number(words, "the address", 0, ADDRESS_SPACE)


@_directive("align", "N", "go on at the next multiple of N words")
def _align(state: State, words: Words, token: Token) -> None:
    n = state.number(words, "the alignment", 1, 0x1000)
    state.here += -state.here % n


@_directive("space", "N [, VALUE]", "N words of a value, 0 if none is given")
def _space(state: State, words: Words, token: Token) -> None:
    n = state.number(words, "the number of words", 0, ADDRESS_SPACE)
    fill = words.expr("the value") if words.accept(",") else Expr(token.span, ((1, 0),))

    def make(lookup: Lookup) -> list[int] | None:
        value = whole(words, fill, lookup, "the word", -0x8000, 0xFFFF)
        return None if value is None else [value & 0xFFFF] * n

    state.emit(token.span, n, make)


def _data(state: State, words: Words, token: Token, size: int, convert: Callable[[Expr, Lookup], int | None]) -> None:
    values = _list(words, "a value")

    def make(lookup: Lookup) -> list[int] | None:
        out: list[int] = []
        good = True
        for expr in values:
            value = convert(expr, lookup)
            good = good and value is not None
            out += [(value or 0) >> 16 * k & 0xFFFF for k in range(size)]
        return out if good else None

    state.emit(token.span, size * len(values), make)


@_directive("word", "VALUE, …", "16-bit words: numbers, labels, sums of both")
def _word(state: State, words: Words, token: Token) -> None:
    _data(state, words, token, 1, lambda e, lookup: whole(words, e, lookup, "the word", -0x8000, 0xFFFF))


@_directive("long", "VALUE, …", "32-bit words, low half first")
def _long(state: State, words: Words, token: Token) -> None:
    _data(state, words, token, 2, lambda e, lookup: whole(words, e, lookup, "the value", -(2**31), 2**32 - 1))


def _floats(words: Words, bits: Callable[[float], int], width: int) -> Callable[[Expr, Lookup], int | None]:
    def convert(expr: Expr, lookup: Lookup) -> int | None:
        if expr.value is not None:
            return bits(expr.value)
        value = whole(words, expr, lookup, "the value", -(2**31), 2**32 - 1)
        # 0x… gives the bits themselves, as in an instruction's immediate.
        return value if value is None or expr.raw else bits(float(value))

    return convert


@_directive("float", "VALUE, …", "fp32 values; 0x… gives the bits")
def _float(state: State, words: Words, token: Token) -> None:
    _data(state, words, token, 2, _floats(words, bits32, 32))


@_directive("half", "VALUE, …", "fp16 values; 0x… gives the bits")
def _half(state: State, words: Words, token: Token) -> None:
    _data(state, words, token, 1, _floats(words, bits16, 16))


@_directive("equ", "NAME VALUE", "a constant")
def _equ(state: State, words: Words, token: Token) -> None:
    name = words.name("a name")
    words.accept(",")
    state.define(name, state.number(words, "the value", -(2**31), 2**32 - 1))


@_directive("func", "NAME", "the function that what follows belongs to, for listings and profiles; also a label")
def _func(state: State, words: Words, token: Token) -> None:
    name = words.name("a name")
    state.define(name, state.here)
    state.function = name.text
    state.functions.setdefault(name.text, name.span)


# --- tasks and registers --------------------------------------------------------------------------------------------


def _entry_at(state: State, words: Words, where: Span, address: int, what: str) -> str:
    """Writes a task table word: a label that follows, or the present place."""
    label = words.peek()
    if label and label.kind == "name" and not words.ended():
        words.at += 1
        state.set_register(where, address, what, lambda lookup: lookup(label))
        return label.text
    here = state.here
    state.set_register(where, address, what, lambda lookup: here)
    return state.function


@_directive("entry", "[ID [LABEL]]", "the code of local task ID (8 if none is given), active at the start")
def _entry(state: State, words: Words, token: Token) -> None:
    task = 8
    t = words.peek()
    if t and t.kind == "number":
        task = state.number(words, "the local task", arch.LOCAL_TASKS.start, arch.LOCAL_TASKS.stop - 1)
    label = _entry_at(state, words, token.span, arch.TASK_TABLE + task, f"the code of task {task}")
    state.tasks.setdefault(task, label or "main")
    state.mark(arch.TASK_ACTIVE, task)


@_directive("task", "ID [LABEL]", "the code of task ID: 0-7 for data of that input queue, 8-30 local")
def _task(state: State, words: Words, token: Token) -> None:
    task = state.number(words, "the task", 0, 30)
    label = _entry_at(state, words, token.span, arch.TASK_TABLE + task, f"the code of task {task}")
    state.tasks.setdefault(task, label or (f"data of queue {task}" if task < 8 else f"task {task}"))


@_directive("control", "ID [LABEL]", "the code for control wavelets that name task ID")
def _control(state: State, words: Words, token: Token) -> None:
    task = state.number(words, "the control task", 0, arch.TASKS - 1)
    _entry_at(state, words, token.span, arch.CONTROL_TABLE + task, f"the code of control task {task}")


@_directive("catchall", "QUEUE [LABEL]", "the code for every control wavelet of an input queue")
def _catchall(state: State, words: Words, token: Token) -> None:
    queue = state.number(words, "the input queue", 0, arch.QUEUES - 1)
    _entry_at(state, words, token.span, arch.INPUT_CONTROL + queue, f"the control code of queue {queue}")


def _mask(base: int) -> Handler:
    def handle(state: State, words: Words, token: Token) -> None:
        while True:
            state.mark(base, state.number(words, "the task", 0, 30))
            if not words.accept(","):
                return

    return handle


_directive("active", "ID, …", "tasks that are active at the start")(_mask(arch.TASK_ACTIVE))
_directive("blocked", "ID, …", "tasks that are blocked at the start")(_mask(arch.TASK_BLOCKED))
_directive("high", "ID, …", "tasks of high priority")(_mask(arch.TASK_HIGH))


@_directive("halves", "QUEUE, …", "input queues whose data task runs once a 16-bit half")
def _halves(state: State, words: Words, token: Token) -> None:
    while True:
        queue = state.number(words, "the input queue", 0, arch.QUEUES - 1)
        state.mark(arch.INPUT_MODE + 2 * queue, 0)
        if not words.accept(","):
            return


@_directive("reg", "ADDRESS VALUE", "a configuration word, or one of the data cache, before the start")
def _reg(state: State, words: Words, token: Token) -> None:
    start = words.here()
    address = state.number(words, "the address", 0, ADDRESS_SPACE - 1)
    words.accept(",")
    value = words.expr("the value")
    if address < arch.CONFIG_START:
        state.reporter.report("FB120", start, address=address)
        return
    state.set_register(
        start, address, f"register 0x{address:04x}",
        lambda lookup: whole(words, value, lookup, "the register word", -0x8000, 0xFFFF),
    )  # fmt: skip


# --- sockets, symbols, filters --------------------------------------------------------------------------------------


@_directive("socket", "NAME in|out QUEUE TYPE", "a socket of the program, its queue and element type; twice for both directions")
def _socket(state: State, words: Words, token: Token) -> None:
    name = words.name("the socket's name")
    way = words.word("direction", ("in", "out")).text.lower()
    queue = state.number(words, "the queue", 0, arch.QUEUES - 1)
    elem = words.word("type", TYPE_WORDS).text.lower()
    for rows in state.sockets.values():
        for use, span in rows:
            if use.dir == way and (use.queue == queue or use.socket == name.text):
                what = f"{way}put queue {queue}" if use.queue == queue else f"direction '{way}' of socket '{name.text}'"
                state.reporter.report("FB115", name.span, what=what, notes=[(span, "the first one is here")])
                raise Stop()
    use = SocketUse(name.text, way, queue, elem, name.span.label())
    state.sockets.setdefault(name.text, []).append((use, name.span))


def _declare(state: State, words: Words, align: bool) -> Symbol:
    name = words.name("the symbol's name")
    kind = words.word("type", (*TYPE_WORDS, "struct", "union")).text.lower()
    size = TYPE_WORDS.get(kind, 0)
    if not size:
        words.expect(":")
        size = state.number(words, "the number of words", 1, ADDRESS_SPACE)
    dims: list[tuple[str, int]] = []
    while not words.ended():
        t, after = words.peek(), words.peek(1)
        axis = f"n{len(dims)}"
        if t and t.kind == "name" and after and after.text == "=":
            axis = t.text
            words.at += 2
        dims.append((axis, state.number(words, "the extent", 1, ADDRESS_SPACE)))
        words.accept(",")
    if align and size % 2 == 0:
        state.here += state.here % 2
    state.define(name, state.here)
    if kind in TYPE_WORDS and size > 1 and state.here % 2:
        state.reporter.report("FB116", name.span, name=name.text, type=kind, address=state.here)
    symbol = Symbol(name.text, kind, state.here, size, tuple(dims))
    state.symbols.append((symbol, name.span))
    return symbol


@_directive("symbol", "NAME TYPE[:WORDS] [[AXIS=]EXTENT] …", "a global for the map, made of what follows at the present "
            "place; also a label. TYPE is xp u16 hp sp u32 i32 wv u64, or struct:WORDS, union:WORDS; axes outermost "
            "first")  # fmt: skip
def _symbol(state: State, words: Words, token: Token) -> None:
    _declare(state, words, False)


@_directive("var", "NAME TYPE[:WORDS] [[AXIS=]EXTENT] …", "as .symbol, aligned and with its memory, all zeros")
def _var(state: State, words: Words, token: Token) -> None:
    size = _declare(state, words, True).size
    state.emit(state.symbols[-1][1], size, lambda lookup: [0] * size)


@_directive("filter", "NUMBER SOCKET", "a counter filter on the color of a socket; .reg sets its words")
def _filter(state: State, words: Words, token: Token) -> None:
    number = state.number(words, "the filter", 0, arch.FILTER_COUNT - 1)
    words.accept(",")
    socket = words.name("a socket")
    _known_socket(state, socket)
    if number in state.filters:
        state.reporter.report(
            "FB115", socket.span, what=f"filter {number}", notes=[(state.filters[number][1], "the first one is here")]
        )
        raise Stop()
    state.filters[number] = (socket.text, socket.span)


def _known_socket(state: State, name: Token, way: str = "") -> list[SocketUse]:
    rows = [use for use, _ in state.sockets.get(name.text, []) if not way or use.dir == way]
    if not rows:
        known = [s for s, uses in state.sockets.items() if not way or any(u.dir == way for u, _ in uses)]
        what = f"{way}put socket" if way else "socket"
        choices = "declared above are " + (", ".join(sorted(known)) or "none")
        state.reporter.report(
            "FB117", name.span, what=what, name=name.text, choices=choices, hint=suggest(name.text, known)
        )
        raise Stop()
    return rows


# --- descriptors ----------------------------------------------------------------------------------------------------

# Fields of a descriptor by kind: those that have to stand, those that may (with their default).
_FIELDS: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "null": ((), ()),
    "mem1d": (("base", "extent"), ("stride",)),
    "mem4d": (("base", "extent", "block"), ()),
    "fabin": (("queue", "extent"), ("endless",)),
    "fabout": (("queue", "extent"), ("control", "advance_switch", "endless")),
    "fifo": (("block", "extent"), ("endless",)),
    "iterator": (("base", "extent", "block"), ("endless",)),
}
_FLAGS = ("control", "advance_switch", "endless")


@_directive("dsd", "KIND FIELD=VALUE …", "a 4-word descriptor: mem1d base= extent= [stride=]; mem4d base= extent= block=; "
            "fabin queue= extent=; fabout queue= extent= [control] [advance_switch]; fifo block= extent=; "
            "iterator base= extent= block=; fabric and FIFO ones may be endless; queue= takes a socket or a number")  # fmt: skip
def _dsd(state: State, words: Words, token: Token) -> None:
    kind = words.word("kind of descriptor", dsd.KINDS).text.lower()
    must, may = _FIELDS[kind]
    fields: dict[str, Expr] = {}
    flags: set[str] = set()
    while not words.ended():
        field = words.word("field", (*must, *may))
        name = field.text.lower()
        if name in fields or name in flags:
            state.reporter.report("FB115", field.span, what=f"field {name}")
            raise Stop()
        if name in _FLAGS:
            flags.add(name)
        else:
            words.expect("=")
            fields[name] = _queue(state, words, kind) if name == "queue" else words.expr(f"the {name}")
        words.accept(",")
    for name in must:
        if name not in fields:
            raise words.missing(f"{name}=…")

    def make(lookup: Lookup) -> list[int] | None:
        values: dict[str, int] = {"stride": 1} if kind == "mem1d" else {}
        for name, expr in fields.items():
            low, high = (-0x8000, 0x7FFF) if name == "stride" else (0, 7 if name == "queue" else 0xFFFF)
            value = whole(words, expr, lookup, f"the {name}", low, high)
            if value is None:
                return None
            values[name] = value
        where = values.get("base", values.get("queue", values.get("block", 0)))
        last = values.get("stride", values.get("block", 0) if kind != "fifo" else 0)
        return dsd.Descriptor(
            dsd.KINDS.index(kind), where, values.get("extent", 0), last,
            "control" in flags, "advance_switch" in flags, "endless" in flags,
        ).words()  # fmt: skip

    state.emit(token.span, dsd.WORDS, make)


def _queue(state: State, words: Words, kind: str) -> Expr:
    t = words.peek()
    if not t or t.kind != "name":
        return words.expr("a queue or a socket")
    way = "in" if kind == "fabin" else "out"
    use = _known_socket(state, words.name("a socket"), way)[0]
    state.uses.setdefault((t.text, way), []).append(t.span.label())
    return Expr(t.span, ((1, use.queue),))


def _block(state: State, words: Words, token: Token, endless: bool) -> None:
    dims: list[tuple[Expr, Expr]] = []
    is_endless = False
    while not words.ended():
        if endless and words.accept("endless"):
            is_endless = True
            break
        extent = words.expr("an extent")
        words.expect(":")
        dims.append((extent, words.expr("a stride")))
        words.accept(",")
    if not 1 <= len(dims) <= dsd.MAX_DIMENSIONS:
        state.reporter.report(
            "FB108", token.span, what="the number of dimensions", low=1, high=dsd.MAX_DIMENSIONS, value=len(dims)
        )
        raise Stop()

    def make(lookup: Lookup) -> list[int] | None:
        pairs: list[tuple[int, int]] = []
        for e, s in dims:
            extent = whole(words, e, lookup, "the extent", 0, 0xFFFF)
            stride = whole(words, s, lookup, "the stride", -0x8000, 0x7FFF)
            if extent is None or stride is None:
                return None
            pairs.append((extent, stride))
        return dsd.i_block(pairs, is_endless) if endless else dsd.x_block(pairs)

    state.emit(token.span, dsd.IBLOCK_WORDS if endless else dsd.XBLOCK_WORDS, make)


@_directive("xblock", "EXTENT:STRIDE, …", "the block of a mem4d descriptor, innermost dimension first")
def _xblock(state: State, words: Words, token: Token) -> None:
    _block(state, words, token, False)


@_directive("iblock", "EXTENT:STRIDE, … [endless]", "the block of an iterator, at its start")
def _iblock(state: State, words: Words, token: Token) -> None:
    _block(state, words, token, True)


@_directive("fifo", "BUFFER, CAPACITY", "the block of an empty FIFO, capacity in elements")
def _fifo(state: State, words: Words, token: Token) -> None:
    buffer = words.expr("the buffer's address")
    words.expect(",")
    capacity = words.expr("the capacity")

    def make(lookup: Lookup) -> list[int] | None:
        at = whole(words, buffer, lookup, "the buffer", 0, 0xFFFF)
        n = whole(words, capacity, lookup, "the capacity", 1, 0xFFFF)
        return None if at is None or n is None else dsd.fifo_block(at, n)

    state.emit(token.span, dsd.FIFO_WORDS, make)
