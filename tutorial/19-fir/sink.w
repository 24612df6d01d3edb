// Keeps the filtered signal.
xp param N;
sp socket y;
sp filtered[n=N];
sp first;

let i in [0, N);
main {
  first <- y[];
  ∀i filtered[i] <- y[];
}
