// One column of the score matrix: a letter of the query against the whole target, which streams by.
xp param N;
xp const MATCH = 2;
xp const MISMATCH = -1;
xp const GAP = -1;

xp socket r;          // one socket for both directions of traffic: the swap keeps them apart
xp letter = 0;        // miset sets it
xp H[n=N];            // the column's scores

main {
  xp up = 0;          // H of the row above: in this column …
  xp diagonal = 0;    // … and in the column to the left
  let j in [0, N);
  ∀j {
    xp t <- r[];
    xp left <- r[];
    xp best <- r[];
    xp score = MISMATCH;
    if (t == letter) score = MATCH;
    xp h = max(max(0, diagonal + score), max(up, left) + GAP);
    r[] <- t;
    r[] <- h;
    r[] <- max(best, h);
    H[j] = h;
    diagonal = left;
    up = h;
  }
}
