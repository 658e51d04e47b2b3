// A number pad: large keys for a finger, a minus too, for a sheet on which what is lost is written with one.
import { html } from "./svg.js";
import { t } from "./words.js";

const KEYS = ["1", "2", "3", "4", "5", "6", "7", "8", "9", "−", "0", "⌫"];
const LONGEST = 4;

// What was typed as a number of points or tiles, its sign apart; null where it is none.
export function typed(text) {
  const plain = text.trim().replace(/^[-−–+]/, "");
  return /^\d{1,4}$/.test(plain) ? Number(plain) : null;
}

// `label` names the field, `onEnter` gets the number; the keys of a keyboard work as well.
export function pad(label, onEnter, value = "") {
  const field = html("input", {
    type: "text", inputmode: "none", maxlength: LONGEST + 1, autocomplete: "off", dir: "ltr", "aria-label": label,
  });
  field.value = value;
  const enter = html("button", { type: "button", class: "main" }, t("pad.enter"));
  const check = () => { enter.disabled = typed(field.value) === null; };
  const put = (key) => {
    if (key === "⌫") field.value = field.value.slice(0, -1);
    else if (key === "−") field.value = field.value.startsWith("−") ? field.value.slice(1) : `−${field.value.replace(/^[-–+]/, "")}`;
    else if (field.value.replace(/\D/g, "").length < LONGEST) field.value += key;
    check();
  };
  const keys = KEYS.map((key) => {
    const names = { "−": t("pad.minus"), "⌫": t("pad.delete") };
    const button = html("button", { type: "button", ...(names[key] ? { "aria-label": names[key] } : {}) }, key);
    // The field keeps the focus: it is what one types into.
    button.addEventListener("pointerdown", (event) => {
      event.preventDefault();
      field.focus();
    });
    button.addEventListener("click", () => put(key));
    return button;
  });
  const done = () => typed(field.value) !== null && onEnter(typed(field.value));
  enter.addEventListener("click", done);
  field.addEventListener("input", check);
  field.addEventListener("keydown", (event) => {
    if (event.key !== "Enter") return;
    event.preventDefault();
    done();
  });
  check();
  return html("div", { class: "pad" }, field, html("div", { class: "keys", dir: "ltr" }, ...keys), enter);
}
