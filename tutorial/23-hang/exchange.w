// Exchanges N numbers with the other tile, by one of three plans.
xp param N;
xp param PLAN;
xp param FIRST;
sp socket tx;
sp socket rx;
sp mine[n=N];
sp other[n=N];

let i in [0, N);

main {
  if (PLAN == 1) {      // first send all, then receive all
    ∀i tx[] <- mine[i];
    ∀i other[i] <- rx[];
  } else {              // both at once; in plan 2 one of the tiles forgets its first number
    parallel {
      k in [FIRST, N) tx[] <- mine[k];
      ∀i other[i] <- rx[];
    }
  }
}
