// Starting a match: who plays, clockwise, who begins, by which rules. Names are remembered on this device.
import { html } from "./svg.js";

const KEY = "tilekeeper-names";
const MOST = 6;

export class Start {
  constructor(at, send) {
    this.dialog = at("start");
    this.names = at("names");
    this.rules = at("rules");
    this.clock = at("clock");
    this.refused = at("start-refused");
    at("open-start").addEventListener("click", () => this.open());
    at("start-cancel").addEventListener("click", () => this.dialog.close());
    at("add-player").addEventListener("click", () => this.row("").querySelector("input[type=text]").focus());
    at("start-form").addEventListener("submit", async (event) => {
      event.preventDefault();
      if (await send(this.data(), (text) => this.say(text))) this.dialog.close();
    });
    let known = [];
    try {
      known = JSON.parse(localStorage.getItem(KEY) || "[]");
    } catch {
      known = [];
    }
    const first = Array.isArray(known) && known.length > 1 ? known.slice(0, MOST).map(String) : ["", ""];
    for (const name of first) this.row(name);
    this.names.querySelector("input[type=radio]").checked = true;
  }

  open() {
    this.say("");
    this.dialog.showModal();
  }

  say(text) {
    this.refused.hidden = !text;
    this.refused.textContent = text;
  }

  row(name) {
    const number = this.names.children.length + 1;
    const starts = html("input", { type: "radio", name: "first", "aria-label": `Player ${number} starts` });
    const field = html("input", {
      type: "text", maxlength: 40, autocomplete: "off", placeholder: `Player ${number}`, "aria-label": `Name of player ${number}`,
    });
    field.value = name;
    const remove = html("button", { type: "button", class: "small", "aria-label": `Player ${number} does not play` }, "✕");
    const item = html("li", {}, starts, field, remove);
    remove.addEventListener("click", () => {
      if (this.names.children.length <= 2) return;
      item.remove();
      if (!this.names.querySelector("input:checked")) this.names.querySelector("input[type=radio]").checked = true;
    });
    if (number <= MOST) this.names.append(item);
    return this.names.lastElementChild;
  }

  data() {
    const rows = [...this.names.children].map((row, index) => ({
      name: row.querySelector("input[type=text]").value.trim() || `Player ${index + 1}`,
      first: row.querySelector("input[type=radio]").checked,
    }));
    const players = rows.map((row) => row.name);
    try {
      localStorage.setItem(KEY, JSON.stringify(players));
    } catch {
      // A browser that keeps nothing: the names are typed again next time.
    }
    return {
      players,
      first: (rows.find((row) => row.first) || rows[0]).name,
      rules: this.rules.value,
      options: this.clock.value ? [this.clock.value] : [],
    };
  }
}
