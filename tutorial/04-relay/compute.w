// A rectifier: takes each sample from one color, makes it positive, and sends it on the other.
xp param N;
xp socket rx;
xp socket tx;

let i in [0, N);
∀i {
  xp sample <- rx[];
  if (sample < 0) sample = 0 - sample;
  tx[] <- sample;
}
