/** Chernoff information: how fast two answers are told apart by one person's many reports. */
import { Ratio } from "../rationals.js";
import { Ends } from "./claims.js";
import { BITS, cachedLn, expOfMinus, lnNear, lnOfInteger, Near, ONE, total, ZERO } from "./enclosures.js";
import { TooLarge } from "./outcomes.js";
import { INFINITE, ROOM } from "./phrases.js";

const MOST_TILTED = 20_000;

/**
 * -min over λ in [0, 1] of f(λ) = ln Σ p^λ q^(1-λ), over the reports that both answers allow.
 *
 * f is convex. At any λ, f(λ) is at least its minimum, and the tangent there shows that the minimum is not more than
 * max(f'·λ, -f'·(1-λ), 0) below. λ is searched for in doubles and corrected by Newton's method with the enclosures
 * themselves; whatever it is, what is returned is proven at that λ.
 */
export function chernoffInformation([first, second], denominator) {
  if (first.every((p, y) => p === second[y])) return Ends.around(ZERO);
  const shared = first.map((p, y) => [p, second[y]]).filter(([p, q]) => p && q);
  if (!shared.length) return INFINITE;
  if (shared.length > MOST_TILTED) throw new TooLarge(`${shared.length} reports are too many to tilt`);
  const whole = lnOfInteger(denominator);
  const terms = shared.map(([p, q]) => [cachedLn(q).minus(whole), cachedLn(p).minus(cachedLn(q))]);
  let place = BigInt(Math.trunc(flattest(terms) * 2 ** 64)) << (BITS - 64n);
  for (let n = 0; n < 3; n += 1) {
    const { slope, bend } = tilted(terms, place);
    const middle = (slope.low + slope.high) >> 1n;
    if (middle && bend > 0) {
      const step = new Ratio(middle).over(Ratio.ofDouble(bend));
      place = within(place - step.above / step.below);
    }
  }
  const { value, slope } = tilted(terms, place);
  const left = slope.scaled(new Near(place, place)).high;
  const right = -slope.scaled(new Near(ONE - place, ONE - place)).low;
  const drop = [left, right].reduce((most, one) => (one > most ? one : most), 0n);
  const size = Math.max(...terms.map(([q, rate]) => 2 + Math.abs(q.toNumber()) + Math.abs(rate.toNumber())));
  const exact = Ratio.ofDouble(size);
  const found = ZERO.minus(value);
  return new Ends(
    found.atLeastZero(),
    found.plus(new Near(0n, drop)).atLeastZero(),
    ROOM.plus(exact.times(exact).times(new Ratio(1n, 1n << 47n))),
  );
}

const within = (place) => (place < 0n ? 0n : place > ONE ? ONE : place);

/** Where the slope of f changes sign, in doubles. */
function flattest(terms) {
  const plain = terms.map(([q, rate]) => [q.toNumber(), rate.toNumber()]);
  let [low, high] = [0, 1];
  for (let n = 0; n < 60; n += 1) {
    const middle = (low + high) / 2;
    const exponents = plain.map(([q, rate]) => q + middle * rate);
    const top = exponents.reduce((one, other) => Math.max(one, other));
    const slope = plain.reduce((sum, [, rate], i) => sum + Math.exp(exponents[i] - top) * rate, 0);
    if (slope < 0) low = middle;
    else high = middle;
  }
  return low;
}

/** f at λ = place/2^192, its slope Σ w·rate/Σ w with w = p^λ q^(1-λ), and its bend, roughly. */
function tilted(terms, place) {
  const at = new Near(place, place);
  const exponents = terms.map(([q, rate]) => q.plus(rate.scaled(at)));
  const top = exponents.reduce((most, one) => (one.high > most ? one.high : most), exponents[0].high);
  const weights = exponents.map((one) => expOfMinus(new Near(top - one.high, top - one.low)));
  const mass = total(weights);
  const slope = total(terms.map(([, rate], i) => rate.scaled(weights[i]))).divided(mass);
  const mean = slope.toNumber();
  const spread = terms.reduce((sum, [, rate], i) => sum + weights[i].toNumber() * (rate.toNumber() - mean) ** 2, 0);
  return { value: lnNear(mass).plus(new Near(top, top)), slope, bend: spread / mass.toNumber() };
}
