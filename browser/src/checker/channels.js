/** Channels as whole numbers over one denominator: row by row, or as the law of a shift. */
import { nLnN } from "./enclosures.js";
import { MOST, TooLarge } from "./outcomes.js";
import { overOneDenominator, slowness, sum } from "./reading.js";

const larger = (one, other) => (one > other ? one : other);

/** P(y|x), row by row. */
export class Dense {
  constructor(rows) {
    [this.inputs, this.outputs] = [rows.length, rows[0].length];
    const entries = this.inputs * this.outputs;
    if (entries > MOST.entries) throw new TooLarge(`the channel has ${entries} entries, more than ${MOST.entries}`);
    const [flat, whole] = overOneDenominator(rows.flat());
    if (entries * slowness(whole) > 8 * MOST.entries) {
      throw new TooLarge("the channel has many entries with a long common denominator");
    }
    this.whole = whole;
    this.isDense = true;
    this.table = rows.map((_, x) => flat.slice(x * this.outputs, (x + 1) * this.outputs));
  }

  row(x) {
    return this.table[x];
  }

  /** For each output its largest and smallest entry, and for how many outputs that stands. */
  extremes() {
    const [first, ...others] = this.table;
    return first.map((entry, y) => {
      let [high, low] = [entry, entry];
      for (const row of others) {
        if (row[y] > high) high = row[y];
        else if (row[y] < low) low = row[y];
      }
      return [high, low, 1n];
    });
  }

  largestEntries() {
    return this.extremes().map(([high]) => high);
  }

  /** Σ_x of each output. */
  columnSums() {
    return this.mixed(Array(this.inputs).fill(1n));
  }

  /** Σ_x weight·entry of each output. */
  mixed(weights) {
    return mixture(weights, this.table, this.outputs);
  }

  /** Σ_y max_x weight·entry. */
  bestGuesses(weights) {
    return guesses(weights, this.table, this.outputs);
  }

  /** Σ_y n·ln n of the entries n of each row. */
  get rowLogs() {
    this.logs ??= this.table.map(nLnN);
    return this.logs;
  }

  saysNothing() {
    return this.table.every((row) => row.every((entry, y) => entry === this.table[0][y]));
  }
}

/** Y = X + U mod K, X among the first `inputs` residues: kept as the law of U. */
export class Structured {
  constructor(law, inputs) {
    if (law.length > MOST.reports) {
      throw new TooLarge(`the channel has ${law.length} reports, more than ${MOST.reports}`);
    }
    [this.inputs, this.outputs] = [inputs, law.length];
    const levels = new Map(law.map((number) => [String(number), number]));
    const [numerators, whole] = overOneDenominator([...levels.values()]);
    if (law.length * slowness(whole) > 4 * MOST.reports) {
      throw new TooLarge("the channel has many reports with a long common denominator");
    }
    const of = new Map([...levels.keys()].map((text, i) => [text, numerators[i]]));
    this.whole = whole;
    this.isDense = false;
    this.law = law.map((number) => of.get(String(number)));
    this.isFull = inputs === law.length;
    this.entries = inputs * law.length;
  }

  /** The law of U, turned by x. */
  row(x) {
    const start = this.outputs - x;
    return [...this.law.slice(start), ...this.law.slice(0, start)];
  }

  /** Output y is reached by the shifts y, y-1, …, y-inputs+1: extremes of a sliding window. */
  extremes() {
    const lowest = windowExtremes(this.law, this.inputs, (entry, old) => entry <= old);
    const counts = new Map();
    this.largestEntries().forEach((high, y) => {
      const pair = `${high} ${lowest[y]}`;
      const found = counts.get(pair);
      if (found) found[2] += 1n;
      else counts.set(pair, [high, lowest[y], 1n]);
    });
    return [...counts.values()];
  }

  largestEntries() {
    return windowExtremes(this.law, this.inputs, (entry, old) => entry >= old);
  }

  /** Sums of the same windows. */
  columnSums() {
    const size = this.outputs;
    let inside = 0n;
    // The window of y = -1, which the first step takes on by one.
    for (let k = 0; k < this.inputs; k += 1) inside += this.law[(2 * size - 1 - k) % size];
    return this.law.map((entry, y) => {
      inside += entry - this.law[(y - this.inputs + size) % size];
      return inside;
    });
  }

  /** Σ_x weight·entry of each output. */
  mixed(weights) {
    if (areAlike(weights)) return this.columnSums().map((found) => weights[0] * found);
    return mixture(weights, this.rows(), this.outputs);
  }

  /** Σ_y max_x weight·entry. */
  bestGuesses(weights) {
    if (areAlike(weights)) return weights[0] * sum(this.extremes().map(([high, , count]) => high * count));
    return guesses(weights, this.rows(), this.outputs);
  }

  *rows() {
    if (this.entries > MOST.structuredSteps) {
      throw new TooLarge(`the channel would be written out in ${this.entries} entries`);
    }
    for (let x = 0; x < this.inputs; x += 1) yield this.row(x);
  }

  /** Every row holds the same entries. */
  get rowLogs() {
    this.logs ??= Array(this.inputs).fill(nLnN(this.law));
    return this.logs;
  }

  saysNothing() {
    return areAlike(this.law);
  }
}

const areAlike = (numbers) => numbers.every((one) => one === numbers[0]);

function mixture(weights, rows, outputs) {
  const found = Array(outputs).fill(0n);
  let x = 0;
  for (const row of rows) {
    const weight = weights[x];
    x += 1;
    if (weight) for (let y = 0; y < outputs; y += 1) found[y] += weight * row[y];
  }
  return found;
}

function guesses(weights, rows, outputs) {
  const best = Array(outputs).fill(0n);
  let x = 0;
  for (const row of rows) {
    const weight = weights[x];
    x += 1;
    for (let y = 0; y < outputs; y += 1) best[y] = larger(best[y], weight * row[y]);
  }
  return sum(best);
}

/** The extreme entry among law[y], law[y-1], …, law[y-length+1], indices mod K, for each y. */
function windowExtremes(law, length, beats) {
  const size = law.length;
  const waiting = []; // places whose entries may still be the extreme of some window, best first
  let first = 0;
  const found = [];
  for (let place = size - length + 1; place < 2 * size; place += 1) {
    const entry = law[place % size];
    while (waiting.length > first && beats(entry, law[waiting[waiting.length - 1] % size])) waiting.pop();
    waiting.push(place);
    if (waiting[first] <= place - length) first += 1;
    if (place >= size) found.push(law[waiting[first] % size]);
  }
  return found;
}
