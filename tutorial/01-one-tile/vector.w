// Adds two vectors element by element and finds the largest sum.
xp param N = 8;

xp a[n=N];              // miset writes a and b into the image before the run
xp b[n=N];
xp c[n=N];              // miget reads c and largest after it
xp largest = 0x8000;    // the smallest xp there is

let i in [0, N);

main {
  ∀i c[i] <- a[i] + b[i];
  ∀i largest = max(largest, c[i]);
}
