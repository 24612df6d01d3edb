// Conjugate gradients for A u = b, where A is six times a point minus its six neighbours.
xp param W;
xp param H;
xp param Z;
xp param T;
sp socket e;
sp socket w;
sp socket n;
sp socket s;
sp socket row;
sp socket first;
sp socket all;

sp u[z=Z] = {0.};       // the solution
sp r[z=Z];              // what is left of the right side: b at the start, set by miset
sp p[z=Z];              // the direction of search
sp q[z=Z];              // A p
sp left[z=Z];
sp right[z=Z];
sp down[z=Z];
sp up[z=Z];
sp history[t=T];        // the square of the length of r after each step

xp y[1] address(0x7c45);
xp x[1] address(0x7c46);

let z in [0, Z);

// The sum of v over all tiles, on all tiles (lesson 14; the grid begins in column 1 and row 1).
function total(sp v) {
  sp sum = v;
  if (x[0] < W) {
    sp east <- row[];
    sum = sum + east;
  }
  if (x[0] > 1) row[] <- sum;
  else {
    if (y[0] < H) {
      sp north <- first[];
      sum = sum + north;
    }
    if (y[0] > 1) first[] <- sum;
    else all[] <- sum;
  }
  sp result <- all[];
  return result;
}

main {
  sp rr = 0.0;
  ∀z rr += r[z] * r[z];
  rr = total(rr);
  ∀z p[z] <- r[z];

  t in [0, T) {
    parallel {
      ∀z e[] <- p[z];
      ∀z w[] <- p[z];
      ∀z n[] <- p[z];
      ∀z s[] <- p[z];
      ∀z left[z] <- e[];
      ∀z right[z] <- w[];
      ∀z down[z] <- n[];
      ∀z up[z] <- s[];
    }
    ∀z q[z] <- p[z] * 6.0;
    ∀z q[z] <- q[z] - left[z];
    ∀z q[z] <- q[z] - right[z];
    ∀z q[z] <- q[z] - down[z];
    ∀z q[z] <- q[z] - up[z];
    k in [1, Z) q[k] <- q[k] - p[k-1];
    k in [0, Z - 1) q[k] <- q[k] - p[k+1];

    sp pq = 0.0;
    ∀z pq += p[z] * q[z];
    pq = total(pq);

    sp alpha = 0.0;
    if (pq > 0.0) alpha = rr / pq;
    ∀z u[z] += p[z] * alpha;
    ∀z r[z] -= q[z] * alpha;

    sp last = rr;
    rr = 0.0;
    ∀z rr += r[z] * r[z];
    rr = total(rr);
    history[t] = rr;

    sp beta = 0.0;
    if (last > 0.0) beta = rr / last;
    ∀z p[z] <- p[z] * beta;
    ∀z p[z] <- p[z] + r[z];
  }
}
