// Which camera looks at the table: a device, a phone, an address. Its picture is there at once, with the table's corners.
import { invite } from "./invite.js";
import { post, why } from "./press.js";
import { html } from "./svg.js";
import { say, t } from "./words.js";

const button = (text, onClick, attributes = {}) => {
  const element = html("button", { type: "button", ...attributes }, text);
  element.addEventListener("click", onClick);
  return element;
};
const label = ({ kind, name }) => (kind === "phone" ? t("cameras.phone") : name);

export class Cameras {
  constructor(at, area) {
    this.area = area;
    this.told = null;
    this.bare = true;
    this.refused = "";
    this.asked = false;
    this.entry = button(t("cameras.title"), () => {
      at("menu").close();
      this.open();
    }, { id: "open-cameras", class: "acts", hidden: "" });
    at("tools").prepend(this.entry);
    this.wanted = button(t("cameras.open"), () => this.open(), { id: "choose-camera", class: "main acts", hidden: "" });
    at("verdict").append(this.wanted);
    this.name = html("bdi");
    this.row = html("div", { class: "start-camera acts", id: "start-camera", hidden: "" },
      html("span", {}, `${t("cameras.title")}: `, this.name),
      button(t("cameras.change"), () => this.open(), { class: "small" }));
    at("start-refused").before(this.row);
    this.build();
    document.body.append(this.dialog);
  }

  build() {
    this.list = html("div", { class: "cameras", role: "group", "aria-labelledby": "cameras-title" });
    this.state = html("p", { class: "hint", role: "status" });
    this.trouble = html("p", { class: "notice", role: "alert", hidden: "" });
    this.field = html("input", {
      type: "text", inputmode: "url", maxlength: 1000, autocomplete: "off", autocapitalize: "off", spellcheck: "false",
      dir: "ltr", placeholder: "rtsp://", required: "", id: "camera-address",
    });
    this.again = button(t("cameras.look"), () => this.send("/cameras/look", {}), { class: "small", id: "look-again" });
    const form = html("form", { class: "camera-address" },
      html("label", {}, html("span", {}, t("cameras.address")), this.field),
      html("button", { type: "submit", class: "small" }, t("cameras.use")));
    form.addEventListener("submit", async (event) => {
      event.preventDefault();
      if (await this.send("/cameras/choose", { address: this.field.value })) this.field.value = "";
    });
    this.shut = html("div", { class: "row" }, html("button", { type: "button", class: "quiet", "data-close": "" }, t("app.close")));
    this.dialog = html("dialog", { id: "cameras", "aria-labelledby": "cameras-title" },
      html("h2", { id: "cameras-title" }, t("cameras.title")),
      html("p", { class: "hint" }, t("cameras.hint")),
      this.list, this.again, this.state, this.trouble, form, this.shut);
  }

  open() {
    this.asked = true;
    this.refused = "";
    if (!this.dialog.open) this.dialog.showModal();
    this.area.within(this.dialog);
    this.draw();
  }

  show(told) {
    this.told = told;
    this.refused = "";
    this.draw();
  }

  // Without a camera there is nothing to see, and it is asked for.
  look(live) {
    const bare = live.phase === "choosing";
    if (bare === this.bare && this.seen) return;
    this.seen = true;
    this.bare = bare;
    this.draw();
  }

  // What the page says as long as there is none.
  said() {
    const opening = this.told?.opening;
    return opening ? t("cameras.opening", { name: label(opening) }) : t("phase.choosing");
  }

  draw() {
    if (!this.told || !this.seen) return;
    const { list, now, opening, looking, late, trouble } = this.told;
    this.entry.hidden = this.row.hidden = false;
    this.wanted.hidden = !this.bare || opening !== null;
    this.name.textContent = label(list.find(({ id }) => id === now) ?? { name: "–" });
    this.area.body.toggleAttribute("hidden", this.bare && this.dialog.contains(this.area.body));
    this.shut.hidden = !this.bare;
    this.drawList(list, now, opening);
    const none = list.every(({ kind }) => kind !== "device");
    const said = opening ? this.said() : looking ? t("cameras.looking") : late ? t("cameras.late") : none ? t("cameras.none-found") : "";
    if (this.state.textContent !== said) this.state.textContent = said;
    this.again.disabled = looking;
    this.refuse(this.refused || (trouble ? say(trouble) : ""));
    const busy = document.querySelector("dialog[open]");
    if (this.bare && !opening && !looking && !this.asked && !busy && document.body.dataset.may !== "watch") this.open();
  }

  // Drawn anew only when it says something else, so that the focus stays.
  drawList(list, now, opening) {
    const key = JSON.stringify([list, now, opening?.id]);
    if (key === this.drawn) return;
    this.drawn = key;
    const held = this.list.contains(document.activeElement) ? document.activeElement.dataset.camera : null;
    this.list.replaceChildren(...list.map((entry) => {
      const one = button("", () => this.choose(entry), { "aria-pressed": entry.id === now, "data-camera": entry.id });
      one.append(html("bdi", {}, label(entry)));
      one.toggleAttribute("data-opening", entry.id === opening?.id);
      return one;
    }));
    if (held) this.list.querySelector(`[data-camera="${held}"]`)?.focus();
  }

  async choose({ id, kind }) {
    if (await this.send("/cameras/choose", { id }) && kind === "phone") invite?.open("camera");
  }

  async send(address, data) {
    const answer = await post(address, data);
    this.refused = answer.good ? "" : why(answer);
    this.draw();
    return answer.good;
  }

  refuse(text) {
    this.trouble.hidden = !text;
    if (this.trouble.textContent !== text) this.trouble.textContent = text;
  }
}
