"""Vector operands become DSRs.

A vector operand by value (`ir.Mem1` and its kin) is a template of constants, with registers where base or extent
are known at run time only. Equal templates of one DSR file share a descriptor in memory. Templates that run often
(in loops, handlers, functions) are *pinned*: they get a DSR of their own for the whole kernel, loaded once at the
start, so that set-up leaves loops whatever their form. The others are loaded into one of two scratch DSRs just
before their use. Base and extent in registers are set just before the instruction, which reads its DSRs as it
starts; so tasks may share them.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from math import prod

from carbide.flow import split
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
    Vector,
)
from fabric import descriptor as dsd
from fabric.isa import FILES

SCRATCH = 2
LOAD = {"DD": "ldd", "SA": "lds0", "SB": "lds1"}
LOAD_BY_REGISTER = {"DD": "lddr", "SA": "lds0r", "SB": "lds1r"}
SET = {"DD": "setd", "SA": "sets0", "SB": "sets1"}


@dataclass(frozen=True)
class Template:
    """A vector operand with its run-time parts blanked out (base, extent)."""

    file: str
    vector: Vector


def _template(file: str, v: Vector) -> Template:
    if isinstance(v, Mem1 | Mem4) and isinstance(v.base, Reg):
        v = replace(v, base=Addr(None, 0))
    extent = getattr(v, "extent", 0)
    if isinstance(extent, Reg):
        assert not isinstance(v, Mem4)
        v = replace(v, extent=0)
    return Template(file, v)


def _operands(op: Op) -> list[tuple[str, Vector]]:
    out: list[tuple[str, Vector]] = []
    if isinstance(op.dest, Vector):
        out.append(("DD", op.dest))
    for file, source in zip(("SA", "SB"), op.sources, strict=False):
        if isinstance(source, Vector):
            out.append((file, source))
    return out


@dataclass
class _Files:
    """What the kernel's DSRs hold."""

    pinned: dict[Template, int] = field(default_factory=dict)
    descriptors: dict[object, Data] = field(default_factory=dict)
    scratch: dict[str, int] = field(default_factory=dict)  # the next scratch DSR of a file


def _descriptor(unit: Unit, files: _Files, template: Template) -> Data:
    """The four words in memory that a template loads from."""
    v = template.vector
    key: object = (template.file == "DD", v) if isinstance(v, Fabric) else v
    found = files.descriptors.get(key)
    if found is not None:
        return found
    words: list[int | Addr]
    if isinstance(v, Mem1):
        assert isinstance(v.base, Addr) and isinstance(v.extent, int)
        words = [dsd.MEM1D, v.base, v.extent, v.stride & 0xFFFF]
    elif isinstance(v, Mem4):
        assert isinstance(v.base, Addr)
        total = prod(extent for extent, _ in v.levels)
        block: list[int | Addr] = [*dsd.x_block(v.levels)]
        levels = Data(f"levels.{len(files.descriptors)}", dsd.XBLOCK_WORDS, init=block, kind="descriptor")
        unit.data.append(levels)
        words = [dsd.MEM4D, v.base, total, Addr(levels)]
    elif isinstance(v, Fabric):
        kind = dsd.FABOUT if template.file == "DD" else dsd.FABIN
        flags = dsd.CONTROL * v.control | dsd.ADVANCE_SWITCH * v.flip | dsd.ENDLESS * (v.extent is None)
        words = [kind | flags, v.queue, _length(v.extent), 0]
    elif isinstance(v, FifoRef):
        words = [dsd.FIFO | dsd.ENDLESS * (v.extent is None), Addr(v.block), _length(v.extent), 0]
    elif isinstance(v, IterRef):
        assert v.descriptor.init is not None
        w = list(v.descriptor.init)
        assert isinstance(w[0], int)
        words = [w[0] | dsd.ENDLESS * (v.extent is None), w[1], _length(v.extent), w[3]]
    else:
        raise AssertionError("a stream is loaded from its variable")
    data = Data(f"dsd.{len(files.descriptors)}", dsd.WORDS, init=words, kind="descriptor")
    unit.data.append(data)
    files.descriptors[key] = data
    return data


