/**
 * Logarithms and exponentials, in whole numbers.
 *
 * A real number v is enclosed by two integers: low ≤ v·2^192 ≤ high. One unit, 2^-192, is called a tick. Nothing
 * here is a double, so every bound below is proved and not hoped for.
 */
import { bitLength, ceilDiv, floorDiv, Ratio } from "../rationals.js";

export const BITS = 192n;
export const ONE = 1n << BITS;

const least = (one, other) => (one < other ? one : other);
const most = (one, other) => (one > other ? one : other);

/** A real number between low/2^192 and high/2^192. */
export class Near {
  constructor(low, high) {
    this.low = low;
    this.high = high;
  }

  plus(other) {
    return new Near(this.low + other.low, this.high + other.high);
  }

  minus(other) {
    return new Near(this.low - other.high, this.high - other.low);
  }

  negated() {
    return new Near(-this.high, -this.low);
  }

  /** The product with a whole number ≥ 0. */
  times(factor) {
    return new Near(this.low * factor, this.high * factor);
  }

  /** The quotient by a whole number > 0. */
  over(divisor) {
    return new Near(floorDiv(this.low, divisor), ceilDiv(this.high, divisor));
  }

  /** The product with a number ≥ 0. */
  scaled(factor) {
    const low = this.low * (this.low >= 0n ? factor.low : factor.high);
    const high = this.high * (this.high >= 0n ? factor.high : factor.low);
    return new Near(low >> BITS, -(-high >> BITS));
  }

  /** The quotient by a number > 0. */
  divided(divisor) {
    const low = floorDiv(this.low << BITS, this.low >= 0n ? divisor.high : divisor.low);
    const high = ceilDiv(this.high << BITS, this.high >= 0n ? divisor.low : divisor.high);
    return new Near(low, high);
  }

  /** A number of nats in bits. */
  bits() {
    return this.low === 0n && this.high === 0n ? this : this.divided(LN2);
  }

  /** The same number, known not to be negative. */
  atLeastZero() {
    return new Near(most(0n, this.low), most(0n, this.high));
  }

  /** No more than another, where it is known to be. */
  atMost(other) {
    return new Near(least(this.low, other.low), least(this.high, other.high));
  }

  /** About how large it is. */
  toNumber() {
    return new Ratio(this.low, ONE).toNumber();
  }
}

export const ZERO = new Near(0n, 0n);
export const UNIT = new Near(ONE, ONE);

/** The narrowest enclosure of a fraction. */
export const exactly = ({ above, below }) => new Near(floorDiv(above << BITS, below), ceilDiv(above << BITS, below));

/** The fraction that so many ticks are. */
export const ticks = (count) => new Ratio(count, ONE);

/** Enclose the largest of several numbers. */
export function largest(numbers) {
  let found = null;
  for (const one of numbers) found = found ? new Near(most(found.low, one.low), most(found.high, one.high)) : one;
  return found;
}

/** Enclose a sum. */
export function total(numbers) {
  let [low, high] = [0n, 0n];
  for (const number of numbers) {
    low += number.low;
    high += number.high;
  }
  return new Near(low, high);
}

// The sum below has at most 64 terms, each at most 3 ticks short, and what is left out is less than 3 ticks.
export const ATANH_SHORT = 200n;

/**
 * A number of ticks at most `ATANH_SHORT` below atanh(t'), for 0 ≤ t' ≤ 1/3 and t ticks ≤ t' < t+1 ticks.
 *
 * atanh t' = Σ t'^(2k+1)/(2k+1), all terms positive. The power p_k is kept rounded down. If p_k is e_k ticks short of
 * t'^(2k+1), then e_0 ≤ 1. The square s of t' is short of t'² by less than 2t'+1 ≤ 5/3 ticks (t is 1 tick short, and
 * the shift loses 1), so the next power is short by at most e_k·t'² + (5/3)·t'^(2k+1) + 1 ≤ e_k/9 + 5/9 + 1 < 2 ticks.
 * A division by 2k+1 loses 1 more: 3 ticks a term. The loop ends when a power is 0 ticks, so below 2 ticks, and from
 * there on the true terms sum to less than 2/(1-1/9) < 3 ticks. Every step takes at least a factor 9 off, so a power
 * of 192 bits is gone after 192/log2(9) + 1 < 63 steps. In all 63·3 + 3 < 200 ticks.
 */
export function atanhBelow(t) {
  const square = (t * t) >> BITS;
  let [power, found, odd] = [t, 0n, 1n];
  while (power > 0n) {
    found += power / odd;
    power = (power * square) >> BITS;
    odd += 2n;
  }
  return found;
}

/** ln(above/below) for below ≤ above ≤ 2·below: twice the atanh of (above-below)/(above+below) ≤ 1/3. */
function lnOfRatio(above, below) {
  const found = 2n * atanhBelow(((above - below) << BITS) / (above + below));
  return new Near(found, found + 2n * ATANH_SHORT);
}

