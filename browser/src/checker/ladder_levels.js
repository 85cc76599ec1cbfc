/** Levels of odds over one mechanism whose reports are shifted. */
import { Ratio } from "../rationals.js";
import { entropy } from "./enclosures.js";

export const UNREADABLE = "the declaration of its ladder cannot be read";

const SMALL_ENTRIES = 20_000n;
const UNIT = new Ratio(1n);

/**
 * Levels of odds o_1 > … > o_d over K reports, F of them favoured at each answer.
 *
 * At odds o, a report is the true residue plus a shift: each of the F favoured shifts has probability h, each other one
 * l, with h = o·l and F·h + (K-F)·l = 1. So the law of the shift is uniform but for a part c(o) = h - l =
 * (o-1)/(F·o + K - F), which grows with o. Adding an independent shift that is 0 with probability c'/c and uniform else
 * takes the part from c to c' and leaves the set alone; so every level is made from the one above by such an erasure,
 * for c(o_j) falls with j.
 *
 * *Odds.* No report favours an answer by more than h/l = o_j. Some report does by as much: D, the favoured set, is not
 * mapped to itself by adding 1, or it would be all residues, and it is not; so some y lies in 0 + D and not in 1 + D,
 * and 0 and 1 are among the answers. (With two reports the residues are those of a yes and a no, and D = {0}.)
 *
 * *Coalitions.* The levels below the best one of a coalition are that one plus shifts drawn apart from the answer. So
 * whatever a coalition sees is a function of its best level and of noise that does not depend on the answer, and its
 * odds are those of its best member: no more because of that, no less because it sees that level.
 */
export class Ladder {
  constructor({ size, modulus, favoured, odds, recover }) {
    Object.assign(this, { size, modulus, favoured, odds, recover });
  }

  /** Why a key gives answers back. */
  get back() {
    return "(x + u) - u = x mod K for every answer x and every key u";
  }

  /** Why whoever sees a level learns nothing from those below it. */
  get levelReason() {
    return this.size * this.modulus ** BigInt(this.depth) <= SMALL_ENTRIES
      ? "max P/P' over every joint report, written out [B, eq. (1)]"
      : "each level is the level above plus a shift drawn apart, checked exactly [B, Thm 3]";
  }

  /** What the bits of a key are the entropy of. */
  get keyReason() {
    return "H of the sum of the steps below the level [B, Thm 4]";
  }

  /** What a reader of the claims has to know besides. */
  get remarks() {
    return [];
  }

  get depth() {
    return this.odds.length;
  }

  /** c(o) of a level. */
  part(level) {
    return this.odds[level - 1].minus(UNIT).over(this.#weight(level));
  }

  #weight(level) {
    const favoured = this.odds[level - 1].times(new Ratio(this.favoured));
    return favoured.plus(new Ratio(this.modulus - this.favoured));
  }

  /** H of the shift of a level, in bits. */
  levelEntropy(level) {
    const low = UNIT.over(this.#weight(level));
    return entropy([
      [this.odds[level - 1].times(low), this.favoured],
      [low, this.modulus - this.favoured],
    ]);
  }

  /** H of what takes one level to another, in bits. */
  erasureEntropy(above, below) {
    const erased = UNIT.minus(this.part(below).over(this.part(above))).over(new Ratio(this.modulus));
    return entropy([
      [UNIT.minus(erased.times(new Ratio(this.modulus - 1n))), 1n],
      [erased, this.modulus - 1n],
    ]);
  }
}
