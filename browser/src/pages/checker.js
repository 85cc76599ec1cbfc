/**
 * A page that checks the certificates in it, in the browser of whoever reads it.
 *
 * An element with `data-certified` holds one sealed document (`data-sealed`) and what is shown of it (`data-part`, and
 * `data-claim` where it belongs to one claim). The document is checked, and what is shown is compared with it.
 */
import { MARKS, summaryOf, verdictOf } from "../checker/verdicts.js";
import { answerMessages, makeChecker } from "../checker/worker.js";
import { differencesIn } from "./comparing.js";

async function checkPage(line, script) {
  const blocks = [...document.querySelectorAll("[data-certified]")];
  const inside = blocks.filter(sealedIn);
  const progress = beginning(line);
  const check = makeChecker(script);
  const verdicts = [];
  for (const [place, block] of inside.entries()) {
    const text = textOf(sealedIn(block));
    const found = await check(text, (done, of) => {
      progress.textContent = `certificate ${place + 1} of ${inside.length}, claim ${done} of ${of}`;
    });
    const name = block.dataset.certified;
    const verdict = { name, ...verdictOf(found, found.shown ? differencesIn(block, found.shown, text) : []) };
    verdicts.push(verdict);
    if (name) say(lineBefore(block), verdict);
    markClaim(block, found);
  }
  say(line, summaryOf(verdicts, blocks.length - inside.length));
}

const sealedIn = (block) => block.querySelector("[data-sealed]");

/** A screen reader hears that it begins and how it ends; the numbers between are for whoever looks. */
function beginning(line) {
  const [words, progress] = [document.createElement("span"), document.createElement("span")];
  words.textContent = "Checking the certificates of this page in this browser … ";
  progress.setAttribute("aria-hidden", "true");
  line.replaceChildren(words, progress);
  return progress;
}

/** The document byte by byte: what is seen, unless it holds letters that no page shows. */
function textOf(sealed) {
  if (!sealed.dataset.sealed) return sealed.textContent;
  const bytes = Uint8Array.from(atob(sealed.dataset.sealed), (letter) => letter.charCodeAt(0));
  return new TextDecoder().decode(bytes);
}

function say(line, { outcome, words }) {
  line.dataset.outcome = outcome;
  line.textContent = `${MARKS[outcome]} ${words}`;
}

/** A line of its own before the document of one certificate among several. */
function lineBefore(block) {
  const line = document.createElement("p");
  line.className = "check";
  sealedIn(block).closest("details").before(line);
  return line;
}

/** Where a refusal names a claim that is shown, say so there too. */
function markClaim(block, { exit_code: code, because }) {
  const measure = code === 1 ? because.split(":")[0] : "";
  block.querySelector(`tr[data-claim="${CSS.escape(measure)}"] [data-part="name"]`)?.append(" ✗ refused");
}

/** Whatever goes wrong, the line does not stay at its beginning. */
function begin(line, script) {
  checkPage(line, script).catch((error) => {
    const words = `Not checked: the page's own check broke off (${error?.name}). Run sfumato verify.`;
    say(line, { outcome: "open", words });
  });
}

// The same script is the page's and the worker's.
if (typeof document === "undefined") answerMessages(self);
else if (document.querySelector("[data-check]")) begin(document.querySelector("[data-check]"), document.currentScript);
