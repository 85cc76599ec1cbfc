/**
 * Exact fractions of BigInts: always in lowest terms, the denominator positive.
 *
 * JavaScript's `/` on BigInts cuts towards zero; here quotients of whole numbers are rounded down or up, and say so.
 */

const SAFE = BigInt(Number.MAX_SAFE_INTEGER);

/** The largest whole number that is no more than above/below, for below > 0. */
export const floorDiv = (above, below) => (above >= 0n ? above / below : -((-above + below - 1n) / below));

/** The smallest whole number that is no less than above/below, for below > 0. */
export const ceilDiv = (above, below) => -floorDiv(-above, below);

export const absolute = (number) => (number < 0n ? -number : number);

/** The greatest common divisor of two whole numbers ≥ 0. */
export function gcd(a, b) {
  while (b > SAFE) [a, b] = [b, a % b];
  if (b === 0n) return a;
  // From here on doubles hold every number exactly, and are much faster.
  let [small, rest] = [Number(b), Number(a % b)];
  while (rest !== 0) [small, rest] = [rest, small % rest];
  return BigInt(small);
}

export class Ratio {
  /** A fraction; `lowest` says that it is in lowest terms already. */
  constructor(above, below = 1n, lowest = below === 1n) {
    if (below === 0n) throw new RangeError("a fraction over nothing");
    if (!lowest) {
      if (below < 0n) [above, below] = [-above, -below];
      const common = gcd(absolute(above), below);
      if (common !== 1n) [above, below] = [above / common, below / common];
    }
    this.above = above;
    this.below = below;
  }

  plus(other) {
    if (this.below === other.below) return new Ratio(this.above + other.above, this.below);
    return new Ratio(this.above * other.below + other.above * this.below, this.below * other.below);
  }

  minus(other) {
    return this.plus(other.negated());
  }

  negated() {
    return new Ratio(-this.above, this.below, true);
  }

  times(other) {
    return new Ratio(this.above * other.above, this.below * other.below);
  }

  over(other) {
    return new Ratio(this.above * other.below, this.below * other.above);
  }

  /** Below 0 if this is less than the other, 0 if they are equal, above 0 if it is more. */
  compare(other) {
    const difference = this.above * other.below - other.above * this.below;
    return difference < 0n ? -1 : difference > 0n ? 1 : 0;
  }

  equals(other) {
    return this.above === other.above && this.below === other.below;
  }

  /** "3/8", and "2" for a whole number. */
  toString() {
    return this.below === 1n ? String(this.above) : `${this.above}/${this.below}`;
  }
}

export const ratio = (above, below = 1n) => new Ratio(BigInt(above), BigInt(below));

/** 10^exponent, whatever the sign. */
export const powerOfTen = (exponent) =>
  exponent >= 0 ? new Ratio(10n ** BigInt(exponent)) : new Ratio(1n, 10n ** BigInt(-exponent), true);

export const larger = (one, other) => (one.compare(other) >= 0 ? one : other);
