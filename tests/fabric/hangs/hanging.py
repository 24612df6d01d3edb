"""Programs that hang, each in its own way: a layout and its kernels, as a user might have written them.

`HANGS[name]` is a `Hang`; `run(hang)` builds and runs it, with the files' bare names in every place.
"""

from __future__ import annotations

import os
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

import paint
from fabric.simulation import Result, Simulation

LIMIT = 20_000


@dataclass(frozen=True)
class Hang:
    """`files` is {name: text}; `what` says what is wrong, for whoever reads the text that the simulator gives."""

    what: str
    files: dict[str, str]
    fp16: int = 0
    params: dict[str, int] = field(default_factory=dict)


def run(hang: Hang, cycles: int = LIMIT) -> Result:
    """Builds and runs it, in a directory of its own."""
    before = os.getcwd()
    with tempfile.TemporaryDirectory() as directory:
        for name, text in hang.files.items():
            (Path(directory) / name).write_text(text, encoding="utf-8")
        os.chdir(directory)
        try:
            return Simulation(paint.build("bench.paint", float16_dtype=hang.fp16, **hang.params)).run(cycles)
        finally:
            os.chdir(before)


def line_of(hang: Hang, name: str, text: str) -> str:
    """`send.w:6`: the first line of a file that holds a text."""
    lines = hang.files[name].split("\n")
    return f"{name}:{next(n for n, line in enumerate(lines, 1) if text in line)}"


SEND = """xp param N;
sp socket tx;
sp a[n=N];
main {
  let i in [0, N);
  ∀i tx[] <- a[i];
}
"""
RECV = """xp param N;
sp socket rx;
sp a[n=N];
main {
  let i in [0, N);
  ∀i a[i] <- rx[];
}
"""
IDLE = "xp done;\nmain { done = 1; }\n"
WIRE = """let data = color()
let s = tile()
s : code('send [tx:data N:SENT])
s : paint(data [C>R])
let r = tile()
r : code('recv [rx:data N:READ])
r : paint(data [L>C])
hstack(s r)
"""
PAIR = """let east = color()
let west = color()
let a = tile()
a : code('swap [tx:east rx:west N:N])
a : paint(east [C>R])
a : paint(west [R>C])
let b = tile()
b : code('swap [tx:west rx:east N:N])
b : paint(east [L>C])
b : paint(west [C>L])
hstack(a b)
"""
HANGS: dict[str, Hang] = {}


def hang(name: str, what: str, fp16: int = 0, params: dict[str, int] | None = None, **kernels: str) -> None:
    """Keyword `layout` is the layout, the others are kernels."""
    files = {"bench.paint" if k == "layout" else f"{k}.w": text for k, text in kernels.items()}
    HANGS[name] = Hang(what, files, fp16, params or {})


