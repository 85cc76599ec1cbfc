/** What a certificate of noise claims. */
import { powerOfTen, Ratio } from "../rationals.js";
import { Ends, inputLaw, rule } from "./claims.js";
import { log2 } from "./enclosures.js";
import { Noise } from "./noise.js";
import { damaged, Refused } from "./outcomes.js";
import { atMost, fractionWords, INFINITE, Interval } from "./phrases.js";
import { fractionOf, ONE_SPELLING, take, wholeNumber } from "./reading.js";

const MOST_STEPS = 2_000n;
const MOST_DIGITS = 400;
const MOST_VALUES = 10n ** 9n;
const MOST_RACE = 25_000_000n;
const MOST_PAIRS_WORK = 100_000; // steps times reach, for which all pairs of values are gone through
const SELECTION_GAP = new Ratio(2n, 10n ** 7n);
const CAPACITY = "noise_capacity_bits";
const NOTES = [
  "One release. The bits of several releases about the same records add up.",
  "In bits, under any knowledge and any correlation; the odds between two values are not bounded.",
];
const NOT_ALL_SELECTIONS =
  "the witness tells as much as is claimed, and I found no values that tell more; that takes a longer search";

/** Return the rules and notes of a certificate of noise. */
export function checkNoise(subject) {
  take(subject, ["low", "high", "steps", "grid", "variance", "values", "positions", "weights"]);
  if (["low", "high", "variance"].some((name) => String(subject.get(name)).length > MOST_DIGITS)) {
    throw damaged("a number of its subject cannot be");
  }
  const [low, high, grid, variance] = ["low", "high", "grid", "variance"].map((name) => fractionOf(subject.get(name)));
  const steps = wholeNumber(subject.get("steps"), 1n, MOST_STEPS);
  if (low.compare(high) >= 0 || variance.compare(powerOfTen(-3)) < 0 || variance.compare(powerOfTen(9)) > 0) {
    throw damaged("the range or the noise cannot be");
  }
  if (!grid.equals(high.minus(low).over(new Ratio(2n * steps)))) {
    throw new Refused(`${ONE_SPELLING}: the grid does not fit the range`);
  }
  const values = subject.get("values");
  if (values !== null) wholeNumber(values, 2n, MOST_VALUES);
  const noise = new Noise(Number(steps), variance);
  const few = values !== null && selects(noise, values);
  return [[capacityRule(noise, subject, few), ...otherRules(noise, grid)], NOTES];
}

/** Whether the number of values of a record tightens the bound: always for two, at moderate sizes for 3 and 4. */
function selects(noise, values) {
  const inputs = BigInt(2 * noise.steps);
  if (values === 2n) return true;
  if (values > 4n || values > inputs + 1n) return false;
  const outputs = 2n * BigInt(noise.steps + noise.farOut + 1);
  const chosen = values === 3n ? (inputs * (inputs - 1n)) / 2n : (inputs * (inputs - 1n) * (inputs - 2n)) / 6n;
  return (chosen / 2n) * values * outputs <= MOST_RACE;
}

function capacityRule(noise, subject, few) {
  const [values, given, weights] = ["values", "positions", "weights"].map((name) => subject.get(name));
  const inputs = 2 * noise.steps + 1;
  const whom = few ? `any one record with at most ${values} values` : "any one record, and about all of them together";
  return rule({
    measure: CAPACITY,
    unit: "bits",
    because: few
      ? `the largest capacity among all selections of ${values} of the ${inputs} inputs [E, Thm 2]`
      : `p·D(W_x‖q) ≤ C ≤ max D(W_x‖q) over the ${inputs} inputs, tails and rounding included`,
    sentence: (value) =>
      `One release tells at most ${atMost(value)} bits about ${whom}, whatever is known beforehand and however the ` +
      `records depend on each other.`,
    find: (claim) => {
      const [positions, law] = readWitness(noise, given, weights);
      noise.checkWork(positions.length);
      return few ? ofFewValues(noise, claim, Number(values), positions, law) : ofAnyValues(noise, positions, law);
    },
  });
}

function ofAnyValues(noise, positions, law) {
  const atEnds = positions[0] === -noise.steps && positions.at(-1) === noise.steps;
  if (!atEnds || !law[0] || !law.at(-1)) {
    throw new Refused(`${CAPACITY}: its witness must put weight on both ends of the scale`);
  }
  return noise.capacity(positions, law);
}

function ofFewValues(noise, claim, values, positions, law) {
  if (positions.length !== values || !law.every((weight) => weight)) {
    throw new Refused(`${CAPACITY}: its witness must be a law on as many positions as there are values`);
  }
  const [told, rounding] = noise.told(positions, law);
  if (values !== 2 || !(claim.value instanceof Interval) || noise.steps * noise.reach > MOST_PAIRS_WORK) {
    noise.refute(claim, values);
    return Ends.above(told, SELECTION_GAP, rounding, NOT_ALL_SELECTIONS);
  }
  if (!noise.noPairExceeds(claim.value.upper)) {
    throw new Refused(`${CAPACITY}: some two values tell more than is claimed`);
  }
  return Ends.above(told, SELECTION_GAP, rounding, "");
}

function readWitness(noise, positions, weights) {
  const fits = Array.isArray(positions) && Array.isArray(weights) && positions.length === weights.length;
  const limit = BigInt(noise.steps);
  const isPlace = (x) => typeof x === "bigint" && x >= -limit && x <= limit;
  if (!fits || !positions.length || !positions.every(isPlace)) {
    throw new Refused(`${CAPACITY}: its witness must have one weight for each of its positions on the scale`);
  }
  if (positions.some((x, i) => i > 0 && x <= positions[i - 1])) {
    throw new Refused(`${CAPACITY}: the positions of its witness must stand once each, in ascending order`);
  }
  return [positions.map(Number), inputLaw(weights, CAPACITY)];
}

function otherRules(noise, grid) {
  const steps = new Ratio(BigInt(noise.steps) ** 2n);
  const variance = noise.variance.times(grid).times(grid);
  return [
    rule({
      measure: "printed_bound_bits",
      unit: "bits",
      because: "½ log2(1 + T²/N), a limit on power and hence only an upper bound for normal noise [E, Cor. 6]",
      sentence: (value) => `The printed formula for normal noise of this size gives ${atMost(value)} bits.`,
      find: () => Ends.around(log2(new Ratio(1n).plus(steps.over(noise.variance))).over(2n)),
    }),
    rule({
      measure: "epsilon",
      unit: "nats",
      because: "ln P(y|x)/P(y|x') = (x-x')(2y-x-x')/2s grows without limit in y",
      sentence: () =>
        "No factor bounds how much a release far out favours one value over another; it is a rare one.",
      find: () => INFINITE,
      exact: true,
    }),
    rule({
      measure: "noise_variance",
      unit: "square units of the released number",
      because: "the variance of a discrete Gaussian is at most its parameter",
      sentence: (value) => `The noise has a variance of at most ${fractionWords(value)}.`,
      find: () => variance,
      exact: true,
      relation: "≤",
    }),
  ];
}
