/** Ladders: levels of odds over one mechanism, as their declaration has them. */
import { Ratio, wholeRoot } from "../rationals.js";
import { entropy } from "./enclosures.js";
import { Ladder, UNREADABLE } from "./ladder_levels.js";
import { readFlags, readSets } from "./nested_ladders.js";
import { damaged, Refused } from "./outcomes.js";
import { fractionOf, wholeNumber } from "./reading.js";
import { compactJson, parseJson } from "./strict_json.js";

const MOST_LEVELS = 32;
const MOST_DECLARATION = 20_000;
const MOST_MODULUS = 1n << 22n;
const MOST_ORDER = 256n;
const MOST_PRIME = 2048n;
const MOST_ARC_RESIDUES = 1n << 11n;
const MOST_OPTIONS = 60n;
const MOST_ASKED = 16n;
const ODDS = /^[0-9]{1,300}(?:\/[0-9]{1,300})?$/;
const UNIT = new Ratio(1n);
const TWO = new Ratio(2n);

/**
 * Levels over m of k options, each reported by a bit that is flipped apart from the others.
 *
 * An answer is a set of options; m of them are assigned in public, and the report is the m bits that say which of these
 * were chosen, xor a mask of flips. At odds o of the report a flip has odds e = o^(1/m) and chance f = 1/(e+1), so a
 * report with j bits off the truth has probability f^j·(1-f)^(m-j).
 *
 * *Odds.* The probabilities of a report under two answers are at most ((1-f)/f)^m = o apart, and two answers that
 * differ in all m options have just that. Which options are assigned does not depend on the answer, so knowing it adds
 * nothing.
 *
 * *Steps.* A bit that is flipped with chance f keeps a part c(e) = 1-2f = (e-1)/(e+1) of what it says; another flip of
 * chance g multiplies that by 1-2g. So flips of chance (1 - c'/c)/2 take a level to the next, for c falls with o, and
 * coalitions are as above.
 */
class FlippedOptions extends Ladder {
  constructor({ options, asked, odds, recover }) {
    super({ size: 1n << options, modulus: 1n << asked, favoured: 1n, odds, recover });
    Object.assign(this, { options, asked });
  }

  get back() {
    return "(x xor u) xor u = x for every answer x and every key u";
  }

  get remarks() {
    const { options, asked } = this;
    if (asked === options) {
      return [`An answer is a set of the ${options} options; a report is about all of them.`];
    }
    return [
      `An answer is a set of the ${options} options. A report is about ${asked} of them, which the number of its row ` +
        `decides in public and not the answer; of the others it says nothing, and no key gives them back.`,
    ];
  }

  /** The odds of one flip at a level. */
  flipOdds(level) {
    const { above, below } = this.odds[level - 1];
    return new Ratio(wholeRoot(above, this.asked), wholeRoot(below, this.asked));
  }

  part(level) {
    const odds = this.flipOdds(level);
    return odds.minus(UNIT).over(odds.plus(UNIT));
  }

  levelEntropy(level) {
    return this.#flips(UNIT.minus(this.part(level)).over(TWO));
  }

  erasureEntropy(above, below) {
    return this.#flips(UNIT.minus(this.part(below).over(this.part(above))).over(TWO));
  }

  /** H of all flips of a chance. */
  #flips(chance) {
    return entropy([
      [chance, 1n],
      [UNIT.minus(chance), 1n],
    ]).times(this.asked);
  }
}

/** Read the declaration of a ladder, in its one spelling. */
export function readLadder(text) {
  if (typeof text !== "string" || text.length > MOST_DECLARATION) throw damaged(UNREADABLE);
  const document = parseJson(text);
  const kind = document instanceof Map ? document.get("mechanism") : undefined;
  if (typeof kind !== "string" || !Object.hasOwn(LADDER_KEYS, kind)) throw damaged(UNREADABLE);
  const keys = ["mechanism", ...LADDER_KEYS[kind], "odds", "recover"];
  const given = document.get("odds");
  if ([...document.keys()].join() !== keys.join() || compactJson(document) !== text || !Array.isArray(given)) {
    throw damaged(UNREADABLE);
  }
  if (!given.every((value) => typeof value === "string" && ODDS.test(value))) throw damaged(UNREADABLE);
  const odds = given.map(fractionOf);
  const recover = document.get("recover");
  const falling = odds.every((value, i) => value.compare(odds[i + 1] ?? UNIT) > 0);
  if (!odds.length || odds.length > MOST_LEVELS || !falling || typeof recover !== "boolean") {
    throw new Refused("the odds of the ladder do not fall from level to level, or end at 1");
  }
  if (kind === "assigned_options") return flippedOptions(document, odds);
  if (kind === "flags") return readFlags(document, odds);
  if (kind === "sets") return readSets(document, odds);
  return shiftedReports(kind, document, odds);
}

