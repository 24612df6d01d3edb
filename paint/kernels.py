"""Kernels of a layout: each compiled once for each set of parameters, in worker processes where that helps.

Where the bindings do not fit what the kernel declares, its declarations are read once more, so that a wrong name is
shown in the layout, where it stands. A kernel is NAME.w, or NAME.s in assembly.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from diag.report import Diagnostic, Reporter, UserError, suggest
from diag.spans import Span
from fabric.program import Program
from paint.cache import Cache
from paint.flatten import Layout, TileClass
from paint.load import Sources
from paint.regions import Code

# The front end's messages about params that are not bound, and about bindings of what is no param.
_BINDING_CODES = ("TW136", "TW139")

Params = tuple[tuple[str, int | float], ...]


@dataclass
class Job:
    """One compilation and the classes of tiles that need it."""

    path: str
    params: Params
    classes: list[TileClass]

    @property
    def code(self) -> Code:
        code = self.classes[0].code
        assert code is not None
        return code


def compile_kernels(
    layout: Layout, sources: Sources, home: str, opt: int, threads: int, cache: Cache
) -> dict[int, Program]:
    """The program of each class with code, by its index. What is wrong goes to the sources' reporter; classes
    whose kernel has errors are missing."""
    reporter = sources.reporter
    jobs = _jobs(layout, sources, home)
    alone = {job.path: sum(1 for j in jobs if j.path == job.path) == 1 for job in jobs}
    programs: dict[int, Program] = {}
    for job, (program, diagnostics) in zip(
        jobs, _compile_all(jobs, sources.lib, opt, threads, cache), strict=True
    ):
        good = True
        if program is None or not _fits(job, program):
            declared = _declared(job, program, sources)
            good = declared is None or check_bindings(job, declared, reporter)
            if not good:
                # The layout's messages tell the same with the place to mend.
                diagnostics = [d for d in diagnostics if d.is_error and d.code.code not in _BINDING_CODES]
        for d in diagnostics:
            reporter.add(d if alone[job.path] else replace(d, notes=(*d.notes, _binding_note(job))))
        if program is not None and good:
            programs.update((c.index, program) for c in job.classes)
    return programs


def _jobs(layout: Layout, sources: Sources, home: str) -> list[Job]:
    found: dict[object, Job] = {}
    for c in layout.classes:
        if c.code is None:
            continue
        path = sources.kernel(c.code.kernel, c.code.kernel_span, home)
        if path is not None:
            params = tuple(sorted(c.code.params))
            # 1 and 1.0 are equal, but a parameter without a type sees the difference.
            key = path, tuple((n, type(v), v) for n, v in params)
            found.setdefault(key, Job(path, params, [])).classes.append(c)
    return list(found.values())


def _binding_note(job: Job) -> tuple[Span, str]:
    words = " ".join(f"{n}:{v}" for n, v in job.params)
    return job.code.span, f"compiled for this, with [{words}]" if words else "compiled for this"


def _compile_all(
    jobs: Sequence[Job], lib: Sequence[str], opt: int, threads: int, cache: Cache
) -> list[tuple[Program | None, list[Diagnostic]]]:
    words = [(job.path, tuple(lib), job.params, opt) for job in jobs]
    done: dict[int, tuple[Program | None, list[Diagnostic]]] = {}
    for i, w in enumerate(words):
        kept = cache.get(w)
        if kept is not None:
            done[i] = kept, []
    todo = [i for i in range(len(words)) if i not in done]
    if threads > 1 and len(todo) > 1:
        from concurrent.futures import ProcessPoolExecutor

        with ProcessPoolExecutor(min(threads, len(todo))) as pool:
            fresh = list(pool.map(compile_one, [words[i] for i in todo]))
    else:
        fresh = [compile_one(words[i]) for i in todo]
    for i, (program, diagnostics) in zip(todo, fresh, strict=True):
        if program is not None and not diagnostics:
            cache.put(words[i], program)
        done[i] = program, diagnostics
    return [done[i] for i in range(len(words))]


def compile_one(words: tuple[str, tuple[str, ...], Params, int]) -> tuple[Program | None, list[Diagnostic]]:
    """Compiles or assembles one kernel; its messages come back as data, since this may run in another process."""
    path, lib, params, opt = words
    reporter = Reporter()
    program: Program | None = None
    try:
        if path.endswith(".s"):
            from diag.files import read_source
            from fabric.asm import assemble

            program = assemble(read_source(path), reporter)
            program.depends = program.depends or [path]
        else:
            from carbide.compile import compile_kernel

            program = compile_kernel(path, list(lib), dict(params), reporter, opt)
    except UserError as e:
        for d in e.diagnostics:
            reporter.add(d)
    return (None if reporter.errors else program), reporter.diagnostics


# -- bindings ---------------------------------------------------------------------------------------------------


@dataclass
class Declared:
    """What a kernel and its imports declare: places by name; `optional` are the parameters with a default.

    A place is None where the kernel is in assembly.
    """

    params: dict[str, Span | None] = field(default_factory=dict)
    optional: set[str] = field(default_factory=set)
    sockets: dict[str, Span | None] = field(default_factory=dict)
    others: dict[str, Span | None] = field(default_factory=dict)


def _codes(job: Job) -> list[Code]:
    return list({id(c.code): c.code for c in job.classes if c.code is not None}.values())


def _sockets(program: Program) -> set[str]:
    return {name for name, _ in program.declared} | {s.socket for s in program.sockets}


def _fits(job: Job, program: Program) -> bool:
    """Whether the bindings are just what the compiled kernel asks for."""
    sockets = _sockets(program)
    known = {n for n, _ in job.params} <= set(program.params)
    return known and all({n for n, _ in code.sockets} == sockets for code in _codes(job))


def _declared(job: Job, program: Program | None, sources: Sources) -> Declared | None:
    """The declarations of a kernel that did not compile or does not fit; None when they can't be read."""
    if job.path.endswith(".s"):
        return Declared(sockets=dict.fromkeys(_sockets(program))) if program else None
    found = Declared()
    return found if _read(job.path, sources, found, set()) else None


