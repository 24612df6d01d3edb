// The page: view, events, panel. Its state stands in the address: #tile=3,4&color=2&view=whole&scale=40&finding=0

const data = JSON.parse(document.getElementById("data").textContent);
const byId = (id) => document.getElementById(id);
const canvas = byId("fabric");
const context = canvas.getContext("2d");
const MARGIN = { left: 44, bottom: 26, top: 10, right: 12 };
const folds = data.columns.length > 1 || data.rows.length > 1;

// A lane for each number that has a rule somewhere, and for the partners that a swap reads.
const lanes = new Lanes(
  data.rulesets.flat().flatMap(([color, rule]) => {
    const number = data.colors[color].number;
    return data.rules[rule].swap ? [number, number ^ 1] : [number];
  }),
);

const state = { view: folds ? "folded" : "whole", color: -1, tile: null, finding: -1, kernel: -1, scale: 0, x: 0, y: 0, fitted: true };
let across, along; // axes of columns and rows; rows count upward

const grid = (r) => ({ x: r[0], y: r[1], w: r[2], h: r[3], dx: r[4] ?? 1, dy: r[5] ?? 1 });
for (const group of [data.classes, data.labels, data.findings]) for (const g of group) g.at = g.at.map(grid);
const inside = (at, x, y) =>
  at.some((r) => {
    const i = x - r.x, j = y - r.y;
    return i >= 0 && j >= 0 && i % r.dx === 0 && j % r.dy === 0 && i / r.dx < r.w && j / r.dy < r.h;
  });
const classAt = (x, y) => data.classes.find((c) => inside(c.at, x, y));
const title = (k) => (k < 0 ? "" : data.kernels[k].region || data.kernels[k].name);

// -- view -----------------------------------------------------------------------------------------------------------

function useView(view) {
  state.view = view;
  across = new Axis(view === "folded" ? data.columns : [[0, data.width]]);
  along = new Axis(view === "folded" ? data.rows : [[0, data.height]]);
  byId("folded").classList.toggle("on", view === "folded");
  byId("whole").classList.toggle("on", view === "whole");
}

const room = () => [canvas.clientWidth - MARGIN.left - MARGIN.right, canvas.clientHeight - MARGIN.top - MARGIN.bottom];

function fit() {
  const [w, h] = room();
  state.scale = Math.max(0.05, Math.min(190, w / across.length, h / along.length));
  state.x = MARGIN.left + (w - across.length * state.scale) / 2;
  state.y = MARGIN.top + (h - along.length * state.scale) / 2;
  state.fitted = true;
}

// A place on the axes as pixels; y is the upper edge of a row.
const px = (place) => state.x + place * state.scale;
const py = (place, height) => state.y + (along.length - place - height) * state.scale;

function zoom(factor, cx, cy) {
  const scale = Math.min(400, Math.max(0.05, state.scale * factor));
  state.x = cx - ((cx - state.x) * scale) / state.scale;
  state.y = cy - ((cy - state.y) * scale) / state.scale;
  state.scale = scale;
  state.fitted = false;
  draw();
}

function centre(x, y) {
  const [i, j] = [across.at(x), along.at(y)];
  if (i < 0 || j < 0) return;
  const [w, h] = room();
  state.x = MARGIN.left + w / 2 - (i + 0.5) * state.scale;
  state.y = MARGIN.top + h / 2 - (along.length - j - 0.5) * state.scale;
}

function window_() {
  const [w, h] = [canvas.clientWidth, canvas.clientHeight];
  const top = along.length - (0 - state.y) / state.scale, bottom = along.length - (h - state.y) / state.scale;
  return { x0: (0 - state.x) / state.scale, x1: (w - state.x) / state.scale, y0: bottom, y1: top };
}

