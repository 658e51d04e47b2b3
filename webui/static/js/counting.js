// The racks at the end of a game, or shown before it: read, put right by tapping, entered on the sheet.
import { pad } from "./pad.js";
import { sure } from "./sure.js";
import { html } from "./svg.js";
import { row, tileFace, tileName } from "./tiles.js";
import { why } from "./press.js";
import { listed, t } from "./words.js";

const LARGEST = 8 * 1024 * 1024;
const drawn = new Map();
const photos = new Map();

export function showCounting(box, counting, game) {
  box.hidden = !counting;
  if (!counting) {
    drawn.clear();
    box.replaceChildren();
    return;
  }
  box.classList.toggle("offer", counting.mode === "offer");
  if (counting.mode === "offer") {
    drawn.clear();
    box.replaceChildren(button(t("racks.show-all"), async () => {
      if (await sure(t("racks.show-all-sure"), t("racks.show-all"))) game.press("racks-show");
    }));
    return;
  }
  const parts = [part("title", counting.mode, () => title(counting))];
  for (const rack of counting.racks) {
    // Only what has changed is drawn anew, so that nobody loses what he is typing.
    const seen = rack.value === null && !rack.draft?.tiles.length ? counting.seen?.count ?? 0 : 0;
    parts.push(part(`rack ${rack.name}`, [rack, seen, counting.mode], () => rackBlock(rack, seen, counting.mode, game)));
  }
  if (counting.check) parts.push(part("check", [counting.check, counting.mode, counting.racks], () => check(counting, game)));
  const kept = new Set(parts);
  for (const child of [...box.children]) if (!kept.has(child)) child.remove();
  parts.forEach((element, index) => {
    if (box.children[index] !== element) box.insertBefore(element, box.children[index] ?? null);
  });
}

function part(name, value, draw) {
  const key = JSON.stringify(value);
  const before = drawn.get(name);
  if (before && before.key === key) return before.element;
  const element = draw();
  drawn.set(name, { key, element });
  return element;
}

function title({ mode }) {
  if (mode === "after") return html("h3", {}, t("racks.really"));
  const [head, hint] = mode === "check" ? ["racks.check-title", "racks.check-hint"] : ["racks.title", "racks.hint"];
  return html("div", {}, html("h3", {}, t(head)), html("p", { class: "hint" }, t(hint)));
}

function rackBlock(rack, seen, mode, game) {
  const head = html("div", { class: "line" }, html("span", { class: "name" }, rack.name));
  const block = html("section", { class: "rack", "aria-label": t("racks.of", { name: rack.name }) }, head);
  block.dataset.player = rack.name;
  if (rack.value !== null) {
    head.append(html("span", { class: "entered" }, t("racks.entered", { count: rack.value })));
    if (rack.faces?.length) block.append(row(rack.faces));
    return block;
  }
  const draft = rack.draft ?? { tiles: [], waits: false, trouble: "", left_out: 0 };
  head.append(html("span", { class: "held" }, t("racks.held", { count: rack.tiles })));
  if (draft.tiles.length) block.append(tiles(rack, draft, game));
  for (const note of notes(rack, draft)) block.append(html("p", { class: "note", role: "status" }, note));
  if (draft.tiles.length) block.append(finish(rack, draft, mode, game));
  block.append(ways(rack, draft, seen, game));
  if (mode === "end" && !draft.tiles.length) block.append(typed(rack, game));
  return block;
}

function tiles(rack, draft, game) {
  const faces = draft.tiles.map((tile) => {
    const face = tileFace(tile.tile, tile.unsure);
    const element = html("button", {
      type: "button", class: tile.unsure ? "choice unsure" : "choice",
      "aria-label": t(tile.unsure ? "racks.correct-unsure" : "racks.correct", { tile: tileName(tile.tile) }),
    }, face);
    element.addEventListener("click", () => pick(rack, draft, tile, game));
    return element;
  });
  return html("div", { class: "choices" }, ...faces);
}

// Which tile is it? With the tile as the photo, or the camera, shows it.
async function pick(rack, draft, tile, game) {
  const image = tile.quad && draft.image ? await pictureOf(draft) : null;
  game.picker.open({
    title: t("racks.which"),
    likely: [tile.tile, ...tile.alternatives.map((other) => other.tile)].filter((name) => !name.includes("?")).slice(0, 4),
    none: true,
    image,
    reading: image ? { image: draft.image } : null,
    quad: image ? tile.quad : null,
  }, (picked) => game.press("rack-tile", { player: rack.name, id: tile.id, tile: picked }));
}

async function pictureOf(draft) {
  if (draft.photo === null) return document.getElementById("picture");
  if (!photos.has(draft.photo)) {
    const image = new Image();
    image.src = `/racks/photo/${draft.photo}.jpg`;
    photos.set(draft.photo, image);
  }
  const image = photos.get(draft.photo);
  try {
    await image.decode();
    return image;
  } catch {
    return null;
  }
}

