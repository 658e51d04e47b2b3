// The server's monotonic time as this page sees it; the device's own clock and its time zone play no part.
// A message cannot arrive before it was sent: it bounds the difference of the two clocks from below. An answer cannot
// be made before it was asked for: it bounds it from above too. The truth is taken to lie in the middle. Where the
// bounds contradict each other one of the clocks has stood still (a laptop's lid, a phone in a pocket): then only what
// came last counts.
const KEPT_MS = 40_000;
const ASK_EVERY_MS = 20_000;
const ROUNDS = 3;
const DRIFT = 2e-4;
const SLACK_MS = 10;
const LATE_MS = 80;
const LEAST_MS = 1500;
const LONGEST_MS = 5000;

let lows = [];
let highs = [];
let offset = null;
let asked = -Infinity;
let asking = false;

const latest = (bounds, here) => bounds.filter(({ at }) => here - at < KEPT_MS || at === bounds[bounds.length - 1].at);
// What was found out a while ago is less sure: quartz runs a little fast or slow.
const lowest = (here) => Math.max(...lows.map(({ at, value }) => value - DRIFT * (here - at)));
const highest = (here) => Math.min(...highs.map(({ at, value }) => value + DRIFT * (here - at)));

function reckon(here) {
  lows = latest(lows, here);
  highs = latest(highs, here);
  offset = highs.length ? (lowest(here) + highest(here)) / 2 : lowest(here);
}

// A message from the server that says its time.
export function heard(serverMs) {
  const here = performance.now();
  const value = serverMs - here;
  const contradicts = highs.length > 0 && value > highest(here) + SLACK_MS;
  if (contradicts) [lows, highs] = [[], []];
  const late = offset !== null && value < offset - LATE_MS;
  lows.push({ at: here, value });
  reckon(here);
  if (contradicts || late || !highs.length || here - asked > ASK_EVERY_MS) ask();
}

async function once() {
  const sent = performance.now();
  const answer = await fetch("/now.json", { cache: "no-store" });
  const here = performance.now();
  if (!answer.ok) return;
  const { ms } = await answer.json();
  // A clock that jumped between question and answer, or an answer after a sleep: it bounds nothing.
  if (here < sent || here - sent > LONGEST_MS) return;
  const bounds = { low: ms - here, high: ms - sent };
  if (highs.length && bounds.low > highest(here) + SLACK_MS) highs = [];
  if (lows.length && bounds.high < lowest(here) - SLACK_MS) lows = [];
  lows.push({ at: here, value: bounds.low });
  highs.push({ at: here, value: bounds.high });
  reckon(here);
}

// Asks the server, some times in a row: the first answer also pays for the connection.
export async function ask() {
  const ago = performance.now() - asked;
  if (asking || (ago >= 0 && ago < LEAST_MS)) return;
  asking = true;
  asked = performance.now();
  try {
    for (let n = 0; n < ROUNDS; n++) await once();
  } catch {
    // No connection: the next message from the server asks again.
  }
  asking = false;
}

export const serverNow = () => performance.now() + (offset ?? 0);

export const known = () => offset !== null;

// A device that slept may not say so, but its two clocks disagree then. Setting the clock by hand looks alike; asking
// once too often harms nobody.
let gap = Date.now() - performance.now();
setInterval(() => {
  const now = Date.now() - performance.now();
  if (Math.abs(now - gap) > 1000) {
    asked = -Infinity;
    ask();
  }
  gap = now;
}, 1000);
document.addEventListener("visibilitychange", () => {
  if (!document.hidden) ask();
});
addEventListener("pageshow", () => ask());
addEventListener("online", () => ask());
