// The game as the companion tells it: whose turn, the time, what can be pressed, faults, restoring, racks.
import { showCounting } from "./counting.js";
import { Glass } from "./glass.js";
import { why } from "./press.js";
import { showRestore } from "./restore.js";
import { second, stayAwake, yourTurn } from "./sound.js";
import { html } from "./svg.js";
import { row } from "./tiles.js";
import { listed, say, t } from "./words.js";

const LONG = 14;
const MAIN = ["resume", "out", "end", "penalty", "draw", "blocked", "new"];

export class Game {
  constructor(at, send, refuse, picker) {
    this.at = at;
    this.send = send;
    this.refuse = refuse;
    this.picker = picker;
    this.match = { phase: "empty" };
    this.glass = new Glass(at("glass"), at("left"), at("turn"), second);
    this.drawn = {};
    this.askRack = () => {};
    document.addEventListener("keydown", (event) => {
      const typing = event.target.closest("input, select, textarea, button, a, summary, dialog");
      if (event.code !== "Space" || typing || event.repeat || document.querySelector("dialog[open]")) return;
      event.preventDefault();
      if (this.match.buttons?.includes("end")) this.press("end");
    });
  }

  press(button, data = {}) {
    return this.send(button, { turn: this.match.turn?.number ?? 0, ...data });
  }

  show(match) {
    const before = this.match;
    this.match = match;
    const at = this.at;
    document.body.dataset.match = match.phase;
    const playing = match.phase !== "empty";
    at("turn").hidden = !playing;
    stayAwake(playing && match.phase !== "finished");
    const turn = match.turn;
    if (playing) {
      text(at("player"), turn ? turn.player : heading(match));
      at("player").toggleAttribute("data-long", at("player").textContent.length > LONG);
      text(at("say"), match.noticed ? why(match.noticed) : say(match.said));
      this.glass.show(turn ? match.clock : { phase: "off" });
      if (turn && before.turn && turn.number !== before.turn.number) yourTurn();
    }
    this.part("buttons", [match.buttons, turn?.owes, match.restore?.restored], () => this.buttons());
    this.part("faults", turn?.faults ?? [], (faults) => this.faults(faults));
    this.part("restore", match.restore, (way) => showRestore(at("restore"), way, this));
    this.part("counting", match.counting, (counting) => showCounting(at("counting"), counting, this));
  }

  // Draws a part only when it says something else than before, so that focus and typing are not lost.
  part(id, value, draw) {
    const key = JSON.stringify(value ?? null);
    if (this.drawn[id] === key) return;
    this.drawn[id] = key;
    draw(value ?? null);
  }

  label(name) {
    const { owes = 0, draws = 0 } = this.match.turn ?? {};
    if (name === "penalty" || (name === "draw" && draws > 1)) return t(`turn.${name}`, { count: name === "draw" ? draws : owes });
    return name === "draw" ? t("turn.draw-one") : t(`turn.${name}`);
  }

  buttons() {
    const names = this.match.buttons ?? [];
    const back = this.match.restore?.restored;
    const main = names.includes("wait-no-more") || (names.includes("penalty") && !back) ? "" : names.find((name) => MAIN.includes(name));
    const box = this.at("buttons");
    const held = box.contains(document.activeElement);
    const button = (name, act) => {
      const element = html("button", { type: "button", class: name === main ? "main" : "" }, this.label(name));
      element.dataset.button = name;
      element.addEventListener("click", act);
      return element;
    };
    box.replaceChildren(...names.flatMap((name) => {
      const one = button(name, () => this.press(name));
      // By count the rack is empty; where it is not, the count was wrong, and the turn is over as it was played.
      return name === "out" ? [one, button("not-out", () => this.askRack(this.match.turn.player))] : [one];
    }));
    // Who plays by keyboard goes on with the button that matters now.
    if (held) (box.querySelector(".main") || box.firstElementChild)?.focus();
  }

  faults(faults) {
    const box = this.at("faults");
    box.hidden = faults.length === 0 || this.match.turn.time_over;
    box.replaceChildren(
      html("h2", {}, t("faults.title")),
      html("ul", {}, ...faults.map((fault) => html("li", {}, ...(shown(fault.tiles) ? [row(fault.tiles)] : []), html("span", {}, say(fault.said))))),
    );
  }
}

// Between the games: how the last one ended.
function heading({ phase, game, sheet }) {
  if (phase === "finished") return t("turn.over");
  const last = sheet.rows[sheet.rows.length - 1];
  if (phase !== "seated" || !last || last.number === null) return t("turn.game", { game });
  return t("turn.won", { names: listed(last.winners), count: last.winners.length, game: last.number });
}

// Half the table says nothing.
const shown = (tiles) => tiles.length > 0 && tiles.length <= 13;
const text = (element, value) => {
  if (element.textContent !== value) element.textContent = value;
};
