"""One kernel, from its source to a `fabric.program.Program`: front end, lowering, back end, symbols, sockets."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from carbide import backend, ir, lower
from carbide.singles import lone_halves
from diag.report import Reporter
from fabric import arch, descriptor
from fabric.program import Program, SocketUse, Symbol
from tungsten import load, tree
from tungsten.types import Array, Record, Scalar, Type

ParamValue = str | int | float


def _element(t: Type) -> tuple[Scalar | Record, tuple[tuple[str, int], ...]]:
    if isinstance(t, Array):
        return t.elem, tuple((d.name, d.extent or 0) for d in t.dims)
    return t, ()


def _symbols(source: tree.Program, compiled: backend.Compiled) -> list[Symbol]:
    """The globals of a kernel with their addresses, in the order of declaration."""
    from carbide.place import address_of

    placed = {d.name: d for d in compiled.unit.data if d.kind == "global"}
    out = []
    for g in source.globals:
        elem, dims = _element(g.type)
        kind = elem.kind if isinstance(elem, Record) else elem.name
        address = address_of(placed[g.name], compiled.layout.address)
        out.append(Symbol(g.name, kind, address, elem.words, dims))
    return out


def _live_queues(unit: ir.Unit) -> set[tuple[str, int]]:
    """(direction, queue) of all that the code uses: by a descriptor, or by a task that its wavelets start."""
    found = {("in", queue) for table, queue, _, _ in unit.tasks if table != "control" and queue < arch.QUEUES}
    for d in unit.data:
        if d.kind == "descriptor" and d.words == descriptor.WORDS and d.init is not None:
            kind, queue = d.init[0], d.init[1]
            way = _WAYS.get(kind & 0xF) if isinstance(kind, int) else None
            if way and isinstance(queue, int):
                found.add((way, queue))
    return found


_WAYS = {descriptor.FABIN: "in", descriptor.FABOUT: "out"}


def _sockets(source: tree.Program, live: set[tuple[str, int]]) -> list[SocketUse]:
    out = []
    lone = lone_halves(source)
    for s in source.sockets:
        elem = s.elem.name if s.elem else ""
        at = s.span.label()
        for way, queue, places in (("in", s.in_queue, s.receives), ("out", s.out_queue, s.sends)):
            if queue is not None:
                uses = tuple(u.label() for u in places)
                single = tuple(span.label() for span in lone.get(s.name, ())) if way == "out" else ()
                out.append(SocketUse(s.name, way, queue, elem, at, uses, (way, queue) in live, single))
    return out


def _filters(p: Program, source: tree.Program) -> None:
    """Filter words except enable and color, which milink writes when the color has a number."""
    for number, f in enumerate(source.filters):
        at = arch.FILTERS + number * arch.FILTER_WORDS
        p.registers[at + arch.FILTER_LIMIT] = f.limit
        p.registers[at + arch.FILTER_MAXPASS] = f.maxpass
        drop_phase = (f.maxpass + 1) % (f.limit + 1)  # where nothing is dropped, the period begins anew
        p.registers[at + arch.FILTER_COUNTER] = drop_phase if f.state & 64 else 0
        p.filters.append((number, f.socket.name))


def assemble_program(source: tree.Program, compiled: backend.Compiled) -> Program:
    """The program of a compiled kernel. Raises UserError when it does not fit into memory."""
    p = backend.program(compiled, source.name, source.path)
    p.symbols = _symbols(source, compiled)
    p.sockets = _sockets(source, _live_queues(compiled.unit))
    p.declared = [(s.name, s.span.label()) for s in source.sockets]
    _filters(p, source)
    p.self_routing = any(arch.sets_routes(s.address, s.size) for s in p.symbols)
    p.by_place = any(arch.reads_place(s.address, s.size) for s in p.symbols)
    p.depends = list(source.depends)
    return p


def compile_kernel(
    path: str,
    lib: Sequence[str] = (),
    params: Mapping[str, ParamValue] | None = None,
    reporter: Reporter | None = None,
    opt: int = 1,
) -> Program:
    """Compiles kernel `path` (a .w file) with `params` bound by name; `lib` are the directories of imports.

    Raises UserError with all errors found; warnings stand in `reporter`.
    """
    reporter = reporter if reporter is not None else Reporter()
    source = load(path, list(lib), dict(params or {}), reporter)
    reporter.raise_if_errors()
    unit = lower.lower(source, reporter)
    reporter.raise_if_errors()
    p = assemble_program(source, backend.run(unit, opt))
    p.params = {k: str(v) for k, v in (params or {}).items() if k in source.params}
    return p
