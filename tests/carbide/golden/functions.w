// What each function takes: code, locals, parameters, ways back; one that is called where it stands, handlers, teardown.
sp socket tx;
socket cmd;
sp a[16], b[16], best;
xp seen;

function twice(sp x) { return x + x; }

function smooth(sp v[], sp w) {
  sp old[16];
  i in [0, 16) old[i] <- v[i];
  i in [1, 15) v[i] = w * (old[i - 1] + old[i + 1]);
}

function largest(sp v[]) {
  sp m = v[0];
  i in [1, 16) m = max(m, v[i]);
  return m;
}

function step(xp rounds) {
  k in [0, rounds) {
    smooth(a, 0.5);
    smooth(b, twice(0.125));
    best = max(largest(a), largest(b));
  }
}

main {
  step(3);
  step(seen);
  forever dispatch(cmd) {
    wavelet(xp n) { seen += n; step(n); }
    control() { tx[] <- best; }
  }
}

#pragma teardown on
{ seen = -1; }
