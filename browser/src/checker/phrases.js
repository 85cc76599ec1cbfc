/** Numbers in words: four significant digits, a guarantee rounded against itself. */
import { bitLength, powerOfTen, Ratio } from "../rationals.js";
import { ONE, ticks } from "./enclosures.js";
import { NoDigits } from "./outcomes.js";

export const UP = "up";
export const DOWN = "down";
const NEAREST = "nearest";

/** How far an end of a claimed interval may lie outside the recomputed one. */
export const ROOM = new Ratio(3n, 10n ** 12n);
export const INFINITE = Infinity;

/** A claimed interval; its ends are the doubles of the file, exactly. */
export class Interval {
  constructor(lower, upper) {
    this.lower = lower;
    this.upper = upper;
  }
}

/** The e with 10^e ≤ number < 10^(e+1). */
export function decimalExponent(number) {
  let exponent = Math.floor(((bitLength(number.above) - bitLength(number.below)) * 30103) / 100_000);
  while (powerOfTen(exponent).compare(number) > 0) exponent -= 1;
  while (powerOfTen(exponent + 1).compare(number) <= 0) exponent += 1;
  return exponent;
}

/** So many digits of a number > 0, as a text, and the exponent of the first. */
function significant(number, count, rounding) {
  let exponent = decimalExponent(number);
  const scaled = number.over(powerOfTen(exponent - count + 1));
  let digits = rounding === UP ? scaled.ceil() : rounding === DOWN ? scaled.floor() : scaled.round();
  if (digits === 10n ** BigInt(count)) {
    digits /= 10n;
    exponent += 1;
  }
  return [String(digits), exponent];
}

/** Digits with a point after so many of them, or before. */
function pointed(digits, places) {
  const padded = places > 0 ? digits.padEnd(places, "0") : "0".repeat(1 - places) + digits;
  const at = Math.max(places, 1);
  return `${padded.slice(0, at)}.${padded.slice(at)}`;
}

const withoutZeros = (text) => (text.includes(".") ? text.replace(/\.?0*$/, "") : text);

/** Four significant digits of a number ≥ 0, zeros at the end left out; 1.5e-7 and 2e9 outside [0.0001, 10^6). */
export function short(number, rounding) {
  if (!(number instanceof Ratio)) throw new NoDigits();
  if (number.above === 0n) return "0";
  const [digits, exponent] = significant(number, 4, rounding);
  if (exponent >= -4 && exponent <= 5) return withoutZeros(pointed(digits, exponent + 1));
  return `${withoutZeros(pointed(digits, 1))}e${exponent}`;
}

/** So many significant digits of a number, as C's %g has them: 0.5, 1.5e-07, 1e+20. */
export function general(number, count) {
  if (number.above < 0n) return `-${general(number.negated(), count)}`;
  if (number.above === 0n) return "0";
  const [digits, exponent] = significant(number, count, NEAREST);
  if (exponent >= -4 && exponent < count) return withoutZeros(pointed(digits, exponent + 1));
  return withoutZeros(pointed(digits, 1)) + exponentWords(exponent);
}

/** e-07, e+20. */
const exponentWords = (exponent) =>
  `e${exponent < 0 ? "-" : "+"}${String(Math.abs(exponent)).padStart(2, "0")}`;

/** One digit and its exponent: 5e-07. */
export function oneDigit(number) {
  if (number.above === 0n) return "0e+00";
  const [digits, exponent] = significant(number, 1, NEAREST);
  return digits + exponentWords(exponent);
}

/** A number, or the upper end of an interval, rounded up. */
export const atMost = (value) => short(value instanceof Interval ? value.upper : value, UP);

/** A number, or the lower end of an interval, rounded down. */
export const atLeast = (value) => short(value instanceof Interval ? value.lower : value, DOWN);

/** 37.5 %. */
export const percent = (value, rounding = NEAREST) =>
  `${short(value instanceof Ratio ? value.times(new Ratio(100n)) : value, rounding)} %`;

/** A factor, rounded up. */
export const timesWords = (value) => `${short(value, UP)} times`;

/** An exact number; one of more than 24 characters by its ends and twelve digits. */
export function fractionWords(value) {
  const text = value === INFINITE ? "inf" : String(value);
  if (text.length <= 24) return text;
  const near = value.toNumber();
  if (!Number.isFinite(near)) throw new NoDigits();
  return `${text.slice(0, 10)}…${text.slice(-10)} ≈ ${general(Ratio.ofDouble(near), 12)}`;
}

/** The sentences that an upper end a few ulps or grid steps above a number may lead to; almost always one. */
export function wordsFor(near, phrase) {
  const ends = [new Ratio(near.low, ONE), ticks(near.high).plus(ROOM)];
  return [...new Set(ends.map((end) => phrase(short(end, UP))))];
}
