// The way back to the snapshot: what to do now, large; the whole list, ticked off; the table as it was.
import { sure } from "./sure.js";
import { html, svg } from "./svg.js";
import { ink, number, row, tileFace, tileName } from "./tiles.js";
import { t } from "./words.js";

export function showRestore(box, way, game) {
  box.hidden = !way;
  box.setAttribute("aria-live", "off");
  box.classList.toggle("offer", Boolean(way?.offer));
  if (!way) return;
  if (way.offer) {
    box.replaceChildren(button(t("restore.show"), () => game.press("how-it-was", { show: true })));
    return;
  }
  const now = way.items.find((item) => item.now);
  box.replaceChildren(...[
    html("h3", {}, heading(way)),
    html("p", { class: "progress", role: "status" }, said(way), html("span", { class: "heard" }, now && way.read ? next(now) : "")),
    html("div", { class: "way-back" }, ...[
      now && way.read ? present(now) : null,
      way.items.length ? list(way) : null,
      way.snapshot ? picture(way, now) : null,
    ].filter(Boolean)),
    way.missing.length ? lost(way) : null,
    way.penalty ? penalty(way) : null,
    way.penalty ? hopeless(way, game) : button(t("restore.hide"), () => game.press("how-it-was", { show: false })),
  ].filter(Boolean));
}

function heading(way) {
  if (way.restored) return t("restore.done");
  return way.penalty ? t("restore.title") : t("restore.asked");
}

function said(way) {
  if (!way.read) return t("restore.waiting");
  const counted = way.items.length ? t("restore.progress", { done: way.items.filter((i) => i.done).length, all: way.items.length }) : "";
  const doubt = way.doubts.length ? t("restore.doubts", { count: way.doubts.length }) : "";
  return [counted, doubt, way.still ? "" : t("restore.waiting")].filter(Boolean).join(" · ");
}

// What is shown large, for those who hear the page.
const next = (item) => ` ${t("restore.next", { tile: tileName(item.tile), where: where(item) })}`;

// Sets are called by the numbers that they have on the picture now.
function where(item) {
  if (item.kind === "rack") return t("restore.to-rack");
  return item.onto === null ? t("restore.to-new") : t("restore.to-set", { number: item.onto + 1 });
}

function present(item) {
  const lines = [html("p", { class: "where" }, where(item))];
  if (item.kind === "move") {
    const faces = item.row.map((tile, index) => {
      const face = tileFace(tile, false);
      face.classList.toggle("gap", index === item.index);
      return face;
    });
    lines.push(html("div", { class: "aim" }, ...faces));
    if (!item.lies) lines.push(html("p", { class: "hint" }, t("restore.not-seen")));
  }
  const arrow = svg("svg", { viewBox: "0 0 40 24", class: "arrow", "aria-hidden": "true" }, svg("path", { d: "M2 12h30M24 4l10 8-10 8" }));
  return html("div", { class: "present" }, tileFace(item.tile, false), arrow, html("div", {}, ...lines));
}

function list(way) {
  return html("ol", { class: "todo" }, ...way.items.map((item) => {
    const state = item.done ? "done" : item.now ? "now" : "";
    const line = html("li", { class: state }, tileFace(item.tile, false), html("span", {}, item.done ? t(item.kind === "rack" ? "restore.taken" : "restore.laid") : where(item)));
    line.prepend(html("span", { class: "tick", role: "img", "aria-label": t(item.done ? "restore.ticked" : "restore.open") }, item.done ? "✓" : ""));
    if (item.now) line.setAttribute("aria-current", "step");
    return line;
  }));
}

let shown = { name: "" };

