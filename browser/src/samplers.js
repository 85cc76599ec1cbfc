// Exact draws: whole numbers are compared with whole numbers, so the law that is drawn is known to the last digit.
// The thresholds are those of the Python samplers (sampling/samplers.py, ladders/shift_kernel.py, ladders/mask_kernel.py).

import { unbase64 } from "./bytes.js";
import { ONE } from "./numbers.js";
import { ratio } from "./rationals.js";
import { WIDTH } from "./words.js";

/** Throws coins and draws numbers with words of a width; everything that is drawn is drawn by these two. */
export class Dice {
  constructor(words, width = WIDTH) {
    this.words = words;
    this.width = BigInt(width);
  }

  /**
   * Return 1 with probability `chance`, else 0. A word is compared with the first bits of the chance; where all of them
   * agree, once in 2^width words, the next word is compared with the bits that follow. So no denominator is rounded.
   */
  coin(chance) {
    let rest = chance.above;
    if (rest === 0n) return 0;
    if (rest === chance.below) return 1;
    for (;;) {
      const scaled = rest << this.width;
      const border = scaled / chance.below;
      rest = scaled % chance.below;
      const word = this.words.next();
      if (word < border) return 1;
      if (word > border || rest === 0n) return 0;
    }
  }

  /** Return a whole number below `bound`, all equally probable: beyond the last full multiple it is drawn again. */
  below(bound) {
    let count = 1n;
    while (bound > 1n << (count * this.width)) count += 1n;
    const all = 1n << (count * this.width);
    const last = all - (all % bound) - 1n;
    for (;;) {
      let number = 0n;
      for (let i = 0n; i < count; i += 1n) number = (number << this.width) | this.words.next();
      if (number <= last) return number % bound;
    }
  }
}

/** Return i with probability counts[i] / (their sum): one number, compared with whole thresholds. */
export function categorical(dice, counts) {
  let left = dice.below(counts.reduce((sum, count) => sum + count, 0n));
  for (let i = 0; ; i += 1) {
    if (left < counts[i]) return i;
    left -= counts[i];
  }
}

/** A set of residues mod `modulus`, and the others; each side in ascending order. */
export class ResidueSet {
  /** Read it as a form spells it: a run, members one by one, or a bit for each residue. */
  constructor(document, modulus) {
    this.modulus = modulus;
    this.members = membersOf(document, modulus);
    if (this.members.length === 0 || this.members.length >= modulus) throw new RangeError("neither none nor all");
  }

  get size() {
    return this.members.length;
  }

  /** Whether it holds 0 and nothing else. */
  get isZero() {
    return this.size === 1 && this.members[0] === 0;
  }

  /** The residue at a place among the members. */
  member(place) {
    return this.members[place];
  }

  /** The residue at a place among the others. */
  other(place) {
    // Where the members are the first residues, the others follow them: none is listed, however many there are.
    if (this.members[this.size - 1] === this.size - 1) return this.size + place;
    if (this.rest === undefined) {
      const inside = new Set(this.members);
      this.rest = Int32Array.from({ length: this.modulus - this.size });
      let at = 0;
      for (let residue = 0; residue < this.modulus; residue += 1) if (!inside.has(residue)) this.rest[at++] = residue;
    }
    return this.rest[place];
  }
}

/** A random shift mod `modulus`: in `favoured`, uniformly, with probability `inside`; else uniform outside. */
export class TwoLevelShift {
  constructor(favoured, inside) {
    this.favoured = favoured;
    this.inside = inside;
    this.outside = ONE.minus(inside);
  }

  /** Return a shift: one draw decides the side, and one the place where there is a choice. */
  draw(dice) {
    const { size, modulus } = this.favoured;
    return dice.coin(this.outside)
      ? this.favoured.other(place(dice, modulus - size))
      : this.favoured.member(place(dice, size));
  }

  /** The probabilities of one favoured shift, and of one other. */
  get probabilities() {
    const { size, modulus } = this.favoured;
    return [this.inside.over(ratio(size)), this.outside.over(ratio(modulus - size))];
  }
}

/** A random mask of `length` bits, each of them set with probability `chance`, independently; the least is first. */
export class FlipMask {
  constructor(length, chance) {
    this.length = length;
    this.chance = chance;
  }

  draw(dice) {
    let mask = 0;
    for (let bit = 0; bit < this.length; bit += 1) mask += dice.coin(this.chance) * 2 ** bit;
    return mask;
  }
}

function place(dice, size) {
  return size === 1 ? 0 : Number(dice.below(BigInt(size)));
}

function membersOf(document, modulus) {
  if ("first" in document)
    return Array.from({ length: document.count }, (_, i) => residue(document.first + i, modulus));
  if ("members" in document) return ascending(document.members.map((one) => residue(one, modulus)));
  const bytes = unbase64(document.bits);
  if (bytes.length !== Math.ceil(modulus / 8)) throw new RangeError("not one bit for each residue");
  const found = [];
  for (let at = 0; at < 8 * bytes.length; at += 1)
    if ((bytes[at >> 3] >> (at & 7)) & 1) found.push(residue(at, modulus));
  return found;
}

function residue(value, modulus) {
  if (!Number.isSafeInteger(value) || value < 0 || value >= modulus) throw new RangeError("no residue");
  return value;
}

function ascending(values) {
  if (values.some((value, i) => i > 0 && value <= values[i - 1])) throw new RangeError("not in order, each once");
  return values;
}
