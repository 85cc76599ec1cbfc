// What is kept of unfinished answers, on this device alone: in its local storage, under the fingerprint of the study.
// Nothing of it is ever sent. Where nothing can be kept, the page works as long as it is open.

const PREFIX = "sfumato/answers/1/";

/** The answers of one person to one wave of a study: `token`, `answers`, `place`, and once it is sent what was sent. */
export class Progress {
  constructor(fingerprint, wave) {
    this._name = `${PREFIX}${fingerprint}/${wave}`;
    this._held = read(this._name);
  }

  get(name) {
    return this._held[name];
  }

  /** Keep something; undefined takes it away. */
  set(name, value) {
    if (value === undefined) delete this._held[name];
    else this._held[name] = value;
    try {
      if (Object.keys(this._held).length === 0) localStorage.removeItem(this._name);
      else localStorage.setItem(this._name, JSON.stringify(this._held));
    } catch {
      // It is kept as long as the page is open.
    }
  }

  /** Whether some question was answered. */
  get hasAnswers() {
    return Object.keys(this._held.answers ?? {}).length > 0;
  }

  /** Forget the answers, and where one was; the invitation stays. */
  forgetAnswers() {
    this.set("answers", undefined);
    this.set("place", undefined);
  }

  /** Forget everything. */
  forget() {
    this._held = {};
    this.set("answers", undefined);
  }
}

/** Take away all that is kept for this address: what devices remember of studies has the same beginning. */
export function forgetDevice() {
  try {
    for (const name of Object.keys(localStorage)) if (name.startsWith("sfumato/")) localStorage.removeItem(name);
  } catch {
    // Nothing is kept where nothing can be.
  }
}

function read(name) {
  try {
    const found = JSON.parse(localStorage.getItem(name));
    return found !== null && typeof found === "object" && !Array.isArray(found) ? found : {};
  } catch {
    return {};
  }
}
