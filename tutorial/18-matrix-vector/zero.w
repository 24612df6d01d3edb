// Starts the sums of a row.
xp param M;
sp socket sum;

let m in [0, M);
∀m sum[] <- 0.0;
