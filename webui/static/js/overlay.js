// What was read, drawn over the picture in the picture's own pixels, so it is crisp on any screen.
import { drawGuide } from "./restore.js";
import { svg } from "./svg.js";
import { ink, number, signPath } from "./tiles.js";

const points = (quad) => quad.map(([x, y]) => `${x},${y}`).join(" ");
const distance = ([x1, y1], [x2, y2]) => Math.hypot(x2 - x1, y2 - y1);

export class Overlay {
  constructor(element) {
    this.element = element;
    this.table = null;
    this.way = null;
    new ResizeObserver(() => this.draw()).observe(element);
  }

  // A tap on a tile, on a place where none was read, or on a mark where it is asked whether two sets meet.
  onTap(onTile, onPlace, onSeam) {
    this.element.addEventListener("click", (event) => {
      if (!this.table || this.element.parentElement.hasAttribute("data-hidden")) return;
      const { x, y } = new DOMPoint(event.clientX, event.clientY).matrixTransform(this.element.getScreenCTM().inverse());
      const { image, tiles } = this.table.reading;
      const tile = tiles.find(({ quad }) => inside(quad, x, y));
      if (event.target.closest(".seam")) onSeam();
      else if (tile) onTile(this.table, tile);
      else if (x >= 0 && y >= 0 && x < image.width && y < image.height) onPlace([Math.round(x), Math.round(y)]);
    });
  }

  show(table) {
    this.table = table;
    this.draw();
  }

  // The way back: each tile from where it lies to where it belongs, the next step plainest.
  guide(way) {
    this.way = way;
    this.draw();
  }

  pick(index) {
    this.element.classList.toggle("picking", index !== null);
    for (const group of this.element.querySelectorAll("g.set-drawn")) {
      group.classList.toggle("picked", Number(group.dataset.set) === index);
    }
  }

  draw() {
    this.element.replaceChildren();
    if (!this.table) return;
    const { image, tiles } = this.table.reading;
    this.element.setAttribute("viewBox", `0 0 ${image.width} ${image.height}`);
    const box = this.element.getBoundingClientRect();
    // Picture pixels in one pixel of the screen.
    const pixel = Math.max(image.width / (box.width || 1), image.height / (box.height || 1));
    const byId = new Map(tiles.map((tile) => [tile.id, tile]));
    const badges = [];
    this.placed = [];
    this.table.verdicts.forEach((verdict, index) => {
      const group = svg("g", { class: "set-drawn" });
      group.dataset.set = index;
      const around = points(verdict.outline);
      group.append(svg("polygon", { class: "under", points: around }));
      group.append(svg("polygon", { class: `around ${verdict.state}`, points: around }));
      for (const id of verdict.ids) group.append(...this.tile(byId.get(id), pixel));
      this.element.append(group);
      const badge = this.badge(verdict, index, verdict.ids.map((id) => byId.get(id)), tiles, pixel, image);
      badge.classList.add("set-drawn");
      badge.dataset.set = index;
      badges.push(badge);
    });
    this.element.append(...this.table.lines.filter(({ said }) => !said).flatMap((line) => seams(line, byId, pixel, image)), ...badges);
    if (this.way) this.element.append(drawGuide(this.way, pixel));
  }

  tile({ tile, quad, unsure }, pixel) {
    const drawn = [svg("polygon", { class: unsure ? "quad unsure" : "quad", points: points(quad) })];
    const width = Math.min(distance(quad[0], quad[1]), distance(quad[0], quad[3]));
    const size = Math.max(width * 0.36, Math.min(width * 0.62, 13 * pixel));
    const middle = [(quad[2][0] + quad[3][0]) / 2, (quad[2][1] + quad[3][1]) / 2];
    const text = number(tile) + (unsure && tile !== "?" ? "?" : "");
    const wide = size * (0.75 + 0.5 * text.length);
    drawn.push(
      svg("rect", {
        class: unsure ? "chip unsure" : "chip",
        x: middle[0] - wide / 2, y: middle[1] - size * 0.6, width: wide, height: size * 1.2, rx: size * 0.35,
      }),
      svg("text", { class: tile === "j" ? "ink-k" : ink(tile), x: middle[0], y: middle[1], "font-size": size }, text),
    );
    return drawn;
  }

