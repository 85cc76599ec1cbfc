/** Ladders of flags: levels whose masks lie inside one another. */
import { Ratio } from "../rationals.js";
import { entropy } from "./enclosures.js";
import { Ladder, UNREADABLE } from "./ladder_levels.js";
import { damaged, Refused } from "./outcomes.js";
import { wholeNumber } from "./reading.js";

const MOST_MASK_BITS = 22n;
const MOST_SPACE_BITS = 62n;
const UNIT = new Ratio(1n);

/**
 * Levels over spaces of masks of t bits, of dimensions c_1 ≥ … ≥ c_d: the public space, above it the space of each level
 * going up, and an element u that favours those at which the masks of level 1 are even. None looks at the answer x, and
 * x/u is published.
 *
 * *Levels.* Given the space of a level, an element even there has weight o and another weight 1. Given only the space
 * below, its even elements are even above in a share s = (2^(t-c)-1)/(2^(t-c')-1) of cases and no others are, so they
 * have weight o' = 1 + (o-1)s; with chance λ the space above is any. That makes odds o_(j+1) where λ/(1-λ) =
 * K(o'-o)/(W'(o-1)), with K = 2^t-1 and W' = K + (2^(t-c')-1)(o'-1): a chance where o' ≥ o.
 *
 * *Coalitions.* Given the best space of a coalition, what it holds besides does not depend on the answer.
 *
 * *Bits.* Of [t, c] spaces [t-c', c-c'] lie above one of dimension c'; a space that is kept with chance κ has a law of
 * two levels, and several steps are one, with the product of their κ.
 */
class Flags extends Ladder {
  constructor({ size, length, dimensions, odds, recover }) {
    super({ size, modulus: (1n << length) - 1n, favoured: (1n << (length - dimensions.at(-1))) - 1n, odds, recover });
    Object.assign(this, { length, dimensions });
  }

  get back() {
    return "(x/u)·u = x in the field for every answer x and every key u";
  }

  get levelReason() {
    return (
      "masks of a level are drawn from those of the level above, apart from the answer, checked exactly [B, Thm 3]"
    );
  }

  get keyReason() {
    return "H of what a level has more than the public [B, Thm 4]";
  }

  get remarks() {
    return [
      `Answers are elements of a field of 2^${this.length}. What is drawn for a row, spaces of masks of dimension ` +
        `${this.dimensions.join(", ")} from the sharpest level to the public one and an element, does not depend on ` +
        `the answer; the masks of the public level follow from the number of the row. The claims hold for every row.`,
    ];
  }

  /** At how many elements the masks of a level are all even. */
  even(level) {
    return (1n << (this.length - this.dimensions[level - 1])) - 1n;
  }

  /** The odds that are left of a level's where only the space of the next is known. */
  left(level) {
    const share = new Ratio(this.even(level), this.even(level + 1));
    return UNIT.plus(this.odds[level - 1].minus(UNIT).times(share));
  }

  /** With which chance the space of the next level has to do with that of a level. */
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
    const [high, low] = [this.dimensions[above - 1], this.dimensions[below - 1]];
    let kept = UNIT;
    for (let level = above; level < below; level += 1) kept = kept.times(this.kept(level));
    const [over, every] = [maskSpaces(this.length - low, high - low), maskSpaces(this.length, high)];
    const rare = UNIT.minus(kept).over(new Ratio(every));
    return entropy([
      [kept.over(new Ratio(over)).plus(rare), over],
      [rare, every - over],
    ]);
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

/** Read the ladder over spaces of masks. */
export function readFlags(document, odds) {
  const size = wholeNumber(document.get("size"), 2n, 1n << 63n);
  const length = wholeNumber(document.get("length"), 2n, MOST_MASK_BITS);
  const given = document.get("dimensions");
  if (!Array.isArray(given) || !given.length) throw damaged(UNREADABLE);
  const dimensions = given.map((dimension) => wholeNumber(dimension, 1n, length - 1n));
  if (dimensions.length !== odds.length || dimensions.some((c, i) => i > 0 && c > dimensions[i - 1])) {
    throw new Refused("the masks of the ladder do not lie inside one another");
  }
  if (size > (1n << length) - 1n) throw new Refused("the field does not hold the answers");
  for (let c = 1n; c <= dimensions[0]; c += 1n) {
    if (maskSpaces(length, c) << length > 1n << MOST_SPACE_BITS) {
      throw new Refused("the masks of a level are more than words can number");
    }
  }
  const ladder = new Flags({ size, length, dimensions, odds, recover: document.get("recover") });
  odds.forEach(({ above, below }, i) => {
    const even = ladder.even(i + 1);
    const weight = above * even + below * (ladder.modulus - even);
    if ((weight > ladder.modulus ? weight : ladder.modulus) + 1n > 1n << 64n) {
      throw new Refused("the odds of a level are finer than the words it is drawn from");
    }
  });
  for (let level = 1; level < ladder.depth; level += 1) {
    if (ladder.left(level).compare(odds[level]) < 0) {
      throw new Refused("a level of the ladder cannot be made from the one above it");
    }
  }
  return ladder;
}
