/**
 * Everything that the explorer says of a setting: the law of a report, what it tells, and what it is worth, by reader.
 *
 * The formulas are those of the library: fractions where Python has fractions, doubles where it has doubles.
 */

import { Ratio, ratio } from "../rationals.js";
import { decimal, doubleBelow, exponential, gridFor, oddsBelow } from "./exponentials.js";
import { bestSet, FLIPS, overlaps } from "./sets.js";

const ONE = ratio(1);
// Sets are chosen as if no epsilon were larger.
const MOST_EPSILON = 20;

/** P(x|y) when a share holds x, x gives y with probability `favoured`, and all others with probability `other`. */
export function raisedShare(share, favoured, other) {
  const hit = share.times(favoured);
  const miss = ONE.minus(share).times(other);
  return hit.over(hit.plus(miss));
}

/** √n times the standard deviation of a share, when a report hits its answer with `own` and others with `other`. */
export function deviation(own, other, share) {
  const gap = own.minus(other).toNumber();
  const hit = other.toNumber() + gap * share;
  return Math.sqrt(hit * (1 - hit)) / gap;
}

/** The odds of each level, sharpest first, and the set that all of them favour. */
export function ladder(answers, epsilons, table) {
  const doubles = epsilons.map((text) => doubleBelow(decimal(text)));
  if (answers === 2) {
    const odds = doubles.map((epsilon) => oddsBelow(epsilon, gridFor(exponential(epsilon) + 1)));
    return { set: FLIPS, odds };
  }
  const nominal = doubles.map((epsilon) => exponential(Math.min(epsilon, MOST_EPSILON)));
  const set = bestSet(table.sets, answers, nominal, table.worth);
  const odds = doubles.map((epsilon) => oddsBelow(epsilon, gridFor((exponential(epsilon) + 1) * set.modulus)));
  return { set, odds };
}

/** How likely a favoured and another report are, and how likely a report falls among the favoured of an answer. */
function chances(set, odds) {
  const [modulus, count, repeats] = [set.modulus, set.count, set.repeats].map((whole) => ratio(whole));
  const low = ONE.over(odds.times(count).plus(modulus).minus(count));
  const high = odds.times(low);
  const own = count.times(high);
  const other = repeats.times(high).plus(count.minus(repeats).times(low));
  return { high, low, own, other };
}

/** What a report makes of a share at the most, at the least, and at the most if the others are equally frequent. */
function posteriors(share, answers, least, { high, low }) {
  const beside = ratio(least - 1).times(high).plus(ratio(answers - least).times(low));
  return {
    raised: raisedShare(share, high, low),
    lowered: raisedShare(share, low, high),
    even: raisedShare(share, high, beside.over(ratio(answers - 1))),
  };
}

const larger = (a, b) => (a.compare(b) >= 0 ? a : b);

/** How often the best guess of the answer is wrong after a report, if the others are equally frequent. */
function guessError(share, answers, found, { high, low }) {
  const rest = ONE.minus(share).over(ratio(answers - 1));
  const top = larger(share, rest);
  const right = [
    ratio(found.alone).times(larger(share.times(high), rest.times(low))),
    ratio(found.shared).times(top.times(high)),
    ratio(found.foreign).times(larger(share.times(low), rest.times(high))),
    ratio(found.none).times(top.times(low)),
  ].reduce((sum, part) => sum.plus(part));
  return ONE.minus(right);
}

/** How well a share is known: from so many people, and how many it takes for the goal. */
function accuracy(found, people, reach, goal) {
  return {
    deviation: found,
    halfWidth: (reach * found) / Math.sqrt(people),
    respondents: Math.ceil(((reach * found) / goal) ** 2),
  };
}

/**
 * Read a setting: `answers` and `people` are numbers, `publicEpsilon`, `analysts` (sharpest first), `share` and `goal`
 * are decimal texts.
 */
export function readings({ answers, people, publicEpsilon, analysts, share, goal }, table) {
  const epsilons = [...analysts, publicEpsilon];
  const { set, odds } = ladder(answers, epsilons, table);
  const found = overlaps(set, answers);
  const held = decimal(share);
  const half = decimal(goal).toNumber();
  const levels = odds.map((value, i) => {
    const law = chances(set, value);
    const gap = law.own.minus(law.other);
    const hit = law.other.plus(gap.times(held));
    const variance = hit.times(ONE.minus(hit)).over(ratio(people).times(gap).times(gap));
    return {
      promised: epsilons[i],
      odds: value,
      epsilon: Math.log(value.toNumber()),
      ...law,
      ...posteriors(held, answers, found.least, law),
      guessError: guessError(held, answers, found, law),
      variance,
      standardError: Math.sqrt(variance.toNumber()),
      ...accuracy(deviation(law.own, law.other, held.toNumber()), people, table.reach, half),
    };
  });
  const rest = ONE.minus(held).over(ratio(answers - 1));
  return {
    answers,
    people,
    share: held,
    goal: half,
    set,
    least: found.least,
    priorGuessError: ONE.minus(larger(held, rest)),
    openly: accuracy(deviation(ONE, ratio(0), held.toNumber()), people, table.reach, half),
    levels,
  };
}

const CURVE = "0.05 0.07 0.1 0.14 0.2 0.28 0.4 0.56 0.8 1.1 1.4 1.7 2 2.4 2.8 3.4 4 4.8 5.6 6.8 8".split(" ");

/** How many people the goal takes at one level alone, for ever larger ε, each with the set that is best for it. */
export function curve({ answers, people, share, goal }, table) {
  const [held, half] = [decimal(share).toNumber(), decimal(goal).toNumber()];
  return CURVE.map((epsilon) => {
    const { set, odds } = ladder(answers, [epsilon], table);
    const law = chances(set, odds[0]);
    return { epsilon, ...accuracy(deviation(law.own, law.other, held), people, table.reach, half) };
  });
}

/** Whether a report is one of the answers. */
export const saysAnswers = ({ set, answers }) => set.modulus === answers && set.count === 1 && set.members[0] === 0;

/** The same as plain values for a machine: fractions as text. */
export function document(found) {
  const plain = (value) => {
    if (value instanceof Ratio) return value.toString();
    if (Array.isArray(value)) return value.map(plain);
    if (value && typeof value === "object") {
      return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, plain(part)]));
    }
    return value;
  };
  return plain(found);
}