// All pieces of a set of tiles in view: f(x, y, width, height, share) in pixels.
function eachPiece(at, view, f) {
  for (const r of at) {
    const columns = across.pieces(r.x, r.w, r.dx, view.x0, view.x1, state.scale);
    if (!columns.length) continue;
    for (const [y, h, sy] of along.pieces(r.y, r.h, r.dy, view.y0, view.y1, state.scale))
      for (const [x, w, sx] of columns) f(px(x), py(y, h), w * state.scale, h * state.scale, sx * sy);
  }
}

// -- drawing --------------------------------------------------------------------------------------------------------

let waiting = false;
function draw() {
  if (waiting) return;
  waiting = true;
  requestAnimationFrame(() => {
    waiting = false;
    drawNow();
  });
}

function drawNow() {
  const ratio = window.devicePixelRatio || 1;
  const [w, h] = [canvas.clientWidth, canvas.clientHeight];
  if (canvas.width !== Math.round(w * ratio)) canvas.width = Math.round(w * ratio);
  if (canvas.height !== Math.round(h * ratio)) canvas.height = Math.round(h * ratio);
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.clearRect(0, 0, w, h);
  const view = window_();
  const count = { blocks: 0, tiles: 0, routes: 0, swaps: 0 };
  context.fillStyle = "#f1f2f4";
  context.fillRect(px(0), py(0, along.length), across.length * state.scale, along.length * state.scale);
  for (const c of data.classes) {
    context.fillStyle = kernelFill(c.kernel);
    const faint = (state.kernel >= 0 && c.kernel !== state.kernel) || (state.color >= 0 && !holds(c, state.color));
    eachPiece(c.at, view, (x, y, pw, ph, share) => {
      context.globalAlpha = share * (faint ? 0.25 : 1);
      context.fillRect(x, y, Math.max(pw, 1), Math.max(ph, 1));
      count.blocks++;
    });
    context.globalAlpha = 1;
  }
  drawGrid(view);
  drawGaps();
  if (state.scale >= (state.color < 0 ? ROUTES_FROM : ONE_FROM)) drawTiles(view, count);
  else drawBlocks(view, count);
  drawMarks(view);
  drawCoordinates(w, h);
  for (const [name, value] of Object.entries(count)) canvas.dataset[name] = value;
  canvas.dataset.view = state.view;
  canvas.dataset.columns = across.visible(0, across.length).length;
  canvas.dataset.rows = along.visible(0, along.length).length;
}

const holds = (c, color) =>
  data.rulesets[c.rules].some(([i]) => i === color) ||
  (c.kernel >= 0 && data.kernels[c.kernel].queues.some((q) => q.color === color)) ||
  c.banks.includes(data.colors[color].bank);

function drawGrid(view) {
  if (state.scale < 7) return;
  context.strokeStyle = state.scale >= ROUTES_FROM ? "#8d97a6" : "#fff";
  context.lineWidth = state.scale >= ROUTES_FROM ? 1 : 0.6;
  const [top, height] = [py(0, along.length), along.length * state.scale];
  context.beginPath();
  for (const r of across.runs)
    for (let i = Math.max(0, Math.floor(view.x0 - r.at)); i <= Math.min(r.count, view.x1 - r.at); i++) {
      context.moveTo(px(r.at + i), top);
      context.lineTo(px(r.at + i), top + height);
    }
  for (const r of along.runs)
    for (let i = Math.max(0, Math.floor(view.y0 - r.at)); i <= Math.min(r.count, view.y1 - r.at); i++) {
      context.moveTo(px(0), py(r.at + i, 0));
      context.lineTo(px(across.length), py(r.at + i, 0));
    }
  context.stroke();
}

