"""The command `paint`: a layout to an object image, or to a linked one, with map, listing, picture and dependency file."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, cast

from diag.driver import Command, Opt
from diag.driver import main as drive
from diag.report import Reporter, fail, render, suggest

if TYPE_CHECKING:
    from paint.pipeline import Built, Options

_SOURCE_KINDS = ("w", "yeti")
_FLAGS = {"opt=1": 1, "opt=2": 2}


def _sets(words: Sequence[str], reporter: Reporter) -> dict[str, str]:
    """set=NAME=VALUE words by name; an empty value counts as unset. Raises UserError (PT120); warns (PT121)."""
    found: dict[str, str] = {}
    for word in words:
        name, eq, value = word.partition("=")
        name = name.strip()
        if not eq or not name:
            raise fail("PT120", text=word)
        value = value.strip()
        before = found.get(name, "")
        if before and value and before != value:
            reporter.report("PT121", name=name, first=before, second=value)
        found[name] = value or before
    return found


def _fabric(text: str | None) -> tuple[int, int] | None:
    if text is None:
        return None
    parts = text.replace("x", ",").split(",")
    # An image's sizes are 16-bit coordinates; one word of memory a tile is more than any machine has by then.
    if len(parts) != 2 or not all(p.strip().isdecimal() and 0 < int(p) <= 0xFFFF for p in parts):
        raise fail("PT122", text=text)
    return int(parts[0]), int(parts[1])


def _tools(names: Sequence[tuple[str, str]], flags: Sequence[tuple[str, str]], reporter: Reporter) -> int:
    """Honours toolname and toolflag; the optimisation level that the flags ask for."""
    for source, tool in names:
        if tool != "carbide":
            raise fail("PT123", name=tool, source=source, hint=suggest(tool, ["carbide"]))
        if source not in _SOURCE_KINDS:
            raise fail("PT125", source=source, hint=suggest(source, _SOURCE_KINDS))
    opt = 1
    for tool, text in flags:
        if tool not in _SOURCE_KINDS:
            reporter.report("PT124", tool=tool, flag=text)
            continue
        for flag in text.split():
            if flag in _FLAGS:
                opt = _FLAGS[flag]
            else:
                reporter.report("PT124", tool=tool, flag=flag)
    return opt


def _options(words: dict[str, Any], reporter: Reporter) -> Options:
    from paint.cache import default_directory
    from paint.pipeline import Options

    fp16 = int(words["float16_dtype"])
    return Options(
        lib=words["lib"],
        given=_sets(words["set"], reporter),
        machine=str(words["arch"]),
        fp16=fp16,
        threads=int(words["threads"]),
        opt=_tools(words["toolname"], words["toolflag"], reporter),
        fabric=_fabric(words["fabric"]),
        cache=default_directory(),
    )


def run(options: dict[str, object]) -> int:
    """Writes all files or none. Raises UserError."""
    from diag.files import Outputs
    from paint import pipeline
    from paint.link import link

    words = cast("dict[str, Any]", options)
    reporter = Reporter()
    settings = _options(words, reporter)
    built = pipeline.run(str(words["source"]), settings)
    messages = [*reporter.diagnostics, *built.reporter.diagnostics]
    for d in messages:
        print(render(d) if d.span else f"paint: {render(d)}", file=sys.stderr)
    if words["verbose"]:
        print(_summary(built))
    image = built.object if words["nolink"] else link(built.object)
    image.meta["map"] = map_text = built.map_text()  # for names in explanations, and to tell a foreign map
    _check_outputs(words, built.depends)
    with Outputs() as out:
        if words["image"]:
            out.add(words["image"], image.to_bytes())
        if words["map"]:
            out.add(words["map"], map_text)
        if words["listing"]:
            out.add(words["listing"], _listing(built, words["listing"].endswith(".json")))
        if words["report"]:
            from paint.report import page

            out.add(words["report"], page(built, str(words["source"]), messages))
        if words["depfile"]:
            targets = [words[name] for name in ("image", "map", "listing", "report") if words[name]]
            out.add(words["depfile"], depfile(targets or [words["source"]], built.depends))
    return 0


_OUTPUTS = ("image", "map", "listing", "report", "depfile")


def _check_outputs(words: dict[str, Any], depends: Sequence[str]) -> None:
    """Raises UserError where two outputs are one file (PT126), or an output is a file that was read (PT127)."""
    read = {os.path.realpath(path) for path in depends}
    taken: dict[str, str] = {}
    for option in _OUTPUTS:
        path = words[option]
        if not path or (os.path.exists(path) and not os.path.isfile(path)):
            continue  # a device such as /dev/null may take several
        real = os.path.realpath(path)
        if real in taken:
            raise fail("PT126", first=taken[real], option=option, path=path)
        if real in read:
            raise fail("PT127", option=option, path=path)
        taken[real] = option


def _listing(built: Built, as_json: bool) -> str:
    from carbide import listing

    if as_json:
        return listing.as_json(built.programs)
    return "\n".join(listing.as_text(p) for p in built.programs)


def depfile(targets: Sequence[str], depends: Sequence[str]) -> str:
    """A rule for make: the targets are remade when a file read has changed; a file that vanished is no error."""

    def escape(path: str) -> str:
        return path.replace("$", "$$").replace("#", "\\#").replace(" ", "\\ ")

    files = [escape(d) for d in dict.fromkeys(depends)]
    lines = [f"{' '.join(map(escape, targets))}: {' '.join(files)}", "", *(f"{f}:" for f in files)]
    return "\n".join(lines) + "\n"


def _summary(built: Built) -> str:
    layout = built.layout
    tiles = sum(c.tiles.count() for c in layout.classes)
    kinds = len(layout.classes)
    lines = [f"fabric of {layout.width} x {layout.height}; {tiles} tiles of {kinds} kinds have settings"]
    for p in built.placed:
        program = p.program
        region = f" as {p.region}" if p.region else ""
        params = "".join(f" {n}:{v}" for n, v in p.code.params)
        lines.append(
            f"  {program.name}{params}{region}: {p.tiles.count()} tiles, {program.memory_end} words of memory"
        )
    shown = [f"{c.name} {built.numbers[c.key]}" for c in layout.colors if c.key in built.numbers]
    if shown:
        lines.append("colors: " + ", ".join(shown))
    return "\n".join(lines)


COMMAND = Command(
    "paint",
    "compiles a layout and its kernels to an image",
    (
        Opt("source", "the layout", kind="path", required=True, what="FILE"),
        Opt(
            "lib",
            "a directory to search for kernels, imports and includes; a missing one is passed over",
            many=True,
            what="DIR",
        ),
        Opt(
            "set",
            "a value for a free name of the layout; an empty one counts as unset",
            many=True,
            what="NAME=VALUE",
        ),
        Opt("arch", "the machine", "sdr", choices=("sdr",)),
        Opt("image", "the image to write", kind="path", what="FILE"),
        Opt("map", "the map to write", kind="path", what="FILE"),
        Opt(
            "listing",
            "the listing to write: JSON if its name ends in .json, else text",
            kind="path",
            what="FILE",
        ),
        Opt(
            "report",
            "a picture of the layout to write, as an HTML page: tiles, routes, numbers, queues, warnings",
            kind="path",
            what="FILE",
        ),
        Opt("depfile", "a dependency file for make to write", kind="path", what="FILE"),
        Opt(
            "float16_dtype",
            "format of the fabric adder's 16-bit operand: 10 IEEE fp16, 16 cbfloat16, 15 bfloat16",
            0,
            kind="int",
        ),
        Opt("fabric", "size of the fabric; default the layout's own, up to 762,1172", what="W,H"),
        Opt("threads", "kernels compiled at the same time", 1, kind="int", low=1, high=64),
        Opt("nolink", "write an object image, to be linked by milink", kind="flag"),
        Opt(
            "toolname", "the compiler for a kind of source: toolname w carbide toolname yeti carbide", words=2
        ),
        Opt("toolflag", 'a flag for a kind of source: toolflag w "opt=2"', words=2),
        Opt("verbose", "print tiles, kernels and color numbers", kind="flag"),
    ),
    run,
    "paint source=bench.paint lib=. set=N=4 image=bench.img map=bench.map",
)


def main(argv: Sequence[str] | None = None) -> int:
    return drive(COMMAND, argv)
