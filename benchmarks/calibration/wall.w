// A wall: every value that the grid sends comes back.
sp socket in;
sp socket out;

i in [0, ∞) out[] <- in[];
