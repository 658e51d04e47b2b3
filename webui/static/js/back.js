// "Looking back": kept matches, their games turn by turn, what could have been played; and saving a game as a folder.
import { ALL, choice } from "./pick.js";
import { post, why } from "./press.js";
import { html } from "./svg.js";
import { tileFace } from "./tiles.js";
import { listed, locale, say, t } from "./words.js";

const at = (id) => document.getElementById(id);
const HOW = { played: "laid", drew: "drew", "time-over": "time-over", penalty: "penalty", passed: "passed", out: "out" };
const MOST_ON_RACK = 60;

const button = (text, onClick, attributes = {}) => {
  const element = html("button", { type: "button", ...attributes }, text);
  element.addEventListener("click", onClick);
  return element;
};

class Back {
  constructor() {
    this.matches = [];
    this.match = null;
    this.game = 0;
    this.turn = 0;
    this.rack = [];
    this.dialog = html("dialog", { id: "back", "aria-labelledby": "back-title" });
    this.top = html("div", { class: "where" });
    this.earlier = button(`← ${t("back.earlier")}`, () => this.step(-1), { class: "small" });
    this.later = button(`${t("back.later")} →`, () => this.step(1), { class: "small" });
    this.place = html("p", { class: "place", role: "status" });
    this.body = html("div", { class: "past" });
    this.note = html("p", { class: "notice", role: "status", hidden: "" });
    this.keep = button(t("back.save"), () => this.save(), { id: "back-save", class: "acts" });
    this.dialog.append(
      html("h2", { id: "back-title" }, t("back.title")),
      this.top,
      html("div", { class: "steps", role: "group", "aria-label": t("back.turns") }, this.earlier, this.place, this.later),
      this.body,
      this.note,
      html("div", { class: "row" }, this.keep, button(t("app.close"), () => this.dialog.close(), { class: "main" })),
    );
    this.dialog.addEventListener("keydown", (event) => this.key(event));
    document.body.append(this.dialog);
    at("tools").append(
      button(t("back.title"), () => this.open(), { id: "open-back", class: "small" }),
      button(t("back.save"), () => this.open(true), { id: "save-game", class: "small acts" }),
    );
  }

  async open(save = false) {
    at("menu").close();
    this.tell("");
    this.dialog.showModal();
    const found = await this.get("/history.json");
    this.matches = found?.matches ?? [];
    await this.take(this.matches[0]?.key);
    if (save) await this.save();
  }

  async get(address) {
    try {
      const answer = await fetch(address);
      if (answer.ok) return await answer.json();
      this.tell(answer.headers.get("Content-Type")?.includes("json") ? why(await answer.json()) : (await answer.text()).trim());
    } catch {
      this.tell(t("app.no-answer"));
    }
    return null;
  }

  async take(key) {
    this.match = key === undefined ? null : await this.get(`/history/${encodeURIComponent(key)}.json`);
    this.game = Math.max(0, (this.match?.games.length ?? 0) - 1);
    this.begin();
  }

  // The last turn of the game first: that is mostly what one wants to see again.
  begin() {
    this.turn = Math.max(0, this.turns.length - 1);
    this.draw();
  }

  get turns() {
    return this.match ? this.match.turns.filter((turn) => turn.game === this.game) : [];
  }

  step(by) {
    const next = this.turn + by;
    if (next < 0 || next >= this.turns.length) return;
    this.turn = next;
    this.draw();
  }

  key(event) {
    const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (!by || event.target.matches("select, input")) return;
    event.preventDefault();
    this.step(document.documentElement.dir === "rtl" ? -by : by);
  }

  tell(text) {
    this.note.hidden = !text;
    this.note.textContent = text;
  }

  draw() {
    const { turns, match } = this;
    this.top.replaceChildren(...this.choices());
    const turn = turns[this.turn];
    this.earlier.disabled = this.turn < 1;
    this.later.disabled = this.turn >= turns.length - 1;
    this.place.textContent = turn ? t("back.turn", { number: this.turn + 1, count: turns.length }) : t("back.nothing");
    this.keep.disabled = !match?.recorded.length;
    this.rack = turn?.rack ?? [];
    this.body.replaceChildren(...(turn ? this.past(turn) : []));
  }

  choices() {
    if (!this.match) return [];
    const match = html("select", { id: "back-match" }, ...this.matches.map(({ key, name, players, running, trouble }) =>
      html("option", { value: key, ...(trouble ? { disabled: "" } : {}) },
        `${running ? t("back.running") : name} – ${trouble ? t("back.damaged") : players.join(", ")}`)));
    match.value = this.match.key;
    match.addEventListener("change", () => this.take(match.value));
    const game = html("select", { id: "back-game" }, ...this.match.games.map((one, index) => html("option", { value: index }, gameName(one))));
    game.value = this.game;
    game.addEventListener("change", () => {
      this.game = Number(game.value);
      this.begin();
    });
    return [html("label", {}, t("back.match"), match), html("label", {}, t("back.game"), game)];
  }

