/** Numbers that a public certificate states, and what they can be, whatever the table behind them. */
import { powerOfTen, Ratio } from "../rationals.js";
import { log2, ticks } from "./enclosures.js";
import { Refused } from "./outcomes.js";
import { decimalExponent, Interval } from "./phrases.js";
import { product } from "./reading.js";

/** Return the two ends that are stated. */
export function statedInterval(claim) {
  if (!(claim.value instanceof Interval)) throw new Refused(`${claim.measure}: its number is no interval`);
  return claim.value;
}

/** Raise unless a stated number is one that such a file can have, whatever the table behind it. */
export function checkStated(fits, claim) {
  if (!fits) throw new Refused(`${claim.measure}: its number is none that such a file can state`);
}

/** The last place of two digits of a number ≥ 0, and never finer than a hundredth. */
export const twoDigitStep = (number) => powerOfTen(Math.max(-2, number.above ? decimalExponent(number) - 1 : -2));

/** The shortest decimal that is this double. */
export function decimalOf(number) {
  const [digits, exponent] = number.toNumber().toExponential().split("e");
  const [whole, rest = ""] = digits.split(".");
  return new Ratio(BigInt(whole + rest)).times(powerOfTen(Number(exponent) - rest.length));
}

/** Whether a double is the one of a decimal with two digits. */
export function hasTwoDigits(number) {
  const decimal = decimalOf(number);
  return number.above >= 0n && decimal.over(twoDigitStep(decimal)).below === 1n;
}

/** The bits that there are in samples of so many values, rounded up to two digits, as the double that says so. */
export function mostBits(shape) {
  const values = product(shape);
  const isPower = (values & (values - 1n)) === 0n;
  const upper = ticks(log2(new Ratio(values)).high).plus(isPower ? new Ratio(0n) : powerOfTen(-12));
  const step = twoDigitStep(upper);
  return Ratio.ofDouble(new Ratio(upper.over(step).ceil()).times(step).toNumber());
}
