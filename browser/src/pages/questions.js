// One question a page, and the review of all answers. Whatever is typed is saved on the device at once, and nowhere else.

import { controlOf, showFault, shownAnswer } from "./controls.js";
import { drawn, h } from "./dom.js";
import { protectionOf, say } from "./say.js";

/** Return the page of a question; `go` is told what was chosen: "back", "next" or "forget". */
export function questionView({ question, place, count, answer, isLast, check, save, go }) {
  const control = controlOf(question, answer, () => save(control.read()));
  const next = (event) => {
    event.preventDefault();
    const given = control.read();
    const problem = given === undefined ? "missing" : check(given);
    if (problem !== undefined) return showFault(control, control.fault(problem));
    save(given);
    go("next");
  };
  const told = h(
    "details",
    { class: "told" },
    h("summary", {}, say("ask.what_is_sent")),
    protectionOf(question, "ask", { isPublic: "sent_public", analyst: "sent_analyst" }).map((text) => h("p", {}, text)),
  );
  return [
    h("p", { class: "kicker", id: "place" }, say("ask.place", { place, count })),
    meter(place / count),
    h(
      "form",
      { submit: next, method: "dialog", autocomplete: "off", novalidate: true },
      control.element,
      h(
        "div",
        { class: "actions" },
        h("button", { type: "button", class: "plain", click: () => go("back") }, say("ask.back")),
        h("button", { type: "submit", class: "forward" }, say(isLast ? "ask.to_review" : "ask.next")),
      ),
    ),
    told,
    deviceLine(() => go("forget")),
  ];
}

/** Return the page that shows all answers to whoever gave them. */
export function reviewView({ asked, answers, change, send, forget, back }) {
  const rows = asked.map((question) =>
    h(
      "div",
      {},
      h("dt", {}, question.text),
      h("dd", {}, shownAnswer(question, answers[question.id])),
      h(
        "dd",
        { class: "act" },
        h("button", { type: "button", class: "plain", "aria-label": say("review.change_label", { question: question.text }), click: () => change(question) }, say("review.change")),
      ),
    ),
  );
  return [
    h("p", { class: "kicker" }, say("page.survey")),
    h("h1", {}, say("review.title")),
    h("p", { class: "lead" }, say("review.lead")),
    h("dl", { class: "answers" }, rows),
    h("p", {}, say("review.send_note")),
    h(
      "div",
      { class: "actions" },
      h("button", { type: "button", class: "plain", click: back }, say("ask.back")),
      h("button", { type: "button", class: "forward", click: send }, say("review.send")),
    ),
    deviceLine(forget),
  ];
}

/** Where answers are, and the button that forgets them. */
function deviceLine(forget) {
  return h("div", { class: "device" }, h("span", {}, say("ask.saved")), h("button", { type: "button", class: "quiet", click: forget }, say("ask.forget")));
}

/** How far one is, for the eye: the line above says it in words. */
function meter(share) {
  const bar = drawn("rect", { width: `${Math.round(100 * share)}%`, height: "100%" });
  return h("div", { class: "meter", "aria-hidden": "true" }, drawn("svg", { focusable: "false" }, bar));
}
