// The way back to the snapshot, step by step.
import { html } from "./svg.js";
import { row } from "./tiles.js";

export function showRestore(box, way) {
  box.hidden = !way;
  if (!way) return;
  const parts = [html("h3", {}, way.restored ? "The table is as it was ✓" : "Put the table back")];
  if (!way.read) parts.push(html("p", {}, "Waiting until the table lies still …"));
  if (way.to_rack.length) parts.push(html("p", {}, "Back to the rack:"), row(way.to_rack));
  if (way.steps.length) {
    parts.push(html("ol", {}, ...way.steps.map((step) => html("li", {}, stepText(step), row([step.tile])))));
  }
  if (way.missing.length) parts.push(html("p", {}, "Missing on the table:"), row(way.missing));
  box.replaceChildren(...parts);
}

// Sets are called by the numbers that they have on the picture now.
const stepText = (step) => (step.onto === null ? "To a place of its own:" : `To set ${step.onto + 1}:`);
