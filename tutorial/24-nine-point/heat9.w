// One point of a cylinder; heat flows from all eight points around.
xp param T;
sp socket toright;
sp socket fromleft;
sp socket toleft;
sp socket fromright;
sp socket n;
sp socket s;

sp u = 0.0;
sp film[t=T];       // u after each step
sp row[3];          // left, here, right
sp below[3];        // the same of the row below
sp above[3];        // and above
sp const SIDE = 0.125;
sp const CORNER = 0.0625;

let k in [0, 3);

main {
  t in [0, T) {
    parallel {
      toright[] <- u;
      toleft[] <- u;
      row[0] <- fromleft[];
      row[2] <- fromright[];
    }
    row[1] = u;
    parallel {      // three at a time: so the corners come, too
      ∀k n[] <- row[k];
      ∀k s[] <- row[k];
      ∀k below[k] <- n[];
      ∀k above[k] <- s[];
    }
    sp sides = (row[0] + row[2]) + (below[1] + above[1]);
    sp corners = (below[0] + below[2]) + (above[0] + above[2]);
    u = u * 0.25 + (sides * SIDE + corners * CORNER);
    film[t] = u;
  }
}
