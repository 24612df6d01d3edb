// Sends the signal, one 32-bit wavelet a sample.
xp param N;

sp socket tx;
sp signal[n=N];

let i in [0, N);
∀i tx[] <- signal[i];
