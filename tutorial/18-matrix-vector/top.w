// Sends a part of x down a column of tiles.
xp param N;
sp socket down;
sp x[n=N];

let n in [0, N);
∀n down[] <- x[n];
