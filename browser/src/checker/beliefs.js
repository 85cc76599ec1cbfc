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
 * n numbers, each of which moves their sum by at most `reach`, and beliefs that share at most `shared` bits.
 *
 * `own` is the share of the noise's variance that guards one record by itself; `tilt` is a w that `isTilt` accepts.
 */
export class Beliefs {
  constructor({ records, shared, reach, deviation, own, tilt }) {
    Object.assign(this, { records, shared, reach, deviation, own, tilt });
    this.count = new Ratio(records);
    this.ratio = square(reach.over(deviation));
  }

  /** c(1 - e^(-(n-1)ratio/4(1-f))) + ½ log2(1 + ratio/4f). */
  booked() {
    const found = log2(UNITY.plus(this.ratio.over(FOUR.times(this.own)))).over(2n);
    if (this.shared.above === 0n || this.records === 1n) return found;
    const rest = FOUR.times(UNITY.minus(this.own));
    const left = expOfMinus(exactly(this.ratio.times(new Ratio(this.records - 1n)).over(rest)));
    return found.plus(UNIT.minus(left).atLeastZero().scaled(exactly(this.shared)));
  }

  /** The smaller of that and ½ log2(1 + min(n·w/4, n²/4)·ratio). */
  once() {
    const widest = lesser(this.count.times(this.tilt), square(this.count)).over(FOUR);
    return this.booked().atMost(log2(UNITY.plus(widest.times(this.ratio))).over(2n));
  }

  /** The smaller of ½ log2(1 + x²) and log2(1 + x·√(2/πe)), x = people·reach/2 deviations. */
  forPeople(people, deviation) {
    const power = square(new Ratio(people).times(this.reach).over(deviation.times(new Ratio(2n))));
    const found = log2(UNITY.plus(power)).over(2n);
    if (power.compare(UNITY) <= 0) return found;
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
