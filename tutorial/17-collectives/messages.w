// What a tile needs to write a message: where it is, and the header.

xp y[1] address(0x7c45);
xp x[1] address(0x7c46);

function header(xp column, xp row, xp length) {
  xp low = length;
  if (row < y[0]) low = low | 0x80;
  if (row > y[0]) low = low | 0x40;
  return ((u32) column << 20) | ((u32) row << 8) | (u32) low;
}
