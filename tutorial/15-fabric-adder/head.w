// Starts the sums: 32-bit floating point.
xp param N;
sp socket tx;
sp start[n=N];

let i in [0, N);
∀i tx[] <- start[i];
