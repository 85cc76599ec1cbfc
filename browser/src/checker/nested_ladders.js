/** Ladders whose favoured sets lie inside one another: spaces of masks, and sets of residues. */
import { Ratio } from "../rationals.js";
import { entropy } from "./enclosures.js";
import { Ladder, UNREADABLE } from "./ladder_levels.js";
import { damaged, Refused } from "./outcomes.js";
import { wholeNumber } from "./reading.js";

const MOST_MASK_BITS = 22n;
const MOST_SPACE_BITS = 62n;
const MOST_SET_RESIDUES = 64n;
const UNIT = new Ratio(1n);

/**
 * Levels with a public set, in it the set of each level going up, and an element u that favours those of level 1. None
 * looks at the answer x, and x less u is published.
 *
 * *Levels.* Given the set of a level, the F elements that it favours have weight o and others weight 1. Given only the
 * set below, its F' elements are favoured above in a share s = F/F' of cases and no others are, so they have weight o' =
 * 1 + (o-1)s; with chance λ the set above is any. That makes odds o_(j+1) where λ/(1-λ) = K(o'-o)/(W'(o-1)), with W' =
 * K + F'(o'-1) of K elements: a chance where o' ≥ o.
 *
 * *Coalitions.* Given the best set of a coalition, what it holds besides does not depend on the answer.
 *
 * *Bits.* Of N sets n lie inside one of a level below; a set that is kept with chance κ has a law of two levels, and
 * several steps are one, with the product of their κ.
 */
class Nested extends Ladder {
  get keyReason() {
    return "H of what a level has more than the public [B, Thm 4]";
  }

  /** The odds that are left of a level's where only the set of the next is known. */
  left(level) {
    const share = new Ratio(this.even(level), this.even(level + 1));
    return UNIT.plus(this.odds[level - 1].minus(UNIT).times(share));
  }

  /** With which chance the set of the next level has to do with that of a level. */
  kept(level) {
    const left = this.left(level);
    const wanted = this.odds[level];
    const every = new Ratio(this.modulus);
    const weight = new Ratio(this.even(level + 1)).times(left.minus(UNIT)).plus(every);
    const ratio = every.times(left.minus(wanted)).over(weight.times(wanted.minus(UNIT)));
    return UNIT.over(UNIT.plus(ratio));
  }

  levelEntropy(level) {
    const even = this.even(level);
    const odds = this.odds[level - 1];
    const low = UNIT.over(odds.times(new Ratio(even)).plus(new Ratio(this.modulus - even)));
    return entropy([
      [odds.times(low), even],
      [low, this.modulus - even],
    ]);
  }

  erasureEntropy(above, below) {
    let kept = UNIT;
    for (let level = above; level < below; level += 1) kept = kept.times(this.kept(level));
    const [inside, every] = this.counts(this.parts[above - 1], this.parts[below - 1]);
    const rare = UNIT.minus(kept).over(new Ratio(every));
    return entropy([
      [kept.over(new Ratio(inside)).plus(rare), inside],
      [rare, every - inside],
    ]);
  }

  /** Refuse odds that words cannot draw, or that what is left of the level above does not reach. */
  checked() {
    this.odds.forEach(({ above, below }, i) => {
      const even = this.even(i + 1);
      const weight = above * even + below * (this.modulus - even);
      if ((weight > this.modulus ? weight : this.modulus) + 1n > 1n << 64n) {
        throw new Refused("the odds of a level are finer than the words it is drawn from");
      }
    });
    for (let level = 1; level < this.depth; level += 1) {
      if (this.left(level).compare(this.odds[level]) < 0) {
        throw new Refused("a level of the ladder cannot be made from the one above it");
      }
    }
    return this;
  }
}

/** Spaces of masks of t bits favour the elements of GF(2^t) but 0 at which they are even; larger ones favour fewer. */
class Flags extends Nested {
  constructor({ size, length, parts, odds, recover }) {
    super({ size, modulus: (1n << length) - 1n, favoured: (1n << (length - parts.at(-1))) - 1n, odds, recover });
    Object.assign(this, { length, parts });
  }

  get back() {
    return "(x/u)·u = x in the field for every answer x and every key u";
  }

  get levelReason() {
    return (
      "masks of a level are drawn from those of the level above, apart from the answer, checked exactly [B, Thm 3]"
    );
  }

