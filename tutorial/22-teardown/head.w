// Sends a factor to all tiles, and behind it the command that takes the color down on its whole way.
sp socket bus;
wv const TEARDOWN = {0x0000, 0x01c0};

main {
  bus[] <- 0.5;
  bus[] <- control(TEARDOWN);
}
