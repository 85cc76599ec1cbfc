// The respondent's page: reads the invitation, asks, shows the review, sends, and says what was sent.
//
// Nothing of an answer stands in an address, in the history, in the title or in a request. The invitation comes behind
// # in the link, which browsers do not send, and is taken out of the address bar at once.
//
// Whoever looks into it finds what it calls under `sfumato`, and so do tests.

import * as device from "../respondent.js";
import { askedQuestions, checkAnswers, loadForm, readInvitation, readToken, withdraw } from "../respondent.js";
import { focusOn, h, replaceAll } from "./dom.js";
import { PageProblem, problemOf, problemView } from "./problems.js";
import { Progress, forgetDevice } from "./progress.js";
import { questionView, reviewView } from "./questions.js";
import { page, say } from "./say.js";
import { sendReport, sendingView } from "./sending.js";
import { startView, withdrawBy } from "./start.js";
import { endView, thanksView } from "./thanks.js";

const APP = document.getElementById("app");
const INVITATION = /^#[A-Za-z2-7-]{32,50}(&|$)/;
const WELCOME = [...(APP?.childNodes ?? [])];

let form = null;
let progress = null;

/** Show a page of this address: its title says which, and never what was answered. */
function show(parts, title) {
  APP.removeAttribute("aria-busy");
  replaceAll(APP, parts);
  document.title = title === undefined ? form?.study ?? document.title : `${title} · ${form.study}`;
  const heading = APP.querySelector("h1");
  if (heading !== null) focusOn(heading);
}

/** Show what is wrong, in a sentence. */
function showProblem(error, retry) {
  const problem = problemOf(error);
  const forget = problem === "closed" && progress?.hasAnswers ? () => { forgetAll(); } : null;
  show(problemView(problem, { retry, forget, leave: form === null ? null : showWelcome }));
}

/** Return the invitation of the address, and take it out of there. */
function takeInvitation() {
  if (!INVITATION.test(location.hash)) return {};
  const found = readInvitation(location.hash);
  history.replaceState(null, "", location.pathname + location.search);
  return found;
}

async function begin() {
  const invited = takeInvitation();
  try {
    if (window.isSecureContext && crypto.subtle === undefined) throw new PageProblem("no_crypto");
    form = await loadForm({ invitation: invited });
    if (form.fingerprint !== page.fingerprint) throw new PageProblem("changed");
    progress = new Progress(form.fingerprint, form.wave);
    if (invited.token !== undefined) takeToken(readToken(invited.token), invited.key);
    APP.removeAttribute("aria-busy");
    if (progress.get("sent") !== undefined) showThanks();
    else if (progress.get("sending") === true) sending();
    else showStart();
  } catch (error) {
    showProblem(error, () => location.reload());
  }
}

/** Another invitation is another person: nothing of the one before is shown to them. */
function takeToken(token, key) {
  if (progress.get("token") !== undefined && progress.get("token") !== token) progress.forget();
  progress.set("token", token);
  progress.set("key", key);
}

function showWelcome() {
  show(WELCOME);
  showStart();
}

/** The end of the first page: the invitation, and the button that begins. */
function showStart() {
  const parts = startView({
    progress,
    takeToken: (text) => takeToken(readToken(text)),
    begin: () => (progress.hasAnswers ? goOn() : showQuestion(askedNow()[0])),
    forget: forgetAnswers,
    withdraw: async (secret) => {
      await withdrawBy(secret);
      if (progress.get("sent")?.secret === secret) progress.forget();
      showEnd("withdrawn");
    },
    fail: showProblem,
  });
  replaceAll(document.getElementById("start"), parts);
}

function answersNow() {
  return progress.get("answers") ?? {};
}

/** The questions that are asked by the answers so far. */
function askedNow() {
  const asked = new Set(askedQuestions(form, answersNow()));
  return form.questions.filter(({ id }) => asked.has(id));
}

function goOn() {
  const place = progress.get("place");
  const question = askedNow().find(({ id }) => id === place);
  question === undefined ? showReview() : showQuestion(question);
}

function showQuestion(question) {
  const asked = askedNow();
  const place = asked.indexOf(question);
  progress.set("place", question.id);
  show(
    questionView({
      question,
      place: place + 1,
      count: asked.length,
      isLast: place === asked.length - 1 && !opensMore(question),
      answer: answersNow()[question.id],
      check: (answer) => checkAnswers(form, { ...answersNow(), [question.id]: answer })[question.id],
      save: (answer) => saveAnswer(question.id, answer),
      go: (where) => {
        if (where === "forget") return forgetAnswers();
        const now = askedNow();
        const at = now.findIndex(({ id }) => id === question.id) + (where === "next" ? 1 : -1);
        at < 0 ? showWelcome() : at === now.length ? showReview() : showQuestion(now[at]);
      },
    }),
    say("ask.title"),
  );
}

/** Whether another question may follow by what is answered to this one. */
function opensMore({ id }) {
  return form.questions.some(({ ask_if: rule }) => rule?.question === id);
}

function saveAnswer(id, answer) {
  const answers = { ...answersNow() };
  if (answer === undefined) delete answers[id];
  else answers[id] = answer;
  progress.set("answers", answers);
}

function showReview() {
  const asked = askedNow();
  const open = asked.find(({ id }) => !(id in answersNow()));
  if (open !== undefined) return showQuestion(open);
  progress.set("place", "");
  show(
    reviewView({
      asked,
      answers: answersNow(),
      change: showQuestion,
      back: () => showQuestion(asked.at(-1)),
      forget: forgetAnswers,
      send: () => { progress.set("sending", true); sending(); },
    }),
    say("review.title"),
  );
}

/** Draw, seal and send; whatever interrupts it, it goes on here with the same draws. */
async function sending() {
  const asked = new Set(askedNow().map(({ id }) => id));
  const answers = Object.fromEntries(Object.entries(answersNow()).filter(([id]) => asked.has(id)));
  const view = sendingView(form);
  show(view.parts, say("send.title"));
  try {
    const sent = await sendReport({ form, answers, token: progress.get("token"), key: progress.get("key"), view });
    for (const name of ["answers", "place", "sending", "token", "key"]) progress.set(name, undefined);
    progress.set("sent", sent);
    showThanks();
  } catch (error) {
    progress.set("sending", undefined);
    if (["token", "spent"].includes(problemOf(error))) progress.set("token", undefined);
    showProblem(error, () => { progress.set("sending", true); sending(); });
  }
}

function showThanks() {
  const sent = progress.get("sent");
  const takeBack = async () => {
    try {
      await withdraw(form);
      progress.forget();
      showEnd("withdrawn");
    } catch (error) {
      showProblem(error, takeBack);
    }
  };
  show(thanksView({ form, sent, certificate: page.certificate, withdraw: takeBack, forget: forgetAll }), say("thanks.title"));
}

function showEnd(name) {
  show(endView(say(`thanks.${name}_title`), say(`thanks.${name}`)), say(`thanks.${name}_title`));
}

function forgetAnswers() {
  progress.forgetAnswers();
  show(endView(say("ask.title"), say("ask.forgotten")), say("ask.title"));
  APP.append(h("div", { class: "actions" }, h("button", { type: "button", class: "plain", click: showWelcome }, say("problem.to_start"))));
}

/** Take away everything that this page ever kept on the device: answers, draws, credentials and secrets. */
function forgetAll() {
  progress.forget();
  forgetDevice();
  showEnd("forgotten");
}

globalThis.sfumato = device;
window.addEventListener("hashchange", () => { if (INVITATION.test(location.hash)) location.reload(); });
if (APP !== null) begin();
