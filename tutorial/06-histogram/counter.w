// Counts grey values. Nothing here asks for data: each wavelet that arrives starts a handler.
xp socket rx;

xp histogram[n=16];       // how many pixels have each of 16 grey values
xp rightmost[n=16] = {0};     // the rightmost column in which each was seen, plus one
xp lines = 0;

forever dispatch (rx) {
  wavelet(xp grey, xp x) {
    xp k = grey >> 4;
    histogram[k] += 1;
    rightmost[k] = max(rightmost[k], x + 1);
  }
  control(20) {
    lines += 1;
  }
}
