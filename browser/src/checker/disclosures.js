/** Disclosures: what a mapping tells about data sets, under a law of them, as whole numbers. */
import { absolute, bitLength, larger, Ratio } from "../rationals.js";
import { lnOfInteger, log2, nLnN, ticks, total } from "./enclosures.js";
import { damaged, Refused, TooLarge } from "./outcomes.js";
import { fractionOf, lawOf, overOneDenominator, product, take, wholeNumber } from "./reading.js";

const MOST_CELLS = 4096;
const MOST_SAMPLES = 10_000;
const MOST_GROUPED = 1_000_000;
const MOST_COUNTED = 1n << 53n;
const MOST_TERM_BITS = 200;
const MOST_SYMBOLS = 1n << 53n;
const MOST_SUBSETS = 16;
const MOST_EXACT_CELLS = 64n; // mappings of so many are exact
const ROUNDING_BITS = Ratio.ofDouble(1e-6); // what rounding may leave of a leak

const ORIGINS = ["declared", "published", "private_histogram", "reference", "records"];

/** Read how law and feature were made, and from how many records in how many cells. */
export function readEstimation(record) {
  take(record, ["law", "feature", "records", "cells", "samples", "epsilon", "terms"]);
  const [law, feature, given] = ["law", "feature", "terms"].map((name) => record.get(name));
  if (!ORIGINS.includes(law) || ![...ORIGINS, null].includes(feature)) {
    throw damaged("it does not say how the law was made");
  }
  const [records, cells, samples] = ["records", "cells", "samples"].map((name) => record.get(name));
  [records, cells, samples].filter((count) => count !== null).forEach((count) => wholeNumber(count, 1n, MOST_COUNTED));
  const counted = law !== "declared";
  const isSaid = [records !== null, cells !== null, given !== null];
  const isNeeded = [counted || ![null, "declared"].includes(feature), counted, counted];
  if (isSaid.some((said, i) => said !== isNeeded[i]) || (samples !== null && !counted)) {
    throw damaged("it does not say in how many records the law was counted");
  }
  const epsilon = record.get("epsilon") === null ? null : fractionOf(record.get("epsilon"));
  const isPossible =
    epsilon === null || (epsilon.compare(new Ratio(1n, 1000n)) >= 0 && epsilon.compare(new Ratio(16n)) <= 0);
  if ((epsilon !== null) !== (law === "private_histogram") || !isPossible) {
    throw damaged("an ε belongs to private histograms, and to no others");
  }
  const isPrivate = [law, feature].some((origin) => ["reference", "records"].includes(origin));
  return { law, feature, records, cells, samples, epsilon, isPrivate, terms: given === null ? null : readTerms(given) };
}

/** Read what chooses a bound; short numbers, within what they can be. */
function readTerms(record) {
  take(record, ["beta", "smoothing", "rate", "price"]);
  const [beta, smoothing, rate, price] = ["beta", "smoothing", "rate", "price"].map((name) =>
    fractionOf(record.get(name)),
  );
  const isBetween = (term, low, high) => term.compare(new Ratio(low)) > 0 && term.compare(new Ratio(high)) < 0;
  const isShort = ({ above, below }) =>
    [absolute(above), below].every((part) => bitLength(part) <= MOST_TERM_BITS);
  const isPossible =
    isBetween(beta, 0n, 1n) &&
    isBetween(smoothing, 0n, 1024n) &&
    isBetween(rate, 0n, 1n) &&
    isBetween(price, -1024n, 1024n);
  if (!isPossible || ![beta, smoothing, rate, price].every(isShort)) {
    throw damaged("its bound is chosen by numbers that cannot be");
  }
  return { beta, smoothing, rate, price };
}

/** Read the protected groups: samples in ascending order, each once in a group, and every sample in some group. */
export function readGroups(groups, samples) {
  if (!Array.isArray(groups) || !groups.every((group) => Array.isArray(group) && group.length)) {
    throw damaged("it has no protected groups");
  }
  if (groups.reduce((count, group) => count + group.length, 0) > MOST_GROUPED) {
    throw new TooLarge("the protected groups are too many for me");
  }
  const covered = new Set();
  for (const group of groups) {
    const fits = group.every(
      (i, place) => typeof i === "bigint" && i >= 0n && i < samples && (place === 0 || group[place - 1] < i),
    );
    if (!fits) throw damaged("a protected group lists what is no sample");
    group.forEach((i) => covered.add(i));
  }
  if (covered.size !== samples) throw new Refused("a sample is in no protected group");
  return groups.map((group) => group.map(Number));
}

/** Read how many values each sample has, up to so many. */
export function readShape(shape, most) {
  if (!Array.isArray(shape) || !shape.length || shape.length > MOST_SAMPLES) {
    throw damaged("it does not say what the samples are");
  }
  return shape.map((size) => wholeNumber(size, 1n, most));
}

/** A law over cells, P(c) = m/A, and P(y|c) = n/D. */
class Mapping {
  constructor({ cells, masses, mass, rows, whole }) {
    Object.assign(this, { cells, masses, mass, rows, whole });
    /** P(y) in units of 1/(A·D). */
    this.outputs = rows[0].map((_, y) => rows.reduce((all, row, c) => all + masses[c] * row[y], 0n));
  }

