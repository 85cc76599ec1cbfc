/**
 * The bound on D(p‖p̂) for every true law p, at confidence 1-β, from the number of records, the cells and the terms.
 *
 * n·D is a sum over cells; multinomial counts are Poisson ones given their sum, and Chernoff's bound is evaluated at the
 * given rate and price. In doubles, each sum rounded up by more than it can be off.
 */
import { Ratio } from "../rationals.js";
import { damaged, TooLarge } from "./outcomes.js";

const MOST_RECORDS = 1_000_000n;
const MOST_CELLS = 1n << 40n;
const FIRST_MEAN = 2 ** -14;
const DEEPEST = 48;
const ROUNDOFF = 2 ** -53;

/** Whether D(p‖p̂) ≤ bits, a Ratio, follows. */
export function follows({ records, cells, terms }, bits) {
  if (records > MOST_RECORDS || cells > MOST_CELLS) throw new TooLarge("a law of so many records or cells");
  const most = new Ratio(31n, 32n);
  if (cells < 2n || terms.rate.compare(most) > 0 || terms.smoothing.compare(new Ratio(1n, 1024n)) < 0) {
    throw damaged("its bound is chosen by numbers that cannot be");
  }
  const [n, m] = [Number(records), Number(cells)];
  const [rate, price, beta] = [terms.rate, terms.price, terms.beta].map((term) => term.toNumber());
  const added = terms.smoothing.toNumber();
  const scale = new Ratio(1n).plus(terms.smoothing.times(new Ratio(cells, records))).toNumber();
  const cell = { rate, added, scale, price, cut: Math.log((10 * m) / beta) * (1 + 2 ** -50) };
  const fixed = Math.log(2 * Math.PI * n) / 2 + 1 / (12 * n) - Math.log(0.9 * beta) + price * n;
  // What ln M(μ) - νμ may be at most, for the claim to follow; rounded down.
  const nats = bits.toNumber() * n * Math.LN2 * rate;
  const target = (nats - fixed) / m - (2 ** -44 * (Math.abs(nats) + Math.abs(fixed) + Math.abs(price) * n)) / m;
  let left = Math.min(FIRST_MEAN, n, added / scale);
  const beside = left * (Math.expm1(rate / scale) + Math.max(0, -price));
  if ((rate * added) / scale + beside + 2 ** -40 > target) return false;
  while (left < n) {
    const right = Math.min(n, left + Math.min(left / 2, 0.7 * Math.sqrt(left)));
    if (!staysBelow(left, right, target, cell, DEEPEST)) return false;
    left = right;
  }
  return true;
}

/**
 * Whether ln M(μ) - νμ ≤ target on [left, right], halving it as long as that helps.
 *
 * A term is e^f with f'' ≥ -(k-λ·left)⁺/left², so it is at most its chord's with (k-λ·left)⁺h²/8left² added; a sum of
 * exponentials of straight lines is largest at an end.
 */
function staysBelow(left, right, target, cell, depth) {
  const least = firstCount(left, cell.cut);
  const bend = (right - left) ** 2 / (8 * left * left);
  const at = (end) => logMoment(end, { left, step: right - left, bend, least }, cell) - cell.price * end;
  if (at(left) <= target && at(right) <= target) return true;
  const middle = (left + right) / 2;
  if (depth === 0 || !(left < middle && middle < right)) return false;
  return (
    staysBelow(left, middle, target, cell, depth - 1) && staysBelow(middle, right, target, cell, depth - 1)
  );
}

/** ln of the sum over counts from `least` on, from above; wide blocks of terms where counts are large. */
function logMoment(mean, { left, step, bend, least }, { rate, added, scale }) {
  const wide = least >= mean / 4 ? Math.max(1, Math.floor(Math.max(Math.sqrt(mean) / 16, step / 2))) : 1;
  const last = Math.ceil(mean + 6 * Math.sqrt(mean / (1 - rate)) + 24);
  let [count, found, highest, exponent] = [least, 0, -Infinity, 0];
  for (; ; count += wide) {
    const ratio = ((count + added) / scale - mean) / mean;
    exponent = logPoisson(count, mean) + rate * mean * (ratio - Math.log1p(ratio));
    exponent += bend * Math.max(count - rate * left, 0);
    if (exponent > highest) {
      found = found * Math.exp(highest - exponent) + 1;
      highest = exponent;
    } else found += Math.exp(exponent - highest);
    if (count > last) break;
  }
  // Behind the last count neighbours shrink at least so fast.
  const slope = rate * (1 / scale - mean / (count + 1 + added));
  const shrink = (mean / (count + 1)) * Math.exp(bend + slope) * (1 + 2 ** -40);
  if (shrink >= 1) return Infinity;
  const block = wide > 1 ? wide * Math.exp(wide ** 2 / (8 * least)) : 1;
  found = block * found + (Math.exp(exponent - highest) * shrink) / (1 - shrink);
  return highest + Math.log(found) + 512 * ROUNDOFF * (8 + count - least);
}

const FACTORIALS = [1];
for (let k = 1; k <= 20; k += 1) FACTORIALS.push(FACTORIALS[k - 1] * k);

/** ln(e^-μ μ^k/k!), from above: Stirling's series with one term too many. */
function logPoisson(count, mean) {
  if (count === 0) return -mean;
  const off = (count - mean) / mean;
  const exponent = mean * ((1 + off) * Math.log1p(off) - off);
  if (count <= 20) return -exponent - (Math.log(FACTORIALS[count]) - count * Math.log(count) + count);
  return -exponent - (Math.log(2 * Math.PI * count) / 2 + 1 / (12 * count) - 1 / (360 * count ** 3));
}

/** One more than the largest count ℓ with ℓ ln(ℓ/μ) - ℓ + μ ≥ cut: as few as that are left out. */
function firstCount(mean, cut) {
  const rarity = (count) => {
    const off = (count - mean) / mean;
    const exponent = count ? mean * ((1 + off) * Math.log1p(off) - off) : mean;
    return exponent - 64 * ROUNDOFF * (mean - count);
  };
  if (rarity(0) < cut) return 0;
  let [low, high] = [0, Math.floor(mean)];
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (rarity(middle) >= cut) low = middle;
    else high = middle;
  }
  return low + 1;
}

/** What an ε-private answer tells about one of independent records: z - 1 - ln z in bits, z = ε e^ε/(e^ε - 1). */
export function histogramBits(epsilon) {
  const more = (epsilon + Math.expm1(-epsilon)) / -Math.expm1(-epsilon);
  return (more - Math.log1p(more)) / Math.LN2;
}
