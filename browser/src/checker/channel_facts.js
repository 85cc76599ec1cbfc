/** A channel under a prior, and everything that claims about it need. */
import { bitLength, larger, Ratio } from "../rationals.js";
import { capacityBySymmetry, capacityByWitness } from "./capacity.js";
import { chernoffInformation } from "./chernoff.js";
import { Ends, inputLaw } from "./claims.js";
import { largest, ln, lnOfInteger, log2, nLnN, total, ZERO } from "./enclosures.js";
import { MOST, Refused, TooLarge } from "./outcomes.js";
import { INFINITE, ROOM } from "./phrases.js";
import { overOneDenominator, sum } from "./reading.js";

const NOTHING = new Ratio(0n);
const CERTAIN = new Ratio(1n);
const WITNESSED_ENTRIES = 1_000_000;

export class ChannelFacts {
  #kept = {};

  constructor(channel, prior) {
    this.channel = channel;
    this.prior = prior;
  }

  /** The same facts under the prior that knows nothing. */
  static uniform(channel) {
    return new ChannelFacts(channel, Array(channel.inputs).fill(new Ratio(1n, BigInt(channel.inputs))));
  }

  underNoPrior() {
    return ChannelFacts.uniform(this.channel);
  }

  #once(name, find) {
    this.#kept[name] ??= find();
    return this.#kept[name];
  }

  /** The prior as whole numbers over one. */
  get weights() {
    return this.#once("weights", () => overOneDenominator(this.prior));
  }

  get likeliest() {
    return this.prior.reduce(larger);
  }

  /** How sentences speak of the prior. */
  get priorWords() {
    const alike = this.prior.every((one) => one.equals(this.prior[0]));
    return alike ? "with every answer equally likely" : "under the stated prior";
  }

  /** Σ_y max_x P(x)P(y|x). */
  get rightGuesses() {
    return this.#once("guesses", () => {
      const [weights, whole] = this.weights;
      return new Ratio(this.channel.bestGuesses(weights), whole * this.channel.whole);
    });
  }

  /** The first report after which a guess is safest, and how often it is wrong then: 1 - max_x P(x|y). */
  get worstReport() {
    return this.#once("worst", () => {
      let [safest, place] = [NOTHING, 0];
      const rows = this.#table();
      this.outputs.forEach((mass, y) => {
        const peak = rows.map((row, x) => row[y] * this.weights[0][x]).reduce((one, two) => (one > two ? one : two));
        if (peak * safest.below > mass * safest.above) [safest, place] = [new Ratio(peak, mass), y];
      });
      return [place, CERTAIN.minus(safest)];
    });
  }

  /** P(y), over the product of both denominators. */
  get outputs() {
    return this.#once("outputs", () => this.channel.mixed(this.weights[0]));
  }

  /** max P(y|x)/P(y|x'). */
  get odds() {
    return this.#once("odds", () => {
      let worst = CERTAIN;
      for (const [high, low] of this.channel.extremes()) {
        if (high > 0n && low === 0n) return INFINITE;
        if (high * worst.below > low * worst.above) worst = new Ratio(high, low);
      }
      return worst;
    });
  }

  /** ln of the odds. */
  epsilon() {
    return this.odds === INFINITE ? INFINITE : Ends.around(ln(this.odds));
  }

  /** The largest chance, over the inputs, of a report that only this input allows. */
  exposure() {
    const rows = this.#table();
    const alone = rows[0].map((_, y) => rows.filter((row) => row[y] > 0n).length === 1);
    const mine = rows.map((row) => new Ratio(sum(row.filter((_, y) => alone[y])), this.channel.whole));
    return mine.reduce(larger);
  }

  /** The largest ½Σ|P(y|x) - P(y|x')|. */
  totalVariation() {
    const { whole } = this.channel;
    const rows = this.#table();
    const pairs = Math.floor((rows.length * rows.length * rows[0].length) / 2);
    const steps = pairs * (1 + Math.floor(bitLength(whole) / 4096));
    if (steps > MOST.pairSteps) throw new TooLarge(`comparing every pair of rows would take ${steps} steps`);
    // Differences and their sums up to 2·whole: doubles hold them exactly where they are short, and are much faster.
    const plain = whole < 1n << 51n ? rows.map((row) => row.map(Number)) : null;
    return new Ratio(plain ? BigInt(farthest(plain, 0)) : farthest(rows, 0n), 2n * whole);
  }

  /** log2 of how much likelier a right guess becomes. */
  minEntropyLeakage() {
    return Ends.around(log2(this.rightGuesses.over(this.likeliest)));
  }

  /** log2 Σ_y max_x P(y|x). */
  maximalLeakage() {
    const found = sum(this.channel.extremes().map(([high, , count]) => high * count));
    return Ends.around(log2(new Ratio(found, this.channel.whole)));
  }

  /** I(X;Y) = (Σ_x a_x Σ_y n ln n - Σ_y T ln T)/(A·D) + ln A, for P(x) = a/A, P(y|x) = n/D, P(y) = T/(A·D). */
  mutualInformation() {
    const [weights, whole] = this.weights;
    if (this.channel.saysNothing()) return Ends.around(ZERO);
    const inside = total(this.channel.rowLogs.map((near, x) => near.times(weights[x])));
    const spread = inside.minus(nLnN(this.outputs)).over(whole * this.channel.whole);
    return Ends.around(spread.plus(lnOfInteger(whole)).bits(), ROOM.plus(this.#roundingOfMixing()));
  }

  /** How vague doubles make the entropy of the reports of a structured channel: `inputs` of them in each sum. */
  #roundingOfMixing() {
    if (this.channel.isDense) return NOTHING;
    const entropy = Ratio.ofDouble(Math.log2(this.channel.outputs) + 2);
    return new Ratio(BigInt(this.channel.inputs + 16), 1n << 52n).times(entropy);
  }

  /** The largest log2 P(y|x)/P(y). */
  maxInformation() {
    const [, whole] = this.weights;
    let worst = CERTAIN;
    this.channel.largestEntries().forEach((high, y) => {
      const mass = this.outputs[y];
      if (high && high * whole * worst.below > mass * worst.above) worst = new Ratio(high * whole, mass);
    });
    return Ends.around(log2(worst));
  }

  /** The largest H(Y|X=x) = ln D - (Σ n ln n)/D. */
  randomness() {
    const { whole, rowLogs } = this.channel;
    const shared = lnOfInteger(whole);
    return Ends.around(largest([...new Set(rowLogs)].map((near) => shared.minus(near.over(whole)))).bits());
  }

  /** max_y Σ_x P(y|x). */
  heaviestOutput() {
    const heaviest = this.channel.columnSums().reduce((one, other) => (one > other ? one : other));
    return new Ratio(heaviest, this.channel.whole);
  }

  /** Σ (p_1-p_0)²/p_θ over the reports that can be, at θ = the prior of the second answer. */
  fisher() {
    const [, whole] = this.weights;
    const [zero, one] = this.#table();
    const terms = [];
    this.outputs.forEach((mass, y) => {
      if (zero[y] !== one[y]) terms.push(new Ratio((one[y] - zero[y]) ** 2n * whole, mass * this.channel.whole));
    });
    return sumOfFractions(terms);
  }

  /** Structured channels have a closed form if every residue is an input, or if they are very large. */
  get needsWitness() {
    const { isDense, isFull, entries } = this.channel;
    return isDense || (!isFull && entries <= WITNESSED_ENTRIES);
  }

  /** Enclose the capacity by symmetry where that is enough, and by the witness elsewhere. */
  capacity(claim) {
    if (!this.needsWitness) return capacityBySymmetry(this);
    if (claim.witness === null || claim.witness.length !== this.channel.inputs) {
      throw new Refused(`${claim.measure}: its witness must have one weight for each input`);
    }
    return capacityByWitness(this.channel, inputLaw(claim.witness, claim.measure));
  }

  chernoff() {
    return chernoffInformation(this.#table(), this.channel.whole);
  }

  #table() {
    if (!this.channel.isDense) throw new Refused("a structured channel makes no claim that looks at single entries");
    return this.channel.table;
  }
}

function farthest(rows, nothing) {
  let worst = nothing;
  for (let i = 0; i < rows.length; i += 1) {
    for (let j = i + 1; j < rows.length; j += 1) {
      const [one, other] = [rows[i], rows[j]];
      let apart = nothing;
      for (let y = 0; y < one.length; y += 1) apart += one[y] > other[y] ? one[y] - other[y] : other[y] - one[y];
      if (apart > worst) worst = apart;
    }
  }
  return worst;
}

/** Add in pairs, so that long denominators meet late; refuse a sum whose denominator would be too long. */
function sumOfFractions(given) {
  let terms = given;
  while (terms.length > 1) {
    const pairs = [];
    for (let i = 0; i < terms.length; i += 2) pairs.push(i + 1 < terms.length ? terms[i].plus(terms[i + 1]) : terms[i]);
    terms = pairs;
    if (terms.reduce((bits, term) => bits + bitLength(term.below), 0) > MOST.sumBits) {
      throw new TooLarge("a sum of fractions has too long a denominator");
    }
  }
  return terms[0] ?? NOTHING;
}
