// What a device remembers, so that the same answer never gets a second report (study/device_memory.py says why).
// An answer that has changed is drawn anew. The memory stays on the device; whoever has it can find the answers in it.

import { base64, hex, joined, sha256, unbase64, unhex, utf8 } from "./bytes.js";
import { answerMark } from "./forms.js";
import { Kept } from "./storage.js";
import { SECRET_BYTES, waveSecret } from "./submission.js";

const NAME = "sfumato/device/1";

/** What this device remembers. */
export class DeviceMemory {
  constructor(words, storage) {
    this.words = words;
    this.kept = new Kept(NAME, () => ({ schema: NAME, secret: hex(words.bytes(SECRET_BYTES)), studies: {} }), storage);
  }

  get isKept() {
    return this.kept.isKept;
  }

  /** Be the only one at work on it; what was added is kept before anybody is given a report. */
  async held(form, job) {
    return this.kept.change((document) => {
      document.studies[form.fingerprint] ??= { cells: {}, sent: {} };
      return job(new Remembered(document, form, this.words));
    });
  }

  /** Write down that what was made in this wave waits no more: the server has it, or it was taken back. */
  async markDone(form, secret) {
    await this.held(form, ({ study }) => {
      const made = study.sent[form.wave];
      if (made?.secret === hex(secret)) made.done = true;
    });
  }

  /** Return what was made in this wave and still waits. */
  async unsent(form) {
    return this.held(form, ({ study }) => {
      const made = study.sent[form.wave];
      return made === undefined || made.done ? undefined : unpacked(made);
    });
  }
}

/** What a memory knows of one study, while the device answers it. */
class Remembered {
  constructor(document, form, words) {
    this.form = form;
    this.words = words;
    this.key = unhex(document.secret);
    this.study = document.studies[form.fingerprint];
  }

  /** Return what an answer got before, or what `draw` makes of it now. */
  async cell(question, answer, draw) {
    const name = await this.named(question, answer);
    this.study.cells[name] ??= draw();
    return this.study.cells[name];
  }

  /** Return the secret of the next report: in a panel that of the wave, else a new one. */
  async secret() {
    if (this.form.mode === "panel") return waveSecret(this.key, this.form.fingerprint, this.form.wave);
    return this.words.bytes(SECRET_BYTES);
  }

  /** Return what was sent for the same answers in this wave, to send it once more; undefined where nothing was. */
  async sent(answers) {
    const found = this.study.sent[this.form.wave];
    if (found === undefined || found.answers !== (await this.all(answers))) return undefined;
    return unpacked(found);
  }

  /** Keep what is sent in this wave. */
  async keepSent(answers, { secret, row, shares }) {
    this.study.sent[this.form.wave] = {
      answers: await this.all(answers),
      secret: hex(secret),
      row: base64(row),
      shares: Object.fromEntries(Object.entries(shares).map(([name, body]) => [name, base64(body)])),
    };
  }

  /** An answer to a question that is drawn in this very way; nobody reads it without the device's secret. */
  async named(question, answer) {
    const told = [question.id, question.asks, question.draw, answerMark(question, answer)];
    return this.hidden("sfumato/answer/1", JSON.stringify(told));
  }

  async all(answers) {
    const keys = await sha256(...this.form.receivers.map((one) => one.publicKey));
    const names = [];
    for (const question of this.form.questions) names.push(await this.named(question, answers[question.id]));
    return this.hidden("sfumato/answers/1", JSON.stringify([hex(keys), ...names]));
  }

  async hidden(purpose, text) {
    const hmac = { name: "HMAC", hash: "SHA-256" };
    const key = await crypto.subtle.importKey("raw", this.key, hmac, false, ["sign"]);
    return hex(new Uint8Array(await crypto.subtle.sign("HMAC", key, joined(utf8(purpose), utf8(text)))));
  }
}

function unpacked({ secret, row, shares }) {
  const bodies = Object.entries(shares).map(([name, body]) => [name, unbase64(body)]);
  return { secret: unhex(secret), row: unbase64(row), shares: Object.fromEntries(bodies) };
}
