// Between two games: how it stands, who sits where, the opening draw with its redraws, who starts.
import { html } from "./svg.js";
import { tileFace } from "./tiles.js";
import { listed, t } from "./words.js";

export class Seats {
  constructor(at, game) {
    this.box = at("next-game");
    this.game = game;
  }

  show(match) {
    this.game.part("next-game", match.draws && [match.draws, match.seats, match.game], () => this.draw(match));
  }

  draw(match) {
    const { draws, seats } = match;
    this.box.hidden = !draws;
    if (!draws) return;
    const parts = [html("h2", {}, t("seats.title"))];
    if (!draws.begun) parts.push(this.starters(seats), html("p", { class: "hint" }, t("seats.or-draw")));
    else if (!draws.pending.length) parts.push(html("p", { class: "big" }, t("seats.starts", { name: draws.first })));
    else parts.push(html("p", { class: "hint" }, this.why(draws, seats)));
    parts.push(this.table(draws, seats));
    if (draws.begun && !draws.pending.length) parts.push(this.button(t("seats.deal"), "main", "deal", { first: null }));
    if (!draws.begun) parts.push(this.places(seats));
    this.box.replaceChildren(...parts);
  }

  button(label, kind, name, data) {
    const button = html("button", { type: "button", class: kind }, label);
    button.addEventListener("click", () => this.game.press(name, data));
    return button;
  }

  starters(seats) {
    return html("div", { class: "choices acts" }, ...seats.map((name) => this.button(name, "", "deal", { first: name })));
  }

  why(draws, seats) {
    const again = draws.pending.length < seats.length || draws.drawn.length;
    if (draws.rivals.length < seats.length) return t("seats.tie", { names: listed(draws.rivals) });
    return again && draws.drawn.length + draws.pending.length === seats.length && draws.drawn.length
      ? t("seats.go-on") : t("seats.everybody");
  }

  // Each seat with the tile that lies open, or the two ways to get one.
  table(draws, seats) {
    const drawn = new Map(draws.drawn.map(({ name, tile }) => [name, tile]));
    return html("ul", { class: "draws" }, ...seats.map((name) => {
      const line = html("li", { class: draws.first === name ? "first" : "" }, html("bdi", { class: "name" }, name));
      const data = { player: name, drawn: draws.times[name] };
      if (draws.pending.includes(name)) {
        const own = html("button", { type: "button", class: "small" }, t("seats.drew"));
        own.addEventListener("click", () => this.game.picker.open({ title: t("seats.which", { name }) },
          (tile) => this.game.press("opening-draw", { ...data, tile })));
        line.append(html("span", { class: "choices acts" }, this.button(t("seats.draw"), "small", "opening-draw", { ...data, tile: null }), own));
      } else if (drawn.has(name)) {
        line.append(tileFace(drawn.get(name), false));
        if (!draws.rivals.includes(name)) line.classList.add("out");
      }
      return line;
    }));
  }

  // Seats may change between the games.
  places(seats) {
    const box = html("details", { class: "acts" }, html("summary", {}, t("seats.change")));
    const list = html("ol", { class: "draws" });
    seats.forEach((name, index) => {
      const line = html("li", {}, html("bdi", { class: "name" }, name));
      const swap = [...seats];
      if (index) [swap[index - 1], swap[index]] = [swap[index], swap[index - 1]];
      if (index) line.append(this.button("↑", "small", "seats", { players: swap }));
      line.querySelector("button")?.setAttribute("aria-label", t("seats.before", { name, other: seats[index - 1] }));
      list.append(line);
    });
    box.append(list);
    return box;
  }
}
