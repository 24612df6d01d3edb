"""The back end: from a unit of lowering to a program with words, addresses and line table.

The passes, in order: loads that repeat what a block knows (forward), what loops need not repeat (invariant), vector
operands to DSRs (descriptors, settings), order of instructions (schedule), registers (allocate), loops that count
(counting), instructions (emit), addresses (place), words (encode).
"""

from __future__ import annotations

from dataclasses import dataclass, field

from carbide import (
    allocate,
    banks,
    counting,
    descriptors,
    emit,
    forward,
    invariant,
    schedule,
    settings,
    usage,
)
from carbide.ir import Addr, Data, Label, Op, Unit
from carbide.place import CODE_START, Layout, address_of, fits, place
from fabric import arch, disasm
from fabric.program import Line, Program
from fabric.weight import check as check_weight


@dataclass
class Compiled:
    """The result of the passes, from which program, listing and dumps are made."""

    unit: Unit
    code: list[emit.Emitted]
    where: dict[Label, int]
    layout: Layout
    words: list[int]
    code_end: int
    by_routine: dict[str, int] = field(default_factory=dict)
    owner: dict[Data, str] = field(default_factory=dict)


def run(unit: Unit, opt: int = 1) -> Compiled:
    """Runs all passes over a unit, which they change. `opt` 1 keeps the order of statements, 2 does not."""
    volatile = forward.volatile_data(unit)
    for routine in unit.routines:
        forward.forward(routine, volatile)
        invariant.hoist(routine, volatile)
    meetings, owner = banks.meetings(unit), usage.owners(unit)
    descriptors.assign(unit)
    code: list[emit.Emitted] = []
    for routine in unit.routines:
        invariant.hoist(routine, volatile)
        settings.arrange(routine)
        schedule.schedule(routine, opt)
        homes: list[Data] = []
        places = allocate.allocate(routine, homes)
        if routine.link is not None and routine.link not in unit.data:
            homes.append(routine.link)
        unit.data += homes
        owner.update(dict.fromkeys(homes, routine.name))
        counting.count_down(routine)
        code += emit.instructions(routine, places)
    code = emit.merge_terminates(emit.drop_jumps_to_next(code))
    where, code_end = emit.assign_addresses(code, CODE_START)
    unit.data = usage.used(unit.data, emit.places(code))
    layout = place(unit.data, meetings, code_end)
    # What does not fit has no addresses; `program` says what takes how much.
    words = emit.resolve(code, where, layout) if fits(layout.end) else []
    by_routine: dict[str, int] = {}
    for e in code:
        name = e.function or e.routine
        by_routine[name] = by_routine.get(name, 0) + e.instr.length
    return Compiled(unit, code, where, layout, words, code_end, by_routine, owner)


def _initial_words(data: Data, layout: Layout) -> list[int]:
    assert data.init is not None
    return [(layout.of(w) if isinstance(w, Addr) else w) & 0xFFFF for w in data.init]


def _mask(first: int, tasks: set[int]) -> dict[int, int]:
    words: dict[int, int] = {}
    for t in tasks:
        words[first + t // 16] = words.get(first + t // 16, 0) | 1 << t % 16
    return words


TABLES = {"task": arch.TASK_TABLE, "control": arch.CONTROL_TABLE, "queue_control": arch.INPUT_CONTROL}


def _registers(c: Compiled) -> dict[int, int]:
    """Configuration words of the program: task tables, masks, queue modes, filters without their color."""
    unit = c.unit
    out: dict[int, int] = {}
    for table, number, label, _ in unit.tasks:
        out[TABLES[table] + number] = c.where[label]
    out |= _mask(arch.TASK_BLOCKED, unit.blocked)
    out |= _mask(arch.TASK_ACTIVE, unit.active)
    for q in unit.halves:
        out[arch.INPUT_MODE + 2 * q] = 1
    return out


def _sections(c: Compiled, registers: dict[int, int]) -> list[tuple[int, list[int]]]:
    """Code and initialised data; a word at a configuration address goes to the registers."""
    sections = [(CODE_START, c.words)]
    for d in c.unit.data:
        if d.init is None or d.alias is not None and not d.init:
            continue
        at = address_of(d, c.layout.address)
        words = _initial_words(d, c.layout)
        if arch.CONFIG_START <= at < arch.CACHE_START:
            registers.update({at + k: w for k, w in enumerate(words)})
        elif any(words) or d.address is not None or d.alias is not None:
            sections.append((at, words))
    return sections


def _lines(code: list[emit.Emitted], where: dict[Label, int]) -> list[Line]:
    names = {at: label.name for label, at in where.items()}
    out = []
    for e in code:
        path, line, col = (e.span.path, e.span.line, e.span.col) if e.span else ("", 0, 0)
        text = disasm.text(e.instr, names.get)
        out.append(Line(e.address, e.instr.length, path, line, col, e.function or e.routine, text))
    return out


def program(c: Compiled, name: str, source: str) -> Program:
    """The program of a compiled unit, without symbols and sockets (those come from the source).

    Raises UserError when code and data exceed main memory, with a table of what takes how much.
    """
    p = Program(name, source)
    p.registers = _registers(c)
    p.sections = _sections(c, p.registers)
    p.lines = _lines(c.code, c.where)
    p.usage = usage.rows(c.unit.data, c.unit.routines, c.by_routine, c.owner)
    p.tasks = {number: text for table, number, _, text in c.unit.tasks if table == "task"}
    p.memory_end = c.layout.end
    p.stack_room = max(0, arch.MAIN_WORDS - c.layout.end)
    check_weight([p])
    return p


def operations(unit: Unit) -> int:
    """How many operations lowering made (for tests and statistics)."""
    return sum(isinstance(x, Op) for r in unit.routines for x in r.code)
