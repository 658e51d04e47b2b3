// The game as the companion tells it: whose turn, the time, what can be pressed, faults, restoring, racks, score.
import { showCounting } from "./counting.js";
import { Glass } from "./glass.js";
import { showRestore } from "./restore.js";
import { second, stayAwake, yourTurn } from "./sound.js";
import { html } from "./svg.js";
import { row } from "./tiles.js";

const LABELS = {
  end: "End turn", draw: "Draw", pass: "Pass", pause: "Pause", resume: "Go on", undo: "Undo", redo: "Redo",
  out: "Yes, out!", blocked: "Nobody can play", "wait-no-more": "Not yet", new: "New match",
};
const MAIN = ["resume", "out", "end", "penalty", "draw", "blocked", "new"];

export class Game {
  constructor(at, send) {
    this.at = at;
    this.send = send;
    this.match = { phase: "empty" };
    this.glass = new Glass(at("glass"), at("left"), at("turn"), second);
    this.drawn = {};
    document.addEventListener("keydown", (event) => {
      const typing = event.target.closest("input, select, textarea, button, dialog");
      if (event.code !== "Space" || typing || event.repeat) return;
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
    at("open-start").hidden = playing;
    at("turn").hidden = !playing;
    at("sheet").hidden = !playing;
    stayAwake(playing && match.phase !== "finished");
    if (!playing) return;
    const turn = match.turn;
    text(at("player"), turn ? turn.player : match.phase === "finished" ? "The match is over" : `Game ${match.game}`);
    text(at("say"), match.notice || match.say);
    this.glass.show(turn ? match.clock : { phase: "off" });
    if (turn && before.turn && turn.number !== before.turn.number) yourTurn();
    this.part("buttons", [match.buttons, turn?.owes, match.restore?.restored], () => this.buttons());
    this.part("faults", turn?.faults ?? [], (faults) => this.faults(faults));
    this.part("restore", match.restore, (way) => showRestore(at("restore"), way));
    this.part("counting", match.counting, (counting) => showCounting(at("counting"), counting, this));
    this.part("next-game", match.phase === "seated" ? match.players.map((p) => p.name) : null, (names) => this.nextGame(names));
    this.part("sheet", [match.players, match.sheet, turn?.player], () => this.sheet());
  }

  // Draws a part only when it says something else than before, so that focus and typing are not lost.
  part(id, value, draw) {
    const key = JSON.stringify(value ?? null);
    if (this.drawn[id] === key) return;
    this.drawn[id] = key;
    draw(value);
  }

  label(name) {
    const owes = this.match.turn?.owes ?? 0;
    if (name === "penalty") return `Put back, ${owes} drawn`;
    return name === "draw" && owes > 1 ? `Draw ${owes}` : LABELS[name];
  }

  buttons() {
    const names = this.match.buttons;
    const back = this.match.restore?.restored;
    const main = names.includes("wait-no-more") || (names.includes("penalty") && !back) ? "" : names.find((name) => MAIN.includes(name));
    this.at("buttons").replaceChildren(...names.map((name) => {
      const button = html("button", { type: "button", class: name === main ? "main" : "" }, this.label(name));
      button.dataset.button = name;
      button.addEventListener("click", () => this.press(name));
      return button;
    }));
  }

  faults(faults) {
    const box = this.at("faults");
    box.hidden = faults.length === 0 || this.match.turn.time_over;
    box.replaceChildren(
      html("h3", {}, "Not yet right"),
      html("ul", {}, ...faults.map((fault) => html("li", {}, ...(fault.tiles.length ? [row(fault.tiles)] : []), fault.text))),
    );
  }

  nextGame(names) {
    const box = this.at("next-game");
    box.hidden = !names;
    if (!names) return;
    box.replaceChildren(html("h3", {}, "Who starts the next game?"), html("div", { class: "choices" }, ...names.map((name) => {
      const button = html("button", { type: "button" }, name);
      button.addEventListener("click", () => this.press("deal", { first: name }));
      return button;
    })));
  }

  more() {
    const line = html("div", { class: "line" }, html("a", { href: "/score.csv", download: "" }, "Save the score (CSV)"));
    const offer = (label, question, button, data) => {
      const element = html("button", { type: "button", class: "small" }, label);
      element.addEventListener("click", () => confirm(question) && this.press(button, data));
      line.append(element);
    };
    if (["ready", "turn", "counting"].includes(this.match.phase)) {
      offer("Give this game up", "End this game without points and play it again?", "abandon", {});
    }
    offer("Another match", "Leave this match and begin another one?", "new", { anyway: true });
    return line;
  }

  sheet() {
    const { players, sheet, turn } = this.match;
    const head = html("tr", {}, html("th", { scope: "col" }, "Player"), html("th", { scope: "col" }, "Tiles"));
    sheet.rows.forEach((_, index) => head.append(html("th", { scope: "col" }, `Game ${index + 1}`)));
    head.append(html("th", { scope: "col" }, "Won"), html("th", { scope: "col" }, "Total"));
    const rows = players.map((player, k) => {
      const line = html("tr", turn?.player === player.name ? { class: "on-turn" } : {},
        html("th", { scope: "row" }, player.name), html("td", {}, player.tiles ?? "–"));
      for (const game of sheet.rows) {
        line.append(html("td", game.winners.includes(player.name) ? { class: "won" } : {}, signed(game.points[k])));
      }
      line.append(html("td", {}, String(player.wins)), html("td", {}, signed(player.total)));
      return line;
    });
    this.at("sheet").replaceChildren(html("table", {},
      html("caption", {}, `Score, ${this.match.rules} rules; ${this.match.pool} tiles in the pool`),
      html("thead", {}, head), html("tbody", {}, ...rows)), this.more());
  }
}

const text = (element, value) => {
  if (element.textContent !== value) element.textContent = value;
};
const signed = (value) => (value > 0 ? `+${value}` : value < 0 ? `−${-value}` : "0");
