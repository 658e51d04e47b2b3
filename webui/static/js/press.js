// Pressing a button: one request after the other, each naming its turn; what was refused is said.
import { has, language, t } from "./words.js";

// What came too late is no mistake of anybody's: the page shows the new state anyway.
const TOO_LATE = ["stale-turn", "stale-table", "stale-draw"];
const PATIENCE_MS = 10_000;
const under = new Set();
let last = Promise.resolve(true);

export async function post(address, data, signal) {
  try {
    const answer = await fetch(address, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify(data),
      signal,
    });
    const document = await answer.json().catch(() => ({}));
    return { good: answer.ok, ...document };
  } catch {
    return { good: false, reason: "no-answer", message: t("app.no-answer") };
  }
}

// The same press twice is one; another one waits for its turn. Where the server does not answer, those that wait are let
// go with it: who pressed sees that nothing came of it, and nothing happens minutes later.
export function press(button, data, refused) {
  const key = JSON.stringify([button, data]);
  if (under.has(key)) return Promise.resolve(false);
  under.add(key);
  const mine = last.then((answered) => (answered ? sent(button, data, refused) : { reached: false, good: false }))
    .finally(() => under.delete(key));
  last = mine.then(({ reached }) => reached || under.size === 0);
  return mine.then(({ good }) => good);
}

async function sent(button, data, refused) {
  refused("");
  const answer = await post(`/press/${button}`, data, AbortSignal.timeout(PATIENCE_MS));
  if (!answer.good && !TOO_LATE.includes(answer.reason)) refused(why(answer));
  return { reached: answer.reason !== "no-answer", good: answer.good };
}

// The server's reason in this device's language; in English as the server says it, which names what it is about.
export function why({ reason, message }) {
  if (has(`refused.${reason}`) && (language !== "en" || !message)) return t(`refused.${reason}`);
  return message || t("app.did-not-work");
}
