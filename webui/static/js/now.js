// The server's monotonic time as this page sees it. A message cannot arrive before it was sent, so of the last few
// the one with the least delay is believed; the device's own clock and its time zone play no part.
const KEPT = 8;
const samples = [];

export function heard(serverMs) {
  samples.push(serverMs - performance.now());
  if (samples.length > KEPT) samples.shift();
}

export const serverNow = () => performance.now() + (samples.length ? Math.max(...samples) : 0);

export const known = () => samples.length > 0;
