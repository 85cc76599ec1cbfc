/**
 * Intervals for a parameter that has bounds, after Feldman and Cousins: the normal law says how α is split between the
 * tails, which are whatever law the statistic has. The same rules as sfumato.prob.intervals, one number at a time.
 */

import { normalBelow, normalQuantile } from "./special.js";

const HALVINGS = 48;
const STRAIGHT = 1e-6;

/** How probable it is to be ranked no higher than what was seen, of which `tail` is the side it lies on. */
export function bothTails(tail, behind, ahead) {
  if (tail >= 0.5) return 1;
  const far = Math.max(-normalQuantile(Math.min(Math.max(tail, 0), 1)), 0);
  // Twice the logarithm of the ratio of likelihoods there; beyond the bound the best value stays at the bound.
  let lost = far <= ahead ? far * far : ahead * (2 * far - ahead);
  if (ahead <= 0) lost = 0;
  else if (tail <= 0) lost = Infinity;
  const reach = Math.sqrt(lost);
  let other = reach <= behind ? -reach : -(behind + lost / behind) / 2;
  if (behind <= 0) other = -Infinity;
  return tail + normalBelow(other);
}

/** How many deviations the bounds lie below and above a value; at a bound there is no room. */
export function rooms(value, deviation, low, high) {
  return [value <= low ? 0 : (value - low) / deviation, value >= high ? 0 : (high - value) / deviation];
}

/** The first value towards a bound that is not accepted, or the bound; `inside` is an accepted one. */
export function outerEdge(inside, bound, accepts) {
  if (accepts(bound)) return bound;
  let held = inside;
  let lost = bound;
  for (let step = 0; step < HALVINGS; step += 1) {
    const middle = (held + lost) / 2;
    if (accepts(middle)) held = middle;
    else lost = middle;
  }
  return lost;
}

/** The ends of an interval; `tails` and `deviation` are functions of the parameter, `inside` is accepted. */
export function boundedEnds({ tails, deviation, inside, low, high, confidence }) {
  const alpha = 1 - confidence;
  const accepts = (side) => (value) => {
    const [behind, ahead] = rooms(value, deviation(value), low, high);
    const [above, below] = tails(value);
    return (side === "lower" ? bothTails(above, behind, ahead) : bothTails(below, ahead, behind)) >= alpha;
  };
  return [outerEdge(inside, low, accepts("lower")), outerEdge(inside, high, accepts("upper"))];
}

/** How probable it is to lie at a distance or above it, and there or below; Wilson and Hilferty's cube root. */
export function skewedTails(distance, skewness) {
  const straight =
    Math.abs(skewness) < STRAIGHT
      ? distance
      : (6 / skewness) * (Math.cbrt(1 + (skewness * distance) / 2) - 1) + skewness / 6;
  return [normalBelow(-straight), normalBelow(straight)];
}
