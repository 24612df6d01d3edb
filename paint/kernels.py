"""Kernels of a layout: each compiled once for each set of parameters, in worker processes where that helps.

The bindings are checked against what the kernel declares before it is compiled, so that a wrong name is shown in
the layout, where it stands. A kernel is NAME.w, or NAME.s in assembly.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from diag.report import Diagnostic, Reporter, UserError, suggest
from diag.spans import Span
from fabric.program import Program
from paint.flatten import Layout, TileClass
from paint.load import Sources
from paint.regions import Code

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


def compile_kernels(layout: Layout, sources: Sources, home: str, opt: int, threads: int) -> dict[int, Program]:
    """The program of each class with code, by its index. What is wrong goes to the sources' reporter; classes
    whose kernel has errors are missing."""
    reporter = sources.reporter
    jobs = _jobs(layout, sources, home)
    good = [job for job in jobs if check_bindings(job, sources, home, reporter)]
    alone = {job.path: sum(1 for j in jobs if j.path == job.path) == 1 for job in jobs}
    programs: dict[int, Program] = {}
    for job, (program, diagnostics) in zip(good, _compile_all(good, sources.lib, opt, threads), strict=True):
        for d in diagnostics:
            reporter.add(d if alone[job.path] else replace(d, notes=(*d.notes, _binding_note(job))))
        if program is not None and check_sockets(job, program, reporter):
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
    jobs: Sequence[Job], lib: Sequence[str], opt: int, threads: int
) -> list[tuple[Program | None, list[Diagnostic]]]:
    words = [(job.path, tuple(lib), job.params, opt) for job in jobs]
    if threads > 1 and len(jobs) > 1:
        from concurrent.futures import ProcessPoolExecutor

        with ProcessPoolExecutor(min(threads, len(jobs))) as pool:
            return list(pool.map(compile_one, words))
    return [compile_one(w) for w in words]


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


@dataclass(frozen=True)
class Declared:
    """What a kernel declares: places by name; `optional` are the parameters with a default."""

    params: dict[str, Span]
    optional: set[str]
    sockets: dict[str, Span]
    others: dict[str, Span]


def check_bindings(job: Job, sources: Sources, home: str, reporter: Reporter) -> bool:
    """PT111 to PT114 for every code() directive of the job. True when all is well."""
    declared = declarations(job.path, sources.lib)
    if declared is None:
        return True
    errors = len(reporter.errors)
    for code in {id(c.code): c.code for c in job.classes if c.code is not None}.values():
        places = dict(code.places)
        known = {**declared.params, **declared.sockets}
        for name, _ in (*code.params, *code.sockets):
            if name not in known:
                notes = []
                if name in declared.others:
                    notes = [(declared.others[name], f"'{name}' is declared here, but is neither of these")]
                reporter.report(
                    "PT111", places[name], kernel=code.kernel, name=name, hint=suggest(name, known), notes=notes
                )
        for name, _ in code.params:
            if name in declared.sockets:
                note = [(declared.sockets[name], "declared here")]
                reporter.report(
                    "PT114", places[name], kernel=code.kernel, name=name, what="socket", kind="a number", notes=note
                )
        for name, _ in code.sockets:
            if name in declared.params:
                note = [(declared.params[name], "declared here")]
                reporter.report(
                    "PT114", places[name], kernel=code.kernel, name=name, what="parameter", kind="a color", notes=note
                )
        for name, span in declared.params.items():
            if name not in places and name not in declared.optional:
                note = [(span, "declared here")]
                reporter.report("PT113", code.span, kernel=code.kernel, name=name, notes=note)
        for name, span in declared.sockets.items():
            if name not in places:
                note = [(span, "declared here")]
                reporter.report("PT112", code.span, kernel=code.kernel, name=name, notes=note)
    return len(reporter.errors) == errors


def check_sockets(job: Job, program: Program, reporter: Reporter) -> bool:
    """The same for what only the compiled program tells: sockets of a kernel in assembly."""
    errors = len(reporter.errors)
    names = dict(program.declared) | {s.socket: s.span for s in program.sockets}
    for code in {id(c.code): c.code for c in job.classes if c.code is not None}.values():
        places = dict(code.places)
        bound = dict(code.sockets)
        for name in names:
            if name not in bound:
                reporter.report("PT112", code.span, kernel=code.kernel, name=name)
        for name in bound:
            if name not in names:
                hint = suggest(name, names)
                reporter.report("PT111", places[name], kernel=code.kernel, name=name, hint=hint)
    return len(reporter.errors) == errors


def declarations(path: str, lib: Sequence[str]) -> Declared | None:
    """What the kernel and its imports declare, or None where only compiling tells (assembly, syntax errors)."""
    return None


__all__ = ["Job", "check_bindings", "check_sockets", "compile_kernels", "compile_one", "declarations"]
