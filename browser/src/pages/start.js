// The end of the first page: the invitation, the button that begins, and a way back for whoever has a secret.

import { Server } from "../server.js";
import { Kept } from "../storage.js";
import { spelled } from "../submission.js";
import { h } from "./dom.js";
import { page, say } from "./say.js";

const SECRET = /^[0-9a-f]{64}$/;

/** Return the parts; `takeToken` refuses what is no token, `begin`, `forget`, `withdraw` and `fail` do what they say. */
export function startView({ progress, takeToken, begin, forget, withdraw, fail }) {
  const isKnown = progress.get("token") !== undefined;
  const code = isKnown ? null : textField("token", say("welcome.token_label"), say("welcome.token_help"), "code");
  const submit = (event) => {
    event.preventDefault();
    try {
      if (code !== null) takeToken(code.input.value);
    } catch {
      return code.fault(say("fault.token"));
    }
    begin();
  };
  const saved = progress.hasAnswers
    ? h("div", { class: "device" }, h("span", {}, say("welcome.saved")), h("button", { type: "button", class: "quiet", click: forget }, say("ask.forget")))
    : null;
  const kept = new Kept("sfumato/try", () => ({})).isKept;
  if (!page.open) {
    const told = h("div", { class: "note" }, h("p", {}, h("strong", {}, say("problem.closed"))), h("p", {}, say("problem.closed_way")));
    return [told, saved, takingBack(withdraw, fail)];
  }
  return [
    h("section", { "aria-labelledby": "invitation" },
      h("h2", { id: "invitation" }, say("welcome.start_title")),
      kept ? null : h("p", { class: "note" }, say("welcome.not_kept")),
      h("form", { submit, method: "dialog", autocomplete: "off", novalidate: true },
        code === null ? h("p", {}, say("welcome.token_known")) : code.element,
        h("div", { class: "actions" }, h("button", { type: "submit" }, say(progress.hasAnswers ? "welcome.continue" : "welcome.start"))),
        saved)),
    takingBack(withdraw, fail),
  ];
}

/** Delete a report by its secret, whichever device it came from. */
export async function withdrawBy(secret) {
  await new Server({ attempts: 2 }).post("withdrawals", spelled({ secret }));
}

function takingBack(withdraw, fail) {
  const field = textField("secret", say("welcome.back_label"), say("welcome.back_help"), "code");
  const submit = async (event) => {
    event.preventDefault();
    const secret = field.input.value.replace(/\s/g, "").toLowerCase();
    if (!SECRET.test(secret)) return field.fault(say("fault.secret"));
    try {
      await withdraw(secret);
    } catch (error) {
      fail(error, () => location.reload());
    }
  };
  return h("details", { class: "told" },
    h("summary", {}, say("welcome.back_title")),
    h("form", { submit, method: "dialog", autocomplete: "off", novalidate: true }, field.element,
      h("div", { class: "actions" }, h("button", { type: "submit", class: "plain" }, say("welcome.back_do")))));
}

/** A line of text with its name, help, and a place for what is wrong with it, to which the input points. */
function textField(id, name, help, kind) {
  const line = h("p", { class: "fault", id: `${id}-fault`, hidden: true, role: "alert" });
  const input = h("input", {
    id, type: "text", class: kind, autocomplete: "off", autocapitalize: "off", spellcheck: "false", maxlength: "120",
    "aria-describedby": `${id}-help`,
  });
  return {
    input,
    element: h("div", { class: "field" }, h("label", { for: id }, name), h("p", { class: "help", id: `${id}-help` }, help), line, input),
    fault(text) {
      line.replaceChildren(h("span", { class: "unseen" }, `${say("fault.label")} `), text);
      line.hidden = false;
      input.setAttribute("aria-describedby", `${id}-help ${id}-fault`);
      input.setAttribute("aria-invalid", "true");
      input.focus();
    },
  };
}
