// The demo says that it plays by itself; who presses a button has the game, and may give it back.
import { post, why } from "./press.js";
import { html } from "./svg.js";
import { t } from "./words.js";

export class Demo {
  constructor(at, refuse) {
    this.box = at("demo");
    this.said = html("p", { role: "status" });
    this.goOn = this.button("go-on", refuse);
    this.again = this.button("again", refuse);
    this.box.append(this.said, this.goOn, this.again);
  }

  button(wish, refuse) {
    const element = html("button", { type: "button", class: "small acts" }, t(`demo.${wish}`));
    element.addEventListener("click", async () => {
      const answer = await post(`/demo/${wish}`, {});
      refuse(answer.good ? "" : why(answer));
    });
    return element;
  }

  show({ plays, in_step: inStep }) {
    this.box.hidden = false;
    this.said.textContent = plays ? t("demo.plays") : t(inStep ? "demo.yours" : "demo.elsewhere");
    this.goOn.hidden = plays || !inStep;
    this.again.hidden = plays;
  }
}
