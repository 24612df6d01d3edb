// Each tile has a reading; all learn its mean and its spread, and each decides whether its own is strange.
xp param W;
xp param H;
sp socket row;
sp socket column;
sp socket all;
sp const SHARE = 1.0 / (W * H);

sp mine = 0.0;
sp mean = 0.0;
sp spread = 0.0;
xp strange = 0;

xp y[1] address(0x7c45);
xp x[1] address(0x7c46);

// The sum of v over all tiles, on all tiles.
function total(sp v) {
  sp sum = v;
  if (x[0] < W - 1) {
    sp east <- row[];
    sum = sum + east;
  }
  if (x[0] > 0) row[] <- sum;
  else {
    if (y[0] < H - 1) {
      sp north <- column[];
      sum = sum + north;
    }
    if (y[0] > 0) column[] <- sum;
    else all[] <- sum;
  }
  sp result <- all[];
  return result;
}

main {
  mean = total(mine) * SHARE;
  sp apart = mine - mean;
  spread = total(apart * apart) * SHARE;    // the square of the standard deviation
  if (apart * apart > spread * 4.0) strange = 1;
}
