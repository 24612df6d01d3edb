"""What programs see of the machine besides routes: counter, timer, IDs, reserved words, filters (hardware.md 10, 16)."""

from __future__ import annotations

import pytest
from programs import run

ONE = "let t = tile()\nt : code('k)\nt : name('k)\nt\n"


def test_the_cycle_counter_counts_when_the_timer_is_on() -> None:
    kernel = """u16 timer[1] address(0x7b34);
u16 count[3] address(0x7b30);
u16 off; u16 start; u16 stop; u16 later; u16 still;
main {
  off = count[0];
  timer[0] = 4;
  start = count[0];
  xp i = 100;
  while (i > 0) { i = i - 1; }
  stop = count[0];
  timer[0] = 0;
  later = count[0];
  i = 50;
  while (i > 0) { i = i - 1; }
  still = count[0];
  count[1] = 0x1234;
}
"""
    r = run({"bench.paint": ONE, "k.w": kernel})
    assert r.status == "done"
    value = {k: int(r.get(f"k.{k}").ravel()[0]) for k in ("off", "start", "stop", "later", "still")}
    assert value["off"] == 0 and 0 < value["start"] < 5
    # a pass of the loop takes five cycles or so; the counter and the simulator agree that it took some hundred
    assert 300 <= value["stop"] - value["start"] <= 700 and value["stop"] < r.cycles
    assert value["still"] == value["later"]
    tile = r.simulation.fabric.tiles[0, 0]  # type: ignore[union-attr]
    assert tile.read_word(0x7B31) == 0x1234


def test_reserved_words_read_0_and_the_cache_is_memory() -> None:
    kernel = """u16 low[4] address(0x6000);
u16 high[2] address(0x71fe);
u16 cache[256] address(0x7f00);
u16 a; u16 b; u16 c; u16 d;
main {
  low[3] = 77;
  high[1] = 78;
  cache[0] = 79;
  cache[255] = 80;
  a = low[3];
  b = high[1];
  c = cache[0];
  d = cache[255];
}
"""
    r = run({"bench.paint": ONE, "k.w": kernel})
    assert [int(r.get(f"k.{k}").ravel()[0]) for k in "abcd"] == [0, 0, 79, 80]


@pytest.mark.parametrize(("w", "h"), [(1, 1), (4, 3)])
def test_each_tile_knows_its_place(w: int, h: int) -> None:
    kernel = """xp row[1] address(0x7c45);
xp column[1] address(0x7c46);
xp at;
main { at = 100 * row[0] + column[0]; }
"""
    r = run({"bench.paint": "let t = rect(0 0 W H)\nt : code('k)\nt : name('k)\nt\n", "k.w": kernel}, W=w, H=h)
    assert r.get("k.at").reshape(h, w).tolist() == [[100 * y + x for x in range(w)] for y in range(h)]


@pytest.mark.parametrize(
    ("limit", "maxpass", "state", "want"),
    [
        # of each L + 1 wavelets P + 1 pass; a state in the drop phase begins with the L - P that are dropped
        (3, 1, 0, [0, 1, 4, 5, 8, 9]),
        (3, 1, 64, [2, 3, 6, 7, 10, 11]),
        (1, 0, 0, [0, 2, 4, 6, 8, 10]),
        (2, 2, 0, list(range(12))),
    ],
)
def test_a_counter_filter(limit: int, maxpass: int, state: int, want: list[int]) -> None:
    layout = """let c = color()
let s = tile()
s : code('send [tx:c])
s : paint(c [C>R])
let r = tile()
r : code('read [rx:c])
r : paint(c [L>C])
r : name('r)
hstack(s r)
"""
    send = "sp socket tx;\nmain { i in [0, 12) { tx[] <- (sp)(i); } }\n"
    read = f"""sp socket rx;
filter f[counter] = {{.limit={limit}, .maxpass={maxpass}, .state={state}, .tick=wavelet, .socket=rx}};
sp got[{len(want)}];
main {{ let i in [0, {len(want)}); ∀i got[i] <- rx[]; }}
"""
    r = run({"bench.paint": layout, "send.w": send, "read.w": read})
    assert r.status == "done", r.why_blocked()
    assert r.get("r.got").ravel().tolist() == want


def test_microthreads_go_before_the_main_thread() -> None:
    # A microthread that always has something to send takes every slot; the main thread's count ends after it.
    layout = """let c = color()
let s = tile()
s : code('send [tx:c])
s : paint(c [C>R])
s : name('s)
let r = tile()
r : code('read [rx:c])
r : paint(c [L>C])
hstack(s r)
"""
    send = """sp socket tx;
sp a[n=200];
u16 timer[1] address(0x7b34);
u16 count[3] address(0x7b30);
u16 alone; u16 beside;
main {
  let i in [0, 200);
  timer[0] = 4;
  xp k = 20;
  while (k > 0) { k = k - 1; }
  alone = count[0];
  parallel {
    ∀i tx[] <- a[i];
    {
      k = 20;
      while (k > 0) { k = k - 1; }
      beside = count[0];
    }
  }
}
"""
    read = "sp socket rx;\nsp a[n=200];\nmain { let i in [0, 200); ∀i a[i] <- rx[]; }\n"
    r = run({"bench.paint": layout, "send.w": send, "read.w": read})
    assert r.status == "done", r.why_blocked()
    alone, beside = (int(r.get(f"s.{k}").ravel()[0]) for k in ("alone", "beside"))
    # one wavelet a cycle leaves, so the send takes 200 slots
    assert beside - alone >= 200 > alone
