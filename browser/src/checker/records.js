/** Claims about one record, where the inputs of a channel are tables of records. */
import { larger, Ratio } from "../rationals.js";
import { ChannelFacts } from "./channel_facts.js";
import { Ends, inputLaw, rule } from "./claims.js";
import { largest, lnOfInteger, nLnN, ticks, total } from "./enclosures.js";
import { Refused } from "./outcomes.js";
import { atMost, INFINITE, Interval, ROOM, timesWords } from "./phrases.js";
import { product, sum } from "./reading.js";
import { MOST_SEARCHED, SEARCH_ROUNDS, selections, tellingWeights } from "./search.js";

const INDIVIDUAL_GAP = new Ratio(15n, 10n ** 7n);
const MOST_SELECTIONS = 500_000;
const WHY =
  "the witness tells as much as is claimed, and I found none that tells more; that takes a longer search";

/** A dense channel whose inputs are tables, ordered with the last record running fastest. */
class RecordFacts {
  constructor(channel, shape) {
    this.channel = channel;
    this.shape = shape;
  }

  /** For each record, and each of its values, the tables in which it has that value. */
  *tablesByValue() {
    let step = this.channel.inputs;
    for (const size of this.shape) {
      step /= size;
      const found = Array.from({ length: size }, () => []);
      for (let table = 0; table < this.channel.inputs; table += 1) found[Math.floor(table / step) % size].push(table);
      yield found;
    }
  }

  /** max P(y|x)/P(y|x') over tables that differ in one record. */
  neighbourOdds() {
    const { table, outputs } = this.channel;
    let worst = new Ratio(1n);
    for (const byValue of this.tablesByValue()) {
      for (let place = 0; place < byValue[0].length; place += 1) {
        const rows = byValue.map((tables) => table[tables[place]]);
        for (let y = 0; y < outputs; y += 1) {
          let [high, low] = [rows[0][y], rows[0][y]];
          for (const row of rows) [high, low] = [row[y] > high ? row[y] : high, row[y] < low ? row[y] : low];
          if (high !== low && low === 0n) return INFINITE;
          if (high !== low) worst = larger(worst, new Ratio(high, low));
        }
      }
    }
    return worst;
  }

  /** How many selections of rows an adversary can make one record meet, over records that differ in that. */
  selections() {
    const contests = new Map();
    for (const byValue of this.tablesByValue()) {
      const met = byValue.map((tables) => [...new Set(tables.map((t) => this.channel.table[t].join()))].sort());
      const name = met.map((rows) => rows.join(";")).sort().join("|");
      contests.set(name, met.reduce((count, rows) => count * rows.length, 1));
    }
    return [...contests.values()].reduce((one, other) => one + other, 0);
  }

  /** What the witness, an adversary's law of all records, tells about one of them, and the gap above it. */
  individualCapacity(claim) {
    if (claim.witness === null || claim.witness.length !== this.channel.inputs) {
      throw new Refused(`${claim.measure}: its witness must have one weight for each table of records`);
    }
    const reached = this.told(inputLaw(claim.witness, claim.measure));
    this.#refute(claim);
    return Ends.above(reached, INDIVIDUAL_GAP, ROOM.over(new Ratio(3n)), WHY);
  }

  /** The largest I(X_i;Y) over the records, in bits, if all of them have this joint law. */
  told(law) {
    const { whole, outputs, table } = this.channel;
    const unit = sum(law) * whole;
    const told = [];
    for (const byValue of this.tablesByValue()) {
      const reports = Array(outputs).fill(0n);
      const inside = [];
      for (const tables of byValue) {
        // P(value, y), in units of 1/(mass·D).
        const joint = Array(outputs).fill(0n);
        for (const t of tables) if (law[t]) table[t].forEach((entry, y) => (joint[y] += law[t] * entry));
        joint.forEach((entry, y) => (reports[y] += entry));
        inside.push(nLnN(joint));
      }
      const masses = byValue.map((tables) => sum(tables.map((t) => law[t])) * whole);
      const spread = total(inside).minus(nLnN(reports)).minus(nLnN(masses));
      told.push(spread.over(unit).plus(lnOfInteger(unit)).bits());
    }
    return largest(told).atLeastZero();
  }

  /** Look for an adversary who learns more than is claimed: whoever is found is proof, whoever is not is none. */
  #refute(claim) {
    if (!(claim.value instanceof Interval)) return;
    const { inputs, outputs, table, whole } = this.channel;
    const [limit, near] = [claim.value.upper, claim.value.upper.toNumber()];
    const plain = table.map((row) => row.map((entry) => new Ratio(entry, whole).toNumber()));
    for (const byValue of this.tablesByValue()) {
      const first = byValue.map((tables) => [
        ...new Map([...tables].reverse().map((t) => [table[t].join(), t])).values(),
      ]);
      let left = Math.floor(MOST_SEARCHED / (SEARCH_ROUNDS * first.length * outputs));
      for (const chosen of selections(first)) {
        if (left <= 0) break;
        left -= 1;
        const [weights, bits] = tellingWeights(chosen.map((t) => plain[t]));
        if (bits <= near) continue;
        const law = Array(inputs).fill(0n);
        chosen.forEach((t, i) => (law[t] = weights[i]));
        if (ticks(this.told(law).low).compare(limit) > 0) {
          throw new Refused(`${claim.measure}: I found an adversary who learns more than is claimed`);
        }
      }
    }
  }
}

/** What is claimed about one record; the individual capacity only where its selections are few enough. */
export function recordRules(channel, shape, measures) {
  const facts = new RecordFacts(channel, shape);
  const rules = [
    rule({
      measure: "neighbour_odds",
      unit: "ratio",
      because: "e^ε [E, Def. 10]",
      sentence: (value) =>
        value === INFINITE
          ? "Changing one record can make a report possible that was impossible: no finite odds bound it."
          : `Changing one record favours no report by more than ${timesWords(value)}: differential privacy, which ` +
            `covers records that are independent of each other.`,
      find: () => facts.neighbourOdds(),
      exact: true,
    }),
    rule({
      measure: "correlated_odds",
      unit: "ratio",
      because: "log of it is C_{1,∞} [E, Def. 8]",
      sentence: (value) =>
        value === INFINITE
          ? "Where records may be alike in any way, some report rules some value of a record out."
          : `Where records may be alike in any way, a report can favour one value of a record over another by up to ` +
            `${timesWords(value)}.`,
      find: () => ChannelFacts.uniform(channel).odds,
      exact: true,
    }),
  ];
  // Sfumato counts rows that are equal as doubles once, so it may claim the capacity where I count too many.
  if (!measures.has("individual_capacity_bits") && facts.selections() > MOST_SELECTIONS) return rules;
  return [
    ...rules,
    rule({
      measure: "individual_capacity_bits",
      unit: "bits",
      because: "C_1: the largest capacity over all rules that the other records can follow [E, Thm 2]",
      sentence: (value) =>
        `Whoever looks at the report, with whatever correlations between the records in mind, learns at most ` +
        `${atMost(value)} bits about any one of them.`,
      find: (claim) => facts.individualCapacity(claim),
      witnessed: true,
    }),
  ];
}

/** Whether the sizes of records, as whole numbers, make as many tables as a channel has inputs. */
export const fitsShape = (shape, inputs) =>
  shape.length > 0 && shape.length <= 64 && product(shape) === BigInt(inputs);
