// One step of Horner's rule, y <- y * x + c, for each point that comes by.
xp param N;
sp socket x;
sp socket y;
sp c = 0.0;       // this stage's coefficient, set by miset

main {
  let i in [0, N);
  ∀i {
    sp point <- x[];
    sp value <- y[];
    x[] <- point;
    y[] <- c + value * point;      // three plain variables: one fused instruction, one rounding
  }
}
