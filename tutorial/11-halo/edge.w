// A border that is zero: sends B zeros into the grid and takes the B numbers that the grid sends.
xp param B;
sp socket out;
sp socket in;
sp zeros[B] = {0.};
sp last;

let i in [0, B);
parallel {
  ∀i out[] <- zeros[i];
  ∀i last <- in[];
}