function notes(rack, draft) {
  const lines = [];
  if (draft.waits) lines.push(t("racks.reading"));
  if (draft.trouble) lines.push(t(`racks.trouble.${draft.trouble}`));
  if (draft.left_out) lines.push(t("racks.left-out", { count: draft.left_out }));
  const unsure = draft.tiles.filter((tile) => tile.unsure && !tile.many).length;
  if (unsure) lines.push(t("racks.unsure", { count: unsure }));
  const many = [...new Set(draft.tiles.filter((tile) => tile.many).map((tile) => tileName(tile.tile)))];
  if (many.length) lines.push(t("racks.too-many", { tiles: listed(many) }));
  if (draft.differs) lines.push(t("racks.differs", { name: rack.name, held: rack.tiles, count: draft.tiles.length }));
  return lines;
}

// One button for the sheet; what is not sure has to be named first.
function finish(rack, draft, mode, game) {
  const line = html("div", { class: "line" });
  const worth = draft.value === null ? "" : t("racks.worth", { count: draft.value });
  if (mode === "end") {
    const label = draft.value === null ? t("racks.enter") : t("racks.enter-points", { count: draft.value });
    const enter = button(label, () => game.press("rack-enter", { player: rack.name, tiles: draft.tiles.map((tile) => tile.tile) }), "main");
    enter.disabled = !draft.sure;
    line.append(enter);
  } else {
    line.append(html("span", {}, worth));
  }
  line.append(button(t("racks.clear"), () => game.press("rack-drop", { player: rack.name })));
  return line;
}

function ways(rack, draft, seen, game) {
  const line = html("div", { class: "line" });
  const player = rack.name;
  if (seen) line.append(button(t("racks.look", { count: seen }), () => game.press("rack-look", { player })));
  line.append(photoButton(rack, draft, game));
  line.append(button(t("racks.add"), () => game.picker.open(
    { title: t("racks.which-more"), likely: [] },
    (picked) => picked && game.press("rack-tile", { player, id: null, tile: picked }),
  )));
  return line;
}

function photoButton(rack, draft, game) {
  const file = html("input", { type: "file", accept: "image/*", capture: "environment", hidden: "" });
  const press = button(t("racks.photo"), () => file.click());
  press.disabled = draft.waits;
  file.addEventListener("change", async () => {
    const chosen = file.files[0];
    file.value = "";
    if (!chosen) return;
    if (chosen.size > LARGEST) {
      game.refuse(t("racks.too-large"));
      return;
    }
    press.disabled = true;
    game.refuse(await sendPhoto(rack.name, chosen));
    press.disabled = false;
  });
  return html("span", {}, press, file);
}

// The photo goes to the companion, which reads it; what came of it is pushed to every page. Returns what was refused.
async function sendPhoto(player, file) {
  try {
    const answer = await fetch(`/racks/photo?player=${encodeURIComponent(player)}`, {
      method: "POST",
      headers: { "Content-Type": file.type.startsWith("image/") ? file.type : "image/jpeg" },
      body: file,
    });
    return answer.ok ? "" : why(await answer.json().catch(() => ({})));
  } catch {
    return t("app.no-answer");
  }
}

function typed(rack, game) {
  const enter = (points) => game.press("count", { player: rack.name, rack: points });
  return html("div", { class: "line" }, html("span", {}, t("racks.or-points")), pad(t("racks.points-of", { name: rack.name }), enter));
}

function check({ check: answer, mode }, game) {
  const block = html("section", { class: "check", "aria-live": "polite" });
  if (mode === "end") block.append(html("h3", {}, t("racks.really")));
  for (const one of answer.answers) {
    if (one.playable) {
      block.append(html("p", {}, t("racks.could", { name: one.name })), ...one.sets.map((set) => marked(set, one.played)));
    } else if (one.playable === null) {
      block.append(html("p", {}, t("racks.not-known", { name: one.name })));
    }
  }
  if (answer.blocked) block.append(html("p", { class: "proved" }, t("racks.blocked")));
  if (answer.state === "running") block.append(html("p", {}, t("racks.searching")));
  if (answer.state === "late") block.append(html("p", {}, t("racks.late")));
  if (answer.state === "refused") block.append(html("p", {}, t("racks.refused", { why: answer.message })));
  const line = html("div", { class: "line" });
  if (mode !== "after" && answer.state === "") {
    const ask = button(t("racks.check"), () => game.press("racks-check"));
    ask.disabled = !answer.may;
    line.append(ask);
    if (!answer.may) line.append(html("span", { class: "hint" }, t("racks.check-first")));
  }
  if (mode === "check") {
    if (answer.blocked) line.append(button(t("racks.end"), () => game.press("blocked"), "main"));
    line.append(button(t("racks.hide"), () => game.press("racks-hide")));
  }
  if (line.children.length) block.append(line);
  return block;
}

// A set that could have been laid, the tiles from the rack marked.
function marked(set, played) {
  const left = [...played];
  return html("div", { class: "choices" }, ...set.map((tile) => {
    const face = tileFace(tile, false);
    const at = left.indexOf(tile);
    if (at >= 0) {
      left.splice(at, 1);
      face.classList.add("from-rack");
    }
    return face;
  }));
}

function button(label, act, look = "small") {
  const element = html("button", { type: "button", class: `${look} acts` }, label);
  element.addEventListener("click", act);
  return element;
}
