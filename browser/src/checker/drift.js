/** What a disclosure leaks if the law that it was made for is another one than the true one. */
import { powerOfTen, Ratio } from "../rationals.js";
import { Ends, rule } from "./claims.js";
import { excessOf, publicLeak, sharesOfFirst } from "./disclosures.js";
import { exactly, log2, ticks } from "./enclosures.js";
import { follows, histogramBits } from "./law_bounds.js";
import { Refused } from "./outcomes.js";
import { decimalExponent, general, ROOM } from "./phrases.js";
import { product } from "./reading.js";
import { statedInterval } from "./stated.js";

const DRIFT = "leak_if_law_differs_bits";
const HISTOGRAM = "histogram_leak_bits";

/**
 * The rules for another law, and for a private histogram; without a mapping, of a certificate that is public.
 *
 * A mapping that is independent of a group under p̂ tells at most D(p‖p̂) under p, of n independent samples (n-1) times
 * that; one that is so up to rounding adds the largest log2 P̂(y|x_G)/P̂(y).
 */
export function driftRules(shape, groups, estimation, mapping) {
  if (estimation.terms === null) return [];
  const excess = mapping === null ? publicLeak(shape) : excessOf(mapping, groups);
  const nothing = excess.above ? `At most ${general(Ratio.ofDouble(excess.toNumber()), 4)} bits` : "0";
  const rules = [
    rule({
      measure: DRIFT,
      unit: "bits",
      because: because(estimation),
      sentence: (value) => words(estimation, nothing, value),
      find: (claim) => found(claim, { shape, groups, estimation, excess }),
      relation: "≤",
    }),
  ];
  if (estimation.epsilon !== null) rules.push(histogramRule(estimation));
  return rules;
}

function because({ samples, records, cells, epsilon, terms }) {
  const times = samples === null ? "D(p‖p̂)" : `${samples - 1n} D(p‖p̂)`;
  const noise = epsilon === null ? "" : ` and two-sided geometric noise for ε = ${epsilon}`;
  return (
    `I(X_group;Y) ≤ ${times} for every mapping that is independent under p̂ [Sha48]; D(p‖p̂) from ${records} records ` +
    `in ${cells} cells, ${terms.smoothing} added to each${noise}: Poisson cells [Che52] at rate ${terms.rate} and ` +
    `price ${terms.price}, β = ${terms.beta}`
  );
}

function words({ law, feature, records, terms }, nothing, value) {
  let first = "";
  if ([law, feature].includes("records")) {
    first = "Nobody in these records is covered by this bound: the mapping was made from them. ";
  } else if (law === "private_histogram") {
    first = "The law was made from these records, under noise: what it tells about those in them is a claim apart. ";
  }
  const beta = general(Ratio.ofDouble(terms.beta.toNumber()), 6);
  return (
    `${first}${nothing} if the law is p̂; at most ${general(value.upper, 6)} bits about any protected value, whatever ` +
    `the true law, at confidence 1 - ${beta}, for a person outside the ${records} records the law was made from.`
  );
}

/** Prove the number of a claim: four digits, no less than follows, and not much more. */
function found(claim, { shape, groups, estimation, excess }) {
  const { lower, upper } = statedInterval(claim);
  if (lower.above || !hasFourDigits(upper)) {
    throw new Refused(`${DRIFT}: its number has not the four digits of such a bound`);
  }
  const { samples } = estimation;
  const sizes = samples === null ? groups.map((group) => product(group.map((i) => shape[i]))) : [shape[0]];
  const values = sizes.reduce((one, other) => (one > other ? one : other));
  const factor = samples === null ? 1n : samples - 1n;
  const most = fourDigitsUp(ticks(log2(new Ratio(values)).high));
  if (upper.compare(most) > 0) throw new Refused(`${DRIFT}: more is claimed than there is to say`);
  if (estimation.epsilon !== null && upper.compare(most) < 0) {
    return new Ends(exactly(lower), exactly(upper), ROOM, "a bound for counts with noise is not computed here");
  }
  if (upper.compare(most) < 0) {
    const over = new Ratio(factor || 1n);
    if (factor && !follows(estimation, upper.minus(excess).over(over))) {
      throw new Refused(`${DRIFT}: its number does not follow from the records, the cells and the terms`);
    }
    const vague = upper.times(new Ratio(97n, 100n)).minus(excess).over(over);
    const isVague = !factor || (vague.above > 0n && follows(estimation, vague));
    if (upper.compare(Ratio.ofDouble(2e-6)) > 0 && isVague) {
      throw new Refused(`${DRIFT}: its number is vaguer than what follows`);
    }
  }
  return new Ends(exactly(lower), exactly(upper));
}

