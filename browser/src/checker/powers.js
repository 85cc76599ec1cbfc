/** How much whole vectors in a ball plus discrete Gaussian noise tell at most: a limit on power. */
import { ceilDiv, floorDiv, Ratio, wholeSquareRoot } from "../rationals.js";
import { Ends } from "./claims.js";
import { exactly, expOfMinus, lnNear, Near, ONE, UNIT, ZERO } from "./enclosures.js";

export const POWER = "C ≤ k·log2(Z_S/Z_N) + log2 e·((k·V_N + r²)/2S - k·V_N/2N)";
export const USUAL_POWER = `${POWER} with S = N + r²/k and the r of`;
const MANY_BITS = 1000n; // beyond, whole bits are claimed
const SMOOTH = new Ratio(8n);
const FAR_OUT = new Ratio(320n);
const TWO = new Ratio(2n);

// π, of which 80 digits are written and the rest is less than 10^-80.
const DIGITS = 314159265358979323846264338327950288419716939937510582097494459230781640628620899n;
const WRITTEN = exactly(new Ratio(DIGITS, 10n ** 80n));
const PI = new Near(WRITTEN.low, WRITTEN.high + 1n);

/**
 * ln Z_s and V_s of the discrete Gaussian with parameter s: Z_s = Σ e^(-z²/2s), and V_s its variance.
 *
 * From s = 8 on, by Poisson's formula Z_s = √(2πs)·(1 + 2Σ_{j≥1} e^(-2π²sj²)), and V_s = s + 2s²·(ln θ)' for θ in the
 * brackets, whose derivative is -4π²Σ j²e^(-2π²sj²). So 0 ≤ ln θ ≤ 3e^(-19s) and 0 ≤ s - V_s ≤ 160s²e^(-19s), both below
 * 10^-61 and so below 1 tick. Before, the sums are taken up to z with z²/2s ≥ 160, and what is left is again below
 * 1 tick, even times z².
 */
function latticeFacts(variance) {
  if (variance.compare(SMOOTH) >= 0) {
    const exact = exactly(variance);
    const found = lnNear(PI.times(2n).scaled(exact)).over(2n);
    return [new Near(found.low, found.high + 1n), new Near(exact.low - 1n, exact.high)];
  }
  let [mass, moment] = [UNIT, ZERO];
  const last = wholeSquareRoot(variance.times(FAR_OUT).ceil()) + 1n;
  for (let number = 1n; number <= last; number += 1n) {
    const weight = expOfMinus(exactly(new Ratio(number ** 2n).over(variance.times(TWO)))).times(2n);
    mass = mass.plus(weight);
    moment = moment.plus(weight.times(number ** 2n));
  }
  mass = new Near(mass.low, mass.high + 1n);
  return [lnNear(mass), new Near(moment.low, moment.high + 1n).divided(mass)];
}

/**
 * k·ln(Z_S/Z_N) + (k·V_N + r²)/2S - k·V_N/2N, in bits: what whole vectors within r of a point tell at most.
 *
 * It is D(P_x‖Q) or more for Q in proportion to e^(-‖y-c‖²/2S), since E‖Y-c‖² = k·V_N + ‖x-c‖², and for real c
 * Σ e^(-(y-c)²/2S) ≤ Z_S by Poisson's formula. Any S > 0 will do.
 */
export function powerBound(dimension, radius, variance, spread) {
  const [[narrow, own], [wide]] = [latticeFacts(variance), latticeFacts(spread)];
  const power = own.times(dimension);
  const stretched = wide.minus(narrow).times(dimension);
  const spent = power.plus(exactly(radius)).divided(exactly(spread.times(TWO)));
  return stretched.plus(spent).minus(power.divided(exactly(variance.times(TWO)))).bits();
}

/** The same at S = N + r²/k. */
export function usualBound(dimension, radius, variance) {
  const found = powerBound(dimension, radius, variance, variance.plus(radius.over(new Ratio(dimension))));
  if (found.high <= MANY_BITS * ONE) return Ends.around(found);
  const [lower, upper] = [floorDiv(found.low, ONE) * ONE, ceilDiv(found.high, ONE) * ONE];
  return new Ends(new Near(lower, lower), new Near(upper, upper), new Ratio(0n));
}
