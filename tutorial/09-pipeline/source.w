// Sends each point on one stream and a zero, where Horner's rule starts, on the other.
xp param N;
sp socket x;
sp socket y;
sp points[n=N];

let i in [0, N);
∀i {
  x[] <- points[i];
  y[] <- 0.0;
}
