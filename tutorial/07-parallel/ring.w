// Passes a vector around a ring. Sending, receiving and computing go on at the same time.
xp param N;
socket tx;
socket rx;

sp mine[n=N];
sp other[n=N];
sp sum[n=N];
sp norm = 0.0;

let i in [0, N);

main {
  parallel {
    ∀i tx[] <- mine[i];             // a microthread
    ∀i other[i] <- rx[];            // another
    ∀i norm += mine[i] * mine[i];   // the main thread
  }
  ∀i sum[i] <- mine[i] + other[i];  // starts when all three are done
}
