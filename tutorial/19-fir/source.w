// Sends the signal to all taps, and to the first one zeros, which its sums start with.
xp param N;
sp socket x;
sp socket y;
sp signal[n=N];

let i in [0, N);
parallel {
  ∀i x[] <- signal[i];
  k in [0, N + 1) y[] <- 0.0;
}
