// A column of Z points of a box. Each step every point becomes a weighted sum of itself and its six neighbours.
xp param Z;
xp param T;
sp socket e;
sp socket w;
sp socket n;
sp socket s;

sp u[z=Z];
sp left[z=Z];
sp right[z=Z];
sp down[z=Z];
sp up[z=Z];
sp new[z=Z];
sp const SIDE = 0.125;
sp const SELF = 0.25;

let z in [0, Z);

main {
  t in [0, T) {
    parallel {
      ∀z e[] <- u[z];
      ∀z w[] <- u[z];
      ∀z n[] <- u[z];
      ∀z s[] <- u[z];
      ∀z left[z] <- e[];
      ∀z right[z] <- w[];
      ∀z down[z] <- n[];
      ∀z up[z] <- s[];
    }
    // One vector instruction each: first the neighbours in the fabric …
    ∀z new[z] <- left[z] + right[z];
    ∀z new[z] <- new[z] + down[z];
    ∀z new[z] <- new[z] + up[z];
    // … then those in memory: the column, shifted by one.
    k in [1, Z) new[k] <- new[k] + u[k-1];
    k in [0, Z - 1) new[k] <- new[k] + u[k+1];
    ∀z new[z] <- new[z] * SIDE;
    ∀z new[z] += u[z] * SELF;
    ∀z u[z] <- new[z];
  }
}
