"""Sources without measure: one message that says so, and no other that it drags along."""

from __future__ import annotations

from pathlib import Path

import pytest

from diag.report import Reporter, UserError
from tungsten import load
from tungsten.dump import dump_program
from tungsten.evaluate import evaluate_tiles

MANY = 3000


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ("y = " + "x ? 1 : " * MANY + "2;", "TW005"),
        ("if (x) " * MANY + "y = 1;", "TW004"),
        ("if (x) y = 1; " + "else if (x) y = 1; " * MANY, "TW004"),
        ("y = " + "(" * MANY + "1" + ")" * MANY + ";", "TW004"),
        ("{" * MANY + "}" * MANY, "TW004"),
        ("y = " + "1 + " * MANY + "1;", "TW005"),
    ],
    ids=["choices", "ifs", "else ifs", "brackets", "blocks", "sum"],
)
def test_one_message(body: str, code: str, tmp_path: Path) -> None:
    path = tmp_path / "k.w"
    path.write_text("xp x; xp y;\nmain { " + body + " }\n", encoding="utf-8")
    reporter = Reporter()
    with pytest.raises(UserError) as e:
        load(path, [], {}, reporter)
    assert [d.code.code for d in e.value.diagnostics] == [code]


def test_a_hundred_choices_are_fine(tmp_path: Path) -> None:
    path = tmp_path / "k.w"
    path.write_text("xp x; xp y;\nmain { y = " + "x ? 1 : " * 100 + "2; }\n", encoding="utf-8")
    assert load(path, [], {}, Reporter()).name == "k"


CHAIN = "xp x = 497; xp y;\nmain {\n" + "else ".join(f"if (x == {n}) y = {n + 1};\n" for n in range(500)) + "else y = 3; }\n"


def test_a_chain_of_choices_is_no_nesting(tmp_path: Path) -> None:
    path = tmp_path / "k.w"
    path.write_text(CHAIN, encoding="utf-8")
    program = load(path, [], {}, Reporter())
    assert evaluate_tiles([program])[0].memory["y"] == [498]
    links = [line for line in dump_program(program).splitlines() if "else if" in line]
    assert len(links) == 499
    assert links[-1] == "502:6       else if (x == 499:xp)"
