// What was read, drawn over the picture in the picture's own pixels, so it is crisp on any screen.
import { svg } from "./svg.js";
import { ink, number, signPath } from "./tiles.js";

const points = (quad) => quad.map(([x, y]) => `${x},${y}`).join(" ");
const distance = ([x1, y1], [x2, y2]) => Math.hypot(x2 - x1, y2 - y1);

export class Overlay {
  constructor(element) {
    this.element = element;
    this.table = null;
    new ResizeObserver(() => this.draw()).observe(element);
  }

  show(table) {
    this.table = table;
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
    this.table.verdicts.forEach((verdict, index) => {
      const group = svg("g", { class: "set-drawn" });
      group.dataset.set = index;
      const around = points(verdict.outline);
      group.append(svg("polygon", { class: "under", points: around }));
      group.append(svg("polygon", { class: `around ${verdict.state}`, points: around }));
      for (const id of verdict.ids) group.append(...this.tile(byId.get(id), pixel));
      group.append(this.badge(verdict, index, pixel, image));
      badges.push(group);
    });
    this.element.append(...badges);
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

  badge(verdict, index, pixel, image) {
    // On a small screen the badge shrinks, so that it does not hide the tiles it speaks of.
    const scale = pixel * Math.min(1, Math.max(0.62, image.width / pixel / 900));
    // Above the corner of the outline that lies most to the top left, kept inside the picture.
    const corner = verdict.outline.reduce((a, b) => (b[0] + b[1] < a[0] + a[1] ? b : a));
    const x = Math.min(Math.max(corner[0] + 12 * scale, 18 * scale), image.width - 48 * scale);
    const y = Math.min(Math.max(corner[1] - 8 * scale, 18 * scale), image.height - 18 * scale);
    const group = svg("g", { transform: `translate(${x} ${y}) scale(${scale})` });
    group.append(
      svg("rect", { class: "badge-edge", x: -16, y: -16, width: 62, height: 32, rx: 16 }),
      svg("rect", { class: `badge-${verdict.state}`, x: -14, y: -14, width: 58, height: 28, rx: 14 }),
      svg("text", { class: "badge-number", x: 2, y: 0.5, "font-size": 19 }, String(index + 1)),
      svg("path", { class: "badge-sign", d: signPath(verdict.state), transform: "translate(12 -16)" }),
    );
    return group;
  }
}