  /** For each value of a group its mass in units of 1/A, and P(value, y) in units of 1/(A·D). */
  joint(group) {
    const found = new Map();
    this.cells.forEach((cell, c) => {
      const value = group.map((i) => cell[i]).join();
      if (!found.has(value)) found.set(value, { mass: 0n, sums: this.rows[c].map(() => 0n) });
      const mine = found.get(value);
      mine.mass += this.masses[c];
      this.rows[c].forEach((entry, y) => (mine.sums[y] += this.masses[c] * entry));
    });
    return [...found.values()];
  }

  /** P(value, y) = P(value)·P(y) for every value and symbol. */
  isIndependentOf(group) {
    return this.joint(group).every(({ mass, sums }) =>
      sums.every((entry, y) => entry * this.mass === mass * this.outputs[y]),
    );
  }

  /** I(X_group;Y) in bits: (Σ J ln J - Σ T ln T - Σ mD ln mD)/(A·D) + ln(A·D). */
  information(group) {
    const unit = this.mass * this.whole;
    const joint = this.joint(group);
    const spread = total(joint.map(({ sums }) => nLnN(sums)))
      .minus(nLnN(this.outputs))
      .minus(nLnN(joint.map(({ mass }) => mass * this.whole)));
    return spread.over(unit).plus(lnOfInteger(unit)).bits().atLeastZero();
  }

  /** H of the law, in bits. */
  entropy() {
    return lnOfInteger(this.mass).minus(nLnN(this.masses).over(this.mass)).bits().atLeastZero();
  }

  /** Whether all rows are equal. */
  get saysNothing() {
    return this.rows.every((row) => row.every((entry, y) => entry === this.rows[0][y]));
  }
}

/** Read the law and the mapping: cells within the shape, each once, each with a positive mass and a row. */
export function readMapping(subject, shape) {
  const [cells, given] = [subject.get("cells"), subject.get("mapping")];
  if (!Array.isArray(cells) || !Array.isArray(given) || !cells.length || cells.length !== given.length) {
    throw damaged("its law and its mapping do not have the same cells");
  }
  if (cells.length > MOST_CELLS) throw new TooLarge(`the law has ${cells.length} cells, more than ${MOST_CELLS}`);
  for (const cell of cells) {
    if (!Array.isArray(cell) || cell.length !== shape.length) throw damaged("cells do not fit the shape");
    cell.forEach((value, i) => wholeNumber(value, 0n, shape[i] - 1n));
  }
  if (new Set(cells.map((cell) => cell.join())).size !== cells.length) throw damaged("a cell stands twice");
  const law = Array.isArray(subject.get("masses")) ? lawOf(subject.get("masses")) : [];
  const laws = given.map((row) => (Array.isArray(row) ? lawOf(row) : []));
  const symbols = laws[0].length;
  const complete = law.length === cells.length && law.every((part) => part.above > 0n);
  if (!complete || !symbols || laws.some((row) => row.length !== symbols)) {
    throw damaged("its law or its mapping lacks something");
  }
  const [masses, mass] = overOneDenominator(law);
  const [flat, whole] = overOneDenominator(laws.flat());
  const rows = laws.map((_, c) => flat.slice(c * symbols, (c + 1) * symbols));
  return new Mapping({ cells, masses, mass, rows, whole });
}

/** The share of each value of the first sample. */
export function sharesOfFirst(mapping, values) {
  const shares = Array(Number(values)).fill(0n);
  mapping.cells.forEach((cell, c) => (shares[Number(cell[0])] += mapping.masses[c]));
  return shares.map((share) => new Ratio(share, mapping.mass));
}

/** The largest log2 P(y|x_group)/P(y), rounded up; 0 where all are 1, and what is only rounding is said alike. */
export function excessOf(mapping, groups) {
  let worst = new Ratio(1n);
  for (const group of groups) {
    for (const { mass, sums } of mapping.joint(group)) {
      sums.forEach((entry, y) => {
        const [above, below] = [entry * mapping.mass, mass * mapping.outputs[y]];
        if (above * worst.below > below * worst.above) worst = new Ratio(above, below);
      });
    }
  }
  return worst.above === worst.below ? new Ratio(0n) : larger(ROUNDING_BITS, ticks(log2(worst).high));
}

/** What is stated of a private mapping: small ones are exact, and of others rounding may be left. */
export const publicLeak = (shape) => (product(shape) <= MOST_EXACT_CELLS ? new Ratio(0n) : ROUNDING_BITS);

/** The most symbols that a best mapping needs: cells less the rank of the marginals, and one. */
export function paddedSymbols(shape, groups) {
  const cells = product(shape);
  const most = (count) => (count > MOST_SYMBOLS ? MOST_SYMBOLS : count);
  const subsets = groups.reduce((sum, group) => sum + 2 ** Math.min(group.length, MOST_SUBSETS), 0);
  if (subsets >= 2 ** MOST_SUBSETS) return most(cells);
  const inside = new Map();
  for (const group of groups) {
    for (let chosen = 0; chosen < 2 ** group.length; chosen += 1) {
      const taken = group.filter((_, i) => (chosen >> i) & 1);
      inside.set(taken.join(), product(taken.map((i) => shape[i] - 1n)));
    }
  }
  return most(cells - [...inside.values()].reduce((one, other) => one + other, 0n) + 1n);
}
