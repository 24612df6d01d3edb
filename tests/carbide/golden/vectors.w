// Vector instructions: arrays, constants, two levels, several operations, reductions.
xp param N = 16;
xp a[n=N], b[n=N], c[n=N];
sp f[4][8], g[4][8], x = 2.0, s;
let i in [0, N);
let j in [0, 4);
let k in [1, 7);

main {
  ∀i c[i] <- a[i] + b[i];
  ∀i c[i] <- min(c[i], 100) << 2;
  ∀j ∀k g[j][k] <- f[j][k - 1] * x;
  ∀j ∀k g[j][k] <- (f[j][k] + f[j][k + 1]) * 0.5;
  ∀j s <+- f[j][0] * g[j][1];
  ∀i f[0][0] = ∑ f[1][0] * x;
}
