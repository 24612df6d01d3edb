"use strict";
// The fabric: from columns and rows to pixels, and what a tile's routes look like. U is up, as row numbers grow.

const [L, R, U, D, C] = [0, 1, 2, 3, 4];
const OPPOSITE = [R, L, D, U];
const PORT = "LRUDC";
const GAP = 0.55; // width of the band that stands for columns left out, in tiles
const CORE = [0.33, 0.67]; // the core's box within a tile
const ROUTES_FROM = 34; // pixels of a tile from which its routes are drawn
const ONE_FROM = 10; // the same while a single color is shown

const kernelFill = (k, light = 87) => (k < 0 ? `hsl(220 14% ${light + 1}%)` : `hsl(${(205 + k * 137.5) % 360} 55% ${light}%)`);
const ink = (number) => `hsl(${(number * 137.5 + 10) % 360} 75% ${[38, 33, 44][number % 3]}%)`;

// One axis: runs [first, count] of what is shown; between two runs lies a gap of what repeats.
class Axis {
  constructor(runs) {
    this.runs = [];
    let at = 0;
    for (const [first, count] of runs) {
      if (this.runs.length) at += GAP;
      this.runs.push({ first, count, at });
      at += count;
    }
    this.length = at;
    this.gaps = this.runs.slice(1).map((r, i) => {
      const end = this.runs[i].first + this.runs[i].count;
      return { at: r.at - GAP, first: end, count: r.first - end };
    });
  }
  // The place of a column, or -1 when it is left out.
  at(x) {
    for (const r of this.runs) if (x >= r.first && x < r.first + r.count) return r.at + x - r.first;
    return -1;
  }
  // The column at a place, -1 in a gap and outside.
  column(place) {
    for (const r of this.runs) if (place >= r.at && place < r.at + r.count) return r.first + Math.floor(place - r.at);
    return -1;
  }
  // [place, width, share] of what is shown of n columns from x on, step apart, within the places lo..hi. Columns too
  // close to be told apart come as one with the share of them that is taken.
  pieces(x, n, step, lo, hi, scale) {
    const found = [];
    if (step === 1 || n === 1) {
      for (const r of this.runs) {
        const a = Math.max(x, r.first), b = Math.min(x + n, r.first + r.count);
        if (a < b) found.push([r.at + a - r.first, b - a, 1]);
      }
      for (const g of this.gaps) if (x < g.first && x + n > g.first + g.count) found.push([g.at, GAP, 1]);
    } else {
      for (const r of this.runs) {
        const i = Math.max(0, Math.ceil((Math.max(r.first, lo - r.at + r.first - 1) - x) / step));
        const j = Math.min(n - 1, Math.floor((Math.min(r.first + r.count - 1, hi - r.at + r.first) - x) / step));
        if (i > j) continue;
        const place = r.at + x + i * step - r.first;
        if (step * scale < 4 && j > i) found.push([place, (j - i) * step + 1, 1 / step]);
        else for (let k = i; k <= j; k++) found.push([place + (k - i) * step, 1, 1]);
      }
    }
    return found.filter(([place, width]) => place < hi && place + width > lo);
  }
  // The columns shown within the places lo..hi.
  visible(lo, hi) {
    const found = [];
    for (const r of this.runs) {
      const a = Math.max(0, Math.floor(lo - r.at)), b = Math.min(r.count, Math.ceil(hi - r.at));
      for (let i = a; i < b; i++) found.push(r.first + i);
    }
    return found;
  }
}

// -- routes of one tile, in a unit square with U at the top -------------------------------------------------------

// Each number has its lane along the sides; lanes keep clear of the core.
class Lanes {
  constructor(numbers) {
    const all = [...new Set(numbers)].sort((a, b) => a - b);
    const half = Math.ceil(all.length / 2);
    this.of = new Map(
      all.map((n, i) => {
        const [k, m, lo] = i < half ? [i, half, 0.07] : [i - half, all.length - half, 0.73];
        return [n, lo + (m > 1 ? (0.2 * k) / (m - 1) : 0.1)];
      }),
    );
  }
  lane(n) {
    return this.of.get(n) ?? 0.5;
  }
}

const INWARD = [[1, 0], [-1, 0], [0, 1], [0, -1]];
const sidePoint = (side, t) => [[0, t], [1, t], [t, 0], [t, 1]][side];
const coreLane = (t) => CORE[0] + 0.04 + (CORE[1] - CORE[0] - 0.08) * t;
const corePoint = (side, t) => {
  const u = coreLane(t);
  return [[CORE[0], u], [CORE[1], u], [u, CORE[0]], [u, CORE[1]]][side];
};
const ports = (mask) => [L, R, U, D, C].filter((p) => (mask >> p) & 1);
const swapped = (swap, side) => Boolean(swap & (side < 2 ? 1 : side < 4 ? 2 : 4));

