// Starting a match: who plays and where, who begins, by which rules. Remembered on this device for the next evening.
import { html } from "./svg.js";
import { say, t } from "./words.js";

const KEY = "tilekeeper-start";
const COUNTS = [2, 3, 4, 5, 6];
const BIG_BOX = 5;
const DRAW = -1;
const CLOCKS = [30, 60, 90, 120, 180];
const NUMBERS = { penalty: [0, 1, 2, 3, 4, 5], draw: [1, 2, 3] };

export class Start {
  constructor(at, send) {
    this.at = at;
    this.dialog = at("start");
    const { sheets, options } = JSON.parse(at("sheets").textContent);
    this.sheets = sheets;
    this.options = options;
    const known = remembered();
    this.count = COUNTS.includes(known.count) ? known.count : 2;
    this.names = COUNTS.map((_, n) => String(known.names?.[n] ?? "")).concat([""]).slice(0, 6);
    this.first = known.first === DRAW || known.first >= 0 ? known.first : 0;
    this.rules = sheets.some((sheet) => sheet.name === known.rules) ? known.rules : sheets[0].name;
    this.chosen = new Map(Object.entries(known.options ?? {}));
    at("open-start").addEventListener("click", () => this.open());
    at("start-cancel").addEventListener("click", () => this.dialog.close());
    at("start-form").addEventListener("submit", async (event) => {
      event.preventDefault();
      if (await send(this.data(), (text) => this.say(text))) this.dialog.close();
    });
    this.build();
  }

  open() {
    this.say("");
    this.dialog.showModal();
    this.at("start-go").focus({ preventScroll: true });
  }

  say(text) {
    this.at("start-refused").hidden = !text;
    this.at("start-refused").textContent = text;
  }

  build() {
    const chips = COUNTS.map((count) => chip("count", count, String(count), count === this.count, () => {
      this.count = count;
      this.draw();
    }));
    chips[COUNTS.indexOf(BIG_BOX)].before(html("span", { class: "gap" }));
    this.at("count").append(...chips, html("span", { class: "hint", id: "big-box" }, t("start.big-box")));
    this.at("rules").append(...this.sheets.map((sheet) => chip("rules", sheet.name, t(`rules.${sheet.name}`), false, () => {
      this.rules = sheet.name;
      this.draw();
    })));
    this.at("options").append(...this.options.filter((option) => option.name !== "no-clock").map((option) => this.option(option)));
    this.draw();
  }

  get players() {
    return this.names.slice(0, this.count).map((name, n) => name.trim() || t("start.player", { number: n + 1 }));
  }

  get sheet() {
    return this.sheets.find((sheet) => sheet.name === this.rules);
  }

  draw() {
    // The box has to hold enough for so many; of the sheets that do, the last one chosen stays.
    if (this.count < this.sheet.least || this.count > this.sheet.most) {
      this.rules = this.sheets.find((sheet) => this.count >= sheet.least && this.count <= sheet.most).name;
    }
    for (const input of this.at("rules").querySelectorAll("input")) {
      const sheet = this.sheets.find((one) => one.name === input.value);
      input.disabled = this.count < sheet.least || this.count > sheet.most;
      input.checked = sheet.name === this.rules;
    }
    this.at("big-box").hidden = this.count < BIG_BOX;
    this.drawNames();
    this.drawFirst();
    this.drawDiffers();
  }

  drawNames() {
    const rows = [...Array(this.count).keys()].map((n) => {
      const field = html("input", {
        type: "text", maxlength: 40, autocomplete: "off", dir: "auto",
        placeholder: t("start.player", { number: n + 1 }), "aria-label": t("start.name", { number: n + 1 }),
      });
      field.value = this.names[n];
      field.addEventListener("input", () => {
        this.names[n] = field.value;
        this.drawFirst();
      });
      const up = html("button", { type: "button", class: "small", "aria-label": t("start.up", { number: n + 1 }) }, "↑");
      up.disabled = n === 0;
      up.addEventListener("click", () => {
        [this.names[n - 1], this.names[n]] = [this.names[n], this.names[n - 1]];
        this.draw();
        this.at("names").querySelectorAll("button")[n - 1].focus();
      });
      return html("li", {}, html("span", { class: "seat", "aria-hidden": "true" }, String(n + 1)), field, up);
    });
    this.at("names").replaceChildren(...rows);
  }

  drawFirst() {
    if (this.first >= this.count) this.first = 0;
    const set = (value) => () => {
      this.first = value;
      this.drawGo();
    };
    const legend = this.at("first").querySelector("legend");
    this.at("first").replaceChildren(legend, chip("first", DRAW, t("start.draw"), this.first === DRAW, set(DRAW)),
      ...this.players.map((name, n) => chip("first", n, name, this.first === n, set(n))));
    this.drawGo();
  }

  drawGo() {
    this.at("start-go").textContent = this.first === DRAW ? t("start.go-draw") : t("start.go");
  }

  drawDiffers() {
    const { differs, basics } = this.sheet;
    const told = new Set(differs.map((entry) => entry.rule));
    const lines = [...differs, ...basics.filter((entry) => !told.has(entry.rule))];
    const list = html("dl", {}, ...lines.flatMap((entry) => [html("dt", {}, say(entry.title)), html("dd", {}, say(entry.value))]));
    this.at("differs").replaceChildren(html("p", { class: "hint" }, differs.length ? t("start.differs") : t("start.classic")), list);
  }

  option({ name, text, number }) {
    if (!number) {
      const box = html("input", { type: "checkbox", value: name });
      box.checked = this.chosen.has(name);
      box.addEventListener("change", () => (box.checked ? this.chosen.set(name, "") : this.chosen.delete(name)));
      return html("label", { class: "check" }, box, html("span", {}, say(text)));
    }
    const choice = html("select", { id: name === "clock" ? "clock" : `option-${name}` }, html("option", { value: "" }, t("start.as-the-rules")));
    if (name === "clock") choice.append(html("option", { value: "no-clock" }, say(this.options.find((o) => o.name === "no-clock").text)));
    for (const n of name === "clock" ? CLOCKS : NUMBERS[name]) {
      choice.append(html("option", { value: `${name}=${n}` }, name === "clock" ? t("start.seconds", { count: n }) : t("tiles", { count: n })));
    }
    choice.value = this.chosen.get(name) ?? "";
    if (choice.selectedIndex < 0) choice.value = "";
    choice.addEventListener("change", () => (choice.value ? this.chosen.set(name, choice.value) : this.chosen.delete(name)));
    return html("label", { class: "number" }, html("span", {}, say(text)), choice);
  }

  data() {
    const known = { count: this.count, names: this.names, first: this.first, rules: this.rules, options: Object.fromEntries(this.chosen) };
    try {
      localStorage.setItem(KEY, JSON.stringify(known));
    } catch {
      // A browser that keeps nothing: the names are typed again next time.
    }
    return {
      players: this.players,
      first: this.first === DRAW ? null : this.players[this.first],
      rules: this.rules,
      options: [...this.chosen].map(([name, value]) => value || name),
    };
  }
}

// One choice of several, as a large button; by keyboard the arrows go from one to the next.
export function chip(name, value, label, checked, onChoose) {
  const input = html("input", { type: "radio", name, value });
  input.checked = checked;
  input.addEventListener("change", () => input.checked && onChoose());
  return html("label", { class: "chip" }, input, html("bdi", {}, label));
}

function remembered() {
  try {
    const known = JSON.parse(localStorage.getItem(KEY) ?? "{}");
    return known && typeof known === "object" ? known : {};
  } catch {
    return {};
  }
}