hang(
    "serial_exchange",
    "both tiles send all before they receive",
    params={"N": 40},
    layout=PAIR,
    swap="""xp param N;
sp socket tx;
sp socket rx;
sp mine[n=N];
sp theirs[n=N];
main {
  let i in [0, N);
  ∀i tx[] <- mine[i];
  ∀i theirs[i] <- rx[];
}
""",
)
hang(
    "missing_receive",
    "the receiver reads 4 of 40 values",
    params={"SENT": 40, "READ": 4},
    layout=WIRE,
    send=SEND,
    recv=RECV,
)
hang(
    "missing_send",
    "the sender's program has no send statement for the second value",
    layout="""let data = color()
let total = color()
let s = tile()
s : code('send [data:data total:total])
s : paint(data [C>R])
s : paint(total [C>R])
let r = tile()
r : code('recv [data:data total:total])
r : paint(data [L>C])
r : paint(total [L>C])
hstack(s r)
""",
    send="""sp socket data;
sp socket total[[dir=out]];
main {
  data[] <- 1.5;
}
""",
    recv="""sp socket data;
sp socket total;
sp x;
sp y;
main {
  x <- data[];
  y <- total[];
}
""",
)
hang(
    "wrong_color",
    "the sender is bound to a color that does not lead to the receiver",
    layout="""let data = color()
let other = color()
let s = tile()
s : code('send [tx:other N:3])
s : paint(data [C>R])
s : paint(other [C>R])
let r = tile()
r : code('recv [rx:data N:3])
r : paint(data [L>C])
hstack(s r)
""",
    send=SEND,
    recv=RECV,
)
hang(
    "deaf_tile",
    "one of three receivers of a broadcast reads fewer values",
    layout="""let all = color()
let root = tile()
root : code('send [tx:all N:60])
root : paint(all [C>R])
let good = tile()
good : code('recv [rx:all N:60])
good : paint(all [L>CR])
let deaf = tile()
deaf : code('recv [rx:all N:2])
deaf : paint(all [L>CR])
let last = tile()
last : code('recv [rx:all N:60])
last : paint(all [L>C])
hstack(root good deaf last)
""",
    send=SEND,
    recv=RECV,
)
hang(
    "swap_without_partner",
    "b reads what arrives on a, but a also reads it and takes it from another side",
    layout="""let a = color()
let b = color()
let s = tile()
s : code('send [tx:a N:6])
s : paint(a [C>R])
let r = tile()
r : code('recv [rx:b N:6])
r : paint(b [LHC])
r : paint(a [U>D])
let row = hstack(s r)
row : colorpair(a b)
row
""",
    send=SEND,
    recv=RECV,
)
ADDERS = """let sum = color()
let head = tile()
head : code('head [tx:sum])
head : paint(sum [C>R])
let add0 = tile()
add0 : code('add [tx:sum VALUE:2])
add0 : paint(sum [L>R; fabadder])
let add1 = tile()
add1 : code('add [tx:sum VALUE:3])
add1 : paint(sum [L>R; fabadder])
let recv = tile()
recv : code('recv [rx:sum N:1])
recv : paint(sum [L>C])
hstack(head add0 add1 recv)
"""
HEAD = "socket tx;\ntx[] <- 100.0:sp;\n"
hang(
    "silent_adder",
    "the adder tile with VALUE 3 sends nothing",
    fp16=10,
    layout=ADDERS,
    head=HEAD,
    recv=RECV,
    add="""xp param VALUE;
hp socket tx;
main {
  hp a = (hp) VALUE;
  if (VALUE == 2) tx[] <- a;
}
""",
)
hang(
    "sp_into_adder",
    "the adders' cores send sp, which counts as two hp",
    fp16=10,
    layout=ADDERS,
    head=HEAD,
    recv=RECV,
    add="""xp param VALUE;
sp socket tx;
main {
  sp a = (sp) VALUE;
  tx[] <- a;
}
""",
)
MESSAGES = """let b = bank(0)
let c = color(b)
let talker = tile()
talker : code('talker [tx:c])
let relay = tile()
let other = tile()
other : code('other [tx:c])
let reader = tile()
reader : code('reader [rx:c N:READ])
let row = hstack(talker other relay reader)
row : mp(b)
row
"""
READER = """xp param N;
u32 socket rx;
u32 got[n=N];
main {
  let i in [0, N);
  ∀i got[i] <- rx[];
}
"""
OTHER = """u32 socket tx;
main {
  xp pause = 200;
  while (pause > 0) { pause = pause - 1; }
  tx[] <- 0x00300001:u32;
  tx[] <- 7:u32;
}
"""
hang(
    "locked_path",
    "the header says 3, and two data wavelets follow",
    params={"READ": 6},
    layout=MESSAGES,
    reader=READER,
    other=OTHER,
    talker="""u32 socket tx;
main {
  tx[] <- 0x00300003:u32;
  tx[] <- 1:u32;
  tx[] <- 2:u32;
}
""",
)
hang(
    "no_direction",
    "a message to another row without bit 6 or 7",
    layout="""let b = bank(0)
let c = color(b)
let talker = tile()
talker : code('talker [tx:c])
let reader = tile()
reader : code('reader [rx:c N:2])
let column = vstack(talker reader)
column : mp(b)
column
""",
    reader=READER,
    talker="""u32 socket tx;
main {
  tx[] <- 0x00000101:u32;
  tx[] <- 5:u32;
}
""",
)
hang(
    "hole_in_area",
    "a tile on the message's way has no mp()",
    layout="""let b = bank(0)
let c = color(b)
let talker = tile()
talker : code('talker [tx:c])
talker : mp(b)
let hole = tile()
let reader = tile()
reader : code('reader [rx:c N:2])
reader : mp(b)
hstack(talker hole reader)
""",
    reader=READER,
    talker="""u32 socket tx;
main {
  tx[] <- 0x00200001:u32;
  tx[] <- 5:u32;
}
""",
)
hang(
    "full_fifo",
    "20 values go into a FIFO of 4, and 8 are taken out",
    layout="""let data = color()
let s = tile()
s : code('send [tx:data N:20])
s : paint(data [C>R])
let r = tile()
r : code('buffered [rx:data N:20 M:8])
r : paint(data [L>C])
hstack(s r)
""",
    send=SEND,
    buffered="""xp param N, M;
sp socket rx;
sp mem[n=4];
sp fifo ff = {.mem=mem};
sp a[n=M];
main {
  let i in [0, N);
  let j in [0, M);
  parallel {
    ∀i ff[] <- rx[];
    ∀j a[j] <- ff[];
  }
}
""",
)
hang(
    "switch_never_advanced",
    "the first sender does not send the control wavelet that gives the line to the second",
    layout="""let line = color()
let first = tile()
first : code('send [tx:line N:3])
first : paint(line [C>R])
let second = tile()
second : code('second [line:line])
second : paint(line [C>R; L>R; pop=adv])
let r = tile()
r : code('recv [rx:line N:4])
r : paint(line [L>C])
hstack(first second r)
""",
    send=SEND,
    recv=RECV,
    second="""sp socket line;
main {
  line[] <- 9.5;
}
""",
)
hang(
    "teardown_never_left",
    "the teardown handlers only acknowledge, and nobody writes the routes",
    layout="""let line = color(3)
let root = tile()
root : code('root [line:line])
root : paint(line [C>R])
let leaf = tile()
leaf : code('leaf [line:line])
leaf : paint(line [L>C])
hstack(root leaf)
""",
    root="""sp socket line;
wv down = {0x0000, 0x01c0};
main {
  line[] <- 1.0;
  line[] <- control(down);
  line[] <- 2.0;
}
""",
    leaf="""sp socket line;
sp first;
sp second;
#pragma teardown on
{}
main {
  #pragma uthread enable on
  {
    first <- line[];
    second <- line[];
  }
}
""",
)
hang(
    "off_by_one",
    "7 values are sent and 8 received",
    params={"SENT": 7, "READ": 8},
    layout=WIRE,
    send=SEND,
    recv=RECV,
)
hang(
    "two_sockets_one_color",
    "two sockets share a color, and the lower-numbered queue gets everything",
    layout="""let data = color()
let s = tile()
s : code('send [tx:data N:4])
s : paint(data [C>R])
let r = tile()
r : code('twice [values:data last:data])
r : paint(data [L>C])
hstack(s r)
""",
    send=SEND,
    twice="""sp socket values;
sp socket last;
sp a[n=3];
sp b;
main {
  let i in [0, 3);
  ∀i a[i] <- values[];
  b <- last[];
}
""",
)
hang(
    "ring_of_three",
    "each tile of a ring receives before it sends",
    layout="""let ab = color()
let bc = color()
let ca = color()
let a = tile()
a : code('node [tx:ab rx:ca])
a : paint(ab [C>R])
a : paint(ca [R>C])
let b = tile()
b : code('node [tx:bc rx:ab])
b : paint(ab [L>C])
b : paint(bc [C>R])
b : paint(ca [R>L])
let c = tile()
c : code('node [tx:ca rx:bc])
c : paint(bc [L>C])
c : paint(ca [C>L])
hstack(a b c)
""",
    node="""sp socket tx;
sp socket rx;
sp v;
main {
  v <- rx[];
  tx[] <- v + 1.0;
}
""",
)
hang(
    "handler_behind_a_receive",
    "the dispatch on orders comes after a receive that only an order would lead to",
    layout="""let orders = color()
let reply = color()
let s = tile()
s : code('master [orders:orders reply:reply])
s : paint(orders [C>R])
s : paint(reply [R>C])
let r = tile()
r : code('worker [orders:orders more:reply])
r : paint(orders [L>C])
r : paint(reply [C>L])
hstack(s r)
""",
    master="""sp socket orders;
sp socket reply;
sp x;
main {
  i in [0, 30) { orders[] <- 1.0; }
  x <- reply[];
}
""",
    worker="""sp socket orders;
sp socket more;
sp n;
main {
  n <- orders[];
  forever dispatch(orders) {
    wavelet(sp v) { n = n + v; if (n > 100.0) more[] <- n; }
  }
}
""",
)
hang(
    "control_before_data",
    "the receiver has a control handler that cannot start while its main thread receives",
    layout="""let line = color()
let s = tile()
s : code('send [line:line])
s : paint(line [C>R])
let r = tile()
r : code('recv [line:line])
r : paint(line [L>C])
hstack(s r)
""",
    send="""sp socket line;
wv mark = {0x0000, 0x0009};
main {
  line[] <- 1.0;
  line[] <- control(mark);
  line[] <- 2.0;
}
""",
    recv="""sp socket line;
sp a;
sp b;
xp marks;
main {
  a <- line[];
  b <- line[];
  forever dispatch(line) {
    control(9) { marks = marks + 1; }
  }
}
""",
)
hang(
    "half_a_value",
    "a 16-bit read leaves half a wavelet, and a 32-bit read wants two halves",
    layout="""let data = color()
let s = tile()
s : code('send [tx:data])
s : paint(data [C>R])
let r = tile()
r : code('mixed [rx:data])
r : paint(data [L>C])
hstack(s r)
""",
    send="""sp socket tx;
main {
  tx[] <- 1.5;
}
""",
    mixed="""socket rx;
xp first;
u32 second;
main {
  first <- (xp)(rx[]);
  second <- (u32)(rx[]);
}
""",
)
hang(
    "second_round_without_reset",
    "a switched chain is used twice, and the left end never sends RESET",
    layout="""let line = color()
let left = tile()
left : code('left [line:line])
left : paint(line [C>R])
let mid = tile()
mid : code('mid [line:line])
mid : paint(line [C>R; L>R; pop=adv ring])
let end = tile()
end : code('recv [rx:line N:6])
end : paint(line [L>C])
hstack(left mid mid end)
""",
    recv=RECV,
    left="""sp socket line;
main {
  line[] <- 1.0;
  line[] <- 2.0;
}
""",
    mid="""sp socket line;
wv advance = {0x9249, 0x0940};
main {
  line[] <- 3.0;
  line[] <- control(advance);
  line[] <- 4.0;
  line[] <- control(advance);
}
""",
)
