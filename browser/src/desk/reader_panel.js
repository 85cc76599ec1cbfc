// Where a reader gives their private key: to a worker, which is ended when it is done, and to nothing else.

import { byId, download, element } from "./elements.js";
import { EstimatesView, estimatesCsv } from "./estimates_view.js";

const STAGES = {
  unlocking: () => "Working the passphrase out, which takes some seconds.",
  fetching: () => "Fetching the reports and your sealed shares.",
  opening: (done, total) => `Opening reports: ${done.toLocaleString("en")} of ${total.toLocaleString("en")}.`,
};

export class ReaderPanel {
  #worker = null;
  #found = null;

  /** `publicNow` gives the estimates that everybody sees, which are drawn beside. */
  constructor(desk, told, publicNow) {
    this.desk = desk;
    this.told = told;
    this.publicNow = publicNow;
    this.view = new EstimatesView(byId("opened"), "opened");
    byId("open").addEventListener("submit", (event) => {
      event.preventDefault();
      this.#open();
    });
    byId("cancel").addEventListener("click", () => this.#stop("Cancelled. Nothing was kept."));
    byId("opened-csv").addEventListener("click", () => download(`estimates-${this.#found.receiver}.csv`, "text/csv", estimatesCsv(this.#found.estimates)));
    byId("opened-json").addEventListener("click", () => download(`estimates-${this.#found.receiver}.json`, "application/json", this.#json()));
  }

  async #open() {
    const [file] = byId("key-file").files;
    const pasted = byId("key-text").value;
    if (!file && pasted.trim() === "") {
      this.#say("Choose the file of your private key, or paste it.");
      return;
    }
    const typed = byId("reader-token").value.trim();
    const token = typed || this.desk.token;
    const key = file ? new Uint8Array(await file.arrayBuffer()) : new TextEncoder().encode(pasted.trimStart());
    const passphrase = byId("passphrase").value;
    // The page forgets them before anything else happens.
    byId("key-file").value = "";
    byId("key-text").value = "";
    byId("passphrase").value = "";
    byId("reader-token").value = "";
    this.#begin();
    this.#worker = new Worker(this.told.worker);
    this.#worker.onmessage = ({ data }) => this.#hear(data);
    this.#worker.onerror = (event) => {
      event.preventDefault();
      this.#stop("Something went wrong while the reports were opened. Try again, or use the command.");
    };
    const receiver = byId("receiver").value || null;
    this.#worker.postMessage({ key, passphrase, token, receiver }, [key.buffer]);
  }

  #begin() {
    this.#worker?.terminate();
    byId("open-button").disabled = true;
    byId("cancel").hidden = false;
    byId("progress").hidden = false;
    byId("progress").removeAttribute("value");
    this.#say("Reading the key.");
  }

  #hear(message) {
    if (message.type === "progress") {
      this.#tellStage(message);
      return;
    }
    if (message.type === "refused") {
      this.#stop(message.sentence);
      return;
    }
    this.#found = message;
    this.#stop(this.#summary(message));
    byId("opened-part").hidden = false;
    byId("opened-title").textContent = `As ${message.receiver} sees it`;
    this.view.show(message.estimates, message.texts, this.publicNow());
    byId("unread").replaceChildren(...message.unread.map((question) => element("li", {}, unreadWords(question))));
  }

  #tellStage({ stage, done, total }) {
    // Said when the stage changes; the numbers of a stage move in the bar and are not read out one by one.
    if (stage !== this.stage) this.#say(STAGES[stage](done, total));
    this.stage = stage;
    if (stage !== "opening") return;
    byId("progress").max = total;
    byId("progress").value = done;
    byId("progress-words").textContent = STAGES.opening(done, total);
  }

  #stop(sentence) {
    this.#worker?.terminate();
    this.#worker = null;
    this.stage = null;
    byId("open-button").disabled = false;
    byId("cancel").hidden = true;
    byId("progress").hidden = true;
    byId("progress-words").textContent = "";
    this.#say(sentence);
  }

  #say(sentence) {
    byId("open-said").textContent = sentence;
  }

  #summary({ rows, dropped, receiver }) {
    const opened = `${(rows - dropped).toLocaleString("en")} of ${rows.toLocaleString("en")} reports are opened for ${receiver}.`;
    if (dropped === 0) return opened;
    const noun = dropped === 1 ? "1 report was dropped: its sealed share does" : `${dropped.toLocaleString("en")} reports were dropped: their sealed shares do`;
    return `${opened} ${noun} not open, or ${dropped === 1 ? "holds" : "hold"} what no device draws.`;
  }

  #json() {
    const { study, wave, receiver, rows, dropped, estimates } = this.#found;
    return JSON.stringify({ schema: "sfumato/opened-estimates/1", study, wave, receiver, rows, dropped, estimates }, null, 2);
  }
}

function unreadWords({ text, is_opened: isOpened }) {
  return isOpened
    ? `${text} – this kind is opened by the command: take the export, then sfumato keys unseal, open and estimate.`
    : `${text} – no key sharpens this question, and a page does not work it out; everybody sees the same of it above.`;
}
