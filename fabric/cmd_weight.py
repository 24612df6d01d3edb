"""`weight`: memory of each program of an image; fails when one is over."""

from __future__ import annotations

from collections.abc import Sequence

from diag.driver import Command, Opt
from diag.driver import main as drive


def run(options: dict[str, object]) -> int:
    """Prints the table, then fails with FB331 for each program that does not fit."""
    from diag.report import UserError, fail
    from diag.spans import nowhere
    from fabric.image import Image
    from fabric.map import read_map
    from fabric.symbols import check_entries
    from fabric.weight import from_meta, over, table

    path = str(options["image"])
    image = Image.load(path)
    if options["map"]:
        check_entries(image, read_map(str(options["map"])))
    try:
        rows = image.meta.get("programs")
        weights = from_meta(rows) if isinstance(rows, list) else []
    except (KeyError, TypeError, ValueError, AttributeError):
        weights = []
    if not weights:
        raise fail("FB332", nowhere(path), path=path)
    print(table(weights), flush=True)
    found = over(weights)
    if found:
        raise UserError(found)
    return 0


COMMAND = Command(
    "weight",
    "prints what each program takes of a tile's 24,576 words of main memory; fails when one is over",
    (
        Opt("image", "the image, linked or not", kind="path", required=True, what="FILE"),
        Opt("map", "the map of the image; checked against it", kind="path", what="FILE"),
    ),
    run,
    "weight image=bench.obj map=bench.map",
)


def main(argv: Sequence[str] | None = None) -> int:
    return drive(COMMAND, argv)
