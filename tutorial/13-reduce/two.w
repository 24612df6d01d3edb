// Adds two vectors that come to its own.
xp param N;
sp socket r0;
sp socket r1;
sp socket tx;
sp v[n=N];
sp part[n=N];

let i in [0, N);
∀i part[i] <- r0[] + v[i];
∀i tx[] <- r1[] + part[i];
