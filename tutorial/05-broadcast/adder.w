// As worker.w, and adds an offset that it receives on a second color.
xp param N;
sp socket all;
sp socket some;
sp result[n=N];
xp column[1] address(0x7c46);

main {
  let i in [0, N);
  sp factor = column[0];
  ∀i result[i] <- all[] * factor;
  sp offset <- some[];
  ∀i result[i] <- result[i] + offset;
}
