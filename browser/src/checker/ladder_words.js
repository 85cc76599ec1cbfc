/** What a certificate of a ladder calls the levels: by number, or by who sees them. */
import { bitLength, ceilDiv } from "../rationals.js";
import { damaged } from "./outcomes.js";

export const MOST_LISTED = 6;
const LONGEST_NAME = 100;
const UNREADABLE = "the readers of its ladder cannot be read";

/** A, b and c. */
export const joinNames = (names, word) =>
  names.length > 1 ? `${names.slice(0, -1).join(", ")} ${word} ${names.at(-1)}` : names[0];

/** Read the names of those who see each level but the public one. */
export function readReaders(readers, depth) {
  if (!Array.isArray(readers) || readers.length !== depth - 1) throw damaged(UNREADABLE);
  if (!readers.every((level) => Array.isArray(level) && level.length)) throw damaged(UNREADABLE);
  const names = readers.flat();
  if (!names.every((name) => typeof name === "string" && isName(name))) throw damaged(UNREADABLE);
  if (new Set(names.map((name) => name.toLowerCase())).size !== names.length) throw damaged(UNREADABLE);
  return readers;
}

/** Letters, digits, - and _, in at most 100 bytes; two words are kept. */
function isName(text) {
  const good = /^[-_]*[\p{L}\p{N}][-_\p{L}\p{N}]*$/u.test(text);
  const short = new TextEncoder().encode(text).length <= LONGEST_NAME;
  return good && short && !["public", "registrar"].includes(text.toLowerCase());
}

export class LevelWords {
  constructor(depth, named) {
    this.depth = depth;
    this.named = named;
  }

  /** Who sees a level, where they have names. */
  people(level) {
    if (level === 0) return ["the registrar"];
    return this.named === null || level === this.depth ? ["the public"] : this.named[level - 1];
  }

  /** They see, or one sees. */
  see(level) {
    const people = this.people(level);
    return `${joinNames(people, "and")} ${people.length === 1 ? "sees" : "see"}`;
  }

  /** Which reports. */
  reports(level) {
    return this.named === null ? `of level ${level}` : `that ${this.see(level)}`;
  }

  /** What is private. */
  what(level) {
    return this.named === null ? `Level ${level}` : `What ${this.see(level)}`;
  }

  /** Whose key. */
  key(level) {
    return this.named === null ? `of level ${level}` : `of ${joinNames(this.people(level), "or")}`;
  }

  /** Which key gives answers back. */
  recovering() {
    return this.named === null ? "the key of level 0" : "the registrar's key";
  }

  /** Who sees no more than whom. */
  coalition(group) {
    const best = Math.min(...group);
    return this.named === null ? this.#numbered(group, best) : this.#called(group, best);
  }

  #numbered(group, best) {
    if (group.length > 1) {
      return `Analysts ${joinNames(group.map(String), "and")} together see no more than analyst ${best} alone`;
    }
    if (best === this.depth) return `The public sees no more than level ${best} tells`;
    return `Analyst ${best}, who knows the public report too, sees no more than level ${best} tells`;
  }

  #called(group, best) {
    if (group.length > 1) {
      const people = joinNames(group.flatMap((level) => this.people(level)), "and");
      return `Together, ${people} see no more than ${joinNames(this.people(best), "or")} alone`;
    }
    if (best === this.depth) return "The public sees no more than its report tells";
    const own = this.people(best).length === 1 ? "its own" : "their own";
    return `With the public report beside ${own}, ${this.see(best)} no more than ${own} tells`;
  }

  /** What the numbers of the levels mean. */
  note() {
    if (this.named === null) {
      return (
        `Levels are numbered from the sharpest. Level ${this.depth} is the public report, which everybody sees: ` +
        `whoever holds the key of another level sees both.`
      );
    }
    const levels = Array.from({ length: this.depth }, (_, i) => i + 1);
    const who = levels.map((level) => `${level} is ${joinNames(this.people(level), "and")}`).join("; ");
    return (
      `Levels are numbered from the sharpest: ${who}. Everybody sees the public report: whoever holds a key sees both.`
    );
  }
}

/**
 * At most h2(a) + a·log2(size - 1) bits more for an advantage of a = 2^-64 against the cipher, in two digits:
 * h2(a)/a < 65.442696, and log2(size - 1) is rounded up to a whole number.
 */
export function seedGap(size) {
  const millionths = 65_442_696n + 1_000_000n * BigInt(bitLength(size - 2n));
  const tenths = ceilDiv(millionths * 10n ** 13n, 1n << 64n);
  return `${tenths / 10n}.${tenths % 10n}e-18`;
}

const seeds = (size) =>
  "The claims are about true draws. Keys that are expanded from a seed protect as much against readers who cannot " +
  "break the cipher, and against no others: if nothing that a reader can compute tells its output from true draws " +
  "with an advantage above 2^-64, then what a reader can compute from the reports tells at most " +
  `${seedGap(size)} bits more about an answer, and a guess is right at most 2^-64 more often.`;
const AMENDED =
  "The claims are about one report for an answer. That an answer was amended later is seen by everybody and covered " +
  "by no claim; of two answers it tells which one is true now. The report that is drawn anew adds its own odds.";

/** What a reader of the claims has to know. */
export function ladderNotes(words, remarks, size) {
  const listed =
    `Of the coalitions of ${words.depth} levels only single levels, pairs and all together are listed; any other has ` +
    `the odds of its best member by the same argument.`;
  return [words.note(), seeds(size), AMENDED, ...remarks, ...(words.depth > MOST_LISTED ? [listed] : [])];
}
