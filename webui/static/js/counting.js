// At the end of a game: what is left on each rack.
import { html } from "./svg.js";
import { row } from "./tiles.js";

export function showCounting(box, counting, game) {
  box.hidden = !counting;
  if (!counting) return;
  const lines = counting.racks.map((rack) => rackLine(rack, counting.seen, game));
  const hint = counting.seen && counting.seen.tiles.length
    ? html("p", {}, "Before the camera, besides the table:", row(counting.seen.tiles))
    : html("p", {}, "Lay a rack's tiles before the camera, or type its points.");
  box.replaceChildren(html("h3", {}, "What is left on the racks?"), hint, ...lines);
}

function rackLine(rack, seen, game) {
  if (rack.value !== null) {
    return html("div", { class: "line" }, html("span", { class: "name" }, rack.name), `${rack.value} points ✓`);
  }
  const field = html("input", { type: "number", min: 0, max: 999, inputmode: "numeric", "aria-label": `Points on ${rack.name}'s rack` });
  const enter = html("button", { type: "button", class: "small" }, "Enter");
  enter.addEventListener("click", () => field.value !== "" && game.press("count", { player: rack.name, rack: Number(field.value) }));
  const line = html("div", { class: "line" }, html("span", { class: "name" }, rack.name), `${rack.tiles} tiles`, field, enter);
  if (seen && seen.value !== null && !seen.doubts && seen.tiles.length === rack.tiles) {
    const take = html("button", { type: "button", class: "small" }, `These: ${seen.value} points`);
    take.addEventListener("click", () => game.press("count", { player: rack.name, rack: seen.tiles }));
    line.append(take);
  }
  return line;
}
