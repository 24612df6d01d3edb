"""A kernel of 400 lines compiles in under 2.5 s as a whole process; processor time, which a busy machine leaves alone."""

from __future__ import annotations

import importlib.util
from pathlib import Path

PATH = Path(__file__).parents[2] / "benchmarks" / "compile.py"


def test_four_hundred_lines(tmp_path: Path) -> None:
    spec = importlib.util.spec_from_file_location("benchmark_compile", PATH)
    assert spec is not None and spec.loader is not None
    benchmark = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(benchmark)
    text = benchmark.kernel(400)
    assert text.count("\n") >= 400
    source = tmp_path / "big.w"
    source.write_text(text, encoding="utf-8")
    assert min(benchmark.whole(source)[0] for _ in range(2)) < 2.5
