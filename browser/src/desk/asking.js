// Asking the server with a token, which stays in this variable: no storage has it, and it goes in no address.

/** What a server answers instead of what was asked for; `status` is 0 where it does not answer. */
export class Refused extends Error {
  constructor(status, sentence) {
    super(sentence);
    this.status = status;
  }
}

/** A way to ask: with the token that was typed last. */
export class Desk {
  #token = "";

  /** Take a token, as it was typed or as a link has it behind #. */
  takeToken(text) {
    this.#token = text.trim();
  }

  get hasToken() {
    return this.#token !== "";
  }

  /** The token, for the worker that fetches shares. */
  get token() {
    return this.#token;
  }

  async get(path) {
    return (await this.#ask("GET", path)).json();
  }

  async post(path, document) {
    return (await this.#ask("POST", path, document)).json();
  }

  async bytes(path) {
    return (await this.#ask("GET", path)).arrayBuffer();
  }

  async #ask(method, path, document = null) {
    const headers = this.hasToken ? { Authorization: `Bearer ${this.#token}` } : {};
    const body = document === null ? undefined : JSON.stringify(document);
    if (body !== undefined) headers["Content-Type"] = "application/json";
    let answer;
    try {
      answer = await fetch(path, { method, headers, body, cache: "no-store", referrerPolicy: "no-referrer" });
    } catch {
      throw new Refused(0, "The server does not answer. Is it running?");
    }
    if (answer.ok) return answer;
    throw new Refused(answer.status, await sentenceOf(answer));
  }
}

async function sentenceOf(answer) {
  if (answer.status === 401) return "This token is not the one: it lets nobody in here.";
  if (answer.status === 429) return "Too many requests came from here. Wait a little.";
  try {
    const { error } = await answer.json();
    const about = error.parameter ? `${error.parameter}: ` : "";
    return `${about}${error.rule}. ${error.way_out}`;
  } catch {
    return `The server answers with ${answer.status}.`;
  }
}
