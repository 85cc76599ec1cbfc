/** What a certificate of noise claims. */
import { powerOfTen, Ratio } from "../rationals.js";
import { checkDigits, groupNotes, groupRules, MOST_PEOPLE, NO_ODDS_NOTE, toldAbout } from "./assumptions.js";
import { Ends, inputLaw, rule } from "./claims.js";
import { log2 } from "./enclosures.js";
import { Noise } from "./noise.js";
import { damaged, Refused } from "./outcomes.js";
import { atMost, fractionWords, INFINITE, Interval } from "./phrases.js";
import { USUAL_POWER, usualBound } from "./powers.js";
import { fractionOf, ONE_SPELLING, take, wholeNumber } from "./reading.js";

const MOST_STEPS = 2_000n;
const MOST_VALUES = 10n ** 9n;
const MOST_RACE = 25_000_000n;
const MOST_PAIRS_WORK = 100_000; // steps times reach, for which all pairs of values are gone through
const SELECTION_GAP = new Ratio(2n, 10n ** 7n);
const CAPACITY = "noise_capacity_bits";
export const NOTES = [
  "One release. The bits of several releases about the same records add up.",
  "In bits, under any knowledge and any correlation; the odds between two values are not bounded.",
];
const NOT_ALL_SELECTIONS =
  "the witness tells as much as is claimed, and I found no values that tell more; that takes a longer search";

/** Return the rules and notes of a certificate of noise. */
export function checkNoise(subject) {
  const needed = ["low", "high", "steps", "grid", "variance", "values", "positions", "weights"];
  take(subject, needed, ["change", "people"]);
  checkDigits(subject, ["low", "high", "variance", "change"]);
  const [low, high, grid, variance] = ["low", "high", "grid", "variance"].map((name) => fractionOf(subject.get(name)));
  const steps = wholeNumber(subject.get("steps"), 1n, MOST_STEPS);
  if (low.compare(high) >= 0 || variance.compare(powerOfTen(-3)) < 0 || variance.compare(powerOfTen(9)) > 0) {
    throw damaged("the range or the noise cannot be");
  }
  const width = high.minus(low);
  const [people, change] = readGroup(subject);
  const together = people === null ? width : smaller(change.times(new Ratio(people)), width);
  if (!grid.equals(together.over(new Ratio(2n * steps)))) {
    throw new Refused(`${ONE_SPELLING}: the grid does not fit the range`);
  }
  const values = subject.get("values");
  if (values !== null) wholeNumber(values, 2n, MOST_VALUES);
  const noise = new Noise(Number(steps), variance);
  const few = values !== null && selects(noise, values);
  const capacity = capacityRule(noise, subject, people, few);
  if (people === null) return [[capacity, ...otherRules(noise, grid)], NOTES];
  const radii = [smaller(change, width), width].map((move) => {
    const half = new Ratio(move.over(grid).ceil(), 2n);
    return half.times(half);
  });
  const assumption = groupRules(people, (place) => usualBound(1n, radii[place], variance), USUAL_POWER);
  return [[capacity, ...assumption, ...otherRules(noise, grid)], [...groupNotes(people), NO_ODDS_NOTE]];
}

const smaller = (one, other) => (one.compare(other) < 0 ? one : other);

/** How many people may depend on each other, and how far one record moves the number; null where it may be anybody. */
function readGroup(subject) {
  if (subject.has("change") !== subject.has("people")) {
    throw damaged("the entries of its subject are not those of its kind");
  }
  if (!subject.has("people")) return [null, null];
  const change = fractionOf(subject.get("change"));
  if (change.above <= 0n) throw damaged("the range or the noise cannot be");
  return [wholeNumber(subject.get("people"), 1n, MOST_PEOPLE), change];
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

function capacityRule(noise, subject, people, few) {
  const [values, given, weights] = ["values", "positions", "weights"].map((name) => subject.get(name));
  const inputs = 2 * noise.steps + 1;
  const whom = toldAbout(people, few ? `any one record with at most ${values} values` : "any one record", few);
  const moved = people === null ? "" : `, which is what m = ${people} people move, given all others [E, Thm 3]`;
  return rule({
    measure: CAPACITY,
    unit: "bits",
    because: few
      ? `the largest capacity among all selections of ${values} of the ${inputs} inputs [E, Thm 2]${moved}`
      : `p·D(W_x‖q) ≤ C ≤ max D(W_x‖q) over the ${inputs} inputs, tails and rounding included${moved}`,
    sentence: (value) => `One release tells at most ${atMost(value)} bits about ${whom}`,
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