  get remarks() {
    return [
      `Answers are elements of a field of 2^${this.length}. What is drawn for a row, spaces of masks of dimension ` +
        `${this.parts.join(", ")} from the sharpest level to the public one and an element, does not depend on ` +
        `the answer; the masks of the public level follow from the number of the row. The claims hold for every row.`,
    ];
  }

  /** At how many elements the masks of a level are all even. */
  even(level) {
    return (1n << (this.length - this.parts[level - 1])) - 1n;
  }

  /** How many spaces of a dimension lie above one of another, and how many there are. */
  counts(high, low) {
    return [maskSpaces(this.length - low, high - low), maskSpaces(this.length, high)];
  }
}

/** Sets of residues favour their members; x-u is published. */
class NestedSets extends Nested {
  constructor({ size, parts, odds, recover }) {
    super({ size, modulus: size, favoured: parts.at(-1), odds, recover });
    this.parts = parts;
  }

  get back() {
    return "(x-u)+u = x mod k for every answer x and every key u";
  }

  get levelReason() {
    return (
      "the set of a level is drawn around that of the level above, apart from the answer, checked exactly [B, Thm 3]"
    );
  }

  get remarks() {
    return [
      `Answers are residues mod ${this.modulus}. What is drawn for a row, sets of ${this.parts.join(", ")} residues ` +
        `from the sharpest level to the public one and a residue, does not depend on the answer; the set of the ` +
        `public level follows from the number of the row. The claims hold for every row.`,
    ];
  }

  even(level) {
    return this.parts[level - 1];
  }

  /** How many sets of a size lie inside one of another, and how many there are. */
  counts(inner, outer) {
    return [choose(outer, inner), choose(this.modulus, inner)];
  }
}

/** How many spaces of a dimension there are among masks of a length: [t, c] = [t-1, c-1] + 2^c·[t-1, c]. */
function maskSpaces(length, dimension) {
  let row = [1n];
  for (let i = 0n; i < length; i += 1n) {
    row = [1n, ...row.slice(1).map((value, c) => row[c] + (1n << BigInt(c + 1)) * value), 1n];
  }
  return row[Number(dimension)];
}

/** How many sets of so many members there are: C(n, r) = C(n, r-1)·(n-r+1)/r. */
function choose(all, members) {
  let found = 1n;
  for (let i = 1n; i <= members; i += 1n) found = (found * (all - i + 1n)) / i;
  return found;
}

function readParts(given, most, odds, isWrong, refusal) {
  if (!Array.isArray(given) || !given.length) throw damaged(UNREADABLE);
  const parts = given.map((part) => wholeNumber(part, 1n, most));
  if (parts.length !== odds.length || parts.some((part, i) => i > 0 && isWrong(parts[i - 1], part))) {
    throw new Refused(refusal);
  }
  return parts;
}

/** Read the ladder over spaces of masks. */
export function readFlags(document, odds) {
  const size = wholeNumber(document.get("size"), 2n, 1n << 63n);
  const length = wholeNumber(document.get("length"), 2n, MOST_MASK_BITS);
  const refusal = "the masks of the ladder do not lie inside one another";
  const parts = readParts(document.get("dimensions"), length - 1n, odds, (above, below) => above < below, refusal);
  if (size > (1n << length) - 1n) throw new Refused("the field does not hold the answers");
  for (let c = 1n; c <= parts[0]; c += 1n) {
    if (maskSpaces(length, c) << length > 1n << MOST_SPACE_BITS) {
      throw new Refused("the masks of a level are more than words can number");
    }
  }
  return new Flags({ size, length, parts, odds, recover: document.get("recover") }).checked();
}

/** Read the ladder over sets of residues. */
export function readSets(document, odds) {
  const size = wholeNumber(document.get("size"), 2n, MOST_SET_RESIDUES);
  const refusal = "the sets of the ladder do not lie inside one another";
  const parts = readParts(document.get("sizes"), size - 1n, odds, (above, below) => above > below, refusal);
  if (parts.slice(0, -1).some((members) => choose(size, members) * size > 1n << MOST_SPACE_BITS)) {
    throw new Refused("the sets of a level are more than words can number");
  }
  return new NestedSets({ size, parts, odds, recover: document.get("recover") }).checked();
}
