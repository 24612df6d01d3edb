"""The stages of the compiler in their text forms: `carbide dump=ast|ir|asm`, and the listings.

Sources and what they become stand in golden/; `GOLDEN=write pytest tests/carbide/test_golden.py` writes the texts
anew, and whoever does that reads the difference and agrees with it.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from carbide.cmd import main

GOLDEN = Path(__file__).parent / "golden"
KERNELS = ("vectors", "scalars", "exchange", "streams", "functions")
STAGES = {"ast": ["dump=ast"], "ir": ["dump=ir"], "asm": ["dump=asm"], "opt2.asm": ["dump=asm", "opt=2"]}


def _compare(name: str, text: str) -> None:
    path = GOLDEN / name
    if os.environ.get("GOLDEN") == "write":
        path.write_text(text, encoding="utf-8")
    assert text == path.read_text(encoding="utf-8")


@pytest.mark.parametrize("stage", STAGES)
@pytest.mark.parametrize("kernel", KERNELS)
def test_dump(kernel: str, stage: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.chdir(GOLDEN)
    assert main([f"source={kernel}.w", *STAGES[stage]]) == 0
    _compare(f"{kernel}.{stage}", capsys.readouterr().out)


@pytest.mark.parametrize("form", ["txt", "json"])
@pytest.mark.parametrize("kernel", ["vectors", "functions"])
def test_listing(kernel: str, form: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(GOLDEN)
    out = tmp_path / f"{kernel}-listing.{form}"
    assert main([f"source={kernel}.w", *(["set=N=24"] if kernel == "vectors" else []), f"listing={out}"]) == 0
    _compare(out.name, out.read_text(encoding="utf-8"))


@pytest.mark.parametrize("kernel", KERNELS)
def test_code_and_data_of_each_function_add_up(kernel: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each function's code is the words of its instructions, and nothing in memory is left out or counted twice."""
    monkeypatch.chdir(GOLDEN)
    out = tmp_path / "listing.json"
    assert main([f"source={kernel}.w", f"listing={out}"]) == 0
    (program,) = json.loads(out.read_text(encoding="utf-8"))["kernels"]
    code: dict[str, int] = {}
    for line in program["instructions"]:
        code[line["function"]] = code.get(line["function"], 0) + line["words"]
    usage = program["usage"]
    assert {u["name"]: u["words"] for u in usage if u["kind"] == "code"} == code
    used = sum(u["words"] for u in usage)
    # Words 0 and 1 hold nothing; besides, objects are aligned, by at most 3 words each and more where banks ask for it.
    assert used + 2 <= program["memory_end"] <= used + 2 + 7 * len(usage)


@pytest.mark.parametrize("seed", ["1", "4711"])
def test_dumps_do_not_depend_on_the_process(seed: str) -> None:
    """Python orders its sets by a seed that differs from process to process."""
    code = "import sys; from carbide.cmd import main; sys.exit(main(sys.argv[1:]))"
    root = Path(__file__).parents[2]
    environ = {**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": str(root)}
    for kernel in ("exchange", "streams", "functions"):
        command = [sys.executable, "-c", code, f"source={kernel}.w", "dump=asm"]
        run = subprocess.run(command, cwd=GOLDEN, env=environ, text=True, capture_output=True, check=True)
        assert run.stdout == (GOLDEN / f"{kernel}.asm").read_text(encoding="utf-8")
