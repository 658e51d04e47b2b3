// A page that only watches: typing the code lets it play as well.
import { post, why } from "./press.js";
import { t } from "./words.js";

export class Join {
  constructor(at) {
    const form = at("join");
    const field = form.querySelector("input");
    form.addEventListener("submit", async (event) => {
      event.preventDefault();
      const answer = await post("/join", { code: field.value });
      if (answer.good && answer.role === "play") {
        location.reload();
        return;
      }
      at("join-refused").textContent = answer.good ? t("app.only-watching") : why(answer);
      at("join-refused").hidden = false;
      field.select();
    });
  }
}
