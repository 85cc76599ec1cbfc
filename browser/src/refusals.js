// What is refused, and why: a code that a page has words for, and a plain sentence for whoever has none.

/** A refusal. `code` names it; no refusal repeats an answer, a token or a key. */
export class Refusal extends Error {
  constructor(code, sentence, details = {}) {
    super(sentence);
    this.name = "Refusal";
    this.code = code;
    Object.assign(this, details);
  }
}

/** Run something that reads what a server sent, and refuse whatever is wrong with it by one sentence. */
export function reading(code, sentence, read) {
  try {
    return read();
  } catch (error) {
    if (error instanceof Refusal) throw error;
    throw new Refusal(code, `${sentence} (${error.message}).`);
  }
}
