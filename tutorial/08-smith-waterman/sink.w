// Keeps the best score of the whole matrix.
xp param N;
xp socket rx;
xp best = 0;

main {
  let j in [0, N);
  ∀j {
    xp t <- rx[];
    xp h <- rx[];
    xp b <- rx[];
    best = max(best, b);
  }
}
