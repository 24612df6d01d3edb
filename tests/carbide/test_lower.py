"""What lowering makes of statements: which are one vector instruction, with which operands, and which stay loops."""

from __future__ import annotations

import re
import tempfile
from pathlib import Path

import pytest
from harness import errors, names, ops, unit

from carbide.compile import compile_kernel
from carbide.dump import dump_unit
from carbide.ir import Fabric, FifoRef, IterRef, Mem1, Mem4, Op

ARRAYS = """xp param N = 8; xp a[N]; xp b[N]; xp c[N]; sp f[N]; sp g[N]; sp h[N]; hp p[N]; hp q[N]; i32 w[N]; u16 u[N];
sp m[4][6]; sp k[4][6]; xp s; sp t; hp z; xp lo; xp hi; xp socket tx; sp socket fx; sp socket rx; let i in [0, N);
"""


def code(statement: str) -> list[Op]:
    """The operations of a kernel with one statement over the arrays above."""
    return [o for o in ops(unit(ARRAYS + "main { " + statement + " }")) if o.name != "end"]


def listing(text: str) -> list[str]:
    """The instructions of a compiled kernel as text, without loads of descriptors."""
    with tempfile.TemporaryDirectory() as d:
        path = Path(d) / "k.w"
        path.write_text(text, encoding="utf-8")
        return [x.text for x in compile_kernel(str(path)).lines if not re.match(r"(ldd|lds[01]|terminate)", x.text)]


def test_sum_of_two_arrays_is_one_add16_with_three_dsds() -> None:
    """S0:82."""
    (line,) = listing("xp a[8], b[8], c[8]; let i in [0, 8); main { ∀i c[i] <- a[i] + b[i]; }")
    assert re.fullmatch(r"add16 \[DD\d+\] = \[SA\d+\], \[SB\d+\];", line)


def test_vector_send_is_one_move_to_a_fabric_dsd() -> None:
    """S0:84."""
    (line,) = listing("xp a[8]; xp socket tx; let i in [0, 8); main { ∀i tx[] <- a[i]; }")
    assert re.fullmatch(r"mov16 \[DD\d+\] = \[SA\d+\];", line)
    (op,) = code("∀i tx[] <- a[i];")
    assert op.dest == Fabric(0, 8) and isinstance(op.sources[0], Mem1) and op.sources[0].extent == 8


