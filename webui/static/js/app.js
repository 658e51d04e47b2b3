// The page only draws what the companion says; it decides nothing.
import { Game } from "./game.js";
import { heard } from "./now.js";
import { Overlay } from "./overlay.js";
import { ask, Picker } from "./pick.js";
import { LivePicture } from "./picture.js";
import { press } from "./press.js";
import { allowSound } from "./sound.js";
import { Start } from "./start.js";
import { follow } from "./stream.js";
import { html } from "./svg.js";
import { mark, tileFace } from "./tiles.js";

const at = (id) => document.getElementById(id);
const setText = (element, text) => {
  if (element.textContent !== text) element.textContent = text;
};

const overlay = new Overlay(at("overlay"));
const picture = new LivePicture(at("picture"), () => drawQuestion());
const MARKS = { moving: "busy", settling: "busy", reading: "busy", hand: "hand", empty: "unsure", failed: "wrong", stopped: "wrong" };
const WORDS = { right: "right", wrong: "not right", unsure: "not sure" };
const URGENT = ["wrong", "unsure", "right"];
const refused = (text) => {
  at("refused").hidden = !text;
  setText(at("refused"), text);
};
const game = new Game(at, (button, data) => press(button, data, refused));
new Start(at, (data, say) => press("start", data, say));
const answer = (asked, tile, picked) => press("answer", { scene: asked.scene, id: tile.id, tile: picked }, refused);
const picker = new Picker(at, answer);
let asking = "";
let match = null;
let live = null;
let table = null;
let listed = "";

function drawState() {
  if (!live) return;
  const current = table && live.scene > 0 && table.scene === live.scene;
  const judged = current && live.phase === "read";
  document.body.dataset.phase = live.phase;
  at("verdict").dataset.state = judged ? table.headline.state : MARKS[live.phase] || "waiting";
  const sign = judged ? table.headline.state : MARKS[live.phase] || "waiting";
  if (at("mark").dataset.sign !== sign) {
    at("mark").dataset.sign = sign;
    at("mark").replaceChildren(mark(sign));
  }
  setText(at("headline"), judged ? table.headline.text : live.message);
  setText(at("phase"), judged && live.picture && live.picture.name ? live.picture.name : "");

  const { trouble, message, name, age } = live.camera;
  at("camera").dataset.trouble = trouble || "";
  setText(at("camera-name"), name);
  setText(at("camera-note"), age !== null && age >= 1 ? `picture ${Math.round(age)} s old` : "");
  at("trouble").hidden = !message || live.phase === "stopped";
  setText(at("trouble"), message);
  at("stage").toggleAttribute("data-stale", live.phase === "stopped");
  at("stage").toggleAttribute("data-hidden", !current);
  at("side").toggleAttribute("data-old", !current);
  if (live.picture) picture.want(live.picture, live.phase === "read");
}

function listItem(verdict, index, byId) {
  const tiles = html("div", { class: "tiles" });
  for (const id of verdict.ids) {
    const tile = byId.get(id);
    const face = tileFace(tile.tile, tile.unsure);
    const button = html("button", { type: "button", class: "choice", "aria-label": `${face.getAttribute("aria-label")}: correct it` }, face);
    button.addEventListener("click", () => picker.open(table, tile, picture.image));
    tiles.append(button);
  }
  const badge = mark(verdict.state, "badge");
  badge.setAttribute("role", "img");
  badge.setAttribute("aria-label", `Set ${index + 1}, ${WORDS[verdict.state]}`);
  const title = html("p", { class: "what" }, `${index + 1}. ${verdict.title}`);
  if (verdict.state === "right") title.append(" ", html("span", { class: "value" }, `worth ${verdict.value}`));
  const item = html("li", { class: "set", "data-state": verdict.state },
    badge,
    title,
    html("p", { class: "why" }, verdict.text),
    tiles);
  item.addEventListener("pointerenter", () => overlay.pick(index));
  item.addEventListener("pointerleave", () => overlay.pick(null));
  return item;
}

function drawTable() {
  overlay.show(table);
  const key = JSON.stringify([table.verdicts, table.reading.warnings]);
  if (key === listed) return;
  listed = key;
  const byId = new Map(table.reading.tiles.map((tile) => [tile.id, tile]));
  // What needs somebody comes first; the numbers are those on the picture.
  const order = table.verdicts.map((_, index) => index);
  order.sort((a, b) => URGENT.indexOf(table.verdicts[a].state) - URGENT.indexOf(table.verdicts[b].state) || a - b);
  at("list").replaceChildren(...order.map((index) => listItem(table.verdicts[index], index, byId)));
  const warnings = table.reading.warnings.filter((warning) => warning.code !== "no-tiles");
  at("warnings").replaceChildren(...warnings.map((warning) => html("li", {}, warning.message)));
  at("warnings").hidden = warnings.length === 0;
  at("none").hidden = table.verdicts.length > 0;
  setText(at("none"), "No tiles found in this picture.");
}

// The referee's word waits for an answer: the first doubt is asked about, here and on every page.
function drawQuestion() {
  const question = match?.questions?.[0];
  const tile = table?.reading.tiles.find((t) => t.id === question?.id);
  const current = tile && live && live.scene === table.scene;
  const key = current ? `${JSON.stringify(question)} ${table.scene} ${picture.shown}` : "";
  if (key === asking) return;
  asking = key;
  at("ask").hidden = !current;
  if (current) ask(at("ask"), question, table, tile, picture.image, answer, () => picker.open(table, tile, picture.image));
}

allowSound();
follow(
  {
    match: (document) => {
      match = document;
      game.show(document);
      overlay.guide(document.restore && document.restore.read && !document.restore.restored ? document.restore : null);
      drawQuestion();
    },
    live: (document) => {
      live = document;
      drawState();
      drawQuestion();
    },
    table: (document) => {
      table = document;
      drawTable();
      drawState();
      drawQuestion();
    },
  },
  heard,
  (good) => {
    at("link").hidden = good;
  },
);
