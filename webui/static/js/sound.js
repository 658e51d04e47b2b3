// Sound and vibration, after the first touch: browsers allow neither before.
let context = null;
let on = true;

export const setSound = (wanted) => { on = wanted; };
export const soundOn = () => on;

export function allowSound() {
  const unlock = () => {
    context = context || new AudioContext();
    context.resume();
  };
  addEventListener("pointerdown", unlock);
  addEventListener("keydown", unlock);
}

function tone(hertz, seconds, volume) {
  if (!on || !context || context.state !== "running") return;
  const [voice, level, now] = [context.createOscillator(), context.createGain(), context.currentTime];
  voice.frequency.value = hertz;
  level.gain.setValueAtTime(volume, now);
  level.gain.exponentialRampToValueAtTime(0.001, now + seconds);
  voice.connect(level).connect(context.destination);
  voice.start(now);
  voice.stop(now + seconds);
}

const shake = (pattern) => on && navigator.vibrate && navigator.userActivation?.hasBeenActive && navigator.vibrate(pattern);

export function second(left) {
  if (left === 0) {
    tone(330, 0.9, 0.4);
    shake([300, 100, 300]);
  } else if (left <= 10) {
    tone(left <= 3 ? 990 : 770, 0.12, 0.2);
    shake(40);
  }
}

export function yourTurn() {
  tone(660, 0.18, 0.15);
}

// The screen stays on while a game is played, where the browser can do that.
let lock = null;
export async function stayAwake(on) {
  if (!("wakeLock" in navigator)) return;
  try {
    if (on && !lock && !document.hidden) {
      lock = await navigator.wakeLock.request("screen");
      lock.addEventListener("release", () => { lock = null; });
    } else if (!on && lock) {
      await lock.release();
    }
  } catch {
    lock = null;
  }
}