# Statement -> the one vector instruction that it is (loads and stores of a scalar left side aside).
VECTORS = {
    "∀i c[i] <- a[i] - b[i];": "sub16",
    "∀i c[i] <- a[i] * 3;": "mul16",
    "∀i c[i] <- 3 - a[i];": "sub16",
    "∀i c[i] <- a[i] << 2;": "sll16",
    "∀i c[i] <- a[i] >> 2;": "sar16",
    "∀i u[i] <- u[i] >> 2;": "slr16",
    "∀i c[i] <- a[i] & b[i];": "and16",
    "∀i c[i] <- ~a[i];": "xor16",
    "∀i c[i] <- min(a[i], b[i]);": "mins16",
    "∀i u[i] <- max(u[i], 7);": "maxu16",
    "∀i c[i] <- abs(a[i]);": "abs16",
    "∀i c[i] <- a[i];": "mov16",
    "∀i c[i] <- 5;": "mov16",
    "∀i c[i] <- s;": "mov16",
    "∀i c[i] += b[i];": "add16",
    "∀i f[i] <- g[i] + h[i];": "fadds",
    "∀i f[i] <- g[i] / h[i];": "fdivs",
    "∀i f[i] <- -g[i];": "fnegs",
    "∀i f[i] <- abs(g[i]);": "fabss",
    "∀i f[i] <- g[i] * t;": "fmuls",
    "∀i f[i] <- (sp) a[i];": "xp162fs",
    "∀i a[i] <- (xp) f[i];": "fs2xp16",
    "∀i p[i] <- (hp) f[i];": "fs2h",
    "∀i f[i] <- g[i] + p[i];": "faddhs",
    "∀i f[i] += p[i];": "faddhs",
    "∀i w[i] <- a[i];": "sext32",
    "∀i w[i] <- u[i];": "zext32",
    "∀i a[i] <- (xp) w[i];": "low16",
    "∀i w[i] <- w[i] + w[i];": "add32",
    "∀i f[i] <+- g[i] * h[i];": "fmacas",
    "∀i f[i] <+- g[i] * t;": "fmacs",
    "∀i f[i] <+- t * g[i];": "fmacs",
    "∀i f[i] -= g[i] * t;": "fmss",
    "∀i p[i] <+- q[i] * z;": "fmach",
    "∀i p[i] -= q[i] * q[i];": "fmssah",
    "∀i f[i] <+- p[i] * z;": "fmachs",
    "∀i s += a[i];": "add16",
    "∀i t += f[i];": "fadds",
    "∀i t += p[i];": "faddhs",
    "∀i t <+- f[i] * g[i];": "fmacas",
    "∀i t -= f[i] * g[i];": "fmssas",
    "∀i t = max(t, f[i]);": "fmaxs",
    "∀i t = min(f[i], t);": "fmins",
    "∀i s = s | a[i];": "or16",
    "∀i t <- f[i];": "mov32",
    "∀i f[0] <- g[i] + h[i];": "fadds",
    "∀i f[i] <- rx[] + g[i];": "fadds",
    "∀i f[i] <- g[i] * rx[];": "fmuls",
    "∀i t <+- rx[] * f[i];": "fmacas",
    "∀i fx[] <- rx[];": "mov32",
    "∀i fx[] <- f[i] + g[i];": "fadds",
    "∀i fx[] <- t;": "mov32",
    "∀i rx[];": "mov32",
    "∀i t = ∑ f[i] * g[i];": "dots",
    "∀i t = ∑ p[i] * q[i];": "doth",
    "∀i t = ∑ f[i] * rx[];": "dots",
    "j in [0, 4) k2 in [0, 6) m[j][k2] <- k[j][k2] + 1.0;": "fadds",
    "j in [0, 3) k2 in [0, 5) m[j][k2] <- k[j + 1][k2 + 1];": "mov32",
    "j in [0, 4) k2 in [0, 6) fx[] <- m[j][k2];": "mov32",
    "j in [0, 4) k2 in [0, 5) t += m[j][k2];": "fadds",
    "j in [0, 7) a[j] <- a[j];": "mov16",
    "j in [0, 4) a[j] <- a[j + 4];": "mov16",
    "j in [0, 4) a[2 * j] <- a[2 * j + 1];": "mov16",
    "j in [0, 4) a[7 - j] <- b[j];": "mov16",
    "let r in [lo, hi); ∀r c[r] <- a[r] + b[r];": "add16",
    "let r in [0, hi); ∀r t += f[r];": "fadds",
    "let r in [lo, hi); ∀r fx[] <- f[r + lo];": "mov32",
}
SCALAR = ("ld", "st", "mov16", "lt16", "sub16", "maxs16", "add16", "sll16")


@pytest.mark.parametrize("statement", VECTORS)
def test_one_vector_instruction(statement: str) -> None:
    found = code(statement)
    vectors = [o for o in found if any(isinstance(x, Mem1 | Mem4 | Fabric) for x in (o.dest, *o.sources))]
    assert [o.name for o in vectors] == [VECTORS[statement]]
    assert not any(o.name == "jmp" for o in found)


LOOPS = [
    "j in [0, 7) a[j] <- a[j + 1];",  # may overlap
    "j in [1, 8) a[j] <- a[j - 1];",
    "j in [0, 8) a[j] <- a[0] + b[j];",  # the scalar operand is written
    "∀i c[i] <- i;",
    "∀i f[i] <- rx[] + rx[];",
    "∀i t <- t * 2.0 + f[i];",
    "∀i s = s - s + a[i];",
    "∀i c[a[i]] <- b[i];",
    "[[vectorize=off]] ∀i c[i] <- a[i] + b[i];",
    "#pragma vectorize off\n∀i c[i] <- a[i];",
    "∀i { c[i] <- a[i]; b[i] <- a[i]; }",
]


