/** The check behind a message, so that a page stays alive while it goes on: in a worker, or in the page if need be. */
import { answerTo } from "./certificates.js";
import { displayed } from "./displayed.js";

/** Check a text, and say what a page that shows it must show. */
function checkText(text, tell) {
  const { document, ...found } = answerTo(new TextEncoder().encode(text), tell);
  return { ...found, shown: document ? displayed(document) : null };
}

/** Answer every message { id, text } with { id, found }, and with { id, done, of } on the way. */
export function answerMessages(scope) {
  scope.onmessage = ({ data: { id, text } }) => {
    const found = checkText(text, (done, of) => scope.postMessage({ id, done, of }));
    scope.postMessage({ id, found });
  };
}

/** A function from texts to promises of answers, by a worker of this very script; by itself where none can be had. */
export function makeChecker(script) {
  const waiting = new Map();
  // After a turn of the page, so that it is seen that something begins; what goes wrong reaches whoever waits.
  const byItself = ({ text, tell, settle }) => settle(new Promise(setTimeout).then(() => checkText(text, tell)));
  let worker = null;
  try {
    worker = new Worker(addressOf(script));
    worker.onmessage = ({ data: { id, found, done, of } }) => {
      if (!found) return waiting.get(id)?.tell(done, of);
      waiting.get(id)?.settle(found);
      return waiting.delete(id);
    };
    worker.onerror = (event) => {
      event.preventDefault();
      worker = null;
      for (const one of waiting.values()) byItself(one);
      waiting.clear();
    };
  } catch {
    worker = null;
  }
  let number = 0;
  return (text, tell = () => {}) =>
    new Promise((settle) => {
      number += 1;
      if (!worker) return byItself({ text, tell, settle });
      waiting.set(number, { text, tell, settle });
      return worker.postMessage({ id: number, text });
    });
}

/** A served script has an address; one that stands in a file becomes a Blob. */
const addressOf = (script) =>
  script.src || URL.createObjectURL(new Blob([script.textContent], { type: "text/javascript" }));