// Made once a turn: it must not flicker when a step is done.
function picture({ snapshot }, now) {
  if (shown.name !== snapshot.name) {
    const image = html("img", { src: `/snapshot/${snapshot.turn}.jpg?v=${snapshot.name}`, alt: t("restore.picture") });
    const marks = svg("svg", { "aria-hidden": "true", viewBox: `0 0 ${snapshot.width} ${snapshot.height}` });
    const caption = html("figcaption", {}, t("restore.picture"));
    shown = { name: snapshot.name, marks, figure: html("figure", { class: "was" }, html("div", { class: "stack" }, image, marks), caption) };
  }
  shown.marks.replaceChildren(...(now?.was ? [svg("polygon", { class: "ghost", points: points(now.was) })] : []));
  return shown.figure;
}

function lost(way) {
  return html("div", { class: "lost", role: "alert" }, html("p", {}, t("restore.missing", { count: way.missing.length })), row(way.missing));
}

// One back of a tile for each that is drawn, so that nobody has to count.
function penalty({ penalty: { owed, asked, pool }, player }) {
  const why = owed < asked ? ` ${t("restore.pool", { count: pool })}` : "";
  const backs = Array.from({ length: owed }, () => html("span", { class: "back", "aria-hidden": "true" }));
  return html("p", { class: "owed" }, t("restore.penalty", { name: player, count: owed }) + why, html("span", { class: "backs" }, ...backs));
}

function hopeless(way, game) {
  const end = button(t("restore.abandon"), async () => {
    if (await sure(t("restore.abandon-sure"), t("restore.abandon"))) game.press("abandon");
  });
  const box = html("details", { class: "hopeless" }, html("summary", {}, t("restore.hopeless")), html("p", {}, t("restore.house")), end);
  box.open = way.missing.length > 0;
  return box;
}

function button(label, act) {
  const element = html("button", { type: "button", class: "small acts" }, label);
  element.addEventListener("click", act);
  return element;
}

const points = (quad) => quad.map(([x, y]) => `${x},${y}`).join(" ");
const middle = (quad) => [0, 1].map((k) => quad.reduce((sum, p) => sum + p[k], 0) / 4);
const distance = ([x1, y1], [x2, y2]) => Math.hypot(x2 - x1, y2 - y1);

// The same, drawn over the live picture: what is to be done now plainly and on top, the rest faint.
export function drawGuide(way, pixel) {
  const layer = svg("g", { class: "guide" });
  const left = way.items.filter((item) => !item.done);
  left.sort((a, b) => a.now - b.now);
  layer.append(...left.map((item) => drawItem(item, pixel)));
  return layer;
}

function drawItem(item, pixel) {
  const step = svg("g", { class: item.now ? "step next" : "step" });
  const { lies, belongs } = item;
  if (item.kind === "rack") {
    if (lies) step.append(svg("polygon", { class: "to-rack", points: points(lies) }));
    return step;
  }
  if (belongs) step.append(svg("polygon", { class: lies ? "ghost" : "ghost missing", points: points(belongs) }));
  if (lies) step.append(svg("polygon", { class: "lifted", points: points(lies) }));
  if (lies && belongs) step.append(...arrow(middle(lies), middle(belongs), 12 * pixel));
  if (belongs) {
    const [x, y] = middle(belongs);
    const size = Math.max(12 * pixel, distance(belongs[0], belongs[1]) * 0.55);
    step.append(svg("text", { class: item.tile === "j" ? "ink-k" : ink(item.tile), x, y: y + size * 0.35, "font-size": size }, number(item.tile)));
  }
  return step;
}

function arrow(from, to, head) {
  const length = distance(from, to);
  if (length < head) return [];
  const [ux, uy] = [(to[0] - from[0]) / length, (to[1] - from[1]) / length];
  const base = [to[0] - ux * head, to[1] - uy * head];
  const wings = [[base[0] - uy * head / 2, base[1] + ux * head / 2], [base[0] + uy * head / 2, base[1] - ux * head / 2]];
  return [
    svg("line", { class: "way", x1: from[0], y1: from[1], x2: base[0], y2: base[1] }),
    svg("polygon", { class: "head", points: points([to, ...wings]) }),
  ];
}