@pytest.mark.parametrize("statement", LOOPS)
def test_stays_a_scalar_loop(statement: str) -> None:
    assert any(o.name == "jmp" for o in code(statement))


def test_outer_loop_stays_where_only_the_inner_one_fits() -> None:
    found = code("j in [0, 4) k2 in [0, 6) f[j] += m[j][k2];")
    assert [o.name for o in found if o.name == "fadds"] == ["fadds"]
    (step,) = [o for o in found if o.name == "fadds"]
    assert isinstance(step.sources[1], IterRef) and step.sources[1].extent == 6  # goes on from row to row


def test_descriptors_of_two_dimensions() -> None:
    (op,) = code("j in [0, 4) k2 in [0, 5) m[j][k2] <- k[j][k2 + 1];")
    assert isinstance(op.dest, Mem4) and op.dest.levels == ((5, 1), (4, 6))
    (op,) = code("j in [0, 4) k2 in [0, 6) m[j][k2] <- k[j][k2];")
    assert isinstance(op.dest, Mem1) and (op.dest.extent, op.dest.stride) == (24, 1)
    (op,) = code("k2 in [0, 6) j in [0, 4) m[j][k2] <- 1.0;")
    assert isinstance(op.dest, Mem4) and op.dest.levels == ((4, 6), (6, 1))


def test_a_queue_and_a_fifo_meet_in_one_vector_instruction() -> None:
    found = ops(
        unit(
            """sp socket rx; sp socket ry; sp socket tx; sp room[8]; sp fifo ff = {.mem = room}; let i in [0, 8);
            main { parallel { ∀i ff[] <- rx[]; ∀i tx[] <- ry[] + ff[]; } }"""
        )
    )
    (op,) = (o for o in found if o.name == "fadds")
    assert isinstance(op.sources[0], Fabric) and isinstance(op.sources[1], FifoRef) and op.sources[1].extent == 8


def test_arguments_by_reference_are_built_in() -> None:
    text = """xp x[8]; xp y[8]; function add(xp p[], xp q[]) { i in [0, 8) p[i] <- p[i] + q[i]; }
    main { add(x, y); add(y, x); }"""
    u = unit(text)
    assert [r.name for r in u.routines] == ["main", "add", "add.1"]
    assert [o.name for o in ops(u, "add")] == ["add16", "ret"]


def test_arguments_that_may_be_one_array_stay_a_loop() -> None:
    text = """xp x[16]; xp n; function add(xp p[], xp q[]) { i in [0, 8) p[i] <- p[i] + q[i]; }
    main { add(x[n], x); }"""
    text = text.replace("xp x[16]", "xp x[4][8]").replace("add(x[n], x)", "add(x[n], x[0])")
    assert any(o.name == "jmp" for o in ops(unit(text), "add"))


def test_fused_multiply_add() -> None:
    assert [o.name for o in code("sp x = g[0]; sp y = g[1]; t = x + y * x;") if o.name.startswith("f")] == ["fmacs"]
    assert [o.name for o in code("sp x = g[0]; sp y = g[1]; t = x - y * 2.0;") if o.name.startswith("f")] == ["fmss"]
    found = [o.name for o in code("sp x = g[0]; t = x + g[1] * x;") if o.name.startswith("f")]
    assert found == ["fmuls", "fadds"]


