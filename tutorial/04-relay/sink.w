// Keeps what arrives.
xp param N;
xp socket rx;
xp a[n=N];

let i in [0, N);
∀i a[i] <- rx[];
