// Sends the target sequence. With each letter goes the score to the left of the first column, and the best so far: 0.
xp param N;
xp socket tx;
xp target[n=N];

let j in [0, N);
∀j {
  tx[] <- target[j];
  tx[] <- 0;
  tx[] <- 0;
}
