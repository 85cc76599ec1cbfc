// What was sent, in the study's own words; what everybody can do with it; and how to take it back.

import { h, replaceAll, statusLine } from "./dom.js";
import { listed, protectionOf, quoted, say } from "./say.js";

/** Return the last page. `sent` has the reports by question and the secret; `withdraw` and `forget` do what they say. */
export function thanksView({ form, sent, certificate, withdraw, forget }) {
  const names = form.receivers.map(({ name }) => (name === "registrar" ? say("thanks.registrar_name") : name));
  return [
    h("p", { class: "kicker" }, form.study),
    h("h1", {}, say("thanks.title")),
    h("p", { class: "lead" }, say("thanks.lead")),
    h("ul", { class: "sent" }, form.questions.map((question) => h("li", {}, sentOf(question, sent.reports[question.id])))),
    names.length === 0 ? null : h("p", {}, say("thanks.sealed", { names: listed(names) })),
    h("p", {}, h("a", { href: certificate }, say("thanks.check"))),
    keeping(form, sent, withdraw),
    h("section", { "aria-labelledby": "traces" },
      h("h2", { id: "traces" }, say("thanks.forget_title")),
      h("p", {}, say("thanks.forget_text")),
      h("div", { class: "actions" }, h("button", { type: "button", class: "plain", click: forget }, say("thanks.forget")))),
  ];
}

/** Return a page of one sentence under a heading. */
export function endView(title, text) {
  return [h("p", { class: "kicker" }, say("page.survey")), h("h1", {}, title), h("p", { class: "lead" }, text)];
}

function sentOf(question, report) {
  const title = h("h2", {}, question.text);
  if (report === null) return [title, h("p", { class: "report" }, say("thanks.sent_nothing"))];
  const label = question.report_labels?.[report];
  const shown = label === undefined ? String(report) : quoted(label);
  return [
    title,
    h("p", { class: "report" }, say("thanks.sent", { report: shown })),
    label === undefined ? null : h("p", {}, say("thanks.not_answer")),
    protectionOf(question, "thanks", { isPublic: "odds", analyst: "analyst" }).map((text) => h("p", {}, text)),
  ];
}

function keeping(form, sent, withdraw) {
  const status = statusLine("help");
  const actions = h("div", { class: "actions" });
  const sure = h("p", { id: "sure", class: "warn" });
  const ask = () => {
    replaceAll(sure, say("thanks.withdraw_sure"));
    const yes = h("button", { type: "button", class: "danger", "aria-describedby": "sure", click: withdraw }, say("thanks.withdraw_yes"));
    actions.classList.add("sure");
    replaceAll(actions, yes, h("button", { type: "button", class: "plain", click: offer }, say("thanks.withdraw_no")));
    yes.focus();
  };
  const copy = async () => {
    await navigator.clipboard.writeText(sent.secret);
    status.textContent = say("thanks.copied");
  };
  const offer = () => {
    replaceAll(sure);
    actions.classList.remove("sure");
    const button = h("button", { type: "button", class: "plain", click: ask }, say("thanks.withdraw"));
    replaceAll(actions, h("button", { type: "button", class: "plain", click: copy }, say("thanks.copy")), button);
    return button;
  };
  offer();
  return h("section", { "aria-labelledby": "keep" },
    h("h2", { id: "keep" }, say("thanks.keep_title")),
    h("p", {}, say("thanks.keep_text")),
    form.mode === "panel" ? h("p", {}, say("thanks.keep_panel")) : null,
    h("p", {}, h("span", { class: "label", id: "secret-name" }, say("thanks.secret"))),
    h("code", { class: "secret", "aria-labelledby": "secret-name" }, sent.secret),
    status,
    sure,
    actions);
}
