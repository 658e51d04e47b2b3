// Naming a tile: the likely ones first, then all of them. Also the question that the referee's word waits for.
import { html } from "./svg.js";
import { tileFace, tileName } from "./tiles.js";

const ALL = [...["k", "b", "r", "o"].flatMap((c) => [...Array(13).keys()].map((n) => `${c}${n + 1}`)), "j"];

export function choice(tile, onPick) {
  const button = html("button", { type: "button", class: "choice", "aria-label": `It is ${tileName(tile)}` }, tileFace(tile, false));
  button.addEventListener("click", () => onPick(tile));
  return button;
}

// The tile as the picture shows it, upright as its owner reads it.
export function crop(canvas, image, reading, tile) {
  const context = canvas.getContext("2d");
  context.setTransform(1, 0, 0, 1, 0, 0);
  context.clearRect(0, 0, canvas.width, canvas.height);
  if (!image.naturalWidth) return;
  const scale = image.naturalWidth / reading.image.width;
  const [a, b, c, d] = tile.quad.map((point) => point.map((v) => v * scale));
  const middle = [0, 1].map((k) => (a[k] + b[k] + c[k] + d[k]) / 4);
  const high = Math.hypot(d[0] - a[0], d[1] - a[1]) || 1;
  context.translate(canvas.width / 2, canvas.height / 2);
  context.rotate(-Math.atan2(b[1] - a[1], b[0] - a[0]));
  context.scale(canvas.height * 0.72 / high, canvas.height * 0.72 / high);
  context.translate(-middle[0], -middle[1]);
  context.drawImage(image, 0, 0);
}

export class Picker {
  constructor(at, answer) {
    this.dialog = at("pick");
    this.canvas = at("pick-crop");
    this.likely = at("pick-likely");
    this.all = at("pick-all");
    this.answer = answer;
    at("pick-cancel").addEventListener("click", () => this.dialog.close());
    at("pick-none").addEventListener("click", () => this.pick(null));
    this.all.append(...ALL.filter((tile) => tile !== "j").map((tile) => choice(tile, (picked) => this.pick(picked))));
  }

  open(table, tile, image) {
    this.table = table;
    this.tile = tile;
    crop(this.canvas, image, table.reading, tile);
    const likely = [...new Set([...likelyTiles(tile), "j"])];
    this.likely.replaceChildren(...likely.map((t) => choice(t, (picked) => this.pick(picked))));
    if (!this.dialog.open) this.dialog.showModal();
  }

  pick(picked) {
    this.dialog.close();
    this.answer(this.table, this.tile, picked);
  }
}

export function likelyTiles(tile) {
  const named = [tile.tile, ...tile.alternatives.map((other) => other.tile)];
  return [...new Set(named)].filter((t) => ALL.includes(t)).slice(0, 4);
}

// The question inside the page: which tile is this? Opens nothing, so the game can be watched meanwhile.
export function ask(element, question, table, tile, image, answer, more) {
  const canvas = html("canvas", { width: 200, height: 200, role: "img", "aria-label": "The tile in the picture" });
  crop(canvas, image, table.reading, tile);
  const other = html("button", { type: "button", class: "small" }, "Another tile …");
  other.addEventListener("click", more);
  const none = html("button", { type: "button", class: "small" }, "No tile there");
  none.addEventListener("click", () => answer(table, tile, null));
  const choices = html("div", { class: "choices" },
    ...question.choices.map((t) => choice(t, (picked) => answer(table, tile, picked))), other, none);
  element.replaceChildren(html("h3", {}, question.text), html("div", { class: "question" }, canvas, choices));
}
