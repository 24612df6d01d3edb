// Adds this tile's value to the sum of those before it, round by round.
xp param R;
sp socket bus;
sp value[r=R];
sp before[r=R];
wv const ADVANCE = {0x9249, 0x0940};    // to the next position; the cores do not see it
wv const RESET = {0x9249, 0x0980};      // to the first one

r in [0, R) {
  sp sum <- bus[];                // in position 0, L>C, the sum comes from the left
  before[r] = sum;
  sum = sum + value[r];           // the ADVANCE behind it has put the router into position 1, C>R
  bus[] <- sum;
  bus[] <- control(ADVANCE);      // the next tile's turn
  bus[] <- control(RESET);        // and this router listens to the left again
}
