// How a question is asked: a control for each way of asking. Each gives its element, and reads the answer as it stands.
//
// An answer is a text, a list of texts where several may be chosen, null for "I do not want to answer", and undefined
// as long as nothing was chosen.

import { comboBox } from "./combobox.js";
import { h } from "./dom.js";
import { numberText, say, typedNumber } from "./say.js";

const FIELD = "answer";
const HELP = "answer-help";
export const FAULT = "answer-fault";

/** Make the control of a question, with the answer that was given before; `changed` is called whenever it changes. */
export function controlOf(question, answer, changed) {
  const skipping = question.gaps === "refused" ? null : skipBox(question, answer === null);
  const made = TYPES[question.asks.type](question, answer, skipping);
  const hear = () => { clearFault(made); changed(); };
  made.element.addEventListener("input", hear);
  made.element.addEventListener("change", hear);
  return made;
}

/** Show an answer to whoever gave it. */
export function shownAnswer(question, answer) {
  if (answer === null || answer === undefined) return say("review.no_answer");
  if (Array.isArray(answer)) return answer.length === 0 ? say("review.none") : answer.join(", ");
  return question.asks.type === "number" ? numberText(answer) : answer;
}

const TYPES = {
  one: (question, answer, skipping) => choices(question, answer, skipping, say("ask.choose_one")),
  scale: (question, answer, skipping) => {
    const { answers } = question.asks;
    const help = say("ask.scale", { first: answers[0], last: answers.at(-1) });
    // A few steps stand side by side where there is room; more of them could not be read there.
    return choices(question, answer, skipping, help, answers.length <= 7 ? "choices scale" : "choices");
  },
  several: severalOf,
  number: numberField,
  listed: longList,
};

function heading(question) {
  return h("h1", {}, question.text);
}

function choices(question, answer, skipping, help, kind = "choices") {
  const radio = (value, text, note) =>
    h(
      "label",
      { class: "choice" },
      h("input", { type: "radio", name: FIELD, value, checked: value === answer, autocomplete: "off" }),
      h("span", {}, text, note === undefined ? null : h("small", {}, note)),
    );
  const own = question.asks.answers.map((text) => radio(text, text));
  // No answer is one of the group, with an element of its own for its value: a study may have an answer of any name.
  const skip = skipping === null ? null : radio("", say("ask.no_answer"), skipping.note);
  if (skip !== null) skip.querySelector("input").checked = answer === null;
  const element = group(heading(question), help, [
    h("div", { class: kind }, own),
    skip === null ? null : h("div", { class: "choices apart" }, skip),
  ]);
  const buttons = [...element.querySelectorAll("input")];
  return {
    element,
    first: buttons[0],
    fault: () => say("fault.none_chosen"),
    read() {
      const at = buttons.findIndex((one) => one.checked);
      return at < 0 ? undefined : at < own.length ? question.asks.answers[at] : null;
    },
  };
}

function severalOf(question, answer, skipping) {
  const { options, none } = question.asks;
  const box = (text, isChecked, note) =>
    h(
      "label",
      { class: "choice" },
      h("input", { type: "checkbox", name: FIELD, checked: isChecked, autocomplete: "off" }),
      h("span", {}, text, note === undefined ? null : h("small", {}, note)),
    );
  const own = options.map((text) => box(text, Array.isArray(answer) && answer.includes(text)));
  const nothing = none === null ? null : box(say("ask.none_of_these"), Array.isArray(answer) && answer.length === 0);
  const skip = skipping === null ? null : box(say("ask.no_answer"), answer === null, skipping.note);
  const apart = [nothing, skip].filter((one) => one !== null);
  const element = group(heading(question), say("ask.choose_several"), [
    h("div", { class: "choices" }, own),
    apart.length === 0 ? null : h("div", { class: "choices apart" }, apart),
  ]);
  const ticked = (one) => one !== null && one.querySelector("input").checked;
  // Whoever ticks one of these means nothing else; whoever ticks an option means it.
  element.addEventListener("change", (event) => {
    if (!event.target.checked) return;
    const isApart = apart.some((one) => one.contains(event.target));
    for (const one of isApart ? [...own, ...apart] : apart)
      if (!one.contains(event.target)) one.querySelector("input").checked = false;
  }, { capture: true });
  return {
    element,
    first: element.querySelector("input"),
    fault: () => say(nothing === null ? "fault.none_chosen" : "fault.none_of_several"),
    read() {
      if (ticked(skip)) return null;
      const chosen = options.filter((_, i) => ticked(own[i]));
      return chosen.length > 0 || ticked(nothing) ? chosen : undefined;
    },
  };
}

