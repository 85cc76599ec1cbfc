/** Discrete Gaussian noise on a scale, and what it lets through. */
import { larger, Ratio, wholeSquareRoot } from "../rationals.js";
import { Ends } from "./claims.js";
import { BITS, exactly, expOfMinus, largest, ln, LN2, lnNear, Near, ticks, total, UNIT } from "./enclosures.js";
import { MOST, Refused, TooLarge } from "./outcomes.js";
import { Interval, ROOM } from "./phrases.js";
import { sum } from "./reading.js";
import { combinations, MOST_SEARCHED, SEARCH_ROUNDS, tellingWeights } from "./search.js";

const TAIL_NATS = 56n; // the tails begin where e^-56 < 2^-80 is left of the peak

const upTo = (first, last) => Array.from({ length: last - first + 1 }, (_, i) => first + i);

/** From a function of z ≥ 0 the symmetric one. */
const mirrored = (half) => [...half.slice(1).reverse(), ...half];

/** Sums of the first 0, 1, 2, … numbers. */
function accumulated(numbers) {
  const found = [0n];
  for (const number of numbers) found.push(found.at(-1) + number);
  return found;
}

/**
 * Whole numbers x in -m..m plus noise with P(z) = g(z)/Z, g(z) = e^(-z²/2s), on all whole numbers.
 *
 * Beyond R from every position of a witness, any row has at most τ = 2·g(R+1)/(1 - e^(-(R+1)/s)) of its mass, since
 * Z ≥ 1 and g(R+1+k) ≤ g(R+1)·e^(-k(R+1)/s): a geometric series on either side.
 */
export class Noise {
  #made = null;

  constructor(steps, variance) {
    this.steps = steps;
    this.variance = variance;
    /** R, with (R+1)²/2s ≥ 56. */
    this.reach = Number(wholeSquareRoot(variance.times(new Ratio(2n * TAIL_NATS)).ceil())) + 1;
  }