def test_conditions() -> None:
    found = [o.name for o in code("sp x = g[0]; t = x <= 4.0 ? 1.0 : x;")]
    assert found[-3:] == ["flteqs", "select32", "st32"]
    found = code("if (a[0] > 0 && a[1] > 0) s = 1;")
    assert sum(o.name == "jmp" for o in found) == 1  # the second compare is predicated by the first
    found = code("if (a[0] > 0 && 7 / a[1] > 0) s = 1;")
    assert sum(o.name == "jmp" for o in found) == 2  # the division is not evaluated in vain


def test_parallel_transfers_are_microthreads_that_arrive() -> None:
    found = code("parallel { fx[] <- t; t <- rx[]; }")
    started = [o.background for o in found if o.background is not None]
    assert [(b.ut, b.completion, b.task) for b in started] == [(0, "arrive", 8), (1, "arrive", 8)]
    assert [o.name for o in found if o.name in ("settask", "setjoin", "suspend")] == ["settask", "setjoin", "suspend"]


def test_eight_arms_have_eight_microthreads() -> None:
    sockets = "".join(f"sp socket t{n}; sp socket r{n}; sp v{n};" for n in range(4))
    arms = "".join(f"t{n}[] <- v{n}; v{n} <- r{n}[];" for n in range(4))
    found = ops(unit(f"{sockets} main {{ parallel {{ {arms} }} }}"))
    assert sorted(o.background.ut for o in found if o.background) == list(range(8))


def test_handlers_have_tasks_of_their_own() -> None:
    u = unit("xp socket rx; xp s; main { s = 1; forever dispatch(rx) { wavelet(xp x) { s += x; } } }")
    assert [(table, n) for table, n, _, _ in u.tasks] == [("task", 8), ("task", 0)]
    assert u.blocked == {0} and u.active == {8} and u.halves == {0}
    assert [o.name for o in ops(u)] == ["st16", "unblock", "end"]


def test_dump_is_stable() -> None:
    text = ARRAYS + "main { ∀i c[i] <- a[i] + b[i]; if (s) t = 1.0; }"
    assert dump_unit(unit(text)) == dump_unit(unit(text))
    assert "add16 [c x8 w1] = [a x8 w1], [b x8 w1]" in dump_unit(unit(text))


def test_names_of_plain_code() -> None:
    assert names("xp a; main { a = 1; }") == ["st16"]


ENDLESS = "".join(f"sp socket s{n}; i in [0, ∞) s{n}[] <- x;" for n in range(8))
ERRORS = {
    "CB001": f"sp x; {ENDLESS} sp socket z; main {{ parallel {{ x <- z[]; }} }}",
    "CB002": "sp s; main { parallel { " + "forever { s += 1.0; } " * 21 + "} }",
    "CB010": "sp a[9]; iterator it = i in [0, 3) a[i]; sp s; main { a.base = 0x7f00; s <- it[]; }",
    "CB011": "u64 a[2][2][2][2]; iterator it = i in [0, 2) j in [0, 2) k in [0, 2) l in [0, 2) a[i][j][k][l]; u64 s; "
    "main { s <- it[]; }",
}


@pytest.mark.parametrize("wanted", ERRORS)
def test_what_cannot_be_compiled(wanted: str) -> None:
    assert errors(ERRORS[wanted]) == [wanted]


def test_a_choice_that_is_max_or_min_is_one_instruction() -> None:
    """Of floats only where the last arm is a number: max(a, b) of a NaN and a number is the number."""
    head = "sp a[9], b[9], c[9]; xp x[9], y[9], z[9]; let i in [0, 9); main { "
    assert names(head + "∀i c[i] <- a[i] > 0.0 ? a[i] : 0.0; }") == ["mov32", "fmaxs"]  # 0.0 comes first: in a register
    assert names(head + "∀i z[i] <- x[i] > y[i] ? y[i] : x[i]; }") == ["mins16"]
    assert "fmaxs" not in names(head + "∀i c[i] <- a[i] > b[i] ? a[i] : b[i]; }")
    assert "fmins" not in names(head + "∀i c[i] <- a[i] > 0.0 ? 0.0 : a[i]; }")