// A curve from a point to another with a direction at each: [x, y] four times.
function curve(p, into, q, out) {
  const far = Math.hypot(q[0] - p[0], q[1] - p[1]);
  const k = Math.max(0.12, far * 0.4);
  return [p, [p[0] + into[0] * k, p[1] + into[1] * k], [q[0] - out[0] * k, q[1] - out[1] * k], q];
}

// Whether a rule has a route that begins or ends at the core and has no other side: [C>] and [>C].
const lacks = (rule) => rule.positions.some(([i, o]) => (!i && (o >> C) & 1) || (i === 1 << C && !o));

// Places {side, t} at the core for the rules of a tile that lack a side, where no route of the others is.
function places(rules) {
  const used = rules.reduce((mask, r) => r.positions.reduce((m, [i, o]) => m | i | o, mask), 0);
  const free = [L, R, U, D].filter((p) => !((used >> p) & 1));
  const sides = free.length ? free : [L];
  const rows = Math.ceil(rules.filter(lacks).length / sides.length);
  let k = 0;
  return rules.map((r) => {
    if (!lacks(r)) return { side: sides[0], t: 0.5 };
    const place = { side: sides[k % sides.length], t: (Math.floor(k / sides.length) + 0.5) / rows };
    k++;
    return place;
  });
}

// What is drawn of a rule: {points, from, to: numbers at both ends, active, position, end, adder}. `free` is a place at
// the core for what lacks a side: wavelets of the core that are discarded, and inputs left open.
function strokes(rule, number, lanes, free) {
  const found = [];
  rule.positions.forEach(([inputs, outputs], position) => {
    const common = { active: position === rule.start, position, switches: rule.positions.length > 1, adder: rule.adder };
    const ins = ports(inputs), outs = ports(outputs);
    for (const i of ins.length ? ins : [-1]) {
      const from = i >= 0 && swapped(rule.swap, i) ? number ^ 1 : number;
      for (const o of outs.length ? outs : [-1]) {
        const to = number, tIn = lanes.lane(from), tOut = lanes.lane(to);
        let points, end = "arrow";
        if (i < 0) {
          // An open input: a stub that begins at a ring.
          const q = o === C ? corePoint(free.side, free.t) : o < 0 ? [0.5, 0.2] : sidePoint(o, tOut);
          const v = o === C ? INWARD[free.side] : INWARD[Math.max(o, L)].map((d) => -d);
          const p = [q[0] - v[0] * 0.2, q[1] - v[1] * 0.2];
          points = curve(p, v, q, v);
          found.push({ ...common, points, from, to, end, open: true });
          continue;
        }
        const leaves = o >= 0 && o !== C ? o : free.side; // the core's side by which its wavelets leave
        const p = i === C ? corePoint(leaves, o < 0 ? free.t : tIn) : sidePoint(i, tIn);
        const into = i === C ? INWARD[leaves].map((d) => -d) : INWARD[i];
        let q, out;
        if (o < 0) {
          end = "bar"; // taken and discarded
          q = [p[0] + into[0] * 0.2, p[1] + into[1] * 0.2];
          out = into;
        } else if (o === C) {
          const side = i === C ? free.side : i;
          q = corePoint(side, i === C ? 1 - tIn : tOut);
          out = INWARD[side];
        } else {
          q = sidePoint(o, i === o ? tOut + (tOut < 0.5 ? 0.06 : -0.06) : tOut);
          out = INWARD[o].map((d) => -d);
        }
        points = curve(p, into, q, out);
        found.push({ ...common, points, from, to, end });
      }
    }
  });
  return found;
}

// A cubic curve cut in the middle.
function halves([a, b, c, d]) {
  const mid = (p, q) => [(p[0] + q[0]) / 2, (p[1] + q[1]) / 2];
  const ab = mid(a, b), bc = mid(b, c), cd = mid(c, d), abc = mid(ab, bc), bcd = mid(bc, cd), m = mid(abc, bcd);
  return [[a, ab, abc, m], [m, bcd, cd, d]];
}

