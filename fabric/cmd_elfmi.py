"""`elfmi`: ELF or simulator core -> image."""

from __future__ import annotations

from collections.abc import Sequence

from diag.driver import Command, Opt
from diag.driver import main as drive


def run(options: dict[str, object]) -> int:
    from fabric.elf import load_elf

    load_elf(str(options["elf"])).save(str(options["image"]))
    return 0


COMMAND = Command(
    "elfmi",
    "turns a core of simfabric, or an ELF, into an image that miget reads; nothing is lost",
    (
        Opt("image", "the image to write", kind="path", required=True, what="FILE"),
        Opt("elf", "the core or ELF to read", kind="path", required=True, what="FILE"),
    ),
    run,
    "elfmi image=bench-sim.core elf=bench.elf-core",
)


def main(argv: Sequence[str] | None = None) -> int:
    return drive(COMMAND, argv)
