// Where people play: the area drawn on the live picture, a dialog to drag its corners, and the way back when the
// camera was moved.
import { post, why } from "./press.js";
import { html, svg } from "./svg.js";
import { t } from "./words.js";

const MARGIN = 0.06;
const STEP = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
const CORNERS = ["top-left", "top-right", "bottom-right", "bottom-left"];
const points = (corners) => corners.map(([x, y]) => `${x},${y}`).join(" ");
const whole = ({ width, height }) => [[0, 0], [width, 0], [width, height], [0, height]];

const button = (text, onClick, attributes = {}) => {
  const element = html("button", { type: "button", ...attributes }, text);
  element.addEventListener("click", onClick);
  return element;
};

export class Area {
  constructor(at) {
    this.live = null;
    this.corners = null;
    this.outline = svg("svg", { id: "area", "aria-hidden": "true" });
    at("stage").insertBefore(this.outline, at("overlay"));
    this.right = button(t("place.right"), () => this.send({ right: true }), { id: "place-right", class: "main acts", hidden: "" });
    at("verdict").append(this.right);
    at("tools").append(button(t("place.title"), () => {
      at("menu").close();
      this.open();
    }, { id: "open-place", class: "acts" }));
    this.build();
    document.body.append(this.dialog);
  }

  build() {
    this.board = svg("svg", { class: "board", role: "group", "aria-label": t("place.title") });
    this.note = html("p", { class: "hint", role: "status" });
    this.refused = html("p", { class: "notice", role: "alert", hidden: "" });
    this.camera = html("p", { class: "hint", id: "place-camera" });
    this.save = button(t("place.save"), () => this.keep(), { class: "main", id: "place-save" });
    // The board and its buttons stand in a dialog of their own, or in that in which a camera is chosen.
    this.body = html("div", {},
      html("p", { class: "hint" }, t("place.hint")),
      this.board,
      this.note,
      this.camera,
      this.refused,
      html("div", { class: "row" },
        button(t("place.edges"), () => this.propose(), { id: "place-edges" }),
        button(t("place.whole"), () => this.change(whole(this.image)), { id: "place-whole" }),
        button(t("app.close"), () => this.body.closest("dialog").close(), { class: "quiet" }),
        this.save));
    this.dialog = html("dialog", { id: "place", "aria-labelledby": "place-title" },
      html("h2", { id: "place-title" }, t("place.title")), this.body);
  }

  get shown() {
    return this.body.closest("dialog")?.open ?? false;
  }

  show(live) {
    this.live = live;
    const { place, picture, camera } = live;
    this.right.hidden = camera.trouble !== "moved";
    this.outline.replaceChildren();
    if (picture && place.corners && camera.trouble !== "moved") {
      this.outline.setAttribute("viewBox", `0 0 ${picture.width} ${picture.height}`);
      this.outline.append(
        svg("polygon", { class: "under", points: points(place.corners) }),
        svg("polygon", { class: "around", points: points(place.corners) }));
    }
    if (!this.shown || !picture || this.asking) return;
    const other = camera.number !== this.of || picture.width !== this.image?.width || picture.height !== this.image.height;
    if (other) this.look();
    else this.shot.setAttribute("href", `/picture/${picture.number}.jpg?w=1280`);
    // What is proposed meanwhile is shown, unless somebody has begun to drag.
    const corners = place.corners || (this.image && whole(this.image));
    if (!other && !this.touched && JSON.stringify(corners) !== JSON.stringify(this.corners)) this.set(corners, "");
  }

  async open() {
    await this.within(this.dialog);
    if (!this.dialog.open) this.dialog.showModal();
  }

  // At the end of its own dialog, or of another one.
  within(dialog) {
    dialog.append(this.body);
    this.body.hidden = false;
    return this.look();
  }

  async look() {
    this.say("");
    this.asking = true;
    this.touched = false;
    this.of = this.live?.camera.number;
    const answer = await fetch("/place").then((got) => got.json(), () => null);
    this.asking = false;
    this.image = answer && answer.image;
    this.proposal = answer && answer.proposal;
    this.save.disabled = !this.image;
    this.board.replaceChildren();
    if (this.image) {
      this.lay();
      this.set(answer.corners || whole(this.image), "");
    } else {
      this.note.textContent = t("place.no-picture");
      this.camera.textContent = "";
    }
  }

