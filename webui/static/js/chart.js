// The score over the games as a picture. Players differ by dash, mark and label, not by colour alone.
import { svg } from "./svg.js";
import { t } from "./words.js";

const WIDE = 640;
const HIGH = 300;
const EDGE = { left: 52, right: 132, top: 18, bottom: 34 };
const DASHES = ["", "9 5", "2 5", "14 4 3 4", "5 3", "18 6"];
const MARKS = [
  (x, y) => svg("circle", { cx: x, cy: y, r: 5.5 }),
  (x, y) => svg("rect", { x: x - 5, y: y - 5, width: 10, height: 10 }),
  (x, y) => svg("path", { d: `M${x} ${y - 6.5} ${x + 6} ${y + 5} ${x - 6} ${y + 5}z` }),
  (x, y) => svg("path", { d: `M${x} ${y - 7} ${x + 7} ${y} ${x} ${y + 7} ${x - 7} ${y}z` }),
  (x, y) => svg("path", { class: "open", d: `M${x - 5} ${y - 5} ${x + 5} ${y + 5}M${x + 5} ${y - 5} ${x - 5} ${y + 5}` }),
  (x, y) => svg("path", { class: "open", d: `M${x} ${y - 7}V${y + 7}M${x - 7} ${y}H${x + 7}` }),
];

export function chart(players, rows) {
  const runs = players.map((_, k) => [0, ...rows.map((row) => row.running[k])]);
  const values = runs.flat();
  const [least, most, step] = scale(Math.min(...values), Math.max(...values));
  const x = (game) => EDGE.left + (game / Math.max(1, rows.length)) * (WIDE - EDGE.left - EDGE.right);
  const y = (value) => EDGE.top + ((most - value) / (most - least || 1)) * (HIGH - EDGE.top - EDGE.bottom);
  const drawing = svg("svg", { class: "chart", viewBox: `0 0 ${WIDE} ${HIGH}`, role: "img", "aria-label": t("sheet.chart") });
  for (let value = least; value <= most; value += step) {
    drawing.append(
      svg("line", { class: value === 0 ? "zero" : "grid", x1: EDGE.left, x2: WIDE - EDGE.right, y1: y(value), y2: y(value) }),
      svg("text", { class: "scale", x: EDGE.left - 8, y: y(value), "text-anchor": "end" }, value < 0 ? `−${-value}` : String(value)),
    );
  }
  const every = Math.ceil(rows.length / 12);
  rows.forEach((row, at) => {
    if ((at + 1) % every && at + 1 < rows.length) return;
    drawing.append(svg("text", { class: "scale", x: x(at + 1), y: HIGH - 12, "text-anchor": "middle" }, row.number === null ? "–" : String(row.number)));
  });
  const labels = apart(runs.map((run) => y(run[run.length - 1])), 19, EDGE.top, HIGH - EDGE.bottom + 10);
  players.forEach((player, k) => {
    const line = svg("g", { class: `line line-${k}` });
    const points = runs[k].map((value, game) => [x(game), y(value)]);
    line.append(svg("polyline", { points: points.map((point) => point.join(",")).join(" "), "stroke-dasharray": DASHES[k] }));
    for (const [px, py] of points.slice(1)) line.append(MARKS[k](px, py));
    line.append(MARKS[k](WIDE - EDGE.right + 16, labels[k]),
      svg("text", { x: WIDE - EDGE.right + 28, y: labels[k] }, short(player.name)));
    drawing.append(line);
  });
  return drawing;
}

// Round steps, at most six, with zero among them.
function scale(low, high) {
  const span = Math.max(10, high - low);
  const rough = span / 5;
  const unit = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((n) => n * unit).find((n) => n >= rough);
  return [Math.floor(Math.min(0, low) / step) * step, Math.ceil(Math.max(1, high) / step) * step, step];
}

// Labels keep their order and do not lie on each other.
function apart(wanted, gap, top, bottom) {
  const order = wanted.map((_, k) => k).sort((a, b) => wanted[a] - wanted[b]);
  const placed = [...wanted];
  order.forEach((k, at) => {
    if (at) placed[k] = Math.max(placed[k], placed[order[at - 1]] + gap);
  });
  const over = Math.max(0, placed[order[order.length - 1]] - bottom);
  order.reverse().forEach((k, at) => {
    placed[k] = Math.max(top, at ? Math.min(placed[k], placed[order[at - 1]] - gap) : placed[k] - over);
  });
  return placed;
}

const short = (name) => (name.length > 13 ? `${name.slice(0, 12)}…` : name);
