// The event stream from the companion: tells when it is silent, and connects again after sleep.
const SILENT_MS = 7000;

export function follow(handlers, onNow, onLink) {
  let source = null;
  let heard = 0;

  const hear = () => {
    heard = performance.now();
    onLink(true);
  };
  const connect = () => {
    if (source) source.close();
    source = new EventSource("/events");
    heard = performance.now();
    source.addEventListener("open", hear);
    source.addEventListener("now", (event) => {
      hear();
      onNow(JSON.parse(event.data).ms);
    });
    source.addEventListener("error", () => onLink(false));
    for (const [part, handle] of Object.entries(handlers)) {
      source.addEventListener(part, (event) => {
        hear();
        handle(JSON.parse(event.data));
      });
    }
  };
  const check = () => {
    if (performance.now() - heard > SILENT_MS || source.readyState === EventSource.CLOSED) {
      onLink(false);
      connect();
    }
  };
  connect();
  setInterval(check, 1000);
  document.addEventListener("visibilitychange", () => {
    if (!document.hidden) check();
  });
}
