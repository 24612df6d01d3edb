"""More programs that hang, as one writes them by mistake: counts, types, messages to the wrong tile, handlers that wait
for each other, the same mistake on many tiles. Importing this adds them to `hanging.HANGS`.
"""

from __future__ import annotations

from hanging import PAIR, RECV, SEND, WIRE, hang

hang(
    "parallel_one_too_few",
    "both tiles of an exchange leave out their first number",
    params={"N": 40},
    layout=PAIR,
    swap="""xp param N;
sp socket tx;
sp socket rx;
sp mine[n=N];
sp theirs[n=N];
main {
  parallel {
    k in [1, N) tx[] <- mine[k];
    i in [0, N) theirs[i] <- rx[];
  }
}
""",
)
hang(
    "rule_without_core",
    "the reader's rule passes the color on and leaves out C",
    layout="""let data = color()
let s = tile()
s : code('send [tx:data N:3])
s : paint(data [C>R])
let r = tile()
r : code('recv [rx:data N:3])
r : paint(data [L>R])
let end = tile()
end : code('recv [rx:data N:3])
end : paint(data [L>C])
hstack(s r end)
""",
    send=SEND,
    recv=RECV,
)
hang(
    "filter_in_the_way",
    "the reader counts on 12 values, and its filter lets half of them pass",
    params={"SENT": 12},
    layout="""let data = color()
let s = tile()
s : code('send [tx:data N:SENT])
s : paint(data [C>R])
let r = tile()
r : code('thin [rx:data N:SENT])
r : paint(data [L>C])
hstack(s r)
""",
    send=SEND,
    thin="""xp param N;
sp socket rx;
filter half[counter] = {.limit=3, .maxpass=1, .state=0, .tick=wavelet, .socket=rx};
sp a[n=N];
main {
  let i in [0, N);
  ∀i a[i] <- rx[];
}
""",
)
hang(
    "narrow_values",
    "8 xp are sent, two in a wavelet, and 8 sp are read",
    params={"SENT": 8, "READ": 8},
    layout=WIRE,
    send=SEND.replace("sp ", "xp "),
    recv=RECV,
)
hang(
    "every_row_one_short",
    "in each of six rows 3 values are sent and 4 read",
    layout="""let data = color()
let s = rect(0 0 1 6)
s : code('send [tx:data N:3])
s : paint(data [C>R])
let r = rect(1 0 1 6)
r : code('recv [rx:data N:4])
r : paint(data [L>C])
union(s r)
""",
    send=SEND,
    recv=RECV,
)
hang(
    "short_pipeline",
    "the source of a pipeline of four stages sends 3 values, each stage wants 4",
    layout="""let here = color()
let there = color()
let s = tile()
s : code('send [tx:here N:3])
s : paint(here [C>R])
let odd = tile()
odd : code('stage [rx:here tx:there])
odd : paint(here [L>C])
odd : paint(there [C>R])
let even = tile()
even : code('stage [rx:there tx:here])
even : paint(there [L>C])
even : paint(here [C>R])
let pair = hstack(odd even)
let r = tile()
r : code('recv [rx:here N:4])
r : paint(here [L>C])
hstack(s hstackrep(pair 2) r)
""",
    send=SEND,
    recv=RECV,
    stage="""sp socket rx;
sp socket tx;
main {
  k in [0, 4) {
    sp x <- rx[];
    tx[] <- x + 1.0;
  }
}
""",
)
hang(
    "one_question_too_many",
    "a function asks four times, the other tile answers three",
    layout="""let question = color()
let answer = color()
let a = tile()
a : code('ask [tx:question rx:answer])
a : paint(question [C>R])
a : paint(answer [R>C])
let b = tile()
b : code('tell [rx:question tx:answer])
b : paint(question [L>C])
b : paint(answer [C>L])
hstack(a b)
""",
    ask="""sp socket tx;
sp socket rx;
sp answers[n=4];
function ask(xp k) {
  tx[] <- (sp) k;
  answers[k] <- rx[];
}
main {
  k in [0, 4) { ask(k); }
}
""",
    tell="""sp socket rx;
sp socket tx;
main {
  k in [0, 3) {
    sp v <- rx[];
    tx[] <- v * v;
  }
}
""",
)
hang(
    "handlers_answer_twice",
    "a server answers each of 100 values with two, while its client still sends",
    layout=PAIR.replace("'swap [tx:east rx:west N:N]", "'client [tx:east rx:west]").replace(
        "'swap [tx:west rx:east N:N]", "'server [tx:west rx:east]"
    ),
    client="""sp socket tx;
sp socket rx;
sp n;
main {
  i in [0, 100) tx[] <- n;
  forever dispatch(rx) {
    wavelet(sp v) { n = n + v; }
  }
}
""",
    server="""sp socket tx;
sp socket rx;
main {
  forever dispatch(rx) {
    wavelet(sp v) {
      tx[] <- v;
      tx[] <- v;
    }
  }
}
""",
)
hang(
    "fifo_read_first",
    "a FIFO is read before the statement that fills it",
    params={"SENT": 3, "READ": 3},
    layout=WIRE,
    send=SEND,
    recv="""xp param N;
sp socket rx;
sp mem[n=4];
sp fifo ff = {.mem=mem};
sp b[n=N];
main {
  let i in [0, N);
  ∀i b[i] <- ff[];
  ∀i ff[] <- rx[];
}
""",
)
hang(
    "handler_of_teardown_waits",
    "the teardown handler would write the route, but the main thread waits in a receive",
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
xp route[24] address(0x7c00);
#pragma teardown on
{ route[3] = 0x82; }
main {
  line[] <- 1.0;
  line[] <- control(down);
  line[] <- 2.0;
}
""",
    leaf="""sp socket line;
sp first;
sp second;
xp route[24] address(0x7c00);
#pragma teardown on
{ route[3] = 0x10; }
main {
  first <- line[];
  second <- line[];
}
""",
)
hang(
    "deaf_core",
    "the color leads to a core that has no socket on it",
    layout="""let data = color()
let s = tile()
s : code('send [tx:data N:8])
s : paint(data [C>R])
let deaf = tile()
deaf : code('idle)
deaf : paint(data [L>CR])
let r = tile()
r : code('recv [rx:data N:8])
r : paint(data [L>C])
hstack(s deaf r)
""",
    send=SEND,
    recv=RECV,
    idle="xp done;\nmain { done = 1; }\n",
)
AREA = """let b = bank(0)
let c = color(b)
let area = rect(0 0 3 3)
area : mp(b)
let s = rect(0 0 1 1)
s : code('talk [tx:c])
let r = rect(2 2 1 1)
r : code('reader [rx:c N:N])
union(area s r)
"""
READER = """xp param N;
u32 socket rx;
u32 got[n=N];
main {
  let i in [0, N);
  ∀i got[i] <- rx[];
}
"""
TALK = "u32 socket tx;\nmain {\n  tx[] <- HEADER:u32;\n  tx[] <- 1:u32;\n  tx[] <- 2:u32;\n}\n"
hang(
    "header_counts_too_few",
    "the header says one data wavelet, and the second is taken as a header for column 0, row 0",
    params={"N": 3},
    layout=AREA,
    talk=TALK.replace("HEADER", "0x00200241"),
    reader=READER,
)
hang(
    "message_leaves_the_layout",
    "a message to column 5 of three",
    params={"N": 3},
    layout=AREA,
    talk=TALK.replace("HEADER", "0x00500242"),
    reader=READER,
)
hang(
    "message_to_the_wrong_row",
    "a message to row 1, where no socket is; the reader is in row 2",
    params={"N": 3},
    layout=AREA,
    talk=TALK.replace("HEADER", "0x00200142"),
    reader=READER,
)
hang(
    "one_of_three_talkers_waits",
    "three tiles send a message each, and the last of them first waits for a go that never comes",
    layout="""let b = bank(0)
let c = color(b)
let go = color()
let r = tile()
r : code('reader [rx:c N:6])
let one = tile()
one : code('talk [tx:c])
let last = tile()
last : code('late [tx:c go:go])
last : paint(go [R>C])
let starter = tile()
starter : code('starter [go:go])
starter : paint(go [C>L])
let row = hstack(r one one last starter)
row : mp(b)
row
""",
    reader=READER,
    talk="u32 socket tx;\nmain {\n  tx[] <- 1:u32;\n  tx[] <- 7:u32;\n}\n",
    late="u32 socket tx;\nu32 socket go;\nu32 x;\nmain {\n  x <- go[];\n  tx[] <- 1:u32;\n  tx[] <- x;\n}\n",
    starter="u32 socket go[[dir=out]];\nxp ready;\nmain {\n  if (ready == 1) go[] <- 1:u32;\n}\n",
)
hang(
    "handler_counts_to_five",
    "a handler answers after five values, and four are sent",
    layout=PAIR.replace("'swap [tx:east rx:west N:N]", "'client [tx:east rx:west]").replace(
        "'swap [tx:west rx:east N:N]", "'sum [tx:west rx:east]"
    ),
    client="""sp socket tx;
sp socket rx;
sp y;
main {
  k in [0, 4) tx[] <- 1.0;
  y <- rx[];
}
""",
    sum="""sp socket tx;
sp socket rx;
sp s;
xp n;
main {
  forever dispatch(rx) {
    wavelet(sp v) {
      s = s + v;
      n = n + 1;
      if (n == 5) { tx[] <- s; }
    }
  }
}
""",
)
hang(
    "broadcast_before_an_answer",
    "b reads the broadcast only after c's answer, and c answers after the broadcast",
    layout="""let all = color()
let answer = color()
let a = tile()
a : code('send [tx:all N:60])
a : paint(all [C>R])
let b = tile()
b : code('late [rx:all answer:answer])
b : paint(all [L>CR])
b : paint(answer [R>C])
let c = tile()
c : code('reply [rx:all answer:answer])
c : paint(all [L>C])
c : paint(answer [C>L])
hstack(a b c)
""",
    send=SEND,
    late="""sp socket rx;
sp socket answer;
sp a[n=60];
sp go;
main {
  go <- answer[];
  i in [0, 60) a[i] <- rx[];
}
""",
    reply="""sp socket rx;
sp socket answer;
sp a[n=60];
main {
  i in [0, 60) a[i] <- rx[];
  answer[] <- a[0];
}
""",
)
hang(
    "ninth_arm",
    "eight arms wait for values that come only after what the ninth would send",
    layout="""let here = color()
let there = color()
let a = tile()
a : code('many [rx:here tx:there])
a : paint(here [R>C])
a : paint(there [C>R])
let b = tile()
b : code('starts [rx:there tx:here])
b : paint(here [C>L])
b : paint(there [L>C])
hstack(a b)
""",
    many="""sp socket rx;
sp socket tx;
sp v[n=8];
sp w;
main {
  parallel {
    v[0] <- rx[];
    v[1] <- rx[];
    v[2] <- rx[];
    v[3] <- rx[];
    v[4] <- rx[];
    v[5] <- rx[];
    v[6] <- rx[];
    v[7] <- rx[];
    tx[] <- w;
  }
}
""",
    starts="""sp socket rx;
sp socket tx;
sp w;
main {
  w <- rx[];
  k in [0, 8) tx[] <- w;
}
""",
)
hang(
    "second_dispatch",
    "the handler that answers is that of 'ask', and nobody asks",
    layout="""let data = color()
let ask = color()
let total = color()
let s = tile()
s : code('send [tx:data N:2])
s : paint(data [C>R])
let r = tile()
r : code('sums [data:data ask:ask total:total])
r : paint(data [L>C])
r : paint(ask [R>C])
r : paint(total [C>R])
let q = tile()
q : code('asks [ask:ask rx:total])
q : paint(ask [C>L])
q : paint(total [L>C])
hstack(s r q)
""",
    send=SEND,
    sums="""sp socket data;
sp socket ask;
sp socket total;
sp s;
main {
  parallel {
    forever dispatch(data) { wavelet(sp v) { s = s + v; } }
    forever dispatch(ask) { wavelet(sp v) { total[] <- s; } }
  }
}
""",
    asks="""sp socket ask[[dir=out]];
sp socket rx;
sp x;
main {
  x <- rx[];
}
""",
)
hang(
    "rounds_one_too_few",
    "an exchange in rounds, of which both tiles leave out the first number",
    params={"N": 40},
    layout=PAIR,
    swap="""xp param N;
sp socket tx;
sp socket rx;
sp mine[n=N];
sp theirs[n=N];
main {
  round in [0, 3) {
    parallel {
      k in [1, N) tx[] <- mine[k];
      i in [0, N) theirs[i] <- rx[];
    }
  }
}
""",
)
hang(
    "relay_without_a_rule",
    "the tile between sender and reader has no rule for the color",
    layout="""let data = color()
let s = tile()
s : code('send [tx:data N:3])
s : paint(data [C>R])
let gap = tile()
let r = tile()
r : code('recv [rx:data N:3])
r : paint(data [L>C])
hstack(s gap r)
""",
    send=SEND,
    recv=RECV,
)
