"""The assembler: text <-> instructions, and whole kernels in assembly (`carbide source=k.s`).

    .name chain
    .socket tx out 0 sp
    .symbol x sp n=4          // a global with the data that follows; also the label x
        .float 1.5, -2, inf, 0x7f800001
    .var y sp n=4             // a global of zeros
    from:  .dsd mem1d base=x extent=4
    to:    .dsd fabout queue=tx extent=4
    .func main
    .entry                    // task 8, active at the start
        ldd DD0 = [to];
        lds0 SA1 = [from];
        mov32.ut3 [DD0] = [SA1] -> activate 9;
        nop; terminate;

One statement a line; labels end in `:`. docs/isa.md lists instructions and directives. `assemble` makes a `Program`
with line table, symbols, sockets and usage; `instruction` reads a single line; `text` and `disassemble` (from
`fabric.disasm`) go the other way.
"""

from __future__ import annotations

from pathlib import PurePath

from diag.report import Reporter
from diag.spans import Source, Span
from fabric import arch, asm_directives
from fabric.asm_instr import read
from fabric.asm_state import Item, State
from fabric.asm_text import Stop, Words, tokens
from fabric.disasm import Disassembled, disassemble, text
from fabric.encode import Instr, encode
from fabric.program import Line, Program, SocketUse, Usage

__all__ = ["Disassembled", "assemble", "disassemble", "instruction", "text"]


def instruction(line: str, reporter: Reporter | None = None) -> Instr:
    """One instruction without labels from its text. Raises UserError with the messages when it is none."""
    own = reporter or Reporter()
    source = Source("<instruction>", line)
    words = _words(source, 0, line, own)
    found = None
    if words:
        try:
            state = State(source, own, "")
            found = read(words).finish(state.lookup)
        except Stop:
            pass
    own.raise_if_errors()
    assert found is not None
    return found


def assemble(source: Source, reporter: Reporter) -> Program:
    """A whole kernel. Messages go to the reporter; the program is complete only if it has no errors."""
    own = Reporter()
    state = State(source, own, PurePath(source.path).stem)
    lines = _split(source, own)
    for words in lines:
        if words.items and words.items[0].kind == "name" and len(words.items) > 1 and words.items[1].text == ":":
            state.later.add(words.items[0].text)
        elif words.items[0].text.lower() in (".symbol", ".var", ".equ", ".func"):
            state.later.update(t.text for t in words.items[1:2])
    for words in lines:
        try:
            _statement(state, words)
        except Stop:
            continue
    program = _finish(state)
    for d in sorted(own.diagnostics, key=lambda d: d.span.start if d.span else 0):
        reporter.add(d)
    return program


def _words(source: Source, base: int, line: str, reporter: Reporter) -> Words | None:
    items = tokens(source, base, line, reporter)
    if items is None:
        return None
    end = items[-1].span.end if items else base
    return Words(items, source.span(end, end), reporter)


def _split(source: Source, reporter: Reporter) -> list[Words]:
    out: list[Words] = []
    base = 0
    for line in source.text.split("\n"):
        words = _words(source, base, line, reporter)
        if words is not None and words.items:
            out.append(words)
        base += len(line) + 1
    return out


def _statement(state: State, words: Words) -> None:
    while True:
        t, colon = words.peek(), words.peek(1)
        if t is None or words.ended():
            return
        if t.kind == "name" and colon and colon.text == ":" and not t.text.startswith("."):
            words.at += 2
            state.define(t, state.here)
            continue
        break
    if t.kind == "name" and t.text.startswith(".") and not t.quoted:
        asm_directives.run(state, words)
        return
    pending = read(words)

    def unused(_: object) -> list[int] | None:
        return None

    state.emit(pending.span, pending.length, unused).instr = pending


def _finish(state: State) -> Program:
    program = Program(state.name, state.source.path)
    memory: dict[int, int] = {}
    owner: dict[int, Span] = {}
    labels = _labels(state)
    for item in state.items:
        if not _fits(state, item):
            continue
        words = _emit(state, item, program, labels)
        if words is None:
            continue
        clash = next((a for a in range(item.address, item.address + item.size) if a in owner), None)
        if clash is not None:
            state.reporter.report(
                "FB111", item.span, address=clash, notes=[(owner[clash], "the first words there come from here")]
            )
            continue
        for k, word in enumerate(words):
            memory[item.address + k] = word
            owner[item.address + k] = item.span
    _registers(state, program)
    _tables(state, program, memory)
    if any(i.instr for i in state.items) and not any(program.registers.get(arch.TASK_ACTIVE + k) for k in range(4)):
        state.reporter.report("FB121", next(i.span for i in state.items if i.instr))
    return program


