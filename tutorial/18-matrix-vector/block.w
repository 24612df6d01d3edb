// This tile's block of A, times its part of x, added to the sums that come from the left.
xp param M;
xp param N;
sp socket x;
sp socket sum;

sp A[m=M][n=N];
sp part[n=N];
sp y[m=M];

let m in [0, M);
let n in [0, N);

main {
  ∀n part[n] <- x[];
  ∀m y[m] <- 0.0;
  ∀n ∀m y[m] += A[m][n] * part[n];
  ∀m sum[] <- sum[] + y[m];
}
