// Sends a vector to all workers and an offset to some of them. It sends each once: the routers make the copies.
xp param N;
sp socket all;
sp socket some;
sp v[n=N];

let i in [0, N);
∀i all[] <- v[i];
some[] <- 0.5;
