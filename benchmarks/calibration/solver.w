// One point of a 2-D explicit solver, shallow water with friction: the calibration kernel of the timing table.
//
// A step exchanges the height with four neighbours, moves the velocity, exchanges that, and moves the height:
// two blocks of 4 sends and 4 receives, and about 60 fp32 operations between and after them.
xp param STEPS = 10;
sp socket e;
sp socket w;
sp socket n;
sp socket s;

sp const slope = 0.125;     // dt / 2 dx
sp const gravity = 0.5;
sp const turn = 0.0625;     // Coriolis
sp const friction = 0.03125;
sp const smooth = 0.015625;
sp const rest = 1.0;        // depth of the water at rest
sp const top = 0.75;

sp h = 0.;                  // height above rest, velocity to the right and up
sp u = 0.;
sp v = 0.;
sp mass = 0.;               // summed over the steps
sp energy = 0.;
sp work = 0.;

let step in [0, STEPS);

main {
  ∀step {
    sp hw; sp he; sp hs; sp hn;
    parallel {
      e[] <- h;  w[] <- h;  n[] <- h;  s[] <- h;
      hw <- e[]; he <- w[]; hs <- n[]; hn <- s[];
    }
    sp hx = (he - hw) * slope;
    sp hy = (hn - hs) * slope;
    sp around = (he + hw) + (hn + hs);
    sp curve = around - 4.0 * h;
    sp ua = u - gravity * hx;
    sp va = v - gravity * hy;
    sp ub = ua + turn * va;
    sp vb = va - turn * ua;
    sp speed² = ub * ub + vb * vb;
    sp drag = 1.0 - friction * speed²;
    u = ub * drag;
    v = vb * drag;
    sp dx = max(u, 0.0) * (h - hw) + min(u, 0.0) * (he - h);
    sp dy = max(v, 0.0) * (h - hs) + min(v, 0.0) * (hn - h);
    sp carried = dx + dy;

    sp uw; sp ue; sp vs; sp vn;
    parallel {
      e[] <- u;  w[] <- u;  n[] <- v;  s[] <- v;
      uw <- e[]; ue <- w[]; vs <- n[]; vn <- s[];
    }
    sp spread = (ue - uw) + (vn - vs);
    sp depth = rest + h;
    sp change = depth * spread + 2.0 * carried;
    sp ha = h - slope * change;
    sp hb = ha + smooth * curve;
    h = max(min(hb, top), -top);
    sp deep = rest + h;
    sp kinetic = deep * speed² * 0.5;
    sp potential = gravity * h * h * 0.5;
    mass = mass + h;
    energy = energy + (kinetic + potential);
    work = work + (hx * u + hy * v) * depth;
  }
}
