"""The intermediate form as text, the same for the same unit (`carbide dump=ir`)."""

from __future__ import annotations

from carbide.ir import (
    Addr,
    Data,
    Dsr,
    Fabric,
    FifoRef,
    Imm,
    IterRef,
    Label,
    Mem1,
    Mem4,
    Op,
    Operand,
    Reg,
    Routine,
    StreamRef,
    Unit,
)


class _Names:
    """Short unique names of registers, by order of appearance within a routine."""

    def __init__(self) -> None:
        self._names: dict[Reg, str] = {}
        self._count: dict[str, int] = {}

    def of(self, r: Reg) -> str:
        found = self._names.get(r)
        if found is None:
            n = self._count.get(r.file, 0)
            self._count[r.file] = n + 1
            tail = f":{r.name}" if r.name else ""
            found = self._names[r] = f"{r.file.lower()}{n}{tail}"
        return found


def _addr(a: Addr) -> str:
    if a.data is None:
        return f"0x{a.offset & 0xFFFF:04x}"
    return f"{a.data.name}{a.offset:+d}" if a.offset else a.data.name


def _extent(x: int | Reg | None, names: _Names) -> str:
    return "∞" if x is None else names.of(x) if isinstance(x, Reg) else str(x)


def _base(x: Addr | Reg, names: _Names) -> str:
    return names.of(x) if isinstance(x, Reg) else _addr(x)


def _operand(x: Operand, names: _Names) -> str:
    if isinstance(x, Reg):
        return names.of(x)
    if isinstance(x, Imm):
        return f"0x{x.bits:x}"
    if isinstance(x, Addr):
        return f"&{_addr(x)}"
    if isinstance(x, Dsr):
        return f"{x.file}{x.number}"
    if isinstance(x, Mem1):
        stride = "" if x.stride == 1 else f" step {x.stride}"
        return f"[{_base(x.base, names)} x{_extent(x.extent, names)}{stride} w{x.elem_words}]"
    if isinstance(x, Mem4):
        levels = " ".join(f"{n}:{s}" for n, s in x.levels)
        return f"[{_base(x.base, names)} grid {levels} w{x.elem_words}]"
    if isinstance(x, Fabric):
        marks = " control" * x.control + " flip" * x.flip
        return f"[queue {x.queue} x{_extent(x.extent, names)}{marks}]"
    if isinstance(x, FifoRef):
        return f"[fifo {x.block.name} x{_extent(x.extent, names)}]"
    if isinstance(x, IterRef):
        return f"[iterator {x.descriptor.name} x{_extent(x.extent, names)}]"
    assert isinstance(x, StreamRef)
    return f"[stream {_addr(x.where)} x{_extent(x.extent, names)}]"


def _op(op: Op, names: _Names) -> str:
    words = []
    if op.pred is not None:
        words.append(f"{'!' if op.negated else ''}{names.of(op.pred)}?")
    words.append(op.name)
    if op.background is not None:
        b = op.background
        words[-1] += f".ut{b.ut}" + (f".{b.completion}{b.task}" if b.completion else "")
    if op.dest is not None:
        words.append(f"{_operand(op.dest, names)} =")
    parts = [_operand(s, names) for s in op.sources]
    for a in op.args:
        parts.append(a.name if isinstance(a, Label) else f"[{_addr(a)}]" if isinstance(a, Addr) else str(a))
    if op.targets:
        parts.append("-> " + " ".join(x.name for x in op.targets))
    text = " ".join(words) + (" " + ", ".join(parts) if parts else "")
    at = f"{op.span.line}:{op.span.col}" if op.span is not None else ""
    return f"    {text:<60} ; {op.statement} {at}".rstrip()


def _routine(r: Routine, out: list[str]) -> None:
    names = _Names()
    held = ", ".join(f"R{n}={names.of(reg)}" for n, reg in r.entry_regs)
    out.append(f"routine {r.name}{f' ({held})' if held else ''}")
    for item in r.code:
        out.append(f"  {item.name}:" if isinstance(item, Label) else _op(item, names))


def _data(d: Data) -> str:
    words = [f"data {d.name} {d.kind} {d.words}"]
    if d.address is not None:
        words.append(f"at 0x{d.address:04x}")
    if d.alias is not None:
        words.append(f"in {_addr(Addr(*d.alias))}")
    if d.bank is not None:
        words.append(f"bank {d.bank}")
    if d.init is not None and any(d.init):
        shown = [_addr(w) if isinstance(w, Addr) else f"0x{w & 0xFFFF:x}" for w in d.init[:16]]
        words.append("= " + " ".join(shown) + (" …" if len(d.init) > 16 else ""))
    return " ".join(words)


def dump_unit(unit: Unit) -> str:
    """The routines, tasks and data of a unit, one line each."""
    out: list[str] = []
    for table, number, label, what in unit.tasks:
        state = " active" * (number in unit.active and table == "task")
        state += " blocked" * (number in unit.blocked and table == "task") + " halves" * (number in unit.halves)
        out.append(f"{table} {number} {label.name} ({what}){state}")
    for r in unit.routines:
        _routine(r, out)
    out += [_data(d) for d in unit.data]
    out += [f"apart {a.name} {b.name}" for a, b in dict.fromkeys(unit.meets)]
    return "\n".join(out) + "\n"