const hasFourDigits = (number) => Number(number.toNumber().toPrecision(4)) === number.toNumber();

function fourDigitsUp(number) {
  if (!number.above) return number;
  const step = powerOfTen(decimalExponent(number) - 3);
  return Ratio.ofDouble(new Ratio(number.over(step).ceil()).times(step).toNumber());
}

function histogramRule({ records, epsilon }) {
  return rule({
    measure: HISTOGRAM,
    unit: "bits",
    because:
      `(z - 1 - ln z) log2 e with z = ε exp(ε)/(exp(ε) - 1), ε = ${epsilon}, for any ε-private answer [Sha48]`,
    sentence: (value) =>
      `The law is a histogram of the ${records} released records under differential privacy with ` +
      `ε = ${general(Ratio.ofDouble(epsilon.toNumber()), 6)}: by itself it tells at most ` +
      `${general(value.upper, 6)} bits about any one of them, if records are independent.`,
    find: (claim) => {
      const { lower, upper } = statedInterval(claim);
      const [bits, number] = [histogramBits(epsilon.toNumber()), upper.toNumber()];
      if (lower.above || !hasFourDigits(upper) || number < bits * (1 + 1e-9) || number > bits * 1.01) {
        throw new Refused(`${HISTOGRAM}: its number is not the one that I find`);
      }
      return new Ends(exactly(lower), exactly(upper));
    },
    relation: "≤",
  });
}

/** Refuse a law that is not counts of so many records with as much added in every cell: it would have no bound. */
export function checkSmoothed(mapping, shape, { terms, records, cells, samples, epsilon }) {
  if (terms === null) return;
  const [masses, size] =
    samples === null
      ? [mapping.masses.map((mass) => new Ratio(mass, mapping.mass)), product(shape)]
      : [sharesOfOne(mapping, shape), shape[0]];
  if (BigInt(masses.length) !== size || (epsilon === null ? cells !== size : cells % size)) {
    throw new Refused(`${DRIFT}: the law leaves out cells of the alphabet, or counts others`);
  }
  if (epsilon !== null) return;
  const whole = new Ratio(records).plus(terms.smoothing.times(new Ratio(cells)));
  const isCount = (mass) => {
    const count = mass.times(whole).minus(terms.smoothing);
    return count.below === 1n && count.above >= 0n;
  };
  if (!masses.every(isCount)) {
    throw new Refused(`${DRIFT}: the law is not that of ${records} records with as much added in each cell`);
  }
}

/** The law of one sample, where the data set's is a product of equal ones. */
function sharesOfOne(mapping, shape) {
  const [values] = shape;
  const alike = shape.every((size) => size === values) && BigInt(mapping.cells.length) === product(shape);
  const shares = alike ? sharesOfFirst(mapping, values) : [];
  const isProduct = (cell, c) => {
    const chance = new Ratio(mapping.masses[c], mapping.mass);
    return cell.reduce((all, v) => all.times(shares[Number(v)]), new Ratio(1n)).equals(chance);
  };
  if (!alike || !mapping.cells.every(isProduct)) {
    throw new Refused(`${DRIFT}: the law is not that of independent samples of one law`);
  }
  return shares;
}
