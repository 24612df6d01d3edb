"""`miset`: writes a raw file into a symbol of an image."""

from __future__ import annotations

from collections.abc import Sequence

from diag.driver import Command, Opt
from diag.driver import main as drive

ORDER = "axes of the raw file, outermost first (default: y x, the dimensions, _word)"


def run(options: dict[str, object]) -> int:
    """Reads all files, checks all, then writes the image whole or not at all."""
    from diag.files import check_apart, read_bytes
    from diag.report import fail
    from fabric.image import Image
    from fabric.map import read_map
    from fabric.symbols import check_belongs, find, parse_order, set_raw

    path, map_path, data = str(options["image"]), str(options["map"]), str(options["data"])
    order = options["order"]
    if not options["symbol"]:
        raise fail("DG010", None, name="symbol", hint=f"the names stand first in the lines of {map_path}")
    check_apart(options, ("map", "data"), ("out",))
    entries = read_map(map_path)
    symbol = find(entries, str(options["symbol"]), map_path)
    axes = parse_order(None if order is None else str(order), symbol)
    image = Image.load(path)
    check_belongs(image, path, entries, symbol, map_path)
    set_raw(image, symbol, axes, read_bytes(data), data)
    image.save(str(options["out"] or path))
    return 0


COMMAND = Command(
    "miset",
    "writes a raw file (little-endian, no header) into a symbol of an image",
    (
        Opt("image", "the image to change", kind="path", required=True, what="FILE"),
        Opt("out", "where the changed image goes (default: into image= itself)", kind="path", what="FILE"),
        Opt("map", "the map of the image", kind="path", required=True, what="FILE"),
        Opt("symbol", "region.variable, or the variable alone, or name@x,y", required=True, what="NAME"),
        Opt("order", ORDER, what='"AXES"'),
        Opt("data", "the raw file", kind="path", required=True, what="FILE"),
    ),
    run,
    'miset image=bench.img map=bench.map symbol=grid.eta order="y x _word" data=eta.raw',
)


def main(argv: Sequence[str] | None = None) -> int:
    return drive(COMMAND, argv)