function shiftedReports(kind, document, odds) {
  const size = wholeNumber(document.get("size"), 2n, 1n << 63n);
  const [modulus, favoured] = FAVOURED_SETS[kind](document, size);
  const oneBit = kind === "binary_hadamard";
  const recover = document.get("recover");
  if (oneBit && recover && size !== 2n) throw new Refused("one bit and a key do not tell so many answers apart");
  for (const { above, below } of odds) {
    const weight = above * favoured + below * (modulus - favoured);
    if ((weight > modulus ? weight : modulus) + (oneBit ? 0n : 1n) > 1n << 64n) {
      throw new Refused("the odds of a level are finer than the words it is drawn from");
    }
  }
  return new Ladder({ size, modulus, favoured, odds, recover });
}

/** The ladder over m of k options. */
function flippedOptions(document, odds) {
  const options = wholeNumber(document.get("options"), 2n, MOST_OPTIONS);
  const asked = wholeNumber(document.get("asked"), 1n, options < MOST_ASKED ? options : MOST_ASKED);
  const ladder = new FlippedOptions({ options, asked, odds, recover: document.get("recover") });
  odds.forEach((value, i) => {
    const { above, below } = ladder.flipOdds(i + 1);
    if (above ** asked !== value.above || below ** asked !== value.below) {
      throw new Refused("the odds of a level are not those of as many equal flips as options are asked");
    }
  });
  if (ladder.recover && asked !== options) {
    throw new Refused("a key does not give back the options that were not asked");
  }
  return ladder;
}

/**
 * (K, F) of a run of favoured shifts 0..F-1.
 *
 * The answers stand at 0, 1, …, and the favoured reports of the last end at K-1, so that none wraps. Where the last
 * answer stands apart, it stands F-1 further on, and F more residues hold its own favoured reports.
 */
function arc(document, size) {
  const length = wholeNumber(document.get("length"), 1n, MOST_ARC_RESIDUES);
  const apart = document.get("apart");
  if (typeof apart !== "boolean") throw damaged(UNREADABLE);
  const modulus = apart ? size - 1n + 2n * length - 1n : size + length - 1n;
  if (modulus > MOST_ARC_RESIDUES || size - (apart ? 1n : 0n) < 2n) {
    throw new Refused("the favoured arc does not fit the answers");
  }
  return [modulus, length];
}

/** (K, F) of a set of favoured shifts. Singer's and Paley's theorems say that there is one for these numbers. */
function differenceSet(document, size) {
  const q = wholeNumber(document.get("q"), 2n, MOST_MODULUS);
  const t = wholeNumber(document.get("t"), 1n, 40n);
  const primes = primeFactors(q);
  const isPrime = primes.size === 1 && primes.has(q);
  let modulus, favoured;
  if (document.get("family") === "Singer") {
    if (t < 2n || q > (isPrime ? MOST_PRIME : MOST_ORDER) || primes.size !== 1) {
      throw new Refused("there is no Singer set of these numbers");
    }
    [modulus, favoured] = [(q ** t - 1n) / (q - 1n), (q ** (t - 1n) - 1n) / (q - 1n)];
  } else if (document.get("family") === "Paley") {
    if (t !== 1n || q % 4n !== 3n || !isPrime) throw new Refused("there is no Paley set of these numbers");
    [modulus, favoured] = [q, (q - 1n) / 2n];
  } else throw damaged(UNREADABLE);
  if (modulus < 3n || modulus < size || modulus > MOST_MODULUS) {
    throw new Refused("the set of favoured shifts does not fit the answers");
  }
  return [modulus, favoured];
}

const LADDER_KEYS = {
  arc_response: ["size", "length", "apart"],
  assigned_options: ["options", "asked"],
  binary_hadamard: ["size"],
  cyclic_response: ["size", "family", "q", "t"],
  flags: ["size", "length", "dimensions"],
  sets: ["size", "sizes"],
};
// Of a bit's two shifts, not to flip is favoured.
const FAVOURED_SETS = { arc_response: arc, binary_hadamard: () => [2n, 1n], cyclic_response: differenceSet };

/** The primes that divide a number of at most 2^22. */
function primeFactors(number) {
  const found = new Set();
  let rest = Number(number);
  for (let prime = 2; prime * prime <= rest; prime += 1) {
    while (rest % prime === 0) {
      found.add(BigInt(prime));
      rest /= prime;
    }
  }
  return rest > 1 ? found.add(BigInt(rest)) : found;
}
