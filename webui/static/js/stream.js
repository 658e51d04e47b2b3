// The event stream from the companion: tells when it is silent, or full, and connects again after sleep.
const SILENT_MS = 7000;
const FULL_MS = 15_000;

export function follow(handlers, onNow, onLink) {
  let source = null;
  let heard = 0;
  let full = false;

  const hear = () => {
    heard = performance.now();
    full = false;
    onLink(true);
  };
  const lost = () => onLink(false, full);
  const connect = () => {
    if (source) source.close();
    source = new EventSource("/events");
    heard = performance.now();
    source.addEventListener("open", () => {
      heard = performance.now();
      if (!full) onLink(true);
    });
    // As many pages listen as the companion can serve; the browser tries again when the answer said.
    source.addEventListener("full", () => {
      full = true;
      lost();
    });
    source.addEventListener("now", (event) => {
      hear();
      onNow(JSON.parse(event.data).ms);
    });
    source.addEventListener("error", lost);
    for (const [part, handle] of Object.entries(handlers)) {
      source.addEventListener(part, (event) => {
        hear();
        handle(JSON.parse(event.data));
      });
    }
  };
  const check = () => {
    if (performance.now() - heard > (full ? FULL_MS : SILENT_MS) || source.readyState === EventSource.CLOSED) {
      lost();
      connect();
    }
  };
  connect();
  setInterval(check, 1000);
  document.addEventListener("visibilitychange", () => {
    if (!document.hidden) check();
  });
}
