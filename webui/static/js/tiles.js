// Tile faces, and the signs that stand beside every colour: ink by a shape, verdict by a mark.
import { html, svg } from "./svg.js";
import { t, tileName } from "./words.js";

export { tileName };

const SHAPES = {
  k: ["circle", { cx: 24, cy: 51, r: 6.5 }],
  b: ["path", { d: "M24 43 32 51 24 59 16 51z" }],
  r: ["path", { d: "M24 43.5 32 57.5 16 57.5z" }],
  o: ["rect", { x: 17.5, y: 44.5, width: 13, height: 13 }],
};

export const ink = (tile) => (tile[0] in SHAPES ? `ink-${tile[0]}` : "ink-q");
export const number = (tile) => (tile === "j" ? "☺" : tile.slice(1) || "?");

export function tileFace(tile, unsure) {
  const name = unsure ? t("tile.unsure", { tile: tileName(tile) }) : tileName(tile);
  const face = svg("svg", { class: "tile", viewBox: "0 0 48 66", role: "img", "aria-label": name });
  face.append(svg("rect", { class: unsure ? "face unsure" : "face", x: 2, y: 2, width: 44, height: 62, rx: 7 }));
  if (tile === "j") {
    const smile = svg("g", { class: "line", color: "#1d1d1f" });
    smile.append(
      svg("circle", { cx: 24, cy: 31, r: 14 }),
      svg("path", { d: "M17 34q7 8 14 0" }),
      svg("path", { d: "M19 26v1M29 26v1" }),
    );
    face.append(smile);
    return face;
  }
  const wide = number(tile).length > 1 ? " wide" : "";
  face.append(svg("text", { class: `number${wide} ${ink(tile)}`, x: 24, y: 34 }, number(tile)));
  if (tile[0] in SHAPES) {
    const [shape, at] = SHAPES[tile[0]];
    face.append(svg(shape, { ...at, class: ink(tile) }));
  }
  return face;
}

export const row = (tiles) => html("div", { class: "choices" }, ...tiles.map((tile) => tileFace(tile, false)));

const SIGNS = {
  right: "M9 16.5 14 21.5 23 11",
  wrong: "M11 11 21 21M21 11 11 21",
  unsure: "M12 12.5a4 4 0 1 1 5.6 3.7q-1.6.8-1.6 2.6M16 22.6v.2",
};

export function mark(state, className = "") {
  const drawing = svg("svg", { viewBox: "0 0 32 32", class: className });
  drawing.append(svg("circle", { class: `disc-${state in SIGNS ? state : "waiting"}`, cx: 16, cy: 16, r: 15 }));
  if (state in SIGNS) drawing.append(svg("path", { class: "sign", d: SIGNS[state] }));
  else if (state === "busy") drawing.append(svg("path", { class: "sign spin", d: "M16 8a8 8 0 1 1-8 8" }));
  else if (state === "hand") drawing.append(svg("path", { class: "sign", d: "M12 10v12M20 10v12" }));
  else drawing.append(svg("path", { class: "sign", d: "M10 16h.1M16 16h.1M22 16h.1" }));
  return drawing;
}

export const signPath = (state) => SIGNS[state];