  /** What takes a while: the exponents z²/2s for z = 0, 1, …, 2m+R, the peaks g(z), the tail τ, and Z. */
  get #tables() {
    this.#made ??= this.#makeTables();
    return this.#made;
  }

  #makeTables() {
    const { above, below } = this.variance;
    const exponents = upTo(0, 2 * this.steps + this.reach).map((z) =>
      exactly({ above: BigInt(z) ** 2n * below, below: 2n * above }),
    );
    const peaks = exponents.map(expOfMinus);
    const beyond = new Ratio(BigInt(this.reach + 1));
    const first = expOfMinus(exactly(beyond.times(beyond).over(this.variance.times(new Ratio(2n)))));
    const tail = first.times(2n).divided(UNIT.minus(expOfMinus(exactly(beyond.over(this.variance)))));
    const mass = UNIT.plus(total(peaks.slice(1)).times(2n));
    return { exponents, peaks, tail, mass: new Near(mass.low, mass.high + tail.high) };
  }

  /**
   * D(W_x‖q) in nats for some x, up to the tails, and the largest Σ W_x·|ln Q|.
   *
   * q is the law of the outputs under the witness p. With Q(y) = Σ p·g(y - position), which is at most 1, Z cancels:
   * D = (Σ_y g(y-x)·(l(y) - (y-x)²/2s))/Z for l = -ln Q ≥ 0. The sums are made of lower ends G ≤ g ≤ G+off and
   * L ≤ l ≤ L+width in ticks, so they fall short of the true ones by no more than `slack`: Σ g·l ≤ Σ G·L + width·Σ G
   * + off·Σ L + n·off·width, Σ g·z²/2s lies within off·Σ z²/2s of Σ G·z²/2s, each residue occurs twice at most,
   * and each of n terms is cut by less than 3 ticks.
   */
  divergences(positions, law, inputs) {
    const { exponents, peaks, mass: z } = this.#tables;
    const [first, last] = [positions[0] - this.reach, positions.at(-1) + this.reach];
    const [mass, count] = [sum(law), last - first + 1];
    const low = peaks.map((peak) => peak.low);
    const off = peaks.reduce((most, { low: l, high }) => (high - l > most ? high - l : most), 0n);
    let width = 0n;
    const logs = upTo(first, last).map((y) => {
      const found = positions.reduce((all, x, i) => all + law[i] * low[Math.abs(y - x)], 0n) / mass;
      if (found < 1n << 32n) {
        throw new TooLarge("the witness puts too little weight on the ends of the scale for my digits");
      }
      const near = lnNear(new Near(found, found + off + 1n));
      if (near.high - near.low > width) width = near.high - near.low;
      return near.high < 0n ? -near.high : 0n;
    });
    const own = low.map((peak, i) => (peak * exponents[i].high) >> BITS);
    const spread = 2n * sum(exponents.map((exponent) => exponent.high));
    const slack =
      ((off * (sum(logs) + spread) + width * (z.high + BigInt(count) * off)) >> BITS) + 3n * BigInt(count);
    // Both as functions of z from -(2m+R) on.
    const rows = mirrored(low);
    const sums = accumulated(mirrored(own));
    const divergences = [];
    let size = 0n;
    for (const x of inputs) {
      const start = first - x + low.length - 1;
      let crossed = 0n;
      for (let i = 0; i < count; i += 1) crossed += rows[start + i] * logs[i];
      crossed >>= BITS;
      const middle = crossed - (sums[start + count] - sums[start]);
      divergences.push(new Near(middle - slack, middle + slack).divided(z));
      if (crossed + slack > size) size = crossed + slack;
    }
    return [divergences, new Near(0n, size).divided(z)];
  }

  /** Raise TooLarge where the sums above would be long. */
  checkWork(positions) {
    const outputs = 2 * (this.steps + this.reach) + 1;
    // A logarithm and an exponential for each output take as long as some three hundred products.
    const work = (2 * this.steps + 1 + positions + 300) * outputs;
    if (work > MOST.noiseSteps) {
      throw new TooLarge(`${2 * this.steps + 1} inputs with ${outputs} outputs would take ${work} steps`);
    }
  }

  /** ⌈12√s⌉ or one more: how far out Sfumato itself sums. */
  get farOut() {
    return Number(wholeSquareRoot(this.variance.times(new Ratio(144n)).ceil() - 1n));
  }

  /**
   * How much vaguer than `ROOM` a claim made in doubles may be, in bits: 2^-52·(n + 4e + 64)·S.
   *
   * n counts the inputs and the outputs up to ⌈12√s⌉ + 1 beyond them, e is the largest exponent z²/2s there, and S
   * bounds Σ W_x·|ln q| + H(W) + 1; H(W) is at most ln Z + 1/2, since the variance of the noise is at most s.
   */
  #roundingRoom(size) {
    const reach = this.farOut + 2;
    const count = 2 * this.steps + 1 + 2 * (this.steps + reach) + 1;
    const farthest = new Ratio(BigInt(2 * this.steps + reach) ** 2n);
    const exponent = farthest.over(this.variance.times(new Ratio(2n)));
    const sizes = ticks(size.high + 2n * lnNear(this.#tables.mass).high).plus(new Ratio(3n, 2n));
    const terms = new Ratio(BigInt(count + 64)).plus(exponent.times(new Ratio(4n)));
    return terms.times(sizes).times(new Ratio(1n, 1n << 52n));
  }

  get #everyInput() {
    return upTo(-this.steps, this.steps);
  }

  /** What a witness tells, in bits, and how much rounding may take off it. */
  told(positions, law) {
    const [everything, size] = this.divergences(positions, law, this.#everyInput);
    return [this.#mean(everything, positions, law).bits().atLeastZero(), this.#roundingRoom(size)];
  }

  /** Σ p·D in nats, from below: the tails take away no more than q has there, at most τ. */
  #mean(everything, positions, law) {
    const mine = positions.map((x, i) => everything[x + this.steps].times(law[i]));
    return total(mine).over(sum(law)).minus(new Near(0n, this.#tables.tail.high));
  }

  /**
   * Σ p·D ≤ C ≤ max_x D over all inputs, tails included.
   *
   * Beyond an end of the scale W_x(y) ≤ W_end(y) ≤ q(y)/p_end, so the tails add at most τ·ln(1/p_end) to D.
   */
  capacity(positions, law) {
    const [everything, size] = this.divergences(positions, law, this.#everyInput);
    const lower = this.#mean(everything, positions, law);
    const lightest = ln(larger(new Ratio(sum(law), law[0]), new Ratio(sum(law), law.at(-1))));
    const upper = largest(everything).plus(new Near(0n, this.#tables.tail.scaled(lightest).high));
    const room = ROOM.plus(this.#roundingRoom(size));
    return new Ends(lower.bits().atLeastZero(), upper.bits().atLeastZero(), room);
  }

  /** Look for so many inputs that tell more than is claimed, the widest first; translation changes nothing. */
  refute(claim, values) {
    if (!(claim.value instanceof Interval)) return;
    const { peaks, mass } = this.#tables;
    const [limit, near] = [claim.value.upper, claim.value.upper.toNumber()];
    const plain = peaks.map((peak) => new Ratio(peak.low, mass.low).toNumber());
    let left = Math.floor(MOST_SEARCHED / (SEARCH_ROUNDS * values * 2 * (this.steps + this.reach)));
    for (let span = 2 * this.steps; span > values - 2; span -= 1) {
      for (const between of combinations(upTo(1, span - 1), values - 2)) {
        if (left <= 0) return;
        left -= 1;
        const chosen = [0, ...between, span];
        const outputs = upTo(-this.reach, span + this.reach);
        const [law, bits] = tellingWeights(chosen.map((x) => outputs.map((y) => plain[Math.abs(y - x)])));
        if (bits <= near) continue;
        const [told] = this.told(chosen.map((x) => x - this.steps), law);
        if (ticks(told.low).compare(limit) > 0) {
          throw new Refused(`${claim.measure}: I found ${values} values that tell more than is claimed`);
        }
      }
    }
  }

  /**
   * Whether no two inputs tell more than `limit` bits; with equal weights, which are best for mirror images.
   *
   * A pair at distance d tells at most (d²+1)/8s nats: take q = W at the middle, up to a half. Others are evaluated.
   */
  noPairExceeds(limit) {
    const { tail } = this.#tables;
    const isWithin = (near) => ticks(near.bits().high).compare(limit) <= 0;
    for (let distance = 2 * this.steps; distance > 0; distance -= 1) {
      const most = new Ratio(BigInt(distance) ** 2n + 1n).over(this.variance.times(new Ratio(8n)));
      if (isWithin(exactly(most))) return true;
      const half = Math.floor(distance / 2);
      const pair = [-half, distance - half];
      const [[found]] = this.divergences(pair, [1n, 1n], pair);
      if (!isWithin(found.plus(new Near(0n, tail.scaled(LN2).high)))) return false;
    }
    return true;
  }
}

