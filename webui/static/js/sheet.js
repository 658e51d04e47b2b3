// The score sheet: a row a game, running totals, places, corrections, a picture of it; to print, and to take away.
import { chart } from "./chart.js";
import { signed } from "./score.js";
import { html } from "./svg.js";
import { listed, locale, say, t } from "./words.js";

export class SheetView {
  constructor(at, score) {
    this.dialog = at("sheet");
    this.body = at("sheet-body");
    this.opener = at("open-sheet");
    this.score = score;
    this.opener.addEventListener("click", () => this.dialog.showModal());
    at("print").addEventListener("click", () => window.print());
  }

  show(match) {
    this.match = match;
    this.opener.hidden = !match.players;
    this.score.game.part("sheet", match.players && [match.players.map((p) => p.name), match.sheet, match.rules, match.options], () => this.draw());
  }

  draw() {
    const { players, sheet, rules, options } = this.match;
    if (!players) return;
    const names = players.map((player) => player.name);
    const length = sheet.length ? t("sheet.of", { count: sheet.length }) : "";
    const parts = [html("p", { class: "hint" }, [t(`rules.${rules}`), ...options.map((option) => this.option(option)), length].filter(Boolean).join(" · "))];
    if (!sheet.scored) parts.push(html("p", { class: "big" }, t("sheet.not-scored")));
    if (sheet.rows.length) parts.push(html("p", { class: "big" }, this.standing(sheet, names)));
    parts.push(html("div", { class: "wide" }, this.table(names, sheet)));
    if (sheet.rows.length) parts.push(html("div", { class: "picture", dir: "ltr" }, chart(players, sheet.rows)));
    if (sheet.corrections.length) parts.push(this.corrections(sheet.corrections));
    this.body.replaceChildren(...parts);
  }

  option(text) {
    const [name, value] = text.split("=");
    return value === undefined ? t(`option.${name}`) : `${t(`option.${name}`)}: ${value}`;
  }

  standing(sheet, names) {
    const first = listed(sheet.ranking[0]);
    const count = sheet.ranking[0].length;
    if (sheet.finished) return t("sheet.won", { names: first, count });
    return count === names.length ? t("sheet.level") : t("sheet.leads", { names: first, count });
  }

  table(names, sheet) {
    const head = html("tr", {}, html("th", { scope: "col" }, t("sheet.game")), ...names.map((name) => html("th", { scope: "col" }, html("bdi", {}, name))));
    const rows = sheet.rows.map((row, at) => html("tr", {},
      html("th", { scope: "row" }, row.number === null ? t("sheet.abandoned") : String(row.number)),
      ...names.map((name, k) => this.cell(row, at, name, k))));
    const line = (title, values, kind = "") => html("tr", { class: kind }, html("th", { scope: "row" }, title),
      ...values.map((value) => html("td", { dir: "ltr" }, value)));
    const foot = [
      line(t("sheet.total"), sheet.totals.map(signed), "total"),
      line(t("sheet.wins"), sheet.wins.map(String)),
      // Before anything was won or lost nobody has a place.
      ...(sheet.rows.some((row) => row.number !== null) ? [line(t("sheet.place"), sheet.places.map((place) => (sheet.places.filter((p) => p === place).length > 1 ? t("sheet.shared", { place }) : String(place))))] : []),
    ];
    return html("table", {}, html("caption", {}, t("sheet.caption")), html("thead", {}, head), html("tbody", {}, ...rows), html("tfoot", {}, ...foot));
  }

  // Points of a game and what they add up to; where a rack was counted, a tap corrects it.
  cell(row, at, name, k) {
    const won = row.winners.includes(name);
    const parts = [html("span", { class: "points" }, signed(row.points[k])), html("span", { class: "running" }, signed(row.running[k]))];
    if (won) parts.unshift(html("span", { class: "star", role: "img", "aria-label": t("sheet.won-this") }, "★"));
    const inner = html("span", { dir: "ltr" }, ...parts);
    if (row.racks[k] === null || row.number === null || document.body.dataset.may === "watch") return html("td", {}, inner);
    const button = html("button", { type: "button", class: "cell" }, inner);
    button.setAttribute("aria-label", t("sheet.correct", { game: row.number, name, points: signed(row.points[k]), total: signed(row.running[k]) }));
    button.addEventListener("click", () => this.score.recount(at + 1, row.number, name, row.racks[k]));
    return html("td", {}, button);
  }

  corrections(list) {
    const when = new Intl.DateTimeFormat(locale, { hour: "2-digit", minute: "2-digit" });
    return html("details", { class: "corrections" }, html("summary", {}, t("sheet.corrections", { count: list.length })),
      html("ul", {}, ...list.map((entry) => html("li", {}, html("time", {}, when.format(new Date(entry.at))), " ", say(entry)))));
  }
}
