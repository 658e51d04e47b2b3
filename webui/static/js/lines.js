// One set or two? The answers as buttons, the tiles drawn with the cut; what was said can be taken back.
import { html } from "./svg.js";
import { tileFace, tileName } from "./tiles.js";
import { say, t } from "./words.js";

export const lineOf = (table, ids) => table.lines.find((line) => !line.said && line.ids.join() === ids.join());

// The tiles of each part, and a bar between two parts.
function parted(parts, byId) {
  const drawn = parts.map((ids) => html("span", { class: "part" }, ...ids.map((id) => tileFace(byId.get(id).tile, false))));
  return html("span", { class: "parts", dir: "ltr", "aria-hidden": "true" }, ...drawn);
}

// The last answer says that they are the sets that they look like, which needs no drawing.
export function answers(table, line, onAnswer) {
  const byId = new Map(table.reading.tiles.map((tile) => [tile.id, tile]));
  return html("div", { class: "choices acts lines" }, ...line.answers.map((parts, index) => {
    const called = t("lines.as", { count: parts.length });
    const named = parts.map((ids) => ids.map((id) => tileName(byId.get(id).tile)).join(", ")).join("; ");
    const as = index === line.answers.length - 1;
    const button = html("button", { type: "button", class: "parting", "aria-label": as ? called : `${called}: ${named}` }, called);
    if (!as) button.append(parted(parts, byId));
    button.addEventListener("click", () => onAnswer(table, line.ids, parts));
    return button;
  }));
}

// The question inside the page, that the referee's word waits for.
export function askLine(element, table, line, onAnswer) {
  element.replaceChildren(html("h2", {}, say(line.asks)), answers(table, line, onAnswer));
}

// What was said of a line, with a button that takes it back.
export function whatWasSaid(table, line, onAnswer) {
  const change = html("button", { type: "button", class: "small acts" }, t("lines.change"));
  change.addEventListener("click", () => onAnswer(table, line.ids, null));
  return html("p", { class: "why line-said" }, t("lines.said", { count: line.said.length }), " ", change);
}