// What is left out: a veil with dots, and how many columns or rows it stands for.
function drawGaps() {
  const veil = (x, y, w, h, flat, n) => {
    context.fillStyle = "#fffc";
    context.fillRect(x, y, w, h);
    context.fillStyle = "#5b6675";
    const [cx, cy] = [x + w / 2, y + h / 2];
    const step = Math.min(w, h) / 4;
    for (const k of [-1, 0, 1]) {
      context.beginPath();
      context.arc(cx + (flat ? k * step : 0), cy + (flat ? 0 : k * step), Math.max(1, step / 5), 0, 7);
      context.fill();
    }
  };
  for (const g of across.gaps)
    for (const r of along.runs)
      for (let j = 0; j < r.count && state.scale > 3; j++)
        veil(px(g.at), py(r.at + j, 1), GAP * state.scale, state.scale, true, g.count);
  for (const g of along.gaps)
    for (const r of across.runs)
      for (let i = 0; i < r.count && state.scale > 3; i++)
        veil(px(r.at + i), py(g.at, GAP), state.scale, GAP * state.scale, false, g.count);
  for (const g of across.gaps) for (const k of along.gaps) {
    context.fillStyle = "#fffc";
    context.fillRect(px(g.at), py(k.at, GAP), GAP * state.scale, GAP * state.scale);
  }
}

function drawTile(c, x, y, size, count) {
  const pen = new CanvasPen(context, x, y, size);
  const free = places(data.rulesets[c.rules].map(([, rule]) => data.rules[rule]));
  for (const [i, [color, rule]] of data.rulesets[c.rules].entries()) {
    if (state.color >= 0 && color !== state.color) continue;
    for (const s of strokes(data.rules[rule], data.colors[color].number, lanes, free[i])) {
      drawStroke(pen, s);
      count.routes++;
      if (s.from !== s.to) count.swaps++;
    }
  }
  if ((c.kernel < 0 && !c.banks.length) || size < 16) return;
  const [a, b] = CORE;
  context.fillStyle = kernelFill(c.kernel, 76);
  context.strokeStyle = "#414b59";
  context.lineWidth = 1;
  context.beginPath();
  context.roundRect(x + a * size, y + a * size, (b - a) * size, (b - a) * size, size * 0.03);
  context.fill();
  context.stroke();
  const lines = [title(c.kernel), ...(c.banks.length ? [`mp ${c.banks.join(" ")}`] : [])].filter(Boolean);
  lines.forEach((text, i) => {
    const place = y + size / 2 + (i - (lines.length - 1) / 2) * size * 0.12;
    if (label(text, x + size / 2, place, (b - a) * size - 3, size * 0.13)) return;
    // On small tiles the name stands below the core, where few routes are in its way.
    if (data.rulesets[c.rules].length <= 3) label(text, x + size / 2, y + size * (b + 0.14), size - 4, 10, true);
  });
}

// A text in the middle of a place, made smaller and then cut to fit; nothing when too little would be left.
function label(text, x, y, room, most, halo = false) {
  const font = (n) => `600 ${n}px system-ui, "DejaVu Sans", sans-serif`;
  let size = Math.min(14, most);
  context.font = font(size);
  const wide = context.measureText(text).width;
  if (wide > room) size = Math.max(8, (size * room) / wide);
  if (size < 7.5) return false;
  context.font = font(size);
  let shown = text;
  while (shown.length > 1 && context.measureText(shown).width > room) shown = shown.replace(/.…?$/u, "…").replace(/^…$/, "");
  if (shown !== text && shown.length < 4) return false;
  context.textAlign = "center";
  context.textBaseline = "middle";
  if (halo) {
    context.lineWidth = 4;
    context.strokeStyle = "#fffe";
    context.strokeText(shown, x, y);
  }
  context.fillStyle = "#1c2330";
  context.fillText(shown, x, y);
  return true;
}

function drawTiles(view, count) {
  const within = (list, first, n, step) =>
    list.filter((x) => x >= first && x <= first + (n - 1) * step && (x - first) % step === 0);
  const [columns, rows] = [across.visible(view.x0, view.x1), along.visible(view.y0, view.y1)];
  for (const c of data.classes)
    for (const r of c.at) {
      const ys = within(rows, r.y, r.h, r.dy);
      if (!ys.length) continue;
      for (const x of within(columns, r.x, r.w, r.dx))
        for (const y of ys) {
          drawTile(c, px(across.at(x)), py(along.at(y), 1), state.scale, count);
          count.tiles++;
        }
    }
}

