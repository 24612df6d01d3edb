// Times five ways to spend cycles with the tile's own cycle counter.
xp param N;

sp a[n=N] bank(0);
sp b[n=N] bank(1);        // may be read together with a …
sp far[n=N] bank(2);      // … and this not: bank 2 collides with bank 0
sp c[n=N];
sp dot = 0.0;

xp clock[3] address(0x7b30);    // 48 bits, the lowest word first
xp timer[1] address(0x7b34);
xp spent[k=5];

let i in [0, N);

main {
  timer[0] = 4;                 // count every cycle
  xp t = clock[0];
  spent[0] = clock[0] - t;      // what reading the clock itself takes

  t = clock[0];
  ∀i c[i] <- a[i] * b[i];
  spent[1] = clock[0] - t;

  t = clock[0];
  ∀i c[i] <- a[i] * far[i];
  spent[2] = clock[0] - t;

  t = clock[0];
  #pragma vectorize off
  ∀i c[i] <- a[i] * b[i];
  spent[3] = clock[0] - t;

  t = clock[0];
  ∀i dot += a[i] * b[i];
  spent[4] = clock[0] - t;
}
