/** What a certificate of noise claims for readers whose beliefs share at most so many bits. */
import { powerOfTen, Ratio } from "../rationals.js";
import { Beliefs, isTilt } from "./beliefs.js";
import { Ends, rule } from "./claims.js";
import { damaged } from "./outcomes.js";
import { atMost, fractionWords } from "./phrases.js";
import { fractionOf, take, wholeNumber } from "./reading.js";

const MOST_RECORDS = 10n ** 12n;
const MOST_SHARED_BITS = powerOfTen(12);
const MOST_DIGITS = 400;
const NUMBERS = [
  "low",
  "high",
  "shared_bits",
  "deviation",
  "grid",
  "own_share",
  "tilt",
  "independent_deviation",
  "anyone_deviation",
];
const NOTES = [
  "Bits of this kind add up over releases about the same records, also when what is asked is chosen after seeing " +
    "earlier ones, but not the size of the noise. The shared bits are used up by none. Bits under another assumption " +
    "are not added to them.",
  "In bits, on average over what is released; the odds between two values are not bounded.",
  "A common cause that nobody knows, such as a rate or a prevalence, ties all records together; each exact copy of a " +
    "record takes its whole entropy of the shared bits.",
];

/** Return the rules and notes of a certificate of noise for beliefs that share at most so many bits. */
export function checkBeliefNoise(subject) {
  take(subject, [...NUMBERS, "statistic", "records"]);
  if (NUMBERS.some((name) => String(subject.get(name)).length > MOST_DIGITS)) {
    throw damaged("a number of its subject cannot be");
  }
  const number = Object.fromEntries(NUMBERS.map((name) => [name, fractionOf(subject.get(name))]));
  const records = wholeNumber(subject.get("records"), 1n, MOST_RECORDS);
  const statistic = subject.get("statistic");
  const beliefs = new Beliefs({ records, ...noiseOf(number, records, statistic) });
  return [[...beliefRules(beliefs), ...deviationRules(beliefs, number, statistic)], NOTES];
}

function noiseOf(number, records, statistic) {
  const { low, high, deviation, grid, tilt, shared_bits: shared, own_share: own } = number;
  const one = new Ratio(1n);
  const ofBits = low.above === 0n && high.equals(one);
  if (!["sum", "mean", "count"].includes(statistic) || (statistic === "count" && !ofBits)) {
    throw damaged("its statistic cannot be");
  }
  if (low.compare(high) >= 0 || shared.above < 0n || shared.compare(MOST_SHARED_BITS) > 0) {
    throw damaged("the range or the shared bits cannot be");
  }
  const reach = high.minus(low).over(new Ratio(statistic === "mean" ? records : 1n));
  const least = reach.times(powerOfTen(-3));
  const tooLittle = [deviation, number.independent_deviation, number.anyone_deviation].some(
    (one) => one.compare(least) < 0,
  );
  if (tooLittle || grid.above <= 0n) throw damaged("the noise or the grid cannot be");
  const tied = shared.above > 0n && records > 1n;
  const rest = one.minus(own);
  const divides = tied ? rest.compare(powerOfTen(-9)) >= 0 : rest.above === 0n;
  if (own.above <= 0n || !divides) throw damaged("the division of the noise cannot be");
  if (!isTilt(tilt, shared)) throw damaged("the sum can be wider");
  return { shared, reach, deviation, own, tilt };
}

const bound = (measure, find, because, sentence) =>
  rule({
    measure,
    unit: "bits",
    because,
    sentence: (value) => sentence(atMost(value)),
    find: () => Ends.around(find()),
    relation: "≤",
  });

function beliefRules(beliefs) {
  const shared = fractionWords(beliefs.shared);
  return [
    bound(
      "believed_bits",
      () => beliefs.booked(),
      "c(1 - e^(-(n-1)D²/4r)) + ½ log2(1 + D²/4s): normal noise of variance r + s divides among the records, and " +
        "what the others' parts let through of c bits shrinks by that factor [E, Assumption 3]",
      (bits) =>
        `Each release like this one adds at most ${bits} bits, on average, about any one record, for everybody whose ` +
        `beliefs differ from independent records by at most ${shared} bits over the whole data set, even if they ` +
        `know other records exactly.`,
    ),
    rule({
      measure: "assumed_shared_bits",
      unit: "bits",
      because: "declared; it is assumed, and no data can show it",
      sentence: () =>
        `It is assumed that no reader's beliefs tie the ${beliefs.records} records together by more than ${shared} ` +
        `bits in all. If that is wrong, the bound above says nothing.`,
      find: () => beliefs.shared,
      exact: true,
    }),
    bound(
      "one_release_bits",
      () => beliefs.once(),
      "½ log2(1 + V/N), V ≤ min(n·w/4, n²/4)·D² and w - 1 - ln w ≥ 2c·ln 2: the widest sum [E, Cor. 6]",
      (bits) =>
        `For one release only: if nothing else is ever released about these records, they are told at most ${bits} ` +
        `bits.`,
    ),
    bound(
      "independent_bits",
      () => beliefs.forPeople(1n, beliefs.deviation),
      "the capacity of the noise for one record, at most ½ log2(1 + D²/4N) [E, Cor. 6; McK04]",
      (bits) => `Whoever believes that the records are independent is told at most ${bits} bits.`,
    ),
    bound(
      "anyone_bits",
      () => beliefs.forPeople(beliefs.records, beliefs.deviation),
      "the capacity of the noise for all records moving together [E, Cor. 6; McK04]",
      (bits) =>
        `Whoever believes that all records move together is not covered, and may be told up to ${bits} bits about a ` +
        `record that holds so many.`,
    ),
  ];
}

function deviationRules(beliefs, number, statistic) {
  const unit = `units of the ${statistic}`;
  const neighbour = (measure, people, because, whom) =>
    rule({
      measure,
      unit,
      because: `the same bits for ${because} [E, Cor. 6; McK04]`,
      sentence: (value) => `For as many bits, ${whom}, noise with a deviation of ${atMost(value)} would be enough.`,
      find: () => beliefs.checkedNeighbour(measure, people, number[measure]),
      exact: true,
      relation: "≤",
    });
  return [
    neighbour("independent_deviation", 1n, "one record", "if the records are independent"),
    neighbour(
      "anyone_deviation",
      beliefs.records,
      "all records moving together",
      "however the records depend on each other",
    ),
    rule({
      measure: "noise_deviation",
      unit,
      because: "declared; rounding is done to the noisy number and tells nothing more",
      sentence: (value) =>
        `The noise is normal with a deviation of at most ${atMost(value)}; the noisy ${statistic} is rounded to ` +
        `multiples of ${fractionWords(number.grid)}.`,
      find: () => beliefs.deviation,
      exact: true,
    }),
  ];
}