// Tiles too small for their routes: each large rectangle shows one of its tiles, enlarged, and its name.
function drawBlocks(view, count) {
  const SIZE = 74;
  const [w, h] = room();
  const taken = [];
  const free = (x, y, pw, ph) => !taken.some((t) => x < t[0] + t[2] && t[0] < x + pw && y < t[1] + t[3] && t[1] < y + ph);
  for (const c of data.classes)
    eachPiece(c.at.filter((r) => r.dx === 1 && r.dy === 1), view, (x, y, pw, ph) => {
      const x0 = Math.max(x, MARGIN.left), y0 = Math.max(y, 0);
      const [iw, ih] = [Math.min(x + pw, MARGIN.left + w) - x0, Math.min(y + ph, MARGIN.top + h) - y0];
      const [cx, cy] = [x0 + iw / 2, y0 + ih / 2];
      if (iw >= SIZE + 16 && ih >= SIZE + 40 && free(cx - SIZE / 2, cy - SIZE / 2 - 18, SIZE, SIZE + 18)) {
        context.fillStyle = kernelFill(c.kernel, 93);
        context.fillRect(cx - SIZE / 2, cy - SIZE / 2, SIZE, SIZE);
        context.strokeStyle = "#414b59";
        context.lineWidth = 1;
        context.strokeRect(cx - SIZE / 2, cy - SIZE / 2, SIZE, SIZE);
        drawTile(c, cx - SIZE / 2, cy - SIZE / 2, SIZE, count);
        label(`${title(c.kernel) || "routes only"} on each tile`, cx, cy - SIZE / 2 - 10, iw, 12, true);
        taken.push([cx - SIZE / 2, cy - SIZE / 2 - 18, SIZE, SIZE + 18]);
        count.tiles++;
      } else if (title(c.kernel) && iw > 24 && ih >= 11 && free(cx - 20, cy - 7, 40, 14)) {
        if (label(title(c.kernel), cx, cy, iw - 2, Math.min(13, ih - 1))) taken.push([cx - 20, cy - 7, 40, 14]);
      }
    });
}

function drawMarks(view) {
  const outline = (at, color, width, fill) =>
    eachPiece(at, view, (x, y, w, h) => {
      context.fillStyle = fill;
      context.fillRect(x, y, Math.max(w, 2), Math.max(h, 2));
      context.strokeStyle = color;
      context.lineWidth = width;
      context.strokeRect(x + 1, y + 1, Math.max(w - 2, 1), Math.max(h - 2, 1));
    });
  if (state.finding >= 0) outline(data.findings[state.finding].at, "#c01c28", 2.5, "#c01c2822");
  if (state.kernel >= 0) for (const c of data.classes) if (c.kernel === state.kernel) outline(c.at, "#1a5fb4", 1.5, "#0000");
  if (state.tile) outline([{ x: state.tile[0], y: state.tile[1], w: 1, h: 1, dx: 1, dy: 1 }], "#111", 3, "#0000");
}

