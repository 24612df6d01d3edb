// The end of the chain: adds its own vector, and notes the time.
xp param N;
sp socket rx;
sp v[n=N];
sp sum[n=N];
xp clock[3] address(0x7b30);
xp timer[1] address(0x7b34);
xp spent;

let i in [0, N);
main {
  timer[0] = 4;
  ∀i sum[i] <- rx[] + v[i];
  spent = clock[0];
}
