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

/** How many binary digits a whole number ≥ 0 has; 0 has none. */
export function bitLength(number) {
  if (number === 0n) return 0;
  const digits = number.toString(16);
  return 4 * digits.length - Math.clz32(parseInt(digits[0], 16)) + 28;
}

/** The greatest common divisor of two whole numbers ≥ 0. */
export function gcd(a, b) {
  while (b > SAFE) [a, b] = [b, a % b];
  if (b === 0n) return a;
  // From here on doubles hold every number exactly, and are much faster.
  let [small, rest] = [Number(b), Number(a % b)];
  while (rest !== 0) [small, rest] = [rest, small % rest];
  return BigInt(small);
}

export const lcm = (a, b) => (a / gcd(a, b)) * b;

/** The largest whole number whose square is no more than a number ≥ 0. */
export const wholeSquareRoot = (number) => wholeRoot(number, 2n);

/** The largest whole number whose power is no more than a number ≥ 0. */
export function wholeRoot(number, degree) {
  let root = 1n << ((BigInt(bitLength(number)) + degree - 1n) / degree);
  while (root ** degree > number) root = ((degree - 1n) * root + number / root ** (degree - 1n)) / degree;
  return root;
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

  /** The fraction that a finite double is. */
  static ofDouble(number) {
    if (!Number.isFinite(number)) throw new RangeError("no fraction is infinite");
    if (Number.isSafeInteger(number)) return new Ratio(BigInt(number));
    const view = new DataView(new ArrayBuffer(8));
    view.setFloat64(0, number);
    const bits = view.getBigUint64(0);
    const exponent = Number((bits >> 52n) & 0x7ffn);
    const digits = (bits & ((1n << 52n) - 1n)) | (exponent ? 1n << 52n : 0n);
    const scale = (exponent || 1) - 1075;
    const above = bits >> 63n ? -digits : digits;
    return scale >= 0 ? new Ratio(above << BigInt(scale)) : new Ratio(above, 1n << BigInt(-scale));
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

  floor() {
    return floorDiv(this.above, this.below);
  }

  ceil() {
    return ceilDiv(this.above, this.below);
  }

  /** The nearest whole number, the even one of two. */
  round() {
    const down = this.floor();
    const twice = 2n * (this.above - down * this.below);
    return twice > this.below || (twice === this.below && down % 2n !== 0n) ? down + 1n : down;
  }

  /** The nearest double, the even one of two. */
  toNumber() {
    const { above, below } = this;
    if (above === 0n) return 0;
    if (above < 0n) return -this.negated().toNumber();
    // A quotient of 66 digits, the last of which says whether there are more, is rounded once, by Number.
    const shift = Math.min(1074, 66 - bitLength(above) + bitLength(below));
    if (shift === 1074) return new Ratio(above << 1074n, below).#nearTheSmallest();
    const top = shift > 0 ? above << BigInt(shift) : above;
    const bottom = shift < 0 ? below << BigInt(-shift) : below;
    const quotient = top / bottom;
    const near = Number(top % bottom ? quotient | 1n : quotient);
    const half = Math.trunc(shift / 2);
    return near * 2 ** -half * 2 ** (half - shift);
  }

  /** Ticks of 2^-1074, which the smallest doubles are counted in. */
  #nearTheSmallest() {
    const quotient = this.floor();
    const digits = bitLength(quotient);
    const cut = BigInt(Math.max(0, digits - 53));
    const ticks = new Ratio(this.above, this.below << cut).round() << cut;
    return Number(ticks) * 2 ** -537 * 2 ** -537;
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
