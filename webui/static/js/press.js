// Pressing a button: one request at a time, each naming its turn; what was refused is said.
import { has, language, t } from "./words.js";

// What came too late is no mistake of anybody's: the page shows the new state anyway.
const TOO_LATE = ["stale-turn", "stale-table", "stale-draw"];
let busy = false;

export async function post(address, data) {
  try {
    const answer = await fetch(address, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify(data),
    });
    const document = await answer.json().catch(() => ({}));
    return { good: answer.ok, ...document };
  } catch {
    return { good: false, reason: "no-answer", message: t("app.no-answer") };
  }
}

export async function press(button, data, refused) {
  if (busy) return false;
  busy = true;
  refused("");
  const answer = await post(`/press/${button}`, data);
  busy = false;
  if (!answer.good && !TOO_LATE.includes(answer.reason)) refused(why(answer));
  return answer.good;
}

// The server's reason in this device's language; in English as the server says it, which names what it is about.
export function why({ reason, message }) {
  if (has(`refused.${reason}`) && (language !== "en" || !message)) return t(`refused.${reason}`);
  return message || t("app.did-not-work");
}
