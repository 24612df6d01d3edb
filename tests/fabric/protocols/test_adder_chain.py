"""The fabric adder's chain (S3:2-110): 100.0 and hp 2 and hp 3 arrive as 105.0; with sp sent instead, as 100.0."""

from __future__ import annotations

import numpy as np
import pytest
from programs import run

LAYOUT = """let c = color()
let head = tile()
head : code('head [tx:c N:N])
head : paint(c [C>R])
let add = tile()
add : code('add [tx:c N:N])
add : paint(c [L>R; fabadder])
let recv = tile()
recv : code('recv [rx:c N:N])
recv : paint(c [L>C])
recv : name('recv)
hstack(head hstackrep(add K) recv)
"""
HEAD = """xp param N;
sp socket tx;
main { i in [0, N) { tx[] <- 100.0; } }
"""
ADD = """xp param N;
TYPE socket tx;
xp column[1] address(0x7c46);
main {
  TYPE a = (TYPE)(column[0] + 1);
  i in [0, N) { tx[] <- a; }
}
"""
RECV = """xp param N;
sp socket rx;
sp result[n=N];
main { let i in [0, N); ∀i result[i] <- rx[]; }
"""


def chain(kind: str) -> dict[str, str]:
    return {"bench.paint": LAYOUT, "head.w": HEAD, "add.w": ADD.replace("TYPE", kind), "recv.w": RECV}


@pytest.mark.parametrize("tiles", [1, 2, 3, 10])
@pytest.mark.parametrize("n", [1, 6, 25])
def test_sums_of_hp(tiles: int, n: int) -> None:
    r = run(chain("hp"), fp16=10, K=tiles, N=n)
    assert r.status == "done", r.why_blocked()
    # 2 + 3 + … of the columns: with two adders 105
    want = 100.0 + sum(range(2, tiles + 2))
    assert r.get("recv.result").ravel().tolist() == [want] * n


@pytest.mark.parametrize("tiles", [1, 2, 5])
def test_sp_is_read_as_two_packed_hp(tiles: int) -> None:
    r = run(chain("sp"), fp16=10, K=tiles, N=1)
    # the low half of sp 2.0, 3.0, … is hp 0; the high half stays in the adder
    assert r.get("recv.result").ravel().tolist() == [100.0]
    assert (r.status, {c["cause"] for c in r.json()["causes"]}) == ("blocked", {"adder operands"})
    assert [k["tile"] for k in r.json()["left"]] == [[x, 0] for x in range(1, tiles + 1)]


def test_a_packed_pair_serves_two_sums() -> None:
    add = """xp param N;
hp socket tx;
hp a[n=N];
main {
  let i in [0, N);
  i in [0, N) { a[i] = (hp)(i); }
  ∀i tx[] <- a[i];
}
"""
    r = run({**chain("hp"), "add.w": add}, fp16=10, K=1, N=8)
    assert r.status == "done", r.why_blocked()
    assert (r.get("recv.result").ravel() == 100 + np.arange(8)).all()
