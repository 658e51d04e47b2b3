// Every text that a person reads, in the language of this device.
// A server's sentence is {key, args, text}; an argument may be a tile {tile}, a list {list, how} or another sentence.
const LANGUAGES = { en: "English", de: "Deutsch", nl: "Nederlands", fr: "Français", es: "Español", tr: "Türkçe", he: "עברית" };
const RIGHT_TO_LEFT = ["he"];
const KEY = "tilekeeper-lang";

function remembered() {
  try {
    return localStorage.getItem(KEY);
  } catch {
    return null;
  }
}

function chosen() {
  const asked = new URLSearchParams(location.search).get("lang");
  const wishes = [asked, remembered(), ...navigator.languages];
  return wishes.map((wish) => (wish || "").toLowerCase().split("-")[0]).find((wish) => wish in LANGUAGES) || "en";
}

async function read(code) {
  try {
    const answer = await fetch(new URL(`../lang/${code}.json`, import.meta.url));
    return answer.ok ? await answer.json() : {};
  } catch {
    return {};
  }
}

const language = chosen();
// British English lists without a comma before "and", as the server's sentences do.
const locale = language === "en" ? "en-GB" : language;
const words = await read(language);
// Every language says everything; English is there for one that could not be had.
const english = language === "en" || "app.close" in words ? {} : await read("en");
const plurals = { own: new Intl.PluralRules(locale), en: new Intl.PluralRules("en") };

document.documentElement.lang = language;
document.documentElement.dir = RIGHT_TO_LEFT.includes(language) ? "rtl" : "ltr";

function pattern(key, args) {
  for (const [texts, rules] of [[words, plurals.own], [english, plurals.en]]) {
    if (key in texts) return texts[key];
    if (`${key}.other` in texts) return texts[`${key}.${rules.select(Number(args.count))}`] ?? texts[`${key}.other`];
  }
  return null;
}

export const has = (key) => pattern(key, {}) !== null;

// The text of a key with its {placeholders} filled; where an argument is called `count`, in its plural form.
export function t(key, args = {}) {
  const text = pattern(key, args);
  return text === null ? key : text.replace(/\{(\w+)\}/g, (all, name) => (name in args ? value(args[name]) : all));
}

function value(given) {
  if (given === null || typeof given !== "object") return isolated(String(given));
  if ("tile" in given) return tileName(given.tile);
  if ("list" in given) return joined(given.list.map(value), given.how);
  return fill(given);
}

// A name in letters that run the other way stays in one piece and turns nothing round.
function isolated(text) {
  const other = document.documentElement.dir === "rtl" ? /\p{Script=Latin}/u : /[\p{Script=Hebrew}\p{Script=Arabic}]/u;
  return other.test(text) ? `\u2068${text}\u2069` : text;
}

function joined(texts, how) {
  if (how === ".") return texts.map(capital).join(" ");
  return how === ";" || how === "," ? texts.join(`${how} `) : listed(texts, how);
}

const fill = ({ key, args = {}, text = key }) => (pattern(key, args) === null ? text : t(key, args));

// A sentence that the server made: in this device's language, with a capital letter unless a name stands first.
export function say(sentence) {
  if (!sentence) return "";
  const text = fill(sentence);
  const first = /^\{(\w+)\}/.exec(pattern(sentence.key, sentence.args || {}) || "");
  return first && typeof sentence.args[first[1]] !== "object" ? text : capital(text);
}

export const capital = (text) => text.slice(0, 1).toLocaleUpperCase(locale) + text.slice(1);

export const listed = (texts, how = "and") =>
  new Intl.ListFormat(locale, { type: how === "or" ? "disjunction" : "conjunction" }).format(texts);

// How a person says a tile's name: "red 5", "joker".
export function tileName(tile) {
  const [colour, figure] = [tile[0], tile.slice(1)];
  if (tile === "j") return t("tile.joker");
  const named = has(`colour.${colour}`);
  if (named && figure && figure !== "?") return t("tile.named", { colour: t(`colour.${colour}`), number: figure });
  if (named) return t("tile.no-number", { colour: t(`colour.${colour}`) });
  return figure ? t("tile.no-colour", { number: figure }) : t("tile.unread");
}

// Fills a part of the page: data-t="key" is its text, data-t-label, -alt, -placeholder and -title its attributes.
const ATTRIBUTES = { tLabel: "aria-label", tPlaceholder: "placeholder", tAlt: "alt", tTitle: "title" };
export function translate(root = document) {
  for (const element of root.querySelectorAll("[data-t]")) element.textContent = t(element.dataset.t);
  for (const [data, attribute] of Object.entries(ATTRIBUTES)) {
    const marked = `data-${data.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
    for (const element of root.querySelectorAll(`[${marked}]`)) element.setAttribute(attribute, t(element.dataset[data]));
  }
}

export { LANGUAGES, language, locale };

// Remembered on this device; the page is drawn anew.
export function choose(code) {
  try {
    localStorage.setItem(KEY, code);
  } catch {
    // A browser that keeps nothing: the address has to say it.
  }
  const address = new URL(location.href);
  address.searchParams.set("lang", code);
  location.replace(address);
}
