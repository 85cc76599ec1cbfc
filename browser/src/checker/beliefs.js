/** Normal noise on a sum, and what it tells those whose beliefs tie its records together by at most so many bits. */
import { Ratio, wholeSquareRoot } from "../rationals.js";
import { exactly, expOfMinus, LN2, ln, log2, Near, ONE, UNIT } from "./enclosures.js";
import { Refused } from "./outcomes.js";
import { ROOM } from "./phrases.js";

const UNITY = new Ratio(1n);
const FOUR = new Ratio(4n);
const HAIR = new Ratio(499n, 500n);
// Just below √(πe/2).
const ROOT_HALF_PI_E = new Ratio(206_636n, 100_000n);
const SCALE = 1n << 60n;

const square = (number) => number.times(number);
const lesser = (one, other) => (one.compare(other) <= 0 ? one : other);

/** Whether w ≥ 1 and w - 1 - ln w ≥ 2c·ln 2. */
export function isTilt(tilt, shared) {
  const over = tilt.compare(UNITY);
  if (shared.above === 0n || over <= 0) return over >= 0 && shared.above === 0n;
  return exactly(tilt.minus(UNITY)).minus(ln(tilt)).low >= LN2.scaled(exactly(shared.times(new Ratio(2n)))).high;
}

/**
 * n numbers, each of which moves their sum by at most D, and beliefs that share at most `shared` bits.
 *
 * Or n vectors: `reach` is D², one of them is in a ball of R² = `radius`·D² in k = `dimension` numbers. `people` m are in
 * a household at most. `own` is the share of the noise's variance that guards one household by itself; `tilt` is a w
 * that `isTilt` accepts for shared/k.
 */
export class Beliefs {
  constructor({ records, people, shared, reach, dimension, radius, deviation, own, tilt, statistic }) {
    Object.assign(this, { records, people, shared, reach, dimension, radius, deviation, own, tilt, statistic });
    this.count = new Ratio(records);
    this.ratio = reach.over(square(deviation));
    this.size = new Ratio(dimension);
    this.many = new Ratio(people);
  }

  /** (k/2) log2(1 + power). */
  told(power) {
    return log2(UNITY.plus(power)).scaled(exactly(this.size.over(new Ratio(2n))));
  }

  /** c(1 - e^(-m(n-1)ratio/4(1-f))) + (k/2) log2(1 + m²R²ratio/kf). */
  booked() {
    const power = square(this.many).times(this.radius).times(this.ratio).over(this.size.times(this.own));
    const found = this.told(power);
    if (this.shared.above === 0n || this.records === 1n) return found;
    const rest = FOUR.times(UNITY.minus(this.own));
    const others = this.many.times(new Ratio(this.records - 1n));
    const left = expOfMinus(exactly(this.ratio.times(others).over(rest)));
    return found.plus(UNIT.minus(left).atLeastZero().scaled(exactly(this.shared)));
  }

  /** The smaller of that and (k/2) log2(1 + min(n·m·w/4, n²R²/k)·ratio). */
  once() {
    const byTilt = this.count.times(this.many).times(this.tilt).over(FOUR);
    const widest = lesser(byTilt, square(this.count).times(this.radius).over(this.size));
    return this.booked().atMost(this.told(widest.times(this.ratio)));
  }

  /** The smaller of ½ log2(1 + x²) and log2(1 + x·√(2/πe)), x = people·D/2 deviations; of vectors, by power. */
  forPeople(people, deviation) {
    const moved = square(new Ratio(people)).times(this.radius).times(this.reach);
    const power = moved.over(this.size.times(square(deviation)));
    const found = this.told(power);
    if (power.compare(UNITY) <= 0 || this.dimension > 1n) return found;
    const root = wholeSquareRoot((power.above * SCALE ** 2n) / power.below);
    const [least, most] = [root, root + 1n].map((end) => log2(UNITY.plus(new Ratio(end, SCALE).over(ROOT_HALF_PI_E))));
    return found.atMost(new Near(least.low, most.high));
  }

  /** Return a deviation with which others would be told as much: one that is enough, and four digits of it. */
  checkedNeighbour(measure, people, deviation) {
    const told = this.booked();
    if (new Ratio(this.forPeople(people, deviation).high - told.high, ONE).compare(ROOM) > 0) {
      throw new Refused(`${measure}: so little noise would tell more`);
    }
    if (this.forPeople(people, deviation.times(HAIR)).high <= told.low) {
      throw new Refused(`${measure}: less noise would be enough`);
    }
    return deviation;
  }
}
