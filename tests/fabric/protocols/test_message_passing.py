"""Message passing from programs (S0:209-229, S3:111-195): both banks, X then Y in all four quadrants, several senders,
relays without code, messages by count and by control bit, and two queues on one color (hardware.md 18)."""

from __future__ import annotations

import pytest
from programs import run

NORTH, SOUTH, BY_CONTROL = 1 << 7, 1 << 6, 1 << 5

SEND = """u32 socket tx;
xp param COLUMN, ROW, N;
xp row[1] address(0x7c45);
xp column[1] address(0x7c46);
main {
  u32 head = ((u32)(u16) COLUMN << 20) | ((u32)(u16) ROW << 8) | (u32)(u16) N;
  if (ROW < row[0]) head = head | (u32) 0x80;
  if (ROW > row[0]) head = head | (u32) 0x40;
  tx[] <- head;
  i in [0, N) { tx[] <- ((u32)(u16)(column[0] + 1) << 20) | ((u32)(u16)(row[0] + 1) << 8) | (u32)(u16) i; }
}
"""
READ = """u32 socket rx;
xp param N;
u32 got[n=N];
main { let i in [0, N); ∀i got[i] <- rx[]; }
"""
# Senders in the four corners of an area of W x H, the reader at (X, Y); all other tiles have no code.
CORNERS = """let b = bank(B)
let c = color(b)
let area = rect(0 0 W H)
area : mp(b)
let reader = rect(X Y 1 1)
reader : code('read [rx:c N:4*(N+1)])
reader : name('reader)
let senders = union(rect(0 0 1 1) rect(W-1 0 1 1) rect(0 H-1 1 1) rect(W-1 H-1 1 1))
senders : code('send [tx:c COLUMN:X ROW:Y N:N])
union(area reader senders)
"""


def parts(words: list[int]) -> list[tuple[int, list[int]]]:
    """(header, data) of each message in what was received."""
    found = []
    while words:
        n = words[0] & 31
        found.append((words[0], words[1 : 1 + n]))
        words = words[1 + n :]
    return found


@pytest.mark.parametrize("bank", [0, 1])
@pytest.mark.parametrize(("w", "h", "x", "y"), [(3, 3, 1, 1), (5, 4, 3, 2), (2, 3, 0, 1)])
@pytest.mark.parametrize("n", [1, 5, 31])
def test_four_senders_to_one_reader(bank: int, w: int, h: int, x: int, y: int, n: int) -> None:
    r = run({"bench.paint": CORNERS, "send.w": SEND, "read.w": READ}, B=bank, W=w, H=h, X=x, Y=y, N=n)
    assert r.status == "done", r.why_blocked()
    got = parts([int(v) for v in r.get("reader.got").ravel()])
    # each message whole, in its sender's order, whatever the order of the messages
    corners = [(0, 0), (w - 1, 0), (0, h - 1), (w - 1, h - 1)]
    want = []
    for sx, sy in corners:
        flag = NORTH if y < sy else SOUTH if y > sy else 0
        head = x << 20 | y << 8 | flag | n
        want.append((head, [(sx + 1) << 20 | (sy + 1) << 8 | i for i in range(n)]))
    assert sorted(got) == sorted(want)


def test_a_message_that_a_control_bit_ends() -> None:
    # The last wavelet has the control bit and names task 9, whose handler ends the message at the reader.
    layout = """let b = bank(0)
let c = color(b)
let s = tile()
s : code('send [tx:c])
let relay = tile()
let r = tile()
r : code('read [rx:c])
r : name('r)
let row = hstack(s relay r)
row : mp(b)
row
"""
    send = f"""u32 socket tx;
wv last = {{0x1234, 0x0009}};
main {{
  tx[] <- 0x{2 << 20 | BY_CONTROL:08x}:u32;
  i in [0, 40) {{ tx[] <- (u32)(u16) i; }}
  tx[] <- control(last);
  tx[] <- 0x{2 << 20 | 1:08x}:u32;
  tx[] <- 77:u32;
}}
"""
    read = """u32 socket rx;
xp n;
u32 sum;
xp end;
xp at;
forever dispatch(rx) {
  wavelet(u32 x) { n = n + 1; sum = x; }
  control(9, xp x) { end = x; at = n; }
}
"""
    r = run({"bench.paint": layout, "send.w": send, "read.w": read})
    assert r.status == "done", r.why_blocked()
    value = {k: int(r.get(f"r.{k}").ravel()[0]) for k in ("n", "sum", "end", "at")}
    # header and 40 data wavelets before the end; a second message after it
    assert value == {"n": 43, "sum": 77, "end": 0x1234, "at": 41}


