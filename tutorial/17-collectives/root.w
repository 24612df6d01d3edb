// Gathers all counts, adds them up in the order of the tiles, and tells each where its part begins.
import messages;

xp param W;
xp param H;
u32 socket net;

xp count = 0;
xp start = 0;
xp total;
xp counts[n=W*H];

union report {
  u32 whole;
  xp part[2];
};

main {
  union report r;
  counts[0] = count;
  k in [1, W * H) {                // gather: in whatever order they come
    u32 head <- net[];
    r.whole <- net[];
    counts[r.part[1]] = r.part[0];
  }

  total = 0;
  k in [0, W * H) total = total + counts[k];

  xp sum = counts[0];
  xp row = 0;
  xp column = 0;
  k in [1, W * H) {                // scatter
    column = column + 1;
    if (column == W) {
      column = 0;
      row = row + 1;
    }
    r.part[0] = sum;
    r.part[1] = total;
    net[] <- header(column, row, 1);
    net[] <- r.whole;
    sum = sum + counts[k];
  }
}