// Canvas and SVG both draw a tile by these few calls; sizes are pixels of a tile.
class CanvasPen {
  constructor(context, x, y, size) {
    Object.assign(this, { context, x, y, size });
  }
  at([x, y]) {
    return [this.x + x * this.size, this.y + y * this.size];
  }
  curve(points, color, width, dash) {
    const c = this.context, [p, a, b, q] = points.map((v) => this.at(v));
    c.strokeStyle = color;
    c.lineWidth = width;
    c.setLineDash(dash ? [width * 2.2, width * 1.8] : []);
    c.beginPath();
    c.moveTo(...p);
    c.bezierCurveTo(...a, ...b, ...q);
    c.stroke();
    c.setLineDash([]);
  }
  shape(points, color) {
    const c = this.context;
    c.fillStyle = color;
    c.beginPath();
    points.forEach((p, i) => (i ? c.lineTo(...this.at(p)) : c.moveTo(...this.at(p))));
    c.fill();
  }
  ring(point, radius, color, width) {
    const c = this.context;
    c.strokeStyle = color;
    c.lineWidth = width;
    c.fillStyle = "#fff";
    c.beginPath();
    c.arc(...this.at(point), radius * this.size, 0, 7);
    c.fill();
    c.stroke();
  }
  text(point, text, color, size) {
    const c = this.context;
    c.font = `600 ${size}px system-ui, sans-serif`;
    c.textAlign = "center";
    c.textBaseline = "middle";
    c.lineWidth = 3;
    c.strokeStyle = "#fffd";
    c.strokeText(text, ...this.at(point));
    c.fillStyle = color;
    c.fillText(text, ...this.at(point));
  }
}

class SvgPen {
  constructor(size) {
    this.size = size;
    this.bold = 1.5; // it is shown smaller than it is drawn
    this.parts = [];
  }
  at([x, y]) {
    return `${(x * this.size).toFixed(1)} ${(y * this.size).toFixed(1)}`;
  }
  curve([p, a, b, q], color, width, dash) {
    const dashes = dash ? ` stroke-dasharray="${width * 2.2} ${width * 1.8}"` : "";
    this.parts.push(`<path class="route" d="M${this.at(p)} C${this.at(a)} ${this.at(b)} ${this.at(q)}" fill="none" stroke="${color}" stroke-width="${width}"${dashes}/>`);
  }
  shape(points, color) {
    this.parts.push(`<path class="head" d="M${points.map((p) => this.at(p)).join(" L")} Z" fill="${color}"/>`);
  }
  ring(point, radius, color, width) {
    const [x, y] = this.at(point).split(" ");
    this.parts.push(`<circle cx="${x}" cy="${y}" r="${radius * this.size}" fill="#fff" stroke="${color}" stroke-width="${width}"/>`);
  }
  text(point, text, color, size) {
    const [x, y] = this.at(point).split(" ");
    this.parts.push(`<text x="${x}" y="${y}" fill="${color}" font-size="${size}" font-weight="600" text-anchor="middle" dominant-baseline="central" paint-order="stroke" stroke="#fff" stroke-width="3">${text}</text>`);
  }
  svg() {
    return `<svg viewBox="0 0 ${this.size} ${this.size}">${this.parts.join("")}</svg>`;
  }
}

function drawStroke(pen, s) {
  const size = pen.size, width = Math.min(4, Math.max(1.2, size * 0.016)) * (pen.bold ?? 1);
  const from = ink(s.from), to = ink(s.to);
  const [first, second] = halves(s.points);
  // Room for the arrow's head at the end.
  pen.curve(first, from, width, !s.active);
  pen.curve(second, to, width, !s.active);
  const [, , b, q] = s.points;
  const length = Math.hypot(q[0] - b[0], q[1] - b[1]) || 1;
  const v = [(q[0] - b[0]) / length, (q[1] - b[1]) / length];
  const head = Math.min(0.28, Math.max(0.075, 5.5 / size)) * (pen.bold ?? 1);
  const across = (p, k) => [p[0] - v[1] * k, p[1] + v[0] * k];
  if (s.end === "arrow") {
    const back = [q[0] - v[0] * head, q[1] - v[1] * head];
    pen.shape([q, across(back, head * 0.48), across(back, -head * 0.48)], to);
  } else {
    const [a, b2] = [across(q, 0.06), across(q, -0.06)];
    pen.curve([a, a, b2, b2], to, width * 1.4, false);
  }
  if (s.open) pen.ring(s.points[0], 0.035, to, width);
  if (s.from !== s.to) {
    const m = second[0];
    const k = 0.035;
    pen.shape([[m[0], m[1] - k], [m[0] + k, m[1]], [m[0], m[1] + k], [m[0] - k, m[1]]], to);
  }
  if (s.adder) {
    pen.ring(second[0], 0.06, to, width);
    if (size >= 60) pen.text(second[0], "+", to, size * 0.1);
  }
  if (s.switches && size >= 60) {
    const near = s.points.map((p) => p)[0];
    const [, m] = halves(second)[0];
    pen.text(s.end === "bar" ? near : m, String(s.position), to, Math.max(9, Math.min(13, size * 0.08)) * (pen.bold ?? 1));
  }
}
