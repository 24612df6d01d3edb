// Keeps the sums.
xp param N;
sp socket rx;
sp sum[n=N];

let i in [0, N);
∀i sum[i] <- rx[];
