// Begins each round with a zero and passes the turn to the first tile.
xp param R;
sp socket bus;
wv const ADVANCE = {0x9249, 0x0940};

r in [0, R) {
  bus[] <- 0.0;
  bus[] <- control(ADVANCE);
}
