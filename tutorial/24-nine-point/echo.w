// No heat flows through this border.
sp socket in;
sp socket out;

let k in [0, ∞);
∀k out[] <- in[];
