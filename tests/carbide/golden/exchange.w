// Concurrency: parallel with its join, block arms, a dispatch with handlers.
sp socket tx;
sp socket rx;
wv socket cmd;
sp a, b, got[4];
xp n;
let i in [0, 4);

main {
  step in [0, 3) {
    parallel { tx[] <- a; b <- rx[]; }
    a = a + b;
  }
  parallel {
    { sp t <- rx[]; b = t * 2.0; tx[] <- b; }
    ∀i got[i] <- rx[];
  }
  forever dispatch(cmd) {
    wavelet(u32 x) { n = n + 1; }
    control(3, xp x) { n = x; }
  }
}
