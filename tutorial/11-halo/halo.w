// Exchanges the borders of a block with four neighbours, all at once, and adds up each point's neighbours.
xp param B;
sp socket e;
sp socket w;
sp socket n;
sp socket s;

sp u[j=B][i=B];             // the tile's block of the field
sp left[j=B];               // and what lies around it
sp right[j=B];
sp down[i=B];
sp up[i=B];
sp x[j=B+2][i=B+2] = {0.};  // the block with its halo
sp sum[j=B][i=B];

let i in [0, B);
let j in [0, B);

main {
  parallel {
    ∀j e[] <- u[j][B-1];
    ∀j w[] <- u[j][0];
    ∀i n[] <- u[B-1][i];
    ∀i s[] <- u[0][i];
    ∀j left[j] <- e[];      // what travels to the right comes from the left
    ∀j right[j] <- w[];
    ∀i down[i] <- n[];
    ∀i up[i] <- s[];
  }
  ∀j ∀i x[j+1][i+1] <- u[j][i];
  ∀j x[j+1][0] <- left[j];
  ∀j x[j+1][B+1] <- right[j];
  ∀i x[0][i+1] <- down[i];
  ∀i x[B+1][i+1] <- up[i];
  ∀j ∀i sum[j][i] <- x[j+1][i] + x[j+1][i+2];
  ∀j ∀i sum[j][i] <- sum[j][i] + x[j][i+1];
  ∀j ∀i sum[j][i] <- sum[j][i] + x[j+2][i+1];
}
