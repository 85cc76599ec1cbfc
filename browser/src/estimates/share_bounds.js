/**
 * Exact intervals for a share that one binomial count tells of: Feldman and Cousins' own, on the counts themselves.
 *
 * The same rule as sfumato.prob.intervals, one count at a time; why an end is found without trying shares is proved in
 * docs/theory/bounded_intervals.md.
 */

import { binomialAbove, xlog1py, xlogy } from "./special.js";

const HALVINGS = 60;
const OUTWARDS = 1e-14;
const MIRRORED = 1e-9;

/** The ends for the share of an answer from its hits among `total` reports; a report hits with `own` or `other`. */
export function shareInterval(hits, total, other, own, confidence) {
  const alpha = 1 - confidence;
  return [
    fromBound(hits, total, other, own, alpha),
    // The other end is the first one with hits and misses exchanged.
    1 - fromBound(total - hits, total, 1 - own, 1 - other, alpha),
  ];
}

/** The smallest share that accepts the count; rounding moves it outwards. */
function fromBound(hits, total, least, most, alpha) {
  if (binomialAbove(hits, total, least) > alpha) return 0;
  const chance = innerChance(hits, total, least, most, alpha);
  if (chance <= least) return 0;
  return clip((chance - least) / (most - least) - OUTWARDS, 0, 1);
}

function innerChance(hits, total, least, most, alpha) {
  const mine = greatest(hits, total, least, most);
  /** The chance from which on a count of the other side goes with `hits`; the least one for no count at all. */
  const turning = (count) => {
    if (count < 0) return least;
    const slope = mine - greatest(count, total, least, most);
    return clip(1 / (1 + Math.exp(-slope / (hits - count))), least, most);
  };
  /** How probable it is to be ranked no higher, if so much goes with it. */
  const ranked = (count, chance) => binomialAbove(hits, total, chance) + 1 - binomialAbove(count + 1, total, chance);
  // The first count at whose turning more than alpha is ranked no higher: `last` is one, `before` is none.
  let before = -1;
  let last = hits - 1;
  while (last - before > 1) {
    const middle = Math.floor((before + last) / 2);
    if (ranked(middle, turning(middle)) > alpha) last = middle;
    else before = middle;
  }
  const stop = turning(last);
  if (!(ranked(before, stop) > alpha)) return stop * (1 - 2 ** -53);
  let low = turning(before);
  let high = stop;
  for (let step = 0; step < HALVINGS; step += 1) {
    const middle = (low + high) / 2;
    if (ranked(before, middle) > alpha) high = middle;
    else low = middle;
  }
  return low;
}

/** The greatest weighted log-likelihood of a count that a chance within the bounds gives. */
function greatest(count, total, least, most) {
  if (least + most > 1 + MIRRORED) return greatest(total - count, total, 1 - most, 1 - least);
  if (least + most >= 1 - MIRRORED) {
    const chance = clip(count / total, least, most);
    return xlogy(count, chance) + xlog1py(total - count, -chance);
  }
  // s^h·(1-s)^(n-h)/(1+n·s) is greatest where (n-1)·s² - (h-2)·s - h/n = 0.
  const half = (count - 2) / 2;
  const room = Math.max(total - 1, 1e-9);
  const chance = clip((half + Math.sqrt(half * half + (room * count) / total)) / room, least, most);
  return xlogy(count, chance) + xlog1py(total - count, -chance) - Math.log1p(total * chance);
}

export function clip(x, low, high) {
  return Math.min(Math.max(x, low), high);
}
