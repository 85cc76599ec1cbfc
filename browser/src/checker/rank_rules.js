/** What a certificate of a quantile that is drawn by rank claims. */
import { powerOfTen, Ratio } from "../rationals.js";
import { checkDigits, groupNotes, groupRules, MOST_PEOPLE, toldAbout } from "./assumptions.js";
import { Ends, rule } from "./claims.js";
import { exactly, expOfMinus, lnNear, log2, UNIT } from "./enclosures.js";
import { NOTES } from "./noise_rules.js";
import { damaged } from "./outcomes.js";
import { atMost } from "./phrases.js";
import { fractionOf, take, wholeNumber } from "./reading.js";

const MOST_CANDIDATES = 100_000n;
const TWO = new Ratio(2n);
const BOUND = "the least of log2 k and (z - 1 - ln z)·log2 e, z = w/(1 - e^-w), w = mλ";
const ANYBODY = "In bits, under any knowledge and any correlation.";
const GROUP = "In bits, under any knowledge about people outside of a group.";

/** What is told at most where log-likelihood ratios to some law lie in a range of w = mλ, or by so many values. */
function rankBound(people, rate, candidates) {
  const width = exactly(rate.times(new Ratio(people)));
  const stretched = width.divided(UNIT.minus(expOfMinus(width)));
  const told = stretched.minus(UNIT).minus(lnNear(stretched)).bits();
  return Ends.around(told.atMost(log2(new Ratio(candidates))));
}

/** Return the rules and notes of a certificate of a quantile. */
export function checkRankNoise(subject) {
  take(subject, ["low", "high", "candidates", "share", "records", "people", "rate"]);
  checkDigits(subject, ["low", "high", "share", "rate"]);
  const [low, high, share, rate] = ["low", "high", "share", "rate"].map((name) => fractionOf(subject.get(name)));
  const candidates = wholeNumber(subject.get("candidates"), 2n, MOST_CANDIDATES);
  const records = wholeNumber(subject.get("records"), 1n, MOST_PEOPLE);
  const people = subject.get("people") === null ? null : wholeNumber(subject.get("people"), 1n, MOST_PEOPLE);
  const isShare = share.above >= 0n && share.compare(new Ratio(1n)) <= 0;
  const isRate = rate.compare(powerOfTen(-20)) >= 0 && rate.compare(powerOfTen(3)) <= 0;
  if (low.compare(high) >= 0 || !isShare || !isRate) throw damaged("the values, the share or the rate cannot be");
  const moving = people === null || people > records ? records : people;
  const capacity = rule({
    measure: "rank_noise_bits",
    unit: "bits",
    because: `${BOUND}, for m = ${moving} people, who change no rank by more than m [E, Thm 3]`,
    sentence: (value) => `One release tells at most ${atMost(value)} bits about ${toldAbout(people)}`,
    find: () => rankBound(moving, rate, candidates),
    relation: "≤",
  });
  const epsilon = rule({
    measure: "epsilon",
    unit: "nats",
    because: "one record changes λ·d by λ at most, and the sum of all weights by a factor of e^λ",
    sentence: (value) =>
      "Who knows all other records finds any two values of one told apart by a factor of at most " +
      `e^${atMost(value)}.`,
    find: () => rate.times(TWO),
    exact: true,
  });
  if (people === null) return [[capacity, epsilon], [NOTES[0], ANYBODY]];
  const many = [1n, records];
  const assumption = groupRules(people, (place) => rankBound(many[place], rate, candidates), `${BOUND}, for`);
  return [[capacity, ...assumption, epsilon], [...groupNotes(people), GROUP]];
}