function drawCoordinates(w, h) {
  context.fillStyle = "#fff";
  context.fillRect(0, h - MARGIN.bottom, w, MARGIN.bottom);
  context.fillRect(0, 0, MARGIN.left, h);
  context.fillStyle = "#414b59";
  context.font = '11px system-ui, "DejaVu Sans", sans-serif';
  const marks = (axis, place, text, gapText) => {
    const step = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000].find((s) => s * state.scale >= 34) ?? 5000;
    let last = -1e9;
    for (const r of axis.runs)
      for (let i = 0; i < r.count; i++) {
        const x = r.first + i;
        if (x % step && i !== 0 && i !== r.count - 1) continue;
        const at = place(r.at + i + 0.5);
        if (Math.abs(at - last) < 26) continue;
        last = at;
        text(at, String(x));
      }
    for (const g of axis.gaps) if (GAP * state.scale > 20) gapText(place(g.at + GAP / 2), `+${g.count}`);
  };
  context.textBaseline = "middle";
  context.textAlign = "center";
  const below = (color) => (at, t) => {
    context.fillStyle = color;
    if (at > MARGIN.left && at < w) context.fillText(t, at, Math.min(h - MARGIN.bottom, py(0, 0)) + 13);
  };
  const beside = (color) => (at, t) => {
    context.fillStyle = color;
    context.textAlign = "right";
    if (at > 0 && at < h - MARGIN.bottom) context.fillText(t, Math.max(MARGIN.left, px(0)) - 7, at);
  };
  marks(across, (p) => px(p), below("#1c2330"), below("#98a1ae"));
  marks(along, (p) => py(p, 0), beside("#1c2330"), beside("#98a1ae"));
}

// -- panel ----------------------------------------------------------------------------------------------------------

const escape = (text) => String(text).replace(/[&<>"]/g, (c) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" })[c]);
const link = (p) => (p ? `<a class="place" href="#${p.at}">${escape(p.label)}</a>` : "");
const swatch = (fill) => `<i class="swatch" style="background:${fill}"></i>`;

function glyph(rule, number) {
  const pen = new SvgPen(120);
  pen.parts.push('<rect x="40" y="40" width="40" height="40" rx="3" fill="#e4e8ee" stroke="#8d97a6"/>');
  for (const s of strokes(rule, number, lanes, places([rule])[0])) drawStroke(pen, s);
  return pen.svg();
}

function showTile() {
  const panel = byId("tile");
  if (!state.tile) return;
  const [x, y] = state.tile;
  const c = classAt(x, y);
  const names = data.labels.filter((l) => inside(l.at, x, y)).map((l) => l.name);
  let html = `<h2>Tile (${x}, ${y})${names.length ? ` <span class="dim">in ${escape(names.join(", "))}</span>` : ""}</h2>`;
  if (!c) html += '<p class="dim">Nothing is set here.</p>';
  else {
    const k = c.kernel >= 0 ? data.kernels[c.kernel] : null;
    if (k) {
      html += `<p>${swatch(kernelFill(c.kernel))}<b>${escape(k.region || k.name)}</b> ${k.region ? `runs ${escape(k.name)}` : ""} <code>${escape(k.params)}</code> ${link(k.place)}</p>`;
      html += `<p class="dim">${k.words} words of memory${k.routes ? "; sets routes at run time" : ""}</p>`;
      html += "<h3>Queues</h3>";
      if (k.queues.length) {
        html += "<table><thead><tr><th>queue</th><th>socket</th><th>elements</th><th>color</th><th></th></tr></thead><tbody>";
        for (const q of k.queues) {
          const color = data.colors[q.color];
          html += `<tr class="queue"><td>${q.dir === "in" ? "input" : "output"} ${q.queue}</td><td>${escape(q.socket)}</td><td>${escape(q.elem)}</td><td>${swatch(ink(color.number))}${escape(color.name)} (${color.number})</td><td>${link(q.place)}</td></tr>`;
        }
        html += "</tbody></table>";
      } else html += '<p class="dim">None.</p>';
    } else html += '<p class="dim">No code: its router only passes on.</p>';
    for (const b of c.banks) {
      const held = data.colors.filter((color) => color.bank === b).map((color) => color.number);
      html += `<p>Message passing by bank ${b}, colors ${held.join(", ")}</p>`;
    }
    const rules = data.rulesets[c.rules].map(([color, rule]) => [data.colors[color], data.rules[rule]]);
    rules.sort((a, b) => a[0].number - b[0].number);
    html += `<h3>Rules</h3>${rules.length ? "" : '<p class="dim">None.</p>'}`;
    for (const [color, rule] of rules)
      html += `<div class="rule">${glyph(rule, color.number)}<div>${swatch(ink(color.number))}<b>${escape(color.name)}</b> (${color.number})<br><code>${escape(rule.text)}</code><br>${link(rule.place)}</div></div>`;
    const found = data.findings.flatMap((f, i) => (inside(f.at, x, y) ? [`${f.severity} ${f.code}`] : []));
    if (found.length) html += `<h3>Findings here</h3><p>${found.join(", ")}</p>`;
  }
  panel.innerHTML = html;
  panel.dataset.at = `${x},${y}`;
}

