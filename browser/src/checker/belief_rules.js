/** What a certificate of noise claims for readers whose beliefs share at most so many bits. */
import { powerOfTen, Ratio } from "../rationals.js";
import { Beliefs, isTilt } from "./beliefs.js";
import { Ends, rule } from "./claims.js";
import { exactly, ONE } from "./enclosures.js";
import { damaged, Refused } from "./outcomes.js";
import { atMost, fractionWords, Interval, ROOM } from "./phrases.js";
import { fractionOf, take, wholeNumber } from "./reading.js";

const MOST_RECORDS = 10n ** 12n;
const MOST_SHARED_BITS = powerOfTen(12);
const MOST_DIGITS = 400;
const MOST_DIMENSION = 10n ** 6n;
const MOST_COUNTED = 2n * 10n ** 6n;
const LEAST_SHARE = powerOfTen(-6);
const ONE_WHOLE = new Ratio(1n);
const SEVERAL = ["histogram", "vector"];
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
  take(subject, [...NUMBERS, "statistic", "records", "people", "dimension", "known"]);
  if (NUMBERS.some((name) => String(subject.get(name)).length > MOST_DIGITS)) {
    throw damaged("a number of its subject cannot be");
  }
  const number = Object.fromEntries(NUMBERS.map((name) => [name, fractionOf(subject.get(name))]));
  const records = wholeNumber(subject.get("records"), 1n, MOST_RECORDS);
  const statistic = subject.get("statistic");
  const beliefs = new Beliefs({ records, statistic, ...noiseOf(number, records, statistic, subject) });
  const share = knownShare(subject.get("known"), beliefs);
  return [[...beliefRules(beliefs, share), ...deviationRules(beliefs, number)], NOTES];
}

function noiseOf(number, records, statistic, subject) {
  const { low, high, deviation, grid, tilt, shared_bits: shared, own_share: own } = number;
  const one = ONE_WHOLE;
  const ofBits = low.above === 0n && high.equals(one);
  const whole = ["count", "histogram"].includes(statistic) && !ofBits;
  if (!["sum", "mean", "count", ...SEVERAL].includes(statistic)) throw damaged("its statistic cannot be");
  if (whole || (statistic === "vector" && low.above !== 0n)) throw damaged("its statistic cannot be");
  const people = wholeNumber(subject.get("people"), 1n, records);
  const least = statistic === "histogram" ? 2n : 1n;
  const dimension = wholeNumber(subject.get("dimension"), least, SEVERAL.includes(statistic) ? MOST_DIMENSION : 1n);
  if (low.compare(high) >= 0 || shared.above < 0n || shared.compare(MOST_SHARED_BITS) > 0) {
    throw damaged("the range or the shared bits cannot be");
  }
  const { reach, radius } = ballOf(statistic, dimension, high.minus(low), records);
  const little = reach.times(powerOfTen(-6));
  const tooLittle = [deviation, number.independent_deviation, number.anyone_deviation].some(
    (noise) => noise.above <= 0n || noise.times(noise).compare(little) < 0,
  );
  if (tooLittle || grid.above <= 0n) throw damaged("the noise or the grid cannot be");
  const tied = shared.above > 0n && records > 1n;
  const rest = one.minus(own);
  const divides = tied ? rest.compare(powerOfTen(-9)) >= 0 : rest.above === 0n;
  if (own.above <= 0n || !divides) throw damaged("the division of the noise cannot be");
  if (!isTilt(tilt, shared.over(new Ratio(dimension)))) throw damaged("the sum can be wider");
  return { people, dimension, radius, shared, reach, deviation, own, tilt };
}

/** D² and R²/D². */
function ballOf(statistic, dimension, width, records) {
  if (statistic === "histogram") {
    return { reach: new Ratio(2n), radius: new Ratio(dimension - 1n, 2n * dimension) };
  }
  const moved = width.over(new Ratio(statistic === "mean" ? records : 1n));
  const radius = statistic === "vector" ? new Ratio(dimension, 2n * dimension + 2n) : new Ratio(1n, 4n);
  return { reach: moved.times(moved), radius };
}

