"""The command `carbide`: one kernel to an object file and a listing; also assembles `*.s`."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

from diag.driver import Command, Opt
from diag.driver import main as drive
from diag.files import Outputs, read_source
from diag.report import Reporter, fail, render

if TYPE_CHECKING:
    from fabric.program import Program


def _params(words: list[str]) -> dict[str, str]:
    out: dict[str, str] = {}
    for word in words:
        name, eq, value = word.partition("=")
        if not eq or not name:
            raise fail("CB101", word=word)
        if value != "":
            out[name] = value
    return out


def _dump(stage: str, path: str, lib: list[str], params: dict[str, str], opt: int, reporter: Reporter) -> str:
    from carbide import backend, compile, lower
    from carbide.dump import dump_unit
    from carbide.listing import as_text
    from tungsten import load
    from tungsten.dump import dump_program

    source = load(path, lib, dict(params), reporter)
    reporter.raise_if_errors()
    if stage == "ast":
        return dump_program(source)
    unit = lower.lower(source, reporter)
    reporter.raise_if_errors()
    if stage == "ir":
        return dump_unit(unit)
    return as_text(compile.assemble_program(source, backend.run(unit, opt)))


def _compile(path: str, lib: list[str], params: dict[str, str], opt: int, reporter: Reporter) -> Program:
    if path.endswith(".s"):
        from fabric.asm import assemble

        program = assemble(read_source(path), reporter)
        reporter.raise_if_errors()
        return program
    from carbide.compile import compile_kernel

    return compile_kernel(path, lib, params, reporter, opt)


def run(options: dict[str, object]) -> int:
    path, opt = str(options["source"]), int(str(options["opt"]))
    lib, sets = options["lib"], options["set"]
    assert isinstance(lib, list) and isinstance(sets, list)
    params = _params(sets)
    reporter = Reporter()
    if not path.endswith((".w", ".s")):
        raise fail("CB102", path=path)
    if options["dump"] and path.endswith(".s"):
        raise fail("CB103", path=path)
    if options["dump"]:
        text = _dump(str(options["dump"]), path, lib, params, opt, reporter)
        _warnings(reporter)
        sys.stdout.write(text)
        return 0
    program = _compile(path, lib, params, opt, reporter)
    _warnings(reporter)
    with Outputs() as out:
        if options["object"]:
            out.add(str(options["object"]), json.dumps(program.to_json(), ensure_ascii=False) + "\n")
        if options["listing"]:
            from carbide.listing import as_json, as_text

            where = str(options["listing"])
            out.add(where, as_json([program]) if where.endswith(".json") else as_text(program))
    if options["verbose"]:
        code = sum(u.words for u in program.usage if u.kind == "code")
        data = sum(u.words for u in program.usage if u.kind == "data")
        print(f"{os.path.basename(path)}: {code} words of code, {data} of data, {program.stack_room} free")
    return 0


def _warnings(reporter: Reporter) -> None:
    for d in reporter.diagnostics:
        print(render(d), file=sys.stderr)


COMMAND = Command(
    "carbide",
    "compiles one Tungsten kernel (or assembles *.s) to an object file and a listing",
    (
        Opt("source", "the kernel, name.w, or assembly, name.s", kind="path", required=True, what="FILE"),
        Opt("arch", "the machine", "sdr", "choice", choices=("sdr",)),
        Opt("lib", "a directory to search for imports; one that does not exist is passed over", many=True, what="DIR"),
        Opt("set", "a value for a param of the kernel", many=True, what="NAME=VALUE"),
        Opt("object", "the object file to write", kind="path", what="FILE"),
        Opt("listing", "the listing to write: JSON if its name ends in .json, else text", kind="path", what="FILE"),
        Opt("opt", "1 keeps the order of statements, 2 schedules across them", "1", "choice", choices=("1", "2")),
        Opt("dump", "print a stage instead: the typed tree, the intermediate form, the instructions", None, "choice",
            choices=("ast", "ir", "asm")),
        Opt("verbose", "print the sizes", kind="flag"),
    ),
    run,
    "carbide source=add.w set=N=8 object=add.o listing=add.txt",
)


def main(argv: Sequence[str] | None = None) -> int:
    return drive(COMMAND, argv)
