// A border that stands still: every height that comes is answered by zero, for ever.
sp socket in;
sp socket out;
sp height;

forever {
  height <- in[];
  out[] <- 0.0;
}
