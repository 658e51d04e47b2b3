// A phone as camera: shows what it sees and how sharp, and posts pictures at the rate that the companion asks for.
import { SharpnessMeter } from "./camera-sharp.js";
import { t, translate } from "./words.js";

const FIRST = { rate: 4, longest: 1920 };
const QUALITY = 0.85;
const PATIENCE_MS = 8000;
const AGAIN_MS = 1500;
// What getUserMedia refuses, in words that say what to do.
const REFUSED = {
  NotAllowedError: "camera.not-allowed", SecurityError: "camera.not-allowed", NotFoundError: "camera.none",
  OverconstrainedError: "camera.none", NotReadableError: "camera.in-use", AbortError: "camera.in-use",
};

const at = (id) => document.getElementById(id);
const video = at("view");
const canvas = document.createElement("canvas");
const meter = new SharpnessMeter();
const sleep = (ms) => new Promise((done) => setTimeout(done, ms));

let track = null;
let phone = "";
let wanted = FIRST;
let lenses = [];
let lens = 0;
let running = false;
let lock = null;
let round = 0;

// One of: idle, opening, sending, lost, asleep, paused, replaced, refused.
function show(state, note = "") {
  document.body.dataset.state = state;
  const text = t(`camera.state.${state}`, { count: Math.round(wanted.rate) });
  if (at("state").textContent !== text) at("state").textContent = text;
  at("note").hidden = !note;
  if (at("note").textContent !== note) at("note").textContent = note;
  at("begin").hidden = !["idle", "paused", "replaced", "refused"].includes(state);
  at("pause").hidden = !["sending", "lost", "opening"].includes(state);
  at("other").hidden = lenses.length < 2 || !["sending", "lost"].includes(state);
  at("sharp").hidden = state !== "sending" && state !== "lost";
}

// An id of its own for each press of "start": the companion tells phones apart by it. Nothing secret.
const newName = () => Array.from(crypto.getRandomValues(new Uint32Array(4)), (n) => n.toString(36)).join("-");

async function open() {
  if (!navigator.mediaDevices?.getUserMedia) throw Object.assign(new Error(), { name: "Insecure" });
  const which = lenses.length > 1 ? { deviceId: { exact: lenses[lens] } } : { facingMode: { ideal: "environment" } };
  const stream = await navigator.mediaDevices.getUserMedia({
    audio: false,
    video: { ...which, width: { ideal: 1920 }, height: { ideal: 1080 }, frameRate: { ideal: 15, max: 30 } },
  });
  [track] = stream.getVideoTracks();
  track.addEventListener("ended", () => wake());
  video.srcObject = stream;
  await video.play();
  const devices = await navigator.mediaDevices.enumerateDevices();
  const all = devices.filter((device) => device.kind === "videoinput" && device.deviceId).map((device) => device.deviceId);
  if (all.length !== lenses.length) {
    lenses = all;
    lens = Math.max(0, lenses.indexOf(track.getSettings().deviceId));
  }
}

function shut() {
  track?.stop();
  track = null;
  video.srcObject = null;
}

async function stayAwake(on) {
  try {
    if (on && !lock && !document.hidden && "wakeLock" in navigator) {
      lock = await navigator.wakeLock.request("screen");
      lock.addEventListener("release", () => { lock = null; });
    } else if (!on && lock) {
      await lock.release();
    }
  } catch {
    lock = null;
  }
}

const jpeg = () => new Promise((done) => canvas.toBlob(done, "image/jpeg", QUALITY));

async function picture() {
  const [width, height] = [video.videoWidth, video.videoHeight];
  const scale = Math.min(1, wanted.longest / Math.max(width, height));
  canvas.width = Math.round(width * scale);
  canvas.height = Math.round(height * scale);
  canvas.getContext("2d").drawImage(video, 0, 0, canvas.width, canvas.height);
  return jpeg();
}

// Posts one picture; false where sending is over until somebody presses the button.
async function post(blob, mine) {
  const over = () => !running || mine !== round;
  let answer;
  try {
    answer = await fetch("/camera/picture", {
      method: "POST",
      headers: { "Content-Type": "image/jpeg", "X-Phone": phone },
      body: blob,
      signal: AbortSignal.timeout(PATIENCE_MS),
    });
  } catch {
    if (!over()) show("lost", t("camera.lost"));
    await sleep(AGAIN_MS);
    return true;
  }
  if (answer.ok) {
    wanted = await answer.json();
    if (!over() && !document.hidden) show("sending");
    return true;
  }
  const { reason } = await answer.json().catch(() => ({}));
  if (answer.status === 429 || answer.status === 503) {
    await sleep(1000);
    return true;
  }
  if (reason === "too-large") {
    wanted = { ...wanted, longest: Math.round(wanted.longest * 0.7) };
    return wanted.longest > 320;
  }
  if (reason === "no-picture") return true;
  if (over()) return false;
  const note = { "other-phone": "camera.replaced", "other-camera": "camera.other-camera", viewer: "camera.viewer" }[reason];
  finish(reason === "other-phone" ? "replaced" : "refused", t(note || (answer.status === 403 ? "camera.code" : "camera.odd")));
  return false;
}

// The loop of one start; another start ends it.
async function send(mine) {
  let shown = -1;
  let due = 0;
  while (running && mine === round) {
    const wait = due - performance.now();
    if (wait > 0) await sleep(Math.min(wait, 250));
    else if (document.hidden || !track || track.readyState !== "live" || video.readyState < 2) await sleep(200);
    else if (video.currentTime === shown) await sleep(30); // the same picture again would look like a frozen camera
    else {
      shown = video.currentTime;
      due = performance.now() + 1000 / wanted.rate;
      const blob = await picture();
      if (!running || mine !== round) return;
      if (blob && !(await post(blob, mine))) return;
    }
  }
}

function finish(state, note = "") {
  running = false;
  round += 1;
  shut();
  stayAwake(false);
  show(state, note);
}

async function begin() {
  running = true;
  round += 1;
  const mine = round;
  phone = newName();
  await reopen(mine);
  if (running && mine === round) send(mine);
}

async function reopen(mine) {
  show("opening");
  shut();
  try {
    await open();
  } catch (error) {
    if (mine === round) {
      const key = error.name === "Insecure" ? "camera.insecure" : REFUSED[error.name] || "camera.odd";
      finish("refused", t(key));
    }
    return;
  }
  if (mine !== round) {
    shut();
    return;
  }
  stayAwake(true);
  show("lost");
}

// After sleep, or when the system took the camera away.
async function wake() {
  if (!running || document.hidden) return;
  stayAwake(true);
  if (!track || track.readyState !== "live") await reopen(round);
  else if (video.paused) await video.play().catch(() => {});
}

document.addEventListener("visibilitychange", () => {
  if (!running) return;
  if (document.hidden) show("asleep");
  else {
    show("lost");
    wake();
  }
});
at("begin").addEventListener("click", begin);
at("pause").addEventListener("click", () => finish("paused"));
at("other").addEventListener("click", async () => {
  lens = (lens + 1) % lenses.length;
  await reopen(round);
});

setInterval(() => {
  if (!running || document.hidden || !video.videoWidth) return;
  const { value, word } = meter.look(video);
  at("sharpness").value = value;
  const text = t(`camera.sharp.${word}`);
  if (at("sharp-word").textContent !== text) at("sharp-word").textContent = text;
}, 500);

translate();
document.title = t("camera.title");
if (document.body.dataset.other !== undefined) finish("refused", t("camera.started-with", { name: document.body.dataset.other }));
else begin();