def _read(path: str, sources: Sources, found: Declared, seen: set[str]) -> bool:
    """Adds the top-level declarations of a source and its imports. False when there are syntax errors."""
    from diag.files import read_source
    from tungsten import ast
    from tungsten.reader import read

    seen.add(path)
    own = Reporter()
    try:
        file = read(read_source(path), own)
    except UserError:
        return False
    if own.errors:
        return False
    for item in file.items:
        if isinstance(item, ast.Import):
            imported = sources.find(f"{item.name.name}.w", os.path.dirname(path))
            if imported is not None and imported not in seen and not _read(imported, sources, found, seen):
                return False
        elif isinstance(item, ast.Decl):
            group = {"param": found.params, "socket": found.sockets}.get(item.role, found.others)
            for x in item.items:
                group.setdefault(x.name.name, x.name.span)
                if item.role == "param" and x.init is not None:
                    found.optional.add(x.name.name)
    return True


def check_bindings(job: Job, declared: Declared, reporter: Reporter) -> bool:
    """PT111 to PT114 for every code() directive of the job. True when all is well."""
    errors = len(reporter.errors)
    known = {**declared.params, **declared.sockets}

    def here(span: Span | None, text: str = "declared here") -> list[tuple[Span, str]]:
        return [(span, text)] if span is not None else []

    for code in _codes(job):
        places = dict(code.places)
        for name, span in places.items():
            if name not in known:
                notes = here(declared.others.get(name), f"'{name}' is declared here, but is neither of these")
                hint = suggest(name, set(known) - set(places))
                reporter.report("PT111", span, kernel=code.kernel, name=name, hint=hint, notes=notes)
        wrong = [(n, declared.sockets, "socket", "a number") for n, _ in code.params]
        wrong += [(n, declared.params, "parameter", "a color") for n, _ in code.sockets]
        for name, group, what, kind in wrong:
            if name in group:
                notes = here(group[name])
                reporter.report(
                    "PT114", places[name], kernel=code.kernel, name=name, what=what, kind=kind, notes=notes
                )
        for name, declared_at in declared.params.items():
            if name not in places and name not in declared.optional:
                reporter.report("PT113", code.span, kernel=code.kernel, name=name, notes=here(declared_at))
        for name, declared_at in declared.sockets.items():
            if name not in places:
                reporter.report("PT112", code.span, kernel=code.kernel, name=name, notes=here(declared_at))
    return len(reporter.errors) == errors
