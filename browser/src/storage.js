// What a device keeps between visits: two documents in the browser's own storage of this origin, and nowhere else.
// One tab at a time changes them. Where there is no storage, they last as long as the page, and `isKept` says so.

import { Refusal } from "./refusals.js";

/** A document under a name, with what a new one is. */
export class Kept {
  constructor(name, blank, storage = browserStorage()) {
    this.name = name;
    this.blank = blank;
    this.storage = storage;
  }

  /** Whether it outlives the page. */
  get isKept() {
    return this.storage.isKept !== false;
  }

  /** Return the document; a damaged one is refused, since without it answers would get a second report. */
  read() {
    const text = this.storage.getItem(this.name);
    if (text === null) return this.blank();
    try {
      const found = JSON.parse(text);
      if (found.schema === this.name) return found;
    } catch {
      // It is refused below.
    }
    throw new Refusal("memory", "What this device remembers is damaged. Ask whoever invited you before you go on.");
  }

  /** Change the document, while nobody else does; what is changed is kept before this returns. */
  async change(job) {
    return alone(this.name, async () => {
      const document = this.read();
      const found = await job(document);
      this.storage.setItem(this.name, JSON.stringify(document));
      return found;
    });
  }
}

/** Storage that lasts as long as the page. */
export class PageStorage {
  constructor() {
    this.held = new Map();
    this.isKept = false;
  }

  getItem(name) {
    return this.held.get(name) ?? null;
  }

  setItem(name, text) {
    this.held.set(name, text);
  }
}

let found;

function browserStorage() {
  if (found === undefined) {
    try {
      const held = globalThis.localStorage;
      held.setItem("sfumato/try", "");
      held.removeItem("sfumato/try");
      found = held;
    } catch {
      found = new PageStorage();
    }
  }
  return found;
}

async function alone(name, job) {
  return navigator.locks === undefined ? job() : navigator.locks.request(name, job);
}
