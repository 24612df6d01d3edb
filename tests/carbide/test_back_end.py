"""What the back end does for loops and memory, seen in the instructions of the listing."""

from __future__ import annotations

import pytest
from agreement import check
from harness import program, unit
from hypothesis import HealthCheck, given, settings
from strategies import kernels, pairs

from carbide import backend, compile
from fabric.program import Program

QUICK = settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))


def compiled(text: str, opt: int = 1) -> Program:
    return compile.assemble_program(program(text), backend.run(unit(text), opt))


def loop(text: str, opt: int = 1) -> list[str]:
    """The mnemonics of a kernel's last loop, its branch included."""
    p = compiled(text, opt)
    for at in range(len(p.lines) - 1, -1, -1):
        line = p.lines[at]
        if ".loop." in line.text:
            start = next(k for k in range(at, -1, -1) if p.lines[k].address == _target(p, at))
            return [x.text.split()[0] for x in p.lines[start : at + 1]]
    raise AssertionError("no loop")


def _target(p: Program, at: int) -> int:
    """The address that the branch of a line goes to."""
    address, words = p.sections[0]
    line = p.lines[at]
    return words[line.address - address + line.words - 1]


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        # DSRs are loaded before the loop, and kept
        (
            """xp a[64], b[64], c[64]; sp s; let i in [0, 64);
            main { k in [0, 9) { ∀i c[i] <- a[i] + b[i]; s = s * 2.0; } }""",
            ["add16", "fmuls", "djnz"],  # the second one is a vector of length 1
        ),
        (
            "xp a[64], b[64]; let i in [0, 64); main { k in [0, 9) { ∀i b[i] <- a[i] + 1; ∀i a[i] <- b[i] ^ 3; } }",
            ["add16", "xor16", "djnz"],
        ),
        # operands that walk with the loop keep their place
        (
            "sp a[9][8], b[9][8], s; let i in [0, 8); main { k in [0, 9) { ∀i b[k][i] <- a[k][i] * 2.0; ∀i s += b[k][i]; } }",
            None,
        ),
        # a length that is known at run time only is set once
        (
            """xp n = 40; sp a[64], b[64], s;
            main { k in [0, 9) { let i in [0, n); ∀i b[i] <- a[i] * 2.0; s = s + 1.0; } }""",
            None,
        ),
    ],
    ids=["kept", "two statements", "walking", "length"],
)
def test_set_up_leaves_loops(text: str, wanted: list[str] | None) -> None:
    found = loop(text)
    if wanted is not None:
        assert found == wanted
    assert not [x for x in found if x.startswith(("ldd", "lds", "setd", "sets"))]


def test_loops_count_down() -> None:
    assert loop("sp a[9]; main { i in [1, 8) a[i] = a[i - 1] * 0.5; }")[-1].startswith("djnz")


def test_statements_keep_their_order_at_opt_1_only() -> None:
    """Two chains of dependent operations: opt=2 fills the waits of one with the other."""
    text = """sp a = 1.0, b = 2.0, c, d;
    main { c = ((a * 2.0 + 1.0) * a) * a; d = ((b * 3.0 + 1.0) * b) * b; }"""
    by_line = [[(x.line, x.col) for x in compiled(text, opt).lines if x.text.startswith("fm")] for opt in (1, 2)]
    assert by_line[0] == sorted(by_line[0]) and by_line[1] != sorted(by_line[1])


def test_the_listing_says_what_each_function_takes() -> None:
    p = compiled(
        """sp a[8], unused[5]; xp n;
        function f(sp v[], xp k) { sp t[4] = {1., 2.}; i in [0, 4) { v[i] = v[i] * t[i] + (sp)(k); } }
        main { f(a, 1); f(a, n); f(a, n + 1); }"""
    )
    code = {u.name: u.words for u in p.usage if u.kind == "code"}
    data = {u.name: u.words for u in p.usage if u.kind == "data"}
    assert sum(code.values()) == sum(x.words for x in p.lines)
    assert data["a"] == 16 and data["unused"] == 10 and data["n"] == 1
    functions = [name for name in code if name.split(".")[0] == "f"]
    assert functions and all(data[name] >= 8 for name in functions), "the local array counts under its function"
    assert sum(code.values()) + sum(data.values()) <= p.memory_end - 2


def test_what_nothing_names_takes_no_memory() -> None:
    p = compiled("main { sp big[500]; xp k = 3; }")
    assert p.memory_end < 60


@QUICK
@given(kernels())
def test_kernels_agree_when_scheduled_across_statements(text: str) -> None:
    check([text], opt=2)


@QUICK
@given(pairs())
def test_pairs_agree_when_scheduled_across_statements(texts: tuple[str, str]) -> None:
    check(texts, opt=2)


def test_a_value_that_goes_to_memory_is_a_store() -> None:
    """Behind a receive, which is a vector instruction of length 1: a store needs no descriptor of its own."""
    text = "sp socket rx; sp b[9]; main { k in [0, 9) { sp s <- rx[]; b[k] = s; } }"
    assert loop(text) == ["mov32", "st32x", "add16", "djnz"]


def test_no_register_is_copied_to_itself() -> None:
    """A handler finds its value in R0, where it is used at once."""
    text = "xp socket rx; xp n; forever dispatch (rx) { wavelet(xp v) { n += v; } control(20) { n = 0; } }"
    copies = [line.text.rstrip(";").split() for line in compiled(text).lines if line.text.startswith("mov16 R")]
    assert [c for c in copies if c[1] == c[3]] == []


def test_loads_of_the_next_statement_fill_a_wait() -> None:
    """The received value is ready 4 cycles later; the next statement's load needs 3 of them."""
    text = """sp socket rx; sp a[9], b[9];
    main { k in [0, 9) { sp s <- rx[]; b[k] = s; a[k] = s + a[k]; } }"""
    assert loop(text) == ["mov32", "ld32x", "st32x", "fadds", "st32x", "add16", "djnz"]


def test_no_load_goes_ahead_of_what_it_depends_on() -> None:
    text = """xp n, m, a[4] = {1, 2, 3, 4}; sp s = 3.0, t, u;
    main { k in [0, 3) { t = s * s; s = t + 1.0; n += a[k]; a[n & 3] = m; m = a[k] + n; u = t * s; } }"""
    check([text])
