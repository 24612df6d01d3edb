"""The messages of run faults and run-time warnings, each code in two contexts, against golden files that a person has
to read and agree with (GOLDEN=write makes them anew). The other codes of a run stand in test_simfabric, test_faults
(descriptors) and test_hangs (causes of blocked runs)."""

from __future__ import annotations

import os
import re
from collections import Counter
from pathlib import Path

import pytest
from core_bench import Machine, with_meta
from faulty import ASSEMBLY, BLOCKS, LAYOUTS, SYMBOLS

import paint
from diag.report import render
from fabric.simulation import RunFault, Simulation

TEXTS = Path(__file__).parent / "texts"
WRITE = os.environ.get("GOLDEN") == "write"


def compare(name: str, text: str) -> None:
    text = re.sub(r"cycle \d+", "cycle …", text)  # the compiler's business
    file = TEXTS / f"{name.replace(' ', '_')}.txt"
    if WRITE:
        file.write_text(text, encoding="utf-8")
    assert text == file.read_text(encoding="utf-8")


@pytest.mark.parametrize("engine", ["python", "fast"])
@pytest.mark.parametrize("name", LAYOUTS)
def test_of_a_layout(name: str, engine: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    case = LAYOUTS[name]
    for file, text in case.files.items():
        (tmp_path / file).write_text(text, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    simulation = Simulation(paint.build("bench.paint", float16_dtype=case.fp16), engine=engine)
    if case.code == "FB408":
        found = simulation.run(5000).warnings
    else:
        with pytest.raises(RunFault) as e:
            simulation.run(5000)
        found = list(e.value.diagnostics)
    assert {d.code.code for d in found} == {case.code}
    assert all(d.span is not None for d in found)
    compare(name, "\n".join(render(d) for d in found) + "\n")


@pytest.mark.parametrize("engine", ["python", "fast"])
@pytest.mark.parametrize("name", ASSEMBLY)
def test_of_an_instruction(name: str, engine: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    code, text = ASSEMBLY[name]
    blocks = BLOCKS if code in ("FB513", "FB514", "FB515") else ""
    source = SYMBOLS.replace(".org 0x200\n", f"{blocks}.org 0x200\n") + text + "\n nop; terminate;\n"
    m = Machine()
    m.kernel(0, 0, source, {"rx": 0, "tx": 1})
    (tmp_path / "k00.s").write_text(source, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    with pytest.raises(RunFault) as e:
        Simulation(with_meta(m), engine=engine).run(5000)
    (d,) = e.value.diagnostics
    assert d.code.code == code and f"cycle {e.value.cycle}" in d.message
    compare(name, render(d) + "\n")


def test_each_code_in_two_contexts() -> None:
    codes = Counter([c.code for c in LAYOUTS.values()] + [code for code, _ in ASSEMBLY.values()])
    assert set(codes.values()) == {2}
    assert len(codes) == 22
