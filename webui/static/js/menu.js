// The menu: language, light or dark, size of the text, sound, and what is done seldom with a match.
import { setSound, soundOn } from "./sound.js";
import { chip } from "./start.js";
import { html } from "./svg.js";
import { choose, language, LANGUAGES, t } from "./words.js";

const KEY = "tilekeeper-page";
const LOOKS = ["auto", "light", "dark"];
const SIZES = [100, 125, 150, 200];
const root = document.documentElement;

const known = (() => {
  try {
    return JSON.parse(localStorage.getItem(KEY) ?? "{}") || {};
  } catch {
    return {};
  }
})();

function remember(change) {
  Object.assign(known, change);
  try {
    localStorage.setItem(KEY, JSON.stringify(known));
  } catch {
    // It holds until the page is left.
  }
}

// The dark colours are a style sheet of their own: this says when it counts.
const DARK = { auto: "screen and (prefers-color-scheme: dark)", light: "not all", dark: "screen" };
function wearLook(look) {
  root.dataset.look = look;
  document.getElementById("dark").media = DARK[look];
}

// As this device had it last time, before anything is drawn.
export function dress() {
  wearLook(LOOKS.includes(known.look) ? known.look : "auto");
  root.dataset.size = SIZES.includes(known.size) ? known.size : 100;
  setSound(known.sound !== false);
}

export class Menu {
  constructor(at, game) {
    this.dialog = at("menu");
    this.tools = at("match-tools");
    this.game = game;
    at("open-menu").addEventListener("click", () => this.dialog.showModal());
    const languages = at("language");
    for (const [code, name] of Object.entries(LANGUAGES)) languages.append(html("option", { value: code, lang: code }, name));
    languages.value = language;
    languages.addEventListener("change", () => choose(languages.value));
    this.choices(at("look"), "look", LOOKS, (look) => t(`menu.look.${look}`), wearLook);
    this.choices(at("size"), "size", SIZES, (size) => `${size} %`, (size) => { root.dataset.size = size; });
    at("sound").append(...[true, false].map((on) => chip("sound", on, t(on ? "menu.sound.on" : "menu.sound.off"), on === soundOn(), () => {
      setSound(on);
      remember({ sound: on });
    })));
  }

  choices(box, name, values, label, wear) {
    const now = root.dataset[name];
    box.append(...values.map((value) => chip(name, value, label(value), String(value) === now, () => {
      wear(value);
      remember({ [name]: value });
    })));
  }

  show(match) {
    this.game.part("match-tools", match.phase, () => {
      const tools = [];
      if (["ready", "turn", "counting"].includes(match.phase)) tools.push(this.tool(t("menu.abandon"), t("menu.abandon-sure"), "abandon", {}));
      if (match.phase !== "empty") tools.push(this.tool(t("menu.another"), t("menu.another-sure"), "new", { anyway: true }));
      this.tools.replaceChildren(...tools);
    });
  }

  // What cannot be taken back by one more tap asks first: the button itself says what it is about to do.
  tool(label, question, name, data) {
    const button = html("button", { type: "button" }, label);
    button.addEventListener("click", () => {
      if (!button.dataset.sure) {
        button.dataset.sure = "yes";
        button.textContent = question;
        return;
      }
      this.dialog.close();
      this.game.press(name, data);
    });
    button.addEventListener("blur", () => {
      delete button.dataset.sure;
      button.textContent = label;
    });
    return button;
  }
}

// A click beside a dialog or on its Close shuts it.
export function closers() {
  for (const dialog of document.querySelectorAll("dialog")) {
    dialog.addEventListener("click", (event) => {
      if (event.target === dialog || event.target.closest("[data-close]")) dialog.close();
    });
  }
}
