// How a symbol becomes a report: by the steps of a ladder, or by a row of a card. What a draw tells is worked out from
// the very numbers that it is drawn by, so that a page states what is true of it and not what it was told.

import { ONE, chance, fraction } from "./numbers.js";
import { Ratio, larger } from "./rationals.js";
import { FlipMask, ResidueSet, TwoLevelShift, categorical } from "./samplers.js";

/** Read how a question is drawn; throws a RangeError on what is no such law. */
export function drawingOf(document, reports) {
  const type = TYPES[document.type];
  if (type === undefined) throw new RangeError("a draw of another kind");
  const found = type(document);
  if (found.modulus !== reports) throw new RangeError("as many reports as are said");
  return found;
}

/** Steps that are added up, the last first: the shift of a level is what the steps below it add up to. */
class Steps {
  constructor(document, steps, add) {
    this.modulus = document.modulus;
    this.levels = document.levels;
    this.places = document.places;
    this.steps = steps;
    this.add = add;
    if (
      !this.levels.every(
        (level, i) =>
          Number.isSafeInteger(level) && level >= 0 && level < steps.length && this.levels.indexOf(level) === i,
      )
    )
      throw new RangeError("levels that there are not");
  }

  /** Draw: the shift of each level, and the report of the symbol, which is moved by all of them. */
  draw(symbol, dice) {
    let sum = 0;
    const shifts = {};
    for (let level = this.steps.length - 1; level >= 0; level -= 1) {
      sum = this.add(sum, this.steps[level].draw(dice));
      if (this.levels.includes(level)) shifts[level] = sum;
    }
    return { report: symbol === null ? null : this.add(this.placeOf(symbol), sum), shifts };
  }

  /** Where an answer stands among the reports. */
  placeOf(symbol) {
    return this.places === undefined ? symbol : this.places[symbol];
  }

  /** Refuse symbols that stand nowhere, or two in one place. */
  checkSymbols(count) {
    if (this.places === undefined ? count > this.modulus : count !== this.places.length)
      throw new RangeError("no place");
    if (this.places === undefined) return;
    if (!this.places.every((at) => Number.isSafeInteger(at) && at >= 0 && at < this.modulus))
      throw new RangeError("no place");
    if (new Set(this.places).size !== this.places.length) throw new RangeError("two answers in one place");
  }
}

/** Shifts mod K. Steps below the first leave the report alone or replace it, so a law stays favoured or not. */
class Shifts extends Steps {
  constructor(document) {
    const steps = document.steps.map(
      (step) => new TwoLevelShift(new ResidueSet(step.favoured, document.modulus), chance(step.inside)),
    );
    super(document, steps, (a, b) => (a + b) % document.modulus);
    if (steps.length === 0 || !steps.slice(1).every((step) => step.favoured.isZero))
      throw new RangeError("no such steps");
  }

  /** Return what a report of a level tells: the largest probability of a shift over the smallest. */
  odds(level = this.steps.length) {
    let [high, low] = this.steps[0].probabilities;
    for (const step of this.steps.slice(1, level)) {
      const [stay, move] = step.probabilities;
      [high, low] = [high, low].map((value) => move.plus(stay.minus(move).times(value)));
    }
    return spread([high, low]);
  }
}

/** Masks of bits; each step flips every bit with the same chance. */
class Masks extends Steps {
  constructor(document) {
    const length = Math.log2(document.modulus);
    if (!Number.isInteger(length) || length < 1 || length > 16) throw new RangeError("no masks");
    super(
      document,
      document.steps.map((step) => new FlipMask(length, chance(step.chance))),
      (a, b) => a ^ b,
    );
    this.length = length;
  }

  /** Return what a report of a level tells: one flip's odds, as often as there are bits. */
  odds(level = this.steps.length) {
    const kept = this.steps.slice(0, level).reduce((left, step) => left.times(ONE.minus(step.chance.times(TWO))), ONE);
    const found = spread([ONE.plus(kept), ONE.minus(kept)]);
    return found === null ? null : power(found, this.length);
  }
}

/** A row of a table for each answer: the report is drawn from the row. */
class Card {
  constructor(document) {
    this.counts = document.counts.map((row) => row.map((count) => wholeNumber(count)));
    this.modulus = this.counts[0].length;
    this.levels = [];
    const sums = this.counts.map((row) => row.reduce((sum, count) => sum + count, 0n));
    const isTable = this.counts.every((row) => row.length === this.modulus && row.every((count) => count >= 0n));
    if (!isTable || sums.some((sum) => sum !== sums[0] || sum === 0n))
      throw new RangeError("no table of one denominator");
  }

  draw(symbol, dice) {
    return { report: symbol === null ? null : categorical(dice, this.counts[symbol]), shifts: {} };
  }

  checkSymbols(count) {
    if (count !== this.counts.length) throw new RangeError("another number of answers");
  }

  /** Return the largest entry of a report over its smallest; null where a report rules an answer out. */
  odds() {
    const found = this.counts[0]
      .map((_, y) => this.counts.map((row) => new Ratio(row[y])))
      .filter((column) => column.some((p) => p.above > 0n))
      .map(spread);
    return found.includes(null) ? null : found.reduce(larger);
  }
}

const TWO = new Ratio(2n);
const TYPES = {
  shift: (document) => new Shifts(document),
  masks: (document) => new Masks(document),
  card: (document) => new Card(document),
};

/** The largest of some probabilities over the smallest, null where that is without limit. */
function spread(values) {
  const low = values.reduce((a, b) => (a.compare(b) < 0 ? a : b));
  return low.above === 0n ? null : values.reduce(larger).over(low);
}

function power(value, exponent) {
  return new Ratio(value.above ** BigInt(exponent), value.below ** BigInt(exponent), true);
}

function wholeNumber(text) {
  const found = fraction(text);
  if (found.below !== 1n) throw new RangeError("no whole number");
  return found.above;
}
