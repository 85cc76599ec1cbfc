// What went wrong, in sentences: a page for each problem that a respondent can meet, with the way out.

import { h } from "./dom.js";
import { say } from "./say.js";

// What a server's refusal means, by status and by the parameter that it names.
const REFUSED = {
  "403 token": "token",
  "403 credential": "token",
  "409 token": "spent",
  "409 credential": "used",
  "409 id": "used",
  "409 report": "in_results",
  "410 report": "withdrawn",
  410: "closed",
  404: "not_found",
  429: "busy",
  422: "changed",
  400: "damaged",
};
// What a refusal of the device means, by its code.
const CODES = {
  insecure: "insecure", away: "offline", study: "other_study", form: "damaged", odds: "damaged", signature: "damaged",
  key: "other_key", token: "token", memory: "storage",
};
// What it is of use to try again, as it is.
const PASSING = new Set(["offline", "busy", "damaged", "unknown"]);

/** A problem by its name in the messages. */
export class PageProblem extends Error {
  constructor(name) {
    super(name);
    this.name = "PageProblem";
    this.problem = name;
  }
}

/** Return the name of a problem: of the page itself, of the device, or of what a server refused. */
export function problemOf(error) {
  if (error instanceof PageProblem) return error.problem;
  const { code, status, parameter } = error;
  if (code === "server") return status >= 500 ? "offline" : REFUSED[`${status} ${parameter}`] ?? REFUSED[status] ?? "unknown";
  if (Object.hasOwn(CODES, code ?? "")) return CODES[code];
  if (["QuotaExceededError", "SecurityError"].includes(error.name)) return "storage";
  return error.name === "NotSupportedError" ? "no_crypto" : "unknown";
}

/** Return the part of a page that says what is wrong; `retry` and `leave` are what its buttons do. */
export function problemView(problem, { retry = null, leave = null, forget = null } = {}) {
  const button = (kind, key, act) => h("button", { type: "button", class: kind, click: act }, say(key));
  return [
    h("p", { class: "kicker" }, say("page.survey")),
    h("h1", {}, say("problem.title")),
    h("div", { class: "note" }, h("p", {}, h("strong", {}, say(`problem.${problem}`))), h("p", {}, say(`problem.${problem}_way`))),
    h(
      "div",
      { class: "actions" },
      forget === null ? null : button("quiet", "ask.forget", forget),
      leave === null ? null : button("plain", "problem.to_start", leave),
      retry === null || !PASSING.has(problem) ? null : button("forward", "problem.retry", retry),
    ),
  ];
}
