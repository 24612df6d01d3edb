// Adds its vector to the one that comes, element by element, and sends the sum on as it goes.
xp param N;
sp socket rx;
sp socket tx;
sp v[n=N];

let i in [0, N);
∀i tx[] <- rx[] + v[i];
