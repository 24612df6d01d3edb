"""`miget`: a symbol of an image or of a core, as a raw file or as text."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from diag.driver import Command, Opt
from diag.driver import main as drive
from fabric.cmd_miset import ORDER


def run(options: dict[str, object]) -> int:
    from diag.files import check_apart, write_whole
    from diag.report import fail
    from fabric.image import Image
    from fabric.map import read_map
    from fabric.symbols import check_belongs, find, format_values, get_words, parse_order

    map_path, order, data = str(options["map"]), options["order"], options["data"]
    if not options["symbol"]:
        raise fail("DG010", None, name="symbol", hint=f"the names stand first in the lines of {map_path}")
    if not data and not options["text"]:
        raise fail("FB310", None)
    check_apart(options, ("image", "map"), ("data",))
    entries = read_map(map_path)
    symbol = find(entries, str(options["symbol"]), map_path)
    axes = parse_order(None if order is None else str(order), symbol)
    image = Image.load(str(options["image"]))
    check_belongs(image, str(options["image"]), entries, symbol, map_path)
    if data:
        write_whole(str(data), get_words(image, symbol, axes).astype("<u2", copy=False).tobytes())
    if options["text"]:
        sys.stdout.write(format_values(image, symbol, axes))
        sys.stdout.flush()
    return 0


COMMAND = Command(
    "miget",
    "reads a symbol of an image or core into a raw file (little-endian, no header), or prints it",
    (
        Opt("image", "the image or core to read", kind="path", required=True, what="FILE"),
        Opt("map", "the map of the image", kind="path", required=True, what="FILE"),
        Opt("symbol", "region.variable, or the variable alone, or name@x,y", required=True, what="NAME"),
        Opt("order", ORDER, what='"AXES"'),
        Opt("data", "the raw file to write", kind="path", what="FILE"),
        Opt("text", "print instead: a line with the axes, then a line for each innermost row", kind="flag"),
    ),
    run,
    "miget image=bench-sim.core map=bench.map symbol=recv.a text",
)


def main(argv: Sequence[str] | None = None) -> int:
    return drive(COMMAND, argv)
