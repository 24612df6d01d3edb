"""Golden messages: each code of the layout language in at least two contexts, as the command prints them.

messages/*.txt hold blocks: `=== CODE options`, a layout, `---`, what stderr says. Options are words of the command,
`kernel=NAME:SOCKET:DIR:QUEUE` writes a kernel, `file=NAME:TEXT` a file (blanks as _), and toolname and toolflag
take their words joined by commas; `milink=WHAT` links the image afterwards, see MILINK. GOLDEN=write rewrites the expectations; a person reads the difference.
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from pathlib import Path

import pytest
from layouts import kernel

from diag.codes import table
from fabric.image import Image
from paint.cmd import main
from paint.cmd_milink import main as milink

FILES = sorted((Path(__file__).parent / "messages").glob("*.txt"))


@dataclass
class Case:
    file: Path
    number: int
    code: str
    options: list[str]
    source: str
    expected: str


def cases() -> list[Case]:
    found = []
    for file in FILES:
        blocks = re.split(r"(?m)^=== ", file.read_text())[1:]
        for i, block in enumerate(blocks):
            head, _, rest = block.partition("\n")
            source, _, expected = rest.partition("\n---\n")
            code, *options = head.split()
            found.append(Case(file, i, code, options, source.rstrip("\n") + "\n", expected))
    return found


CASES = cases()


def _old(image: Image) -> None:
    image.meta["link"]["version"] = 0


# What is done to the image before milink gets it: nothing, or it is linked in place, or its link section is spoilt.
MILINK = {
    "at-once": lambda image: None,
    "again": lambda image: milink(["image=bench.img", "out=bench.img"]),
    "cut": lambda image: image.meta.pop("link"),
    "old": _old,
}


def link_again(what: str) -> int:
    image = Image.load("bench.img")
    MILINK[what](image)
    if what in ("cut", "old"):
        image.save("bench.img")
    return milink(["image=bench.img", "out=linked.img", "map=bench.map"])


def run(case: Case, directory: Path, capture: pytest.CaptureFixture[str]) -> tuple[int, str]:
    os.chdir(directory)
    (directory / "bench.paint").write_text(case.source)
    words = ["source=bench.paint", "image=bench.img", "map=bench.map", "listing=bench-listing.json"]
    link = ""
    for option in case.options:
        key, _, value = option.partition("=")
        if key == "kernel":
            name, socket, direction, queue = value.split(":")
            kernel(directory, name, socket, direction, int(queue))
        elif key == "file":
            name, _, text = value.partition(":")
            (directory / name).write_text(text.replace("_", " "))
        elif key == "milink":
            link = value
        elif key in ("toolname", "toolflag"):
            first, _, second = value.partition(",")
            words += [key, first, second.replace(",", " ")]
        else:
            words.append(option)
    code = main(words)
    if link:
        code = link_again(link)
    return code, capture.readouterr().err


@pytest.mark.parametrize("case", CASES, ids=lambda c: f"{c.code}-{c.file.stem}{c.number}")
def test_message(
    case: Case, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    code, text = run(case, tmp_path, capsys)
    if os.environ.get("GOLDEN") == "write":
        case.expected = text
    assert text == case.expected
    assert f" {case.code}: " in text
    assert "Traceback" not in text
    failed = any(f"error {c}:" in text for c in re.findall(r"(?:PT|DG|FB)\d+", text))
    assert code == (1 if failed else 0)
    # Whole or nothing: no file where there was an error.
    written = "linked.img" if any(o.startswith("milink=") for o in case.options) else "bench.img"
    assert (tmp_path / written).exists() == (not failed)


def test_every_code_has_two_cases() -> None:
    codes = [c.code for c in CASES]
    # PT5xx and PT6xx are tested with the solver and the checks.
    mine = [c for c in table() if c.startswith("PT") and c < "PT200"]
    assert [c for c in mine if codes.count(c) < 2] == []


@pytest.fixture(scope="session", autouse=True)
def _write() -> object:
    yield
    if os.environ.get("GOLDEN") == "write":
        for file in FILES:
            blocks = []
            for c in CASES:
                if c.file == file:
                    blocks.append(f"=== {' '.join([c.code, *c.options])}\n{c.source}---\n{c.expected}")
            file.write_text("".join(blocks))