  past(turn) {
    const tiles = (count) => ({ key: "tiles", args: { count } });
    const name = turn.player;
    const parts = [
      html("p", { class: "how" }, t(`last.${HOW[turn.how]}`, { name, tiles: tiles(turn.how === "played" ? turn.laid.length : turn.drawn) })),
      html("p", { class: "time" }, turn.limit === null ? t("back.used", { used: seconds(turn.used) })
        : t("back.used-of", { used: seconds(turn.used), limit: seconds(turn.limit) })),
    ];
    const tries = turn.judged.filter((word) => !word.legal);
    if (tries.length) parts.push(html("ul", { class: "tries" }, ...tries.map((word) => this.word(word))));
    parts.push(html("div", { class: "layouts" },
      html("section", {}, html("h3", {}, t("back.before")), layout(turn.before)),
      html("section", {}, html("h3", {}, t("back.after")), layout(turn.after, turn.laid))));
    if (turn.picture) {
      const source = `/history/${encodeURIComponent(this.match.key)}/${turn.event}.jpg`;
      parts.push(html("img", { src: source, loading: "lazy", alt: t("back.picture", { name }) }));
    }
    if (turn.moves) parts.push(this.moves(turn));
    return parts;
  }

  word(word) {
    const shown = html("details", {}, html("summary", {}, listed(word.faults.map((fault) => say(fault.said))) || t("back.not-legal")));
    shown.append(layout([...word.table, ...word.loose.map((tile) => [tile])]));
    return html("li", {}, shown);
  }

  // Which tiles were on the rack: known where nothing was drawn since, else somebody says it.
  moves(turn) {
    const rack = html("div", { class: "choices rack", dir: "ltr", role: "group", "aria-label": t("back.rack", { name: turn.player }) });
    const best = html("div", { class: "best", "aria-live": "polite" });
    const ask = button(t("back.ask"), () => this.ask(turn, best, ask), { class: "acts" });
    const show = () => {
      rack.replaceChildren(...this.rack.map((tile, index) => {
        const face = tileFace(tile, false);
        const one = html("button", { type: "button", class: "choice", "aria-label": t("back.take-away", { tile: face.getAttribute("aria-label") }) }, face);
        one.addEventListener("click", () => {
          this.rack = this.rack.filter((_, other) => other !== index);
          show();
        });
        return one;
      }));
      ask.disabled = !this.rack.length;
    };
    const add = html("div", { class: "all" }, ...ALL.map((tile) => choice(tile, (picked) => {
      if (this.rack.length < MOST_ON_RACK) this.rack = [...this.rack, picked];
      show();
    })));
    show();
    const hint = turn.rack ? t("back.rack-known", { name: turn.player }) : t("back.rack-hint", { name: turn.player });
    return html("details", { class: "moves acts" }, html("summary", {}, t("back.moves")), html("p", { class: "hint" }, hint), rack,
      html("details", { ...(turn.rack ? {} : { open: "" }) }, html("summary", {}, t("back.add")), add), ask, best);
  }

  async ask(turn, box, asked) {
    asked.disabled = true;
    box.replaceChildren(html("p", {}, t("back.thinking")));
    const address = `/history/${encodeURIComponent(this.match.key)}/${turn.event}/moves`;
    const answer = await post(address, { rack: this.rack });
    asked.disabled = false;
    if (!answer.good) {
      box.replaceChildren(html("p", { class: "notice", role: "alert" }, why(answer)));
      return;
    }
    const proof = answer.optimal ? "" : ` ${t("back.not-proven")}`;
    if (!answer.playable) {
      box.replaceChildren(html("p", {}, t("back.no-play") + proof));
      return;
    }
    box.replaceChildren(html("p", {}, t("back.play", { tiles: { key: "tiles", args: { count: answer.played.length } } }) + proof), layout(answer.table, answer.played));
  }

  async save() {
    const { number } = this.match?.games[this.game] ?? {};
    const mine = (this.match?.recorded ?? []).filter((game) => game.game === number);
    this.keep.disabled = true;
    const answer = await post("/history/save", mine.length ? { id: mine[mine.length - 1].id } : {});
    this.keep.disabled = false;
    this.tell(answer.good ? t("back.saved", { folder: answer.folder }) : why(answer));
  }
}

const seconds = (ms) => t("back.seconds", { count: Math.round(ms / 1000).toLocaleString(locale) });

function gameName({ number, end, winner }) {
  if (end === null) return t("back.game-now", { number });
  if (end === "out") return t("back.game-won", { number, name: winner });
  return t(`back.game-${end}`, { number });
}

// The sets as they lay; tiles that were laid in this turn stand out.
function layout(sets, laid = []) {
  if (!sets.length) return html("p", { class: "none" }, t("back.empty"));
  const left = [...laid];
  return html("ul", { class: "drawn", dir: "ltr" }, ...sets.map((tiles) => html("li", {}, ...tiles.map((tile) => {
    const face = tileFace(tile, false);
    const known = left.indexOf(tile);
    if (known >= 0) {
      left.splice(known, 1);
      face.classList.add("laid");
      face.setAttribute("aria-label", t("back.laid", { tile: face.getAttribute("aria-label") }));
    }
    return face;
  }))));
}

// A full disk ends the recording and not the game; everybody is told.
export function showRecord({ trouble }) {
  at("record-trouble").hidden = !trouble;
  at("record-trouble").textContent = trouble ? t("back.not-recorded", { why: trouble }) : "";
}

new Back();
