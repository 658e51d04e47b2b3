// The sand timer: it only draws what the server's deadline says.
import { known, serverNow } from "./now.js";
import { svg } from "./svg.js";

const HURRY_MS = 10_000;
const NECK = 45;
const HIGH = 36;

export class Glass {
  constructor(drawing, number, turn, onSecond) {
    this.number = number;
    this.turn = turn;
    this.onSecond = onSecond;
    this.clock = { phase: "off" };
    this.shown = null;
    this.build(drawing);
    const draw = () => {
      this.draw();
      setTimeout(() => requestAnimationFrame(draw), 80);
    };
    draw();
  }

  build(drawing) {
    const upper = "M10 9H50V16C50 30 33 36 31.5 45H28.5C27 36 10 30 10 16Z";
    const lower = "M28.5 45H31.5C33 54 50 60 50 74V81H10V74C10 60 27 54 28.5 45Z";
    const clip = (id, d) => svg("clipPath", { id }, svg("path", { d }));
    this.above = svg("rect", { class: "sand", x: 8, width: 44, "clip-path": "url(#upper)" });
    this.below = svg("rect", { class: "sand", x: 8, width: 44, "clip-path": "url(#lower)" });
    this.stream = svg("path", { class: "stream", d: "M30 44V80" });
    drawing.append(
      svg("defs", {}, clip("upper", upper), clip("lower", lower)),
      this.above, this.stream, this.below,
      svg("path", { class: "wall", d: upper }),
      svg("path", { class: "wall", d: lower }),
      svg("rect", { class: "frame", x: 4, y: 3, width: 52, height: 6, rx: 3 }),
      svg("rect", { class: "frame", x: 4, y: 81, width: 52, height: 6, rx: 3 }),
    );
  }

  show(clock) {
    this.clock = clock;
    this.turn.dataset.clock = clock.phase;
    this.draw();
  }

  left() {
    const { phase, left, deadline, limit } = this.clock;
    if (phase !== "running") return left || 0;
    return known() ? Math.min(limit, Math.max(0, deadline - serverNow())) : limit;
  }

  draw() {
    if (this.clock.phase === "off") return;
    const left = this.left();
    const share = this.clock.limit ? left / this.clock.limit : 0;
    const height = HIGH * Math.sqrt(share);
    this.above.setAttribute("y", NECK - height);
    this.above.setAttribute("height", height);
    this.below.setAttribute("y", NECK + height);
    this.below.setAttribute("height", HIGH - height);
    this.stream.toggleAttribute("hidden", left === 0);
    this.turn.toggleAttribute("data-hurry", left <= HURRY_MS);
    const seconds = Math.ceil(left / 1000);
    if (seconds !== this.shown) {
      if (this.clock.phase === "running" && this.shown !== null) this.onSecond(seconds);
      this.shown = seconds;
      this.number.textContent = `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
    }
  }
}
