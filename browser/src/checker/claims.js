/** Claims: what must be claimed, in which order, and how one claim is compared. */
import { Ratio, ratio } from "../rationals.js";
import { exactly, ONE, ticks } from "./enclosures.js";
import { CHECKED, NoDigits, NOT_MINE, Refused, shown, STATED, TOO_LARGE, TooLarge } from "./outcomes.js";
import { general, INFINITE, Interval, ROOM } from "./phrases.js";
import { CLAIM_TEXTS, fractionOf, isPlain, sum } from "./reading.js";

/**
 * A recomputed interval: its two ends, each enclosed, and how far outside them a claim may reach.
 *
 * `open` says what of the claim remains to be shown, if anything does.
 */
export class Ends {
  constructor(lower, upper, room = ROOM, open = "") {
    Object.assign(this, { lower, upper, room, open });
  }

  /** Of one number ≥ 0, known as closely as it is enclosed. */
  static around(near, room = ROOM) {
    return new Ends(near.atLeastZero(), near.atLeastZero(), room);
  }

  /** From a number that a witness reaches to `gap` above it, either end up to rounding; `why` it stays open. */
  static above(near, gap, rounding, why) {
    const upper = exactly(ticks(near.low).plus(gap).minus(rounding));
    return new Ends(near, upper, ROOM.plus(rounding).plus(rounding), why);
  }

  /** "0.25 to 0.5". */
  words() {
    return [this.lower.low, this.upper.high]
      .map((end) => general(Ratio.ofDouble(new Ratio(end, ONE).toNumber()), 13))
      .join(" to ");
  }
}

/**
 * One claim that a certificate must make. `sentence` gives the text, or the texts, that fit a claimed number.
 *
 * `exact`: the number is a fraction (or infinity), else an interval (or infinity). `relation` is = for exact numbers
 * and "in" for intervals, unless it says otherwise. `witnessed`: the claim carries the input law that proves it.
 * `stated`: what would prove it is private.
 */
export const rule = (parts) => ({ exact: false, relation: "", witnessed: false, stated: false, ...parts });

/** Compare the claims of a file with the rules, one for one and in their order; `tell` hears of each. */
export function checkClaims(records, rules, tell = () => {}) {
  const claims = records.map(readClaim);
  const names = claims.map((claim) => claim.measure);
  const wanted = rules.map((one) => one.measure);
  const missing = wanted.find((name) => !names.includes(name));
  if (missing !== undefined) throw new Refused(`${missing} is missing, which applies here`);
  const unknown = names.find((name) => !wanted.includes(name));
  if (unknown !== undefined) throw new Refused(`${shown(unknown)} is no measure that belongs here`);
  if (names.length !== wanted.length) throw new Refused("a measure is claimed twice");
  const stray = names.findIndex((name, i) => name !== wanted[i]);
  if (stray >= 0) throw new Refused(`${names[stray]} stands where ${wanted[stray]} belongs`);
  return claims.map((claim, i) => {
    const answer = checkClaim(claim, rules[i]);
    tell(i + 1, claims.length);
    return answer;
  });
}

/** Read the number of a claim, and its witness if it has one. */
export function readClaim(record) {
  const measure = record.get("measure");
  if (![...record.keys()].every((name) => [...CLAIM_TEXTS, "value", "witness"].includes(name))) {
    throw new Refused(`${shown(measure)}: the claim has entries that none has`);
  }
  const witness = record.get("witness") ?? null;
  if (record.has("witness") && !(Array.isArray(witness) && witness.every(isPlain))) {
    throw new Refused(`${shown(measure)}: its witness is no list of weights`);
  }
  return { record, measure, value: readValue(record.get("value"), measure), witness };
}

function readValue(value, name) {
  if (value === "inf") return INFINITE;
  if (typeof value === "string") {
    const exact = fractionOf(value);
    if (exact.above >= 0n) return exact;
  }
  if (value instanceof Map && value.size === 2 && isPlain(value.get("lower")) && isPlain(value.get("upper"))) {
    const [lower, upper] = [Ratio.ofDouble(value.get("lower")), Ratio.ofDouble(value.get("upper"))];
    if (lower.above >= 0n && lower.compare(upper) <= 0) return new Interval(lower, upper);
  }
  throw new Refused(`${shown(name)}: its number is none that a claim has`);
}