function legend() {
  const item = (s, text) => {
    const pen = new SvgPen(60);
    drawStroke(pen, { switches: false, end: "arrow", active: true, from: 0, to: 0, points: curve([0, 0.5], [1, 0], [1, 0.5], [1, 0]), ...s });
    return `<span><svg width="42" height="16" viewBox="-2 18 64 24">${pen.parts.join("")}</svg>${text}</span>`;
  };
  const parts = [item({}, "a route in its direction")];
  const rules = data.rules;
  if (rules.some((r) => r.swap)) parts.push(item({ from: 1 }, "a swap: reads its partner"));
  if (rules.some((r) => r.positions.length > 1)) parts.push(item({ active: false }, "a switch position not active at the start (with its number)"));
  if (rules.some((r) => r.positions.some(([i, o]) => i && !o))) parts.push(item({ end: "bar" }, "taken and discarded"));
  if (rules.some((r) => r.positions.some(([i]) => !i))) parts.push(item({ open: true, points: curve([0.2, 0.5], [1, 0], [1, 0.5], [1, 0]) }, "input left open"));
  if (rules.some((r) => r.adder)) parts.push(item({ adder: 1 }, "adds the core's operand"));
  byId("legend").innerHTML = parts.join("") + "<span>the box in the middle: the core</span>";
}

// -- events and state -----------------------------------------------------------------------------------------------

function remember() {
  const words = [];
  if (state.tile) words.push(`tile=${state.tile}`);
  if (state.color >= 0) words.push(`color=${state.color}`);
  if (state.kernel >= 0) words.push(`kernel=${state.kernel}`);
  if (state.finding >= 0) words.push(`finding=${state.finding}`);
  if (state.view !== (folds ? "folded" : "whole")) words.push(`view=${state.view}`);
  history.replaceState(null, "", `#${words.join("&")}`);
}

function show() {
  byId("color").value = state.color >= 0 ? state.color : "";
  document.querySelectorAll("[data-finding]").forEach((e) => e.classList.toggle("on", Number(e.dataset.finding) === state.finding));
  document.querySelectorAll("[data-kernel]").forEach((e) => e.classList.toggle("on", Number(e.dataset.kernel) === state.kernel));
  showTile();
  draw();
}

function change(words) {
  Object.assign(state, words);
  remember();
  show();
}

// Brings a tile of a set into view, in the whole fabric when the folded one leaves them all out.
function reveal(at) {
  const seen = at.flatMap((r) => [[r.x, r.y], [r.x + (r.w - 1) * r.dx, r.y + (r.h - 1) * r.dy]]).find(([x, y]) => across.at(x) >= 0 && along.at(y) >= 0);
  if (!seen && at.length) {
    useView("whole");
    fit();
  }
}

function fromAddress() {
  const words = new Map(location.hash.slice(1).split("&").map((w) => w.split("=")));
  const index = (name, list) => {
    const n = Number.parseInt(words.get(name) ?? "", 10);
    return n >= 0 && n < list.length ? n : -1;
  };
  state.color = index("color", data.colors);
  state.finding = index("finding", data.findings);
  state.kernel = index("kernel", data.kernels);
  const [x, y] = (words.get("tile") ?? "").split(",").map((w) => Number.parseInt(w, 10));
  state.tile = x >= 0 && x < data.width && y >= 0 && y < data.height ? [x, y] : null;
  useView(["whole", "folded"].includes(words.get("view")) ? words.get("view") : folds ? "folded" : "whole");
  fit();
  const scale = Number.parseFloat(words.get("scale"));
  if (scale > 0) {
    state.scale = Math.min(400, scale);
    state.fitted = false;
    centre(...(state.tile ?? [Math.floor(data.width / 2), Math.floor(data.height / 2)]));
  }
}

