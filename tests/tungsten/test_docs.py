"""The kernels of the language reference are right, and the reference names every option and code."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from sample_kernels import codes

from carbide.compile import compile_kernel
from diag.report import Reporter
from tungsten.check_stmt import KNOWN
from tungsten.lexer import RESERVED, TYPE_WORDS

PAGE = Path(__file__).parents[2] / "docs" / "tungsten.md"
TEXT = PAGE.read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```tungsten\n(.*?)^```$", TEXT, flags=re.M | re.S)


@pytest.mark.parametrize("number", range(len(BLOCKS)))
def test_kernels_of_the_page(number: int, tmp_path: Path) -> None:
    params = {"M": 3} if "M must be bound" in BLOCKS[number] else {}
    assert codes(BLOCKS[number], **params) == []
    path = tmp_path / "k.w"
    path.write_text(BLOCKS[number], encoding="utf-8")
    reporter = Reporter()
    compile_kernel(str(path), [], params, reporter)
    assert not reporter.errors


def test_the_page_names_what_there_is() -> None:
    for key in KNOWN:
        assert f"`{key.replace('.', ' ')}" in TEXT or f"`{key}" in TEXT
    for word in [*RESERVED, *TYPE_WORDS]:
        assert re.search(rf"\b{word}\b", TEXT), word
