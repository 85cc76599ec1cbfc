// The dashboard: what the reports say so far, looked at three times a second; and with a reader's key, what that reader sees.

import { Desk, Refused } from "../desk/asking.js";
import { byId, download } from "../desk/elements.js";
import { EstimatesView, estimatesCsv } from "../desk/estimates_view.js";
import { ReaderPanel } from "../desk/reader_panel.js";

const LOOK_EVERY = 300;
const TELL_EVERY = 500;
const BEHIND = /^#reader=([A-Za-z0-9_-]+)$/;

const told = JSON.parse(byId("page-data").textContent);
const desk = new Desk();
const view = new EstimatesView(byId("estimates"), "live");
const worker = new Worker(told.estimates_worker);
const live = { counted: null, estimates: null, reports: 0, text: "", wanted: "", changed: 0, isPaused: false, isAsking: false, isWorking: false, timer: 0 };

function start() {
  const behind = BEHIND.exec(location.hash);
  if (behind) {
    desk.takeToken(behind[1]);
    history.replaceState(null, "", location.pathname);
  }
  byId("sign-in").hidden = told.is_public || desk.hasToken;
  byId("sign-in").addEventListener("submit", (event) => {
    event.preventDefault();
    desk.takeToken(byId("token").value);
    byId("token").value = "";
    look();
  });
  byId("pause").addEventListener("click", pause);
  byId("as-csv").addEventListener("click", () => download("estimates.csv", "text/csv", estimatesCsv(live.estimates)));
  byId("as-json").addEventListener("click", () => download("estimates.json", "application/json", json()));
  document.addEventListener("visibilitychange", () => document.hidden || schedule(0));
  if (byId("open")) new ReaderPanel(desk, told, () => live.estimates ?? []);
  setInterval(tellTimes, TELL_EVERY);
  if (told.is_public || desk.hasToken) look();
}

function pause() {
  live.isPaused = !live.isPaused;
  byId("pause").textContent = live.isPaused ? "Go on" : "Pause";
  byId("said").textContent = live.isPaused ? "Paused: the numbers stand still." : "The numbers move again.";
  if (!live.isPaused) schedule(0);
}

function schedule(wait) {
  clearTimeout(live.timer);
  live.timer = setTimeout(() => live.isPaused || document.hidden || look(), wait);
}

/** Look once; the next look is due a moment after this one began, and never two at a time. */
async function look() {
  if (live.isAsking) return;
  live.isAsking = true;
  const began = performance.now();
  try {
    show(await desk.get("/live"));
    byId("sign-in").hidden = true;
    byId("live").hidden = false;
    if (byId("said").dataset.kind === "refused") say("");
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    say(error.message, "refused");
    if (error.status === 401) {
      byId("sign-in").hidden = false;
      byId("live").hidden = true;
      return;
    }
  } finally {
    live.isAsking = false;
  }
  schedule(Math.max(0, LOOK_EVERY - (performance.now() - began)));
}

/** Show what was counted; what it says is worked out by the worker, one question to it at a time. */
function show(counted) {
  const text = JSON.stringify(counted);
  if (text !== live.text) {
    live.text = text;
    live.counted = counted;
    live.changed = performance.now();
  }
  byId("note").textContent = counted.note ?? "";
  if (counted.reports !== null) workOut();
  else drawNothing();
}

function workOut() {
  if (live.isWorking || live.text === live.wanted) return;
  live.isWorking = true;
  live.wanted = live.text;
  const { counts, estimates } = live.counted;
  worker.postMessage({ readings: told.readings, counts, told: estimates, reports: live.counted.reports });
}

worker.onmessage = ({ data: { estimates, reports } }) => {
  live.isWorking = false;
  live.estimates = estimates;
  live.reports = reports;
  byId("reports").textContent = reports.toLocaleString("en");
  byId("nothing").hidden = true;
  byId("downloads").hidden = false;
  view.show(estimates, told.texts);
  tellTimes();
  workOut();
};

function drawNothing() {
  byId("reports").textContent = "–";
  byId("nothing").hidden = false;
}

function json() {
  const { study, wave } = live.counted;
  // Of as many reports as the estimates are of: more may have been counted since.
  return JSON.stringify({ schema: "sfumato/live-estimates/1", study, wave, reports: live.reports, estimates: live.estimates }, null, 2);
}

function tellTimes() {
  if (live.estimates === null) return;
  byId("ago").textContent = live.isPaused ? "paused" : `updated ${ago(live.changed)}`;
}

function ago(when) {
  const seconds = Math.round((performance.now() - when) / 1000);
  if (seconds < 1) return "just now";
  return seconds < 120 ? `${seconds} s ago` : `${Math.round(seconds / 60)} min ago`;
}

function say(sentence, kind = "") {
  byId("said").textContent = sentence;
  byId("said").dataset.kind = kind;
}

start();
