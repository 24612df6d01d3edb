"""Sockets and queues, functions, options, imports, the order of code (tungsten.md 2, 4, 6, 7)."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from sample_kernels import CORPUS, body, codes, kernel

from diag.report import Reporter, UserError
from tungsten import load, tree
from tungsten.dump import dump_program


def queues(text: str) -> dict[str, tuple[int | None, int | None]]:
    return {s.name: (s.in_queue, s.out_queue) for s in kernel(text).sockets}


def test_queues_in_order_of_declaration_skipping_fixed_ones() -> None:
    text = """xp socket a, b, c[[dir=in, id=1]], d, e, unused; xp x;
    d[] <- 1; b[] <- 2; x = a[]; x = c[]; x = d[]; forever dispatch(e) { wavelet() {} }"""
    assert queues(text) == {
        "a": (0, None),
        "b": (None, 0),
        "c": (1, None),
        "d": (2, 1),
        "e": (3, None),
        "unused": (None, None),
    }


def test_a_filter_is_no_use_and_a_capture_is() -> None:
    text = """socket rx, s0[[dir=in]]; filter f[counter] = {.limit=3, .maxpass=1, .socket=rx}; u64 d; d = s0;"""
    assert queues(text) == {"rx": (None, None), "s0": (0, None)}


def test_uses_in_functions_count_only_when_they_are_called() -> None:
    text = "socket a, b; xp x; function f() { x = a[]; } function g() { x = b[]; } g();"
    assert queues(text) == {"a": (None, None), "b": (0, None)}
    assert codes(text) == ["TW119"]


def test_imports_come_first_and_once(tmp_path: Path) -> None:
    lib = tmp_path / "lib"
    lib.mkdir()
    (lib / "one.w").write_text("import two; xp socket s1; xp from_one = from_two;")
    (lib / "two.w").write_text("xp socket s2; xp from_two = 7; function twice(xp n) { return 2*n; }")
    (tmp_path / "k.w").write_text(
        "import one; import two; xp socket s3; xp x; x = twice(from_one); x = s1[] + s2[] + s3[];"
    )
    program = load(tmp_path / "k.w", [str(tmp_path / "missing"), str(lib)])
    assert [(s.name, s.in_queue) for s in program.sockets] == [("s2", 0), ("s1", 1), ("s3", 2)]
    assert [Path(d).name for d in program.depends] == ["k.w", "one.w", "two.w"]
    assert [g.name for g in program.globals] == ["from_two", "from_one", "x"]


def test_library_path_comes_before_the_source_directory(tmp_path: Path) -> None:
    lib = tmp_path / "lib"
    lib.mkdir()
    (lib / "one.w").write_text("xp here = 1;")
    (tmp_path / "one.w").write_text("xp here = 2;")
    (tmp_path / "k.w").write_text("import one;")
    assert load(tmp_path / "k.w", [str(lib)]).globals[0].init == [1]
    assert load(tmp_path / "k.w", []).globals[0].init == [2]


def test_a_library_finds_what_lies_beside_the_kernel(tmp_path: Path) -> None:
    (tmp_path / "lib").mkdir()
    (tmp_path / "lib" / "one.w").write_text("import two;")
    (tmp_path / "two.w").write_text("xp there = 7;")
    (tmp_path / "k.w").write_text("import one;")
    assert load(tmp_path / "k.w", [str(tmp_path / "lib")]).globals[0].init == [7]


@pytest.mark.parametrize("what", ["missing", "directory", "latin", "nul"])
def test_unreadable_files(tmp_path: Path, what: str) -> None:
    path = tmp_path / "k.w"
    if what == "directory":
        path.mkdir()
    elif what == "latin":
        path.write_bytes(b"xp a; // \xe4\n")
    elif what == "nul":
        path = tmp_path / "a\0b.w"
    with pytest.raises(UserError) as e:
        load(path)
    assert e.value.diagnostics[0].code.code == ("DG009" if what == "latin" else "DG007")


def test_functions_are_made_once_a_shape() -> None:
    text = """sp a[2][3], b[4][5], v[3]; function f(sp m[][]) { m[1][1] = 1.; } function g(sp q[]) { q[0] = 2.; }
    f(a); f(b); f(a); g(v); g(a[1]);"""
    program = kernel(text)
    assert [f.name for f in program.functions] == ["f", "f.2", "g"]
    assert [str(f.params[0].type) for f in program.functions] == ["sp[2][3]", "sp[4][5]", "sp[]"]


def test_every_form_of_parameter() -> None:
    text = """const w = 2; union nb { u32 u; xp w[2]; }; struct s { xp k; sp t; }; sp q[6][6], v[4], m[2][2];
    union nb one; struct s list[3], single;
    function f(xp n, sp v[], sp m[][], sp q[n+w][n+w], union nb u, struct s l[]) {
      l[0].k = n; u.u = 1; return v[0] + m[1][0] + q[1][n]; }
    const n = 4; sp x = f(1, v, m, q, one, list); x = f(2, v, m, q, one, single) + f(3, q[1], m, q, one, list);"""
    program = kernel(text)
    assert [str(f.params[3].type) for f in program.functions] == ["sp[6][6]"]


def test_a_function_may_be_called_before_its_definition() -> None:
    assert body("xp x; x = f(2); function f(xp n) { return g(n) + 1; } function g(xp n) { return 2*n; }") == ["x = f(2:xp)"]


def test_literals_that_are_returned_adapt() -> None:
    program = kernel("sp x; x = f(1); xp y; y = g(1); function f(sp a) { if (a > 0) return a; return 0; } "
                     "function g(xp n) { return n ? 1 : 2; }")  # fmt: skip
    assert [str(f.result) for f in program.functions] == ["sp", "xp"]


def test_options_reach_inner_statements_and_end_with_them() -> None:
    text = """sp a[4], s; socket r; let i in [0, 4);
    #pragma uthread enable on
    { ∀i s += r[]; [[uthread.enable(off), vectorize(off)]] ∀i s += a[i]; s = 1.; }
    s = 2.;"""
    lines = [line.partition("    [[")[2] for line in body(text)]
    on, off = "uthread.enable=on]]", "uthread.enable=off vectorize=off]]"
    assert lines == ["", on, on, off, off, on, ""]


def test_dot_product_options() -> None:
    text = """sp a[4], b[4], s; hp h[4]; let i in [0, 4);
    [[dot.load(off)]] ∀i s = ∑ a[i]*b[i];
    [[dot.state(on), dot.load(off)]] { ∀i s = ∑ a[i]; }
    [[dot.state(on)]] ∀i s = ∑ h[i]*h[i];
    ∀i s = ∑ h[i]*b[i];
    ∀i s = ∑ a[i]*2;"""
    sums = [line.split("    ")[0] for line in body(text) if "∑" in line]
    assert sums == [
        "s = ∑ a[i] * b[i] no_load",
        "s = ∑ a[i] keep no_load",
        "s = ∑ h[i] * h[i] keep",
        "s = ∑ sp(h[i]) * b[i]",
        "s = ∑ a[i] * 2.0:sp",
    ]


def test_background_transfers_are_the_top_level_ones() -> None:
    text = """sp mem[8]; sp fifo ff = {.mem=mem}; socket rx, tx; xp n;
    i in [0,∞) ff[] ← rx[];
    i in [0,∞) { tx[] ← ff[]; }
    main { n = 1; }"""
    program = kernel(text)
    assert program.background == program.body[:2]
    assert kernel("xp n; i in [0,∞) { n += 1; n = 3; }").background == []
    assert kernel("socket r, t; main { i in [0,∞) t[] ← r[]; }").background == []


def test_flip_marks_the_send_before_it() -> None:
    text = "sp a[4]; socket t; let i in [0, 4); ∀i t[] <- a[i]; t.flip; t[] <- 1; t.flip; t[] <- 2;"
    assert [line for line in body(text) if "send" in line] == [
        "send t: a[i] flip",
        "send t: 1:xp flip",
        "send t: 2:xp",
    ]


def test_entries_of_all_kinds_in_order() -> None:
    text = "xp n; n = 1; { n = 2; } parallel { n = 3; { n = 4; } } main { n = 5; } n = 6;"
    assert body(text) == [
        "n = 1:xp", "block", "n = 2:xp", "parallel", "arm 0", "n = 3:xp", "arm 1", "n = 4:xp",
        "block", "n = 5:xp", "n = 6:xp",
    ]  # fmt: skip


def test_dispatch_with_all_handlers() -> None:
    text = """socket s; xp k; forever dispatch(s) { wavelet(sp x) { k = x; } control(5, xp v) { k = v; }
    control(6) {} control() { k = 0; } }"""
    program = kernel(text)
    dispatch = program.body[0]
    assert isinstance(dispatch, tree.Dispatch)
    assert [(h.control, h.control_id, h.value is not None, h.index is not None) for h in dispatch.handlers] == [
        (False, None, True, False), (True, 5, True, False), (True, 6, False, False), (True, None, False, False),
    ]  # fmt: skip


def test_warnings_do_not_stop() -> None:
    reporter = Reporter()
    kernel("xp a[4], b[4]; socket unused; let i in [0, 4); ∀i a[i] = b[i+1]; #pragma unknown thing on\na[0] = 1;", reporter)
    assert sorted(d.code.code for d in reporter.diagnostics) == ["TW067", "TW095", "TW119"]
    assert not reporter.errors


def test_the_loop_around_a_call_gives_the_function_no_index() -> None:
    text = "xp a[4], x; let i in [0, 4); function f() { return a[i]; } ∀i x = f();"
    assert codes(text) == ["TW061"]
    inner = "xp a[4], x; let i in [0, 4); function f() { xp s = 0; ∀i s += a[i]; return s; } ∀i a[i] = f() + i;"
    assert codes(inner) == []


def test_a_guarded_access_is_no_warning() -> None:
    guarded = "xp a[4], b[4]; let i in [0, 4); ∀i { if (i > 0) a[i] = b[i-1]; a[i] = i < 3 ? b[i+1] : 0; }"
    assert codes(guarded) == []


def test_code_that_constants_leave_out_has_no_bounds() -> None:
    program = kernel(
        """xp param N = 0; sp a[N], b[4]; let i in [0, N);
        main { if (N > 0) { a[0] = 1; a[N - 1] = 2; } ∀i a[i - 1] <- b[7];
          if (N == 0) b[0] = 1; else b[5] = 1; if (N) b[4] = 1; else if (N == 1) b[6] = 1; else b[1] = 0; }"""
    )
    assert program.body
    for rest in ("if (N > 0) b[0] = 1; else b[4] = 1;", "if (N == 0) b[5] = 1; else b[1] = 1;", "∀i b[9] <- 1; b[4] = 1;"):
        with pytest.raises(UserError) as caught:
            kernel("xp param N = 0; sp b[4]; let i in [0, N); " + rest)
        assert [d.code.code for d in caught.value.diagnostics] == ["TW066"]


def test_same_place_after_a_wrong_declaration_says_nothing_more() -> None:
    assert codes("foo x; xp y; y = x + 1; x = 2;") == ["TW023"]
    assert codes("xp a[n]; a[0] = 1;") == ["TW021"]
    assert codes("socket s[[id=9]]; s[] <- 1;") == ["TW096"]
    assert codes("struct S { foo x; }; struct S s; s.x = 1;") == ["TW023"]
    assert codes("function f() { return y; } xp x = f();") == ["TW021"]


def test_dumps_of_the_corpus() -> None:
    """The text of `carbide dump=ast`; GOLDEN=write writes it anew, to be read by whoever does that."""
    golden = Path(__file__).with_name("dumps.txt")
    shown = "".join(f"==== kernel {n}\n{dump_program(kernel(text))}" for n, text in enumerate(CORPUS))
    if os.environ.get("GOLDEN") == "write":
        golden.write_text(shown, encoding="utf-8")
    assert shown == golden.read_text(encoding="utf-8")
