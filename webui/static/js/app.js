// The page only draws what the companion says; it decides nothing.
import { showRecord } from "./back.js";
import { Cameras } from "./cameras.js";
import { Demo } from "./demo.js";
import { Game } from "./game.js";
import { Join } from "./join.js";
import { DrawnLayout } from "./layout.js";
import { askLine, lineOf } from "./lines.js";
import { closers, dress, Menu } from "./menu.js";
import { heard } from "./now.js";
import { Overlay } from "./overlay.js";
import { ask, likelyTiles, Picker } from "./pick.js";
import { LivePicture } from "./picture.js";
import { Area } from "./place.js";
import { press } from "./press.js";
import { Score } from "./score.js";
import { Seats } from "./seats.js";
import { SheetView } from "./sheet.js";
import { allowSound } from "./sound.js";
import { Start } from "./start.js";
import { follow } from "./stream.js";
import { mark } from "./tiles.js";
import { has, say, t, translate } from "./words.js";

const at = (id) => document.getElementById(id);
const setText = (element, text) => {
  if (element.textContent !== text) element.textContent = text;
};
const may = () => document.body.dataset.may !== "watch";

dress();
translate();

const MARKS = { moving: "busy", settling: "busy", reading: "busy", hand: "hand", empty: "unsure", failed: "wrong", stopped: "wrong" };
const refused = (text) => {
  at("refused").hidden = !text;
  setText(at("refused"), text);
};
const send = (button, data) => press(button, data, refused);
const overlay = new Overlay(at("overlay"));
const picture = new LivePicture(at("picture"), () => drawQuestion());
const picker = new Picker(at);
const area = new Area(at);
const cameras = new Cameras(at, area);
const game = new Game(at, send, refused, picker);
const score = new Score(at, game);
const demo = new Demo(at, refused);
const parts = [game, score, new SheetView(at, score), new Seats(at, game), new Menu(at, game)];
new Start(at, (data, tell) => press("start", data, tell));
new Join(at);
let asking = "";
let match = null;
let live = null;
let table = null;

const answer = (asked, tile, picked) => send("answer", { scene: asked.scene, id: tile.id, tile: picked });
const part = ({ scene }, ids, parts) => send("part", { scene, ids, parts });

// Any tile can be named anew; any place on the picture where none was read can get one.
function correct(asked, tile) {
  if (!may()) return;
  picker.open(
    { title: t("pick.which"), likely: likelyTiles(tile), none: true, image: picture.image, reading: asked.reading, quad: tile.quad },
    (picked) => answer(asked, tile, picked),
  );
}

function add(place) {
  if (!may() || !table) return;
  const { scene, reading } = table;
  picker.open({ title: t("pick.add"), image: picture.image, reading, quad: around(reading, place) },
    (picked) => send("add", { scene, at: place, tile: picked }));
}

// A place as large as the tiles near it, for the cut-out.
function around({ tiles, image }, [x, y]) {
  const far = ({ quad }) => Math.hypot(quad[0][0] - x, quad[0][1] - y);
  const near = tiles.length ? tiles.reduce((best, tile) => (far(tile) < far(best) ? tile : best)) : null;
  const high = near ? Math.hypot(near.quad[3][0] - near.quad[0][0], near.quad[3][1] - near.quad[0][1]) : image.width / 16;
  const half = high / 2;
  return [[x - half, y - half], [x + half, y - half], [x + half, y + half], [x - half, y + half]];
}

const drawn = new DrawnLayout(at, overlay, { onTile: correct, onAdd: add, onLine: part });
overlay.onTap(correct, add, toQuestion);

// In a match an empty table is nothing to wonder at.
const bare = () => live.phase === "empty" && match && match.phase !== "empty";
const spoken = () => {
  const { phase, message, camera } = live;
  if (bare()) return t("phase.bare");
  if (phase === "choosing") return cameras.said();
  if (phase === "stopped" && has(`trouble.${camera.trouble}`)) return t(`trouble.${camera.trouble}`);
  return phase !== "failed" && has(`phase.${phase}`) ? t(`phase.${phase}`) : message;
};

function drawState() {
  if (!live) return;
  const current = table && live.scene > 0 && table.scene === live.scene;
  const judged = current && live.phase === "read";
  document.body.dataset.phase = live.phase;
  const sign = bare() ? "waiting" : judged ? table.headline.state : MARKS[live.phase] || "waiting";
  at("verdict").dataset.state = sign;
  if (at("mark").dataset.sign !== sign) {
    at("mark").dataset.sign = sign;
    at("mark").replaceChildren(mark(sign));
  }
  setText(at("headline"), judged ? say(table.headline) : spoken());
  setText(at("phase"), judged && live.picture && live.picture.name ? live.picture.name : "");

  const { trouble, message, name, age } = live.camera;
  at("camera").dataset.trouble = trouble || "";
  setText(at("camera-name").firstElementChild, name);
  setText(at("camera-note"), age !== null && age >= 1 ? t("view.old", { count: Math.round(age) }) : "");
  at("trouble").hidden = !message || live.phase === "stopped";
  setText(at("trouble"), has(`trouble.${trouble}`) ? t(`trouble.${trouble}`) : message);
  at("stage").toggleAttribute("data-stale", live.phase === "stopped");
  at("stage").toggleAttribute("data-hidden", !current);
  at("side").toggleAttribute("data-old", !current);
  if (live.picture) picture.want(live.picture, live.phase === "read");
}

// The referee's word waits for an answer: the first doubt is asked about, here and on every page.
function drawQuestion() {
  const question = match?.questions?.[0];
  const tile = table?.reading.tiles.find((one) => one.id === question?.id);
  const line = !question && match?.lines?.length && table ? lineOf(table, match.lines[0]) : null;
  const current = (tile || line) && live && live.scene === table.scene;
  const key = current ? `${JSON.stringify(tile ? question : line)} ${table.scene} ${tile ? picture.shown : ""}` : "";
  if (key === asking) return;
  asking = key;
  at("ask").hidden = !current;
  if (current && tile) ask(at("ask"), question, table, tile, picture.image, answer, () => correct(table, tile));
  else if (current) askLine(at("ask"), table, line, part);
}

// From a mark on the picture to the buttons that answer it.
function toQuestion() {
  const button = document.querySelector("#ask:not([hidden]) .parting, #list .parting");
  button?.scrollIntoView({ block: "center" });
  button?.focus();
}

closers();
allowSound();
follow(
  {
    you: ({ role }) => {
      document.body.dataset.may = role === "view" ? "watch" : "play";
      if (table) drawn.show(table, may());
    },
    match: (document) => {
      match = document;
      at("open-start").hidden = document.phase !== "empty";
      for (const part of parts) part.show(document);
      drawState();
      overlay.guide(document.restore && document.restore.read && !document.restore.restored ? document.restore : null);
      drawQuestion();
    },
    record: showRecord,
    cameras: (document) => {
      cameras.show(document);
      drawState();
    },
    demo: (document) => demo.show(document),
    live: (document) => {
      live = document;
      area.show(live);
      cameras.look(live);
      drawState();
      drawQuestion();
    },
    table: (document) => {
      table = document;
      overlay.show(table);
      drawn.show(table, may());
      drawState();
      drawQuestion();
    },
  },
  heard,
  (good, full) => {
    at("link").hidden = good;
    setText(at("link"), t(full ? "app.full" : "app.lost"));
  },
);