function numberField(question, answer, skipping) {
  const { least, most, step } = question.asks;
  const names = { least: numberText(least), most: numberText(most), step: numberText(step) };
  const help = say(step === "1" ? "ask.number" : "ask.number_steps", names);
  const input = h("input", {
    type: "text", id: FIELD, class: "number", autocomplete: "off", spellcheck: "false", "aria-describedby": HELP,
    inputmode: least.startsWith("-") ? "text" : step.includes(".") ? "decimal" : "numeric",
    maxlength: "40", value: typeof answer === "string" ? numberText(answer) : "",
  });
  const element = single(question, help, input, skipping);
  return {
    element,
    first: input,
    fault: (problem) => say(problem === "between-steps" ? "fault.off_step" : "fault.no_number", names),
    read() {
      if (skipping?.isTicked()) return null;
      const text = typedNumber(input.value);
      return text === "" ? undefined : text;
    },
  };
}

function longList(question, answer, skipping) {
  const { texts, others } = question.asks;
  const known = texts.trimEnd().split("\n");
  const help = say("ask.list_help", { count: known.length.toLocaleString(document.documentElement.lang) });
  const combo = comboBox({ id: FIELD, describedBy: HELP, texts: known, others, chosen: typeof answer === "string" ? answer : null });
  const element = single(question, help, combo.element, skipping, combo.input);
  return {
    element,
    first: combo.input,
    fault: () => say("fault.not_listed"),
    read: () => (skipping?.isTicked() ? null : combo.read()),
  };
}

/** Several inputs under one name: readers aloud say the question with each. */
function group(title, help, inside) {
  return h("fieldset", { "aria-describedby": HELP }, h("legend", {}, title), h("p", { class: "help", id: HELP }, help), faultLine(), inside);
}

/** One input, whose label is the question; whoever ticks the box beside it empties it, and who writes unticks it. */
function single(question, help, inside, skipping, input = inside) {
  const title = h("h1", {}, h("label", { for: FIELD }, question.text));
  const line = h("p", { class: "help", id: HELP }, help);
  const element = h("div", { class: "field" }, title, line, faultLine(), inside, skipping === null ? null : h("div", { class: "choices apart" }, skipping.element));
  if (skipping !== null) {
    input.addEventListener("input", () => { if (input.value !== "") skipping.untick(); });
    skipping.element.addEventListener("change", () => {
      if (!skipping.isTicked()) return;
      input.value = "";
      input.dispatchEvent(new Event("emptied"));
    });
  }
  return element;
}

function faultLine() {
  return h("p", { class: "fault", id: FAULT, hidden: true, role: "alert" });
}

/** A box for those who do not want to answer, with what that tells. */
function skipBox(question, isTicked) {
  const note = say(question.gaps === "hidden" ? "ask.no_answer_hidden" : "ask.no_answer_public");
  const box = h("input", { type: "checkbox", checked: isTicked, autocomplete: "off" });
  const element = h("label", { class: "choice" }, box, h("span", {}, say("ask.no_answer"), h("small", {}, note)));
  return { element, note, isTicked: () => box.checked, untick: () => { box.checked = false; } };
}

/** Take back what was said to be missing, as soon as something changes. */
function clearFault({ element, first }) {
  element.classList.remove("wrong");
  element.querySelector(`#${FAULT}`).hidden = true;
  (element.matches("fieldset") ? element : first).setAttribute("aria-describedby", HELP);
  first.removeAttribute("aria-invalid");
}

/** Say what is missing, at its place: the inputs point to the sentence, and the first of them gets the focus. */
export function showFault(control, text) {
  const line = control.element.querySelector(`#${FAULT}`);
  line.replaceChildren(h("span", { class: "unseen" }, `${say("fault.label")} `), text);
  line.hidden = false;
  control.element.classList.add("wrong");
  const described = control.element.matches("fieldset") ? control.element : control.first;
  described.setAttribute("aria-describedby", `${HELP} ${FAULT}`);
  if (described === control.first) control.first.setAttribute("aria-invalid", "true");
  control.first.focus();
}