  badge(verdict, index, own, all, pixel, image) {
    // On a small screen the badge shrinks, so that it does not hide the tiles it speaks of.
    const scale = pixel * Math.min(1, Math.max(0.62, image.width / pixel / 900));
    const [x, y] = badgePlace(verdict.outline, own, all, this.placed, 48 * scale, 20 * scale, image);
    this.placed.push([x, y]);
    const group = svg("g", { transform: `translate(${x} ${y}) scale(${scale})` });
    group.append(
      svg("rect", { class: "badge-edge", x: -31, y: -16, width: 62, height: 32, rx: 16 }),
      svg("rect", { class: `badge-${verdict.state}`, x: -29, y: -14, width: 58, height: 28, rx: 14 }),
      svg("text", { class: "badge-number", x: -13, y: 0.5, "font-size": 19 }, String(index + 1)),
      svg("path", { class: "badge-sign", d: signPath(verdict.state), transform: "translate(-3 -16)" }),
    );
    return group;
  }
}

// The first place that hides no tile and no other badge: before the row's first tile, behind its last one, above it, below it.
function badgePlace(outline, own, all, placed, wide, high, image) {
  const centres = own.map(({ quad }) => middle(quad));
  const [first, last] = [centres[0], centres[centres.length - 1]];
  const sideways = own.length > 1 ? [last[0] - first[0], last[1] - first[1]] : across(own[0].quad);
  const length = Math.hypot(...sideways) || 1;
  const along = [sideways[0] / length, sideways[1] / length];
  const up = [along[1], -along[0]];
  const ends = [[first, -1], [last, 1]].map(([from, sign]) => edge(outline, from, along.map((v) => v * sign), wide, high));
  const sides = [1, -1].map((sign) => edge(outline, centres[0], up.map((v) => v * sign), wide, high));
  const spots = [...ends, ...sides].map(([x, y]) => [
    Math.min(Math.max(x, wide * 0.7), image.width - wide * 0.7),
    Math.min(Math.max(y, high * 0.9), image.height - high * 0.9),
  ]);
  const hidden = ([x, y]) => all.filter(({ quad }) => {
    const [xs, ys] = [quad.map((p) => p[0]), quad.map((p) => p[1])];
    return x + wide * 0.6 > Math.min(...xs) && x - wide * 0.6 < Math.max(...xs)
      && y + high * 0.7 > Math.min(...ys) && y - high * 0.7 < Math.max(...ys);
  }).length + placed.filter(([px, py]) => Math.abs(px - x) < wide * 1.3 && Math.abs(py - y) < high * 1.6).length;
  return spots.reduce((best, spot) => (hidden(spot) < hidden(best) ? spot : best));
}

// Where a row may be two sets that touch, or two rows one: a line across it, and a question mark beyond its edge.
function seams({ answers }, byId, pixel, image) {
  const meet = (parts) => parts.slice(1).map((part, k) => `${parts[k][parts[k].length - 1]} ${part[0]}`);
  return [...new Set(answers.flatMap(meet))].map((pair) => {
    const [one, other] = pair.split(" ").map((id) => byId.get(Number(id)).quad);
    const [a, b] = [middle(one), middle(other)];
    const length = distance(a, b) || 1;
    const up = [(b[1] - a[1]) / length, (a[0] - b[0]) / length];
    const reach = Math.max(...one.map((p) => Math.abs((p[0] - a[0]) * up[0] + (p[1] - a[1]) * up[1])));
    const at = (far) => [0, 1].map((k) => (a[k] + b[k]) / 2 + up[k] * far);
    const [[x1, y1], [x2, y2]] = [at(-1.3 * reach), at(1.3 * reach)];
    const spots = [1, -1].map((side) => at(side * (1.3 * reach + 11 * pixel)));
    const whole = ([px, py]) => Math.min(px, py, image.width - px, image.height - py) > 13 * pixel;
    const [x, y] = spots.find(whole) || spots[0];
    return svg("g", { class: "seam" },
      svg("line", { class: "under", x1, y1, x2, y2 }), svg("line", { x1, y1, x2, y2 }),
      svg("circle", { cx: x, cy: y, r: 13 * pixel }), svg("text", { x, y, "font-size": 17 * pixel }, "?"));
  });
}

const middle = (quad) => [0, 1].map((k) => quad.reduce((sum, p) => sum + p[k], 0) / 4);
const inside = (quad, x, y) => {
  const sides = quad.map(([x1, y1], k) => {
    const [x2, y2] = quad[(k + 1) % 4];
    return (x2 - x1) * (y - y1) - (y2 - y1) * (x - x1);
  });
  return sides.every((side) => side >= 0) || sides.every((side) => side <= 0);
};
const across = (quad) => [quad[1][0] - quad[0][0], quad[1][1] - quad[0][1]];

// Where a badge clears the outline, going from a point inside it in one direction.
function edge(outline, from, along, wide, high) {
  const reach = Math.max(...outline.map((p) => (p[0] - from[0]) * along[0] + (p[1] - from[1]) * along[1]));
  const clear = reach + Math.abs(along[0]) * wide * 0.55 + Math.abs(along[1]) * high * 0.55;
  return [from[0] + along[0] * clear, from[1] + along[1] * clear];
}
