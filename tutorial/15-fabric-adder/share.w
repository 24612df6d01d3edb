// This tile's share of each sum: 16-bit floating point. The core never sees the sums.
xp param N;
hp socket tx;
hp share[n=N];

let i in [0, N);
∀i tx[] <- share[i];
