// Numbers in texts, exactly: the fractions of a form, and decimals as people type them. Nothing here is a float.

import { Ratio, powerOfTen } from "./rationals.js";

const FRACTION = /^(\d{1,5000})(?:\/(\d{1,5000}))?$/;
const NUMBER = /^([+-]?)(?:(\d{1,40})(?:\.(\d{0,40}))?|\.(\d{1,40}))(?:[eE]([+-]?\d{1,2}))?$/;

export const ONE = new Ratio(1n);

/** Read "n/d" or "n", in decimal digits. */
export function fraction(text) {
  const found = FRACTION.exec(text);
  if (found === null) throw new RangeError("no fraction");
  return new Ratio(BigInt(found[1]), BigInt(found[2] ?? 1));
}

/** Read a probability. */
export function chance(text) {
  const found = fraction(text);
  if (found.compare(ONE) > 0) throw new RangeError("no probability");
  return found;
}

/** Return the number that a text is, as a fraction; undefined for what is no number. */
export function decimal(text) {
  const found = NUMBER.exec(text.trim());
  if (found === null) return undefined;
  const [, sign, whole = "", after = "", only = "", power = "0"] = found;
  const digits = BigInt(`${whole}${after}${only}`);
  const exponent = Number(power) - after.length - only.length;
  return new Ratio(sign === "-" ? -digits : digits).times(powerOfTen(exponent));
}

/** Return how many steps a number lies above the least; a text that says why where it is no answer. */
export function stepsTo(asks, text) {
  const value = decimal(text);
  if (value === undefined) return "no-number";
  const [least, most, step] = [asks.least, asks.most, asks.step].map(decimal);
  if (value.compare(least) < 0 || value.compare(most) > 0) return "outside";
  const steps = value.minus(least).over(step);
  return steps.below === 1n ? steps.above : "between-steps";
}
