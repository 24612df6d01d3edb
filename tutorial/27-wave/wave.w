// One point of a drum. Each step: exchange heights with four neighbours, then go on as before, pulled by the difference.
xp param T;
sp socket e;
sp socket w;
sp socket n;
sp socket s;
sp const C² = 0.25;       // the square of the wave's speed, in points a step; at most 0.5

sp u = 0.0;               // the height now
sp old = 0.0;             // and a step ago
sp loudest = 0.0;
sp film[t=T];             // the height after each step

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
    sp pull = around - u * 4.0;
    sp straight = u * 2.0 - old;
    old = u;
    u = straight + C² * pull;
    loudest = max(loudest, abs(u));
    film[t] = u;
  }
}
