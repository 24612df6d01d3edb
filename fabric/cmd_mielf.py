"""`mielf`: image -> ELF."""

from __future__ import annotations

from collections.abc import Sequence

from diag.driver import Command, Opt
from diag.driver import main as drive


def run(options: dict[str, object]) -> int:
    from fabric.elf import save_elf
    from fabric.image import Image

    save_elf(Image.load(str(options["image"])), str(options["elf"]))
    return 0


COMMAND = Command(
    "mielf",
    "turns an image (or core) into an ELF for simfabric; nothing is lost, elfmi turns it back",
    (
        Opt("image", "the image to read", kind="path", required=True, what="FILE"),
        Opt("elf", "the ELF to write", kind="path", required=True, what="FILE"),
    ),
    run,
    "mielf image=bench.img elf=bench.elf",
)


def main(argv: Sequence[str] | None = None) -> int:
    return drive(COMMAND, argv)
