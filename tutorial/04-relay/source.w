// Sends N 16-bit samples. Two share a wavelet.
xp param N;
xp socket tx;
xp a[n=N];

let i in [0, N);
∀i tx[] <- a[i];
