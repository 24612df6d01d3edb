// Scores frames of features. A tile's score of a frame is one dot product over three pieces: the left neighbour's
// features, its own, and the right neighbour's, each with weights.
xp param W;
xp param R;
xp param M;
sp socket fromleft[[dir=in]];
sp socket fromright[[dir=in]];
sp socket toleft[[dir=out]];
sp socket toright[[dir=out]];
sp f[r=R][m=M];
sp weights[k=3][m=M];
sp score[r=R];
xp x[1] address(0x7c46);

sp nothing[1] = {0.};
iterator own = r in [0, R) m in [0, M) f[r][m];                            // the frames, one after another
iterator weight = i in [0, ∞) k in [0, 3) m in [0, M) weights[k][m];       // the weights, again and again
iterator zeros = i in [0, ∞) j in [0, 1) nothing[j];                       // zeros, as many as are wanted

let r in [0, R);
let m in [0, M);

main {
  u64 pieces[3];                // where the three pieces come from: this is decided while the program runs
  pieces[0] = fromleft;
  pieces[1] = own;
  pieces[2] = fromright;
  if (x[0] == 0) pieces[0] = zeros;
  if (x[0] == W - 1) pieces[2] = zeros;

  parallel {
    ∀r ∀m toright[] <- f[r][m];
    ∀r ∀m toleft[] <- f[r][m];
    ∀r {
      stream piece;
      piece = pieces[0];
      [[dot.load(off)]] ∀m score[r] = ∑ piece[] * weight[];
      piece = pieces[1];
      [[dot.state(on), dot.load(off)]] ∀m score[r] = ∑ piece[] * weight[];
      piece = pieces[2];
      [[dot.state(on)]] ∀m score[r] = ∑ piece[] * weight[];
    }
  }
}
