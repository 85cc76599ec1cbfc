// How a page speaks to the server that it came from, and to no other: JSON, the same headers from everybody, and tried
// again where nothing is lost by it (web/connections.py). A redirection is an error: it could lead a token anywhere.

import { Refusal } from "./refusals.js";

const ATTEMPTS = 6;
const MOST_MILLISECONDS = 60_000;
const FIRST_PAUSE = 500;
const MOST_PAUSE = 30_000;
const AGAIN = [408, 425, 429, 500, 502, 503, 504];
const MOST_WORDS = 300;
const LONGEST_TIMER = 2 ** 31 - 1;

export class Server {
  /** `pause` waits so many milliseconds. */
  constructor({ base = globalThis.location.href, attempts = ATTEMPTS, pause = sleep } = {}) {
    this.base = base;
    this.attempts = attempts;
    this.pause = pause;
  }

  async get(path) {
    return this.asked(path, { method: "GET" });
  }

  /** Send a body, the same one as often as it takes, and return what is answered. */
  async post(path, body) {
    return this.asked(path, { method: "POST", body, headers: { "Content-Type": "application/json" } });
  }

  async asked(path, options) {
    for (let attempt = 1; ; attempt += 1) {
      const answer = await this.once(path, options);
      if (answer?.status === 200) return answer.document;
      if (answer !== undefined && !(AGAIN.includes(answer.status) && attempt < this.attempts)) throw refused(answer);
      if (attempt >= this.attempts)
        throw new Refusal("away", "The server gives no answer. Try again later: nothing is counted twice.");
      // Devices that were turned away together do not come back together.
      const spread = crypto.getRandomValues(new Uint16Array(1))[0] / 65536;
      await this.pause(Math.min(MOST_PAUSE, FIRST_PAUSE * 2 ** (attempt - 1)) * (0.5 + spread));
    }
  }

  /** Ask once; undefined where no whole answer came. */
  async once(path, options) {
    try {
      const answer = await fetch(new URL(path, this.base), {
        ...options,
        cache: "no-store",
        credentials: "omit",
        mode: "same-origin",
        redirect: "error",
        referrerPolicy: "no-referrer",
        signal: AbortSignal.timeout(MOST_MILLISECONDS),
      });
      return { status: answer.status, document: await answer.json() };
    } catch {
      return undefined;
    }
  }
}

/** Wait so many milliseconds. A browser that is asked for more than fits into 31 bits at once does not wait at all. */
export async function sleep(milliseconds) {
  let left = milliseconds;
  do {
    const part = Math.min(left, LONGEST_TIMER);
    await new Promise((done) => setTimeout(done, part));
    left -= part;
  } while (left > 0);
}

function refused({ status, document }) {
  const told = document?.error ?? {};
  const words = (text) => String(text ?? "").slice(0, MOST_WORDS);
  return new Refusal("server", `The server says no: ${words(told.parameter)} ${words(told.rule)}`.trim(), {
    status,
    rule: words(told.rule),
    parameter: told.parameter === null ? null : words(told.parameter),
    wayOut: words(told.way_out),
  });
}