export const LN2 = lnOfRatio(2n, 1n);
const STEPS = 7n; // the table below has 2^7 entries
const LN_TABLE = Array.from({ length: 1 << 7 }, (_, j) =>
  j ? lnOfRatio((1n << STEPS) + BigInt(j), 1n << STEPS) : ZERO,
);

/**
 * ln of a whole number ≥ 1: number = 2^k·m with 1 ≤ m < 2, and m = c·(m/c) with c = 1 + j/128 ≤ m from the table.
 *
 * m is cut to 192 binary places, which makes it less than 1 tick smaller, and its logarithm too, since ln has a slope
 * of at most 1 from 1 on. (m-c)/(m+c) is then below 2^-8, and `atanhBelow` applies.
 */
export function lnOfInteger(number) {
  if (number < 1n) throw new RangeError("no logarithm");
  const k = BigInt(bitLength(number) - 1);
  const cut = k <= BITS ? number << (BITS - k) : number >> (k - BITS);
  const j = (cut >> (BITS - STEPS)) - (1n << STEPS);
  const step = ONE + (j << (BITS - STEPS));
  const table = LN_TABLE[Number(j)];
  let low = k * LN2.low + table.low;
  let high = k * LN2.high + table.high + (k > BITS ? 1n : 0n);
  if (cut > step) {
    const found = 2n * atanhBelow(((cut - step) << BITS) / (cut + step));
    low += found;
    high += found + 2n * ATANH_SHORT;
  }
  return new Near(low, high);
}

const KEPT = 1 << 16;
const kept = new Map();

/** The same, remembered: entries of a law are often alike. */
export function cachedLn(number) {
  let found = kept.get(number);
  if (!found) {
    found = lnOfInteger(number);
    if (kept.size >= KEPT) kept.clear();
    kept.set(number, found);
  }
  return found;
}

/** Σ n·ln n. */
export function nLnN(numbers) {
  let [low, high] = [0n, 0n];
  for (const number of numbers) {
    if (number > 1n) {
      const logarithm = cachedLn(number);
      low += number * logarithm.low;
      high += number * logarithm.high;
    }
  }
  return new Near(low, high);
}

/** ln of a positive fraction; exactly 0 for 1. */
export const ln = (number) => lnOfInteger(number.above).minus(lnOfInteger(number.below));

const isPowerOfTwo = (number) => number > 0n && !(number & (number - 1n));

/** log2 of a positive fraction; exact for powers of two. */
export function log2(number) {
  const { above, below } = number;
  if (!isPowerOfTwo(above) || !isPowerOfTwo(below)) return ln(number).bits();
  return exactly(new Ratio(BigInt(bitLength(above) - bitLength(below))));
}

/** ln of a positive number that is itself only enclosed. */
export const lnNear = (number) =>
  new Near(lnOfInteger(number.low).low, lnOfInteger(number.high).high).minus(lnOfInteger(ONE));

// Squaring eight times doubles an error of at most 2·24 ticks eight times, and adds 1 tick each time.
const HALVINGS = 8n;
const EXP_OFF = (1n << HALVINGS) * (2n * 24n + 2n);

/**
 * e^-v for v ≥ 0.
 *
 * With k = ⌊v/ln 2⌋ and r = v - k·ln 2, e^-v = 2^-k·(e^-u)^256 for u = r/256, which is below 2^-8. e^-u is the
 * alternating sum Σ (-u)^n/n!; its terms fall, so breaking it off is off by less than the first term left out. Terms
 * are rounded down, each from the one before, and are less than 2 ticks short; 24 of them leave less than 2^-192
 * behind, since (2^-8)^24/24! < 2^-192. So the sum is off by at most 2·24 ticks, and cutting u takes 1 more. A square
 * of a number v ≤ 1 known to E ticks is known to 2E ticks and the 1 that the shift loses (E²·2^-192 is nothing): after
 * eight squares 2^8·(2·24 + 1) + 2^8 at most, `EXP_OFF`. u is enclosed, e^-u falls with u, and the shift by k
 * rounds outwards. (v has to be known to better than 0.1, which leaves u below 2^-8; every v here is known to 2^-100.)
 */
export function expOfMinus(number) {
  const k = most(0n, floorDiv(number.low, LN2.high));
  const rest = number.minus(LN2.times(k));
  const low = most(0n, expOfRest(rest.high) - EXP_OFF);
  const high = expOfRest(most(0n, rest.low)) + EXP_OFF;
  return new Near(low >> k, -(-high >> k));
}

function expOfRest(rest) {
  const u = rest >> HALVINGS;
  let [term, found] = [ONE, ONE];
  for (let n = 1n; n <= 24n; n += 1n) {
    term = ((term * u) >> BITS) / n;
    found += n & 1n ? -term : term;
  }
  for (let n = 0n; n < HALVINGS; n += 1n) found = (found * found) >> BITS;
  return found;
}

/** -Σ count·p·log2 p over pairs of p and count, in bits. */
export function entropy(law) {
  const terms = law
    .filter(([p]) => p.above !== 0n)
    .map(([p, count]) => ln(p).negated().times(p.above * count).over(p.below));
  return total(terms).bits().atLeastZero();
}