/** Compare one claim whole: its number with what is found, its words with what belongs to that number. */
function checkClaim(claim, one) {
  let [answer, because] = [CHECKED, ""];
  if (one.witnessed !== (claim.witness !== null)) {
    throw new Refused(`${claim.measure}: it must ${one.witnessed ? "" : "not "}carry a witness`);
  }
  checkWords(claim, one);
  try {
    const found = one.find(claim);
    checkNumber(claim, found);
    if (found instanceof Ends && found.open) [answer, because] = [NOT_MINE, found.open];
  } catch (error) {
    if (!(error instanceof TooLarge)) throw error;
    [answer, because] = [TOO_LARGE, error.message];
  }
  if (one.stated && answer === CHECKED) [answer, because] = [STATED, "what would prove it is private"];
  return { measure: claim.measure, answer, because };
}

function checkNumber(claim, found) {
  const { value, measure } = claim;
  if (!(found instanceof Ends)) {
    const same = value instanceof Ratio && found instanceof Ratio ? value.equals(found) : value === found;
    if (!same) throw new Refused(`${measure}: its number is not the one that I find`);
    return;
  }
  if (!(value instanceof Interval)) throw new Refused(`${measure}: its number is no interval, and I find one`);
  const [low, high] = [ticks(found.lower.low), ticks(found.upper.high)];
  if (value.lower.compare(low) > 0 || value.upper.compare(high) < 0) {
    throw new Refused(`${measure}: its interval does not hold what I find, ${found.words()}`);
  }
  if (value.lower.compare(low.minus(found.room)) < 0 || value.upper.compare(high.plus(found.room)) > 0) {
    throw new Refused(`${measure}: its interval is vaguer than what I find, ${found.words()}`);
  }
}

function checkWords(claim, one) {
  const certified = claim.value instanceof Interval;
  if (certified === one.exact && claim.value !== INFINITE) {
    throw new Refused(`${claim.measure}: its number has to be ${one.exact ? "a fraction" : "an interval"}`);
  }
  const texts = {
    relation: one.relation || (certified ? "in" : "="),
    unit: one.unit,
    status: one.stated ? "stated" : certified ? "certified" : "exact",
    because: one.because,
    sentence: sentenceOf(claim, one),
  };
  for (const [name, fitting] of Object.entries(texts)) {
    if (![fitting].flat().includes(claim.record.get(name))) {
      throw new Refused(`${claim.measure}: its ${name} is not what belongs to it`);
    }
  }
}

function sentenceOf(claim, one) {
  try {
    return one.sentence(claim.value);
  } catch (error) {
    if (error instanceof NoDigits) throw new Refused(`${claim.measure}: its number cannot be infinite`);
    throw error;
  }
}

const TINIEST = 1n << 1074n;

/** Read a witness as whole numbers in proportion: weights from 0 to 1 whose sum is 1 up to 1e-12. */
export function inputLaw(weights, measure) {
  const inside = (weight) => isPlain(weight) && weight >= 0 && weight <= 1;
  if (!Array.isArray(weights) || !weights.length || !weights.every(inside)) {
    throw new Refused(`${measure}: the weights of its witness do not lie between 0 and 1`);
  }
  // A double is a multiple of 2^-1074, so one power of two serves them all.
  const numerators = weights.map((weight) => {
    const { above, below } = Ratio.ofDouble(weight);
    return above * (TINIEST / below);
  });
  const off = ratio(sum(numerators) - TINIEST, TINIEST);
  const far = off.above < 0n ? off.negated() : off;
  if (far.compare(ratio(1n, 10n ** 12n)) > 0) {
    throw new Refused(`${measure}: the weights of its witness do not sum to 1`);
  }
  const used = numerators.reduce((all, number) => all | number, 0n);
  const shift = BigInt(used.toString(2).match(/0*$/)[0].length);
  return numerators.map((number) => number >> shift);
}
