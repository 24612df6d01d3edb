// A border that lets nothing through: the point beyond it is always as warm as the one before it.
sp socket in;
sp socket out;

let k in [0, ∞);
∀k out[] <- in[];
