// Keeps the result of a row of tiles.
xp param M;
sp socket sum;
sp y[m=M];

let m in [0, M);
∀m y[m] <- sum[];
