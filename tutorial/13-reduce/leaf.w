// Only sends.
xp param N;
sp socket tx;
sp v[n=N];

let i in [0, N);
∀i tx[] <- v[i];
