/**
 * e to the power of an ε, as exactly as Python has it: odds are the largest multiple of 1/2^grid that is no more.
 *
 * An ε comes as decimal text, the way that a study file has it, and is taken for the largest double that is no more.
 */

import { Ratio, ratio } from "../rationals.js";

const WIDTH = 64;
const SPARE_BITS = 8;
const ODDS_BITS = 32;
const HALVINGS = 12;

/** The exact number that decimal digits say: "0.25" is 1/4. */
export function decimal(text) {
  const found = /^(\d+)(?:\.(\d+))?$/.exec(text);
  if (!found) throw new RangeError(`${text} is no decimal number`);
  const [, whole, part = ""] = found;
  return ratio(whole + part, 10n ** BigInt(part.length));
}

/** The largest double that is no more than a positive fraction. */
export function doubleBelow(exact) {
  const near = exact.toNumber();
  if (Ratio.ofDouble(near).compare(exact) <= 0) return near;
  const view = new DataView(new ArrayBuffer(8));
  view.setFloat64(0, near);
  view.setBigUint64(0, view.getBigUint64(0) - 1n);
  return view.getFloat64(0);
}

/** Two whole numbers with e^x·2^bits between them, for a fraction 0 < x < 64. */
export function exponentialBounds(x, bits) {
  // e^x = (e^(x/2^h))^(2^h); each squaring doubles an error and adds less than one unit.
  const inner = BigInt(bits + HALVINGS + 128);
  const one = 1n << inner;
  const argument = (x.above << (inner - BigInt(HALVINGS))) / x.below;
  let [low, term] = [one, one];
  for (let i = 1n; term > 0n; i += 1n) {
    term = (term * argument) / (i << inner);
    low += term;
  }
  // Less than 200 terms, each cut by less than one unit, as is the argument; the rest is less than the last of them.
  let high = low + 1024n;
  for (let i = 0; i < HALVINGS; i += 1) {
    low = (low * low) >> inner;
    high = ((high * high) >> inner) + 1n;
  }
  const cut = inner - BigInt(bits);
  return [low >> cut, (high >> cut) + 1n];
}

/** The double nearest to e^x, for a double x > 0. */
export function exponential(x) {
  const [low, high] = exponentialBounds(Ratio.ofDouble(x), 192).map((value) => ratio(value, 1n << 192n).toNumber());
  return low === high ? low : Math.exp(x);
}

/** The largest multiple of 1/2^grid that is no more than e^x, for a double x > 0. */
export function oddsBelow(x, grid) {
  const exact = Ratio.ofDouble(x);
  for (let more = 128; ; more *= 2) {
    const [low, high] = exponentialBounds(exact, grid + more).map((value) => value >> BigInt(more));
    if (low === high) return ratio(low, 1n << BigInt(grid));
  }
}

/** The finest grid on which a law of this total weight fits a word many times over, its smallest weight being 1. */
export const gridFor = (weight) => Math.min(ODDS_BITS, Math.floor(WIDTH - SPARE_BITS - Math.log2(weight)));
