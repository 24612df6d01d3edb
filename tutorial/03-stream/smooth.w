// Receives a signal and keeps for each sample the mean with its predecessor, and the sum of all.
xp param N;

sp socket rx;
sp raw[n=N];
sp smoothed[n=N];
sp total = 0.0;

main {
  let i in [0, N);
  ∀i raw[i] <- rx[];
  ∀i total += raw[i];
  smoothed[0] = raw[0];
  j in [1, N) smoothed[j] = (raw[j - 1] + raw[j]) * 0.5;
}
