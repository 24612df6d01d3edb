// Sends the whole stream, once.
xp param N;
sp socket tx;
sp numbers[n=N];

let i in [0, N);
∀i tx[] <- numbers[i];
