// One point of the plate. Each step: exchange temperatures with four neighbours, then take a share of the difference.
xp param T;
sp socket e;
sp socket w;
sp socket n;
sp socket s;
sp const K = 0.2;      // how much heat flows in a step; below 0.25 for stability

sp u = 0.0;            // the temperature
sp film[t=T];          // and what it was after each step

main {
  sp left;
  sp right;
  sp down;
  sp up;
  t in [0, T) {
    parallel {
      e[] <- u;
      w[] <- u;
      n[] <- u;
      s[] <- u;
      left <- e[];
      right <- w[];
      down <- n[];
      up <- s[];
    }
    sp around = (left + right) + (down + up);
    sp change = around - u * 4.0;
    u = u + K * change;
    film[t] = u;
  }
}