/** Read a public law and what would prove bits under it; the proof itself is not followed here. */
function knownShare(known, beliefs) {
  if (known === null) return null;
  const fault = damaged("its public law cannot be");
  if (beliefs.statistic !== "count" || beliefs.people > 1n || beliefs.records > MOST_COUNTED) throw fault;
  if (!(known instanceof Map)) throw fault;
  take(known, ["share", "mixture", "own_share"]);
  const [mixture, own] = [known.get("mixture"), known.get("own_share")];
  if ((mixture === null) === (own === null)) throw fault;
  if (mixture !== null && !(Array.isArray(mixture) && mixture.length === 4)) throw fault;
  const texts = [known.get("share"), ...(mixture ?? [own])];
  if (texts.some((text) => typeof text !== "string" || text.length > MOST_DIGITS)) throw fault;
  const [share, ...proof] = texts.map(fractionOf);
  const inside = (number) => number.above > 0n && number.compare(ONE_WHOLE) < 0;
  if (share.compare(LEAST_SHARE) < 0 || ONE_WHOLE.minus(share).compare(LEAST_SHARE) < 0) throw fault;
  const tied = beliefs.shared.above > 0n && beliefs.records > 1n;
  const meant =
    mixture === null
      ? inside(proof[0]) || (proof[0].equals(ONE_WHOLE) && !tied)
      : proof[0].above > 0n && proof[3].above > 0n && inside(proof[2]);
  if (!meant) throw fault;
  return share;
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

const unitOf = (beliefs) => (beliefs.people === 1n ? "record" : "household");
const apartOf = (beliefs) =>
  beliefs.people === 1n ? "independent records" : `independent households of at most ${beliefs.people}`;

function reasonsOf(beliefs) {
  const alone = beliefs.people === 1n;
  const [many, times, squared] = alone ? ["", "", ""] : ["m", "m·", "m²"];
  if (beliefs.dimension > 1n) {
    return {
      many,
      own: `(k/2) log2(1 + ${squared}R²/ks)`,
      widest: `(k/2) log2(1 + V/N), V ≤ min(n·${times}w·D²/4, n²R²/k) and w - 1 - ln w ≥ (2c/k)·ln 2`,
    };
  }
  return {
    many,
    own: `½ log2(1 + ${squared}D²/4s)`,
    widest: `½ log2(1 + V/N), V ≤ min(n·${times}w/4, n²/4)·D² and w - 1 - ln w ≥ 2c·ln 2`,
  };
}

function beliefRules(beliefs, share) {
  const shared = fractionWords(beliefs.shared);
  const [one, apart] = [unitOf(beliefs), apartOf(beliefs)];
  const { many, own, widest } = reasonsOf(beliefs);
  const among = beliefs.people === 1n ? "" : `households of at most ${beliefs.people} among the `;
  return [
    bound(
      "believed_bits",
      () => beliefs.booked(),
      `c(1 - e^(-${many}(n-1)D²/4r)) + ${own}: normal noise of variance r + s divides among the ${one}s, and ` +
        "what the others' parts let through of c bits shrinks by that factor [E, Assumption 3]",
      (bits) =>
        `Each release like this one adds at most ${bits} bits, on average, about any one ${one}, for everybody whose ` +
        `beliefs differ from ${apart} by at most ${shared} bits over the whole data set, even if they ` +
        `know other records exactly.`,
    ),
    rule({
      measure: "assumed_shared_bits",
      unit: "bits",
      because: "declared; it is assumed, and no data can show it",
      sentence: () =>
        `It is assumed that no reader's beliefs tie the ${among}${beliefs.records} records together by more than ` +
        `${shared} bits in all. If that is wrong, the bound above says nothing.`,
      find: () => beliefs.shared,
      exact: true,
    }),
    bound(
      "one_release_bits",
      () => beliefs.once(),
      `${widest}: the widest sum [E, Cor. 6]`,
      (bits) =>
        `For one release only: if nothing else is ever released about these records, they are told at most ${bits} ` +
        `bits.`,
    ),
    ...(share === null ? [] : [knownRule(beliefs, share, shared)]),
    bound(
      "independent_bits",
      () => beliefs.forPeople(beliefs.people, beliefs.deviation),
      `the capacity of the noise for one ${one} [E, Cor. 6; McK04]`,
      (bits) => `Whoever believes in ${apart} is told at most ${bits} bits.`,
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

const knownRule = (beliefs, share, shared) =>
  rule({
    measure: "known_share_bits",
    unit: "bits",
    because:
      "t(c·ln 2 + ln E e^(f/t)), E over the binomial law and f the divergence from a mixture of two normal laws, or c " +
      "times the contraction of that law and a record's own part, whichever the file proves; any are valid",
    sentence: (value) =>
      `For one release only, and where the law is public: whoever differs by at most ${shared} bits from the belief ` +
      `that records are independent and each is a yes with probability ${fractionWords(share)} is told at most ` +
      `${atMost(value)} bits.`,
    find: (claim) => {
      const { value } = claim;
      if (!(value instanceof Interval)) throw new Refused("known_share_bits: its number is no interval");
      // Whatever the law is, what holds for every law holds for it.
      if (value.upper.minus(new Ratio(beliefs.once().high, ONE)).compare(ROOM) > 0) {
        throw new Refused("known_share_bits: less is told whatever the law is");
      }
      const why = "bits under a public law are not computed here";
      return new Ends(exactly(value.lower), exactly(value.upper), ROOM, why);
    },
    relation: "≤",
  });

function deviationRules(beliefs, number) {
  const { statistic } = beliefs;
  const unit = `units of the ${statistic}`;
  const whose = SEVERAL.includes(statistic) ? " on each number, which" : `; the noisy ${statistic}`;
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
    neighbour("independent_deviation", beliefs.people, `one ${unitOf(beliefs)}`, `with ${apartOf(beliefs)}`),
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
        `The noise is normal with a deviation of at most ${atMost(value)}${whose} is rounded to ` +
        `multiples of ${fractionWords(number.grid)}.`,
      find: () => beliefs.deviation,
      exact: true,
    }),
  ];
}
