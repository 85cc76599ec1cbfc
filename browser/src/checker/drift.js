/** What a disclosure leaks if the law that it was made for is another one, near the estimate. */
import { powerOfTen, Ratio } from "../rationals.js";
import { Ends, rule } from "./claims.js";
import { sharesOfFirst } from "./disclosures.js";
import { exactly, lnNear, log2, ONE, ticks, total, UNIT, ZERO } from "./enclosures.js";
import { Refused } from "./outcomes.js";
import { atMost, general } from "./phrases.js";
import { product } from "./reading.js";
import { checkStated, hasTwoDigits, mostBits, statedInterval } from "./stated.js";

const DRIFT = "leak_if_law_differs_bits";

/**
 * Of data sets: the joint law of a group and the symbol moves by at most the radius, and so do its marginals, so it is
 * within three radii of a product, and conditional entropy is continuous at a known rate. Of samples: all symbols tell
 * at most (n-1)·D(p'‖p) about one of them, and D(p'‖p) ≤ log2(1 + radius²·(1/a + 1/b)), a and b the two smallest
 * probabilities of a sample. That needs the law, which a public certificate does not have.
 */
export function driftRule(shape, groups, estimation, mapping) {
  const ofSamples = estimation.samples !== null;
  const stated = mapping === null && ofSamples;
  const [tells, whom, step] = ofSamples
    ? [
        "all symbols together tell",
        "a sample",
        "all symbols tell (n-1) D(p'‖p) bits about a sample at most, p' the true law of n samples [Sha48]",
      ]
    : ["the release tells", "a protected group", "conditional entropy is continuous [AS19b]"];
  const radii = fourPlaces(estimation.radius(shape));
  return rule({
    measure: DRIFT,
    unit: "bits",
    because: radii.map(
      (radius) =>
        `law estimated from ${estimation.counted}: within ${radius} in total variation at 95 % [WOS+03]; ${step}`,
    ),
    sentence: (value) =>
      radii.map(
        (radius) =>
          `The law was estimated from ${estimation.counted}. If the true law is within ${radius} of it, ${tells} at ` +
          `most ${stated ? general(value.upper, 6) : atMost(value)} bits about ${whom}.`,
      ),
    find: (claim) => {
      if (!ofSamples) {
        const values = groups.map((group) => product(group.map((i) => shape[i])));
        const most = values.reduce((one, other) => (one > other ? one : other));
        return new Ends(ZERO, leakWithin(estimation.radius(shape), most));
      }
      if (mapping !== null) return new Ends(ZERO, leakOfSamples(mapping, shape, estimation));
      const { lower, upper } = statedInterval(claim);
      checkStated(lower.above === 0n && hasTwoDigits(upper) && upper.compare(mostBits([shape[0]])) <= 0, claim);
      return new Ends(exactly(lower), exactly(upper));
    },
    relation: "≤",
    stated,
  });
}

/** A number with four places; two texts where it is so close to a tie that doubles may round it either way. */
function fourPlaces(near) {
  const nudge = powerOfTen(-12);
  const ends = [ticks(near.low).minus(nudge), ticks(near.high).plus(nudge)];
  const texts = ends.map((end) => {
    const digits = String(end.times(powerOfTen(4)).round()).padStart(5, "0");
    return `${digits.slice(0, -4)}.${digits.slice(-4)}`;
  });
  return [...new Set(texts)];
}

/** h(t) + t·log2(values-1) for t = 3·radius, or log2(values) from t = 1 - 1/values on. */
function leakWithin(radius, values) {
  if (values < 2n) return ZERO;
  const everything = log2(new Ratio(values));
  const distance = radius.times(3n);
  if (distance.high * values >= (values - 1n) * ONE) return everything;
  const parts = [distance, UNIT.minus(distance)];
  const hidden = total(parts.map((part) => lnNear(part).negated().scaled(part)));
  const others = values > 2n ? log2(new Ratio(values - 1n)).scaled(distance) : ZERO;
  return hidden.bits().plus(others).atMost(everything).atLeastZero();
}

/** min((n-1)·log2(1 + radius²·(1/a + 1/b)), log2 of the values), for a law that is a product of equal ones. */
function leakOfSamples(mapping, shape, estimation) {
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
  if (values < 2n) throw new Refused(`${DRIFT}: a sample of one value has nothing to tell`);
  const [first, second] = shares.sort((one, other) => one.compare(other));
  const unit = new Ratio(1n);
  const radius = estimation.radius(shape);
  const chi = radius.scaled(radius).scaled(exactly(unit.over(first).plus(unit.over(second))));
  const each = lnNear(UNIT.plus(chi)).bits().times(estimation.samples - 1n);
  return each.atMost(log2(new Ratio(values))).atLeastZero();
}
