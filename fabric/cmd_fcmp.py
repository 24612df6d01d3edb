"""`fcmp`: compares two raw files."""

from __future__ import annotations

from collections.abc import Sequence

from diag.driver import Command, Opt
from diag.driver import main as drive
from fabric.fcmp import FORMATS


def run(options: dict[str, object]) -> int:
    """Exit code 0 when no element is over the limit; FB323 (exit 1) otherwise."""
    from diag.files import read_bytes
    from diag.report import fail
    from fabric.fcmp import compare, parse

    path_a, path_b = str(options["a"]), str(options["b"])
    form_a = str(options["aformat"])
    form_b = str(options["bformat"])
    limit = float(str(options["limit"]))
    if not limit >= 0:
        raise fail("DG004", None, name="limit", value=options["limit"], why="it takes a number of at least 0")
    a, b = parse(read_bytes(path_a), form_a, path_a), parse(read_bytes(path_b), form_b, path_b)
    if len(a) != len(b):
        raise fail("FB322", None, a=path_a, na=len(a), fa=form_a, b=path_b, nb=len(b), fb=form_b)
    if not len(a):
        raise fail("FB324", None, a=path_a)
    r = compare(a, b, limit)
    if options["report"]:
        print(f"{r.count} elements, {r.over} over the limit {limit:g}; worst error {r.worst:.6g}, mean {r.mean:.6g}")
        for index, va, vb, e in r.places:
            if e > limit:
                print(f"  [{index}] {va} {vb} error {e:.6g}", flush=True)
    if r.over:
        index, va, vb, worst = r.places[0]
        raise fail(
            "FB323", None, over=r.over, count=r.count, limit=f"{limit:g}", index=index, va=va, vb=vb, worst=f"{worst:.6g}"
        )
    return 0


COMMAND = Command(
    "fcmp",
    "compares two raw files: the error of an element is |a-b| / max(1, |b|), NaN differs from everything",
    (
        Opt("a", "the first file", kind="path", required=True, what="FILE"),
        Opt("b", "the second file, the reference", kind="path", required=True, what="FILE"),
        Opt("aformat", "the type of a's elements", "sp", kind="choice", choices=tuple(FORMATS)),
        Opt("bformat", "the type of b's elements", "sp", kind="choice", choices=tuple(FORMATS)),
        Opt("limit", "the largest error that passes", 0.01, kind="float", what="ERROR"),
        Opt("report", "print a line of figures, and the worst elements that are over the limit", kind="flag"),
    ),
    run,
    "fcmp a=result.raw b=expected.raw aformat=sp bformat=sp limit=1e-5 report=1",
)


def main(argv: Sequence[str] | None = None) -> int:
    return drive(COMMAND, argv)
