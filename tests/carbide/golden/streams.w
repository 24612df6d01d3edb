// FIFOs, iterators, streams, filters, endless transfers and the teardown task.
sp socket in_a[[dir=in, id=3]];
sp socket in_b[[dir=in]];
sp socket out;
sp socket tick;
sp mem[n=8], z[6], y[4], s;
sp fifo ff = {.mem=mem};
iterator walk = o in [0, ∞) j in [0, 3) z[2 * j];
filter every[counter] = {.limit=3, .maxpass=0, .state=0, .tick=wavelet, .socket=in_b};
u64 d[2];
let i in [0, 4);

#pragma teardown on
{ s = 1.0; }

i in [0, ∞) ff[] <- in_b[];
main {
  d[0] = in_a;
  d[1] = walk;
  stream e = d[1];
  ∀i y[i] <- e[] + 1.0;
  e = d[0];
  ∀i s <+- e[] * y[i];
  ∀i out[] <- ff[];
  reset walk;
  y[0] <- walk[];
}
