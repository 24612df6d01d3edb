"""Sends of single 16-bit values: counted by hand from the rule that two in a row share a wavelet (S0:46)."""

from __future__ import annotations

from pathlib import Path

import pytest

from carbide.compile import compile_kernel

HEAD = "xp param N = 4; socket s, o; xp v = 3; xp a[n=8]; sp x[n=4]; hp h; u32 w; let i in [0, N); let k in [0, 3);\n"


@pytest.mark.parametrize(
    ("body", "lines"),
    [
        ("s[] <- v;", [2]),
        ("s[] <- h;", [2]),
        ("s[] <- x[0];", []),
        ("s[] <- w;", []),
        ("s[] <- wavelet(v, v);", []),
        ("s[] <- v;\ns[] <- v;", []),
        ("s[] <- v;\ns[] <- v;\ns[] <- v;", [4]),
        ("s[] <- v;\no[] <- w;\ns[] <- v;", [2, 4]),
        ("∀i s[] <- a[i];", []),
        ("∀k s[] <- a[k];", [2]),
        ("∀k s[] <- a[k];\ns[] <- v;", []),
        ("∀i {\ns[] <- a[i];\nv = v + 1;\n}", [3]),
        ("∀i {\ns[] <- a[i];\ns[] <- v;\n}", []),
        ("j in [0, v) s[] <- a[j];", []),
        ("if (N == 5) {\ns[] <- v;\n} else {\no[] <- v;\no[] <- v;\n}", []),
        ("parallel {\ns[] <- v;\no[] <- v;\n}", [3, 4]),
        ("forever dispatch(o) { wavelet(xp y) {\ns[] <- y;\n} }", [3]),
    ],
)
def test_single_values(body: str, lines: list[int], tmp_path: Path) -> None:
    source = tmp_path / "k.w"
    source.write_text(f"{HEAD}main {{ {body}\n}}")
    program = compile_kernel(str(source))
    found = [int(at.split(":")[-2]) for use in program.sockets for at in use.lone]
    assert sorted(found) == lines


def test_in_functions(tmp_path: Path) -> None:
    source = tmp_path / "k.w"
    source.write_text(HEAD + "function put(xp y) { s[] <- y; }\nfunction unused() { o[] <- v; }\nmain { put(3); s[] <- w; }")
    [use] = [u for u in compile_kernel(str(source)).sockets if u.lone]
    assert use.socket == "s" and [at.split(":")[-2] for at in use.lone] == ["2"]
