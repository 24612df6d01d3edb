// One tap: adds its weight times the sample to the sum that comes, and sends the sums on one step late.
xp param N;
sp socket x;
sp socket y;

sp room[n=8];
sp fifo products = {.mem = room};
sp weight = 0.0;
sp unused;

main {
  let i in [0, N);
  y[] <- 0.0;                       // the step: before the first sum, a zero
  parallel {
    ∀i products[] <- x[] * weight;  // waits while the FIFO is full, or no sample is there
    ∀i y[] <- y[] + products[];     // waits while it is empty, or no sum is there, or no room
  }
  unused <- y[];                    // the tap before this one is a step late, too
}
