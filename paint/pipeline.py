"""From a layout to an image: `paint.build(…)`, and the steps behind the command.

read and evaluate -> flatten to tile classes -> compile each kernel once -> number the colors
-> check the routes -> object image -> link
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeVar

from diag.report import Reporter, UserError
from diag.spans import Source, Span
from fabric.program import Program
from paint import link as linker
from paint.cache import Cache
from paint.evaluate import Evaluator, Scope
from paint.flatten import Layout, flatten
from paint.grammar import parse_value
from paint.kernels import compile_kernels
from paint.load import Sources
from paint.meet import problem
from paint.queues import check_halves, check_queues
from paint.rules import FP16_CODE
from paint.values import Symbol, Value

if TYPE_CHECKING:
    from fabric.image import Image
    from fabric.map import Entry
    from paint.wiring import Finding, Wiring

T = TypeVar("T")


@dataclass(frozen=True)
class Options:
    """What the command line gives. `given` are the set= words by name, as text; "" counts as unset."""

    lib: Sequence[str] = ()
    given: Mapping[str, str] = field(default_factory=dict)
    machine: str = "sdr"
    fp16: int = 0
    threads: int = 1
    opt: int = 1
    fabric: tuple[int, int] | None = None
    cache: str | None = None  # directory of compiled kernels


@dataclass
class Built:
    """What came of a layout. `object` is the unlinked image, `programs` each compiled kernel once."""

    layout: Layout
    numbers: dict[str, int]
    programs: list[Program]
    placed: list[linker.Placed]
    wiring: Wiring
    findings: list[Finding]
    object: Image
    entries: list[Entry]
    depends: list[str]
    reporter: Reporter

    def map_text(self) -> str:
        from fabric.map import format_map

        return format_map(self.entries)


def build(
    source: str | os.PathLike[str] | Mapping[str, str],
    *,
    lib: Sequence[str | os.PathLike[str]] = (),
    float16_dtype: int = 0,
    threads: int = 1,
    opt: int = 1,
    **params: int | float | str,
) -> Image:
    """The linked image of a layout, with its map in `meta["map"]`.

    `source` is a layout file, or a directory with bench.paint or with a single layout, or a mapping of file names
    to texts. `params` are the layout's free names, the others as on the command line. Raises UserError with
    everything found wrong.
    """
    if isinstance(source, Mapping):
        import tempfile

        with tempfile.TemporaryDirectory() as directory:
            for name, text in source.items():
                with open(os.path.join(directory, name), "w", encoding="utf-8") as f:
                    f.write(text)
            return build(directory, lib=lib, float16_dtype=float16_dtype, threads=threads, opt=opt, **params)
    given = {k: str(v) for k, v in params.items()}
    options = Options([os.fspath(d) for d in lib], given, fp16=float16_dtype, threads=threads, opt=opt)
    built = run(_layout_of(os.fspath(source)), options)
    image = linker.link(built.object)
    image.meta["map"] = built.map_text()
    return image


def _layout_of(path: str) -> str:
    if not os.path.isdir(path):
        return path
    found = sorted(f for f in os.listdir(path) if f.endswith(".paint"))
    if "bench.paint" in found or len(found) != 1:
        return os.path.join(path, "bench.paint")
    return os.path.join(path, found[0])


def run(path: str, options: Options) -> Built:
    """All steps up to the object image. Raises UserError; warnings stand in the result's reporter."""
    reporter = Reporter()
    sources = Sources(options.lib, reporter)
    layout = evaluate(path, sources, options, reporter)
    return finish(path, layout, sources, options, reporter)


def evaluate(path: str, sources: Sources, options: Options, reporter: Reporter) -> Layout:
    """The flattened layout of a file. Raises UserError."""
    statements, source = sources.load(path)
    given = {name: _given(name, text) for name, text in options.given.items()}
    result = Evaluator(reporter, given).run(statements, _whole(source))
    layout = flatten(result, reporter, options.fabric)
    check_adders(layout, options.fp16, reporter)
    return layout


def finish(path: str, layout: Layout, sources: Sources, options: Options, reporter: Reporter) -> Built:
    """Kernels, numbers, checks, image. Kernels and colors are looked at even where the layout has errors of its
    own, so that one run tells all."""
    from fabric import weight
    from paint.checks import check, diagnostic
    from paint.colors import solve
    from paint.wiring import wiring

    programs = compile_kernels(
        layout, sources, os.path.dirname(path), options.opt, options.threads, Cache(options.cache)
    )
    for program in programs.values():
        sources.depends += [f for f in program.depends if f not in sources.depends]
    check_queues(layout, lambda c: programs.get(c.index), reporter)
    check_halves(layout, lambda c: programs.get(c.index), reporter)
    distinct = list({id(p): p for p in programs.values()}.values())
    _collect(lambda: weight.check(distinct), reporter)
    numbers = _collect(lambda: solve(problem(layout)), reporter)
    reporter.raise_if_errors()
    assert numbers is not None
    wires = wiring(layout, numbers, lambda c: programs.get(c.index))
    findings = check(wires)
    for finding in findings:
        reporter.add(diagnostic(finding))
    reporter.raise_if_errors()
    placed = linker.placements(layout, programs)
    image = linker.object_image(layout, placed, numbers, options.fp16, options.machine)
    entries = linker.map_entries(placed)
    return Built(
        layout, numbers, distinct, placed, wires, findings, image, entries, sources.depends, reporter
    )


def _collect(step: Callable[[], T], reporter: Reporter) -> T | None:
    """The result of a step, or None with its errors in the reporter."""
    try:
        return step()
    except UserError as e:
        for d in e.diagnostics:
            reporter.add(d)
        return None


def _whole(source: Source) -> Span:
    """The last line that is not blank: where the layout's expression is missing."""
    end = len(source.text.rstrip())
    start = source.text.rfind("\n", 0, end) + 1
    return source.span(start, max(end, start + 1))


_NUMERIC = re.compile(r"[0-9a-fA-FxX.eE+\-*/%()\s]*[0-9][0-9a-fA-FxX.eE+\-*/%()\s]*")


def _given(name: str, text: str) -> Value | None:
    """The value of set=name=text: a number or arithmetic on numbers, else a symbol; None when empty."""
    text = text.strip()
    if not text:
        return None
    if _NUMERIC.fullmatch(text):
        own = Reporter()
        expr = parse_value(Source(f"set={name}", text), own)
        if expr is not None and not own.errors:
            try:
                value = Evaluator(own, {}).expr(expr, Scope())
            except UserError:
                value = None
            if isinstance(value, int | float):
                return value
    return Symbol(text)


def check_adders(layout: Layout, fp16: int, reporter: Reporter) -> None:
    """PT084 for each adder rule when float16_dtype= names no format (S3:76-84)."""
    if fp16 in FP16_CODE:
        return
    for c in layout.classes:
        for painted in c.rules.values():
            if painted.rule.adder:
                reporter.report("PT084", painted.rule.span or painted.span, dtype=fp16)
