// The clean drawn layout: the sets in the order in which they lie on the picture, each with its verdict.
import { answers, whatWasSaid } from "./lines.js";
import { html } from "./svg.js";
import { mark, tileFace } from "./tiles.js";
import { say, t } from "./words.js";

const LEVEL = 0.6;

export class DrawnLayout {
  constructor(at, overlay, { onTile, onAdd, onLine }) {
    this.at = at;
    this.overlay = overlay;
    this.onTile = onTile;
    this.onAdd = onAdd;
    this.onLine = onLine;
    this.drawn = "";
  }

  show(table, may) {
    const key = JSON.stringify([table.verdicts, table.warnings, table.lines, may]);
    if (key === this.drawn) return;
    this.drawn = key;
    const focused = document.activeElement?.closest("#list [data-id]")?.dataset.id;
    const byId = new Map(table.reading.tiles.map((tile) => [tile.id, tile]));
    const order = inPlace(table.verdicts.map((verdict) => verdict.ids.map((id) => byId.get(id).quad)));
    this.at("list").replaceChildren(...order.map((index) => this.set(table, table.verdicts[index], index, byId, may)));
    this.at("warnings").replaceChildren(...table.warnings.map((warning) => html("li", {}, say(warning))));
    this.at("warnings").hidden = table.warnings.length === 0;
    this.at("none").hidden = table.verdicts.length > 0;
    this.at("none").textContent = t("sets.none");
    this.at("add-hint").hidden = !may || table.verdicts.length === 0;
    if (focused) this.at("list").querySelector(`[data-id="${focused}"]`)?.focus();
  }

  set(table, verdict, index, byId, may) {
    const tiles = html("div", { class: "tiles", dir: "ltr" });
    for (const id of verdict.ids) tiles.append(this.tile(table, byId.get(id), may));
    if (may && verdict.state !== "right") tiles.append(this.plus(verdict, index, byId));
    const badge = mark(verdict.state, "badge");
    badge.setAttribute("role", "img");
    badge.setAttribute("aria-label", t(`sets.is-${verdict.state}`, { number: index + 1 }));
    const title = html("p", { class: "what" }, badge, html("b", { "aria-hidden": "true" }, String(index + 1)), say(verdict.says.title));
    if (verdict.state === "right") title.append(" ", html("span", { class: "value" }, t("sets.worth", { points: verdict.value })));
    const item = html("li", { class: "set", "data-state": verdict.state }, title, tiles);
    if (verdict.says.text) item.append(html("p", { class: "why" }, say(verdict.says.text)));
    for (const line of table.lines.filter(({ ids }) => verdict.ids.includes(ids[0]))) {
      item.append((line.said ? whatWasSaid : answers)(table, line, this.onLine));
      item.lastChild.dataset.id = line.ids[0]; // who answers by keyboard goes on at the line's first tile
    }
    item.addEventListener("pointerenter", () => this.overlay.pick(index));
    item.addEventListener("pointerleave", () => this.overlay.pick(null));
    return item;
  }

  tile(table, tile, may) {
    const face = tileFace(tile.tile, tile.unsure);
    if (!may) return face;
    const button = html("button", {
      type: "button", class: "choice", "data-id": tile.id,
      "aria-label": t("sets.correct", { tile: face.getAttribute("aria-label") }),
    }, face);
    button.addEventListener("click", () => this.onTile(table, tile));
    return button;
  }

  // One more tile at the end of a row: where it would lie.
  plus(verdict, index, byId) {
    const button = html("button", { type: "button", class: "plus", "aria-label": t("sets.add", { number: index + 1 }) }, "+");
    button.addEventListener("click", () => this.onAdd(behind(verdict.ids.map((id) => byId.get(id).quad))));
    return button;
  }
}

const middle = (quad) => [0, 1].map((k) => quad.reduce((sum, point) => sum + point[k], 0) / 4);

// From the top down, and what lies about level from left to right, as one reads the table.
function inPlace(rows) {
  const places = rows.map((quads) => {
    const [xs, ys] = [0, 1].map((k) => quads.flat().map((point) => point[k]));
    return { x: Math.min(...xs), y: (Math.min(...ys) + Math.max(...ys)) / 2, high: Math.max(...ys) - Math.min(...ys) };
  });
  const order = places.map((_, index) => index).sort((a, b) => places[a].y - places[b].y);
  const lines = [];
  for (const index of order) {
    const line = lines[lines.length - 1];
    if (line && places[index].y - places[line[0]].y < LEVEL * Math.min(places[line[0]].high, places[index].high)) line.push(index);
    else lines.push([index]);
  }
  return lines.flatMap((line) => line.sort((a, b) => places[a].x - places[b].x));
}

function behind(quads) {
  const last = quads[quads.length - 1];
  const here = middle(last);
  const before = quads.length > 1 ? middle(quads[quads.length - 2]) : here.map((v, k) => v - (last[1][k] - last[0][k]));
  return here.map((v, k) => 2 * v - before[k]);
}

