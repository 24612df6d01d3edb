// Sends this tile's block to the tile across the diagonal, and keeps the one that comes from there.
xp param N;
socket net;

sp block[n=N];
sp got[n=N];
u32 header;

xp y[1] address(0x7c45);
xp x[1] address(0x7c46);

let i in [0, N);

main {
  xp column = y[0];         // where to: rows and columns change places
  xp row = x[0];
  xp way = 0;
  if (row < y[0]) way = 0x80;     // north, to smaller rows
  if (row > y[0]) way = 0x40;     // south
  u32 to = ((u32) column << 20) | ((u32) row << 8) | (u32) (way + N);

  parallel {
    {
      net[] <- to;
      ∀i net[] <- block[i];
    }
    {
      header <- net[];
      ∀i got[i] <- net[];
    }
  }
}
