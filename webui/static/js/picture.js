// The live picture: one request at a time, the newest picture only, seldom while nothing moves.
import { t } from "./words.js";

const QUICK_MS = 120;
const CALM_MS = 600;

export class LivePicture {
  constructor(image, onShown) {
    this.image = image;
    this.onShown = onShown;
    this.shown = 0;
    this.wanted = null;
    this.loading = false;
    this.calm = false;
    this.last = 0;
  }

  want(picture, calm) {
    this.wanted = picture;
    this.calm = calm;
    if (!this.loading) this.load();
  }

  async load() {
    this.loading = true;
    while (this.wanted && this.wanted.number !== this.shown) {
      const wait = this.last + (this.calm && this.shown ? CALM_MS : QUICK_MS) - performance.now();
      if (wait > 0) await new Promise((done) => setTimeout(done, wait));
      const { number, name } = this.wanted;
      const next = new Image();
      const width = Math.ceil(this.image.parentElement.clientWidth * Math.min(window.devicePixelRatio || 1, 2));
      next.src = `/picture/${number}.jpg?w=${width}`;
      next.alt = name ? t("view.picture", { name }) : t("view.live");
      next.id = this.image.id;
      this.last = performance.now();
      try {
        await next.decode();
        this.image.replaceWith(next);
        this.image = next;
        this.shown = number;
        this.onShown();
      } catch {
        await new Promise((done) => setTimeout(done, 500));
      }
    }
    this.loading = false;
  }
}
