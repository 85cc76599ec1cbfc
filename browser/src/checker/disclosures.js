/** Disclosures: what a mapping tells about data sets, under a law of them, as whole numbers. */
import { Ratio, wholeSquareRoot } from "../rationals.js";
import { BITS, LN2, lnOfInteger, Near, nLnN, total, UNIT } from "./enclosures.js";
import { damaged, Refused, TooLarge } from "./outcomes.js";
import { lawOf, overOneDenominator, product, take, wholeNumber } from "./reading.js";

const MOST_CELLS = 4096;
const MOST_SAMPLES = 10_000;
const MOST_GROUPED = 1_000_000;

/** How the law was made: declared, or counted in so many data sets, or in so many samples of one law. */
class Estimation {
  constructor({ fromRecords, isPrivate, dataSets, samples }) {
    Object.assign(this, { fromRecords, isPrivate, dataSets, samples });
  }

  /** In what was counted. */
  get counted() {
    return this.dataSets === null ? `${this.samples} samples` : `${this.dataSets} data sets`;
  }

  /** How far off the law may be, at 95 %: min(1, √((c·ln 2 + ln 20)/2n)), c cells counted in n records. */
  radius(shape) {
    const records = this.dataSets ?? this.samples ?? 1n;
    const cells = this.dataSets === null ? shape[0] : product(shape);
    if (cells > 8n * records) return UNIT;
    const inside = LN2.times(cells).plus(lnOfInteger(20n)).over(2n * records);
    const root = new Near(wholeSquareRoot(inside.low << BITS), wholeSquareRoot(inside.high << BITS) + 1n);
    return root.atMost(UNIT);
  }
}

/** Read how a law was made. */
export function readEstimation(record) {
  take(record, ["law", "feature", "data_sets", "samples"]);
  const [law, feature, dataSets, samples] = ["law", "feature", "data_sets", "samples"].map((name) => record.get(name));
  const origins = ["declared", "records"];
  if (!origins.includes(law) || ![...origins, null].includes(feature)) {
    throw damaged("it does not say how the law was made");
  }
  const given = [dataSets, samples].filter((count) => count !== null);
  given.forEach((count) => wholeNumber(count, 1n, 1n << 53n));
  const isPrivate = [law, feature].includes("records");
  if (given.length !== (isPrivate ? 1 : 0)) {
    throw damaged("it does not say in how many records the law was counted");
  }
  return new Estimation({ fromRecords: law === "records", isPrivate, dataSets, samples });
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
