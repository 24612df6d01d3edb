// Sends a picture line by line: a wavelet a pixel, with the column as its index, and a control wavelet after each line.
xp param W;
xp param H;

socket tx;
xp pixels[n=W*H];
wv const LINE = {0, 20};      // the control wavelet that starts control task 20, with no command for the routers

let y in [0, H);
main {
  ∀y {
    x in [0, W) tx[] <- wavelet(pixels[y * W + x], x);
    tx[] <- control(LINE);
  }
}