def test_both_banks_at_once() -> None:
    layout = """let a = bank(0)
let b = bank(1)
let left = tile()
left : code('send [tx:color(a) COLUMN:3 ROW:0 N:N])
let right = tile()
right : code('send [tx:color(b) COLUMN:0 ROW:0 N:N])
let lread = tile()
lread : code('read [rx:color(b) N:N+1])
lread : name('west)
let rread = tile()
rread : code('read [rx:color(a) N:N+1])
rread : name('east)
let row = hstack(lread left right rread)
row : mp(a)
row : mp(b)
row
"""
    r = run({"bench.paint": layout, "send.w": SEND, "read.w": READ}, N=20)
    assert r.status == "done", r.why_blocked()
    assert [int(v) for v in r.get("east.got").ravel()] == [3 << 20 | 20, *[2 << 20 | 1 << 8 | i for i in range(20)]]
    assert [int(v) for v in r.get("west.got").ravel()] == [20, *[3 << 20 | 1 << 8 | i for i in range(20)]]


def test_a_wrong_direction_bit_leads_out_of_the_layout() -> None:
    layout = """let b = bank(0)
let c = color(b)
let s = tile()
s : code('send [tx:c])
let r = tile()
r : code('read [rx:c N:2])
let column = vstack(r s)
column : mp(b)
column
"""
    send = f"u32 socket tx;\nmain {{\n  tx[] <- 0x{SOUTH | 1:08x}:u32;\n  tx[] <- 5:u32;\n}}\n"
    r = run({"bench.paint": layout, "send.w": send, "read.w": READ})
    assert r.status == "blocked"
    (lost,) = r.json()["lost"]
    assert (lost["tile"], lost["side"], lost["wavelets"]) == ([0, 1], "U side", 2)
    (warning,) = r.warnings
    assert warning.code.code == "FB408" and "left the layout at P0.1 to the U side: 2, the first in cycle" in warning.message
    assert warning.span is not None and warning.span.line == 3
    (cause,) = r.json()["causes"]
    assert cause["cause"] == "never sent" and "P0.1 ('send')" in cause["end"]


TWO = """let c = color()
let s = tile()
s : code('count [tx:c N:N])
s : paint(c [C>R])
let r = tile()
r : code('two [first:c second:c N:N])
r : paint(c [L>C])
r : name('two)
hstack(s r)
"""
COUNT = """xp param N;
sp socket tx;
main { i in [0, N) { tx[] <- (sp)(i); } }
"""


@pytest.mark.parametrize(("first", "second"), [(2, 5), (5, 2), (0, 7)])
@pytest.mark.parametrize("n", [1, 12, 40])
def test_of_two_queues_on_one_color_the_lowest_numbered_takes_all(first: int, second: int, n: int) -> None:
    kernel = f"""xp param N;
sp socket first[[dir=in, id={first}]];
sp socket second[[dir=in, id={second}]];
sp a[n=N];
sp b[n=N];
main {{
  let i in [0, N);
  parallel {{ ∀i a[i] <- first[]; ∀i b[i] <- second[]; }}
}}
"""
    r = run({"bench.paint": TWO, "count.w": COUNT, "two.w": kernel}, N=n)
    # no copy to the other queue: its receive is never served
    taker, other = ("a", "b") if first < second else ("b", "a")
    assert r.get(f"two.{taker}").ravel().tolist() == list(range(n))
    assert not r.get(f"two.{other}").any()
    (cause,) = r.json()["causes"]
    assert (r.status, cause["cause"]) == ("blocked", "shared color")
    (waiting,) = r.json()["waiting"]
    assert (waiting["queue"], waiting["state"]) == (max(first, second), "starved")
