"""The command `milink`: links an object image that `paint nolink` wrote."""

from __future__ import annotations

from collections.abc import Sequence

from diag.driver import Command, Opt
from diag.driver import main as drive


def run(options: dict[str, object]) -> int:
    from fabric.image import Image
    from paint.link import link

    path = str(options["image"])
    image = Image.load(path)
    if options["map"]:
        from fabric.map import read_map
        from fabric.symbols import check_entries

        check_entries(image, read_map(str(options["map"])))
    link(image, path).save(str(options["out"]))
    return 0


COMMAND = Command(
    "milink",
    "writes color numbers, queue words, swaps, switch and ID registers into an object image",
    (
        Opt("image", "the object image", kind="path", required=True, what="FILE"),
        Opt("out", "the linked image to write", kind="path", required=True, what="FILE"),
        Opt("map", "the map of the image; checked against it", kind="path", what="FILE"),
    ),
    run,
    "milink image=bench.obj out=bench.img map=bench.map",
)


def main(argv: Sequence[str] | None = None) -> int:
    return drive(COMMAND, argv)
