// Naming a tile: the likely ones first, then all of them. Also the question that the referee's word waits for.
import { html } from "./svg.js";
import { tileFace, tileName } from "./tiles.js";
import { t } from "./words.js";

export const ALL = [...["k", "b", "r", "o"].flatMap((c) => [...Array(13).keys()].map((n) => `${c}${n + 1}`)), "j"];
const SHARE = 0.72;

export function choice(tile, onPick) {
  const button = html("button", { type: "button", class: "choice", "aria-label": t("pick.it-is", { tile: tileName(tile) }) }, tileFace(tile, false));
  button.addEventListener("click", () => onPick(tile));
  return button;
}

// The tile as the picture shows it, upright as its owner reads it.
export function crop(canvas, image, reading, quad) {
  const context = canvas.getContext("2d");
  context.setTransform(1, 0, 0, 1, 0, 0);
  context.clearRect(0, 0, canvas.width, canvas.height);
  if (!image.naturalWidth) return;
  const scale = image.naturalWidth / reading.image.width;
  const [a, b, c, d] = quad.map((point) => point.map((v) => v * scale));
  const middle = [0, 1].map((k) => (a[k] + b[k] + c[k] + d[k]) / 4);
  const high = Math.hypot(d[0] - a[0], d[1] - a[1]) || 1;
  context.translate(canvas.width / 2, canvas.height / 2);
  context.rotate(-Math.atan2(b[1] - a[1], b[0] - a[0]));
  context.scale(canvas.height * SHARE / high, canvas.height * SHARE / high);
  context.translate(-middle[0], -middle[1]);
  context.drawImage(image, 0, 0);
}

export class Picker {
  constructor(at) {
    this.dialog = at("pick");
    this.title = at("pick-title");
    this.canvas = at("pick-crop");
    this.likely = at("pick-likely");
    this.none = at("pick-none");
    this.all = at("pick-all");
    at("pick-cancel").addEventListener("click", () => this.dialog.close());
    this.none.addEventListener("click", () => this.pick(null));
    this.all.append(...ALL.filter((tile) => tile !== "j").map((tile) => choice(tile, (picked) => this.pick(picked))));
  }

  // Which tile is it? `quad` is where the picture shows it, if it does; with `none` nothing may lie there.
  open({ title, likely = [], none = false, image = null, reading = null, quad = null }, onPick) {
    this.onPick = onPick;
    this.title.textContent = title;
    this.none.hidden = !none;
    this.canvas.hidden = !quad;
    if (quad) crop(this.canvas, image, reading, quad);
    this.likely.replaceChildren(...[...new Set([...likely, "j"])].map((tile) => choice(tile, (picked) => this.pick(picked))));
    if (!this.dialog.open) this.dialog.showModal();
  }

  pick(picked) {
    this.dialog.close();
    this.onPick(picked);
  }
}

export function likelyTiles(tile) {
  const named = [tile.tile, ...tile.alternatives.map((other) => other.tile)];
  return [...new Set(named)].filter((name) => ALL.includes(name)).slice(0, 4);
}

// The question inside the page: which tile is this? Opens nothing, so the game can be watched meanwhile.
export function ask(element, question, table, tile, image, answer, more) {
  const canvas = html("canvas", { width: 200, height: 200, role: "img", "aria-label": t("pick.crop") });
  crop(canvas, image, table.reading, tile.quad);
  const other = html("button", { type: "button", class: "small" }, t("pick.another"));
  other.addEventListener("click", more);
  const none = html("button", { type: "button", class: "small" }, t("pick.none"));
  none.addEventListener("click", () => answer(table, tile, null));
  const choices = html("div", { class: "choices acts" },
    ...question.choices.map((name) => choice(name, (picked) => answer(table, tile, picked))), other, none);
  const asked = question.missing ? t("pick.still", { tile: tileName(tile.tile) }) : t("pick.which");
  element.replaceChildren(html("h2", {}, asked), html("div", { class: "question" }, canvas, choices));
}
