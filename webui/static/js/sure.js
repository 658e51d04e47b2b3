// What cannot be taken back asks first, in the page itself: by touch, keyboard and ear, in the page's language.
import { html } from "./svg.js";
import { t } from "./words.js";

// Whether somebody says yes; `yes` is what will be done then. The focus goes back to where it was.
export function sure(question, yes) {
  const opener = document.activeElement;
  const no = html("button", { type: "button", autofocus: "" }, t("app.no"));
  const go = html("button", { type: "button", class: "main" }, yes);
  const dialog = html("dialog", { class: "sure", role: "alertdialog", "aria-labelledby": "sure-question" },
    html("h2", { id: "sure-question" }, question), html("div", { class: "row" }, no, go));
  document.body.append(dialog);
  return new Promise((answer) => {
    no.addEventListener("click", () => dialog.close());
    go.addEventListener("click", () => dialog.close("yes"));
    dialog.addEventListener("click", (event) => event.target === dialog && dialog.close());
    dialog.addEventListener("close", () => {
      dialog.remove();
      opener?.focus();
      answer(dialog.returnValue === "yes");
    });
    dialog.showModal();
  });
}
