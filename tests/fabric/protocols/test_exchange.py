"""Reactive borders and exchanges between neighbours (hardware.md 18): four sends and four receives in one parallel
block work at every size, and the same in two blocks deadlock, which the simulator has to say."""

from __future__ import annotations

import numpy as np
import pytest
from programs import run

BORDER = """let ask = color()
let answer = color()
let inner = tile()
inner : code('inner [tx:ask rx:answer N:N])
inner : paint(ask [C>R])
inner : paint(answer [R>C])
let border = tile()
border : code('border [rx:ask tx:answer])
border : paint(ask [L>C])
border : paint(answer [C>L])
border : name('border)
let all = vstackrep(hstack(inner border) H)
all : name('grid)
all
"""
ASKING = """xp param N;
sp socket tx;
sp socket rx;
sp got[n=N];
main { i in [0, N) { tx[] <- (sp)(i); got[i] <- rx[]; } }
"""
HANDLER = """sp socket rx;
sp socket tx;
xp asked;
forever dispatch(rx) { wavelet() { asked = asked + 1; tx[] <- 7.25; } }
"""
LOOP = """sp socket rx;
sp socket tx;
main { forever { sp t <- rx[]; tx[] <- 7.25; } }
"""


@pytest.mark.parametrize("border", [HANDLER, LOOP], ids=["dispatch", "forever"])
@pytest.mark.parametrize(("rows", "values"), [(1, 1), (3, 9), (6, 30)])
def test_a_border_that_answers_for_ever(border: str, rows: int, values: int) -> None:
    r = run({"bench.paint": BORDER, "inner.w": ASKING, "border.w": border}, N=values, H=rows)
    assert r.status == "done", r.why_blocked()
    assert r.json()["tiles"] == {"ended": rows, "serving": rows, "running": 0}
    assert r.get("grid.got").shape == (rows, 1, values)
    assert (r.get("grid.got") == 7.25).all()
    # with N sent by hand, a border that has been asked 9 times has counted 9
    if border is HANDLER:
        assert (r.get("border.asked") == values).all()


EXCHANGE = """let e = color() let ep = color()
let w = color() let wp = color()
let n = color() let np = color()
let s = color() let sp = color()
let inner = rect(1 1 W H)
inner : code('inner [te:e tw:w tn:n ts:s rw:e re:w rs:n rn:s N:N])
inner : name('grid)
let left = rect(0 1 1 H)
left : code('edge [tx:e rx:w N:N])
let right = rect(W+1 1 1 H)
right : code('edge [tx:w rx:e N:N])
let north = rect(1 0 W 1)
north : code('edge [tx:s rx:n N:N])
let south = rect(1 H+1 W 1)
south : code('edge [tx:n rx:s N:N])
let rows = rect(0 1 W+2 H)
rows : paint(ep [CXR|R])  rows : paint(e [L|LXC])
rows : paint(wp [CXL|L])  rows : paint(w [R|RXC])
let columns = rect(1 0 W H+2)
columns : paint(sp [CXU|U])  columns : paint(s [D|DXC])
columns : paint(np [CXD|D])  columns : paint(n [U|UXC])
let all = union(rows columns inner left right north south)
all : colorpair(e ep) all : colorpair(w wp) all : colorpair(n np) all : colorpair(s sp)
all
"""
EDGE = """xp param N;
sp socket tx;
sp socket rx;
sp got[n=N];
sp v[n=N];
main {
  let i in [0, N);
  ∀i v[i] = -1.0;
  parallel { ∀i tx[] <- v[i]; ∀i got[i] <- rx[]; }
}
"""
INNER = """xp param N;
sp socket te; sp socket tw; sp socket tn; sp socket ts;
sp socket re; sp socket rw; sp socket rn; sp socket rs;
xp row[1] address(0x7c45);
xp column[1] address(0x7c46);
sp v[n=N];
sp east[n=N]; sp west[n=N]; sp north[n=N]; sp south[n=N];
main {
  let i in [0, N);
  i in [0, N) { v[i] = (sp)(100 * row[0] + 10 * column[0]); }
  BODY
}
"""
SENDS = "∀i te[] <- v[i]; ∀i tw[] <- v[i]; ∀i tn[] <- v[i]; ∀i ts[] <- v[i];"
RECEIVES = "∀i east[i] <- re[]; ∀i west[i] <- rw[]; ∀i north[i] <- rn[]; ∀i south[i] <- rs[];"


def exchange(body: str) -> dict[str, str]:
    return {"bench.paint": EXCHANGE, "edge.w": EDGE, "inner.w": INNER.replace("BODY", body)}


@pytest.mark.parametrize(("w", "h", "n"), [(1, 1, 1), (3, 2, 1), (2, 4, 7), (2, 2, 40)])
def test_four_sends_and_four_receives(w: int, h: int, n: int) -> None:
    r = run(exchange(f"parallel {{ {SENDS} {RECEIVES} }}"), W=w, H=h, N=n)
    assert r.status == "done", r.why_blocked()
    own = np.array([[100 * y + 10 * x for x in range(w + 2)] for y in range(h + 2)], dtype=np.float32)
    own[[0, -1], :] = -1
    own[:, [0, -1]] = -1
    want = {"east": own[1:-1, 2:], "west": own[1:-1, :-2], "north": own[:-2, 1:-1], "south": own[2:, 1:-1]}
    for name, values in want.items():
        assert (r.get(f"grid.{name}") == values[:, :, None]).all()


@pytest.mark.parametrize(
    ("body", "n", "kind"),
    [
        (f"parallel {{ {SENDS} }} parallel {{ {RECEIVES} }}", 40, "full"),
        (f"parallel {{ {RECEIVES} }} parallel {{ {SENDS} }}", 1, "empty"),
        (f"{SENDS} {RECEIVES}", 40, "full"),
    ],
    ids=["sends first", "receives first", "one after the other"],
)
@pytest.mark.parametrize(("w", "h"), [(2, 1), (3, 3)])
def test_the_same_in_two_blocks_deadlocks(body: str, n: int, kind: str, w: int, h: int) -> None:
    r = run(exchange(body), W=w, H=h, N=n)
    assert r.status == "blocked"
    causes = r.json()["causes"]
    assert "circle" in {c["cause"] for c in causes}
    circle = next(c for c in causes if c["cause"] == "circle")
    threads = [k for k in circle["links"][circle["closes"] :] if k["thread"]]
    assert len({tuple(k["tile"]) for k in threads}) >= 2
    assert {k["waits"] for k in threads} == {kind}
    assert all("inner.w:" in k["place"] for k in threads)
    # none of the inner tiles gets through
    waiting = {tuple(k["tile"]) for k in r.json()["waiting"]}
    assert {(x, y) for x in range(1, w + 1) for y in range(1, h + 1)} <= waiting


def test_the_same_in_two_blocks_works_while_the_queues_hold_it() -> None:
    r = run(exchange(f"parallel {{ {SENDS} }} parallel {{ {RECEIVES} }}"), W=2, H=2, N=3)
    assert r.status == "done"
