/** What order adds to shares: cumulative shares, median and quartiles. As sfumato.study.kinds.ordered. */

import { shareInterval } from "./share_bounds.js";

const QUARTILES = [
  ["lower quartile", 0.25],
  ["median", 0.5],
  ["upper quartile", 0.75],
];
const NOT_ESTIMABLE = "The share of those who answer may be 0, so nothing can be said of their answers.";

/** The share of those who give an answer or a lower one, rising; null where nothing can be said of those who answer. */
export function cumulativeShares(reported, count, hides, confidence, told = null, counts = null) {
  const among = [...Array(count).fill(true), ...(hides ? [false] : [])];
  const found = [];
  for (let place = 0; place < count - 1; place += 1) {
    const held = among.map((_, x) => (x <= place ? 1 : 0));
    const one = hides ? reported.ratio(held, among, confidence) : reported.linear(held, confidence);
    if (one === null) return null;
    found.push({ ...one });
  }
  if (told !== null) {
    const total = counts.reduce((sum, one) => sum + one, 0);
    let hits = 0;
    found.forEach((one, place) => {
      hits += counts[place];
      const other = (place + 1) * told.low;
      const [lower, upper] = shareInterval(hits, total, other, other + told.gap, confidence);
      one.lower = Math.min(lower, one.value);
      one.upper = Math.max(upper, one.value);
    });
  }
  return rising(found);
}

/** What is cumulative does not fall: an interval is widened where another one reaches over its end. */
function rising(found) {
  for (let i = found.length - 2; i >= 0; i -= 1) found[i].lower = Math.min(found[i].lower, found[i + 1].lower);
  for (let i = 1; i < found.length; i += 1) {
    found[i].upper = Math.max(found[i].upper, found[i - 1].upper);
    found[i].value = Math.max(found[i].value, found[i - 1].value);
  }
  for (const one of found) {
    one.lower = Math.min(one.lower, one.value);
    one.upper = Math.max(one.upper, one.value);
  }
  return [...found, { value: 1, raw: null, standard_error: null, lower: 1, upper: 1 }];
}

export function cumulativeQuantities(sums, choices) {
  if (sums === null) return [];
  return choices.slice(0, -1).map((choice, place) => {
    const { value, raw, standard_error, lower, upper } = sums[place];
    return { quantity: `“${choice}” or lower`, unit: "share", value, raw, standard_error, lower, upper, words: "" };
  });
}

export function medianAnswer(sums, choices) {
  const blank = { quantity: "median", unit: "answer", raw: null, standard_error: null, answers: choices };
  if (sums === null) return { ...blank, value: null, lower: 0, upper: choices.length - 1, words: NOT_ESTIMABLE };
  const [first, place, last] = places(sums, 0.5);
  return { ...blank, value: place, lower: first, upper: last, words: "" };
}

/** Median and quartiles as numbers; inside of a bin numbers are taken to be spread evenly, for the value alone. */
export function quantiles(sums, points, inBins) {
  return QUARTILES.map(([quantity, share]) => {
    const blank = { quantity, unit: "number", raw: null, standard_error: null };
    if (sums === null) return { ...blank, value: null, lower: points[0], upper: points.at(-1), words: NOT_ESTIMABLE };
    const [first, place, last] = places(sums, share);
    let value = points[place];
    if (inBins) {
      const below = place ? sums[place - 1].value : 0;
      value += ((share - below) / (sums[place].value - below)) * (points[place + 1] - value);
    }
    return { ...blank, value, lower: points[first], upper: points[last + (inBins ? 1 : 0)], words: "" };
  });
}

function places(sums, share) {
  const place = sums.findIndex((one) => one.value >= share);
  const first = sums.findIndex((one) => one.upper >= share);
  const last = sums.findIndex((one) => one.lower >= share);
  return [Math.min(first, place), place, Math.max(last, place)];
}
