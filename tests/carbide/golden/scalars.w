// Scalar code: fused multiply-add, branches, loops, functions, records.
struct point { sp x; sp y; xp n; };
struct point p[3];
sp h, u, v, e[8];
xp count = 5, r;

function length(struct point q) { return q.x * q.x + q.y * q.y; }

main {
  sp const dt = 0.25;
  sp w = h - dt * u;
  h = w + v * dt;
  if (h > 0.0 && count != 0) { u = -u; } else { u = max(u, 1.0); }
  while (count > 0) { r += count % 3; count = count - 1; }
  i in [1, 7) { e[i] = e[i - 1] * dt + e[i + 1]; }
  #pragma vectorize off
  i in [0, 8) { e[i] = e[i] + 1.0; }
  p[1].x = 3.0;
  p[2] = p[1];
  v = length(p[2]) > 9.0 ? v : 0.0;
}
