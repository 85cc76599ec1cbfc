/** Numbers that a certificate states, and what they can be, whatever the table behind them. */
import { Refused } from "./outcomes.js";
import { Interval } from "./phrases.js";

/** Return the two ends that are stated. */
export function statedInterval(claim) {
  if (!(claim.value instanceof Interval)) throw new Refused(`${claim.measure}: its number is no interval`);
  return claim.value;
}

/** Raise unless a stated number is one that such a file can have, whatever the table behind it. */
export function checkStated(fits, claim) {
  if (!fits) throw new Refused(`${claim.measure}: its number is none that such a file can state`);
}