def _labels(state: State) -> dict[int, str]:
    """Names of addresses for the listing: of several, the first."""
    out: dict[int, str] = {}
    for item in state.items:
        out.setdefault(item.address, "")
    for name, entry in state.names.items():
        if entry.value in out and not out[entry.value]:
            out[entry.value] = name
    return {a: n for a, n in out.items() if n}


def _fits(state: State, item: Item) -> bool:
    end = item.address + item.size
    cache = arch.CACHE_START <= item.address and end <= arch.MEMORY_WORDS
    if end <= arch.MAIN_WORDS or cache or not item.size:
        if item.instr and item.address < 2:
            state.reporter.report("FB114", item.span, reason="code can't stand at address 0 or 1: entry 0 means no code")
            return False
        return True
    if item.address < arch.MAIN_WORDS:
        what = f"these words end at 0x{end:04x}, main memory at 0x{arch.MAIN_WORDS:04x}"
    elif item.address >= arch.CACHE_START:
        what = f"these words end at 0x{end:04x}, the data cache at 0x{arch.MEMORY_WORDS:04x}"
    else:
        what = f"0x{item.address:04x} is no memory (main memory ends at 0x{arch.MAIN_WORDS:04x})"
    _too_large(state, item.span, what)
    return False


def _too_large(state: State, span: Span, what: str) -> None:
    """One message, about the first words that do not fit."""
    if not any(d.code.code == "FB112" for d in state.reporter.diagnostics):
        state.reporter.report("FB112", span, what=what)


def _emit(state: State, item: Item, program: Program, labels: dict[int, str]) -> list[int] | None:
    if item.instr is None:
        return item.make(state.lookup)
    instr = item.instr.finish(state.lookup)
    if instr is None:
        return None
    span = item.span
    program.lines.append(
        Line(item.address, item.size, span.path, span.line, span.col, item.function, text(instr, labels.get))
    )
    if instr.row.kind in ("load", "store"):
        for kind, value in zip(instr.row.args, instr.args, strict=True):
            if kind == "addr":
                _registers_of_place(program, value, 1)
    return encode(instr)


def _registers_of_place(program: Program, address: int, words: int) -> None:
    """What a kernel may do that reads or writes some words, for the checks of the layout."""
    program.self_routing |= arch.sets_routes(address, words)
    program.by_place |= arch.reads_place(address, words)


def _registers(state: State, program: Program) -> None:
    for address, register in state.registers.items():
        value = register.make(state.lookup)
        if value is not None:
            program.registers[address] = value & 0xFFFF
    for address, bits in state.masks.items():
        program.registers[address] = program.registers.get(address, 0) | bits
    program.tasks = dict(sorted(state.tasks.items()))


def _tables(state: State, program: Program, memory: dict[int, int]) -> None:
    """Sections, symbols, sockets, filters and usage."""
    for address in sorted(memory):
        if program.sections and program.sections[-1][0] + len(program.sections[-1][1]) == address:
            program.sections[-1][1].append(memory[address])
        else:
            program.sections.append((address, [memory[address]]))
    program.symbols = [s for s, _ in state.symbols]
    for name, rows in state.sockets.items():
        program.declared.append((name, rows[0][1].label()))
        for use, _ in rows:
            places = tuple(state.uses.get((name, use.dir), ()))
            program.sockets.append(SocketUse(use.socket, use.dir, use.queue, use.elem, use.span, places))
    program.filters = [(number, socket) for number, (socket, _) in sorted(state.filters.items())]
    code: dict[str, int] = {}
    for line in program.lines:
        code[line.function] = code.get(line.function, 0) + line.words
    for function, words in code.items():
        span = state.functions.get(function)
        program.usage.append(Usage(function or "(code)", "code", words, span.label() if span else ""))
    taken: set[int] = set()
    for symbol, span in state.symbols:
        program.usage.append(Usage(symbol.name, "data", symbol.size, span.label()))
        end = symbol.address + symbol.size
        if symbol.address < arch.MAIN_WORDS < end:
            _too_large(state, span, f"'{symbol.name}' ends at 0x{end:04x}, main memory at 0x{arch.MAIN_WORDS:04x}")
        taken.update(range(symbol.address, min(end, arch.MEMORY_WORDS)))
        _registers_of_place(program, symbol.address, symbol.size)
    for line in program.lines:
        taken.update(range(line.address, line.address + line.words))
    other = sum(1 for a in memory if a not in taken)
    if other:
        program.usage.append(Usage("(other data)", "data", other))
    main = [a for a in (*memory, *taken) if a < arch.MAIN_WORDS]
    program.memory_end = max(main, default=-1) + 1
    program.stack_room = arch.MAIN_WORDS - program.memory_end
    program.depends = [state.source.path]