  lay() {
    const { width, height } = this.image;
    const number = this.live && this.live.picture ? this.live.picture.number : 0;
    const rim = MARGIN * Math.max(width, height);
    this.board.setAttribute("viewBox", `${-rim} ${-rim} ${width + 2 * rim} ${height + 2 * rim}`);
    this.shot = svg("image", { href: `/picture/${number}.jpg?w=1280`, width, height, preserveAspectRatio: "none" });
    this.shade = svg("path", { class: "shade", "fill-rule": "evenodd" });
    this.line = svg("polygon", { class: "around" });
    this.handles = CORNERS.map((name, index) => this.handle(name, index));
    this.board.append(this.shot, this.shade, this.line, ...this.handles);
    const { camera } = this.live || {};
    const told = [t("place.picture", { width, height })];
    if (camera && camera.asked) told.push(t("place.asked", { width: camera.asked[0], height: camera.asked[1] }));
    if (camera && camera.focus) told.push(t(`place.focus.${camera.focus}`));
    this.camera.textContent = told.join(" · ");
  }

  handle(name, index) {
    const radius = Math.max(this.image.width, this.image.height) / 38;
    const group = svg("g", { class: "handle", tabindex: "0", role: "button", "aria-label": t(`place.${name}`) },
      svg("circle", { class: "grip", r: radius * 1.5 }), svg("circle", { class: "dot", r: radius * 0.75 }));
    group.addEventListener("pointerdown", (event) => {
      event.preventDefault();
      group.focus();
      group.setPointerCapture(event.pointerId);
      const drag = (move) => this.move(index, this.where(move));
      const drop = () => group.removeEventListener("pointermove", drag);
      group.addEventListener("pointermove", drag);
      group.addEventListener("pointerup", drop, { once: true });
      group.addEventListener("pointercancel", drop, { once: true });
    });
    group.addEventListener("keydown", (event) => {
      const step = STEP[event.key];
      if (!step) return;
      event.preventDefault();
      const far = this.image.width * (event.shiftKey ? 0.002 : 0.01);
      const [x, y] = this.corners[index];
      this.move(index, [x + step[0] * far, y + step[1] * far]);
    });
    return group;
  }

  where(event) {
    const point = new DOMPoint(event.clientX, event.clientY).matrixTransform(this.board.getScreenCTM().inverse());
    return [point.x, point.y];
  }

  // A corner stays where it was when the area would fold.
  move(index, [x, y]) {
    const { width, height } = this.image;
    const rim = MARGIN * Math.max(width, height) * 0.9;
    const to = [Math.min(Math.max(x, -rim), width + rim), Math.min(Math.max(y, -rim), height + rim)];
    const corners = this.corners.map((corner, k) => (k === index ? to.map((v) => Math.round(v * 10) / 10) : corner));
    if (isArea(corners)) this.change(corners);
  }

  change(corners) {
    if (!this.image) return;
    this.touched = true;
    this.set(corners, "");
  }

  set(corners, note) {
    this.corners = corners;
    const rim = 2 * MARGIN * Math.max(this.image.width, this.image.height);
    const [w, h] = [this.image.width + rim, this.image.height + rim];
    this.shade.setAttribute("d", `M${-rim} ${-rim}H${w}V${h}H${-rim}ZM${corners.map((p) => p.join(" ")).join("L")}Z`);
    this.line.setAttribute("points", points(corners));
    corners.forEach(([x, y], index) => this.handles[index].setAttribute("transform", `translate(${x} ${y})`));
    this.note.textContent = note;
    this.say("");
  }

  propose() {
    if (!this.image) return;
    if (this.proposal) this.change(this.proposal);
    else this.note.textContent = t("place.no-edges");
  }

  async keep() {
    const everything = JSON.stringify(this.corners) === JSON.stringify(whole(this.image));
    const answer = await this.send({ corners: everything ? null : this.corners, image: this.image });
    if (answer.good) this.body.closest("dialog").close();
  }

  async send(change) {
    const answer = await post("/place", change);
    this.say(answer.good ? "" : why(answer));
    return answer;
  }

  say(text) {
    this.refused.hidden = !text;
    this.refused.textContent = text;
  }
}

// Clockwise and without a dent.
function isArea(corners) {
  return corners.every(([x, y], k) => {
    const [[x1, y1], [x2, y2]] = [corners[(k + 1) % 4], corners[(k + 2) % 4]];
    return (x1 - x) * (y2 - y1) - (y1 - y) * (x2 - x1) > 0;
  });
}
