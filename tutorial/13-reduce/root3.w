// The root of the tree: adds three vectors that come to its own, and notes the time.
xp param N;
sp socket r0;
sp socket r1;
sp socket r2;
sp v[n=N];
sp sum[n=N];
xp clock[3] address(0x7b30);
xp timer[1] address(0x7b34);
xp spent;

let i in [0, N);
main {
  timer[0] = 4;
  ∀i sum[i] <- r0[] + v[i];
  ∀i sum[i] <- r1[] + sum[i];
  ∀i sum[i] <- r2[] + sum[i];
  spent = clock[0];
}
