// Keeps the values. The points have done their work, but someone has to take them.
xp param N;
sp socket x;
sp socket y;
sp values[n=N];
sp last;

let i in [0, N);
parallel {
  ∀i values[i] <- y[];
  ∀i last <- x[];
}