def _length(extent: int | Reg | None) -> int:
    return extent if isinstance(extent, int) else 0


def _pin(unit: Unit) -> _Files:
    """Chooses the templates that keep a DSR for the whole kernel: those that run often, the most frequent first."""
    weight: dict[Template, float] = {}
    often: dict[Template, None] = {}  # in the order of the code, which a set would not keep
    first = unit.routines[0]
    for routine in unit.routines:
        for block in split(routine):
            for op in block.ops:
                for file, v in _operands(op):
                    if isinstance(v, StreamRef):
                        continue
                    t = _template(file, v)
                    weight[t] = weight.get(t, 0) + 8.0 ** min(block.depth + (routine is not first), 8)
                    if block.depth or routine is not first or weight[t] > 1:
                        often[t] = None
    files = _Files()
    for file, (count, _) in FILES.items():
        if file not in LOAD:
            continue
        wanted = sorted((t for t in often if t.file == file), key=lambda t: -weight[t])
        rest = any(t.file == file and t not in often for t in weight) or _has_streams(unit)
        room = count if len(wanted) <= count and not rest else count - SCRATCH
        for number, t in enumerate(wanted[:room]):
            files.pinned[t] = number
        files.scratch[file] = count - SCRATCH
    return files


def _has_streams(unit: Unit) -> bool:
    return any(
        isinstance(v, StreamRef) for r in unit.routines for op in r.code if isinstance(op, Op) for _, v in _operands(op)
    )


def assign(unit: Unit) -> None:
    """Replaces every vector operand of a unit by a `Dsr`, with the loads and settings that it needs."""
    files = _pin(unit)
    for routine in unit.routines:
        code: list[Op | Label] = []
        for item in routine.code:
            if isinstance(item, Op):
                _rewrite(unit, files, item, code)
            code.append(item)
        routine.code = code
    first = unit.routines[0]
    loads = [_load(unit, files, t, number, first) for t, number in files.pinned.items()]
    at = first.code.index(first.entry) + 1
    first.code[at:at] = loads


def _load(unit: Unit, files: _Files, t: Template, number: int, routine: Routine | Op) -> Op:
    span = routine.span
    return Op(LOAD[t.file], Dsr(t.file, number), (), (Addr(_descriptor(unit, files, t)),), span)


def _rewrite(unit: Unit, files: _Files, op: Op, code: list[Op | Label]) -> None:
    places: list[Operand | None] = [op.dest, *op.sources]
    for i, (file, v) in enumerate(
        zip(("DD", "SA", "SB"), [op.dest, *op.sources, None, None][:3], strict=True)
    ):
        if not isinstance(v, Vector):
            continue
        t = None if isinstance(v, StreamRef) else _template(file, v)
        pinned = files.pinned.get(t) if t else None
        if pinned is None:
            number = files.scratch[file]
            count = FILES[file][0]
            files.scratch[file] = count - SCRATCH if number + 1 == count else number + 1
            if isinstance(v, StreamRef):
                load = Op(LOAD[file], Dsr(file, number), (), (v.where,), op.span)
            else:
                assert t is not None
                load = _load(unit, files, t, number, op)
            load.statement, load.pred, load.negated, load.function = op.statement, op.pred, op.negated, op.function
            code.append(load)
        else:
            number = pinned
        base = v.base if isinstance(v, Mem1 | Mem4) else None
        extent = None if isinstance(v, Mem4) else v.extent
        settings: list[tuple[str, Operand]] = []
        if isinstance(base, Reg):
            settings.append(("base", base))
        if isinstance(extent, Reg):
            settings.append(("len", extent))
        elif isinstance(v, StreamRef):
            assert isinstance(extent, int)
            settings.append(("len", Imm(extent)))
        for what, value in settings:
            setting = Op(SET[file] + what, Dsr(file, number), (value,), (), op.span)
            setting.statement, setting.pred, setting.negated = op.statement, op.pred, op.negated
            setting.function = op.function
            code.append(setting)
        places[i] = Dsr(file, number)
    dest = places[0]
    assert dest is None or not isinstance(dest, Imm | Addr)
    op.dest = dest
    op.sources = tuple(p for p in places[1:] if p is not None)
