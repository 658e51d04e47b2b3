// The score at a glance: who plays, how many tiles, how many points. A tap on a player puts right what was miscounted.
import { pad } from "./pad.js";
import { html } from "./svg.js";
import { press } from "./press.js";
import { t } from "./words.js";

export const signed = (value) => (value > 0 ? `+${value}` : value < 0 ? `−${-value}` : "0");

export class Score {
  constructor(at, game) {
    this.box = at("score");
    this.pool = at("pool");
    this.dialog = at("put-right");
    this.title = at("put-right-title");
    this.body = at("put-right-body");
    this.refused = at("put-right-refused");
    this.game = game;
    game.askRack = (name) => this.askRack(name);
  }

  show(match) {
    this.match = match;
    this.game.part("score", match.players && [match.players, match.sheet, match.turn?.player, match.pool, match.phase], () => this.draw());
  }

  draw() {
    const { players, sheet, turn, pool, phase } = this.match;
    this.box.hidden = !players;
    this.pool.hidden = !["ready", "turn"].includes(phase);
    if (!this.pool.hidden) this.pool.textContent = t("score.pool", { count: pool });
    if (!players) return;
    const cards = players.map((player, k) => {
      const leads = sheet.leads.includes(player.name);
      const card = html("button", { type: "button", class: "player-card", "data-player": player.name });
      if (turn?.player === player.name) card.setAttribute("aria-current", "true");
      card.append(
        html("span", { class: "name" }, ...(leads ? [html("span", { class: "star", role: "img", "aria-label": t("score.leads") }, "★")] : []), html("bdi", {}, player.name)),
        html("span", { class: "points", dir: "ltr" }, signed(sheet.totals[k])),
      );
      if (player.tiles !== null) card.append(html("span", { class: "rack" }, t("tiles", { count: player.tiles })));
      card.addEventListener("click", () => this.open(player.name));
      return html("li", {}, card);
    });
    const list = html("ul", { class: "players" }, ...cards);
    this.box.replaceChildren(list);
  }

  say(text) {
    this.refused.hidden = !text;
    this.refused.textContent = text;
  }

  async send(button, data) {
    if (await press(button, data, (text) => this.say(text))) this.dialog.close();
  }

  open(name) {
    const player = this.match.players.find((one) => one.name === name);
    if (!player || document.body.dataset.may === "watch") return;
    this.say("");
    this.title.textContent = name;
    const parts = [];
    if (player.tiles !== null && ["ready", "turn", "counting"].includes(this.match.phase)) {
      parts.push(...this.rack(player));
    }
    if (["ready", "turn"].includes(this.match.phase)) {
      const button = html("button", { type: "button" }, player.opened ? t("score.not-opened") : t("score.opened"));
      button.addEventListener("click", () => this.send("opened", { player: name, opened: !player.opened }));
      parts.push(html("p", {}, player.opened ? t("score.has-opened", { name }) : t("score.has-not-opened", { name })), button);
    }
    if (!parts.length) parts.push(html("p", {}, t("score.nothing")));
    this.body.replaceChildren(...parts);
    this.dialog.showModal();
  }

  // How many tiles somebody really holds.
  askRack(name) {
    this.say("");
    this.title.textContent = name;
    this.body.replaceChildren(...this.rack(this.match.players.find((one) => one.name === name)));
    this.dialog.showModal();
  }

  rack({ name, tiles }) {
    return [html("p", {}, t("score.count", { tiles: t("tiles", { count: tiles }) })),
      pad(t("score.tiles-of", { name }), (held) => this.send("rack", { player: name, tiles: held }))];
  }

  // A rack of a game that is on the sheet already.
  recount(game, number, name, value) {
    this.say("");
    this.title.textContent = t("score.recount", { game: number, name });
    this.body.replaceChildren(html("p", {}, t("score.was", { count: value })),
      pad(t("score.points-of", { name }), (points) => this.send("recount", { game, player: name, rack: points })));
    this.dialog.showModal();
  }
}
