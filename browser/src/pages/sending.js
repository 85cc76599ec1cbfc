// Sending, with every step in words: draw, seal, ticket, a random wait, and the report until it is acknowledged.

import { drawAll, submit } from "../respondent.js";
import { hex } from "../bytes.js";
import { Server } from "../server.js";
import { h } from "./dom.js";
import { problemOf } from "./problems.js";
import { page, say } from "./say.js";

const PAUSES = [2, 5, 15, 30, 60];

/** Return the page, and what moves it: `at(step)` says where it is, `waiting(left, whole)` how long it takes. */
export function sendingView(form) {
  const steps = ["draw", ...(form.receivers.length > 0 ? ["seal"] : []), ...(form.mode === "panel" ? [] : ["ticket", "wait"]), "deliver"];
  const states = new Map(steps.map((name) => [name, h("span", {}, say("send.is_next"))]));
  const items = new Map(steps.map((name) => [name, h("li", { "data-state": "next" }, h("span", {}, say(`send.${name}`)), states.get(name))]));
  // For the ear while all goes well, since the list shows it to the eye.
  const told = h("p", { role: "status", class: "unseen" });
  const left = h("p", { class: "help" });
  const bar = h("progress", { max: "1", value: "0", "aria-label": say("send.wait"), hidden: true });
  const now = h("button", { type: "button", class: "plain", hidden: true }, say("send.now"));
  return {
    parts: [
      h("p", { class: "kicker" }, form.study),
      h("h1", {}, say("send.title")),
      h("p", { class: "lead" }, say("send.keep_open")),
      h("h2", { class: "unseen" }, say("send.steps")),
      h("ol", { class: "work" }, [...items.values()]),
      told,
      bar,
      left,
      h("div", { class: "actions" }, now),
    ],
    at(step) {
      const place = steps.indexOf(step);
      for (const [i, name] of steps.entries()) {
        const state = i < place ? "done" : i === place ? "now" : "next";
        items.get(name).dataset.state = state;
        states.get(name).textContent = say(`send.is_${state}`);
      }
      told.className = "unseen";
      told.textContent = say(`send.${step}`);
      bar.hidden = step !== "wait";
      left.textContent = "";
      now.hidden = true;
    },
    waiting(seconds, whole) {
      bar.value = whole > 0 ? 1 - seconds / whole : 1;
      left.textContent = seconds > 90 ? say("send.waiting_minutes", { minutes: Math.ceil(seconds / 60) }) : say("send.waiting", { seconds: Math.ceil(seconds) });
    },
    /** Wait before something is tried again, or until somebody does not want to wait. */
    async again(seconds) {
      told.className = "note";
      told.textContent = say("send.again", { seconds });
      now.hidden = false;
      await new Promise((done) => {
        const timer = setTimeout(done, 1000 * seconds);
        now.addEventListener("click", () => { clearTimeout(timer); done(); }, { once: true });
        window.addEventListener("online", () => { clearTimeout(timer); done(); }, { once: true });
      });
      now.hidden = true;
    },
  };
}

/**
 * Draw, seal and send, and return what was sent: the reports by question, and the secret. Where the server cannot be
 * reached it is tried again for as long as the page is open; what was drawn and signed is on the device by then.
 */
export async function sendReport({ form, answers, token, key, view }) {
  view.at("draw");
  const made = await drawAll(form, answers);
  if (form.receivers.length > 0) view.at("seal");
  const reports = Object.fromEntries(made.cells.map(({ question, report }) => [question, report]));
  for (let attempt = 0; ; attempt += 1) {
    try {
      await submitOnce({ form, made, token, key, view });
      return { secret: hex(made.secret), reports };
    } catch (error) {
      if (problemOf(error) !== "offline") throw error;
      await view.again(PAUSES[Math.min(attempt, PAUSES.length - 1)]);
    }
  }
}

async function submitOnce({ form, made, token, key, view }) {
  let timer;
  const onProgress = (stage, seconds) => {
    clearInterval(timer);
    if (stage === "credential") view.at("ticket");
    if (stage === "sending") view.at("deliver");
    if (stage !== "waiting") return;
    view.at("wait");
    const until = performance.now() + 1000 * seconds;
    const tick = () => view.waiting(Math.max(0, (until - performance.now()) / 1000), seconds);
    tick();
    timer = setInterval(tick, 500);
  };
  try {
    await submit(form, made, { token, key, onProgress, waitSeconds: page.wait_seconds, server: new Server({ attempts: 2 }) });
  } finally {
    clearInterval(timer);
  }
}
