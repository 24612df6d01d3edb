"""The layouts of the architecture notes and of the Paint chapters, compiled and run: what arrives is what they say."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import fabric
import paint
from paint import pipeline

SEND = "xp param N; socket tx; xp a[n=N]; { let i in [0, N); ∀i a[i] <- (xp) i * 3 + 1; ∀i tx[] <- a[i]; }"
RECV = "xp param N; socket rx; xp b[n=N]; { let i in [0, N); ∀i b[i] <- rx[]; }"
STAGE = "xp param N; socket r; xp a[n=N]; { let i in [0, N); ∀i a[i] <- r[]; ∀i r[] <- a[i] + 1; }"


def run(texts: dict[str, str], cycles: int = 5000, **options: Any) -> fabric.Result:
    result = fabric.run(paint.build(texts, **options), cycles)
    assert result.status == "done", result.why_blocked()
    return result


def test_two_tiles() -> None:
    """S0:71-74."""
    layout = """
    let c = color()
    let sender = tile() sender : code('send [tx:c N:N]) sender : paint(c [C>R])
    let receiver = tile() receiver : code('recv [rx:c N:N]) receiver : paint(c [L>C]) receiver : name('r)
    hstack(sender receiver)
    """
    result = run({"bench.paint": layout, "send.w": SEND, "recv.w": RECV}, N=7)
    assert result.get("r.b").ravel().tolist() == [1, 4, 7, 10, 13, 16, 19]


def test_a_swap_changes_a_stream_s_color() -> None:
    """S0:117-137, step 1."""
    layout = """
    let a = color()
    let b = color()
    let send = rect(0 0 1 1)
    send : code('send [tx:a N:N])
    send : paint(a [C>R])
    let recv = rect(1 0 1 1)
    recv : code('recv [rx:b N:N])
    recv : paint(b [LHC]) (* b takes a from the left, for the core *)
    recv : paint(a [LHC]) (* a takes b, so it does not also claim a *)
    recv : name('recv)
    let row = rect(0 0 2 1)
    row : colorpair(a b)
    union(row send recv)
    """
    result = run({"bench.paint": layout, "send.w": SEND, "recv.w": RECV}, N=4)
    assert result.get("recv.b").ravel().tolist() == [1, 4, 7, 10]


PIPELINE = """
let r = color()
let rp = color()
let row = rect(0 0 K+2 1)
row : paint(rp [CXR|R]) (* rp takes what the core sends on r and carries it right *)
row : paint(r [L|LXC]) (* r takes rp arriving from the left, for the core *)
row : colorpair(r rp)
let src = rect(0 0 1 1)
src : code('send [tx:r N:N])
src : name('send)
let stages = rect(1 0 K 1)
stages : code('stage [r:r N:N])
stages : name('stage)
let sink = rect(K+1 0 1 1)
sink : code('recv [rx:r N:N])
sink : name('recv)
union(row src stages sink)
"""


@pytest.mark.parametrize("k", [0, 1, 4])
def test_one_socket_for_a_whole_row(k: int) -> None:
    """S0:138-183, step 2: each stage adds 1."""
    texts = {"bench.paint": PIPELINE, "send.w": SEND, "recv.w": RECV, "stage.w": STAGE}
    result = run(texts, N=5, K=k)
    assert result.get("recv.b").ravel().tolist() == [1 + k, 4 + k, 7 + k, 10 + k, 13 + k]


def test_the_fabric_adder_s_chain() -> None:
    """S3:88-109: 100 + 2 + 3 arrives as 105."""
    layout = """
    let c = color()
    let head = tile()
    head : code('head [tx:c])
    head : paint(c [C>R])
    let add0 = tile()
    add0 : code('add [tx:c VALUE:2])
    add0 : paint(c [L>R; fabadder])
    add0 : name('add0)
    let add1 = tile()
    add1 : code('add [tx:c VALUE:3])
    add1 : paint(c [L>R; fabadder])
    add1 : name('add1)
    let recv = tile()
    recv : code('recv [rx:c])
    recv : paint(c [L>C])
    recv : name('recv)
    hstack(head add0 add1 recv)
    """
    texts = {
        "bench.paint": layout,
        "head.w": "socket tx; tx[] <- 100.0:sp;",
        "add.w": "hp param VALUE; socket tx; hp a = VALUE; tx[] <- a;",
        "recv.w": "socket rx; sp result[1]; main { result[0] <- rx[]; }",
    }
    result = run(texts, float16_dtype=10)
    assert result.get("recv.result").ravel().tolist() == [105.0]


def test_message_passing() -> None:
    """S3:165-185: two tiles and one between that only forwards."""
    layout = """
    let b0 = bank(0)
    let b0color = color(b0)
    let sender = tile() sender : code('sender [sock:b0color]) sender : mp(b0) sender : name('sender)
    let between = tile() between : mp(b0)
    let receiver = tile() receiver : code('receiver [sock:b0color]) receiver : mp(b0) receiver : name('receiver)
    hstack(receiver between sender)
    """
    texts = {
        "bench.paint": layout,
        # Destination column 0, row 0, same row, two data wavelets.
        "sender.w": "u32 socket sock; main { sock[] <- 2:u32; sock[] <- 77:u32; sock[] <- 88:u32; }",
        "receiver.w": "u32 socket sock; u32 got[n=3]; main { let i in [0, 3); ∀i got[i] <- sock[]; }",
    }
    result = run(texts)
    assert result.get("receiver.got").ravel().tolist() == [2, 77, 88]


SWITCHED = """
let c = color()
let row = rect(0 0 K 1)
row : code('node [tx:c V:7]) row : paint(c [C>R; L>R; pop=adv ring])
let sink = tile()
sink : code('recv [rx:c N:K]) sink : paint(c [L>C]) sink : name('sink)
hstack(row sink)
"""


def test_a_switched_chain_delivers_the_nearest_first() -> None:
    """hardware.md 18: each tile sends its value, then ADVANCE; the right end reads the values nearest first."""
    node = """
    xp param V; u32 socket tx; xp col[1] address(0x7c46); wv advance = {0x9249, 0x0940};
    main { tx[] <- (u32) col[0] + V; tx[] <- control(advance); }
    """
    recv = "xp param N; u32 socket rx; u32 b[n=N]; { let i in [0, N); ∀i b[i] <- rx[]; }"
    result = run({"bench.paint": SWITCHED, "node.w": node, "recv.w": recv}, K=4)
    assert result.get("sink.b").ravel().tolist() == [10, 9, 8, 7]


def test_reading_the_ids_keeps_the_warnings_of_routes(tmp_path: Path) -> None:
    """A tile that reads its row and column is judged; one that may write a route is not (paint.md 6)."""
    layout = "let c = color() let t = tile() t : code('k [tx:c]) t : paint(c [C>R]) t"
    ids = "xp socket tx; xp col[1] address(0x7c46); xp place[2] address(0x7c45); main { tx[] <- col[0] + place[0]; }"
    route = ids + " u16 route[1] address(0x7c05);"
    for text, wanted in ((ids, ["PT602"]), (route, [])):
        (tmp_path / "k.w").write_text(text)
        (tmp_path / "bench.paint").write_text(layout)
        built = pipeline.run(str(tmp_path / "bench.paint"), pipeline.Options())
        assert [d.code.code for d in built.reporter.diagnostics] == wanted


def test_a_socket_that_the_parameters_rule_out_needs_no_route(tmp_path: Path) -> None:
    """Border tiles run the kernel of the grid with a parameter; what that leaves out of the code is not missed."""
    kernel = """
    xp param FIRST = 0, LAST = 0; xp socket left, right; xp v = 1;
    function pass() { if (!LAST) { right[] <- v; } }
    main {
      if (!FIRST) { v = left[] + 1; }
      pass();
    }
    """
    layout = """
    let c = color()
    let first = tile() first : code('k [left:c right:c FIRST:F]) first : paint(c [C>R])
    let last = tile() last : code('k [left:c right:c LAST:L]) last : paint(c [L>C])
    hstack(first last)
    """
    (tmp_path / "k.w").write_text(kernel)
    (tmp_path / "bench.paint").write_text(layout)
    for first, last, wanted in ((1, 1, []), (0, 1, ["PT616"]), (1, 0, ["PT610"])):
        given = {"F": str(first), "L": str(last)}
        built = pipeline.run(str(tmp_path / "bench.paint"), pipeline.Options(given=given))
        assert [d.code.code for d in built.reporter.diagnostics] == wanted


def test_rows_of_different_programs_by_arrayplace() -> None:
    layout = """
    let t = rect(0 0 3 1) t : code('k [P:@p]) t : name('grid)
    arrayplace(t range(0 4) [p:range(10 14)])
    """
    kernel = """
    xp param P; xp v; xp col[1] address(0x7c46); xp row[1] address(0x7c45); xp here[n=2];
    main { v = P; here[0] = col[0]; here[1] = row[0]; }
    """
    result = run({"bench.paint": layout, "k.w": kernel})
    wanted = np.repeat([[10], [11], [12], [13]], 3, axis=1)
    assert np.array_equal(np.asarray(result.get("grid.v")).reshape(4, 3), wanted)
    here = np.asarray(result.get("grid.here")).reshape(4, 3, 2)
    assert all(here[y, x].tolist() == [x, y] for x in range(3) for y in range(4))
