// "Invite": the links by which other devices play, watch or become the camera, as QR codes; and new codes.
import { html } from "./svg.js";
import { t } from "./words.js";

const KINDS = ["play", "view", "camera"];
const at = (id) => document.getElementById(id);

class Invite {
  constructor() {
    this.kind = "play";
    this.where = 0;
    this.invitation = null;
    this.dialog = html("dialog", { id: "invite", "aria-labelledby": "invite-title" });
    document.body.append(this.dialog);
    const open = html("button", { type: "button", class: "small", id: "open-invite" }, t("invite.open"));
    open.addEventListener("click", () => this.open());
    (at("tools") || document.querySelector(".bar")).append(open);
  }

  async open(kind = this.kind) {
    this.kind = kind;
    at("menu")?.close?.();
    this.invitation = null;
    this.draw();
    this.dialog.showModal();
    await this.ask();
  }

  async ask(method = "GET", path = "/invite.json") {
    let note = "";
    try {
      const headers = method === "POST" ? { "Content-Type": "application/json" } : {};
      const answer = await fetch(path, { method, headers, body: method === "POST" ? "{}" : undefined });
      if (answer.ok && method === "POST") return this.ask();
      const document = await answer.json();
      if (answer.ok) this.invitation = document;
      else note = document.reason === "no-lan" ? t("invite.no-lan") : document.message;
    } catch {
      note = t("app.no-answer");
    }
    this.where = 0;
    this.draw(note);
    return undefined;
  }

  draw(note = "") {
    const shut = html("button", { type: "button", class: "main", autofocus: "" }, t("invite.close"));
    shut.addEventListener("click", () => this.dialog.close());
    this.dialog.replaceChildren(
      html("h2", { id: "invite-title" }, t("invite.title")),
      ...(note ? [html("p", { class: "notice", role: "alert" }, note)] : []),
      ...(this.invitation ? this.links() : []),
      html("div", { class: "row" }, shut),
    );
  }

  links() {
    const { code, links } = this.invitation;
    const found = links[this.kind];
    if (!found.length) return [html("p", { class: "notice" }, t("invite.no-network"))];
    const link = found[this.where];
    const tabs = KINDS.map((kind) => {
      const tab = html("button", { type: "button", class: "small", "aria-pressed": kind === this.kind }, t(`invite.${kind}`));
      tab.addEventListener("click", () => {
        this.kind = kind;
        this.draw();
        this.dialog.querySelector('[aria-pressed="true"]').focus();
      });
      return tab;
    });
    const picture = `/invite/${this.kind}.svg?at=${this.where}&of=${encodeURIComponent(code)}`;
    const renew = html("button", { type: "button", class: "small quiet" }, t("invite.renew"));
    renew.addEventListener("click", () => {
      if (renew.dataset.sure) this.ask("POST", "/invite/renew");
      else {
        renew.dataset.sure = "yes";
        renew.textContent = t("invite.renew-sure");
      }
    });
    return [
      html("div", { class: "tabs", role: "group", "aria-label": t("invite.title") }, ...tabs),
      html("p", { class: "hint" }, t(`invite.hint.${this.kind}`)),
      html("img", { class: "qr", src: picture, width: 296, height: 296, alt: t("invite.qr", { link }) }),
      html("p", { class: "link", dir: "ltr" }, link),
      ...(found.length > 1 ? [this.addresses(found)] : []),
      ...(this.kind === "play" ? [html("p", {}, t("invite.code", { code }))] : []),
      html("p", { class: "hint" }, t("invite.warning")),
      renew,
    ];
  }

  // A machine with several networks has several addresses; only people know which one the others are on.
  addresses(found) {
    const choice = html("select", { "aria-label": t("invite.address") });
    found.forEach((link, n) => choice.append(html("option", { value: n }, new URL(link).hostname)));
    choice.value = this.where;
    choice.addEventListener("change", () => {
      this.where = Number(choice.value);
      this.draw();
    });
    return choice;
  }
}

// Nobody who only watches invites others.
export const invite = document.body.dataset.may !== "watch" ? new Invite() : null;
