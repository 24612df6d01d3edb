// Takes each sample from one color, computes, and sends the result on the other.
xp param N;
xp socket rx;
xp socket tx;

let i in [0, N);
∀i tx[] <- rx[] * 3 + 1;