function tileAt(event) {
  const box = canvas.getBoundingClientRect();
  const x = across.column((event.clientX - box.left - state.x) / state.scale);
  const y = along.column(along.length - (event.clientY - box.top - state.y) / state.scale);
  return x >= 0 && y >= 0 ? [x, y] : null;
}

let drag = null;
canvas.addEventListener("pointerdown", (e) => {
  drag = { x: e.clientX, y: e.clientY, far: false };
  canvas.setPointerCapture(e.pointerId);
});
canvas.addEventListener("pointermove", (e) => {
  if (drag) {
    const [dx, dy] = [e.clientX - drag.x, e.clientY - drag.y];
    if (!drag.far && Math.hypot(dx, dy) < 4) return;
    Object.assign(drag, { x: e.clientX, y: e.clientY, far: true });
    state.x += dx;
    state.y += dy;
    state.fitted = false;
    draw();
    return;
  }
  const at = tileAt(e);
  const c = at && classAt(...at);
  byId("pointer").textContent = at ? `(${at[0]}, ${at[1]}) ${c ? title(c.kernel) : ""}` : "";
});
canvas.addEventListener("pointerup", (e) => {
  const clicked = drag && !drag.far;
  drag = null;
  if (clicked) change({ tile: tileAt(e) ?? state.tile });
});
canvas.addEventListener("wheel", (e) => {
  e.preventDefault();
  const box = canvas.getBoundingClientRect();
  zoom(Math.exp(-e.deltaY * 0.0015), e.clientX - box.left, e.clientY - box.top);
}, { passive: false });
const middle = () => [canvas.clientWidth / 2, canvas.clientHeight / 2];
byId("in").onclick = () => zoom(1.5, ...middle());
byId("out").onclick = () => zoom(1 / 1.5, ...middle());
byId("fit").onclick = () => { fit(); draw(); };
for (const view of ["folded", "whole"]) byId(view).onclick = () => { useView(view); fit(); change({}); };
byId("folded").hidden = byId("whole").hidden = !folds;
byId("color").onchange = (e) => change({ color: e.target.value === "" ? -1 : Number(e.target.value) });
data.colors.forEach((c, i) => {
  if (c.number < 0) return;
  byId("color").append(new Option(`${c.name} (${c.number})`, i));
});
document.querySelectorAll("[data-kernel]").forEach((e) => {
  const k = Number(e.dataset.kernel);
  e.querySelector(".swatch").style.background = kernelFill(k);
  e.onclick = (event) => { if (event.target.tagName !== "A") change({ kernel: state.kernel === k ? -1 : k }); };
});
document.querySelectorAll("[data-number]").forEach((e) => { e.querySelector(".swatch").style.background = ink(Number(e.dataset.number)); });
document.querySelectorAll("[data-color] .show").forEach((e) => {
  const color = Number(e.closest("[data-color]").dataset.color);
  e.hidden = false;
  e.onclick = (event) => { event.preventDefault(); change({ color: state.color === color ? -1 : color }); };
});
document.querySelectorAll("[data-finding] .show").forEach((e) => {
  const finding = Number(e.closest("[data-finding]").dataset.finding);
  const at = data.findings[finding].at;
  e.hidden = !at.length;
  e.onclick = () => { reveal(at); change({ finding: state.finding === finding ? -1 : finding }); };
});
window.addEventListener("resize", () => { if (state.fitted) fit(); draw(); });
window.addEventListener("hashchange", () => { if (location.hash.includes("=")) { fromAddress(); show(); } });
legend();
fromAddress();
show();
drawNow();
