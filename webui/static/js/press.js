// Pressing a button: one request at a time, each naming its turn; what was refused is said.
let busy = false;

export async function press(button, data, refused) {
  if (busy) return false;
  busy = true;
  refused("");
  try {
    const answer = await fetch(`/press/${button}`, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify(data),
    });
    if (answer.ok) return true;
    const document = await answer.json().catch(() => ({}));
    // A press that came too late is no mistake of anybody's: the page shows the new state anyway.
    if (document.reason !== "stale-turn") refused(document.message || "That did not work.");
  } catch {
    refused("The companion does not answer.");
  } finally {
    busy = false;
  }
  return false;
}
